"""A run under way: where it stands, what it works with, what it has promised to record."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from math import floor
from threading import Event
from time import perf_counter

from mxspec.compile.job import Job, Stretch
from mxspec.plan.identity import state_at
from mxspec.rundir import Manifest
from mxspec.rundir.tables import StageRow, StepRow, TimingRow
from mxspec.spec import Spec
from mxspec.spec.runtime import MultipleOf
from runners.benchmarks import Question
from runners.engines.draws import seed_of
from runners.errors import GateMissed
from runners.evaluation import Moment, evaluate
from runners.learning.learner import Clock, Learner, Metrics
from runners.outcome import Progress
from runners.policies.checkpoint import save_policies
from runners.position import Position, chain_states, max_steps
from runners.record import Recorder
from runners.workbench import Workbench


@dataclass(slots=True)
class Run:
    """The mutable side of a run; `coevolve` says what happens, this keeps the books."""

    job: Job
    bench: Workbench
    learner: Learner
    recorder: Recorder
    position: Position
    stop: Event
    on_progress: Callable[[Progress], None]
    total_steps: int
    state: str
    missed: GateMissed | None = None
    """Why the run ends with this step."""
    measured: dict[str, float] = field(default_factory=dict)
    news: set[str] = field(default_factory=set)
    response_tokens: float = 0.0
    _timings: list[TimingRow] = field(default_factory=list)

    @property
    def spec(self) -> Spec:
        """The resolved spec."""
        return self.job.spec

    def timed(self, part: str, since: float) -> float:
        """Books the seconds since `since` on a part of the step; returns the time now."""
        now = perf_counter()
        self._timings.append(TimingRow(self.position.step, part, now - since))
        return now

    def draw_questions(self) -> tuple[Question, ...]:
        """The next questions, each source's share exact over time; the positions move on."""
        assert self.spec.questions is not None, "an rl stage asks questions"
        wanted, uses = self.spec.questions.per_step, self.spec.questions.source
        taken = sum(self.position.questions.values())
        total = sum(use.weight for use in uses)
        bounds = [sum(use.weight for use in uses[:i]) / total for i in range(len(uses) + 1)]
        drawn: list[Question] = []
        for i, use in enumerate(uses):
            low, high = (floor((taken + wanted) * b + 1e-9) - floor(taken * b + 1e-9) for b in bounds[i : i + 2])
            key = f"{i}:{use.use}:{use.split}"
            position = self.position.questions.get(key, 0)
            drawn += self.bench.benchmarks[use.use].questions_at(
                use.split, position, high - low, seed_of(self.spec.seed, "questions", key), use.difficulty
            )
            self.position.questions[key] = position + high - low
        return tuple(drawn)

    def clock(self) -> Clock:
        """Counts that a schedule may follow."""
        return Clock(run_steps=self.position.step, stage_steps=self.position.stage_step)

    def begin(self) -> None:
        """What is due before the first step: evaluations, and a checkpoint where the spec keeps one."""
        self.evaluate({"start"})
        if "start" in self.spec.runtime.checkpoints.keep and self.job.chain:
            self.checkpoint(self.job.chain[0])

    def advance(self, stretch: Stretch) -> None:
        """Counts the step that was just taken."""
        self.position.step += 1
        self.position.stage_step += 1
        self.position.done += 1

    def reach(self, stretch: Stretch, state: str) -> None:
        """The policies that the stretch trains are now those of `state`."""
        self.state = state
        for name in dict.fromkeys(self.bench.policies.of_role[role] for role in stretch.trains):
            self.bench.policies.by_name[name].sync(state)

    def over(self, stretch: Stretch) -> bool:
        """Whether the stretch has had all its steps (a gate may end one before)."""
        return self.position.done >= max_steps(self.job, self.position.stretch)

    def labels(self, *, ended: bool) -> frozenset[str]:
        """What the present moment is: after a step of `stretch`, which has ended or not."""
        stretch = self.job.chain[self.position.stretch]
        labels = {"epoch" if stretch.kind == "sft" else "rl_step"}
        if ended:
            labels |= end_labels(self.job, self.position.stretch)
        return frozenset(labels)

    def evaluate(self, labels: Iterable[str], *, skip: Iterable[str] = ()) -> dict[str, float]:
        """Runs the evaluations that are due."""
        at = self.position
        moment = Moment(at.step, self.job.chain[at.stretch].stage, at.stage_step, frozenset(labels))
        found = evaluate(self.spec, self.bench, moment, self.recorder, skip=frozenset(skip))
        self.measured |= found
        self.news |= found.keys()
        return found

    def commit(self, stretch: Stretch, metrics: Metrics, *, ended: bool, reason: str) -> bool:
        """Commits the step just taken, then a checkpoint where one is due.

        Returns:
            Whether a stop was asked for, which this commit has made a checkpoint for. A stop
            asked for later than that is seen by the next commit.
        """
        at = self.position
        stopping = self.stop.is_set()
        index = at.step - 1
        rows = [
            StepRow(index, stretch.stage, at.stage_step - 1, role, metric, value)
            for (role, metric), value in sorted(metrics.items(), key=lambda item: (item[0][0] or "", item[0][1]))
        ]
        self.response_tokens += metrics.get((None, "response_tokens"), 0.0)
        self.recorder.add(rows)
        self.recorder.add(self._timings)
        self._timings.clear()
        if ended:
            masked = [role for role in self.spec.roles if role not in stretch.trains]
            self.recorder.add(
                [
                    StageRow(
                        step=index,
                        stage=stretch.stage,
                        kind=stretch.kind,
                        trained=",".join(stretch.trains),
                        masked=",".join(masked),
                        first_step=at.step - at.done,
                        last_step=index,
                        stop_reason=reason,
                    )
                ]
            )
        self.recorder.commit_step(step=index, stage=stretch.stage, stage_step=at.stage_step - 1, state=self.state)
        checkpoints = self.spec.runtime.checkpoints
        due = ended or at.step % checkpoints.every == 0 or stopping
        due |= any(isinstance(one, MultipleOf) and at.stage_step % one.multiple_of == 0 for one in checkpoints.keep)
        due &= self.missed is None  # nothing goes on from here
        if due:
            self.checkpoint(stretch)
        self.report(stretch)
        if self.stop.is_set() and not stopping:  # asked for by who watches, or meanwhile
            stopping = True
            if not due:
                self.checkpoint(stretch)
        return stopping

    def checkpoint(self, stretch: Stretch) -> None:
        """Commits everything that a later process needs to go on from here."""
        at = self.position
        self.recorder.commit_checkpoint(
            step=at.step,
            stage=stretch.stage,
            stage_step=at.stage_step,
            state=self.state,
            write=lambda path: save_policies(path, self.bench.policies, self.bench.fabric, at.questions),
        )
        self.recorder.prune_checkpoints(self.keeps)

    def keeps(self, checkpoint: Manifest) -> bool:
        """Whether a checkpoint outlives the next one: the newest does, and those that the spec keeps."""
        keep = self.spec.runtime.checkpoints.keep
        if checkpoint.step == self.position.step:
            return True
        if checkpoint.step == 0:
            return "start" in keep
        if any(isinstance(one, MultipleOf) and checkpoint.stage_step % one.multiple_of == 0 for one in keep):
            return True
        known = chain_states(self.job).get(checkpoint.state)
        if known is None or known[1] != 0:
            return False
        return bool(end_labels(self.job, known[0] - 1) & set(keep))

    def report(self, stretch: Stretch, message: str = "") -> None:
        """Tells whoever watches, and the run directory."""
        at = self.position
        headline = {name: value for name, value in self.measured.items() if name.endswith(".accuracy")}
        progress = Progress(
            run=self.job.run,
            stage=stretch.stage,
            stage_step=at.stage_step,
            step=at.step,
            total_steps=self.total_steps,
            trained=stretch.trains,
            message=message,
            metrics=headline,
            news=frozenset(self.news & headline.keys()),
        )
        self.news.clear()
        self.recorder.heartbeat(progress, force=self.stop.is_set())
        self.on_progress(progress)

    def next_stretch(self) -> None:
        """Moves on to the next stretch; a new stage counts its steps from 0."""
        at, chain = self.position, self.job.chain
        before = chain[at.stretch]
        at.stretch, at.done = at.stretch + 1, 0
        if at.stretch < len(chain) and chain[at.stretch].stage_index != before.stage_index:
            at.stage_step = 0

    def stretch_state(self, stretch: Stretch, *, ended: bool) -> str:
        """The state after the steps taken so far."""
        return stretch.end_state if ended else state_at(stretch, self.position.done)


def end_labels(job: Job, index: int) -> set[str]:
    """What the end of a stretch is the end of."""
    chain = job.chain
    labels = {"block_end"} if chain[index].kind == "rl" else set()
    last = index + 1 == len(chain)
    if last or chain[index + 1].stage_index != chain[index].stage_index:
        labels.add("stage_end")
    if last and not job.prefix:
        labels.add("end")
    return labels
