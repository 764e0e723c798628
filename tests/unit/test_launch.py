"""Which job starts when, what a failure does to the others, and the first Ctrl-C."""

from __future__ import annotations

import signal
from pathlib import Path
from threading import Event

import pytest

from runners.launch.interrupts import stop_on_signals
from runners.launch.launcher import Patience
from runners.launch.local import LocalLauncher
from runners.launch.queue import JobQueue
from runners.outcome import Outcome
from tests.support.small_jobs import TARGET, Watched, small_job

HERE = Path("runs")


def done(run: str) -> Outcome:
    return Outcome(run, "done", 4, 1.0)


def failed(run: str) -> Outcome:
    return Outcome(run, "failed", 1, 1.0, "no disk")


def taken(queue: JobQueue) -> str | None:
    job = queue.take()
    return job.run if job else None


def test_needs_come_first_in_the_order_of_the_jobs() -> None:
    jobs = [
        small_job(HERE, "a", needs=("cold",)),
        small_job(HERE, "cold"),
        small_job(HERE, "b", needs=("cold", "done before")),
        small_job(HERE, "c"),
    ]
    queue = JobQueue(jobs, Patience())
    assert [taken(queue), taken(queue), taken(queue)] == ["cold", "c", None]
    queue.finish(done("cold"))
    assert [taken(queue), taken(queue), taken(queue)] == ["a", "b", None]
    for run in ("b", "c", "a"):
        queue.finish(done(run))
    assert queue.over
    assert [one.run for one in queue.outcomes] == ["a", "cold", "b", "c"]


def test_a_job_that_others_wait_for_goes_first_before_workers_run_out_of_others() -> None:
    jobs = [
        *(small_job(HERE, run) for run in ("a", "b", "c")),
        small_job(HERE, "cold"),
        *(small_job(HERE, run, needs=("cold",)) for run in ("d", "e")),
    ]
    two, one = JobQueue(jobs, Patience(), workers=2), JobQueue(jobs, Patience())
    assert [taken(two) for _ in range(4)] == ["a", "b", "cold", "c"]
    assert [taken(one) for _ in range(4)] == ["a", "b", "c", "cold"]


def test_a_failure_takes_its_dependents_along_and_nobody_else() -> None:
    jobs = [
        small_job(HERE, "cold"),
        small_job(HERE, "child", needs=("cold",)),
        small_job(HERE, "grandchild", needs=("child",)),
        small_job(HERE, "other"),
    ]
    queue = JobQueue(jobs, Patience())
    queue.take()
    ended = queue.finish(failed("cold"))
    assert [(one.run, one.state) for one in ended] == [
        ("cold", "failed"),
        ("child", "failed"),
        ("grandchild", "failed"),
    ]
    assert ended[1].message == "not started: it goes on from cold, which failed: no disk"
    assert taken(queue) == "other"


def test_an_interrupted_need_interrupts_its_dependents() -> None:
    queue = JobQueue([small_job(HERE, "cold"), small_job(HERE, "child", needs=("cold",))], Patience())
    queue.take()
    ended = queue.finish(Outcome("cold", "interrupted", 2, 1.0))
    assert [one.state for one in ended] == ["interrupted", "interrupted"]


@pytest.mark.parametrize(
    ("patience", "starts"),
    [(Patience(), 4), (Patience(max_failures=2), 2), (Patience(max_failures=1), 1), (Patience(fail_fast=True), 1)],
)
def test_failures_allowed(patience: Patience, starts: int) -> None:
    queue = JobQueue([small_job(HERE, str(i)) for i in range(4)], patience)
    started = 0
    while (run := taken(queue)) is not None:
        started += 1
        queue.finish(failed(run))
    assert started == starts
    assert queue.over
    assert [one.state for one in queue.outcomes] == ["failed"] * starts + ["interrupted"] * (4 - starts)


def test_retries_are_bounded_and_come_first() -> None:
    queue = JobQueue([small_job(HERE, "a"), small_job(HERE, "b")], Patience(retries=2))
    for attempt in (1, 2, 3):
        assert taken(queue) == "a"
        assert queue.attempts("a") == attempt
        assert queue.retry("a") == (attempt < 3)
    queue.finish(failed("a"))
    assert taken(queue) == "b"


def test_circles_and_twins_are_refused() -> None:
    with pytest.raises(ValueError, match="circle: a, b"):
        JobQueue([small_job(HERE, "a", needs=("b",)), small_job(HERE, "b", needs=("a",))], Patience())
    with pytest.raises(ValueError, match="same run"):
        JobQueue([small_job(HERE, "a"), small_job(HERE, "a")], Patience())


def test_local_runs_go_on_after_a_failure_and_say_why(tmp_path: Path) -> None:
    jobs = [
        small_job(tmp_path, "bug", does="bug"),
        small_job(tmp_path, "fails", does="fail"),
        small_job(tmp_path, "child", needs=("cold",)),
        small_job(tmp_path, "cold"),
    ]
    watched = Watched()
    outcomes = LocalLauncher(run_job=TARGET).launch(jobs, watched, Event())
    assert [one.state for one in outcomes] == ["failed", "failed", "done", "done"]
    assert watched.starts == ["bug", "fails", "cold", "child"]
    assert outcomes[0].message.startswith("internal error: TypeError: a bug")
    assert outcomes[1].message == "fails cannot go on"
    log = (tmp_path / "fails" / "run.log").read_text()
    assert "Refused: fails cannot go on" in log
    assert "rl 1 (1/4)  trains executor  accuracy 0.250" in log


def test_what_the_machine_lacks_is_told_apart_and_passed_on(tmp_path: Path) -> None:
    jobs = [small_job(tmp_path, "cold", does="lacks"), small_job(tmp_path, "child", needs=("cold",))]
    cold, child = LocalLauncher(run_job=TARGET).launch(jobs, Watched(), Event())
    assert (cold.message, cold.environment) == ("no model here; install it", True)
    assert child.environment


def test_a_run_directory_that_cannot_be_made_fails_one_run(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("a file where a directory should be")
    outcomes = LocalLauncher(run_job=TARGET).launch(
        [small_job(tmp_path, "a"), small_job(tmp_path, "b")], Watched(), Event()
    )
    assert [one.state for one in outcomes] == ["failed", "done"]
    assert "File exists" in outcomes[0].message


def test_a_stop_ends_the_job_in_progress_and_starts_no_other(tmp_path: Path) -> None:
    stop = Event()
    watched = Watched(on_step=lambda progress: stop.set())
    jobs = [small_job(tmp_path, "a", does="wait"), small_job(tmp_path, "b")]
    outcomes = LocalLauncher(run_job=TARGET).launch(jobs, watched, stop)
    assert [one.state for one in outcomes] == ["interrupted", "interrupted"]
    assert watched.starts == ["a"]


def test_no_more_workers_than_fit() -> None:
    from runners.errors import MissingEnvironment
    from runners.launch.ray import fitting

    gigabytes = float(2**30)
    assert fitting({"CPU": 2, "memory": 16 * gigabytes}, 0, 1500) == 10
    assert fitting({"memory": 0.5 * gigabytes}, 0, 1500) == 1
    assert fitting({"memory": 64 * gigabytes, "GPU": 2}, 1, 1500) == 2
    with pytest.raises(MissingEnvironment, match="needs 1 GPU, and Ray finds 0"):
        fitting({"memory": 64 * gigabytes}, 1, 1500)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_first_signal_asks_and_the_second_insists(number: signal.Signals) -> None:
    stop, told = Event(), []
    before = signal.getsignal(number)
    with stop_on_signals(stop, lambda: told.append(1)):
        signal.raise_signal(number)
        assert stop.is_set()
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(number)
    assert told == [1]
    assert signal.getsignal(number) is before
