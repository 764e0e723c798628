"""Checks of scripts that a spec holds itself: each is built as a run would build it."""

from __future__ import annotations

from collections.abc import Iterator
from fnmatch import fnmatchcase

from mxspec.load.errors import did_you_mean
from mxspec.spec import Spec
from mxspec.spec.rollout import Limits
from mxspec.spec.structure import Fixed, Searched
from runners.check.checking import Checking
from runners.mas.build import build

ASKED = "What is 2 plus 3?"
"""What a script sees as `question`."""


def check_scripts(checking: Checking, spec: Spec) -> None:
    """Builds every script of a spec; one that is no design would fail each of its executions."""
    for path, text, limits in scripts_of(spec):
        design = build(text, ASKED, limits)
        if design.design_verdict == "ok":
            checking.note(f"{path}: {design.agents} agent{'s' if design.agents != 1 else ''}")
            assert design.graph is not None, "a design that is ok has a graph"
            _played(checking, spec, path, design.graph.agents())
        else:
            message = f"the script is no design: {design.design_verdict}: {design.detail}"
            checking.error("script", path, message, "docs/scripts.md says what a script may use")


def _played(checking: Checking, spec: Spec, path: str, agents: tuple[str, ...]) -> None:
    """Every agent of a script is played by a role: names that the script computes are known once it has run."""
    patterns = [pattern for role in spec.roles.values() for pattern in role.agents or ()]
    for name in dict.fromkeys(agents):
        if not any(fnmatchcase(name, pattern) for pattern in patterns):
            close = did_you_mean(name, [pattern.rstrip("*") for pattern in patterns])
            hint = f"add it to the `agents` of a role, which play {', '.join(patterns) or 'none'}"
            checking.error("agents", path, f"no role plays the agent {name!r} of the script", f"{close} {hint}".strip())


def scripts_of(spec: Spec) -> Iterator[tuple[str, str, Limits]]:
    """Path, text and limits of every script that a spec holds."""
    structure, limits = spec.structure, spec.rollout.limits
    if isinstance(structure, Fixed) and structure.text is not None:
        yield "structure", structure.text, limits
    if isinstance(structure, Searched) and structure.start.text is not None:
        yield "structure.start", structure.start.text, limits
    for name, evaluation in spec.evaluate.items():
        if evaluation.structure is not None and evaluation.structure.text is not None:
            yield f"evaluate.{name}.structure", evaluation.structure.text, limits
