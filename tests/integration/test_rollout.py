"""The rollout tree: waves, seeds, verdicts, and what becomes of a tree (real sandbox, scripted engine)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest
import torch

from mxspec.rundir.tables import CallRow, DesignRow, ExecutionRow, QuestionRow
from mxspec.spec.benchmark import Exact
from mxspec.spec.roles import Prompt, Role, Sampling
from mxspec.spec.rollout import Calls, Credit, DesignOk, Grade, Limits, Reward, Tree
from mxspec.spec.structure import Generated
from runners.benchmarks import Question
from runners.credit.tree import assign
from runners.grading import grade
from runners.mas.build import ScriptBuilder
from runners.policies.policy import Policy
from runners.policies.tokenizer import train_tokenizer
from runners.rollout.metrics import tree_metrics
from runners.rollout.outcomes import outcomes_of, term_rows
from runners.rollout.prompts import PromptRenderer
from runners.rollout.rollout import Method, rollout
from runners.rollout.rows import tree_rows
from runners.rollout.samples import samples_of
from runners.rollout.tree import Path
from runners.rollout.wave import Served
from tests.support.scripted import ScriptedEngine

GOOD = """from workflow import AgentNode, Workflow
w = Workflow('w')
w.add_node(AgentNode('reduce'))
w.add_node(AgentNode('reduce'))
print(w.run(question).content)"""
SHORT = GOOD.replace("w.add_node(AgentNode('reduce'))\n", "", 1)
BROKEN = "from workflow import Workflow\nw = ("
VOTE = """from workflow import AgentNode, Workflow
from workflow.nodes import EnsembleNode
w = Workflow('w')
w.add_node(EnsembleNode('v', [AgentNode('solve'), AgentNode('solve'), AgentNode('solve')]))
print(w.run(question).content)"""

REWARD = Reward(
    terms={"correct": Grade(kind="grade"), "valid": DesignOk(kind="design_ok"), "calls": Calls(kind="calls")}
)
CREDIT = {
    "designer": Credit(
        terms={"correct": 1.0, "valid": 0.1, "calls": -0.01},
        reduce="mean_of_executions",
        group=("question",),
        unit="sample",
    ),
    "executor": Credit(terms={"correct": 1.0}, reduce="outcome", group=("question",), unit="trajectory"),
}


def solve(prompt: str, seed: int) -> str:
    """Plays agents right: `<agent> <expression>=`."""
    agent, expression = prompt.removesuffix("=").split(" ", 1)
    if agent == "solve":
        return str(eval(expression) % 5)
    if len(expression) < 3:
        return expression
    return f"{eval(expression[:3]) % 5}{expression[3:]}"


@dataclass
class Bench:
    method: Method
    engines: dict[str, ScriptedEngine]


def method(
    write: Callable[[str, int], str],
    play: Callable[[str, int], str] = solve,
    *,
    designs: int = 2,
    executions: int = 2,
    limits: Limits | None = None,
    context: int = 512,
) -> Bench:
    tokenizer = train_tokenizer([GOOD, VOTE, "reduce 1+2-3="], 300)
    limits = limits or Limits(calls=8, turns=2, tokens=400, agents=8)
    roles = {
        "designer": Role(prompt=Prompt(format="plain", text="design {question}\n"), sampling=Sampling(max_tokens=200)),
        "executor": Role(
            agents=("*",),
            prompt=Prompt(format="plain", text="{agent} {previous}="),
            sampling=Sampling(temperature=0.6, max_tokens=20),
        ),
    }
    engines = {
        "designer": ScriptedEngine(tokenizer, write),
        "executor": ScriptedEngine(tokenizer, play, context=context),
    }
    served = {}
    for name, engine in engines.items():
        policy = Policy(name, None, tokenizer, engine, torch.nn.Identity(), None)  # type: ignore[arg-type]
        served[name] = Served(name, policy, PromptRenderer(roles[name].prompt, tokenizer), roles[name].sampling)
    builder = ScriptBuilder(limits)
    made = Method(
        structure=Generated(kind="generated", writer="designer"),
        shape=Tree(designs=designs, executions=executions),
        limits=limits,
        roles=roles,
        served=served,
        builder=builder,
        judge=lambda question, answer: grade(Exact(kind="exact"), question.gold, answer),
    )
    return Bench(made, engines)


def question(text: str) -> Question:
    return Question(benchmark="chain", split="train", text=text, gold=str(eval(text) % 5), difficulty=1, row_hash=text)


@pytest.fixture
def closing() -> Iterator[list[Bench]]:
    made: list[Bench] = []
    yield made
    for one in made:
        one.method.builder.close()


QUESTIONS = (question("3+4-2"), question("1+1-4"))


def test_every_level_is_there_and_all_ready_calls_meet_in_one_wave(closing: list[Bench]) -> None:
    bench = method(lambda prompt, seed: GOOD if "3+4" in prompt else VOTE)
    closing.append(bench)
    tree = rollout(QUESTIONS, bench.method, (0, "t", 0))
    assert [len(level) for level in (tree.questions, tree.designs, tree.executions)] == [2, 4, 8]
    assert {node.value.grade.verdict for node in tree.executions} == {"correct"}
    # one wave of designs; reduce and all three solvers meet, then the second reduce
    assert [len(wave) for wave in bench.engines["designer"].waves] == [4]
    assert [len(wave) for wave in bench.engines["executor"].waves] == [4 + 4 * 3, 4]
    assert tree_metrics(tree)["calls_per_execution"] == (4 * 2 + 4 * 3) / 8
    paths = [(str(node.path), node.value.agent) for node in tree.calls]
    assert len(set(paths)) == len(paths) == 4 + 8 + 12
    assert paths == sorted(paths, key=lambda one: (one[0], one[1] is not None))


def test_every_call_has_a_seed_and_the_sampling_of_its_role(closing: list[Bench]) -> None:  # L21
    seeds = []
    for at in (("train", 0), ("train", 0), ("train", 1)):
        bench = method(lambda prompt, seed: VOTE)
        closing.append(bench)
        rollout(QUESTIONS, bench.method, at)
        requests = [*bench.engines["designer"].requests, *bench.engines["executor"].requests]
        seeds.append([one.seed for one in requests])
        assert len(set(seeds[-1])) == len(requests)
        assert {one.temperature for one in bench.engines["designer"].requests} == {1.0}
        assert {one.temperature for one in bench.engines["executor"].requests} == {0.6}
    assert seeds[0] == seeds[1] and not set(seeds[0]) & set(seeds[2])


def test_a_broken_design_is_data_and_its_executions_count_as_wrong(closing: list[Bench]) -> None:
    bench = method(lambda prompt, seed: BROKEN if seed % 2 else GOOD, designs=4)
    closing.append(bench)
    tree = rollout(QUESTIONS, bench.method, (0, "t", 0))
    verdicts = [node.value.design_verdict for node in tree.designs]
    assert set(verdicts) == {"ok", "syntax_error"}
    assert len(tree.executions) == 16
    assert tree_metrics(tree)["accuracy"] == verdicts.count("ok") / 8
    outcomes = outcomes_of(tree, REWARD)
    assert len(outcomes.executions) == 2 * verdicts.count("ok")  # what never began is no trajectory
    credits = assign(outcomes, REWARD, CREDIT)
    earned = dict(zip(credits["designer"].paths, credits["designer"].reward, strict=True))
    for node in tree.designs:
        expected = 1.0 + 0.1 - 0.02 if node.value.design_verdict == "ok" else 0.0
        assert earned[str(node.path)] == pytest.approx(expected)


def test_credit_reaches_every_call_of_its_unit(closing: list[Bench]) -> None:
    bench = method(lambda prompt, seed: GOOD if seed % 3 else SHORT, designs=4)
    closing.append(bench)
    tree = rollout(QUESTIONS, bench.method, (0, "t", 0))
    credits = assign(outcomes_of(tree, REWARD), REWARD, CREDIT)
    rows = samples_of(tree, credits, bench.method.served)
    assert len(rows["designer"]) == 8
    assert len(rows["executor"]) == sum(node.value.agent is not None for node in tree.calls)
    advantages = credits["executor"].advantages()
    by_path = [advantages[str(node.parent)] for node in tree.calls if node.value.agent is not None]
    assert [row.advantage for row in rows["executor"]] == pytest.approx(by_path)
    assert any(row.advantage > 0 for row in rows["executor"]) and any(row.advantage < 0 for row in rows["executor"])
    assert {row.temperature for row in rows["executor"]} == {0.6}
    assert samples_of(tree, {"designer": credits["designer"]}, bench.method.served).keys() == {"designer"}


def test_token_ids_reach_the_rows_as_they_were_drawn(closing: list[Bench]) -> None:  # L18
    bench = method(lambda prompt, seed: GOOD)
    closing.append(bench)
    tree = rollout(QUESTIONS, bench.method, (0, "t", 0))
    rows = samples_of(tree, assign(outcomes_of(tree, REWARD), REWARD, CREDIT), bench.method.served)
    drawn = [node.value.completion.ids.tolist() for node in tree.calls if node.value.role == "executor"]
    assert [row.response.tolist() for row in rows["executor"]] == drawn


def test_limits_are_verdicts_and_score_the_failure_reward(closing: list[Bench]) -> None:
    bench = method(lambda prompt, seed: GOOD, limits=Limits(calls=8, turns=2, tokens=3, agents=8))
    closing.append(bench)
    tree = rollout(QUESTIONS, bench.method, (0, "t", 0))
    assert {node.value.result.verdict for node in tree.executions} == {"limit:tokens"}
    failed = outcomes_of(tree, REWARD).executions
    assert all(one.failed for one in failed) and len(failed) == 8


def test_a_prompt_that_fills_the_context_ends_its_execution(closing: list[Bench]) -> None:
    bench = method(lambda prompt, seed: GOOD, context=6)
    closing.append(bench)
    tree = rollout(QUESTIONS, bench.method, (0, "t", 0))
    assert {node.value.result.verdict for node in tree.executions} == {"limit:tokens"}
    assert {node.value.result.calls for node in tree.executions} == {0}


def test_rows_hold_every_node_with_its_text(closing: list[Bench]) -> None:
    bench = method(lambda prompt, seed: GOOD if seed % 2 else BROKEN)
    closing.append(bench)
    tree = rollout(QUESTIONS, bench.method, (0, "t", 0))
    rows = list(tree_rows(tree, 7, "e1"))
    by_type = {
        kind: [row for row in rows if isinstance(row, kind)] for kind in (QuestionRow, DesignRow, ExecutionRow, CallRow)
    }
    assert [len(of) for of in by_type.values()] == [2, 4, 8, len(tree.calls)]
    assert all(row.step == 7 and row.evaluation == "e1" for row in rows)
    designs = {row.path: row for row in rows if isinstance(row, DesignRow)}
    assert {row.script.strip() for row in designs.values()} == {GOOD, BROKEN}
    for row in rows:
        if isinstance(row, ExecutionRow):
            assert (row.execution_verdict == "ok") == (designs[row.parent].design_verdict == "ok")
        if isinstance(row, CallRow):
            assert row.prompt and row.response_tokens > 0
    terms = list(term_rows(outcomes_of(tree, REWARD), REWARD, 7))
    assert {row.term for row in terms} >= {"valid"} and all(row.value is not None for row in terms)


def test_paths_are_texts_that_order_as_the_nodes_do() -> None:
    path = Path.root("question", 3).child("design", 1).child("execution", 0)
    assert path == "q0003/d01/e00" and isinstance(path, Path)
    calls = [path.child("call", i) for i in range(12)]
    assert sorted([*calls, path]) == [path, *calls]
