"""The proof that a script's result merely reaches `print`.

A recorded `workflow.run` has no result yet, and a recorded value cannot notice
that it is used. So a script is static only when its syntax tree shows that what
`run` returns, and all that is computed from it, is at most printed; these uses
are then taken out. A script with any other use is dynamic, and is interpreted for each execution.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import NoReturn

from runners.mas.verdicts import at

FIELDS = frozenset({"content", "type", "metadata", "sender"})
"""Attributes of a result."""

_PURE = frozenset("bool float getattr hasattr int isinstance len max min print repr round sorted str sum type".split())
_PURE_METHODS = frozenset(
    "count endswith find format get group groups isdigit items join keys lower lstrip replace rsplit rstrip split "
    "splitlines startswith strip title upper values".split()
)
_PURE_MODULES = frozenset({"json", "math", "re"})
_SOMETIMES = (ast.IfExp, ast.BoolOp, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_UNCLEAR = (ast.Lambda, ast.Await, ast.Yield, ast.YieldFrom, ast.NamedExpr)


def watch_results(tree: ast.Module) -> ast.Module:
    """Takes the uses of results out of a script.

    A statement that prints a result becomes one that merely looks up the same
    names, so that a misspelt name is still an error.

    Raises:
        UsedResult: A result is used for anything but print.
    """
    tree.body = _Watch(tree).block(tree.body)
    return tree


def bound_names(node: ast.AST) -> tuple[str, ...]:
    """Names that a node binds and that are no `Name` of the tree: definitions, parameters, imports, captures."""
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            return (node.name,)
        case ast.arg():
            return (node.arg,)
        case ast.alias():
            return ((node.asname or node.name).partition(".")[0],)
        case ast.ExceptHandler() | ast.MatchAs() | ast.MatchStar():
            return (node.name or "",)
        case ast.MatchMapping():
            return (node.rest or "",)
        case ast.Global() | ast.Nonlocal():
            return tuple(node.names)
        case _:
            return ()


def is_run(node: ast.AST) -> bool:
    """Whether a node is a call of some object's `run` (asyncio's aside)."""
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "run"
        and not (isinstance(node.func.value, ast.Name) and node.func.value.id == "asyncio")
    )


class _Watch:
    """One pass over a script whose names that hold results are known."""

    def __init__(self, tree: ast.Module) -> None:
        nodes = list(ast.walk(tree))
        called = {id(node.func) for node in nodes if isinstance(node, ast.Call)}
        for node in nodes:
            if isinstance(node, ast.Attribute) and node.attr == "run" and id(node) not in called:
                _refuse("run used without a call", node.lineno)
        stored = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
        stored |= {name for node in nodes for name in bound_names(node)}
        self.pure = _PURE - stored
        imported = {one.name for node in nodes if isinstance(node, ast.Import) for one in node.names if not one.asname}
        self.modules = _PURE_MODULES - (stored - imported)
        self.tainted = _spread(nodes)
        self.direct = frozenset(
            target.id
            for node in nodes
            if isinstance(node, ast.Assign) and is_run(node.value)
            for target in node.targets
            if isinstance(target, ast.Name)
        )

    def is_print(self, call: ast.Call) -> bool:
        """Whether a call is of the built-in `print`."""
        return isinstance(call.func, ast.Name) and call.func.id == "print" and "print" in self.pure

    def reads(self, *parts: ast.AST | None) -> bool:
        """Whether anything below holds, or makes, a result."""
        return any(
            is_run(node) or (isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in self.tainted)
            for part in parts
            if part is not None
            for node in ast.walk(part)
        )

    def block(self, body: Sequence[ast.stmt]) -> list[ast.stmt]:
        return [self.statement(statement) for statement in body]

    def statement(self, node: ast.stmt) -> ast.stmt:
        """The statement without its uses of results."""
        if isinstance(node, ast.Expr):
            return self.expression(node)
        if isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
            return self.assignment(node)
        if isinstance(node, ast.If):
            if self.reads(node.test):
                return self.printing_if(node)
            node.body, node.orelse = self.block(node.body), self.block(node.orelse)
        elif isinstance(node, (ast.For, ast.AsyncFor)):
            self.none_in("a loop over a result", node.lineno, node.iter, node.target)
            node.body, node.orelse = self.block(node.body), self.block(node.orelse)
        elif isinstance(node, ast.While):
            self.none_in("a while condition that reads a result", node.lineno, node.test)
            node.body, node.orelse = self.block(node.body), self.block(node.orelse)
        elif isinstance(node, (ast.With, ast.AsyncWith)):
            self.none_in("a with block on a result", node.lineno, *node.items)
            node.body = self.block(node.body)
        elif isinstance(node, (ast.Try, ast.TryStar)):
            self.attempt(node)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            self.function(node)
        elif isinstance(node, ast.ClassDef):
            self.none_in("a class built from a result", node.lineno, *node.bases, *node.keywords, *node.decorator_list)
            inside = [one for one in node.body if not isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef))]
            self.none_in("a result in a class body", node.lineno, *inside)
            node.body = self.block(node.body)
        elif isinstance(node, ast.Match):
            self.none_in("a match on a result", node.lineno, node.subject)
            for case in node.cases:
                self.none_in("a match on a result", node.lineno, case.guard)
                case.body = self.block(case.body)
        else:
            self.none_in(f"a result in a {type(node).__name__.lower()} statement", node.lineno, node)
        return node

    def expression(self, node: ast.Expr) -> ast.stmt:
        value = node.value
        if not self.reads(value):
            return node
        if is_run(value):
            self.asks(value)
            return node
        if isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id == "print":
            self.pure_only(value)  # which refuses a print of the script's own
            return _at(ast.Expr(self.looked_up(value)), node)
        _refuse("a result used outside print", node.lineno)

    def assignment(self, node: ast.Assign | ast.AnnAssign | ast.AugAssign) -> ast.stmt:
        if node.value is None or not self.reads(node.value):
            if self.reads(*(node.targets if isinstance(node, ast.Assign) else [node.target])):
                _refuse("an assignment into a result", node.lineno)
            return node
        names = _targets(node)
        if len(names) != (len(node.targets) if isinstance(node, ast.Assign) else 1):
            _refuse("a result stored in a structure", node.lineno)
        if is_run(node.value):
            self.asks(node.value)
            if not isinstance(node, ast.AugAssign):
                return node
        self.pure_only(node.value)
        targets: list[ast.expr] = [ast.Name(name, ast.Store()) for name in names]
        return _at(ast.Assign(targets, self.looked_up(node.value)), node)

    def printing_if(self, node: ast.If) -> ast.stmt:
        """An `if` that only chooses what is printed; names that it sets are set to what it looks up."""
        looked_up = self.printed(node)
        names = {
            name
            for inner in ast.walk(node)
            if isinstance(inner, (ast.Assign, ast.AnnAssign, ast.AugAssign))
            for name in _targets(inner)
        }
        if not names:
            return _at(ast.Expr(looked_up), node)
        targets: list[ast.expr] = [ast.Name(name, ast.Store()) for name in sorted(names)]
        return _at(ast.Assign(targets, looked_up), node)

    def printed(self, node: ast.If) -> ast.expr:
        self.pure_only(node.test)
        for inner in (*node.body, *node.orelse):
            if isinstance(inner, ast.If):
                self.printed(inner)
            elif isinstance(inner, (ast.Assign, ast.AnnAssign, ast.AugAssign)) and inner.value is not None:
                self.pure_only(inner.value)
                if any(is_run(part) for part in ast.walk(inner)) or not set(_targets(inner)) & self.tainted:
                    _refuse("a condition on a result that decides more than what is printed", inner.lineno)
            elif isinstance(inner, ast.Expr) and isinstance(inner.value, ast.Call):
                if not self.is_print(inner.value):
                    _refuse("a condition on a result that decides more than what is printed", inner.lineno)
                self.pure_only(inner.value)
                if any(is_run(part) for part in ast.walk(inner)):
                    _refuse("a run that depends on a result", inner.lineno)
            elif not isinstance(inner, ast.Pass):
                _refuse("a condition on a result that decides more than what is printed", inner.lineno)
        return self.looked_up(node.test)

    def attempt(self, node: ast.Try | ast.TryStar) -> None:
        watched = any(self.reads(part) for part in node.body)
        for handler in node.handlers:
            if watched and any(is_run(part) for part in ast.walk(handler)):
                _refuse("a run in an except block", handler.lineno)
            handler.body = self.block(handler.body)
        node.body, node.orelse = self.block(node.body), self.block(node.orelse)
        node.finalbody = self.block(node.finalbody)

    def function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        outside = (*node.decorator_list, *node.args.defaults, *node.args.kw_defaults)
        self.none_in("a function built from a result", node.lineno, *outside)
        hidden = node.name.startswith("__") and node.name not in ("__init__", "__call__")
        if hidden and any(is_run(part) for part in ast.walk(node)):
            _refuse(f"a run inside {node.name}", node.lineno)
        node.body = self.block(node.body)

    def asks(self, call: ast.expr) -> None:
        """A run whose own arguments hold no result."""
        assert isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute)
        arguments = (*call.args, *(keyword.value for keyword in call.keywords))
        self.none_in("a run on a result", call.lineno, call.func.value, *arguments)

    def none_in(self, what: str, line: int, *parts: ast.AST | None) -> None:
        if self.reads(*parts):
            _refuse(what, line)

    def pure_only(self, value: ast.expr) -> None:
        """Refuses expressions that could do more than compute from a result."""
        for node in ast.walk(value):
            if isinstance(node, _UNCLEAR):
                _refuse(f"a result in a {type(node).__name__.lower()} expression", value.lineno)
            if isinstance(node, _SOMETIMES) and any(is_run(part) for part in ast.walk(node)):
                _refuse("a run inside an expression that may skip or repeat it", value.lineno)
            if is_run(node):
                assert isinstance(node, ast.Call)
                self.asks(node)
            elif isinstance(node, ast.Call):
                called = node.func
                if isinstance(called, ast.Name) and called.id in self.pure:
                    continue
                if isinstance(called, ast.Attribute) and self.pure_attribute(called):
                    continue
                _refuse(f"a result passed to {ast.unparse(called)[:60]}", node.lineno)
            elif isinstance(node, ast.Attribute) and node.attr not in FIELDS and not self.pure_attribute(node):
                held = node.value
                if is_run(held) or (isinstance(held, ast.Name) and held.id in self.direct):
                    _refuse(f"result.{node.attr}", node.lineno)

    def pure_attribute(self, node: ast.Attribute) -> bool:
        of_module = isinstance(node.value, ast.Name) and node.value.id in self.modules
        return of_module or node.attr in _PURE_METHODS

    def looked_up(self, value: ast.expr) -> ast.expr:
        """A tuple of the names that an expression looks up, and of its runs."""
        own = {
            name.id
            for part in ast.walk(value)
            if isinstance(part, ast.comprehension)
            for name in ast.walk(part.target)
            if isinstance(name, ast.Name)
        }
        runs = [node for node in ast.walk(value) if is_run(node)]
        inside = {id(part) for run in runs for part in ast.walk(run)}
        names: list[ast.expr] = [
            ast.Name(node.id, ast.Load())
            for node in ast.walk(value)
            if isinstance(node, ast.Name) and node.id not in own and id(node) not in inside
        ]
        return ast.Tuple([*names, *(run for run in runs if isinstance(run, ast.expr))], ast.Load())


def _spread(nodes: Sequence[ast.AST]) -> frozenset[str]:
    """Names that hold a result or what is computed from one, whatever the order of the assignments."""
    readers: dict[str, list[str]] = {}
    fresh: list[str] = []
    for node in nodes:
        if isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign)) and node.value is not None:
            parts = list(ast.walk(node.value))
            if any(is_run(part) for part in parts):
                fresh += _targets(node)
            for part in parts:
                if isinstance(part, ast.Name):
                    readers.setdefault(part.id, []).extend(_targets(node))
    tainted: set[str] = set()
    while fresh:
        name = fresh.pop()
        if name not in tainted:
            tainted.add(name)
            fresh += readers.get(name, ())
    return frozenset(tainted)


def _targets(node: ast.Assign | ast.AnnAssign | ast.AugAssign) -> list[str]:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    return [target.id for target in targets if isinstance(target, ast.Name)]


def _at(made: ast.stmt, old: ast.stmt) -> ast.stmt:
    return ast.copy_location(made, old)


class UsedResult(Exception):
    """A result is used for more than print: the script is dynamic.

    Attributes:
        detail: What uses it, and where.
    """

    def __init__(self, detail: str) -> None:
        super().__init__(detail)
        self.detail = detail


def _refuse(what: str, line: int) -> NoReturn:
    raise UsedResult(at(what, line))
