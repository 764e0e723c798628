"""Runs on warm Ray workers: torch is imported once a worker, and runs follow each other in it.

Ray places the workers, tells when one dies, and carries progress; which job starts when is
`JobQueue`'s decision. A worker that dies is replaced and its run tried again, since it goes on
from its last checkpoint; a run that fails by itself is not.
"""

from __future__ import annotations

import logging
import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import Any

import ray
from ray.exceptions import RayActorError, RayError, WorkerCrashedError

from mxspec.compile.job import Job
from runners.errors import MissingEnvironment
from runners.launch.launcher import RUN_JOB, Patience, Watcher
from runners.launch.queue import JobQueue
from runners.launch.worker import Worker
from runners.outcome import Outcome

POLL_SECONDS = 0.25
LAST_NEWS_SECONDS = 5.0
OBJECT_STORE_BYTES = 200_000_000
"""Jobs and progress are small; nothing large goes through the object store."""

WORKER_DIED = (RayActorError, WorkerCrashedError)
"""Infrastructure faults: the process, not the run, is at fault (killed, out of memory, node lost)."""


@dataclass(slots=True)
class _Busy:
    """A worker with the job that it runs, the promise of its outcome and, once asked for, of its news.

    A worker hands out each piece of news once, so a promise of news is kept until it is fulfilled.
    """

    worker: Any
    job: Job
    outcome: ray.ObjectRef[Outcome]
    news: Any = None
    told_to_stop: bool = False


class RayLauncher:
    """The launcher of `runtime.launcher.kind: ray`."""

    def __init__(
        self,
        *,
        workers: int,
        address: str = "local",
        threads: int = 1,
        patience: Patience | None = None,
        run_job: str = RUN_JOB,
    ) -> None:
        """Keeps the settings; Ray starts in `launch`, and only where there is a job.

        Args:
            workers: Runs at the same time.
            address: `local` starts Ray on this machine for the time of the launch; otherwise a cluster's address.
            threads: OpenMP threads of each worker.
            patience: How much trouble to take.
            run_job: Function that executes a job (`module:name`), importable by a worker.
        """
        self._workers = workers
        self._address = address
        self._threads = threads
        self._patience = patience or Patience()
        self._run_job = run_job

    def launch(self, jobs: Sequence[Job], watcher: Watcher, stop: Event) -> tuple[Outcome, ...]:
        """Runs the jobs on warm workers (see `Launcher.launch`).

        Raises:
            ConnectionError: The cluster cannot be reached.
            MissingEnvironment: The runs need a GPU, and there is none.
            KeyboardInterrupt: A second Ctrl-C; workers are killed, committed steps stay.
        """
        if not jobs:
            return ()
        queue = JobQueue(jobs, self._patience, workers=self._workers)
        count = min(self._workers, len(jobs))
        gpus = max(job.gpus for job in jobs)
        with started_ray(self._address, count):
            there: dict[str, float] = ray.cluster_resources()  # type: ignore[no-untyped-call]
            count = min(count, fitting(there, gpus, max(job.memory_mb for job in jobs)))
            warm = [self._new_worker(gpus) for _ in range(count)]
            busy: list[_Busy] = []
            try:
                self._work_off(queue, warm, busy, watcher, stop, gpus)
            finally:
                for worker in (*warm, *(one.worker for one in busy)):
                    ray.kill(worker)
        return queue.outcomes

    def _work_off(
        self, queue: JobQueue, warm: list[Any], busy: list[_Busy], watcher: Watcher, stop: Event, gpus: float
    ) -> None:
        """Hands out jobs until there are none, or nothing may start any more."""
        while not queue.over:
            if stop.is_set():
                _tell_all(watcher, queue.close("not started: interrupted"))
            while warm and (job := queue.take()) is not None:
                worker = warm.pop()
                watcher.started(job)
                busy.append(_Busy(worker, job, worker.run.remote(job.model_dump_json(by_alias=True))))
            if not busy:
                break
            if stop.is_set() or queue.must_stop:
                _ask_to_stop(busy)
            _pass_on_news(busy, watcher)
            ended, _ = ray.wait([one.outcome for one in busy], num_returns=1, timeout=POLL_SECONDS)
            for one in [one for one in busy if one.outcome in ended]:
                busy.remove(one)
                warm.append(self._settle(one, queue, watcher, gpus))

    def _settle(self, one: _Busy, queue: JobQueue, watcher: Watcher, gpus: float) -> Any:
        """Books what became of a job; returns a worker for the next one."""
        run = one.job.run
        try:
            outcome = ray.get(one.outcome)
        except WORKER_DIED as error:
            fault = f"the worker died ({_first_line(error)})"
            if queue.retry(run):
                watcher.noted(f"{run}: {fault}; trying again from its last checkpoint")
            else:
                tried = queue.attempts(run)
                _tell_all(watcher, queue.finish(Outcome(run, "failed", 0, 0.0, f"{fault}, {tried} times")))
            return self._new_worker(gpus)
        except RayError as error:
            _tell_all(watcher, queue.finish(Outcome(run, "failed", 0, 0.0, f"Ray: {_first_line(error)}")))
            ray.kill(one.worker)
            return self._new_worker(gpus)
        for _ in ("asked for before", "since"):
            _pass_on_news([one], watcher, timeout=LAST_NEWS_SECONDS)
        _tell_all(watcher, queue.finish(outcome))
        return one.worker

    def _new_worker(self, gpus: float) -> Any:
        """A worker process; `control` answers while a job runs.

        It gets no runtime environment: Ray 2.60 starts a worker that has one through a shell
        without quoting, which fails for ever where the interpreter's path has a space.
        """
        as_actor: Any = ray.remote  # its stub lacks the options of actors
        actor = as_actor(
            num_cpus=1,
            num_gpus=gpus,
            max_restarts=0,
            concurrency_groups={"control": 1},
        )(Worker)
        return actor.remote(self._run_job, self._threads)


def _pass_on_news(busy: Sequence[_Busy], watcher: Watcher, timeout: float = 0) -> None:
    """Passes on the progress that workers have told of, and asks for more.

    Args:
        busy: Workers; one that is still importing, or has died, has no news.
        watcher: Told.
        timeout: Seconds to wait for news that have not arrived.
    """
    for one in busy:
        if one.news is None:
            one.news = one.worker.news.options(concurrency_group="control").remote()
        arrived, _ = ray.wait([one.news], timeout=timeout)
        if not arrived:
            continue
        try:
            news = ray.get(one.news)
        except WORKER_DIED:
            continue
        one.news = None
        for progress in news:
            watcher.progressed(progress)


def _ask_to_stop(busy: Sequence[_Busy]) -> None:
    for one in busy:
        if not one.told_to_stop:
            one.worker.stop.options(concurrency_group="control").remote()
            one.told_to_stop = True


def _tell_all(watcher: Watcher, outcomes: Sequence[Outcome]) -> None:
    for outcome in outcomes:
        watcher.ended(outcome)


def _first_line(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    return lines[0] if lines else type(error).__name__


def fitting(resources: Mapping[str, float], gpus: float, memory_mb: int) -> int:
    """How many workers fit: one that does not would wait for ever.

    Args:
        resources: What Ray has to give (`GPU`, and `memory` in bytes).
        gpus: GPUs of one worker.
        memory_mb: Memory of one worker.

    Returns:
        At least 1: a single worker may find that its run needs less than was thought.

    Raises:
        MissingEnvironment: There are fewer GPUs than one worker needs.
    """
    fits = max(1, int(resources.get("memory", 0.0) // (memory_mb * 2**20)))
    if gpus:
        there = resources.get("GPU", 0.0)
        if there < gpus:
            raise MissingEnvironment(
                f"a run needs {gpus:g} GPU, and Ray finds {there:g}", "runtime.trainer.accelerator: cpu"
            )
        fits = min(fits, int(there // gpus))
    return fits


@contextmanager
def started_ray(address: str, workers: int) -> Iterator[None]:
    """Ray for the time of the block: quiet, without dashboard or usage reports, on the loopback device.

    A local Ray keeps its session in a temporary directory that goes with it. A Ray that this
    process has started before is used, and goes on afterwards.

    Raises:
        ConnectionError: The cluster cannot be reached.
    """
    if ray.is_initialized():
        yield
        return
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR, "configure_logging": True}
    if address != "local":
        ray.init(address=address, **quiet)
        try:
            yield
        finally:
            ray.shutdown()
        return
    short = Path("/tmp")  # socket paths hold about 100 characters, so a long TMPDIR would not do
    with tempfile.TemporaryDirectory(
        prefix="mx-", dir=short if short.is_dir() else None, ignore_cleanup_errors=True
    ) as session:
        ray.init(
            address="local",
            num_cpus=workers,
            include_dashboard=False,
            object_store_memory=OBJECT_STORE_BYTES,
            _node_ip_address="127.0.0.1",
            _temp_dir=session,
            **quiet,
        )
        try:
            yield
        finally:
            ray.shutdown()
