"""The store: only what is committed and current, whoever has it open, whatever is damaged."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb
import pyarrow.parquet as pq
import pytest

import analysis.rows as rows_module
from analysis.collect import collect
from analysis.paths import StorePaths
from analysis.publish import NoStoreError, NotAStoreError, reading
from analysis.report.store import opened_store
from analysis.scan import Moved, Source
from mxspec.rundir import Lineage, RunDir, write_sweep
from mxspec.rundir.models import Manifest
from mxspec.rundir.rundir import commit as commit_directory
from mxspec.rundir.rundir import entries
from mxspec.rundir.sweeps import SweepRecord
from mxspec.rundir.tables import STEP_TABLES
from runners.record import Recorder
from runners.record.compact import compact
from tests.support.recorded import commit, describe_run, evaluation_rows, record_run, step_rows

A, B = "aaaaaaaaaaaa", "bbbbbbbbbbbb"


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    """A directory whose name is hard on globs, quotes and shells."""
    folder = tmp_path / "my [runs] it's *all* here"
    folder.mkdir()
    return folder


def ask(runs: Path, query: str) -> list[tuple[object, ...]]:
    with reading(StorePaths(runs).published) as con:
        return con.execute(query).fetchall()


def counts(runs: Path) -> dict[str, int]:
    found = {}
    with reading(StorePaths(runs).published) as con:
        for table in STEP_TABLES:
            row = con.execute(f"SELECT count(*) FROM {table}").fetchone()
            assert row is not None
            found[table] = row[0]
    return found


def of_steps(count: int) -> dict[str, int]:
    names = {kind: name for name, kind in STEP_TABLES.items()}
    found = dict.fromkeys(STEP_TABLES, 0)
    for row in step_rows(0):
        found[names[type(row)]] += count
    return found


def test_every_row_is_in_the_store_as_it_was_recorded(runs: Path) -> None:
    recorder = record_run(runs, A, {2: [[True, False], [True, True]]})
    report = collect(runs)
    assert (report.runs, report.new_steps, report.problems, report.published) == (1, 2, (), True)
    with reading(report.store) as con:
        for table, kind in STEP_TABLES.items():
            columns = list(kind.__dataclass_fields__)  # type: ignore[attr-defined]
            recorded: list[tuple[object, ...]] = []
            for step in recorder.steps():
                file = step.path / f"{table}.parquet"
                if file.exists():
                    recorded += [tuple(row[name] for name in columns) for row in pq.read_table(file).to_pylist()]
            names = ", ".join(f'"{name}"' for name in columns)
            stored = con.execute(f"SELECT {names}, run, attempt FROM {table}").fetchall()
            assert sorted(map(repr, stored)) == sorted(repr((*row, A, 0)) for row in recorded), table
            assert recorded, table


def test_what_describes_a_run(runs: Path) -> None:
    recorder = record_run(runs, A, seed=7)
    recorder.commit_checkpoint(
        step=2, stage="rl", stage_step=2, state="end", write=lambda path: (path / "weights").touch()
    )
    RunDir(runs / A).write("lineage.json", Lineage(child=A, parent=B, step=1, state="fork"))
    collect(runs)
    assert ask(runs, "SELECT run, name, seed, arms, state, step, attempts, code_hash FROM runs") == [
        (A, "recorded", 7, ["main"], "done", 2, 1, "code")
    ]
    assert ask(runs, "SELECT path, value::VARCHAR FROM spec_leaves ORDER BY path") == [
        ("nothing", "{}"),
        ("seed", "7"),
        ("stages.rl.name", '"rl"'),
        ("stages.rl.steps", "2"),
    ]
    assert ask(runs, "FROM lineage") == [(A, B, 1, "fork", "all")]
    assert ask(runs, "SELECT run, step, state FROM checkpoints") == [(A, 2, "end")]
    assert ask(runs, "SELECT run, step, file, bytes FROM checkpoint_files") == [(A, 2, "weights", 0)]
    assert ask(runs, "SELECT run, attempt, from_step, state, message FROM attempts") == [(A, 0, 0, "done", "")]
    assert ask(runs, "SELECT experiment, runs, done FROM experiments") == [("recorded", 1, 1)]


def test_every_table_and_column_is_documented(runs: Path) -> None:
    collect(runs)
    undocumented = "FROM duckdb_tables() WHERE schema_name = 'main' AND comment IS NULL AND NOT internal"
    assert ask(runs, undocumented) == []
    undocumented = """
        SELECT table_name, column_name FROM duckdb_columns()
        WHERE schema_name = 'main' AND comment IS NULL AND NOT internal"""
    assert ask(runs, undocumented) == []
    assert ask(runs, "FROM duckdb_views() WHERE NOT internal AND comment IS NULL") == []


def test_steps_come_in_as_they_are_committed(runs: Path) -> None:
    recorder = Recorder.start(RunDir(runs / A), from_step=0)
    for step in range(3):
        recorder.add(step_rows(step))
        commit(recorder, step)
        assert collect(runs).new_steps == 1
        assert counts(runs) == of_steps(step + 1)
    again = collect(runs)
    assert (again.new_steps, again.published) == (0, False)


def test_what_is_not_committed_is_not_there(runs: Path) -> None:
    recorder = record_run(runs, A, steps=3)
    (recorder.steps()[1].path / "MANIFEST.json").unlink()
    assert collect(runs).new_steps == 2
    assert ask(runs, "SELECT DISTINCT step FROM calls ORDER BY step") == [(0,), (2,)]


def test_rows_of_an_older_attempt_give_way(runs: Path) -> None:  # L32
    first = Recorder.start(RunDir(runs / A), from_step=0)
    for step in range(6):
        first.add(step_rows(step, "first"))
        first.add(evaluation_rows(step + 1, [[True]], moment="every 1"))
        commit(first, step)
    collect(runs)
    second = Recorder.start(RunDir(runs / A), from_step=3)
    collect(runs)
    assert ask(runs, "SELECT step FROM failures ORDER BY step") == [(0,), (1,), (2,)]
    second.add(step_rows(3, "second"))
    second.add(evaluation_rows(4, [[True]], moment="every 1"))
    commit(second, 3)
    collect(runs)
    wanted = [(0, "first", 0), (1, "first", 0), (2, "first", 0), (3, "second", 1)]
    assert ask(runs, "SELECT step, message, attempt FROM failures ORDER BY step") == wanted
    assert ask(runs, "SELECT step, attempt FROM evaluations ORDER BY step") == [(1, 0), (2, 0), (3, 0), (4, 1)]
    collect(runs, rebuild=True)
    assert ask(runs, "SELECT step, message, attempt FROM failures ORDER BY step") == wanted
    compact(second.run_dir)
    collect(runs)
    assert ask(runs, "SELECT step, message, attempt FROM failures ORDER BY step") == wanted


@pytest.mark.parametrize("seen", [0, 1, 3])
def test_compaction_changes_no_row(runs: Path, seen: int) -> None:
    recorder = Recorder.start(RunDir(runs / A), from_step=0)
    for step in range(3):
        if step == seen:
            collect(runs)
        recorder.add(step_rows(step))
        commit(recorder, step)
    if seen == 3:
        collect(runs)
    compact(recorder.run_dir)
    assert collect(runs).new_steps == (0 if seen == 3 else 3)
    assert counts(runs) == of_steps(3)


def test_a_run_that_is_gone_goes(runs: Path) -> None:
    record_run(runs, A)
    record_run(runs, B)
    collect(runs)
    for path in sorted((runs / A).rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    (runs / A).rmdir()
    assert collect(runs).runs == 1
    assert counts(runs) == of_steps(2)
    assert ask(runs, "SELECT run FROM runs") == [(B,)]


def test_damage_is_reported_and_the_rest_is_collected(runs: Path) -> None:
    recorder = record_run(runs, A, steps=3)
    record_run(runs, B)
    first, second, _ = recorder.steps()
    (first.path / "calls.parquet").write_bytes(b"no rows")
    (second.path / "MANIFEST.json").write_text("no manifest")
    (runs / B / "status.json").write_text("no status")
    report = collect(runs)
    assert {(one.path, one.problem) for one in report.problems} == {
        (str(first.path), "calls.parquet has changed since it was committed"),
        (str(second.path), "MANIFEST.json is no manifest"),
        (str(runs / B), "status.json is damaged"),
    }
    assert ask(runs, "SELECT run, count(DISTINCT step) FROM calls GROUP BY run ORDER BY run") == [(A, 1), (B, 2)]
    assert ask(runs, "SELECT count(*) FROM problems") == [(3,)]
    assert ask(runs, "SELECT run, state FROM runs ORDER BY run") == [(A, "done"), (B, "unreadable")]


def test_a_run_that_cannot_be_read_keeps_what_was_collected(runs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    record_run(runs, A)
    collect(runs)

    def refuse(self: RunDir) -> None:
        raise PermissionError(13, "Permission denied", str(self.path))

    monkeypatch.setattr(RunDir, "current_steps", refuse)
    [problem] = collect(runs).problems
    assert problem.problem == "Permission denied"
    assert counts(runs) == of_steps(2)


def test_files_that_move_while_they_are_read_are_looked_for_again(runs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    recorder = record_run(runs, A)
    verify = Source.verify

    def late(self: Source) -> None:
        verify(self)
        compact(recorder.run_dir)

    monkeypatch.setattr(Source, "verify", late)
    collect(runs)
    assert counts(runs) == of_steps(2)
    assert not recorder.steps()


def test_files_that_never_stand_still_are_given_up(runs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    record_run(runs, A)

    def never(*args: object) -> None:
        raise Moved

    monkeypatch.setattr(rows_module, "_whole", never)
    with pytest.raises(OSError, match="keep changing"):
        collect(runs)


def test_rows_of_an_older_version_lack_a_column(runs: Path) -> None:
    recorder = record_run(runs, A, steps=1)
    record_run(runs, B, steps=1)
    [step] = recorder.steps()
    file = step.path / "designs.parquet"
    old = pq.read_table(file).drop_columns(["shape"]).append_column("once_known", [["x"]])
    pq.write_table(old, file)
    manifest = step.manifest.model_dump() | {"files": {}}
    commit_directory(step.path, Manifest.model_validate(manifest | {"files": entries(step.path)}))
    assert collect(runs).problems == ()
    assert ask(runs, "SELECT run, script, shape FROM designs ORDER BY run") == [(A, "a", None), (B, "a", "solve")]


NOTEBOOK = """
import sys, duckdb
con = duckdb.connect(sys.argv[1], read_only=sys.argv[2] == "read")
print(con.execute("SELECT count(*) FROM runs").fetchone()[0], flush=True)
for line in sys.stdin:
    print(con.execute(line).fetchone()[0], flush=True)
"""


@contextmanager
def notebook(store: Path, how: str) -> Iterator[subprocess.Popen[str]]:
    """Another process that has the store open."""
    command = [sys.executable, "-c", NOTEBOOK, str(store), how]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None and process.stdout is not None
        assert process.stdout.readline() == "1\n"
        yield process
        process.stdin.close()
    assert process.returncode == 0


def tell(process: subprocess.Popen[str], statement: str) -> str:
    assert process.stdin is not None and process.stdout is not None
    process.stdin.write(statement + "\n")
    process.stdin.flush()
    return process.stdout.readline().strip()


@pytest.mark.parametrize("how", ["read", "write"])
def test_a_notebook_that_has_the_store_open_blocks_nobody(runs: Path, how: str) -> None:
    record_run(runs, A)
    store = collect(runs).store
    with notebook(store, how) as process:
        if how == "write":
            assert tell(process, "CREATE TABLE mine AS SELECT 1 AS one") == "1"
            assert ask(runs, "SELECT count(*) FROM runs") == [(1,)], "read while another process writes into it"
        record_run(runs, B)
        assert collect(runs).published
        assert ask(runs, "SELECT count(*) FROM runs") == [(2,)]
        if how == "write":
            assert tell(process, "INSERT INTO mine VALUES (2)") == "1"
            assert ask(runs, "SELECT count(*) FROM runs") == [(2,)], "its log beside the new file does no harm"
        assert tell(process, "SELECT count(*) FROM runs") == "1", "it keeps what it opened"
    assert ask(runs, "SELECT count(*) FROM runs") == [(2,)]
    with duckdb.connect(store) as con:
        assert con.execute("SELECT count(*) FROM runs").fetchone() == (2,)


def test_a_store_reaches_nothing_outside_it(runs: Path) -> None:
    store = collect(runs).store
    (runs / "secret.csv").write_text("a\n1\n")
    for query in (
        f"FROM read_csv('{(runs / 'secret.csv').as_posix().replace(chr(39), chr(39) * 2)}')",
        "SET enable_external_access = true",
        "INSTALL httpfs",
        "CREATE TABLE mine (a INTEGER)",
    ):
        with reading(store) as con, pytest.raises(duckdb.Error):
            con.execute(query)
    assert not list((runs / ".store").glob("mxspec-*")), "what reading made is gone"


def test_a_store_that_is_damaged_or_of_another_version_is_built_anew(runs: Path) -> None:
    record_run(runs, A)
    paths = StorePaths(runs)
    collect(runs)
    paths.index.write_bytes(b"no database")
    assert collect(runs).new_steps == 2
    with duckdb.connect(paths.index) as con:
        con.execute("UPDATE collector.version SET fingerprint = 'another'")
    assert collect(runs).new_steps == 2
    paths.published.unlink()
    report = collect(runs)
    assert (report.new_steps, counts(runs)) == (0, of_steps(2))


def test_a_file_in_the_place_of_the_store_is_named(runs: Path) -> None:
    record_run(runs, A)
    store = collect(runs).store
    store.write_bytes(b"no database")
    with pytest.raises(NotAStoreError, match=r"results\.duckdb is no store.*--rebuild"), reading(store):
        pass
    with pytest.raises(NotAStoreError), opened_store(runs):
        pass
    collect(runs, rebuild=True)
    assert counts(runs) == of_steps(2)


def test_no_runs_no_store(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="No such directory of runs"):
        collect(tmp_path / "nowhere")
    with pytest.raises(NoStoreError, match="mxspec collect"), reading(tmp_path / "results.duckdb"):
        pass


def test_a_run_that_goes_on_is_described_anew(runs: Path) -> None:
    recorder = Recorder.start(RunDir(runs / A), from_step=0)
    collect(runs)
    assert ask(runs, "SELECT name, state FROM runs") == [("", "stopped")]
    describe_run(recorder.run_dir)
    recorder.finish("failed", step=1, message="no disk")
    write_sweep(runs, SweepRecord(name="sweep", baseline="main", runs=()))
    assert collect(runs).published
    assert ask(runs, "SELECT name, state, stop_reason FROM runs") == [("recorded", "failed", "no disk")]
    assert ask(runs, "FROM sweeps") == [("sweep", "main")]


def test_queries_of_the_guide_run(runs: Path) -> None:
    record_run(runs, A, {1: [[True]], 2: [[True, False], [True, True]]})
    collect(runs)
    guide = (Path(__file__).parents[2] / "docs" / "results.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```sql\n(.*?)```", guide, re.DOTALL)
    queries = [query for block in blocks for query in block.split(";") if query.strip()]
    assert len(queries) > 7
    found = {query: ask(runs, query) for query in queries}
    empty = [query for query, rows in found.items() if not rows]
    assert empty == [query for query in queries if "ablation" in query or "rollout.tree" in query], "there is no sweep"
