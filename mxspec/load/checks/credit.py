"""Credit: every trained role has one, its terms exist, and its groups can tell good from bad."""

from __future__ import annotations

from mxspec.load.checks.where import Checker, trained_roles
from mxspec.load.errors import did_you_mean
from mxspec.spec.rollout import Credit
from mxspec.spec.stages import RlStage


def check_credit(checker: Checker) -> None:
    """Checks `credit` against `reward`, `rollout.tree` and the roles that rl stages train."""
    spec = checker.spec
    for role, credit in spec.credit.items():
        if not checker.known_role(role, ("credit", role)):
            continue
        _terms(checker, role, credit)
        _level(checker, role, credit)
    trained = dict.fromkeys(
        role for stage in spec.stages if isinstance(stage, RlStage) for role in trained_roles(stage)
    )
    for role in trained:
        if role not in spec.roles:
            continue
        if role not in spec.credit:
            checker.error(
                "missing-credit", ("credit",), f"no credit for {role!r}, which an rl stage trains", f"add credit.{role}"
            )
            continue
        _group(checker, role, spec.credit[role])
        if spec.roles[role].sampling.temperature == 0:
            path = ("roles", role, "sampling", "temperature")
            checker.error(
                "greedy", path, f"{role!r} is trained, and greedy samples do not differ", "raise the temperature"
            )
        if spec.roles[role].sampling.top_p < 1:
            path = ("roles", role, "sampling", "top_p")
            checker.warn("top-p", path, f"{role!r} is trained on log-probs that ignore top_p", "write top_p: 1.0")


def _terms(checker: Checker, role: str, credit: Credit) -> None:
    known = list(checker.spec.reward.terms)
    for term in credit.terms:
        if term not in known:
            hint = did_you_mean(term, known) or f"terms are {', '.join(known)}"
            checker.error("unknown-term", ("credit", role, "terms", term), f"no reward term {term!r}", hint, key=True)


def _level(checker: Checker, role: str, credit: Credit) -> None:
    """A writer's samples are designs, a player's are trajectories."""
    writes = role == checker.writer
    if writes != (credit.reduce == "mean_of_executions"):
        right = "mean_of_executions" if writes else "outcome"
        does = "writes designs" if writes else "plays agents"
        checker.error("reduce", ("credit", role, "reduce"), f"{role!r} {does}", f"write reduce: {right}")
    if writes != (credit.unit == "sample"):
        right = "sample" if writes else "trajectory"
        does = "writes designs" if writes else "plays agents"
        checker.error("unit", ("credit", role, "unit"), f"{role!r} {does}", f"write unit: {right}")


def _group(checker: Checker, role: str, credit: Credit) -> None:
    tree = checker.spec.rollout.tree
    by_design = "design" in credit.group
    if role == checker.writer:
        size = 1 if by_design else tree.designs
        fix = "group by question" if by_design else "raise designs"
    else:
        size = tree.executions if by_design else tree.executions * tree.designs
        fix = "raise executions" + (", or group by question" if by_design else "")
    if size == 1:
        level = "designs" if role == checker.writer else "executions"
        path = ("credit", role, "group") if by_design and role == checker.writer else ("rollout", "tree", level)
        others = [name for name in checker.spec.roles if name != role]
        only = f", or train only {', '.join(others)}" if others else ""
        message = f"a group of one gives {role!r} no signal: its advantage is always 0"
        checker.error("group-of-one", path, message, fix + only)
