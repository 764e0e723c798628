"""Files that extend files: later wins, maps merge, lists replace, a changed kind replaces its map."""

from __future__ import annotations

from pathlib import Path

import pytest

from mxspec.load import load_spec
from tests.support.specs import SMALL, changed, errors_of, load, one_error, write


def extend(folder: Path, child: str, base: str = SMALL) -> Path:
    write(folder, base, "base.yaml")
    return write(folder, "extends: base.yaml\n" + child, "child.yaml")


def test_maps_merge_and_the_child_wins(tmp_path: Path) -> None:
    spec = load_spec(extend(tmp_path, "name: child\nrollout: {tree: {designs: 8}}\n")).whole
    assert spec.name == "child"
    assert (spec.rollout.tree.designs, spec.rollout.tree.executions) == (8, 2)


def test_a_list_replaces_and_says_what_it_dropped(tmp_path: Path) -> None:
    path = extend(tmp_path, "evaluate: {test: {at: [end]}}\n", changed(("at: [stage_end]", "at: [start, stage_end]")))
    loaded = load_spec(path)
    assert loaded.whole.evaluate["test"].at == ("end",)
    assert [(one.path, one.items) for one in loaded.dropped] == [("evaluate.test.at", ("start", "stage_end"))]
    assert loaded.dropped[0].at.file.endswith("child.yaml")


def test_append_extends_an_inherited_list(tmp_path: Path) -> None:
    loaded = load_spec(extend(tmp_path, "$append: {evaluate.test.at: [end, {every: 5}]}\n"))
    assert [getattr(at, "every", at) for at in loaded.whole.evaluate["test"].at] == ["stage_end", "end", 5]
    assert loaded.dropped == ()


@pytest.mark.parametrize(
    ("child", "code"),
    [
        ("$append: {evaluate.none.at: [end]}\n", "append"),
        ("$append: {evaluate.test: [end]}\n", "append"),
        ("$append: [end]\n", "append"),
        ("$unset: [evaluate.smoke]\n", "unset"),
        ("$unset: [stages.warm]\n", "unset"),
        ("$unset: ['']\n", "unset"),
    ],
)
def test_directives_with_unknown_paths_are_errors(tmp_path: Path, child: str, code: str) -> None:
    found = errors_of(extend(tmp_path, child))
    assert [one.code for one in found] == [code]
    assert found[0].at and found[0].at.line == 2


def test_unset_removes_what_a_base_gave(tmp_path: Path) -> None:
    loaded = load_spec(extend(tmp_path, "$unset: [evaluate.test, stages.rl, credit]\n"))
    assert loaded.whole.evaluate == {} and [stage.name for stage in loaded.whole.stages] == ["cold"]


def test_a_changed_kind_replaces_its_map(tmp_path: Path) -> None:
    declared = "benchmarks: {b: {source: {kind: procedural, generator: g, difficulty: [1]}, grader: {kind: exact}}}\n"
    path = extend(
        tmp_path,
        "benchmarks: {b: {source: {kind: jsonl, data: rows}}}\nruntime: {data: {rows: [rows.jsonl]}}\n",
        changed(("from: [{use: chain_arithmetic}]", "from: [{use: b}]")) + declared,
    )
    source = load_spec(path).whole.benchmarks["b"].source
    assert source.kind == "jsonl" and source.question == "question"


def test_a_file_replaces_an_inherited_text_and_the_reverse(tmp_path: Path) -> None:
    write(tmp_path, "from a file", "prompt.md")
    path = extend(tmp_path, "roles: {designer: {prompt: {file: prompt.md}}}\n")
    assert load_spec(path).whole.roles["designer"].prompt.text == "from a file"
    base = changed(('text: "design {question}"', "file: prompt.md"))
    path = extend(tmp_path, "roles: {designer: {prompt: {text: mine}}}\n", base)
    assert load_spec(path).whole.roles["designer"].prompt.text == "mine"


def test_paths_start_at_the_file_that_names_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, "deep", "a/prompts/p.md")
    base = changed(('text: "design {question}"', "file: prompts/p.md"))
    base += "benchmarks: {mine: {source: {kind: jsonl, data: x}, grader: {kind: integer}}}\n"
    base = base.replace("  test: {at: [stage_end]", "  mine: {at: [end], on: [{use: mine}]}\n  test: {at: [stage_end]")
    write(tmp_path, base + "runtime: {data: {x: [rows.jsonl, '${env:ROWS}']}}\n", "a/base.yaml")
    path = write(tmp_path, "extends: ../a/base.yaml\nname: child\n", "b/child.yaml")
    monkeypatch.chdir(tmp_path / "b")
    spec = load_spec("child.yaml").whole
    assert spec.roles["designer"].prompt.text == "deep" and spec.roles["designer"].prompt.file is None
    assert spec.runtime.data["x"] == (str((tmp_path / "a" / "rows.jsonl").resolve()), "${env:ROWS}")
    monkeypatch.chdir("/")
    assert load_spec(path).whole == spec


def test_later_bases_win(tmp_path: Path) -> None:
    write(tmp_path, SMALL, "one.yaml")
    write(tmp_path, "part: base\nquestions: {per_step: 3}\n", "two.yaml")
    path = write(tmp_path, "extends: [one.yaml, two.yaml]\n", "child.yaml")
    assert load_spec(path).whole.questions.per_step == 3


def test_a_missing_base_is_an_error_where_it_is_named(tmp_path: Path) -> None:
    path = write(tmp_path, "language: 1\nextends: [none.yaml]\n")
    (found,) = errors_of(path)
    assert found.code == "no-file" and found.at and (found.at.line, found.at.column) == (2, 11)


def test_a_cycle_of_files_is_printed(tmp_path: Path) -> None:
    write(tmp_path, "extends: b.yaml\n", "a.yaml")
    write(tmp_path, "extends: a.yaml\n", "b.yaml")
    (found,) = errors_of(tmp_path / "a.yaml")
    assert found.code == "extends-cycle"
    assert [part.rsplit("/", 1)[-1] for part in found.message.split(": ")[1].split(" -> ")] == [
        "a.yaml",
        "b.yaml",
        "a.yaml",
    ]


def test_a_sweep_is_never_inherited(tmp_path: Path) -> None:
    sweep = "sweep: {baseline: a, arms: {a: {}}, seeds: [0, 1]}\n"
    assert load_spec(extend(tmp_path, "", SMALL + sweep)).whole.sweep is None


def test_a_benchmark_is_no_base(tmp_path: Path) -> None:
    (found,) = errors_of(write(tmp_path, "extends: mxspec:benchmarks/chain_arithmetic.yaml\n"))
    assert found.code == "extends"


def test_parts_are_checked_for_what_they_hold(tmp_path: Path) -> None:
    loaded = load_spec(write(tmp_path, "part: base\nquestions: {per_step: 3}\nvars: {x: '${vars.from_a_child}'}\n"))
    assert loaded.part == "base" and loaded.spec is None
    (found,) = errors_of(write(tmp_path, "part: base\nquestions: {per_steps: 3}\n"))
    assert found.code == "unknown-key" and "per_step" in found.hint
    (found,) = errors_of(write(tmp_path, "part: bench\n"))
    assert found.path == "part"
    assert {one.code for one in errors_of(write(tmp_path, "part: benchmark\nsource: {kind: jsonl}\n"))} == {"missing"}


def test_set_uses_names_and_indexes(tmp_path: Path) -> None:
    assert load(tmp_path, SMALL, "stages.rl.steps=10").whole.stages[1].steps == 10  # type: ignore[union-attr]
    assert load(tmp_path, SMALL, "stages[1].steps=10").whole.stages[1].steps == 10  # type: ignore[union-attr]
    spec = load(tmp_path, SMALL, "stages.rl.train=[executor]", "runtime.trainer.threads=2").whole
    assert spec.stages[1].train == ("executor",) and spec.runtime.trainer.threads == 2


@pytest.mark.parametrize("path", ["stages.warm.steps", "stages[7].steps"])
def test_set_names_the_stages_where_there_is_no_such_one(tmp_path: Path, path: str) -> None:
    found = one_error(tmp_path, SMALL, f"{path}=10")
    assert found.code == "no-such-path" and "cold" in found.hint and "rl" in found.hint


@pytest.mark.parametrize("change", ["stages", "=5", "stages..rl=5", "stages.rl.steps.more=3"])
def test_a_change_that_is_none_is_an_error(tmp_path: Path, change: str) -> None:
    assert one_error(tmp_path, SMALL, change).code in ("set", "no-such-path")


def test_set_is_checked_like_a_file(tmp_path: Path) -> None:
    found = one_error(tmp_path, SMALL, "stages.rl.steps='10'")
    assert found.code == "type" and found.at and found.at.file == "--set stages.rl.steps"
    assert one_error(tmp_path, SMALL, "rollout.tree.desings=4").hint == "did you mean 'designs'?"
