"""Roles and structure: every agent is played by exactly one role, every role has something to do."""

from __future__ import annotations

import ast
import re
from fnmatch import fnmatchcase
from itertools import combinations

from mxspec.load.checks.where import Checker
from mxspec.load.errors import did_you_mean
from mxspec.load.nodes import Step
from mxspec.spec.policy import FromConfig
from mxspec.spec.structure import Cascade, Fixed, Generated, Script, Searched

ANY = "*"
PLACEHOLDERS = ("question", "agent", "instructions", "previous", "history")
"""What a prompt's braces may name."""
_BRACED = re.compile(r"\{([A-Za-z_]+)\}")


def check_roles(checker: Checker) -> None:
    """Checks `structure`, `roles` and what `policy` says about them."""
    spec = checker.spec
    writer = checker.writer
    if isinstance(spec.structure, (Generated, Searched)):
        checker.known_role(spec.structure.writer, ("structure", "writer"))
    if isinstance(spec.structure, Cascade):
        for level, one in spec.structure.levels.items():
            checker.known_role(one.role, ("structure", "levels", level, "role"))
    for name, role in spec.roles.items():
        if role.agents is None and name != writer and name not in checker.levels:
            why = "plays no agents and writes no designs, so nothing serves it"
            checker.error(
                "idle-role", ("roles", name), f"the role {name!r} {why}", "give it `agents`, or remove it", key=True
            )
        if role.prompt.text is None:
            checker.error(
                "missing", ("roles", name, "prompt"), "the prompt has no text", "write `text`, or name a `file`"
            )
        _placeholders(checker, name)
        _context(checker, name)
    _coverage(checker)
    _script(checker, ("structure",), spec.structure if isinstance(spec.structure, Fixed) else None)
    if isinstance(spec.structure, Searched):
        _script(checker, ("structure", "start"), spec.structure.start)
    for name, evaluation in spec.evaluate.items():
        _script(checker, ("evaluate", name, "structure"), evaluation.structure)
    if isinstance(spec.structure, Fixed) and spec.rollout.tree.designs > 1:
        path = ("rollout", "tree", "designs")
        checker.error("fixed-designs", path, "a fixed structure has one design per question", "write designs: 1")


def _placeholders(checker: Checker, name: str) -> None:
    """A word in braces that is nearly a placeholder is a slip; every other brace is text."""
    prompt = checker.spec.roles[name].prompt
    for part in ("text", "system"):
        for word in _BRACED.findall(getattr(prompt, part) or ""):
            close = did_you_mean(word, PLACEHOLDERS) if word not in PLACEHOLDERS else ""
            if close:
                checker.warn("placeholder", ("roles", name, "prompt", part), f"{{{word}}} stays as it is", close)


def _context(checker: Checker, name: str) -> None:
    model = checker.spec.policy.model
    if not isinstance(model, FromConfig):
        return
    window = model.config.get("max_position_embeddings")
    longest = checker.spec.roles[name].sampling.max_tokens
    if isinstance(window, int) and longest >= window:
        path = ("roles", name, "sampling", "max_tokens")
        checker.error("context", path, f"{longest} tokens leave no room for a prompt in {window} positions")


def _coverage(checker: Checker) -> None:
    patterns = [(role, one) for role, spec in checker.spec.roles.items() for one in dict.fromkeys(spec.agents or ())]
    if not any(one == ANY for _, one in patterns) and checker.writer is not None:
        hint = f'give one role `agents: ["{ANY}"]`'
        checker.error("agents", ("roles",), "a design may name agents that no role plays", hint, key=True)
    for (first, a), (second, b) in combinations(patterns, 2):
        if first == second or (ANY in (a, b) and a != b):
            continue
        if a == b or fnmatchcase(a, b) or fnmatchcase(b, a):
            message = f"agents that match {b!r} are played by {first!r} ({a!r}) already"
            checker.error("agents", ("roles", second, "agents"), message, "let each agent match one role")


def _script(checker: Checker, path: tuple[Step, ...], structure: Fixed | Script | None) -> None:
    if structure is None:
        return
    if structure.text is None:
        checker.error("missing", path, "the structure has no script", "name a `file`")
        return
    try:
        names = agents_in(structure.text)
    except SyntaxError as error:
        checker.error("script", (*path, "text"), f"the script is not Python: {error.msg} (line {error.lineno})")
        return
    for name in names:
        if not any(fnmatchcase(name, one) for role in checker.spec.roles.values() for one in role.agents or ()):
            hint = "add it to the `agents` of a role"
            checker.error("agents", (*path, "text"), f"no role plays the agent {name!r} of the script", hint)


def agents_in(script: str) -> tuple[str, ...]:
    """Names that a script gives to its agents as literals (`AgentNode("solve", ...)` or `name="solve"`).

    Raises:
        SyntaxError: The script is not Python.
    """
    found: dict[str, None] = {}
    for node in ast.walk(ast.parse(script)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "AgentNode":
            named = [keyword.value for keyword in node.keywords if keyword.arg == "name"]
            for value in (*node.args[:1], *named):
                if isinstance(value, ast.Constant) and isinstance(value.value, str):
                    found[value.value] = None
    return tuple(found)
