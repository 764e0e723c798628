"""The collector over time: it grows into what it would build anew, outlives a full disk, takes turns."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import pytest

from analysis.collect import Report, collect
from analysis.paths import StorePaths
from analysis.publish import reading
from mxspec.rundir import Lineage, RunDir, SweepRecord, write_sweep
from mxspec.rundir.tables import STEP_TABLES
from runners.record import Recorder
from runners.record.compact import compact
from tests.support.recorded import ArmRun, commit, describe_run, evaluation_rows, record_run, record_sweep, step_rows

A, B = "aaaaaaaa", "bbbbbbbb"


@pytest.fixture(autouse=True)
def nothing_waits_for_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """A test cannot cut the power, so it need not wait either."""
    monkeypatch.setattr(os, "fsync", lambda file: None)


def ask(runs: Path, sql: str) -> list[tuple[object, ...]]:
    with reading(StorePaths(runs).published) as con:
        return con.execute(sql).fetchall()


def contents(runs: Path) -> dict[str, list[str]]:
    """Every row of every table, in an order that does not depend on how it came in."""
    with reading(StorePaths(runs).published) as con:
        tables = con.execute("SELECT table_name FROM duckdb_tables() WHERE schema_name = 'main'").fetchall()
        return {name: sorted(map(repr, con.execute(f"FROM {name}").fetchall())) for (name,) in tables}


def steps_of(runs: Path, run: str = A) -> list[tuple[object, ...]]:
    return ask(
        runs, f"SELECT step, attempt, value FROM steps WHERE run = '{run}' AND metric = 'accuracy' ORDER BY step, value"
    )


def _states(runs: Path) -> Iterator[str]:
    """A directory of runs as it grows: yields after every change that a collector may see."""
    first = record_run(runs, A, {1: [[True], [False]]}, steps=2)
    yield "a finished run"
    second = Recorder.start(RunDir(runs / B), from_step=0)
    describe_run(second.run_dir, seed=1)
    second.add(step_rows(0))
    commit(second, 0)
    yield "a run under way"
    second.add([*step_rows(1), *evaluation_rows(2, [[True, False], [True, True]], moment="every 2")])
    commit(second, 1)
    second.add(step_rows(2, "lost"))
    commit(second, 2)
    yield "two more steps"
    compact(first.run_dir)
    yield "compacted"
    third = Recorder.start(RunDir(runs / B), from_step=2)
    third.lineage(Lineage(child=B, parent=A, step=2, state="state1"))
    third.commit_checkpoint(
        step=2, stage="rl", stage_step=2, state="state1", write=lambda path: (path / "weights").touch()
    )
    yield "resumed"
    third.add(step_rows(2, "kept"))
    commit(third, 2)
    third.finish("done", step=3)
    compact(third.run_dir)
    record_sweep(runs, [ArmRun("main", 0, A), ArmRun("other", 1, B)], baseline="main")
    yield "done and compacted at once, in a sweep"
    write_sweep(runs, SweepRecord(name="sweep", baseline="main", runs=()))
    yield "a sweep that is changed"
    shutil.rmtree(runs / A)
    yield "a run removed"


def test_a_store_that_grew_equals_one_built_anew(tmp_path: Path) -> None:
    grown, anew = tmp_path / "grown", tmp_path / "anew"
    seen = set()
    for state in _states(grown):
        assert collect(grown).published == (state != "compacted"), state
        assert not collect(grown).published, state
        if state in ("a finished run", "a run under way", "compacted", "a sweep that is changed"):
            continue
        shutil.rmtree(anew, ignore_errors=True)
        shutil.copytree(grown, anew, ignore=shutil.ignore_patterns(".store", "results.duckdb*"))
        collect(anew)
        found = contents(grown)
        assert found == contents(anew), state
        seen |= {table for table, rows in found.items() if rows}
    assert seen >= {*STEP_TABLES, "runs", "spec_leaves", "lineage", "checkpoints", "attempts", "sweeps", "sweep_runs"}
    assert not ask(grown, f"FROM designs WHERE run = '{A}' OR script = 'alost'")


def test_damage_is_told_and_costs_only_what_is_damaged(tmp_path: Path) -> None:
    run = record_run(tmp_path, A, steps=3).run_dir
    record_run(tmp_path, B)
    (run.step(1, 0) / "calls.parquet").unlink()
    for first in (True, False):
        report = collect(tmp_path)
        assert report.published == first
        assert [Path(one.path) for one in report.problems] == [run.step(1, 0)]
        assert "calls.parquet" in report.problems[0].problem
        assert [step for step, *_ in steps_of(tmp_path)] == [0, 2]
        assert len(steps_of(tmp_path, B)) == 2
    assert ask(tmp_path, "SELECT path FROM problems") == [(str(run.step(1, 0)),)]


def test_a_full_disk_keeps_the_old_store_and_the_next_collection_makes_up_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record_run(tmp_path, A)
    collect(tmp_path)
    record_run(tmp_path, B)

    def full(source: Path, target: Path) -> None:
        target.write_bytes(b"half a sto")
        raise OSError(errno.ENOSPC, "No space left on device", str(target))

    with monkeypatch.context() as patch:
        patch.setattr(shutil, "copyfile", full)
        with pytest.raises(OSError, match="No space left"):
            collect(tmp_path)
    assert ask(tmp_path, "SELECT run FROM runs") == [(A,)]
    assert sorted(path.name for path in StorePaths(tmp_path).own.iterdir()) == ["index.duckdb", "lock"]
    assert collect(tmp_path).published
    assert ask(tmp_path, "SELECT run FROM runs ORDER BY run") == [(A,), (B,)]


def test_two_collectors_take_turns(tmp_path: Path) -> None:
    for run in (A, B):
        record_run(tmp_path, run)
    reports: list[Report] = []
    threads = [Thread(target=lambda: reports.append(collect(tmp_path))) for _ in range(3)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert sorted(one.new_steps for one in reports) == [0, 0, 4]
    assert len(steps_of(tmp_path)) == len(steps_of(tmp_path, B)) == 2
