"""From questions to a rollout tree: designs, executions, calls, grades.

All designs of all questions are one wave; then every execution of every design
advances together, each wave holding all calls that are ready anywhere in the tree.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from itertools import islice
from operator import attrgetter

from mxspec.spec.roles import Role
from mxspec.spec.rollout import Limits
from mxspec.spec.rollout import Tree as TreeShape
from mxspec.spec.structure import Fixed, Generated, Structure
from runners.benchmarks.question import Question
from runners.grading import Grade
from runners.mas.build import Design, ScriptBuilder
from runners.mas.calls import CallRequest, CallResult, ExecutionResult
from runners.mas.runtime import Running
from runners.rollout.tree import Call, Execution, Node, Path, Tree
from runners.rollout.wave import Ready, SeedParts, Served, run_wave

Judge = Callable[[Question, str | None], Grade]


@dataclass(frozen=True, slots=True)
class Method:
    """Everything that a rollout depends on besides questions, parameters and seed."""

    structure: Structure
    shape: TreeShape
    limits: Limits
    roles: Mapping[str, Role]
    served: Mapping[str, Served]
    builder: ScriptBuilder
    judge: Judge
    _roles: dict[str, str] = field(default_factory=dict)

    def role_of(self, agent: str) -> str:
        """The role that plays an agent (the first whose patterns match).

        Raises:
            KeyError: No role plays it; `validate` sees to it that one does.
        """
        if agent in self._roles:
            return self._roles[agent]
        for name, role in self.roles.items():
            if role.agents and any(fnmatchcase(agent, pattern) for pattern in role.agents):
                return self._roles.setdefault(agent, name)
        raise KeyError(f"no role plays the agent {agent!r}")


@dataclass(slots=True)
class _Open:
    """An execution under way, and the calls that it waits for."""

    path: Path
    design: Path
    question: Question
    running: Running
    ready: tuple[Ready, ...] = ()


def rollout(questions: Sequence[Question], method: Method, seed: SeedParts) -> Tree:
    """Rolls out a tree for every question.

    Args:
        questions: The questions, Q of them.
        method: How.
        seed: What all draws depend on besides their place in the tree.

    Returns:
        Q questions, Q x D designs, Q x D x E executions, and their calls, ordered by path.
    """
    tree = Tree()
    for index, question in enumerate(questions):
        tree.questions.append(Node(Path.root("question", index), None, question))
    _design(tree, method, seed)
    _execute(tree, method, seed)
    tree.calls.sort(key=attrgetter("path"))
    tree.executions.sort(key=attrgetter("path"))
    return tree


def _design(tree: Tree, method: Method, seed: SeedParts) -> None:
    """Adds the designs: written by a role in one wave, or a fixed script."""
    structure = method.structure
    if isinstance(structure, Fixed):
        assert structure.text is not None, "the loader puts a fixed script's text into the spec"
        for node in tree.questions:
            design = method.builder.build(structure.text, node.value.text)
            tree.designs.append(Node(node.path.child("design", 0), node.path, design))
        return
    assert isinstance(structure, Generated), "`run` refuses other structures"
    asked = [node for node in tree.questions for _ in range(method.shape.designs)]
    ready = [
        Ready(node.path.child("design", i % method.shape.designs), structure.writer, _writing(node.value), True)
        for i, node in enumerate(asked)
    ]
    for node, one, call in zip(asked, ready, run_wave(ready, method.served, seed), strict=True):
        text = "" if call is None else call.text
        if call is not None:
            tree.calls.append(Node(one.path, node.path, call))
        tree.designs.append(Node(one.path, node.path, method.builder.build(text, node.value.text)))


def _writing(question: Question) -> CallRequest:
    return CallRequest(0, "", 0, "", question.text, question.text, ())


def _execute(tree: Tree, method: Method, seed: SeedParts) -> None:
    """Adds executions and their calls, all ready calls of the tree in one wave after the other."""
    asked = {node.path: node.value for node in tree.questions}
    open_: list[_Open] = []
    for node in tree.designs:
        assert node.parent is not None
        question = asked[node.parent]
        for e in range(method.shape.executions):
            path = node.path.child("execution", e)
            if node.value.graph is None:
                _close(tree, method, path, node.path, question, _unrunnable(node.value))
                continue
            one = _Open(path, node.path, question, method.builder.execution(node.value, question.text))
            if _advance(tree, method, one, None):
                open_.append(one)
    while open_:
        calls = iter(run_wave([ready for one in open_ for ready in one.ready], method.served, seed))
        before, open_ = open_, []
        for one in before:
            made = list(islice(calls, len(one.ready)))
            tree.calls += [
                Node(ready.path, one.path, call)
                for ready, call in zip(one.ready, made, strict=True)
                if call is not None
            ]
            if _advance(tree, method, one, made):
                open_.append(one)


def _advance(tree: Tree, method: Method, one: _Open, made: Sequence[Call | None] | None) -> bool:
    """Gives an execution its results (at first none) and takes its next ready calls.

    Returns:
        Whether it goes on; one that does not is closed.
    """
    try:
        if made is None:
            requests = next(one.running)
        else:
            results = tuple([_result(call) for call in made if call is not None])
            if len(results) < len(made):
                one.running.close()
                calls = one.ready[0].request.position + len(results)
                full = "a prompt fills the context of the model"
                result = ExecutionResult("limit:tokens", full, None, None, calls, 0)
                _close(tree, method, one.path, one.design, one.question, result)
                return False
            requests = one.running.send(results)
    except StopIteration as end:
        _close(tree, method, one.path, one.design, one.question, end.value)
        return False
    one.ready = tuple([Ready(one.path.child("call", ask.position), method.role_of(ask.agent), ask) for ask in requests])
    return True


def _result(call: Call) -> CallResult:
    return CallResult(call.text, len(call.completion.ids), call.completion.finish)


def _close(tree: Tree, method: Method, path: Path, design: Path, question: Question, result: ExecutionResult) -> None:
    tree.executions.append(Node(path, design, Execution(result, method.judge(question, result.answer))))


def _unrunnable(design: Design) -> ExecutionResult:
    return ExecutionResult("failed", f"design: {design.design_verdict}", None, None, 0, 0)
