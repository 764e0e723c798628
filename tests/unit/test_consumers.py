"""Every value of the language is read by something that plans or runs, or stands here with the reason why not yet.

A value is taken to be read where code outside of the language's own packages asks for an attribute of its name.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args, get_origin

from pydantic import BaseModel

from mxspec.compile.runnable import TO_COME
from mxspec.load.schema_walk import members
from mxspec.spec import Spec

ROOT = Path(__file__).parents[2]
READERS = ("runners", "mxspec/plan", "mxspec/compile", "mxspec/cli")
NOT_READERS = ("runnable.py", "reads.py")
"""They name what is refused, and hash everything alike."""

LOADING = "loading reads it"
ONE_WAY = "it has one value, which is what runs do"
NOTE = "a note for people"
UNREAD = {
    "Spec.language": LOADING,
    "Spec.vars": LOADING,
    "Sweep.axes": LOADING,
    "Sweep.zip": LOADING,
    "Sweep.when": LOADING,
    "Sweep.exclude": LOADING,
    "Random.draws": LOADING,
    "HashSplit.by": ONE_WAY,
    "Partition.by": ONE_WAY,
    "LearnSft.loss_on": ONE_WAY,
    "Hub.licence": NOTE,
    "Hub.splits": "benchmarks.<name>.source: {kind: hub}",
    "Lora.alpha": "policy.sharing: {kind: lora}",
    "Code.timeout": "benchmarks.<name>.grader: {kind: code}",
    "Code.tests": "benchmarks.<name>.grader: {kind: code}",
    "Questions.pool": "questions.pool",
    "PoolAdd.judged_at_least": "questions.pool",
    "Rollout.staleness": "rollout.staleness",
    "Rollout.continue_": "rollout.continue",
    "Tree.turn_samples": "rollout.tree.turn_samples",
    "Tags.tag": "reward.terms: {kind: tags}",
    "Score.by": "reward.terms: {kind: score}",
    "Learn.preference": "stages.<name>: {kind: preference}",
    "Dpo.beta": "stages.<name>: {kind: preference}",
    "PreferenceStage.reference": "stages.<name>: {kind: preference}",
    "PreferenceStage.pairs": "stages.<name>: {kind: preference}",
    "Pairs.score": "stages.<name>: {kind: preference}",
    "Pairs.choose": "stages.<name>: {kind: preference}",
    "Pairs.per_question": "stages.<name>: {kind: preference}",
    "Pairs.min_gap": "stages.<name>: {kind: preference}",
    "AdamW.role_lr": "learn.<kind>.optimizer.role_lr",
    "Grpo.ratio": "learn.rl.loss.ratio: sequence",
    "Columns.messages": "stages.<name>.data: {file: ..}",
    "Plateau.patience": "stages.<name>.stop: {kind: plateau}",
    "Plateau.min_delta": "stages.<name>.stop: {kind: plateau}",
    "Plateau.then": "stages.<name>.stop: {kind: plateau}",
    "SearchStage.algorithm": "stages.<name>: {kind: search}",
    "SearchStage.repeats": "stages.<name>: {kind: search}",
    "SearchStage.score_on": "stages.<name>: {kind: search}",
    "Mcts.operators": "stages.<name>: {kind: search}",
    "Best.best": "stages.<name>: {kind: search}",
    "Runtime.sandbox": "runtime.sandbox.min_tier",
    "Sandbox.min_tier": "runtime.sandbox.min_tier",
    "VllmEngine.gpu_memory": "runtime.engine: {kind: vllm}",
    "Endpoint.url": "roles.<name>.model: {kind: endpoint}",
    "Endpoint.rpm": "roles.<name>.model: {kind: endpoint}",
    "Endpoint.max_usd": "roles.<name>.model: {kind: endpoint}",
}
"""Value -> why nothing that runs asks for it: a line of the list of what is to come, or one of the reasons above."""


def models(annotation: Any, seen: list[type[BaseModel]]) -> list[type[BaseModel]]:
    """All models of the language."""
    for one in members(annotation):
        if isinstance(one, type) and issubclass(one, BaseModel):
            if one not in seen:
                seen.append(one)
                for field in one.model_fields.values():
                    models(field.annotation, seen)
        elif get_origin(one) in (tuple, dict):
            for inner in get_args(one):
                models(inner, seen)
    return seen


def asked() -> Iterator[str]:
    """Names of all attributes that planning and running ask for."""
    for package in READERS:
        for path in (ROOT / package).rglob("*.py"):
            if path.name not in NOT_READERS:
                tree = ast.parse(path.read_text(encoding="utf-8"))
                yield from (node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute))


def test_every_value_has_a_reader_or_a_reason() -> None:
    read = set(asked())
    found = models(Spec, [])
    assert len(found) > 60
    unread = {f"{one.__name__}.{name}" for one in found for name in one.model_fields if name not in read} - {
        f"{one.__name__}.kind" for one in found
    }
    assert unread == UNREAD.keys()


def test_reasons_are_real() -> None:
    to_come = {one.name for one in TO_COME}
    assert set(UNREAD.values()) - {LOADING, ONE_WAY, NOTE} <= to_come
