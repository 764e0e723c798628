"""Executes a graph: asks the host for every call that is ready, and ends with an answer.

A node is a generator of waves: it yields the calls that it is ready to make, gets
their results in the same order, and returns the completion that is its response.
An ensemble advances all of its children at once, so that what is ready anywhere
in an execution (and, in the host, anywhere in the tree) meets in one batch.

What an agent sees:

- `question`: what the workflow was run on.
- `previous`: the digest of the response before it; the question at the start. For a
  critic `<question> <draft>`, for a judge `<question> <candidate> | <candidate> ...`,
  each as one line. For a revision the same as for the first draft.
- `history`: digests of the responses so far. A revision sees drafts and critiques
  at the end of it, a judge the candidates.

Left out of the published behaviour: a reflection does not stop when two drafts
resemble each other.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass

from mxspec.spec.rollout import Limits
from runners.mas.calls import CallRequest, CallResult, ExecutionResult, ExecutionVerdict
from runners.mas.critique import says_correct
from runners.mas.digest import digest, one_line, voted
from runners.mas.graph import Agent, Ensemble, Graph, Node, Reflection

Running = Generator[tuple[CallRequest, ...], tuple[CallResult, ...], ExecutionResult]
"""An execution under way."""

_Place = tuple[int, ...]


@dataclass(slots=True)
class _Said:
    """One completion and the call that it came from."""

    text: str
    source: int


@dataclass(slots=True)
class _Ask:
    """A call that is ready."""

    agent: Agent
    turn: int
    previous: str
    history: tuple[str, ...]


_Waves = Generator[list[_Ask], list[_Said], _Said]


class _LimitError(Exception):
    """A budget is used up."""

    def __init__(self, verdict: ExecutionVerdict, detail: str) -> None:
        super().__init__(detail)
        self.verdict = verdict
        self.detail = detail


def execute(graph: Graph, question: str, limits: Limits) -> Running:
    """One execution of a design.

    Yields the calls that are ready (at least one), takes their results in the same
    order. Indexes count up from 0 in the order of asking; calls of one wave stand in
    the order of the graph. Nothing but the results changes what is asked next.

    Args:
        graph: The design.
        question: The question; a graph with its own `asks` puts that in its place.
        limits: `calls`, `turns` (of one node of the graph) and `tokens`, checked before a
            wave is asked for or after its results.

    Returns:
        The answer, word for word the completion of call `source`, or the limit that was hit.
    """
    asked = question if graph.asks is None else graph.asks
    calls = tokens = 0
    waves = _workflow(graph, asked, limits)
    try:
        ready = next(waves)
        while True:
            if calls + len(ready) > limits.calls:
                raise _LimitError("limit:calls", f"call {limits.calls + 1} of at most {limits.calls}")
            requests = [
                CallRequest(place, ask.agent.name, ask.turn, ask.agent.instructions, asked, ask.previous, ask.history)
                for place, ask in enumerate(ready, calls)
            ]
            results = yield tuple(requests)
            assert len(results) == len(requests), "one result for every request"
            tokens += sum([result.tokens for result in results])
            said = [_Said(result.text, place) for place, result in enumerate(results, calls)]
            calls += len(requests)
            if tokens > limits.tokens:
                raise _LimitError("limit:tokens", f"{tokens} tokens, at most {limits.tokens}")
            ready = waves.send(said)
    except StopIteration as end:
        answer: _Said = end.value
        return ExecutionResult("ok", "", answer.text, answer.source, calls, tokens)
    except _LimitError as hit:
        return ExecutionResult(hit.verdict, hit.detail, None, None, calls, tokens)


def _workflow(graph: Graph, question: str, limits: Limits) -> _Waves:
    assert graph.nodes, "a graph has a node"
    scope = _Scope(question, limits)
    previous = question
    history: tuple[str, ...] = ()
    for place, node in enumerate(graph.nodes):
        if isinstance(node, Agent):
            said = (yield [_Ask(node, 0, previous, history)])[0]
        else:
            said = yield from scope.run(node, (place,), previous, history)
        previous = digest(said.text)
        history = (*history, previous)
    return said


class _Scope:
    """What the nodes of one execution share: the question, the limits, the turns taken."""

    __slots__ = ("limits", "question", "turns")

    def __init__(self, question: str, limits: Limits) -> None:
        self.question = question
        self.limits = limits
        self.turns: dict[_Place, int] = {}

    def run(self, node: Node, place: _Place, previous: str, history: tuple[str, ...]) -> _Waves:
        if isinstance(node, Ensemble):
            return self.ensemble(node, place, previous, history)
        if isinstance(node, Reflection):
            return self.reflection(node, place, previous, history)
        return self.agent(node, place, previous, history)

    def agent(self, node: Agent, place: _Place, previous: str, history: tuple[str, ...]) -> _Waves:
        turn = self.turns.get(place, 0)
        if turn >= self.limits.turns:
            raise _LimitError("limit:turns", f"turn {turn + 1} of {node.name!r}, at most {self.limits.turns}")
        self.turns[place] = turn + 1
        return (yield [_Ask(node, turn, previous, history)])[0]

    def ensemble(self, node: Ensemble, place: _Place, previous: str, history: tuple[str, ...]) -> _Waves:
        said = yield from _together(
            [self.run(child, (*place, i), previous, history) for i, child in enumerate(node.children)]
        )
        chosen, unanimous = elect([one.text for one in said], node.weights if node.strategy == "weighted_vote" else ())
        if node.judge is None or unanimous:
            return said[chosen]
        candidates = " | ".join(one_line(one.text) for one in said)
        seen = (*history, *(digest(one.text) for one in said))
        judged = f"{one_line(self.question)} {candidates}"
        return (yield from self.agent(node.judge, (*place, len(node.children)), judged, seen))

    def reflection(self, node: Reflection, place: _Place, previous: str, history: tuple[str, ...]) -> _Waves:
        draft = yield from self.run(node.agent, (*place, 0), previous, history)
        seen: tuple[str, ...] = ()
        for _ in range(node.rounds):
            shown = digest(draft.text)
            seen = (*seen, shown) if node.include_history else (shown,)
            judged = f"{one_line(self.question)} {one_line(draft.text)}"
            critique = yield from self.run(node.critic, (*place, 1), judged, (*history, *seen))
            if says_correct(critique.text):
                break
            seen = (*seen, digest(critique.text))
            draft = yield from self.run(node.agent, (*place, 0), previous, (*history, *seen))
        return draft


def _together(children: Sequence[_Waves]) -> Generator[list[_Ask], list[_Said], list[_Said]]:
    """Advances all children at once: their waves are one wave until the last of them ends."""
    ended: dict[int, _Said] = {}
    waiting: list[tuple[int, _Waves, list[_Ask]]] = []
    for i, child in enumerate(children):
        _step(waiting, ended, i, child, None)
    while waiting:
        said = yield [ask for _, _, asks in waiting for ask in asks]
        before, waiting, start = waiting, [], 0
        for i, child, asks in before:
            _step(waiting, ended, i, child, said[start : start + len(asks)])
            start += len(asks)
    return [ended[i] for i in range(len(children))]


def _step(
    waiting: list[tuple[int, _Waves, list[_Ask]]],
    ended: dict[int, _Said],
    i: int,
    child: _Waves,
    said: list[_Said] | None,
) -> None:
    try:
        waiting.append((i, child, next(child) if said is None else child.send(said)))
    except StopIteration as end:
        ended[i] = end.value


def elect(responses: Sequence[str], weights: Sequence[float]) -> tuple[int, bool]:
    """Picks a response by the weight of the answers that the responses vote for.

    Empty responses have no vote while others have one. A tie goes to the answer
    that was seen first; of equal answers the first response stands for them.

    Args:
        responses: At least one.
        weights: One per response, or none for equal ones.

    Returns:
        The index of the winner, and whether all responses agree.
    """
    votes = [voted(response) for response in responses]
    counted = [i for i, vote in enumerate(votes) if vote] or list(range(len(votes)))
    total: dict[str, float] = {}
    for i in counted:
        total[votes[i]] = total.get(votes[i], 0.0) + (weights[i] if weights else 1.0)
    winner = max(total, key=lambda vote: total[vote])
    return votes.index(winner), len(set(votes)) == 1
