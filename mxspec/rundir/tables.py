"""Every table of the store, as one frozen dataclass a row.

The dataclasses are the contract between runners (who write Parquet files of
these columns) and analysis (who makes DuckDB tables of them). A column's type
is its annotation: `str`, `int`, `float`, `bool`, or one of them `| None`.
Tree rows carry `evaluation`: None for a training rollout, else the id of the
evaluation that they belong to. A `path` names a node in its tree, e.g.
`q003/d1/e2/c04`; together with (run, step, evaluation) it is unique.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class StepRow:
    """One metric of one step. `role` is None for a metric of the whole step."""

    step: int
    stage: str
    stage_step: int
    role: str | None
    metric: str
    value: float


@dataclass(frozen=True, slots=True)
class QuestionRow:
    """One question of a rollout batch or an evaluation."""

    step: int
    evaluation: str | None
    path: str
    benchmark: str
    split: str
    row_hash: str
    difficulty: int | None
    question: str
    gold: str


@dataclass(frozen=True, slots=True)
class DesignRow:
    """One design: what the writer wrote and what became of it."""

    step: int
    evaluation: str | None
    path: str
    parent: str
    role: str | None
    script_hash: str
    script: str
    kind: str | None
    shape: str
    agents: int
    design_verdict: str
    detail: str


@dataclass(frozen=True, slots=True)
class ExecutionRow:
    """One run of a design; under a design that is not ok, one that failed before its first call."""

    step: int
    evaluation: str | None
    path: str
    parent: str
    execution_verdict: str
    detail: str
    answer: str | None
    answer_verdict: str
    calls: int
    tokens: int


@dataclass(frozen=True, slots=True)
class RewardTermRow:
    """One reward term of one design or execution."""

    step: int
    evaluation: str | None
    path: str
    term: str
    value: float | None


@dataclass(frozen=True, slots=True)
class CreditRow:
    """From reward to advantage, for one unit of one role's samples."""

    step: int
    path: str
    role: str
    unit: str
    group: str
    group_size: int
    group_std: float
    reward: float | None
    advantage: float


@dataclass(frozen=True, slots=True)
class CallRow:
    """One generation by one agent (or by the writer, whose agent is None)."""

    step: int
    evaluation: str | None
    path: str
    parent: str
    role: str
    agent: str | None
    turn: int
    prompt: str
    response: str
    prompt_tokens: int
    cached_tokens: int
    response_tokens: int
    logprob: float
    finish: str
    state: str


@dataclass(frozen=True, slots=True)
class EvaluationRow:
    """One evaluation on one benchmark, at one state."""

    step: int
    stage: str
    stage_step: int
    at: str
    evaluation: str
    name: str
    benchmark: str
    split: str
    questions: int
    designs: int
    executions: int
    accuracy: float
    valid_designs: float
    calls_per_execution: float
    tokens_per_execution: float


@dataclass(frozen=True, slots=True)
class EvaluationRoleRow:
    """Which state served a role in an evaluation."""

    step: int
    evaluation: str
    role: str
    state: str


@dataclass(frozen=True, slots=True)
class StageRow:
    """One stretch of steps that trained the same roles, in the order of the run."""

    step: int
    stage: str
    kind: str
    trained: str
    masked: str
    first_step: int
    last_step: int
    stop_reason: str


@dataclass(frozen=True, slots=True)
class FailureRow:
    """A fault that the run survived, or died of."""

    step: int
    where: str
    kind: str
    message: str


@dataclass(frozen=True, slots=True)
class TimingRow:
    """Wall-clock seconds of one part of a step: the only rows that differ between equal runs."""

    step: int
    part: str
    seconds: float


STEP_TABLES: dict[str, type] = {
    "steps": StepRow,
    "questions": QuestionRow,
    "designs": DesignRow,
    "executions": ExecutionRow,
    "reward_terms": RewardTermRow,
    "credits": CreditRow,
    "calls": CallRow,
    "evaluations": EvaluationRow,
    "evaluation_roles": EvaluationRoleRow,
    "stages": StageRow,
    "failures": FailureRow,
    "timings": TimingRow,
}
"""Tables written by a run, step by step. The collector adds `run` and `attempt`."""
