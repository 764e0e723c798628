"""The learner: rows of training samples -> optimizer steps on the policies of their roles.

Lightning Fabric owns precision, devices, the backward pass, clipping and
optimizer I/O; the loop is ours, because a step here is a rollout batch of
several roles on several policies and not an epoch of a data loader.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import torch
from lightning.fabric import Fabric

from mxspec.spec.learn import AdamW, LearnRl, LearnSft, Schedule
from runners.engines.draws import seed_of
from runners.learning.batch import Batch, micro_batches
from runners.learning.loss.grpo import GrpoSums, grpo_loss
from runners.learning.loss.logprobs import CausalLM, token_logprobs
from runners.learning.loss.sft import sft_loss
from runners.learning.merge import Merged, merge, merge_imitation
from runners.learning.rows import Row, split
from runners.learning.schedule import learning_rate
from runners.policies.policy import Policies, Policy

Metrics = dict[tuple[str | None, str], float]
"""(role, or None for the whole step; metric) -> value."""


@dataclass(frozen=True, slots=True)
class Clock:
    """Counts that a schedule may follow, besides a policy's own updates."""

    run_steps: int
    stage_steps: int


class Learner:
    """Trains policies; a role without rows leaves its policy bit for bit as it was."""

    def __init__(self, policies: Policies, fabric: Fabric, *, micro_tokens: int, seed: int) -> None:
        """Trains `policies`.

        Args:
            policies: All policies of the run.
            fabric: Lightning's side.
            micro_tokens: Padded tokens in one forward pass.
            seed: Of the shuffles that cut minibatches.
        """
        self.policies = policies
        self._fabric = fabric
        self._micro_tokens = micro_tokens
        self._seed = seed

    def reset_moments(self, roles: Sequence[str]) -> None:
        """Forgets the optimizer moments of the policies of some roles."""
        for name in self._names(roles):
            self.policies.by_name[name].optimizer.state.clear()

    def reinforce(self, rows: Mapping[str, Sequence[Row]], learn: LearnRl, clock: Clock) -> Metrics:
        """One rollout batch: every trained role's rows through the clipped loss.

        Args:
            rows: Role -> rows; the roles that the step trains.
            learn: Loss, optimizer, schedule, update.
            clock: Counts for the schedule.

        Returns:
            Metrics by role: loss, gradient norm, learning rate, clip fractions, rows run.
        """
        metrics: Metrics = {}
        for name in self._names(rows):
            policy = self.policies.by_name[name]
            roles = [role for role in rows if self.policies.of_role[role] == name]
            turns = [roles] if learn.update.roles == "together" else [[role] for role in roles]
            for turn in turns:
                batch = [row for role in turn for row in rows[role]]
                found = self._reinforce(policy, batch, learn, clock)
                metrics |= {(role, metric): value for role in turn for metric, value in found.items()}
        return metrics

    def _reinforce(self, policy: Policy, rows: list[Row], learn: LearnRl, clock: Clock) -> dict[str, float]:
        """All epochs and minibatches of one policy's rows."""
        loss, steps, norm, run, merged_rows = 0.0, 0, 0.0, GrpoSums(), 0
        rate = self._rate(policy, "rl", learn.optimizer, learn.schedule, clock)
        tokens = 0.0
        for epoch in range(learn.update.epochs):
            rng = np.random.default_rng(seed_of(self._seed, "minibatches", policy.name, clock.run_steps, epoch))
            for part in split(rows, learn.update.minibatches, rng):
                merged = merge(part)
                merged_rows += len(merged.rows)
                tokens += merged.totals.tokens
                if not merged.rows:  # no signal: no optimizer step, no moment decays
                    continue
                rate = self._rate(policy, "rl", learn.optimizer, learn.schedule, clock)
                self._prepare(policy, learn.optimizer, rate)
                for batch in self._batches(policy, merged):
                    share, sums = grpo_loss(
                        token_logprobs(cast(CausalLM, policy.wrapped), batch), batch, merged.totals, learn.loss
                    )
                    self._fabric.backward(share)
                    loss += share.item()
                    run = run + sums
                norm += self._apply(policy, learn.optimizer, "rl")
                steps += 1
        found = {
            "loss": loss / max(steps, 1),
            "grad_norm": norm / max(steps, 1),
            "lr": rate,
            "updates": float(steps),
            "samples": float(len(rows)),
            "rows_run": float(merged_rows),
        }
        if steps:
            return found | run.metrics(tokens)
        return found | {"skipped_no_signal": 1.0}

    def imitate(self, rows: Mapping[str, Sequence[Row]], learn: LearnSft, clock: Clock) -> Metrics:
        """One epoch of demonstrations, cut into optimizer steps of `learn.batch` rows over all roles.

        Args:
            rows: Role -> demonstrations, in the order in which they are used.
            learn: Optimizer, schedule, batch.
            clock: Counts for the schedule.

        Returns:
            Mean loss, gradient norm and the last learning rate, by role.
        """
        total = sum(len(part) for part in rows.values())
        steps = max(1, round(total / learn.batch))
        parts = {role: np.array_split(np.arange(len(of)), steps) for role, of in rows.items()}
        sums: Metrics = {}
        for step in range(steps):
            for name in self._names(rows):
                roles = [role for role in rows if self.policies.of_role[role] == name]
                batch = [rows[role][i] for role in roles for i in parts[role][step]]
                if not batch:
                    continue
                policy = self.policies.by_name[name]
                rate = self._rate(policy, "sft", learn.optimizer, learn.schedule, clock)
                loss, norm = self._imitate(policy, batch, learn.optimizer, rate)
                for role in roles:
                    for metric, value in (("loss", loss), ("grad_norm", norm)):
                        sums[role, metric] = sums.get((role, metric), 0.0) + value / steps
                    sums[role, "lr"] = rate
        return sums

    def _imitate(self, policy: Policy, rows: list[Row], optimizer: AdamW, rate: float) -> tuple[float, float]:
        merged = merge_imitation(rows)
        self._prepare(policy, optimizer, rate)
        loss = 0.0
        for batch in self._batches(policy, merged):
            share = sft_loss(token_logprobs(cast(CausalLM, policy.wrapped), batch), batch, merged.totals)
            self._fabric.backward(share)
            loss += share.item()
        return loss, self._apply(policy, optimizer, "sft")

    def _names(self, roles: Mapping[str, object] | Sequence[str]) -> list[str]:
        """The policies of some roles, each once, in order."""
        return list(dict.fromkeys(self.policies.of_role[role] for role in roles))

    def _rate(self, policy: Policy, kind: str, optimizer: AdamW, schedule: Schedule, clock: Clock) -> float:
        count = {
            "run_steps": clock.run_steps,
            "stage_steps": clock.stage_steps,
            "role_updates": policy.updates.get(kind, 0),
        }[schedule.clock]
        return learning_rate(schedule, optimizer.lr, count)

    def _batches(self, policy: Policy, merged: Merged) -> list[Batch]:
        batches = micro_batches(merged.rows, self._micro_tokens)
        return [batch.to(self._fabric.device) for batch in batches]

    def _prepare(self, policy: Policy, optimizer: AdamW, rate: float) -> None:
        """Puts the stage's hyper-parameters in force; gradients start from nothing."""
        for group in policy.optimizer.param_groups:
            group.update(lr=rate, betas=optimizer.betas, eps=optimizer.eps, weight_decay=optimizer.weight_decay)
        policy.optimizer.zero_grad()
        policy.model.train()

    def _apply(self, policy: Policy, optimizer: AdamW, kind: str) -> float:
        """Clips, steps, counts; returns the gradient norm before clipping.

        Raises:
            NonFiniteGradient: The gradient is not a number; no parameter was touched.
        """
        limit = optimizer.grad_clip if optimizer.grad_clip is not None else float("inf")
        norm = self._fabric.clip_gradients(
            cast(Any, policy.wrapped), cast(Any, policy.optimizer), max_norm=limit, error_if_nonfinite=False
        )
        value = float(norm) if norm is not None else 0.0
        if not np.isfinite(value):
            policy.optimizer.zero_grad()
            raise NonFiniteGradient(policy.name)
        policy.optimizer.step()
        policy.optimizer.zero_grad()
        policy.updates[kind] = policy.updates.get(kind, 0) + 1
        return value


class NonFiniteGradient(ArithmeticError):
    """A gradient that is not a number: the step is failed and never counts as trained."""

    def __init__(self, policy: str) -> None:
        """Names the policy."""
        self.policy = policy
        super().__init__(f"policy {policy!r}: the gradient is not finite; the step was not taken")


def deterministic(threads: int) -> None:
    """Makes torch's results a function of the inputs and the number of threads alone."""
    torch.set_num_threads(threads)
    torch.use_deterministic_algorithms(True, warn_only=True)
    # Nothing here reads memory before writing it. (The stubs of torch do not know the flag.)
    torch.utils.deterministic.fill_uninitialized_memory = False  # type: ignore[attr-defined]
