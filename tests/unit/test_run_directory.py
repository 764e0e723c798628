"""What exists in a run directory: the manifest rule, one current value a step (L32), runs that cannot be read."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import fields
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mxspec.rundir import Attempt, DamagedError, RunDir, RunLock, open_runs
from mxspec.rundir.models import Manifest
from mxspec.rundir.rundir import MANIFEST, commit, entries
from mxspec.rundir.tables import STEP_TABLES, column_docs
from runners.record import Recorder
from tests.support.recorded import commit as commit_step
from tests.support.recorded import record_run, step_rows

RUN = "0123456789ab"


@pytest.fixture(autouse=True, scope="module")
def nothing_waits_for_the_disk() -> Iterator[None]:
    """A test cannot cut the power, so it need not wait either."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda file: None)
        yield


def manifest(path: Path, step: int = 0, attempt: int = 0) -> Manifest:
    return Manifest(
        kind="step", attempt=attempt, step=step, stage="rl", stage_step=step, state="s", files=entries(path)
    )


def test_a_directory_exists_once_its_manifest_does(tmp_path: Path) -> None:
    run = RunDir(tmp_path / RUN)
    step = run.step(0, 0)
    step.mkdir(parents=True)
    (step / "steps.parquet").write_bytes(b"rows")
    assert run.steps() == () and run.current_steps() == {}
    commit(step, manifest(step))
    [found] = run.steps()
    found.verify()
    (step / MANIFEST).write_text('{"kind": "step", "att')
    assert run.steps() == ()


@pytest.mark.parametrize(
    ("harm", "problem"),
    [
        (lambda file: file.unlink(), "steps.parquet is missing"),
        (lambda file: file.write_bytes(b"rowz"), "steps.parquet has changed since it was committed"),
        (lambda file: file.write_bytes(b"row"), "steps.parquet has changed since it was committed"),
    ],
)
def test_damage_is_told(tmp_path: Path, harm: Callable[[Path], object], problem: str) -> None:
    step = RunDir(tmp_path / RUN).step(0, 0)
    step.mkdir(parents=True)
    (step / "steps.parquet").write_bytes(b"rows")
    found = commit(step, manifest(step))
    harm(step / "steps.parquet")
    with pytest.raises(DamagedError) as error:
        found.verify()
    assert (error.value.path, error.value.problem) == (step, problem)


def test_steps_resumed_in_between_have_one_current_value_each(tmp_path: Path) -> None:  # L32
    run = RunDir(tmp_path / RUN)
    first = Recorder.start(run, from_step=0)
    for step in range(6):
        first.add(step_rows(step, "first"))
        commit_step(first, step)
    second = Recorder.start(run, from_step=3)
    assert [one.manifest.step for one in run.steps()] == [0, 1, 2], "voided as soon as the attempt begins"
    for step in (3, 4):
        second.add(step_rows(step, "second"))
        commit_step(second, step)
    assert [(one.manifest.step, one.manifest.attempt) for one in run.steps()] == [
        (0, 0),
        (1, 0),
        (2, 0),
        (3, 1),
        (4, 1),
    ]
    messages = [pq.read_table(one.path / "failures.parquet")["message"].to_pylist() for one in run.steps()]
    assert messages == [["first"]] * 3 + [["second"]] * 2


@settings(deadline=None, max_examples=60)
@given(data=st.data())
def test_current_steps_are_what_a_run_that_forgets_would_have(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    run = RunDir(tmp_path_factory.mktemp("runs") / RUN)
    current: dict[int, int] = {}
    for number in range(data.draw(st.integers(1, 4))):
        begin = data.draw(st.integers(0, len(current)))
        run.write(
            f"attempts/{number:04d}.json", Attempt(attempt=number, from_step=begin, started=0.0, pid=1, host="here")
        )
        current = {step: attempt for step, attempt in current.items() if step < begin}
        for step in range(begin, begin + data.draw(st.integers(0, 4))):
            path = run.step(step, number)
            path.mkdir(parents=True)
            if data.draw(st.booleans()):  # killed here
                break
            commit(path, manifest(path, step, number))
            current[step] = number
        assert {step: attempt for step, (attempt, _) in run.current_steps().items()} == current


def test_runs_that_cannot_be_read_stop_nothing(tmp_path: Path) -> None:
    record_run(tmp_path, "aaaaaaaaaaaa")
    record_run(tmp_path, "bbbbbbbbbbbb")
    (tmp_path / "bbbbbbbbbbbb" / "status.json").write_text('{"run": 3')
    (tmp_path / "cccccccccccc").write_text("a file, not a run")
    (tmp_path / "notes").mkdir()
    (tmp_path / "dddddddddddd").mkdir()
    found = {one.run: (one.state, one.message) for one in open_runs(tmp_path)}
    assert found == {
        "aaaaaaaaaaaa": ("done", ""),
        "bbbbbbbbbbbb": ("unreadable", "status.json is damaged"),
        "dddddddddddd": ("stopped", ""),
    }
    assert open_runs(tmp_path / "nowhere") == ()


def test_a_run_without_permission_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    record_run(tmp_path, "aaaaaaaaaaaa")

    def refuse(self: RunDir) -> None:
        raise PermissionError(13, "Permission denied", str(self.path))

    monkeypatch.setattr(RunDir, "checkpoints", refuse)
    [found] = open_runs(tmp_path)
    assert (found.state, found.message) == ("unreadable", f"Permission denied: {tmp_path / 'aaaaaaaaaaaa'}")


def test_a_run_is_running_while_its_lock_is_held(tmp_path: Path) -> None:
    recorder = Recorder.start(RunDir(tmp_path / RUN), from_step=0)
    assert [one.state for one in open_runs(tmp_path)] == ["stopped"], "nobody works on it, whatever it last said"
    with RunLock(recorder.run_dir.path):
        assert [one.state for one in open_runs(tmp_path)] == ["running"]
    recorder.finish("failed", step=0, message="broke")
    assert [(one.state, one.message) for one in open_runs(tmp_path)] == [("failed", "broke")]


def test_every_column_says_what_it_means() -> None:
    for kind in STEP_TABLES.values():
        docs = column_docs(kind)
        assert set(docs) == {one.name for one in fields(kind)}
        assert all(text.endswith(".") for text in docs.values())
