"""`mxspec check`: data against itself, training apart from evaluation, the machine, the model."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import cast

import pytest

from mxspec.cli import exits
from mxspec.cli.app import run_app
from mxspec.load import load_spec
from mxspec.plan.data import pin
from mxspec.plan.size import decoder_in, decoder_of, memory_of
from runners.check import Checked, check_specs, machine
from tests.support.specs import SMALL, load, write

ROWS = [{"question": f"what is {n} and {n}?", "answer": str(2 * n)} for n in range(60)]
FILED = (
    "benchmarks.rows={source: {kind: jsonl, data: rows}, grader: {kind: integer}}",
    "runtime.data={rows: [./rows.jsonl]}",
    "questions.from=[{use: rows}]",
)


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def rows(folder: Path, name: str, found: list[dict[str, str]]) -> None:
    write(folder, "".join(json.dumps(one) + "\n" for one in found), name)


def checked(folder: Path, *sets: str, text: str = SMALL) -> Checked:
    loaded = load(folder, text, *sets)
    specs = [pin(arm.spec, loaded) for arm in loaded.arms]
    return check_specs(specs, origins=loaded.origins, file="spec.yaml", base_dir=loaded.base_dir, models=False)


def test_a_right_spec_says_what_was_looked_at(tmp_path: Path) -> None:
    rows(tmp_path, "rows.jsonl", ROWS)
    found = checked(tmp_path, *FILED, "evaluate.test.on=[{use: rows, split: test}]")
    assert not found.errors and not found.warnings
    assert "rows: 60 questions, 60 golds right against themselves" in found.notes
    assert any(note.startswith("overlap: ") and " questions that judge" in note for note in found.notes)
    assert any(note.startswith("memory: 249,472 parameters; 1 worker of about") for note in found.notes)


@pytest.mark.parametrize(("faulty", "codes"), [(3, ([], ["gold"])), (30, (["gold"], []))])
def test_golds_are_graded_against_themselves(tmp_path: Path, faulty: int, codes: tuple[list[str], list[str]]) -> None:
    rows(tmp_path, "rows.jsonl", [{**one, "answer": "about ten"} for one in ROWS[:faulty]] + ROWS[faulty:])
    found = checked(tmp_path, *FILED)
    assert ([one.code for one in found.errors], [one.code for one in found.warnings]) == codes
    (one,) = (*found.errors, *found.warnings)
    assert f"{faulty} of 60 golds are not right against themselves: 'about ten' of 'what is 0 and 0?'" in one.message
    assert one.path == "benchmarks.rows.grader" and one.at is not None and one.at.file.startswith("--set benchmarks")


def test_what_trains_does_not_judge(tmp_path: Path) -> None:
    rows(tmp_path, "rows.jsonl", ROWS)
    rows(tmp_path, "other.jsonl", [{**one, "question": one["question"].upper() + "  "} for one in ROWS])
    other = (
        "benchmarks.other={source: {kind: jsonl, data: other, split: {test: 0.8}}, grader: {kind: integer}}",
        "runtime.data={rows: [./rows.jsonl], other: [./other.jsonl]}",
        "evaluate.test.on=[{use: other}]",
    )
    (one,) = checked(tmp_path, *FILED, *other).errors
    assert (
        one.code == "overlap" and one.path == "evaluate.test.on[0]" and "are also trained on, from rows" in one.message
    )
    seen = (*other[:2], "evaluate.test.on=[{use: other, split: train}]")
    assert not checked(tmp_path, *FILED, *seen).errors, "whoever evaluates on train means to"


def test_generated_questions_overlap_where_two_benchmarks_split_them_in_other_ways(tmp_path: Path) -> None:
    source = "{kind: procedural, generator: chain_arithmetic, difficulty: [1, 2, 3], split: {test: 0.5}}"
    other = (
        f"benchmarks.other={{source: {source}, grader: {{kind: exact}}}}",
        "evaluate.test.on=[{use: other, limit: 40}]",
    )
    (one,) = checked(tmp_path, *other).errors
    assert one.code == "overlap" and "of other (test) are also trained on, from chain_arithmetic (train)" in one.message
    same = other[0].replace("test: 0.5", "test: 0.2"), other[1]
    assert not checked(tmp_path, *same).errors


def test_splits_have_the_questions_that_are_asked_for(tmp_path: Path) -> None:
    rows(tmp_path, "rows.jsonl", ROWS)
    (few,) = checked(tmp_path, *FILED, "evaluate.test.on=[{use: rows, limit: 50}]").warnings
    assert few.code == "few-questions" and "not 50" in few.message and "write limit: " in few.hint
    none = "benchmarks.rows.source.split={test: 0.2, validation: 0.0}"
    (one,) = checked(tmp_path, *FILED, none, "evaluate.test.on=[{use: rows, split: validation}]").errors
    assert one.code == "no-questions" and one.path == "evaluate.test.on[0]"


@pytest.mark.parametrize(
    ("change", "code", "said"),
    [
        ("benchmarks.rows.source.question=asked", "data", "rows.jsonl:1: has no column 'asked'"),
        ("stages.cold.data.teacher=chain", "teacher", "no teacher 'chain'"),
        ("policy.model.config.hidden_size=65536", "memory", "parameters; 1 worker of about"),
    ],
    ids=["column", "teacher", "memory"],
)
def test_each_fault_is_told_at_its_place(tmp_path: Path, change: str, code: str, said: str) -> None:
    rows(tmp_path, "rows.jsonl", ROWS)
    (one,) = checked(tmp_path, *FILED, change).errors
    assert one.code == code and said in one.message and one.at is not None and one.at.file


def test_packages_and_keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    away = (
        "policy.model={kind: package, package: no_such_model, file: '*.gguf', version: '1'}",
        "runtime.endpoints={far: {url: 'https://far.example', key_env: NO_SUCH_KEY}}",
        "roles.judge={agents: ['*'], prompt: {text: x}, sampling: {max_tokens: 8}, "
        "model: {kind: endpoint, at: far, name: m}}",
    )
    monkeypatch.delenv("NO_SUCH_KEY", raising=False)
    found = checked(tmp_path, *away, "roles.executor.agents=[executor]")
    assert [(one.code, one.message) for one in found.errors] == [
        ("environment", "the package no_such_model is not installed"),
        ("environment", "the environment has no NO_SUCH_KEY"),
    ]
    assert "memory: not estimated from the spec alone: it is not counted here" in found.notes
    installed = away[0].replace("no_such_model", "pydantic")
    (one,) = checked(tmp_path, installed).errors
    assert one.path == "policy.model.version" and "is installed, and the spec asks for 1" in one.message


def test_little_memory_is_a_warning(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "machine_memory_mb", lambda: 700.0)
    (one,) = checked(tmp_path).warnings
    assert one.code == "memory" and "micro_tokens" in one.hint
    ray = "runtime.launcher={kind: ray, address: far.example, workers: 3}"
    assert any("workers may be elsewhere" in note for note in checked(tmp_path, ray).notes)


def test_the_verb_and_its_codes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows(tmp_path, "rows.jsonl", [{**one, "answer": "ten"} for one in ROWS])
    spec = str(write(tmp_path, SMALL))
    assert run_app(["check", spec, "--json"]) == exits.OK
    found = json.loads(capsys.readouterr().out)
    assert found["ok"] and "model: LlamaForCausalLM, 124,736 parameters a set" in found["notes"]
    sets = [part for one in FILED for part in ("--set", one)]
    assert run_app(["check", spec, *sets]) == exits.INVALID_SPEC
    assert "60 of 60 golds are not right against themselves" in capsys.readouterr().err
    away = "policy.model={kind: package, package: no_such_model, file: '*.gguf', version: '1'}"
    assert run_app(["check", spec, "--set", away]) == exits.MISSING_ENVIRONMENT
    odd = "policy.model.config.model_type=no_such_type"
    assert run_app(["check", spec, "--set", odd]) == exits.INVALID_SPEC
    assert "transformers does not take it" in capsys.readouterr().err
    slip = "policy.model.config.num_hiden_layers=3"
    assert run_app(["check", spec, "--set", slip]) == exits.INVALID_SPEC
    assert "does not read 'num_hiden_layers'; did you mean 'num_hidden_layers'?" in capsys.readouterr().err
    assert run_app(["run", spec, *sets, "--runs", str(tmp_path / "runs")]) == exits.INVALID_SPEC
    assert not list((tmp_path / "runs").glob("*/status.json")), "nothing was started"


CONFIGS = {
    "tiny": {"model_type": "llama"},
    "untied": {"model_type": "llama", "tie_word_embeddings": False, "num_key_value_heads": 2},
    "biased": {"model_type": "llama", "attention_bias": True, "mlp_bias": True},
    "mistral": {"model_type": "mistral", "num_key_value_heads": 1},
    "qwen2": {"model_type": "qwen2", "tie_word_embeddings": False},
    "qwen3": {"model_type": "qwen3", "head_dim": 32},
}


@pytest.mark.parametrize("changes", CONFIGS.values(), ids=CONFIGS)
def test_parameters_are_counted_as_the_library_counts_them(changes: dict[str, object]) -> None:
    import torch
    from transformers import AutoConfig, AutoModelForCausalLM

    shape = {
        "hidden_size": 64,
        "intermediate_size": 172,
        "num_hidden_layers": 3,
        "num_attention_heads": 4,
        "num_key_value_heads": 4,
        "vocab_size": 300,
        "tie_word_embeddings": True,
    }
    config = shape | changes
    settings = {key: value for key, value in config.items() if key != "model_type"}
    make = cast("Callable[[object], torch.nn.Module]", AutoModelForCausalLM.from_config)
    with torch.device("meta"):
        model = make(AutoConfig.for_model(config["model_type"], **settings))
    found = decoder_of(config)
    assert found is not None and found.parameters == sum(one.numel() for one in model.parameters())


def test_memory_follows_sharing_devices_and_width(tmp_path: Path) -> None:
    spec = load(tmp_path, SMALL).whole
    decoder = decoder_in(spec)
    assert decoder is not None
    split = memory_of(spec, decoder)
    shared = memory_of(load(tmp_path, SMALL, "policy.sharing={kind: shared}").whole, decoder)
    lora = memory_of(load(tmp_path, SMALL, "policy.sharing={kind: lora, rank: 1, alpha: 1}").whole, decoder)
    fsdp = memory_of(load(tmp_path, SMALL, "runtime.trainer.devices=2", "runtime.trainer.strategy=fsdp").whole, decoder)
    assert split.parameters == 2 * shared.parameters == 2 * decoder.parameters
    assert split.state == pytest.approx(2 * shared.state) and fsdp.state == pytest.approx(shared.state)
    assert lora.parameters < shared.parameters and lora.state < shared.state
    assert split.checkpoint == pytest.approx(split.parameters * 12 / 2**20)
    narrow = memory_of(load(tmp_path, SMALL, "numerics.serve=bf16").whole, decoder)
    assert narrow.cache == pytest.approx(split.cache / 2)
    assert decoder_of({"model_type": "mamba"}) is None and decoder_of({"model_type": "llama"}, 9) is None


def test_every_shipped_spec_can_be_checked(tmp_path: Path) -> None:
    from mxspec.load.shipped import specs_dir

    for path in sorted((specs_dir() / "systems").glob("*.yaml")):
        loaded = load_spec(path)
        specs = [pin(arm.spec, loaded) for arm in loaded.arms]
        found = check_specs(specs, origins=loaded.origins, file="f", base_dir=loaded.base_dir, models=False)
        assert {one.code for one in found.errors} <= {"environment"}, found.errors


def test_scripts_of_the_spec_are_built(tmp_path: Path) -> None:
    right = (
        "from workflow import AgentNode, Workflow\n"
        "w = Workflow('one')\nw.add_node(AgentNode(name='a'))\nprint(w.run(question))\n"
    )
    uses = "on: [{use: chain_arithmetic, limit: 4}], at: [end]"
    probe = f"evaluate.probe={{{uses}, structure: {{kind: fixed, text: SCRIPT}}}}"
    found = checked(tmp_path, probe.replace("SCRIPT", json.dumps(right)))
    assert not found.errors and "evaluate.probe.structure: 1 agent" in found.notes
    for wrong, said in (
        (right.replace("AgentNode(", "Agent("), "runtime_error: NameError: name 'Agent' is not defined"),
        (right.replace("w.run", "w.runn"), "runtime_error: AttributeError"),
        ("import subprocess\n" + right, "forbidden: import subprocess (line 1)"),
        (right.replace("print(w.run(question))", ""), "no_run: workflow.run was never called"),
    ):
        (one,) = checked(tmp_path, probe.replace("SCRIPT", json.dumps(wrong))).errors
        assert (one.code, one.path) == ("script", "evaluate.probe.structure") and said in one.message


def test_agents_whose_names_a_script_computes_are_played(tmp_path: Path) -> None:
    script = (
        "from workflow import AgentNode, Workflow\nw = Workflow('line')\n"
        "for i in range(2):\n    w.add_node(AgentNode(name=f'solver_{i}'))\nprint(w.run(question))\n"
    )
    text = (
        "extends: mxspec:templates/fixed.yaml\nname: x\n"
        f"structure: {{kind: fixed, text: {json.dumps(script)}}}\nroles: {{executor: {{agents: [PATTERN]}}}}\n"
    )
    assert not checked(tmp_path, text=text.replace("PATTERN", "'solver_*'")).errors
    found = checked(tmp_path, text=text.replace("PATTERN", "'slover_*'")).errors
    assert [one.code for one in found] == ["agents", "agents"]
    assert "no role plays the agent 'solver_0'" in found[0].message and "did you mean 'slover_'?" in found[0].hint


def test_terms_that_train_nobody_are_named(tmp_path: Path) -> None:
    notes = checked(tmp_path, "reward.terms.calls={kind: calls}").notes
    assert "reward: calls recorded only, since no credit weighs it" in notes
    assert not any(note.startswith("reward:") for note in checked(tmp_path).notes)


def test_a_misspelt_teacher_or_generator(tmp_path: Path) -> None:
    (one,) = checked(tmp_path, "stages.cold.data.teacher=chain_arithmetik").errors
    assert (one.code, one.hint) == ("teacher", "did you mean 'chain_arithmetic'?")
    names = SMALL.replace("executor", "solver")
    (one,) = checked(tmp_path, text=names).errors
    assert (one.code, one.path) == ("teacher", "stages.cold.data.rows.solver")
    assert one.hint == "it has demonstrations for executor, designer"
    source = (
        "benchmarks.own={source: {kind: procedural, generator: word_problem, difficulty: [1]}, grader: {kind: exact}}",
        "evaluate.test.on=[{use: own, limit: 4}]",
    )
    assert any("did you mean 'word_problems'?" in one.message for one in checked(tmp_path, *source).errors)


def test_devices_and_threads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "cuda_devices", lambda: 0)
    (one,) = checked(tmp_path, "runtime.trainer.accelerator=cuda").errors
    assert (one.code, one.path) == ("environment", "runtime.trainer.accelerator")
    monkeypatch.setattr(machine, "cuda_devices", lambda: 1)
    assert not checked(tmp_path, "runtime.trainer.accelerator=cuda").errors
    (many,) = checked(tmp_path, "runtime.trainer.threads=9999").warnings
    assert (many.code, many.path) == ("threads", "runtime.trainer.threads")
    elsewhere = ("runtime.trainer.accelerator=cuda", "runtime.launcher={kind: ray, address: 'ray://there:10001'}")
    monkeypatch.setattr(machine, "cuda_devices", lambda: 0)
    assert not [one for one in checked(tmp_path, *elsewhere).errors if one.code == "environment"]


def test_what_has_no_runner_is_told_where_it_is_said(tmp_path: Path) -> None:
    (one,) = checked(tmp_path, "rollout.staleness=2").warnings
    assert (one.code, one.path, str(one.at)) == ("to-come", "rollout.staleness", "--set rollout.staleness")
