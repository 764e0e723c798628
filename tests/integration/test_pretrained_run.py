"""The path of `specs/smollm2_gsm8k.yaml` with a tiny model in place of the 135M one: everything else as shipped."""

from __future__ import annotations

import pyarrow.parquet as pq
import pytest
from transformers import AutoModelForCausalLM, AutoTokenizer

from mxspec.compile.job import Job
from mxspec.compile.jobs import compile_jobs
from mxspec.load import load_spec
from mxspec.load.shipped import specs_dir
from mxspec.plan.make import make_plan
from mxspec.rundir import RunDir
from mxspec.spec.rollout import Limits
from runners.execute import run_job
from runners.mas.build import build
from tests.support.gguf_package import write_package

SPEC = specs_dir() / "smollm2_gsm8k.yaml"
SETS = (
    'policy.model={kind: package, package: tiny_weights, file: "*.gguf", version: "1.2.0"}',
    "roles.designer.sampling.max_tokens=8",
    "roles.executor.sampling.max_tokens=8",
    "evaluate.test.on=[{use: gsm8k, split: test, limit: 3}]",
    "evaluate.test.structure={kind: fixed, file: mxspec:mas/reduce.py}",
    'runtime.data.gsm8k=["mxspec:data/word_problems.jsonl"]',
)


def test_the_examples_of_the_designer_are_valid_designs() -> None:
    spec = load_spec(SPEC).spec
    turns = spec.roles["designer"].prompt.turns
    assert len(turns) >= 2
    for turn in turns:
        design = build(turn.reply, "How many?", spec.rollout.limits)
        assert (design.design_verdict, design.agents) == ("ok", 2)
        assert build(turn.reply, "How many?", Limits(agents=1)).design_verdict == "limit:agents"


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> tuple[Job, RunDir]:
    home = tmp_path_factory.mktemp("pretrained run")
    write_package(home / "site")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(home / "site")
        [job] = compile_jobs(make_plan(load_spec(SPEC, sets=SETS), home / "runs"))
        outcome = run_job(job)
    assert (outcome.state, outcome.message, outcome.steps) == ("done", "", 2)
    return job, RunDir(home / "runs" / job.run)


def rows(run: RunDir, table: str) -> list[dict[str, object]]:
    found: list[dict[str, object]] = pq.read_table(run.compact / f"{table}.parquet").to_pylist()
    return found


def test_every_design_call_and_verdict_is_recorded(ran: tuple[Job, RunDir]) -> None:
    _, run = ran
    assert len(rows(run, "questions")) == 2 * 4 + 3
    designs = rows(run, "designs")
    assert len(designs) == 2 * 8 + 3
    assert all(one["design_verdict"] for one in designs)
    assert len(rows(run, "executions")) == 2 * 16 + 3
    written = [one for one in rows(run, "calls") if one["role"] == "designer"]
    assert len(written) == 2 * 8
    assert {str(one["step"]) for one in rows(run, "credits")} <= {"0", "1"}


def test_agents_read_instructions_and_question_through_the_chat_template(ran: tuple[Job, RunDir]) -> None:
    _, run = ran
    asked = {str(one["question"]) for one in rows(run, "questions")}
    played = [one for one in rows(run, "calls") if one["role"] == "executor" and one["evaluation"]]
    assert len(played) >= 3
    for one in played:
        prompt = str(one["prompt"])
        assert prompt.startswith("<|im_start|>user\n") and prompt.endswith("<|im_end|>\n<|im_start|>assistant\n")
        assert any(question in prompt for question in asked)


def test_nothing_that_trains_is_judged(ran: tuple[Job, RunDir]) -> None:
    _, run = ran
    questions = rows(run, "questions")
    trained = {one["question"] for one in questions if not one["evaluation"]}
    judged = {one["question"] for one in questions if one["evaluation"]}
    assert trained and judged and not trained & judged


def test_the_policy_left_can_be_loaded_by_anyone(ran: tuple[Job, RunDir]) -> None:
    _, run = ran
    last = run.checkpoints()[-1].path / "shared"
    model = AutoModelForCausalLM.from_pretrained(last)
    tokenizer = AutoTokenizer.from_pretrained(last)
    assert tokenizer.chat_template and len(tokenizer) == model.config.vocab_size
