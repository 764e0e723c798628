"""The quickstart at a size that takes seconds: every part of it, a few steps of each."""

from __future__ import annotations

from pathlib import Path

from mxspec.compile.job import Job
from mxspec.compile.jobs import compile_jobs
from mxspec.load import load_spec
from mxspec.load.shipped import specs_dir
from mxspec.plan.make import make_plan

SETS = (
    "stages.cold.data.rows={executor: 256, designer: 256}",
    "stages.cold.gate.max_epochs=2",
    "stages.cold.gate.otherwise=go_on",
    "learn.sft.batch=64",
    "learn.sft.schedule={kind: constant}",
    "stages.rl.steps=6",
    "stages.rl.train.every=2",
    "questions.per_step=4",
    "rollout.tree={designs: 3, executions: 2}",
    "evaluate.reduce.on=[{use: chain_arithmetic, split: validation, difficulty: [2], limit: 4}]",
    "evaluate.validation.on=[{use: chain_arithmetic, split: validation, limit: 4}]",
    "evaluate.test={at: [stage_end, {every: 2}, end], on: [{use: chain_arithmetic, split: test, limit: 8}]}",
    "policy.model.tokenizer.rows=400",
    "runtime.trainer.threads=1",
    "runtime.checkpoints={every: 2, keep: [stage_end, end]}",
)


def smoke_jobs(runs_dir: Path, *sets: str, spec: str = "quickstart.yaml") -> tuple[Job, ...]:
    """Jobs of a shipped spec at smoke size."""
    loaded = load_spec(specs_dir() / spec, sets=(*SETS, *sets))
    return compile_jobs(make_plan(loaded, runs_dir))
