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
  at the end of it, a judge the candidates, a debater what all said in the round before.
  What a tool returned stands at the end of it, and is never trained on.

Left out of the published behaviour: a reflection does not stop when two drafts
resemble each other.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from collections.abc import Sequence as Sequence_
from dataclasses import dataclass, field
from typing import NamedTuple

from mxspec.spec.rollout import Limits
from runners.mas.calls import CallRequest, CallResult, ExecutionResult, ExecutionVerdict
from runners.mas.critique import says_correct
from runners.mas.digest import digest, one_line, voted
from runners.mas.functions import (
    FunctionCaller,
    FunctionFailed,
    FunctionRequest,
    HostTool,
    What,
    no_functions,
)
from runners.mas.graph import Agent, Debate, Ensemble, Graph, Loop, Machine, Node, Reflection, Router, Sequence, Step
from runners.mas.tools import asked_for, offered, read_by_agent

Running = Generator[tuple[CallRequest, ...], tuple[CallResult, ...], ExecutionResult]
"""An execution under way."""

_Place = tuple[int, ...]


@dataclass(slots=True)
class Said:
    """One completion, the agent that it is of, and the call that it came from."""

    text: str
    source: int
    sender: str


@dataclass(slots=True)
class Ask:
    """A call that is ready."""

    agent: Agent
    turn: int
    previous: str
    history: tuple[str, ...]


class Seen(NamedTuple):
    """What a node begins with.

    Attributes:
        previous: The digest of the response before it.
        history: Digests of the responses so far.
        said: The same in full, with who said them, as functions of the script see them.
    """

    previous: str
    history: tuple[str, ...]
    said: tuple[tuple[str, str], ...]

    def after(self, said: Said) -> Seen:
        """The same with a response at the end."""
        shown = digest(said.text)
        return Seen(shown, (*self.history, shown), (*self.said, (said.sender, said.text)))


Waves = Generator[list[Ask], list[Said], Said]
"""What a node asks for, wave by wave; its response in the end."""


class LimitError(Exception):
    """An execution that cannot go on: a budget is used up, or nothing was left to run."""

    def __init__(self, verdict: ExecutionVerdict, detail: str) -> None:
        super().__init__(detail)
        self.verdict = verdict
        self.detail = detail


@dataclass(slots=True)
class Budget:
    """Calls and tokens of one execution, which may run several graphs."""

    limits: Limits
    calls: int = 0
    tokens: int = 0
    said: list[Said] = field(default_factory=list)
    """All completions, in the order of their calls."""

    def drive(self, waves: Waves, question: str) -> Generator[tuple[CallRequest, ...], tuple[CallResult, ...], Said]:
        """Runs waves as requests of the host, and counts.

        Raises:
            LimitError: A budget is used up.
        """
        try:
            ready = next(waves)
            while True:
                if self.calls + len(ready) > self.limits.calls:
                    raise LimitError("limit:calls", f"call {self.limits.calls + 1} of at most {self.limits.calls}")
                requests = [
                    CallRequest(
                        place,
                        ask.agent.name,
                        ask.turn,
                        offered(ask.agent.instructions, ask.agent.tools) if ask.agent.tools else ask.agent.instructions,
                        question,
                        ask.previous,
                        ask.history,
                    )
                    for place, ask in enumerate(ready, self.calls)
                ]
                results = yield tuple(requests)
                assert len(results) == len(requests), "one result for every request"
                self.tokens += sum([result.tokens for result in results])
                said = [
                    Said(result.text, place, ask.agent.name)
                    for (place, result), ask in zip(enumerate(results, self.calls), ready, strict=True)
                ]
                self.calls += len(requests)
                self.said += said
                if self.tokens > self.limits.tokens:
                    raise LimitError("limit:tokens", f"{self.tokens} tokens, at most {self.limits.tokens}")
                ready = waves.send(said)
        except StopIteration as end:
            found: Said = end.value
            return found


def execute(
    graph: Graph,
    question: str,
    limits: Limits,
    call: FunctionCaller = no_functions,
    tools: Mapping[str, HostTool] | None = None,
) -> Running:
    """One execution of a design.

    Yields the calls that are ready (at least one), takes their results in the same
    order. Indexes count up from 0 in the order of asking; calls of one wave stand in
    the order of the graph. Nothing but the results changes what is asked next.

    Args:
        graph: The design.
        question: The question; a graph with its own `asks` puts that in its place.
        limits: `calls`, `turns` (of one node of the graph) and `tokens`, checked before a
            wave is asked for or after its results.
        call: Calls a function of the script.
        tools: Tools of the host's, by name.

    Returns:
        The answer, word for word the completion of call `source`, or the limit that was hit.
    """
    asked = question if graph.asks is None else graph.asks
    budget = Budget(limits)
    try:
        answer = yield from budget.drive(waves_of(graph, asked, limits, call, tools or {}), asked)
    except LimitError as hit:
        return ExecutionResult(hit.verdict, hit.detail, None, None, budget.calls, budget.tokens)
    except FunctionFailed as failed:
        return ExecutionResult(failed.verdict, failed.detail, None, None, budget.calls, budget.tokens)
    return ExecutionResult("ok", "", answer.text, answer.source, budget.calls, budget.tokens)


def waves_of(graph: Graph, question: str, limits: Limits, call: FunctionCaller, tools: Mapping[str, HostTool]) -> Waves:
    """The waves of a graph that is run on a question."""
    assert graph.nodes, "a graph has a node"
    scope = _Scope(question, limits, call, tools, graph.state)
    seen = Seen(question, (), (("", question),))
    for place, node in enumerate(graph.nodes):
        if isinstance(node, Agent) and not node.tools:
            said = (yield [Ask(node, 0, seen.previous, seen.history)])[0]
        else:
            said = yield from scope.run(node, (place,), seen)
        seen = seen.after(said)
    return said


@dataclass(slots=True)
class _Scope:
    """What the nodes of one graph share: the question, the limits, the turns taken."""

    question: str
    limits: Limits
    call: FunctionCaller
    tools: Mapping[str, HostTool]
    state: tuple[tuple[str, str], ...]
    turns: dict[_Place, int] = field(default_factory=dict)

    def run(self, node: Node, place: _Place, seen: Seen) -> Waves:
        match node:
            case Agent():
                return self.agent(node, place, seen)
            case Ensemble():
                return self.ensemble(node, place, seen)
            case Reflection():
                return self.reflection(node, place, seen)
            case Debate():
                return self.debate(node, place, seen)
            case Router():
                return self.router(node, place, seen)
            case Sequence():
                return self.sequence(node, place, seen)
            case Loop():
                return self.loop(node, place, seen)
            case Machine():
                return self.machine(node, place, seen)

    def agent(self, node: Agent, place: _Place, seen: Seen) -> Waves:
        previous, history = seen.previous, seen.history
        uses = 0
        while True:
            turn = self.turns.get(place, 0)
            if turn >= self.limits.turns:
                raise LimitError("limit:turns", f"turn {turn + 1} of {node.name!r}, at most {self.limits.turns}")
            self.turns[place] = turn + 1
            said = (yield [Ask(node, turn, previous, history)])[0]
            use = asked_for(said.text, node.tools) if node.tools and uses < node.max_turns else None
            if use is None:
                return said
            uses += 1
            if use.tool.function is None and use.tool.name not in self.tools:
                raise LimitError("runtime_error", f"there is no tool {use.tool.name!r} here")
            if use.tool.function is None:
                result = self.tools[use.tool.name](use.arguments)
            else:
                result = self._tool(use.tool.function, seen, use.arguments)
            previous = read_by_agent(use.tool.name, result)
            history = (*history, digest(said.text), previous)

    def ensemble(self, node: Ensemble, place: _Place, seen: Seen) -> Waves:
        said = yield from _together([self.run(child, (*place, i), seen) for i, child in enumerate(node.children)])
        chosen, unanimous = elect([one.text for one in said], node.weights if node.strategy == "weighted_vote" else ())
        if node.judge is None or unanimous:
            return said[chosen]
        return (yield from self._judge(node.judge, (*place, len(node.children)), seen, said))

    def _judge(self, judge: Node, place: _Place, seen: Seen, said: Sequence_[Said]) -> Waves:
        candidates = " | ".join(one_line(one.text) for one in said)
        judged = f"{one_line(self.question)} {candidates}"
        return (yield from self.run(judge, place, _with(seen, judged, [digest(one.text) for one in said], said)))

    def reflection(self, node: Reflection, place: _Place, seen: Seen) -> Waves:
        draft = yield from self.run(node.agent, (*place, 0), seen)
        shown: tuple[str, ...] = ()
        for _ in range(node.rounds):
            last = digest(draft.text)
            shown = (*shown, last) if node.include_history else (last,)
            judged = f"{one_line(self.question)} {one_line(draft.text)}"
            critique = yield from self.run(node.critic, (*place, 1), _with(seen, judged, shown, [draft]))
            if says_correct(critique.text):
                break
            shown = (*shown, digest(critique.text))
            draft = yield from self.run(node.agent, (*place, 0), _with(seen, seen.previous, shown, [draft, critique]))
        return draft

    def debate(self, node: Debate, place: _Place, seen: Seen) -> Waves:
        said: list[Said] = []
        for _ in range(node.rounds):
            shown = _with(seen, seen.previous, [digest(one.text) for one in said], said)
            debaters = [self.run(one, (*place, i), shown) for i, one in enumerate(node.debaters)]
            said = yield from _together(debaters)
        return (yield from self._judge(node.judge, (*place, len(node.debaters)), seen, said))

    def router(self, node: Router, place: _Place, seen: Seen) -> Waves:
        routes = dict(node.routes)
        name = self._name(node.chosen_by, seen, node.default)
        name = name if name in routes else node.default
        return (yield from self.run(routes[name], (*place, list(routes).index(name)), seen))

    def sequence(self, node: Sequence, place: _Place, seen: Seen) -> Waves:
        said = yield from self._steps(node.steps, place, seen)
        if said is None:
            raise LimitError("failed", f"no condition of {node.name!r} held, so nothing answered")
        return said[-1]

    def _steps(
        self, steps: Sequence_[Step], place: _Place, seen: Seen
    ) -> Generator[list[Ask], list[Said], list[Said] | None]:
        """Nodes in line; None where every condition says no."""
        found: list[Said] = []
        for index, step in enumerate(steps):
            if step.condition is not None and not self._holds(step.condition, seen):
                continue
            said = yield from self.run(step.node, (*place, index), seen)
            found.append(said)
            seen = seen.after(said)
        return found or None

    def loop(self, node: Loop, place: _Place, seen: Seen) -> Waves:
        last: Said | None = None
        for _ in range(node.most):
            found = yield from self._steps(node.steps, place, seen)
            if found is None:
                break
            for one in found:
                seen = seen.after(one)
            last = found[-1]
            if node.until is not None and self._holds(node.until, seen):
                break
        if last is None:
            raise LimitError("failed", f"no condition of {node.name!r} held, so nothing answered")
        return last

    def machine(self, node: Machine, place: _Place, seen: Seen) -> Waves:
        nodes, routers = dict(node.nodes), dict(node.routers)
        order = list(nodes)
        current: str | None = node.entry
        for _ in range(max(1, node.most)):
            assert current is not None
            said = yield from self.run(nodes[current], (*place, order.index(current)), seen)
            seen = seen.after(said)
            if current in node.finish:
                break
            if current in routers:
                name = self._name(routers[current], seen, "")
                current = name if name in nodes else None
            else:
                ways = (edge for edge in node.edges if edge.source == current)
                current = next(
                    (edge.target for edge in ways if edge.condition is None or self._holds(edge.condition, seen)), None
                )
            if current is None:
                break
        return said

    def _holds(self, number: int, seen: Seen) -> bool:
        return bool(self._ask("condition", number, seen, {}))

    def _name(self, number: int, seen: Seen, default: str) -> str:
        """What a routing function says; its default where it raises."""
        try:
            return str(self._ask("route", number, seen, {}))
        except FunctionFailed as failed:
            if failed.verdict == "limit:time":
                raise
            return default

    def _tool(self, number: int, seen: Seen, arguments: Mapping[str, object]) -> str:
        """What a tool of the script returns; an agent reads what it raised."""
        try:
            return str(self._ask("tool", number, seen, arguments))
        except FunctionFailed as failed:
            if failed.verdict == "limit:time":
                raise
            return f"error: {failed.detail}"

    def _ask(self, what: What, number: int, seen: Seen, arguments: Mapping[str, object]) -> str | bool:
        return self.call(FunctionRequest(number, what, seen.said, self.state, arguments))


def _with(seen: Seen, previous: str, shown: Sequence_[str], said: Sequence_[Said]) -> Seen:
    """What was seen before, with more at the end of it."""
    return Seen(previous, (*seen.history, *shown), (*seen.said, *((one.sender, one.text) for one in said)))


def _together(children: Sequence_[Waves]) -> Generator[list[Ask], list[Said], list[Said]]:
    """Advances all children at once: their waves are one wave until the last of them ends."""
    ended: dict[int, Said] = {}
    waiting: list[tuple[int, Waves, list[Ask]]] = []
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
    waiting: list[tuple[int, Waves, list[Ask]]],
    ended: dict[int, Said],
    i: int,
    child: Waves,
    said: list[Said] | None,
) -> None:
    try:
        waiting.append((i, child, next(child) if said is None else child.send(said)))
    except StopIteration as end:
        ended[i] = end.value


def elect(responses: Sequence_[str], weights: Sequence_[float]) -> tuple[int, bool]:
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
