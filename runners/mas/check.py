"""What a script may say: its imports, names and attributes, read from the syntax tree.

The sandbox holds without this check; the check gives an exact verdict instead of
whatever error a script would meet, and closes the ways around the proof of
`runners.mas.results` (a result that is reached by a name in a string).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from runners.mas.parse import parse
from runners.mas.prelude import NAMES
from runners.mas.results import UsedResult, bound_names, watch_results
from runners.mas.verdicts import RefusedError, at

MAX_SCRIPT = 100_000
"""Characters; a longer script is `limit:script`."""

ANSWERS = ("final_answer", "answer", "final_result", "result", "final_response", "response", "output")
"""Names that a dynamic script may give its answer; the first that it assigns counts."""

_API_MODULES = re.compile(r"workflow(\.\w+)*|utils\.environments(\.\w+)*")
_HARMLESS = frozenset(
    "__future__ asyncio collections copy dataclasses datetime enum functools itertools json math random re time "
    "typing".split()
)
_HOST = frozenset({"os", "sys"})
_DANGEROUS = frozenset(
    "builtins code codecs ctypes fcntl ftplib gc glob http importlib inspect io marshal mmap multiprocessing pathlib "
    "pickle platform posix pty resource runpy shelve shutil signal socket socketserver sqlite3 ssl subprocess tempfile "
    "threading urllib requests httpx aiohttp webbrowser weakref zipfile".split()
)
_FORBIDDEN_NAMES = frozenset("breakpoint compile eval exec globals locals open vars memoryview".split())
_UNSUPPORTED_NAMES = frozenset("delattr dir help input setattr".split())
_ALLOWED_DUNDERS = frozenset({"__name__", "__file__", "__doc__"})
_DUNDER = re.compile(r"__\w+__$")
_DUNDER_FIELD = re.compile(r"\{[^{}]*__[^{}]*\}")


@dataclass(frozen=True, slots=True)
class Checked:
    """A script that may run.

    Attributes:
        code: What to run of a static script: its API imports replaced by names, its uses of results taken out.
        whole: What to interpret of a dynamic one (see `whole_of`).
        names: Names of the workflow API that it uses.
        uses_question: False where `question` is proven to be at most the argument of `run`.
        dynamic: Why it is not static; empty where it is.
    """

    code: str
    whole: str
    names: frozenset[str]
    uses_question: bool
    dynamic: str = ""


def check(script: str) -> Checked:
    """Checks a script and prepares it for the sandbox.

    Raises:
        RefusedError: `syntax_error`, `forbidden`, `unsupported`, `limit:script`,
            `limit:nesting`; the detail names the construct and its line.
    """
    if len(script) > MAX_SCRIPT:
        raise RefusedError("limit:script", f"{len(script)} characters, at most {MAX_SCRIPT}")
    try:
        tree = parse(script)
        _refuse(tree)
        tree = _Imports().rewrite(tree)
        names = frozenset(one.id for one in ast.walk(tree) if isinstance(one, ast.Name)) & NAMES
        try:
            tree = ast.fix_missing_locations(watch_results(tree))
        except UsedResult as used:
            return Checked("", whole_of(script), names, True, used.detail)
        return Checked(ast.unparse(tree), "", names, _uses_question(tree))
    except SyntaxError as error:
        raise RefusedError("syntax_error", at(str(error.msg), error.lineno or 0)) from None
    except (RecursionError, MemoryError):
        raise RefusedError("limit:nesting", "the script is nested too deeply to be read") from None
    except ValueError as error:
        if isinstance(error, RefusedError):
            raise
        raise RefusedError("syntax_error", str(error)) from None


def whole_of(script: str) -> str:
    """A script that was checked, as it is interpreted where it is dynamic: with its uses of results, its answer given.

    Raises:
        SyntaxError: It was not checked.
    """
    tree = _Imports().rewrite(parse(script))
    return ast.unparse(ast.fix_missing_locations(tree)) + _given_as_answer(tree)


def _refuse(tree: ast.Module) -> None:
    """Raises the first forbidden construct, or else the first unsupported one."""
    unsupported: RefusedError | None = None
    nodes = list(ast.walk(tree))
    formats = any(isinstance(n, ast.Attribute) and n.attr in ("format", "format_map") for n in nodes)
    dropped = {id(part) for node in nodes if _is_path_tweak(node) for part in ast.walk(node)}
    for node in nodes:
        if id(node) in dropped:
            continue
        for refused in _refusals(node, formats):
            if refused.verdict == "forbidden":
                raise refused
            unsupported = unsupported or refused
    if unsupported is not None:
        raise unsupported


def _refusals(node: ast.AST, formats: bool) -> Iterator[RefusedError]:
    if isinstance(node, ast.Import):
        for alias in node.names:
            yield from _module(alias.name, node.lineno)
            if alias.name in _HOST and alias.asname:
                yield RefusedError("unsupported", at(f"import {alias.name} as {alias.asname}", node.lineno))
    elif isinstance(node, ast.ImportFrom):
        module = node.module or "."
        if module in _HOST:
            yield RefusedError("forbidden", at(f"from {module} import", node.lineno))
        elif not _API_MODULES.fullmatch(module):
            yield from _module(module, node.lineno)
    elif isinstance(node, ast.Name):
        yield from _name(node)
    elif isinstance(node, ast.Attribute):
        yield from _attribute(node)
    elif isinstance(node, ast.Call):
        yield from _call(node)
    elif isinstance(node, ast.MatchClass) and "run" in node.kwd_attrs:
        yield RefusedError("unsupported", at("a pattern that captures run", node.lineno))
    elif any(name.startswith("_mx") for name in bound_names(node)):
        yield RefusedError("forbidden", at("a name that begins with _mx", getattr(node, "lineno", 0)))
    elif isinstance(node, ast.Constant) and formats and isinstance(node.value, str):
        if _DUNDER_FIELD.search(node.value):
            yield RefusedError("forbidden", at("a format string that reads a dunder attribute", node.lineno))


def _module(name: str, line: int) -> Iterator[RefusedError]:
    root = name.split(".")[0]
    if root in _DANGEROUS:
        yield RefusedError("forbidden", at(f"import {name}", line))
    elif root not in _HARMLESS | _HOST:
        yield RefusedError("unsupported", at(f"import {name}", line))


def _name(node: ast.Name) -> Iterator[RefusedError]:
    name = node.id
    if name in _FORBIDDEN_NAMES or name.startswith("_mx"):
        yield RefusedError("forbidden", at(name, node.lineno))
    elif _DUNDER.match(name) and name not in _ALLOWED_DUNDERS:
        yield RefusedError("forbidden", at(name, node.lineno))
    elif name in _UNSUPPORTED_NAMES:
        yield RefusedError("unsupported", at(name, node.lineno))


def _attribute(node: ast.Attribute) -> Iterator[RefusedError]:
    if (_DUNDER.match(node.attr) and node.attr not in _ALLOWED_DUNDERS) or node.attr.startswith("_mx"):
        yield RefusedError("forbidden", at(f".{node.attr}", node.lineno))
    elif isinstance(node.value, ast.Name) and node.value.id in _HOST:
        full = f"{node.value.id}.{node.attr}"
        if full not in ("os.path", "sys.exit", "sys.stdout", "sys.stderr"):
            yield RefusedError("forbidden", at(full, node.lineno))


def _call(node: ast.Call) -> Iterator[RefusedError]:
    if isinstance(node.func, ast.Name) and node.func.id == "getattr" and len(node.args) > 1:
        named = node.args[1]
        if not (isinstance(named, ast.Constant) and isinstance(named.value, str)):
            yield RefusedError("unsupported", at("getattr with a computed name", node.lineno))
        elif named.value == "run" or "__" in named.value or named.value.startswith("_mx"):
            yield RefusedError("forbidden", at(f"getattr {named.value!r}", node.lineno))


def _is_path_tweak(node: ast.AST) -> bool:
    """`sys.path.append(..)` or `sys.path.insert(..)`: without meaning in a sandbox that has no files."""
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Call)
        and isinstance(node.value.func, ast.Attribute)
        and node.value.func.attr in ("append", "insert")
        and isinstance(node.value.func.value, ast.Attribute)
        and node.value.func.value.attr == "path"
        and isinstance(node.value.func.value.value, ast.Name)
        and node.value.func.value.value.id == "sys"
    )


class _Imports(ast.NodeTransformer):
    """Turns imports of the workflow API into names of the prelude, ends of the process into those of the script."""

    def rewrite(self, tree: ast.Module) -> ast.Module:
        done = self.visit(tree)
        assert isinstance(done, ast.Module)
        return done

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.stmt | list[ast.stmt]:
        if not _API_MODULES.fullmatch(node.module or "."):
            return node
        bound: list[ast.stmt] = [ast.copy_location(ast.Pass(), node)]
        for alias in node.names:
            if alias.name == "*":
                continue
            if alias.name not in NAMES:
                raise RefusedError("runtime_error", at(f"cannot import name {alias.name!r}", node.lineno))
            if alias.asname not in (None, alias.name):
                target = ast.Name(str(alias.asname), ast.Store())
                bound.append(ast.Assign([target], ast.Name(alias.name, ast.Load()), lineno=node.lineno))
        return bound

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """Ends the script where it would end its process."""
        self.generic_visit(node)
        if ast.unparse(node.func) in ("sys.exit", "exit", "quit"):
            return ast.copy_location(ast.Call(ast.Name("_mx_exit", ast.Load()), [], []), node)
        return node

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        return ast.copy_location(ast.Pass(), node) if _is_path_tweak(node) else self.generic_visit(node)


def _given_as_answer(tree: ast.Module) -> str:
    """The lines that hand the answer of a dynamic script over; empty where it names none."""
    assigned = {
        target.id
        for node in ast.walk(tree)
        if isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign))
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        if isinstance(target, ast.Name)
    }
    name = next((one for one in ANSWERS if one in assigned), None)
    return "" if name is None else f"\ntry:\n    _mx_done({name})\nexcept NameError:\n    pass\n"


def _uses_question(tree: ast.Module) -> bool:
    """Whether `question` is more than an argument of `run`.

    Assigning it counts as a use, and so does a `run` of the script's own.
    """
    nodes = list(ast.walk(tree))
    asked = {
        id(value)
        for node in nodes
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "run"
        for value in (*node.args, *(keyword.value for keyword in node.keywords))
    }
    for node in nodes:
        if isinstance(node, ast.Name) and node.id == "question" and id(node) not in asked:
            return True
        if isinstance(node, (ast.Name, ast.Attribute)) and isinstance(node.ctx, ast.Store):
            if "run" in (getattr(node, "id", None), getattr(node, "attr", None)):
                return True
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)) and node.name == "run":
            return True
        if isinstance(node, ast.arg) and node.arg == "question":
            return True
        if isinstance(node, (ast.Global, ast.Nonlocal)) and "question" in node.names:
            return True
    return False
