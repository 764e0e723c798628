"""Part of a plan: some arms, some seeds, and the prefixes that they need."""

from __future__ import annotations

from collections.abc import Collection

from mxspec.plan.plan import Plan


class UnknownPart(ValueError):
    """An arm or a seed that the plan does not have.

    Attributes:
        what: `arm` or `seed`.
        name: The one asked for.
        known: Those that there are.
    """

    def __init__(self, what: str, name: object, known: Collection[object]) -> None:
        """Keeps the parts."""
        self.what, self.name, self.known = what, name, tuple(known)
        super().__init__(f"there is no {what} {name!r}; there are {', '.join(map(str, self.known))}")


def select(plan: Plan, *, arms: Collection[str] = (), seeds: Collection[int] = ()) -> Plan:
    """The part of a plan that stands for some arms and seeds.

    Args:
        plan: The whole plan.
        arms: Names of arms; all where empty. An arm that is another name of one counts as that one.
        seeds: Seeds; all where empty.

    Raises:
        UnknownPart: There is no such arm or seed.
    """
    for arm in arms:
        if arm not in {one.name for one in plan.arms}:
            raise UnknownPart("arm", arm, [one.name for one in plan.arms])
    for seed in seeds:
        if seed not in plan.seeds:
            raise UnknownPart("seed", seed, plan.seeds)
    runs = tuple(
        run
        for run in plan.runs
        if (not arms or not set(arms).isdisjoint(run.arms)) and (not seeds or run.seed in seeds)
    )
    by_id = {run.run: run for run in (*plan.runs, *plan.prefixes)}
    wanted = {run.run for run in runs}
    open_needs = [need for run in runs for need in run.needs]
    while open_needs:
        need = open_needs.pop()
        if need in by_id and need not in wanted:
            wanted.add(need)
            open_needs += by_id[need].needs
    return plan.model_copy(
        update={
            "runs": tuple(run for run in plan.runs if run.run in wanted),
            "prefixes": tuple(run for run in plan.prefixes if run.run in wanted),
        }
    )
