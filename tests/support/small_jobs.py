"""Jobs that take no model: real functions that a launcher can import, with a file a step as their commit."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event
from time import perf_counter

from mxspec.compile.job import Job
from mxspec.spec import Spec
from runners.errors import MissingEnvironment
from runners.outcome import Outcome, Progress

TARGET = "tests.support.small_jobs:run_small_job"
STEPS = 4


class Refused(ValueError):
    """What a job with `notes: fail` raises."""


def run_small_job(job: Job, *, on_progress: Callable[[Progress], None] | None, stop: Event | None) -> Outcome:
    """Takes steps that commit; `notes` of the spec say what goes wrong.

    fail: raises after the first step. lacks: names what is missing. bug: raises a TypeError.
    die: the first attempt kills its own process after two steps. wait: takes no further step until it is stopped.
    """
    since = perf_counter()
    home = Path(job.runs_dir) / job.run
    home.mkdir(parents=True, exist_ok=True)
    with (home / "attempts").open("a") as attempts:
        attempts.write(f"{os.getpid()} {os.environ.get('OMP_NUM_THREADS', '')}\n")
    first_attempt = len((home / "attempts").read_text().splitlines()) == 1
    for need in job.needs:
        assert len(list((Path(job.runs_dir) / need).glob("step*"))) == STEPS, "started before its need was done"
    taken = len(list(home.glob("step*")))
    what = job.spec.notes
    while taken < STEPS:
        (home / f"step{taken}").touch()
        taken += 1
        if on_progress is not None:
            on_progress(
                Progress(
                    job.run,
                    "rl",
                    taken,
                    taken,
                    STEPS,
                    ("executor",),
                    metrics={"accuracy": taken / STEPS},
                    news=frozenset({"accuracy"}),
                )
            )
        if what == "fail":
            raise Refused(f"{job.run} cannot go on")
        if what == "lacks":
            raise MissingEnvironment("no model here", "install it")
        if what == "bug":
            raise TypeError("a bug")
        if what == "die" and first_attempt and taken == 2:
            os.kill(os.getpid(), signal.SIGKILL)
        if what == "always die":
            os.kill(os.getpid(), signal.SIGKILL)
        if what == "deaf":
            Event().wait(600)
        if what == "wait" and stop is not None:
            stop.wait(60)
        if stop is not None and stop.is_set():
            return Outcome(job.run, "interrupted", taken, perf_counter() - since)
    return Outcome(job.run, "done", taken, perf_counter() - since)


def small_job(runs: Path, run: str, *, needs: tuple[str, ...] = (), does: str | None = None) -> Job:
    """A job that `run_small_job` executes; `does` is what goes wrong."""
    spec = {
        "language": 1,
        "name": run,
        "notes": does,
        "policy": {
            "model": {"kind": "huggingface", "path": "a/b", "revision": "0" * 40},
            "sharing": {"kind": "shared"},
        },
        "structure": {"kind": "generated", "writer": "designer"},
        "roles": {"designer": {"prompt": {"text": "{question}"}, "sampling": {"max_tokens": 8}}},
        "questions": {"per_step": 1, "from": [{"use": "chain_arithmetic"}]},
        "rollout": {"tree": {}},
        "reward": {"terms": {"correct": {"kind": "grade"}}},
    }
    return Job(
        run=run,
        cell="cell",
        seed=0,
        arms=(run,),
        spec=Spec.model_validate_json(json.dumps(spec)),
        spec_hash="hash",
        chain=(),
        root_state="root",
        needs=needs,
        runs_dir=str(runs),
        base_dir=str(runs),
    )


@dataclass
class Watched:
    """A watcher that keeps what it is told."""

    starts: list[str] = field(default_factory=list)
    steps: list[tuple[str, int]] = field(default_factory=list)
    ends: list[Outcome] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    on_step: Callable[[Progress], None] | None = None

    def started(self, job: Job) -> None:
        self.starts.append(job.run)

    def progressed(self, progress: Progress) -> None:
        self.steps.append((progress.run, progress.step))
        if self.on_step is not None:
            self.on_step(progress)

    def ended(self, outcome: Outcome) -> None:
        self.ends.append(outcome)

    def noted(self, message: str) -> None:
        self.notes.append(message)
