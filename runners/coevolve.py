"""The algorithm on one page: stage -> rollout -> credit -> update -> sync -> evaluate -> record.

A stretch is a run of steps that train the same roles: an sft stage, or one
block of an rl stage. Every step of every stretch is one turn of the loop;
kinds of stage differ in how a step makes its batch and which loss it takes.
Roles that a stretch does not train contribute no row, so their parameters
(split) or their tokens (shared) leave no trace in parameters and moments.
"""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter
from typing import Literal

from mxspec.compile.job import Stretch
from mxspec.spec.stages import SftStage
from runners.credit.tree import assign
from runners.errors import GateMissed
from runners.learning.imitate import demonstration_rows
from runners.learning.learner import Metrics
from runners.rollout.metrics import tree_metrics
from runners.rollout.outcomes import outcomes_of, term_rows
from runners.rollout.rollout import rollout
from runners.rollout.rows import tree_rows
from runners.rollout.samples import samples_of
from runners.run import Run


def coevolve(run: Run) -> Literal["done", "interrupted"]:
    """Takes every step that the run still owes, and leaves a commit after each.

    Returns:
        `interrupted` where a stop was asked for before the last step.

    Raises:
        GateMissed: A stage ended without the measured values that its gate asks for.
    """
    at, chain = run.position, run.job.chain
    if at.step == 0:
        run.begin()
    while at.stretch < len(chain):
        stretch = chain[at.stretch]
        clock = perf_counter()
        metrics = STEP[stretch.kind](run, stretch)
        run.advance(stretch)
        clock = run.timed("step", clock)
        ended, reason = _judge(run, stretch)
        run.timed("evaluate", clock)
        stopping = run.commit(stretch, metrics, ended=ended, reason=reason)
        if run.missed is not None:
            raise run.missed  # now that what was measured is recorded
        if ended:
            run.next_stretch()
        if stopping and at.stretch < len(chain):
            return "interrupted"
    return "done"


def sft_step(run: Run, stretch: Stretch) -> Metrics:
    """One epoch of imitation: fresh demonstrations, cross entropy on the responses."""
    stage = run.spec.stages[stretch.stage_index]
    assert isinstance(stage, SftStage) and run.spec.learn.sft is not None
    rows = demonstration_rows(run.bench, stage, epoch=run.position.stage_step)
    return run.learner.imitate(rows, run.spec.learn.sft, run.clock())


def rl_step(run: Run, stretch: Stretch) -> Metrics:
    """One rollout batch and its update (MetaAgent-X, section 3)."""
    spec, at, method = run.spec, run.position, run.bench.method()
    assert spec.learn.rl is not None
    if at.stage_step == 0 and spec.learn.rl.update.moments == "reset":
        run.learner.reset_moments(list(spec.roles))
    clock = perf_counter()
    tree = rollout(run.draw_questions(), method, (spec.seed, "train", stretch.stage, at.stage_step))
    outcomes = outcomes_of(tree, spec.reward, run.bench.terms)
    credits = assign(outcomes, spec.reward, {role: spec.credit[role] for role in stretch.trains})
    clock = run.timed("rollout", clock)
    metrics = run.learner.reinforce(samples_of(tree, credits, method.served), spec.learn.rl, run.clock())
    run.timed("update", clock)
    run.recorder.add(tree_rows(tree, at.step, None))
    run.recorder.add(term_rows(outcomes, spec.reward, at.step))
    for role, credit in credits.items():
        run.recorder.add(credit.rows(at.step))
        metrics |= {(role, name): value for name, value in credit.metrics.as_dict().items()}
    return metrics | {(None, name): value for name, value in tree_metrics(tree).items()}


STEP: dict[str, Callable[[Run, Stretch], Metrics]] = {"sft": sft_step, "rl": rl_step}


def _judge(run: Run, stretch: Stretch) -> tuple[bool, str]:
    """Evaluates the new state; says whether the stretch has ended, and why."""
    stage = run.spec.stages[stretch.stage_index]
    gate = stage.gate if isinstance(stage, SftStage) else None
    over = run.over(stretch)
    ended = over and gate is None
    run.reach(stretch, run.stretch_state(stretch, ended=ended))
    measured = run.evaluate(run.labels(ended=ended))
    if gate is None:
        return ended, "steps" if ended else ""
    wanted = {one.watch: one.at_least for one in gate.all}
    opened = all(measured[name] >= value for name, value in wanted.items())
    if over and not opened and gate.otherwise == "fail":
        run.missed = GateMissed(stretch.stage, measured, wanted)
        return False, ""
    if opened or over:
        run.reach(stretch, stretch.end_state)
        run.evaluate(run.labels(ended=True), skip={name.split(".")[1] for name in measured})
    return opened or over, "gate" if opened else "max_epochs" if over else ""
