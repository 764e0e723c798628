"""The cases of the spec language by number: those that no other test names, and that each is named somewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from mxspec.cli import exits
from mxspec.cli.app import run_app
from mxspec.load import load_spec
from mxspec.load.dump import dump_spec
from mxspec.load.shipped import specs_dir
from mxspec.plan.make import make_plan
from mxspec.plan.plan import Plan
from mxspec.rundir import RunDir, Status
from tests.support.specs import SMALL, changed, errors, load, one_error, place_of, write

SHIPPED = sorted(
    path.relative_to(specs_dir()).as_posix()
    for path in specs_dir().rglob("*.yaml")
    if path.parent.name not in ("base", "benchmarks")
)


def planned(folder: Path, text: str, *sets: str) -> Plan:
    return make_plan(load(folder, text, *sets), folder / "runs")


def run_of(folder: Path, text: str, *sets: str) -> str:
    return planned(folder, text, *sets).runs[0].run


def test_a_number_is_the_same_wherever_it_is_written(tmp_path: Path) -> None:  # C01
    written = load(tmp_path, changed(("lr: 5e-4", "lr: 1e-4")))
    by_set = load(tmp_path, SMALL, "learn.rl.optimizer.lr=1e-4")
    by_name = load(tmp_path, changed(("lr: 5e-4", 'lr: "${vars.x}"')) + "vars: {x: 1e-4}\n")
    swept = load(tmp_path, SMALL + "sweep: {axes: {learn.rl.optimizer.lr: [1e-4, 1.0e-04]}}\n")
    for spec in (written.whole, by_set.whole, by_name.whole, *(arm.spec for arm in swept.arms)):
        assert spec.learn.rl is not None
        lr = spec.learn.rl.optimizer.lr
        assert type(lr) is float and lr == 0.0001
    assert len(swept.arms) == 1
    assert len({run_of(tmp_path, SMALL, f"learn.rl.optimizer.lr={text}") for text in ("1e-4", "0.0001", "1.0E-4")}) == 1


def test_a_key_of_its_own_wins_over_a_merged_one(tmp_path: Path) -> None:  # C06
    text = SMALL.replace("{kind: adamw, lr: 5e-3}", "&base {kind: adamw, lr: 5e-3, weight_decay: 0.5}").replace(
        "{kind: adamw, lr: 5e-4}", "{<<: *base, lr: 5e-4}"
    )
    optimizer = load(tmp_path, text).whole.learn.rl
    assert optimizer is not None and (optimizer.optimizer.lr, optimizer.optimizer.weight_decay) == (5e-4, 0.5)
    first = text.replace("{<<: *base, lr: 5e-4}", "{lr: 5e-4, <<: *base}")
    assert load(tmp_path, first).whole.learn.rl == optimizer
    twice = text.replace("{<<: *base, lr: 5e-4}", "{<<: *base, lr: 5e-4, lr: 6e-4}")
    assert one_error(tmp_path, twice).code == "duplicate-key"


def test_a_list_replaces_a_list_and_says_what_it_dropped(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:  # C07
    write(tmp_path, SMALL, "base.yaml")
    said = "questions: {from: [{use: gsm8k}]}\nruntime: {data: {gsm8k: [x]}}\n"
    more = write(tmp_path, f"extends: base.yaml\nname: m\n{said}")
    loaded = load_spec(more)
    assert loaded.whole.questions is not None and [use.use for use in loaded.whole.questions.source] == ["gsm8k"]
    (dropped,) = loaded.dropped
    assert dropped.path == "questions.from" and dropped.origin.file.endswith("base.yaml")
    assert run_app(["show", str(more), "--origin"]) == exits.OK
    assert "dropped" in capsys.readouterr().err
    kept = write(
        tmp_path,
        "extends: base.yaml\nname: k\n$append: {questions.from: [{use: gsm8k}]}\nruntime: {data: {gsm8k: [x]}}\n",
    )
    both = load_spec(kept).whole.questions
    assert both is not None and [use.use for use in both.source] == ["chain_arithmetic", "gsm8k"]


def test_stages_by_name_and_by_index(tmp_path: Path) -> None:  # C08
    for path in ("stages.rl.steps", "stages[1].steps"):
        assert getattr(load(tmp_path, SMALL, f"{path}=10").whole.stages[1], "steps", None) == 10
    for path in ("stages.lr.steps", "stages[2].steps"):
        found = one_error(tmp_path, SMALL, f"{path}=10")
        assert found.code == "no-such-path" and "cold" in str(found) and "rl" in str(found)


def test_another_kind_takes_nothing_along(tmp_path: Path) -> None:  # C09
    declared = "benchmarks: {b: {source: {kind: jsonl, data: d}, grader: {kind: math, tolerance: 1e-3}}}\n"
    used = changed(("from: [{use: chain_arithmetic}]", "from: [{use: b}]")) + "runtime: {data: {d: [x]}}\n"
    write(tmp_path, used + declared, "base.yaml")
    child = "extends: base.yaml\nname: c\nbenchmarks: {b: {grader: {kind: code, timeout: 5}}}\n"
    grader = load(tmp_path, child).whole.benchmarks["b"].grader
    assert grader.model_dump() == {"kind": "code", "timeout": 5.0, "tests": "tests"}
    same = "extends: base.yaml\nname: c\nbenchmarks: {b: {grader: {kind: math}}}\n"
    assert getattr(load(tmp_path, same).whole.benchmarks["b"].grader, "tolerance", None) == 1e-3


def test_what_does_not_matter_moves_no_id(tmp_path: Path) -> None:  # C20
    before = run_of(tmp_path, SMALL)
    parts = SMALL.split("\n")
    rollout = [line for line in parts if line.startswith("rollout")]
    turned = "\n".join(["# a comment", *rollout, *(line for line in parts if line not in rollout)])
    assert run_of(tmp_path, turned) == before
    assert run_of(tmp_path, SMALL, "name=other", "notes=text", "runtime.trainer.micro_tokens=99") == before
    assert run_of(tmp_path, SMALL, "evaluate.more={at: [end], on: [{use: chain_arithmetic, limit: 3}]}") == before
    write(tmp_path / "prompts", "design {question}", "p.txt")
    filed = changed(('text: "design {question}"', "file: prompts/p.txt"))
    assert run_of(tmp_path, filed) == before
    flat = write(tmp_path, dump_spec(load(tmp_path, SMALL).whole), "flat.yaml")
    assert make_plan(load_spec(flat), tmp_path / "runs").runs[0].run == before
    assert run_of(tmp_path, SMALL, "runtime.engine={kind: vllm}") != before


def test_a_run_that_two_sweeps_share_is_done_in_both(tmp_path: Path) -> None:  # C21
    one = planned(tmp_path, SMALL + "sweep: {axes: {questions.per_step: [8, 16]}}\n")
    done = one.runs[1]
    directory = RunDir(tmp_path / "runs" / done.run)
    directory.path.mkdir(parents=True)
    directory.write("status.json", Status(run=done.run, state="done", step=32, total_steps=32))
    named = changed(("name: small", "name: other"))
    other = planned(tmp_path, named + "sweep: {axes: {questions.per_step: [16, 24]}, seeds: [0]}\n")
    assert [run.status for run in other.runs] == ["done", "new"]


def test_roles_and_stages_fit_the_structure(tmp_path: Path) -> None:  # C28
    script = write(tmp_path, "print(1)", "mas.py")
    assert script.exists()
    fixed = changed(
        ("structure: {kind: generated, writer: designer}", "structure: {kind: fixed, file: mas.py}"),
        ("designs: 4", "designs: 1"),
    )
    found = errors(tmp_path, fixed)
    assert ("untrainable", "stages.cold.train[0]") in {(one.code, one.path) for one in found}
    idle = changed(
        ("  executor: {agents", "  idle: {prompt: {text: x}, sampling: {max_tokens: 4}}\n  executor: {agents")
    )
    one = one_error(tmp_path, idle)
    assert one.path == "roles.idle" and "nothing serves it" in one.message
    assert one.at is not None and (one.at.line, one.at.column) == place_of(idle, "idle:")


@pytest.mark.parametrize("rank", [12, 48, 100])
def test_adapters_of_ranks_that_the_engine_serves(tmp_path: Path, rank: int) -> None:  # C31
    lora = f"policy.sharing={{kind: lora, rank: {rank}, alpha: 32}}"
    found = one_error(tmp_path, SMALL, lora, "runtime.engine={kind: vllm}")
    assert found.code == "lora-rank" and "ranks are 1, 8, 16, 32, 64" in found.hint
    assert errors(tmp_path, SMALL, lora) == ()


@pytest.mark.parametrize("name", SHIPPED)
def test_what_is_written_loads_to_the_same(tmp_path: Path, name: str) -> None:  # C32
    loaded = load_spec(specs_dir() / name)
    for arm in loaded.arms:
        again = load_spec(write(tmp_path, dump_spec(arm.spec)))
        assert again.whole == arm.spec
        here, there = make_plan(again, tmp_path / "runs"), make_plan(loaded, tmp_path / "runs", arms=[arm.name])
        assert here.runs[0].cell == there.runs[0].cell


@pytest.mark.parametrize(
    ("said", "path"),
    [
        ("learn: {preference: {loss: {kind: dpo, beta: 0.1}, optimizer: {kind: adamw, lr: 1e-4}}}", "learn.preference"),
        ("runtime: {endpoints: {far: {url: 'https://a.example'}}}", "runtime.endpoints.far"),
        ("runtime: {data: {rows: [x]}}", "runtime.data.rows"),
        ("benchmarks: {b: {source: {kind: jsonl, data: d}, grader: {kind: exact}}}", "benchmarks.b"),
    ],
)
def test_what_nothing_reads(tmp_path: Path, said: str, path: str) -> None:  # C36
    data = {"benchmarks.b": "runtime: {data: {d: [x]}}\n"}.get(path, "")
    write(tmp_path, SMALL, "base.yaml")
    here = f"extends: base.yaml\nname: c\n{said}\n{data}"
    found = {one.path: one for one in errors(tmp_path, here)}
    assert found[path].code == "unread" and "nothing reads it" in found[path].message
    write(tmp_path, f"extends: base.yaml\nname: m\n{said}\n{data}", "middle.yaml")
    loaded = load(tmp_path, "extends: middle.yaml\nname: c\n")
    assert path in {one.path for one in loaded.pruned} or path == "benchmarks.b"


def test_a_name_that_no_reference_leads_to_is_a_warning(tmp_path: Path) -> None:  # C36
    text = changed(("lr: 5e-4", 'lr: "${vars.lr}"'), ("per_step: 8", 'per_step: "${vars.m.n}"'))
    text += "vars: {lr: 1e-3, m: {n: 8}, lrr: 1e-4}\n"
    (one,) = load(tmp_path, text).warnings
    assert one.code == "unread" and one.path == "vars.lrr" and "${vars.lrr}" in one.hint
    write(tmp_path, SMALL + "runtime: {data: {rows: [x]}}\n", "base.yaml")
    pruned = load(tmp_path, "extends: base.yaml\nname: c\nvars: {z: 1}\n")
    assert pruned.pruned and [one.path for one in pruned.warnings] == ["vars.z"], "told beside what was left out"
    swept = text + "sweep: {axes: {learn.sft.optimizer.lr: ['${vars.lrr}', 1e-5]}}\n"
    assert not load(tmp_path, swept).warnings


def test_every_case_has_a_test() -> None:
    tests = "\n".join(path.read_text(encoding="utf-8") for path in Path(__file__).parents[1].rglob("test_*.py"))
    named = set(re.findall(r"\bC(\d\d)\b", tests))
    assert {f"{number:02d}" for number in range(1, 42)} <= named
