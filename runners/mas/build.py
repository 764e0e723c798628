"""Build once: a designer's text becomes a graph, or a verdict that says why not."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal, TypeVar

from mxspec.spec.rollout import Limits
from runners.mas.check import Checked, check, whole_of
from runners.mas.dynamic import execute_dynamic
from runners.mas.extract import extract
from runners.mas.functions import HostTool
from runners.mas.graph import Graph
from runners.mas.runtime import Running, execute
from runners.mas.sandbox import ScriptSandbox, SeveralRuns, Waiting
from runners.mas.shape import fewest_calls, tools_of
from runners.mas.verdicts import DesignVerdict, RefusedError

K = TypeVar("K")
V = TypeVar("V")


@dataclass(frozen=True, slots=True)
class Design:
    """What became of a designer's text.

    Attributes:
        design_verdict: See `DesignVerdict`.
        detail: One line that says why; of a dynamic design why it is not static, else empty when ok.
        script: The script in the text, empty where there is none.
        script_hash: sha256 of the script.
        kind: `static` for a design that is built once, `dynamic` for one that each execution interprets; None
            unless ok.
        graph: What its executions run (of a dynamic one what they run first); None unless ok.
        agents: Agents in the graph.
        waiting: A dynamic script where it first waits for a result.
    """

    design_verdict: DesignVerdict
    detail: str
    script: str
    script_hash: str
    kind: Literal["static", "dynamic"] | None
    graph: Graph | None
    agents: int
    waiting: Waiting | None = None


class ScriptBuilder:
    """Builds designs, and remembers them.

    A script that provably uses `question` as the argument of `run` only has one
    graph for all questions; any other has one per question.

    Args:
        limits: `agents` bounds a graph; a graph that cannot end within `calls` is refused.
        remembered: Most designs kept; one with functions, or a dynamic one, has a state of some 60 KB.
        tools: Tools of the host's that agents may use, by name.
    """

    def __init__(self, limits: Limits, remembered: int = 2048, tools: Mapping[str, HostTool] | None = None) -> None:
        self._limits = limits
        self._tools = dict(tools or {})
        self._sandbox = ScriptSandbox(limits.agents)
        self._remembered = remembered
        self._checked: OrderedDict[str, Checked | RefusedError] = OrderedDict()
        self._designs: OrderedDict[tuple[str, str | None], Design] = OrderedDict()

    def __enter__(self) -> ScriptBuilder:
        return self

    def __exit__(self, *unused: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends the sandbox workers."""
        self._sandbox.close()

    def build(self, text: str, question: str) -> Design:
        """The design in a designer's text; never raises for what the text says.

        Args:
            text: The whole response.
            question: What the script sees as `question`.
        """
        script = extract(text)
        if script is None:
            return _refused("", RefusedError("no_script", "the text holds no script"))
        checked = self._check(script)
        if isinstance(checked, RefusedError):
            return _refused(script, checked)
        key = (script, question if checked.uses_question else None)
        design = self._designs.get(key)
        if design is None:
            design = self._run(script, checked, question)
            _remember(self._designs, key, design, self._remembered)
        else:
            self._designs.move_to_end(key)
        return design

    def execution(self, design: Design, question: str) -> Running:
        """One execution of a design that is ok (see `runners.mas.runtime.execute`)."""
        assert design.graph is not None, "only a design that is ok is executed"
        if design.waiting is not None:
            return execute_dynamic(self._sandbox, design.waiting, question, self._limits, self._tools)
        call = partial(self._sandbox.call, design.graph.functions)
        return execute(design.graph, question, self._limits, call, self._tools)

    def _check(self, script: str) -> Checked | RefusedError:
        known = self._checked.get(script)
        if known is None:
            try:
                known = check(script)
            except RefusedError as refused:
                known = refused.with_traceback(None)
            _remember(self._checked, script, known, self._remembered)
        else:
            self._checked.move_to_end(script)
        return known

    def _built(self, script: str, checked: Checked, question: str) -> tuple[Graph, Waiting | None, str]:
        """The graph of a script, where it waits if it is dynamic, and why it is."""
        why = checked.dynamic
        if not why:
            try:
                return self._sandbox.record(checked, question if checked.uses_question else None), None, ""
            except SeveralRuns as several:
                why = several.detail
                checked = replace(checked, whole=whole_of(script))
        waiting = self._sandbox.start(checked, question)
        return waiting.graph, waiting, why

    def _run(self, script: str, checked: Checked, question: str) -> Design:
        try:
            graph, waiting, why = self._built(script, checked, question)
            missing = sorted(tools_of(graph) - self._tools.keys())
            if missing:
                raise RefusedError("unsupported", f"the tool {missing[0]!r}, which is not there")
            fewest = sum(fewest_calls(node) for node in graph.nodes)
            if fewest > self._limits.calls:
                raise RefusedError("limit:calls", f"{fewest} calls at least, at most {self._limits.calls}")
        except RefusedError as refused:
            return _refused(script, refused)
        kind: Literal["static", "dynamic"] = "static" if waiting is None else "dynamic"
        return Design("ok", why, script, _hash(script), kind, graph, len(graph.agents()), waiting)


def build(text: str, question: str, limits: Limits) -> Design:
    """The design in one text (a `ScriptBuilder` is the way to build many)."""
    with ScriptBuilder(limits) as builder:
        return builder.build(text, question)


def _refused(script: str, refused: RefusedError) -> Design:
    return Design(refused.verdict, refused.detail, script, _hash(script), None, None, 0)


def _hash(script: str) -> str:
    return hashlib.sha256(script.encode("utf-8", "surrogatepass")).hexdigest()


def _remember(memory: OrderedDict[K, V], key: K, value: V, most: int) -> None:
    memory[key] = value
    if len(memory) > most:
        memory.popitem(last=False)
