"""Warm Ray workers, for real: order, isolation, death, interrupts."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from threading import Event

import pytest

from runners.launch.launcher import Patience
from runners.launch.local import LocalLauncher
from runners.launch.ray import RayLauncher, started_ray
from tests.support.small_jobs import TARGET, Watched, small_job

pytestmark = [pytest.mark.ray, pytest.mark.slow]


@pytest.fixture(scope="module", autouse=True)
def one_ray_for_all() -> Iterator[None]:
    """Workers import the test job by its name, so the checkout must be on their path."""
    path = os.pathsep.join([str(Path(__file__).parents[2]), os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", path)
        with started_ray("local", 2):
            yield


def attempts(runs: Path, run: str) -> list[list[str]]:
    return [line.split() for line in (runs / run / "attempts").read_text().splitlines()]


def test_failures_and_deaths_stay_where_they_happen(tmp_path: Path) -> None:
    jobs = [
        small_job(tmp_path, "prefix"),
        small_job(tmp_path, "a", needs=("prefix",)),
        small_job(tmp_path, "dies", does="die"),
        small_job(tmp_path, "b", needs=("prefix",)),
        small_job(tmp_path, "fails", does="fail"),
        small_job(tmp_path, "after_failure", needs=("fails",)),
        small_job(tmp_path, "bug", does="bug"),
        small_job(tmp_path, "hopeless", does="always die"),
    ]
    watched = Watched()
    launcher = RayLauncher(workers=2, threads=3, patience=Patience(retries=1), run_job=TARGET)
    outcomes = {one.run: one for one in launcher.launch(jobs, watched, Event())}

    assert list(outcomes) == [job.run for job in jobs]
    done = ("prefix", "a", "b", "dies")
    assert {run for run, one in outcomes.items() if one.state == "done"} == set(done)
    assert outcomes["fails"].message == "fails cannot go on"
    assert outcomes["after_failure"].state == "failed"
    assert "fails cannot go on" in outcomes["after_failure"].message
    assert "internal error: TypeError: a bug" in outcomes["bug"].message
    assert "TypeError" in (tmp_path / "bug" / "run.log").read_text()
    assert "the worker died" in outcomes["hopeless"].message

    assert len(attempts(tmp_path, "dies")) == 2, "tried again, from the step that it had committed"
    assert len(attempts(tmp_path, "hopeless")) == 2, "one retry, no more"
    assert len(attempts(tmp_path, "fails")) == 1, "a failure of its own is never tried again"
    assert len(watched.notes) == 2
    assert {threads for run in done for _, threads in attempts(tmp_path, run)} == {"3"}
    processes = [process for run in outcomes if run != "after_failure" for process, _ in attempts(tmp_path, run)]
    assert len(processes) == 9
    assert len(set(processes)) <= 5, "workers are reused: two at first, and one for each of three deaths"
    assert sorted(step for run, step in watched.steps if run == "prefix") == [1, 2, 3, 4]
    assert {one.run for one in watched.ends} == set(outcomes)


def test_an_interrupt_commits_and_the_next_launch_goes_on(tmp_path: Path) -> None:
    stop = Event()
    jobs = [small_job(tmp_path, "long", does="wait"), small_job(tmp_path, "next", needs=("long",))]
    watched = Watched(on_step=lambda progress: stop.set())
    first = RayLauncher(workers=2, run_job=TARGET).launch(jobs, watched, stop)

    assert [one.state for one in first] == ["interrupted", "interrupted"]
    assert first[0].steps >= 1
    assert watched.starts == ["long"]

    resumed = Watched()
    jobs = [small_job(tmp_path, "long"), small_job(tmp_path, "next", needs=("long",))]
    second = LocalLauncher(run_job=TARGET).launch(jobs, resumed, Event())
    assert [one.state for one in second] == ["done", "done"]
    assert resumed.steps[0] == ("long", first[0].steps + 1)


def test_fail_fast_stops_what_runs(tmp_path: Path) -> None:
    jobs = [
        small_job(tmp_path, "waits", does="wait"),
        small_job(tmp_path, "fails", does="fail"),
        small_job(tmp_path, "late"),
    ]
    watched = Watched()
    launcher = RayLauncher(workers=2, patience=Patience(fail_fast=True), run_job=TARGET)
    outcomes = {one.run: one for one in launcher.launch(jobs, watched, Event())}
    assert {run: one.state for run, one in outcomes.items()} == {
        "waits": "interrupted",
        "fails": "failed",
        "late": "interrupted",
    }
    assert "late" not in watched.starts
