"""What the node runtime asks for, in which order, and how it ends."""

from collections.abc import Callable, Sequence

import pytest

from mxspec.spec.rollout import Limits
from runners.mas.calls import CallRequest, CallResult, ExecutionResult
from runners.mas.critique import says_correct
from runners.mas.digest import digest, last_boxed, voted
from runners.mas.graph import Agent, Ensemble, Graph, Node, Reflection
from runners.mas.runtime import elect, execute

SOLVE, CHECK, JUDGE = Agent("solve", "You solve."), Agent("check"), Agent("judge")
Waves = list[tuple[CallRequest, ...]]


def drive(
    nodes: Sequence[Node], respond: Callable[[CallRequest], str], limits: Limits | None = None, asks: str | None = None
) -> tuple[ExecutionResult, Waves]:
    running = execute(Graph("g", tuple(nodes), asks), "3+4", limits or Limits())
    waves: Waves = []
    try:
        wave = next(running)
        while True:
            waves.append(wave)
            wave = running.send(tuple(CallResult(respond(request), 2, "stop") for request in wave))
    except StopIteration as end:
        return end.value, waves


def script(*texts: str) -> Callable[[CallRequest], str]:
    """Answers call i with text i."""
    return lambda request: texts[request.position]


def test_a_chain_hands_on_digests() -> None:
    result, waves = drive([SOLVE, SOLVE, CHECK], script("a <delivery>b</delivery>", "c", "d"))
    assert result == ExecutionResult("ok", "", "d", 2, 3, 6)
    assert waves == [
        (CallRequest(0, "solve", 0, "You solve.", "3+4", "3+4", ()),),
        (CallRequest(1, "solve", 0, "You solve.", "3+4", "b", ("b",)),),
        (CallRequest(2, "check", 0, "", "3+4", "c", ("b", "c")),),
    ]


def test_a_script_may_ask_something_else() -> None:
    _, waves = drive([SOLVE], script("a"), asks="What?")
    assert (waves[0][0].question, waves[0][0].previous) == ("What?", "What?")


def test_children_of_an_ensemble_are_one_wave() -> None:
    inner = Ensemble("inner", (SOLVE, SOLVE))
    result, waves = drive([Ensemble("outer", (SOLVE, inner, SOLVE))], script("1", "2", "2", "2"))
    assert [[request.position for request in wave] for wave in waves] == [[0, 1, 2, 3]]
    assert (result.answer, result.source) == ("2", 1)


def test_children_advance_side_by_side() -> None:
    reflection = Reflection("r", SOLVE, CHECK, 1)
    result, waves = drive(
        [Ensemble("e", (reflection, SOLVE, reflection))], lambda r: "INCORRECT" if r.agent == "check" else "7"
    )
    assert [[request.agent for request in wave] for wave in waves] == [["solve"] * 3, ["check"] * 2, ["solve"] * 2]
    assert result.calls == 7


@pytest.mark.parametrize(
    ("responses", "weights", "winner", "unanimous"),
    [
        (["1", "2", "2"], (), 1, False),
        (["2", "1"], (), 0, False),
        (["1", "2", "1", "2"], (), 0, False),
        (["5"], (), 0, True),
        (["", "", "4"], (), 2, False),
        (["", ""], (), 0, True),
        (["so \\boxed{3}", "FINAL ANSWER: 3", "4"], (), 0, False),
        (["1", "2", "2"], (3.0, 1.0, 1.0), 0, False),
        (["1", "2"], (1.0, 1.0), 0, False),
    ],
)
def test_votes(responses: list[str], weights: tuple[float, ...], winner: int, unanimous: bool) -> None:
    assert elect(responses, weights) == (winner, unanimous)


def test_weights_count_in_a_weighted_vote_only() -> None:
    children = (SOLVE, SOLVE, SOLVE)
    texts = script("1", "2", "2")
    assert drive([Ensemble("e", children, "weighted_vote", (3.0, 1.0, 1.0))], texts)[0].answer == "1"
    assert drive([Ensemble("e", children, "majority_vote", (3.0, 1.0, 1.0))], texts)[0].answer == "2"


def test_a_judge_decides_a_split_and_sees_the_candidates() -> None:
    ensemble = Ensemble("e", (SOLVE, SOLVE), "consensus", (), JUDGE)
    result, waves = drive([CHECK, ensemble], script("x", "1", "a\nb", "2"))
    assert waves[-1] == (CallRequest(3, "judge", 0, "", "3+4", "3+4 1 | a b", ("x", "1", "a\nb")),)
    assert (result.answer, result.source) == ("2", 3)


def test_a_judge_is_not_asked_when_all_agree() -> None:
    result, _ = drive([Ensemble("e", (SOLVE, SOLVE), "consensus", (), JUDGE)], script("1", "1"))
    assert (result.answer, result.source, result.calls) == ("1", 0, 2)


def test_a_critic_sees_question_and_draft_and_a_revision_the_same_task() -> None:
    result, waves = drive([SOLVE, Reflection("r", SOLVE, CHECK, 2)], script("0+1", "3", "INCORRECT", "1", "CORRECT"))
    assert [wave[0].previous for wave in waves] == ["3+4", "0+1", "3+4 3", "0+1", "3+4 1"]
    assert [wave[0].turn for wave in waves] == [0, 0, 0, 1, 1]
    assert waves[3][0].history == ("0+1", "3", "INCORRECT")
    assert waves[4][0].history == ("0+1", "3", "INCORRECT", "1")
    assert (result.answer, result.source) == ("1", 3)


def test_a_reflection_without_history_forgets_older_drafts() -> None:
    _, waves = drive([Reflection("r", SOLVE, CHECK, 2, include_history=False)], script("1", "no", "2", "no", "3"))
    assert [wave[0].history for wave in waves] == [(), ("1",), ("1", "no"), ("2",), ("2", "no")]


def test_no_rounds_is_no_critique() -> None:
    assert drive([Reflection("r", SOLVE, CHECK, 0)], script("1"))[0].calls == 1


def test_an_agent_may_be_its_own_critic() -> None:
    result, waves = drive([Reflection("r", SOLVE, SOLVE, 1)], script("1", "CORRECT"))
    assert [wave[0].turn for wave in waves] == [0, 0]
    assert result.answer == "1"


@pytest.mark.parametrize(
    ("critique", "correct"),
    [
        ("CORRECT", True),
        ("INCORRECT", False),
        ("This is CORRECT.", True),
        ("correct", True),
        ("incorrect", False),
        ("not correct", False),
        ("NOT CORRECT", False),
        ("It isn't correct", False),
        ("not quite correct", False),
        ("At first INCORRECT, but now CORRECT", True),
        ("CORRECT? No: INCORRECT", False),
        ("The correct answer is 5", False),
        ("Please correct the second step. INCORRECT", False),
        ("Correctness matters", False),
        ("**Verdict:** correct", True),
        ("Verdict: INCORRECT (the correct value is 5). CORRECT it.", False),
        ("", False),
        ("fine", False),
    ],
)
def test_a_critics_verdict(critique: str, correct: bool) -> None:
    assert says_correct(critique) is correct


@pytest.mark.parametrize(
    ("nodes", "limits", "verdict", "calls"),
    [
        ([SOLVE] * 3, Limits(calls=2), "limit:calls", 2),
        ([SOLVE, Ensemble("e", (SOLVE, SOLVE))], Limits(calls=2), "limit:calls", 1),
        ([Reflection("r", SOLVE, CHECK, 9)], Limits(turns=2), "limit:turns", 4),
        ([Ensemble("e", (SOLVE, Reflection("r", SOLVE, CHECK, 9)))], Limits(turns=1), "limit:turns", 3),
        ([SOLVE] * 3, Limits(tokens=3), "limit:tokens", 2),
        ([SOLVE] * 3, Limits(calls=3, tokens=6, turns=1), "ok", 3),
    ],
)
def test_budgets_are_counts(nodes: list[Node], limits: Limits, verdict: str, calls: int) -> None:
    result, _ = drive(nodes, lambda _: "no", limits)
    assert (result.verdict, result.calls, result.tokens) == (verdict, calls, 2 * calls)
    assert (result.answer is None) == (verdict != "ok") == (result.source is None)


def test_digests() -> None:
    assert digest(" short ") == "short"
    assert digest("x\n<solution>s</solution>\nFINAL ANSWER: 4\ny") == "FINAL ANSWER: 4"
    assert digest("<delivery>a</delivery> FINAL ANSWER: 4 <delivery>b</delivery>") == "b"
    assert digest("x <solution>\ns\n</solution>") == "s"
    long = digest("a" * 500 + "b" * 1000)
    assert long == "a" * 200 + "\n...\n" + "b" * 800


def test_the_last_box_that_closes_counts() -> None:
    assert last_boxed("\\boxed{1} \\boxed{\\frac{1}{2}}") == "\\frac{1}{2}"
    assert last_boxed("\\boxed{1} \\boxed{2") == "1"
    assert last_boxed("none") is None
    assert voted("**FINAL ANSWER:**  42. ") == "42"
