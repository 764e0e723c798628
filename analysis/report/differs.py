"""What the arms of a sweep change, from the specs that their runs recorded."""

from __future__ import annotations

from dataclasses import dataclass

import duckdb

from analysis.report.store import rows
from analysis.report.subject import Subject


@dataclass(frozen=True, slots=True)
class Differs:
    """A value of the spec in which an arm differs from the baseline; None where one of them has no such value."""

    arm: str
    path: str
    baseline: str | None
    value: str | None


def read_differs(con: duckdb.DuckDBPyConnection, subject: Subject) -> tuple[Differs, ...]:
    """Leaves in which the first run of every arm differs from the baseline's, seeds and the sweep aside."""
    first = {arm: next(one.run for one in subject.members if one.arm == arm) for arm in subject.arms}
    base = first.get(subject.baseline or "")
    if base is None:
        return ()
    found: list[Differs] = []
    for arm, run in first.items():
        if run != base:
            found += rows(
                con,
                Differs,
                """
                WITH a AS (SELECT path, value::VARCHAR AS value FROM spec_leaves WHERE run = $run),
                b AS (SELECT path, value::VARCHAR AS value FROM spec_leaves WHERE run = $base)
                SELECT $arm AS arm, path, b.value AS baseline, a.value AS value FROM a FULL JOIN b USING (path)
                WHERE a.value IS DISTINCT FROM b.value AND path NOT IN ('seed', 'name', 'notes')
                    AND path NOT LIKE 'sweep.%' ORDER BY path
                """,
                {"arm": arm, "run": run, "base": base},
            )
    return tuple(found)
