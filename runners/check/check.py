"""All checks over all arms: what is wrong, what was looked at, what could not be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from mxspec.load.errors import Diagnostic, Position
from mxspec.spec import Spec
from runners.check.checking import Checking
from runners.check.data import check_data
from runners.check.machine import check_machine
from runners.check.scripts import check_scripts


@dataclass(frozen=True, slots=True)
class Checked:
    """What checking found.

    Attributes:
        errors: What must be mended.
        warnings: What is worth knowing.
        notes: What was looked at, and what could not be.
    """

    errors: tuple[Diagnostic, ...]
    warnings: tuple[Diagnostic, ...]
    notes: tuple[str, ...]


def check_specs(
    specs: Sequence[Spec], *, origins: Mapping[str, Position], file: str, base_dir: Path, models: bool
) -> Checked:
    """Checks specs, the arms of one file, against data, machine and models.

    Args:
        specs: The arms, resolved, their data pinned.
        origins: Dotted path -> where its value stands.
        file: The file.
        base_dir: Where relative data paths start from.
        models: Whether models are built too, which imports torch.
    """
    checking = Checking(origins, file, base_dir)
    for spec in _distinct(specs):
        check_data(checking, spec)
        check_scripts(checking, spec)
        _unweighed(checking, spec)
        check_machine(checking, spec)
        if models:
            from runners.check.model import check_model

            check_model(checking, spec)
    found = checking.findings
    return Checked(tuple(dict.fromkeys(found.errors)), tuple(dict.fromkeys(found.warnings)), tuple(checking.notes))


def _unweighed(checking: Checking, spec: Spec) -> None:
    """Says which terms of the reward train nobody: they may be there to be looked at, or were forgotten."""
    weighed = {term for credit in spec.credit.values() for term in credit.terms}
    terms = [name for name in spec.reward.terms if name not in weighed]
    if terms:
        them = "it" if len(terms) == 1 else "them"
        checking.note(f"reward: {', '.join(terms)} recorded only, since no credit weighs {them}")


def _distinct(specs: Sequence[Spec]) -> list[Spec]:
    """Specs that differ in what checks read: seeds, learning rates and the like are left out."""
    found: dict[tuple[object, ...], Spec] = {}
    for spec in specs:
        key = (
            *(repr(part) for part in (spec.policy, spec.runtime, spec.rollout, spec.numerics, spec.structure)),
            *(id(part) for part in (spec.questions, spec.stages, spec.reward)),
            repr(spec.evaluate),
            repr({name: (role.sampling, role.model) for name, role in spec.roles.items()}),
            repr(spec.questions),
        )
        found.setdefault(key, spec)
    return list(found.values())
