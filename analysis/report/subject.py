"""What a report is about: one run, or the arms of a sweep."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches

import duckdb

from analysis.report.store import rows


class UnknownSubject(ValueError):
    """No sweep, arm or run is called so.

    Attributes:
        name: What was asked for.
        known: Names that exist.
    """

    def __init__(self, name: str, known: tuple[str, ...]) -> None:
        near = get_close_matches(name, known, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"there is: {', '.join(known) or 'nothing'}"
        super().__init__(f"no sweep, arm or run is called {name!r}; {hint}")
        self.name, self.known = name, known


@dataclass(frozen=True, slots=True)
class Run:
    """A run as the store describes it."""

    run: str
    name: str
    seed: int
    arms: list[str]
    state: str
    stop_reason: str | None
    step: int
    total_steps: int | None
    spec_hash: str | None
    code_hash: str | None
    created: str | None
    seconds: float | None
    versions: str | None
    machine: str | None
    data_hashes: str | None


@dataclass(frozen=True, slots=True)
class Member:
    """One run of an arm."""

    arm: str
    seed: int
    run: str
    is_baseline: bool
    arm_order: int


@dataclass(frozen=True, slots=True)
class Subject:
    """What a report is about.

    Attributes:
        name: Title of the report.
        sweep: Name of the sweep; None where the runs belong to none.
        members: Arms and their runs, in the order of the spec; one for the report of a run.
        whole: Whether these are all arms of the sweep.
    """

    name: str
    sweep: str | None
    members: tuple[Member, ...]
    whole: bool = True

    @property
    def is_run(self) -> bool:
        """Whether it is one run."""
        return len(self.members) == 1

    @property
    def arms(self) -> tuple[str, ...]:
        """Names of the arms, in order."""
        return tuple(dict.fromkeys(one.arm for one in self.members))

    @property
    def baseline(self) -> str | None:
        """The arm that others are compared with."""
        return next((one.arm for one in self.members if one.is_baseline), None)


@dataclass(frozen=True, slots=True)
class _Named:
    """A member and the sweep that it belongs to."""

    sweep: str
    arm: str
    seed: int
    run: str
    is_baseline: bool
    arm_order: int


_MEMBERS = "SELECT sweep, arm, seed, run, is_baseline, arm_order FROM sweep_runs ORDER BY sweep, arm_order, seed"

_RUN = """
SELECT run, name, seed, arms, state, stop_reason, step, total_steps, spec_hash, code_hash, created::VARCHAR AS created,
    seconds, versions::VARCHAR AS versions, machine::VARCHAR AS machine, data_hashes::VARCHAR AS data_hashes
FROM runs
"""


def read_runs(con: duckdb.DuckDBPyConnection) -> tuple[Run, ...]:
    """All runs of the store, the latest first."""
    return rows(con, Run, f"{_RUN} ORDER BY runs.created DESC NULLS LAST, run")


def find_subject(con: duckdb.DuckDBPyConnection, name: str | None) -> Subject:
    """What a name means: a sweep, a run (its id or the beginning of it), an arm, or the name of a spec.

    Args:
        con: A store.
        name: What the user wrote; None for what was run last.

    Raises:
        UnknownSubject: Nothing is called so, or there is nothing at all.
    """
    known = read_runs(con)
    sweeps: dict[str, list[Member]] = {}
    for one in rows(con, _Named, _MEMBERS):
        sweeps.setdefault(one.sweep, []).append(Member(one.arm, one.seed, one.run, one.is_baseline, one.arm_order))
    age = {run.run: at for at, run in enumerate(known)}
    latest = sorted(sweeps, key=lambda one: min((age.get(m.run, len(age)) for m in sweeps[one]), default=len(age)))
    if name is None:
        if latest and sweeps[latest[0]]:
            return Subject(latest[0], latest[0], tuple(sweeps[latest[0]]))
        name = next((run.run for run in known), "")
    if sweeps.get(name):
        return Subject(name, name, tuple(sweeps[name]))
    found = [run for run in known if run.run == name]
    found = found or [run for run in known if len(name) >= 4 and run.run.startswith(name)]
    if len(found) == 1:
        return _of_run(found[0], sweeps)
    for sweep in latest:
        members = tuple(member for member in sweeps[sweep] if member.arm == name)
        if members:
            return Subject(f"{sweep}: {name}", sweep, members, whole=len(members) == len(sweeps[sweep]))
    named = [run for run in known if run.name == name]
    named.sort(key=lambda run: not run.arms)
    if named:
        return _of_run(named[0], sweeps)
    arms = {member.arm for members in sweeps.values() for member in members}
    raise UnknownSubject(name, (*latest, *sorted(arms), *(run.run for run in known)))


def _of_run(run: Run, sweeps: dict[str, list[Member]]) -> Subject:
    for sweep, members in sweeps.items():
        for one in members:
            if one.run == run.run:
                return Subject(f"{run.name} {run.run}", sweep, (one,), whole=len(members) == 1)
    arm = run.arms[0] if run.arms else run.name
    return Subject(f"{run.name} {run.run}", None, (Member(arm, run.seed, run.run, True, 0),))
