"""The recorder: durable rows, a full disk, kills between any two writes, compaction."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet as pq
import pytest

import mxspec.rundir.files as files_module
import runners.record.compact as compact_module
import runners.record.recorder as recorder_module
from mxspec.rundir import RunDir, Status
from mxspec.rundir.tables import STEP_TABLES, FailureRow, QuestionRow, StepRow
from runners.outcome import Progress
from runners.record import Recorder, StorageError
from runners.record.compact import compact
from tests.support.recorded import commit, step_rows

RUN = "0123456789ab"


@pytest.fixture(autouse=True)
def nothing_waits_for_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """A test cannot cut the power, so it need not wait either."""
    monkeypatch.setattr(os, "fsync", lambda file: None)


class Killed(BaseException):
    """Stands for SIGKILL: nothing of ours may catch it."""


def rows_of(run: RunDir) -> dict[str, list[dict[str, object]]]:
    """All rows that a reader finds, by table."""
    found: dict[str, list[dict[str, object]]] = {}
    whole = RunDir.compact.fget(run)  # type: ignore[attr-defined]
    directories = [whole] if (whole / "MANIFEST.json").exists() else [one.path for one in run.steps()]
    for directory in directories:
        for file in sorted(directory.glob("*.parquet")):
            table = pq.read_table(file)
            names = [name for name in table.column_names if name != "attempt"]
            found.setdefault(file.stem, []).extend(table.select(names).to_pylist())
    return found


def expected(*steps: int, text: str = "") -> dict[str, int]:
    counts: dict[str, int] = {}
    names = {kind: name for name, kind in STEP_TABLES.items()}
    for step in steps:
        for row in step_rows(step, text):
            counts[names[type(row)]] = counts.get(names[type(row)], 0) + 1
    return counts


def counted(run: RunDir) -> dict[str, int]:
    return {table: len(rows) for table, rows in rows_of(run).items()}


def progress(step: int) -> Progress:
    return Progress(RUN, "rl", step, step, 9, ("executor",), metrics={"evaluate.test.accuracy": 0.5})


def full_disk(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """From now on nothing can be written; call the result to free some space."""
    write = recorder_module.write_encoded

    def refuse(*args: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(recorder_module, "write_encoded", refuse)
    return lambda: monkeypatch.setattr(recorder_module, "write_encoded", write)


def test_what_is_recorded_is_read_back(tmp_path: Path) -> None:
    recorder = Recorder.start(RunDir(tmp_path / RUN), from_step=0)
    odd = "tab\tquote'\"\n\x00 日本 \u2028 ${x}"
    recorder.add([QuestionRow(0, None, "q0000", "chain", "train", "h", None, odd, "")])
    recorder.add([FailureRow(0, "here", "kind", "")])
    commit(recorder, 0)
    [step] = recorder.steps()
    step.verify()
    assert {name: entry.rows for name, entry in step.manifest.files.items()} == {
        "questions.parquet": 1,
        "failures.parquet": 1,
    }
    [row] = pq.read_table(step.path / "questions.parquet").to_pylist()
    assert (row["question"], row["difficulty"], row["evaluation"], row["gold"]) == (odd, None, None, "")


def test_a_full_disk_stops_no_training_and_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    recorder = Recorder.start(RunDir(tmp_path / RUN), from_step=0)
    recorder.add(step_rows(0))
    commit(recorder, 0)
    free = full_disk(monkeypatch)
    for step in (1, 2):
        recorder.add(step_rows(step))
        commit(recorder, step)
    assert "No space left on device: 2 steps wait to be written" in recorder.problem
    recorder.heartbeat(progress(3), force=True)
    status = recorder.run_dir.status()
    assert status is not None and "No space left" in status.message
    saved: list[Path] = []
    assert not recorder.commit_checkpoint(step=3, stage="rl", stage_step=3, state="s", write=saved.append)
    assert saved == [], "a checkpoint without the rows before it would lose them"
    assert counted(recorder.run_dir) == expected(0)
    free()
    recorder.add(step_rows(3))
    commit(recorder, 3)
    assert recorder.problem == ""
    wanted = expected(0, 1, 2, 3)
    assert counted(recorder.run_dir) == wanted | {"failures": wanted["failures"] + 1}
    recorder.finish("done", step=4)


def test_what_a_full_disk_held_up_is_told_in_the_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    recorder = Recorder.start(RunDir(tmp_path / RUN), from_step=0)
    free = full_disk(monkeypatch)
    recorder.add([StepRow(0, "rl", 0, None, "accuracy", 0.5)])
    commit(recorder, 0)
    commit(recorder, 1)
    free()
    commit(recorder, 2)
    told = [(row["step"], row["where"], row["kind"]) for row in rows_of(recorder.run_dir)["failures"]]
    assert told == [(0, "rows", "ENOSPC")], "once, however often it was tried"


def test_an_attempt_says_how_it_ended(tmp_path: Path) -> None:
    run = RunDir(tmp_path / RUN)
    Recorder.start(run, from_step=0)
    Recorder.start(run, from_step=0).finish("failed", step=3, message="broke")
    killed, failed = run.attempts()
    assert (killed.state, killed.ended) == (None, 0.0)
    assert (failed.attempt, failed.from_step, failed.state, failed.message) == (1, 0, "failed", "broke")
    assert failed.ended >= failed.started


def test_a_run_whose_rows_never_found_space_is_not_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    recorder = Recorder.start(RunDir(tmp_path / RUN), from_step=0)
    full_disk(monkeypatch)
    recorder.add(step_rows(0))
    commit(recorder, 0)
    with pytest.raises(StorageError, match="free space and run again"):
        recorder.finish("done", step=1)


def test_what_waits_for_space_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    recorder = Recorder.start(RunDir(tmp_path / RUN), from_step=0)
    full_disk(monkeypatch)
    monkeypatch.setattr(recorder_module, "MOST_WAITING", 2 * len(step_rows(0)) + 1)
    for step in (0, 1):
        recorder.add(step_rows(step))
        commit(recorder, step)
    recorder.add(step_rows(2))
    with pytest.raises(StorageError, match="goes on from the last checkpoint"):
        commit(recorder, 2)


def test_a_kill_in_any_write_leaves_a_whole_step_or_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write, replace = recorder_module.write_encoded, os.replace
    for kill_at in range(40):
        run = RunDir(tmp_path / f"{kill_at:012x}")
        recorder = Recorder.start(run, from_step=0)
        left = [kill_at]

        def half(path: Path, content: bytes, rows: int, left: list[int] = left) -> object:
            if left[0] == 0:
                write(path, content[: len(content) // 2], rows)
                raise Killed
            left[0] -= 1
            return write(path, content, rows)

        def never(source: Path, target: Path, left: list[int] = left) -> None:
            if left[0] == 0:
                raise Killed
            replace(source, target)

        recorder.add(step_rows(0))
        try:
            with monkeypatch.context() as patch:
                patch.setattr(recorder_module, "write_encoded", half)
                patch.setattr(os, "replace", never)
                commit(recorder, 0)
            killed = False
        except Killed:
            killed = True
        assert counted(run) == ({} if killed else expected(0))
        again = Recorder.start(run, from_step=0)
        again.add(step_rows(0, "again"))
        commit(again, 0)
        assert counted(run) == expected(0, text="again")
        assert rows_of(run)["failures"][0]["message"] == "again"
        if not killed:
            break
    assert kill_at == len(expected(0)) + 1, "in the file of any table, and before the manifest"


def test_a_checkpoint_is_whole_or_not_there(tmp_path: Path) -> None:
    recorder = Recorder.start(RunDir(tmp_path / RUN), from_step=0)

    def write(path: Path) -> None:
        (path / "executor").mkdir()
        (path / "executor" / "model.safetensors").write_bytes(b"weights")

    def dies(path: Path) -> None:
        write(path)
        raise Killed

    def fills(path: Path) -> None:
        write(path)
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    assert recorder.commit_checkpoint(step=2, stage="rl", stage_step=2, state="two", write=write)
    with pytest.raises(Killed):
        recorder.commit_checkpoint(step=4, stage="rl", stage_step=4, state="four", write=dies)
    assert not recorder.commit_checkpoint(step=6, stage="rl", stage_step=6, state="six", write=fills)
    assert "the checkpoint was not written" in recorder.problem
    [one] = recorder.run_dir.checkpoints()
    one.verify()
    assert (one.manifest.step, one.manifest.state) == (2, "two")
    assert recorder.commit_checkpoint(step=4, stage="rl", stage_step=4, state="four", write=write)
    recorder.prune_checkpoints(lambda manifest: False)
    assert [one.manifest.step for one in recorder.run_dir.checkpoints()] == [4], "the newest stays"


def test_a_beat_is_written_once_a_second(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr(recorder_module, "time", lambda: now)
    recorder = Recorder.start(RunDir(tmp_path / RUN), from_step=0)

    def said() -> int:
        status = recorder.run_dir.read("status.json", Status)
        assert status is not None
        return status.step

    now = 100.5
    recorder.heartbeat(progress(1))
    assert said() == 0
    now = 101.0
    recorder.heartbeat(progress(2))
    assert said() == 2
    recorder.heartbeat(progress(3), force=True)
    assert said() == 3


def test_compaction_keeps_every_row(tmp_path: Path) -> None:
    run = RunDir(tmp_path / RUN)
    first = Recorder.start(run, from_step=0)
    for step in range(4):
        first.add(step_rows(step, "first"))
        commit(first, step)
    second = Recorder.start(run, from_step=2)
    second.add(step_rows(2, "second"))
    commit(second, 2)
    before = rows_of(run)
    compact(run)
    assert rows_of(run) == before
    assert run.steps() == () and list(run.step(0, 0).parent.iterdir()) == []
    attempts = pq.read_table(run.compact / "failures.parquet")["attempt"].to_pylist()
    assert attempts == [0, 0, 1]
    compact(run)
    assert rows_of(run) == before


@pytest.mark.parametrize("kill_at", range(5))
def test_a_kill_while_compacting_shows_every_row_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kill_at: int
) -> None:
    run = RunDir(tmp_path / RUN)
    recorder = Recorder.start(run, from_step=0)
    for step in range(3):
        recorder.add(step_rows(step))
        commit(recorder, step)
    before = rows_of(run)
    discard, write = compact_module.discard, files_module.os.replace
    left = kill_at

    def dies(*args: object) -> None:
        nonlocal left
        if left == 0:
            raise Killed
        left -= 1
        (discard if len(args) == 1 else write)(*args)  # type: ignore[arg-type]

    with monkeypatch.context() as patch:
        patch.setattr(compact_module, "discard", dies)
        patch.setattr(files_module.os, "replace", dies)
        with pytest.raises(Killed):
            compact(run)
    assert rows_of(run) == before
    compact(run)
    assert rows_of(run) == before
