"""Rules across the wider language: sharing, layout, references, stages, credit, datasets; one code each."""

from __future__ import annotations

from pathlib import Path

import pytest

from mxspec.load import SpecErrors, load_spec
from mxspec.load.shipped import specs_dir
from mxspec.plan.make import make_plan
from tests.support.specs import SMALL, changed, errors, load, one_error, write

PLATEAU = "stages.rl.stop={kind: plateau, watch: evaluate.val.accuracy, patience: 2}"
VAL = "evaluate.val={at: {every: 10}, on: [{use: chain_arithmetic, split: validation, limit: 32}]}"
VLLM = "runtime.engine={kind: vllm, tensor_parallel: 3}"
LOW = "policy.sharing={kind: lora, rank: 12, alpha: 24}"
GROUPS = "policy.sharing={kind: groups, groups: {a: [designer]}}"
SERVED = "roles.executor.model={kind: endpoint, at: here, name: m}"
HUB = (
    "benchmarks.hub={source: {kind: hub, path: a/b, revision: '" + "0" * 40 + "', SPLITS}, grader: {kind: exact}}",
    "questions.from=[{use: hub, split: train}]",
)
ONLY_DESIGNER = ("stages.cold.train=[designer]", "stages.cold.data.rows={designer: 32}", "stages.rl.train=[designer]")


@pytest.mark.parametrize(
    ("sets", "code", "path"),
    [
        ((GROUPS,), "sharing", "policy.sharing.groups"),
        (("policy.sharing={kind: groups, groups: {a: [designer, executor], b: [executor]}}",), "sharing", None),
        ((LOW, "runtime.engine={kind: vllm}"), "lora-rank", "policy.sharing.rank"),
        ((SERVED, *ONLY_DESIGNER), "no-endpoint", "roles.executor.model.at"),
        ((SERVED, "runtime.endpoints={here: {url: 'http://127.0.0.1'}}"), "frozen-role", None),
        (("learn.rl.optimizer.role_lr={desinger: 1e-5}",), "unknown-role", None),
        (("learn.rl.update.minibatches=3",), "divisibility", "questions.per_step"),
        (("runtime.trainer.devices=3",), "divisibility", "questions.per_step"),
        ((PLATEAU, VAL.replace("every: 10", "every: 20")), "stop-never", "stages.rl.stop"),
        ((PLATEAU, VAL.replace("{every: 10}", "end")), "stop-never", "stages.rl.stop"),
        ((PLATEAU, VAL.replace("validation", "test")), "watch-test", "stages.rl.stop.watch"),
        (("credit.executor.group=[question, execution]",), "group-of-one", None),
        (("credit.designer.group=[question, execution]",), "group-key", "credit.designer.group[1]"),
        (("credit.executor.group=[question, turn]",), "group-key", "credit.executor.group[1]"),
        (("credit.executor.group=[question, desing]",), "group-key", "credit.executor.group[1]"),
        (("credit.executor.group=[question, question]",), "group-key", "credit.executor.group[1]"),
        (("credit.executor.unit=call",), "unit", "credit.executor.unit"),
        (("learn.rl.loss={kind: grpo, ratio: sequence}",), "ratio", "learn.rl.loss.aggregate"),
        (("roles.executor.sampling.top_p=0.9",), "top-p", "roles.executor.sampling.top_p"),
        (("reward.terms={correct: {kind: grade}, hard: {kind: one_minus_mean, of: answers}}",), "unknown-level", None),
        (("evaluate.test.at=[{best: serach}]",), "no-search", "evaluate.test.at[0].best"),
        ((HUB[0].replace("SPLITS", "splits: {test: x}"), HUB[1]), "no-split", "questions.from[0].split"),
        ((HUB[0].replace("SPLITS", "licence: mit"), HUB[1]), "split", "benchmarks.hub.source"),
        (("init={take: weights}",), "init", "init"),
        (("init={path: x}",), "missing", "init.path"),
        (("init={run: {spec: spec.yaml}}",), "missing", "init"),
        (("stages.rl.set={questions.per_stp: 3}",), "unknown-key", None),
        (("stages.rl.set={policy.sharing: {kind: shared}}",), "no-such-path", "policy.sharing"),
        (("stages.rl.set={rollout.tree: {designs: 1, executions: 2}}",), "group-of-one", None),
    ],
)
def test_each_rule_has_its_code(tmp_path: Path, sets: tuple[str, ...], code: str, path: str | None) -> None:
    found = errors(tmp_path, SMALL, *sets)
    assert code in [one.code for one in found], found
    assert path is None or path in [one.path for one in found if one.code == code], found


def test_every_problem_of_division_in_one_go(tmp_path: Path) -> None:  # C30
    found = errors(
        tmp_path,
        SMALL,
        *("questions.per_step=10", "learn.rl.update.minibatches=3", "runtime.trainer.devices=8", VLLM),
    )
    assert [one.code for one in found] == ["divisibility"] * 4 and all(one.hint for one in found)


def test_the_same_questions_neither_tune_nor_train_what_they_judge(tmp_path: Path) -> None:
    both = HUB[0].replace("SPLITS", "splits: {train: x, test: x}")
    judged = "evaluate.test={at: end, on: [{use: hub}]}"
    assert "overlap" in [one.code for one in errors(tmp_path, SMALL, both, HUB[1], judged)]
    parted = HUB[0].replace("SPLITS", "partition: {of: x, test: 0.2, validation: 0.1}")
    assert errors(tmp_path, SMALL, parted, HUB[1], judged) == ()


REFERS = "init={{run: {{spec: {spec}, arm: {arm}}}, stage: {stage}, step: {step}}}"


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"spec": "none.yaml"}, "no-file"),
        ({"spec": "wrong.yaml"}, "reference"),
        ({"spec": "round.yaml"}, "reference"),
        ({"arm": "mian"}, "unknown-arm"),
        ({"stage": "lr"}, "unknown-stage"),
        ({"step": 31}, "unknown-step"),
        ({"stage": "gated", "spec": "gated.yaml", "step": 1}, "unknown-step"),
        ({"step": 7}, "not-kept"),
    ],
)
def test_references_lead_to_kept_states(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, changes: dict[str, object], code: str
) -> None:  # C41
    monkeypatch.chdir(tmp_path)
    write(tmp_path, SMALL, "other.yaml")
    write(tmp_path, SMALL.replace("per_step: 8", "per_step: 0"), "wrong.yaml")
    write(tmp_path, SMALL + "init: {run: {spec: round.yaml}, stage: rl, step: 0}\n", "round.yaml")
    gate = "gate: {watch: evaluate.val.accuracy, at_least: 0.5, max_epochs: 3}"
    gated = SMALL.replace("name: cold", "name: gated").replace("epochs: 2", gate)
    gated = gated.replace("extends: mxspec:base/tiny_llama.yaml", "extends: [mxspec:base/tiny_llama.yaml]")
    gated += "  val: {at: epoch, on: [{use: chain_arithmetic, split: validation, limit: 32}]}\n"
    gated += "policy: {model: {tokenizer: {train_on: gated}}}\n"
    write(tmp_path, gated, "gated.yaml")
    given = {"spec": "other.yaml", "arm": "main", "stage": "rl", "step": 0, **changes}
    assert one_error(tmp_path, SMALL, REFERS.format(**given)).code == code


def test_a_reference_means_a_state_and_not_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a.yaml", "b.yaml"):
        write(tmp_path, SMALL, name)

    def planned(spec: str, stage: str = "rl", step: int = 0) -> str:
        loaded = load(tmp_path, SMALL, REFERS.format(spec=spec, arm="main", stage=stage, step=step))
        (run,) = make_plan(loaded, tmp_path / "runs").runs
        assert run.spec.init is not None and run.spec.init.state is not None
        return run.run

    assert planned("a.yaml") == planned("b.yaml") == planned("a.yaml", "cold", 2)
    assert planned("a.yaml") != planned("a.yaml", "rl", 30) != make_plan(load(tmp_path, SMALL), tmp_path).runs[0].run


def test_a_stage_that_sets_is_another_stage(tmp_path: Path) -> None:
    sets = [f"stages.rl.set={{rollout.limits.calls: {calls}}}" for calls in (40, 5)]
    plain = make_plan(load(tmp_path, SMALL), tmp_path).runs[0]
    same, other = (make_plan(load(tmp_path, SMALL, one), tmp_path).runs[0] for one in sets)
    assert same.run == plain.run != other.run and same.chain[0] == other.chain[0]


def test_searches_and_preferences_need_their_structure(tmp_path: Path) -> None:
    aflow, scoreflow = (specs_dir() / "systems" / f"{name}.yaml" for name in ("aflow", "scoreflow"))
    for path, change, code in (
        (aflow, "structure={kind: generated, writer: designer}", "no-search"),
        (aflow, "stages.search.score_on=[{use: math500, split: test}]", "watch-test"),
        (scoreflow, "rollout.tree={designs: 1, executions: 3}", "group-of-one"),
    ):
        with pytest.raises(SpecErrors) as caught:
            load_spec(path, sets=[change])
        assert code in [one.code for one in caught.value.diagnostics]


def test_a_state_that_is_said_is_the_one_that_is_meant(tmp_path: Path) -> None:
    write(tmp_path, changed(("name: small", "name: first")), "first.yaml")
    start = "init: {{run: {{spec: first.yaml}}, stage: rl, step: 30, state: '{}'}}\n"
    with pytest.raises(SpecErrors, match="not the state that the reference means now"):
        make_plan(load(tmp_path, SMALL + start.format("0" * 64)), tmp_path / "runs")
    whole = make_plan(load(tmp_path, SMALL + start.replace(", state: '{}'", "").format()), tmp_path / "runs")
    init = whole.runs[0].spec.init
    assert init is not None and init.state is not None
    same = make_plan(load(tmp_path, SMALL + start.format(init.state)), tmp_path / "runs")
    assert same.runs[0].run == whole.runs[0].run
