"""What describes runs in the store: state, provenance, spec, lineage, checkpoints, attempts, sweeps."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

import duckdb

from analysis.scan import Problem
from mxspec.load.errors import Findings
from mxspec.load.nodes import ListNode, MapNode, Node, ScalarNode, dotted, to_plain, walk
from mxspec.load.read import read_file
from mxspec.rundir import Cost, Lineage, Provenance, RunDir, RunInfo, read_sweeps

Row = Sequence[object]
BY_RUN = ("runs", "spec_leaves", "checkpoints", "checkpoint_files", "attempts")
"""Tables whose rows of one run are replaced together, with `lineage`, whose key is `child`."""


def describe(
    con: duckdb.DuckDBPyConnection, runs_dir: Path, infos: Sequence[RunInfo], problems: Sequence[Problem]
) -> bool:
    """Brings these tables up to date; only runs that have changed are read again.

    Args:
        con: The private database, in a transaction.
        runs_dir: Where the run directories are.
        infos: The run directories.
        problems: What could not be collected.

    Returns:
        Whether anything changed.
    """
    seen = {str(run): str(signature) for run, signature in con.execute("FROM collector.seen").fetchall()}
    now = {info.run: _signature(info) for info in infos}
    changed = [info for info in infos if seen.get(info.run) != now[info.run]]
    for run in [*(info.run for info in changed), *(seen.keys() - now.keys() - {""})]:
        for table in BY_RUN:
            con.execute(f"DELETE FROM {table} WHERE run = ?", [run])
        con.execute("DELETE FROM lineage WHERE child = ?", [run])
        con.execute("DELETE FROM collector.seen WHERE run = ?", [run])
    for info in changed:
        _put(con, "runs", [_run(info)])
        _put(con, "spec_leaves", [(info.run, path, json.dumps(value)) for path, value in _leaves(info)])
        _put(con, "lineage", list(_lineage(info)))
        _put(con, "checkpoints", [(info.run, c.step, c.stage, c.stage_step, c.state) for c in info.checkpoints])
        _put(con, "checkpoint_files", list(_files(info)))
        _put(con, "attempts", list(_attempts(info)))
        _put(con, "collector.seen", [(info.run, now[info.run])])
    sweeps = _sweeps(con, runs_dir, seen.get(""))
    told = _problems(con, problems)
    return bool(changed or sweeps or told or seen.keys() - now.keys() - {""})


def _signature(info: RunInfo) -> str:
    stamps = []
    for name in ("status.json", "provenance.json", "cost.json", "lineage.json", "spec.yaml", "attempts"):
        try:
            stat = (info.path / name).stat()
        except OSError:
            stamps.append("-")
        else:
            stamps.append(f"{stat.st_mtime_ns}.{stat.st_size}")
    return json.dumps([info.state, info.message, [c.state for c in info.checkpoints], stamps])


def _run(info: RunInfo) -> Row:
    run = RunDir(info.path)
    readable = info.state != "unreadable"
    made = run.read("provenance.json", Provenance) if readable else None
    cost = run.read("cost.json", Cost) if readable and info.state == "done" else None
    status = run.status() if readable else None
    return (
        info.run,
        made.name if made else "",
        made.cell if made else None,
        made.seed if made else None,
        list(made.arms) if made else [],
        info.state,
        info.message,
        status.stage if status else None,
        info.step,
        status.total_steps if status else None,
        len(run.attempts()) if readable else 0,
        made.spec_hash if made else None,
        made.code_hash if made else None,
        json.dumps(made.data_hashes) if made else None,
        json.dumps(made.versions) if made else None,
        json.dumps(made.machine) if made else None,
        _time(made.created) if made else None,
        _time(status.heartbeat) if status else None,
        cost.seconds if cost else None,
        cost.seconds * cost.gpus if cost else None,
        cost.peak_memory_mb if cost else None,
    )


def _leaves(info: RunInfo) -> Iterator[tuple[str, object]]:
    path = info.path / "spec.yaml"
    root = read_file(path, Findings()) if info.state != "unreadable" and path.exists() else None
    if root is None:
        return
    for at, node in walk(root):
        if _is_leaf(node) and not (at and _is_leaf(_above(root, at))):
            yield dotted(root, at), to_plain(node)


def _is_leaf(node: Node) -> bool:
    """A scalar, a list of scalars, or something empty."""
    if isinstance(node, ListNode):
        return all(isinstance(item, ScalarNode) for item in node.items)
    return not (isinstance(node, MapNode) and node.entries)


def _above(root: Node, at: tuple[str | int, ...]) -> Node:
    node = root
    for step in at[:-1]:
        node = node.items[int(step)] if isinstance(node, ListNode) else node.entries[str(step)]  # type: ignore[union-attr]
    return node


def _lineage(info: RunInfo) -> Iterator[Row]:
    found = RunDir(info.path).read("lineage.json", Lineage) if info.state != "unreadable" else None
    if found is not None:
        yield found.child, found.parent, found.step, found.state, found.take


def _files(info: RunInfo) -> Iterator[Row]:
    if info.state != "unreadable":
        for one in RunDir(info.path).checkpoints():
            for name, entry in one.manifest.files.items():
                yield info.run, one.manifest.step, name, entry.sha256, entry.bytes


def _attempts(info: RunInfo) -> Iterator[Row]:
    if info.state != "unreadable":
        for one in RunDir(info.path).attempts():
            ended = _time(one.ended), one.state, one.message
            yield info.run, one.attempt, one.from_step, _time(one.started), one.pid, one.host, *ended


def _sweeps(con: duckdb.DuckDBPyConnection, runs_dir: Path, before: str | None) -> bool:
    sweeps = read_sweeps(runs_dir)
    signature = json.dumps([sweep.model_dump(mode="json") for sweep in sweeps])
    if signature == before:
        return False
    for table in ("sweeps", "sweep_runs"):
        con.execute(f"DELETE FROM {table}")
    con.execute("DELETE FROM collector.seen WHERE run = ''")
    _put(con, "collector.seen", [("", signature)])
    _put(con, "sweeps", [(sweep.name, sweep.baseline) for sweep in sweeps])
    rows = []
    for sweep in sweeps:
        order = {arm: i for i, arm in enumerate(dict.fromkeys(one.arm for one in sweep.runs))}
        rows += [
            (sweep.name, one.arm, one.seed, one.cell, one.run, one.is_baseline, order[one.arm]) for one in sweep.runs
        ]
    _put(con, "sweep_runs", rows)
    return True


def _problems(con: duckdb.DuckDBPyConnection, problems: Sequence[Problem]) -> bool:
    rows = sorted((one.path, one.problem) for one in problems)
    if rows == sorted(con.execute("FROM problems").fetchall()):
        return False
    con.execute("DELETE FROM problems")
    _put(con, "problems", rows)
    return True


def _put(con: duckdb.DuckDBPyConnection, table: str, rows: Sequence[Row]) -> None:
    if rows:
        places = ", ".join(["(" + ", ".join("?" * len(rows[0])) + ")"] * len(rows))
        con.execute(f"INSERT INTO {table} VALUES {places}", [value for row in rows for value in row])


def _time(seconds: float) -> datetime | None:
    return datetime.fromtimestamp(seconds, UTC).replace(tzinfo=None) if seconds else None
