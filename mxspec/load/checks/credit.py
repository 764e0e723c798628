"""Credit: every trained role has one, its terms exist, and its groups can tell good from bad."""

from __future__ import annotations

from math import prod

from mxspec.load.checks.where import Checker, trained_roles
from mxspec.load.errors import did_you_mean
from mxspec.load.nodes import Step
from mxspec.spec.learn import Grpo
from mxspec.spec.levels import KEYS, group_keys, levels_of, width
from mxspec.spec.rollout import Credit, OneMinusMean, Score
from mxspec.spec.stages import RlStage

_BELOW_CALLS = "turn_samples"


def check_credit(checker: Checker) -> None:
    """Checks `credit` against `reward`, `rollout.tree` and the roles that rl stages train."""
    spec = checker.spec
    _reward(checker)
    for role, credit in spec.credit.items():
        if not checker.known_role(role, ("credit", role)):
            continue
        _terms(checker, role, credit)
        _level(checker, role, credit)
        _keys(checker, role, credit)
    trained = dict.fromkeys(
        role for stage in spec.stages if isinstance(stage, RlStage) for role in trained_roles(stage)
    )
    for role in trained:
        if role not in spec.roles:
            continue
        if role not in spec.credit:
            message = f"no credit for {role!r}, which an rl stage trains"
            checker.error("missing-credit", ("credit",), message, f"add credit.{role}")
            continue
        _group(checker, role, spec.credit[role])
        _sampling(checker, role)
    _ratio(checker)


def _reward(checker: Checker) -> None:
    """What terms refer to exists."""
    levels = levels_of(checker.spec.structure)
    for name, term in checker.spec.reward.terms.items():
        path: tuple[Step, ...] = ("reward", "terms", name)
        if isinstance(term, Score):
            checker.known_role(term.by, (*path, "by"))
        elif isinstance(term, OneMinusMean) and term.of not in levels:
            hint = did_you_mean(term.of, levels) or f"levels are {', '.join(levels)}"
            checker.error("unknown-level", (*path, "of"), f"no level {term.of!r}", hint)


def _terms(checker: Checker, role: str, credit: Credit) -> None:
    known = list(checker.spec.reward.terms)
    for term in credit.terms:
        if term not in known:
            hint = did_you_mean(term, known) or f"terms are {', '.join(known)}"
            checker.error("unknown-term", ("credit", role, "terms", term), f"no reward term {term!r}", hint, key=True)


def _level(checker: Checker, role: str, credit: Credit) -> None:
    """A writer's samples are designs, a player's are trajectories or calls, a node of a cascade is a sample."""
    if role in checker.levels:
        does, reduces, units = "writes nodes of a cascade", ["mean_of_children", "outcome"], ["sample"]
    elif role == checker.writer:
        does, reduces, units = "writes designs", ["mean_of_executions", "mean_of_children"], ["sample"]
    elif not checker.spec.roles[role].agents:
        return  # it plays nothing, which is told
    else:
        does, reduces, units = "plays agents", ["outcome", "turn"], ["trajectory", "call"]
    if credit.reduce not in reduces:
        checker.error("reduce", ("credit", role, "reduce"), f"{role!r} {does}", f"write reduce: {reduces[0]}")
    if credit.unit not in units:
        checker.error("unit", ("credit", role, "unit"), f"{role!r} {does}", f"write unit: {units[0]}")
    elif (credit.reduce == "turn") != (credit.unit == "call"):
        right = "call" if credit.reduce == "turn" else "trajectory"
        checker.error(
            "unit", ("credit", role, "unit"), f"reduce: {credit.reduce} is per {right}", f"write unit: {right}"
        )


def _keys(checker: Checker, role: str, credit: Credit) -> None:
    known = group_keys(checker.spec.structure)
    above = {"question", *(KEYS.get(level, level) for level in _levels_above(checker, role))}
    for index, key in enumerate(credit.group):
        path: tuple[Step, ...] = ("credit", role, "group", index)
        if key not in known:
            hint = did_you_mean(key, known) or f"keys are {', '.join(known)}"
            checker.error("group-key", path, f"a {checker.spec.structure.kind} structure has no key {key!r}", hint)
        elif key in ("agent", "turn", "parent") and credit.unit != "call":
            checker.error("group-key", path, f"{key!r} is a key of calls, and the unit is a {credit.unit}")
        elif key not in above and key not in ("agent", "turn", "parent"):
            checker.error("group-key", path, f"{key!r} is a level below the units of {role!r}", "leave it out")
        elif key in credit.group[:index]:
            checker.error("group-key", path, f"{key!r} stands twice", "name each key once")


def _levels_above(checker: Checker, role: str) -> list[str]:
    """The levels from the question down to that of a role's units, calls aside."""
    levels = [one for one in levels_of(checker.spec.structure) if one != _BELOW_CALLS]
    if role in checker.levels:
        return levels[: levels.index(checker.levels[role]) + 1]
    return levels[:1] if role == checker.writer else levels


def _group(checker: Checker, role: str, credit: Credit) -> None:
    """A group of one is always at its own mean. A key holds fixed its own level and all above it."""
    tree, above = checker.spec.rollout.tree, _levels_above(checker, role)
    fixed = [place for place, level in enumerate(above, 1) if KEYS.get(level, level) in credit.group]
    free = [] if "parent" in credit.group else above[max(fixed, default=0) :]
    if credit.unit == "call":
        free.append(_BELOW_CALLS)
    if prod(width(tree, level) for level in free) > 1:
        return
    covered = [key for key in credit.group if key != "question"]
    level = free[-1] if free else above[-1]
    path: tuple[Step, ...] = ("rollout", "tree", level) if free else ("credit", role, "group")
    fixes = [f"raise {' or '.join(free)}"] if free else []
    fixes += [f"leave {' and '.join(covered)} out of the group"] if covered and credit.unit != "call" else []
    others = [name for name in checker.spec.roles if name != role]
    fixes += [f"train only {', '.join(others)}"] if others else []
    message = f"a group of one gives {role!r} no signal: its advantage is always 0"
    checker.error("group-of-one", path, message, ", or ".join(fixes))


def _sampling(checker: Checker, role: str) -> None:
    sampling = checker.spec.roles[role].sampling
    path: tuple[Step, ...] = ("roles", role, "sampling")
    if sampling.temperature == 0:
        message = f"{role!r} is trained, and greedy samples do not differ"
        checker.error("greedy", (*path, "temperature"), message, "raise the temperature")
    if sampling.top_p < 1:
        message = f"{role!r} is trained, and the ratio to the policy that sampled is wrong for a cut-off nucleus"
        checker.error("top-p", (*path, "top_p"), message, "write top_p: 1.0, or leave it out")


def _ratio(checker: Checker) -> None:
    rl = checker.spec.learn.rl
    if (
        rl is None
        or not isinstance(rl.loss, Grpo)
        or rl.loss.ratio != "sequence"
        or rl.loss.aggregate == "sequence_mean"
    ):
        return
    message = f"a ratio per sequence with aggregate {rl.loss.aggregate} weighs long responses by their length"
    checker.error("ratio", ("learn", "rl", "loss", "aggregate"), message, "write aggregate: sequence_mean")
