"""Plugins: code that adds kinds, and runs only where it was trusted."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mxspec.cli import exits
from mxspec.cli.app import run_app
from mxspec.compile.job import read_job
from mxspec.compile.jobs import compile_jobs
from mxspec.compile.runnable import to_come
from mxspec.load import SpecErrors, load_spec
from mxspec.load.dump import dump_spec
from mxspec.plan.make import make_plan
from mxspec.plugins import POINTS, PluginError
from mxspec.plugins.code import kinds_of
from mxspec.plugins.trust import trust_file
from mxspec.spec.plugin import PluginFile
from mxspec.testing import ContractBroken, check_plugin
from tests.support.plugin import PLUGIN
from tests.support.specs import SMALL, errors, load, one_error, write

GRADED = "benchmarks={b: {source: {kind: counting}, grader: {kind: prefix}}}"
ASKED = (GRADED, "questions.from=[{use: b}]", "evaluate.test.on=[{use: b, split: test}]")


@pytest.fixture
def spec(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A spec that names a plugin that nobody has trusted yet."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    write(tmp_path, PLUGIN, "mine.py")
    return write(tmp_path, SMALL + "plugins: [./mine.py]\n")


def run_of(path: Path, *sets: str) -> str:
    return make_plan(load_spec(path, sets=sets), path.parent / "runs").runs[0].run


def test_code_that_nobody_has_trusted_does_not_run(spec: Path, tmp_path: Path) -> None:  # C39
    write(tmp_path, f"open({str(tmp_path / 'ran')!r}, 'w')\n" + PLUGIN, "mine.py")
    (warning,) = load_spec(spec).warnings
    assert warning.code == "untrusted-plugin" and warning.path == "plugins[0]" and "--trust" in warning.hint
    assert not (tmp_path / "ran").exists() and not trust_file().exists()
    load_spec(spec, trust=True)
    assert (tmp_path / "ran").exists()


def test_trust_is_for_the_text_and_lasts(spec: Path, tmp_path: Path) -> None:
    assert not load_spec(spec, trust=True).warnings
    assert not load_spec(spec).warnings
    write(tmp_path / "elsewhere", PLUGIN, "other.py")
    elsewhere = write(tmp_path / "elsewhere", SMALL + "plugins: [./other.py]\n")
    assert not load_spec(elsewhere).warnings
    write(tmp_path, PLUGIN + "# another text\n", "mine.py")
    assert [one.code for one in load_spec(spec).warnings] == ["untrusted-plugin"]


@pytest.mark.parametrize("record", ["", "[]", '{"trusted": 3}', "\x00"], ids=["empty", "list", "number", "binary"])
def test_a_damaged_record_of_trust_trusts_nothing(spec: Path, record: str) -> None:
    load_spec(spec, trust=True)
    trust_file().write_text(record, encoding="utf-8")
    assert [one.code for one in load_spec(spec).warnings] == ["untrusted-plugin"]


def test_an_unknown_kind_names_the_plugins_that_were_not_loaded(spec: Path, tmp_path: Path) -> None:  # C16
    with pytest.raises(SpecErrors) as found:
        load_spec(spec, sets=("reward.terms.few={kind: few, most: 3}", "credit.designer.terms.few=0.5"))
    (one,) = found.value.diagnostics
    assert one.code == "unknown-kind" and "kinds are grade, calls" in one.hint
    assert "./mine.py was not loaded: it is not trusted" in one.hint
    write(tmp_path, "import no_such_package\n", "mine.py")
    with pytest.raises(SpecErrors) as found:
        load_spec(spec, sets=("reward.terms.few={kind: few, most: 3}", "credit.designer.terms.few=0.5"), trust=True)
    kind, plugin = sorted(found.value.diagnostics, key=lambda one: one.code, reverse=True)
    assert plugin.code == "plugin-failed" and plugin.at is not None and plugin.at.line == SMALL.count("\n") + 1
    assert "ModuleNotFoundError: No module named 'no_such_package'" in plugin.message
    assert kind.code == "unknown-kind" and "failed to load (ModuleNotFoundError" in kind.hint


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("raise SystemExit('out')", "failed to load (SystemExit: out)"),
        ("x = (", "failed to load (SyntaxError"),
        ("x = 1", "registers no kind"),
        (PLUGIN.replace('register("grader"', 'register("graders"'), "no extension point 'graders'; there is policy"),
        (PLUGIN.replace('":make_prefix"', '"make_prefix"'), "'make_prefix' is no `package.module:factory`"),
        (PLUGIN.replace('Literal["prefix"]', "str"), "Prefix has no `kind: Literal"),
        (PLUGIN.replace('Literal["prefix"]', 'Literal["math"]'), "the language has a grader of kind 'math' itself"),
        (
            PLUGIN.replace('least: int = leaf("Characters that an answer has.", default=1, gt=0)', "least: int = 1"),
            "de",
        ),
        (PLUGIN.replace("class Prefix(SpecModel)", "class Prefix"), "Prefix is no SpecModel"),
        (PLUGIN.replace('other("stage", PluggedStage)', 'other("stage")'), "Kind is no PluggedStage"),
    ],
    ids=["exit", "syntax", "nothing", "point", "factory", "no kind", "taken", "bare", "no model", "no stage"],
)
def test_a_plugin_that_fails_is_named_at_its_entry(spec: Path, tmp_path: Path, code: str, said: str) -> None:
    write(tmp_path, code, "mine.py")
    with pytest.raises(SpecErrors) as found:
        load_spec(spec, trust=True)
    (one,) = found.value.diagnostics
    assert one.code == "plugin-failed" and one.path == "plugins[0]" and said in one.message
    assert "mine.py" in one.message


def test_two_plugins_of_one_kind_are_an_error(spec: Path, tmp_path: Path) -> None:
    write(tmp_path, PLUGIN + "# the other\n", "other.py")
    with pytest.raises(SpecErrors) as found:
        load_spec(spec, sets=("plugins=[./mine.py, ./other.py]",), trust=True)
    assert [one.code for one in found.value.diagnostics] == ["no-file", "no-file"]  # --set starts from the directory
    both = write(tmp_path, SMALL + "plugins: [./mine.py, ./other.py]\n")
    with pytest.raises(SpecErrors) as found:
        load_spec(both, trust=True)
    (one,) = found.value.diagnostics
    assert one.path == "plugins[1]" and "is also one of mine.py" in one.message


def test_plugins_that_cannot_be_read(tmp_path: Path) -> None:
    assert one_error(tmp_path, SMALL + "plugins: [./none.py]\n").code == "no-file"
    assert one_error(tmp_path, SMALL + "plugins: [no_such_plugin]\n").code == "plugin-failed"
    assert one_error(tmp_path, SMALL + "plugins: ['./${vars.x}.py']\nvars: {x: a}\n").code == "reference"
    assert one_error(tmp_path, SMALL + "plugins: [{name: a.py}]\n").code == "missing"
    assert one_error(tmp_path, SMALL + "plugins: [{file: a.py, text: x}]\n").code == "file-and-text"
    assert one_error(tmp_path, SMALL + "plugins: [3]\n").code == "value"
    assert [one.code for one in errors(tmp_path, SMALL + "plugins: ./mine.py\n")] == ["type"]


def test_the_language_takes_the_kinds_with_all_of_its_diagnostics(spec: Path) -> None:
    load_spec(spec, trust=True)
    with pytest.raises(SpecErrors) as found:
        load_spec(spec, sets=(GRADED.replace("prefix}", "prefix, leest: 3}"), *ASKED[1:]))
    (one,) = found.value.diagnostics
    assert one.code == "unknown-key" and one.hint == "did you mean 'least'?"
    with pytest.raises(SpecErrors) as found:
        load_spec(spec, sets=(GRADED.replace("prefix}", "prefix, least: 0}"), *ASKED[1:]))
    assert found.value.diagnostics[0].message == "`0` must be greater than 0"
    with pytest.raises(SpecErrors) as found:
        load_spec(spec, sets=(GRADED.replace("prefix}", "prefi}"), *ASKED[1:]))
    assert "did you mean 'prefix'? kinds are exact" in found.value.diagnostics[0].hint


CHANGES = {
    "policy": ("policy.model={kind: mine}",),
    "sharing": ("policy.sharing={kind: mine}",),
    "structure": ("structure={kind: mine, writer: designer}", "rollout.tree={executions: 4}", "evaluate.test.tree={}"),
    "benchmark": ASKED,
    "grader": ASKED,
    "reward": ("reward.terms.few={kind: few, most: 3}", "credit.designer.terms.few=0.5"),
    "loss": ("learn.rl.loss={kind: mine}",),
    "preference_loss": (
        "learn.preference={loss: {kind: mine}, optimizer: {kind: adamw, lr: 1e-4}}",
        "stages[1]={name: rl, kind: preference, train: [designer], rounds: 2, questions: 8, "
        "pairs: {of: designs, score: mean_of_executions}}",
        "learn.rl=null",
    ),
    "schedule": ("learn.rl.schedule={kind: mine}",),
    "stage": ("stages[1]={name: rl, kind: mine, train: [designer], rounds: 3}",),
    "search": (
        "stages[1]={name: s, kind: search, algorithm: {kind: mine}, rounds: 2, score_on: "
        "[{use: chain_arithmetic, limit: 9}]}",
        "structure={kind: searched, writer: designer, start: {text: x}}",
        "rollout.tree={executions: 4}",
        "evaluate.test.tree={}",
        "credit={}",
        "reward.terms={}",
        "learn.rl=null",
        "questions=null",
        "stages.cold.train=[executor]",
        "stages.cold.data.rows={executor: 64}",
    ),
    "engine": ("runtime.engine={kind: mine}",),
    "launcher": ("runtime.launcher={kind: here}",),
}


@pytest.mark.parametrize("point", POINTS)
def test_every_point_takes_a_kind_that_validates_plans_and_is_written(spec: Path, tmp_path: Path, point: str) -> None:
    load_spec(spec, trust=True)
    loaded = load_spec(spec, sets=CHANGES[point])
    plan = make_plan(loaded, tmp_path / "runs")
    (run,) = plan.runs
    left = [name for name in to_come(run.spec) if name.startswith("a plugin's")]
    assert left == ([] if POINTS[point].makes else [f"a plugin's {point} ({POINTS[point].where})"])
    written = write(tmp_path / "written", dump_spec(loaded.whole))
    again = load_spec(written)
    assert again.spec == loaded.spec and run_of(written) == run.run
    (job,) = compile_jobs(plan)
    text = job.model_dump_json(by_alias=True)
    assert read_job(text).spec == job.spec and read_job(text).model_dump_json(by_alias=True) == text


def test_a_plugin_changes_no_id_but_of_what_has_its_kinds(spec: Path, tmp_path: Path) -> None:
    load_spec(spec, trust=True)
    assert run_of(spec) == run_of(write(tmp_path, SMALL, "bare.yaml"))
    few, here = CHANGES["reward"], CHANGES["launcher"]
    before, same = run_of(spec, *few), run_of(spec, *here)
    assert before != run_of(spec)
    assert same == run_of(spec)
    write(tmp_path, PLUGIN + "\nANOTHER = 1\n", "mine.py")
    load_spec(spec, trust=True)
    assert run_of(spec, *few) != before and run_of(spec, *here) == same


def test_sweeps_patch_points_with_kinds_of_plugins(spec: Path, tmp_path: Path) -> None:
    text = spec.read_text(encoding="utf-8") + (
        "sweep: {axes: {reward.terms.correct: [{kind: grade}, {kind: few, most: 3}, {kind: few, most: 4}]}}\n"
    )
    loaded = load_spec(write(tmp_path, text), trust=True)
    assert [arm.spec.reward.terms["correct"].kind for arm in loaded.arms] == ["grade", "few", "few"]
    assert len({one.run for one in make_plan(loaded, tmp_path / "runs").runs}) == 3


def test_saved_plans_need_trust_and_notice_another_text(
    spec: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    changed = [part for one in CHANGES["reward"] for part in ("--set", one)]
    plan, runs = str(tmp_path / "p.json"), ["--runs", str(tmp_path / "runs")]
    assert run_app(["plan", str(spec), *changed, *runs, "--trust", "--out", plan]) == exits.OK
    assert run_app(["run", plan, *runs, "--dry-run"]) == exits.OK
    assert run_app(["diff", plan, plan]) == exits.OK
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "of somebody else"))
    capsys.readouterr()
    assert run_app(["run", plan, *runs, "--dry-run"]) == exits.FAILED
    assert "the plugin mine.py: it is not trusted" in capsys.readouterr().err
    assert run_app(["run", plan, *runs, "--dry-run", "--trust"]) == exits.OK
    write(tmp_path, PLUGIN + "# edited\n", "mine.py")
    assert run_app(["run", plan, *runs, "--dry-run"]) == exits.FAILED
    assert "mine.py" in capsys.readouterr().err
    assert run_app(["run", str(spec), *runs]) == exits.MISSING_ENVIRONMENT
    assert "mine.py is not trusted" in capsys.readouterr().err


def test_show_writes_what_loads_again(spec: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    load_spec(spec, trust=True)
    assert run_app(["show", str(spec), "--resolved", "--json"]) == exits.OK
    (plugin,) = json.loads(capsys.readouterr().out)["spec"]["plugins"]
    assert plugin["name"] == "mine.py" and plugin["text"] == PLUGIN and plugin["file"] is None


ANSWERS = [("7", "7 of them")]
EXAMPLES: dict[str, dict[str, object]] = {"prefix": {}, "few": {"most": 3}, "counting": {}, "here": {}}
FOUR = PLUGIN[: PLUGIN.index("def other")]


def test_the_contract_of_a_plugin(tmp_path: Path) -> None:
    check_plugin(write(tmp_path, FOUR, "mine.py"), EXAMPLES, answers=ANSWERS)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("from typing import Literal", "import pyarrow\nfrom typing import Literal", "imports pyarrow"),
        ("answer is None or ", "", "makes it raise AttributeError"),
        ('Grade("no_answer", None, "empty")', "None", "its verdict is None"),
        ('"correct" if answer.startswith(gold) else "incorrect"', '"correct"', ""),
        ("split, seed + index)", "split, seed + index + position % 2)", "depend on where the request began"),
        (' + ("train", "validation", "test").index(split)', "", "both in train and in test"),
        ('":make_few"', '":make_fow"', "no implementation"),
        ("answer.startswith(gold)", "answer == gold", "the right answer '7 of them' to '7' is not correct"),
    ],
    ids=["heavy", "raises", "no grade", "lenient", "position", "overlap", "factory", "strict"],
)
def test_a_broken_contract_is_said(tmp_path: Path, old: str, new: str, said: str) -> None:
    assert old in FOUR
    path = write(tmp_path, FOUR.replace(old, new), "mine.py")
    if not said:  # what is too lenient for odd answers is not known to be wrong
        check_plugin(path, EXAMPLES, answers=ANSWERS)
        return
    with pytest.raises(ContractBroken, match=said):
        check_plugin(path, EXAMPLES, answers=ANSWERS)


def test_a_contract_needs_an_example_of_every_kind(tmp_path: Path) -> None:
    path = write(tmp_path, FOUR, "mine.py")
    with pytest.raises(ContractBroken, match="it has no example"):
        check_plugin(path, {key: value for key, value in EXAMPLES.items() if key != "few"}, answers=ANSWERS)
    with pytest.raises(ContractBroken, match="give `answers`"):
        check_plugin(path, EXAMPLES)
    with pytest.raises(ContractBroken, match="the example does not fit"):
        check_plugin(path, EXAMPLES | {"few": {"most": 0}}, answers=ANSWERS)


def test_an_installed_plugin_needs_no_trust_and_keeps_its_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "site"
    write(home, FOUR, "their_plugin.py")
    write(home / "their_plugin-1.2.dist-info", "[mxspec.plugins]\ntheirs = their_plugin\n", "entry_points.txt")
    write(home / "their_plugin-1.2.dist-info", "Metadata-Version: 2.1\nName: their-plugin\nVersion: 1.2\n", "METADATA")
    monkeypatch.syspath_prepend(str(home))
    loaded = load(tmp_path, SMALL + "plugins: [theirs]\n", *CHANGES["reward"])
    assert loaded.whole.plugins[0].model_dump() == {"package": "theirs", "version": "1.2"}
    assert loaded.whole.reward.terms["few"].kind == "few" and not loaded.warnings
    found = one_error(tmp_path, SMALL + "plugins: [{package: theirs, version: '1.1'}]\n")
    assert found.code == "plugin-failed" and "planned with version 1.1, and 1.2 is installed" in found.message


def test_a_plugin_runs_once_in_a_process() -> None:
    one = PluginFile(name="a.py", text=PLUGIN)
    assert kinds_of(one) is kinds_of(PluginFile(name="a.py", text=PLUGIN))
    with pytest.raises(PluginError, match="registers no kind"):
        kinds_of(PluginFile(name="a.py", text="X = 1"))


def test_check_misses_a_factory_that_is_not_there(
    spec: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path, PLUGIN.replace('":make_few"', '":make_fow"'), "mine.py")
    sets = [part for one in CHANGES["reward"] for part in ("--set", one)]
    assert run_app(["validate", str(spec), *sets, "--trust"]) == exits.OK
    assert run_app(["check", str(spec), *sets]) == exits.INVALID_SPEC
    assert "the plugin mine.py: failed to load (AttributeError" in capsys.readouterr().err


TERM = """\
from typing import Literal
from mxspec.plugins import SpecModel, leaf, register

@register("reward", implementation=":make")
class Terse(SpecModel):
    \"\"\"Few tokens.\"\"\"
    kind: Literal["terse"]

def make(spec):
    def worth(execution):
        return BODY
    return worth
"""


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("execution.result.tokens / 100", ""),
        ("None if execution.grade.verdict == 'gold_unparsable' else 1", ""),
        ("len(execution.result.answer)", "limit:tokens .* makes it raise TypeError"),
        ("100 / execution.result.tokens", "makes it raise ZeroDivisionError"),
        ("float('nan')", "is worth nan"),
        ("'much'", "is worth 'much'"),
        ("__import__('random').random()", ", then "),
    ],
)
def test_the_contract_of_a_reward_term(tmp_path: Path, body: str, said: str) -> None:
    path = write(tmp_path, TERM.replace("BODY", body), "terse.py")
    if not said:
        check_plugin(path, {"terse": {}})
        return
    with pytest.raises(ContractBroken, match=said):
        check_plugin(path, {"terse": {}})
