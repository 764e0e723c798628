"""Every table of the store, as one frozen dataclass a row.

The dataclasses are the contract between runners (who write Parquet files of
these columns) and analysis (who makes DuckDB tables of them). A column's type
is its annotation: `str`, `int`, `float`, `bool`, or one of them `| None`.
Tree rows carry `evaluation`: None for a training rollout, else the id of the
evaluation that they belong to. A `path` names a node in its tree, e.g.
`q0003/d01/e02/c004`; together with (run, step, evaluation) it is unique among
the rows of a table. `step` counts from 0; rows of an evaluation carry the
number of steps done, since they judge the state after those.

The text below a column is its comment in the store.
"""

from __future__ import annotations

import ast
import inspect
import sys
from dataclasses import dataclass
from functools import cache


@dataclass(frozen=True, slots=True)
class StepRow:
    """One metric of one step. `role` is None for a metric of the whole step."""

    step: int
    """Index of the step in the run: 0, 1, 2, ..."""
    stage: str
    """Stage that the step belongs to."""
    stage_step: int
    """Index of the step in its stage."""
    role: str | None
    """Role that the metric is about; null: the whole step."""
    metric: str
    """Name of the metric, e.g. `accuracy`, `reward_mean`, `zero_spread_groups`, `loss`."""
    value: float
    """Its value; shares lie between 0 and 1."""


@dataclass(frozen=True, slots=True)
class QuestionRow:
    """One question of a rollout batch or an evaluation."""

    step: int
    """Training: index of the step. Evaluation: steps done."""
    evaluation: str | None
    """Evaluation that the tree belongs to; null: a training rollout."""
    path: str
    """Node in the tree, e.g. `q0003`."""
    benchmark: str
    """Benchmark that the question comes from."""
    split: str
    """Part of the benchmark: train, validation or test."""
    row_hash: str
    """Hash of the normalised question: equal questions have equal hashes, in any run."""
    difficulty: int | None
    """Level of difficulty, where the benchmark has levels."""
    question: str
    """Text of the question."""
    gold: str
    """The right answer."""


@dataclass(frozen=True, slots=True)
class DesignRow:
    """One design: what the writer wrote and what became of it."""

    step: int
    """Training: index of the step. Evaluation: steps done."""
    evaluation: str | None
    """Evaluation that the tree belongs to; null: a training rollout."""
    path: str
    """Node in the tree, e.g. `q0003/d01`."""
    parent: str
    """Path of the question."""
    role: str | None
    """Role that wrote it; null: a fixed script."""
    script_hash: str
    """Hash of the script: equal scripts have equal hashes."""
    script: str
    """What the writer wrote."""
    kind: str | None
    """`static` (built once into a graph) or `dynamic`; null where the verdict is not ok."""
    shape: str
    """The graph in words, e.g. `reduce > vote(solve, solve)`; empty where there is none."""
    agents: int
    """Agents in the graph."""
    design_verdict: str
    """ok, no_script, syntax_error, unsupported, forbidden, runtime_error, no_run or limit:<which>."""
    detail: str
    """Why the verdict is not ok."""


@dataclass(frozen=True, slots=True)
class ExecutionRow:
    """One run of a design; under a design that is not ok, one that failed before its first call."""

    step: int
    """Training: index of the step. Evaluation: steps done."""
    evaluation: str | None
    """Evaluation that the tree belongs to; null: a training rollout."""
    path: str
    """Node in the tree, e.g. `q0003/d01/e02`."""
    parent: str
    """Path of the design."""
    execution_verdict: str
    """ok, runtime_error, limit:<which>, forged or failed (its design is not ok)."""
    detail: str
    """Why the verdict is not ok."""
    answer: str | None
    """Response of the last node; null where there is none."""
    answer_verdict: str
    """correct, incorrect, no_answer, gold_unparsable, timeout or error."""
    calls: int
    """Calls that it made."""
    tokens: int
    """Response tokens of its calls."""


@dataclass(frozen=True, slots=True)
class RewardTermRow:
    """One reward term of one design or execution."""

    step: int
    """Index of the step."""
    evaluation: str | None
    """Evaluation that the tree belongs to; null: a training rollout."""
    path: str
    """Design or execution that the term judges."""
    term: str
    """Name of the term in the spec."""
    value: float | None
    """Its value before weighing; null: a gold or infrastructure fault left nothing to score."""


@dataclass(frozen=True, slots=True)
class CreditRow:
    """From reward to advantage, for one unit of one role's samples."""

    step: int
    """Index of the step."""
    path: str
    """Design or execution that is credited."""
    role: str
    """Role whose samples get the advantage."""
    unit: str
    """What counts once in the statistics of the group: sample or trajectory."""
    group: str
    """Group that the advantage is normalised over, by its path."""
    group_size: int
    """Units in the group that have a score."""
    group_std: float
    """Spread of the rewards in the group."""
    reward: float | None
    """Weighted terms of the unit; null: no score, so it is outside its group."""
    advantage: float
    """Normalised reward; exactly 0 in a group without spread."""


@dataclass(frozen=True, slots=True)
class CallRow:
    """One generation by one agent (or by the writer, whose agent is None)."""

    step: int
    """Training: index of the step. Evaluation: steps done."""
    evaluation: str | None
    """Evaluation that the tree belongs to; null: a training rollout."""
    path: str
    """Node in the tree, e.g. `q0003/d01/e02/c000`; the call that wrote a design has the path of the design."""
    parent: str
    """Path of the execution (of the question, for the writer of a design)."""
    role: str
    """Role that generated."""
    agent: str | None
    """Agent that the role played; null: the writer of a design."""
    turn: int
    """Turn of the agent in the execution."""
    prompt: str
    """What the model read, as text."""
    response: str
    """What it wrote, as text, without the end token."""
    prompt_tokens: int
    """Tokens of the prompt."""
    cached_tokens: int
    """Tokens of the prompt that were not computed again."""
    response_tokens: int
    """Tokens drawn, the end token included."""
    logprob: float
    """Sum of the log-probabilities of the drawn tokens, under the sampling temperature, in nats."""
    finish: str
    """stop or length."""
    state: str
    """State of the policy that generated."""


@dataclass(frozen=True, slots=True)
class EvaluationRow:
    """One evaluation on one benchmark, at one state."""

    step: int
    """Steps done."""
    stage: str
    """Stage under way."""
    stage_step: int
    """Steps done in the stage."""
    moment: str
    """Why it was due: start, epoch, block_end, stage_end, end or every <n>."""
    evaluation: str
    """Id: a hash of the states, the questions, the tree and the sampling."""
    name: str
    """Name in the spec."""
    benchmark: str
    """Benchmark that judges."""
    split: str
    """Part of it."""
    questions: int
    """Questions asked."""
    designs: int
    """Designs in all."""
    executions: int
    """Executions in all; those of broken designs count as wrong answers."""
    accuracy: float
    """Share of executions answered correctly."""
    valid_designs: float
    """Share of designs whose verdict is ok."""
    calls_per_execution: float
    """Mean number of calls."""
    tokens_per_execution: float
    """Mean number of response tokens."""


@dataclass(frozen=True, slots=True)
class EvaluationRoleRow:
    """Which state served a role in an evaluation."""

    step: int
    """Steps done."""
    evaluation: str
    """Id of the evaluation."""
    role: str
    """Role."""
    state: str
    """State of the policy that served it."""


@dataclass(frozen=True, slots=True)
class StageRow:
    """One stretch of steps that trained the same roles, in the order of the run."""

    step: int
    """Index of the last step of the stretch, whose commit holds the row."""
    stage: str
    """Stage that the stretch belongs to."""
    kind: str
    """sft or rl."""
    trained: str
    """Roles that learnt, separated by commas."""
    masked: str
    """Roles that did not."""
    first_step: int
    """Index of its first step."""
    last_step: int
    """Index of its last step."""
    stop_reason: str
    """steps, gate (the measured values were reached) or max_epochs."""


@dataclass(frozen=True, slots=True)
class FailureRow:
    """A fault that the run survived; what a process died of is in `attempts`."""

    step: int
    """Index of the step under way."""
    where: str
    """Part of the program."""
    kind: str
    """Kind of the fault."""
    message: str
    """What happened."""


@dataclass(frozen=True, slots=True)
class TimingRow:
    """Wall-clock seconds of one part of a step: the only rows that differ between equal runs."""

    step: int
    """Index of the step."""
    part: str
    """Part of the step: rollout, update, evaluate or step (all of it but evaluations)."""
    seconds: float
    """Wall-clock seconds."""


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


@cache
def _documented() -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {}
    for one in ast.parse(inspect.getsource(sys.modules[__name__])).body:
        if isinstance(one, ast.ClassDef):
            found[one.name] = {
                column.target.id: text.value.value
                for column, text in zip(one.body, one.body[1:], strict=False)
                if isinstance(column, ast.AnnAssign)
                and isinstance(column.target, ast.Name)
                and isinstance(text, ast.Expr)
                and isinstance(text.value, ast.Constant)
                and isinstance(text.value.value, str)
            }
    return found


def column_docs(kind: type) -> dict[str, str]:
    """What each column of a row type of this module means.

    Args:
        kind: One of the types in `STEP_TABLES`.

    Returns:
        Column -> the text below it.
    """
    return dict(_documented()[kind.__name__])
