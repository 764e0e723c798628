"""From questions to a rollout tree: designs, executions, calls, grades.

All designs of all questions are one wave; then every execution of every design
advances together, each wave holding all calls that are ready anywhere in the tree.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from mxspec.spec.roles import Role
from mxspec.spec.rollout import Limits
from mxspec.spec.rollout import Tree as TreeShape
from mxspec.spec.structure import Fixed, Structure
from runners.benchmarks.question import Question
from runners.grading import Grade
from runners.mas.build import Design, ScriptBuilder
from runners.mas.calls import CallRequest, CallResult, ExecutionResult
from runners.mas.runtime import Running, execute
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
    """An execution under way."""

    path: Path
    question: Question
    running: Running
    ready: tuple[CallRequest, ...]


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
    tree.calls.sort(key=lambda node: (node.path.text, node.value.agent is not None))
    tree.executions.sort(key=lambda node: node.path.text)
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
    ready = [
        Ready(node.path.child("design", d), structure.writer, _writing(node.value), writes=True)
        for node in tree.questions
        for d in range(method.shape.designs)
    ]
    for one, call in zip(ready, run_wave(ready, method.served, seed), strict=True):
        question = one.path.parent()
        text = "" if call is None else call.text
        if call is not None:
            tree.calls.append(Node(one.path, question, call))
        tree.designs.append(Node(one.path, question, method.builder.build(text, one.request.question)))


def _writing(question: Question) -> CallRequest:
    return CallRequest(0, "", 0, "", question.text, question.text, ())


def _execute(tree: Tree, method: Method, seed: SeedParts) -> None:
    """Adds executions and their calls, all ready calls of the tree in one wave after the other."""
    asked = {node.path: node.value for node in tree.questions}
    open_: list[_Open] = []
    for node in tree.designs:
        assert node.parent is not None
        for e in range(method.shape.executions):
            path = node.path.child("execution", e)
            question = asked[node.parent]
            if node.value.graph is None:
                _close(tree, method, path, question, _unrunnable(node.value))
                continue
            running = execute(node.value.graph, question.text, method.limits)
            _advance(tree, method, open_, _Open(path, question, running, ()), None)
    while open_:
        ready = [
            Ready(one.path.child("call", request.index), method.role_of(request.agent), request)
            for one in open_
            for request in one.ready
        ]
        calls = iter(run_wave(ready, method.served, seed))
        before, open_ = open_, []
        for one in before:
            made: list[Call | None] = [next(calls) for _ in one.ready]
            for request, call in zip(one.ready, made, strict=True):
                if call is not None:
                    tree.calls.append(Node(one.path.child("call", request.index), one.path, call))
            _advance(tree, method, open_, one, made)


def _advance(tree: Tree, method: Method, open_: list[_Open], one: _Open, made: list[Call | None] | None) -> None:
    """Gives an execution its results and takes its next ready calls, or its end."""
    try:
        if made is None:
            one.ready = next(one.running)
        elif any(call is None for call in made):
            one.running.close()
            done = sum(call is not None for call in made)
            calls = one.ready[0].index + done
            result = ExecutionResult("limit:tokens", "a prompt fills the context of the model", None, None, calls, 0)
            _close(tree, method, one.path, one.question, result)
            return
        else:
            one.ready = one.running.send(tuple(_result(call) for call in made if call is not None))
    except StopIteration as end:
        _close(tree, method, one.path, one.question, end.value)
        return
    open_.append(one)


def _result(call: Call) -> CallResult:
    return CallResult(call.text, len(call.completion.ids), call.completion.finish)


def _close(tree: Tree, method: Method, path: Path, question: Question, result: ExecutionResult) -> None:
    grade = method.judge(question, result.answer)
    tree.executions.append(Node(path, path.parent(), Execution(result, grade)))


def _unrunnable(design: Design) -> ExecutionResult:
    return ExecutionResult("failed", f"design: {design.design_verdict}", None, None, 0, 0)
