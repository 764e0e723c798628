"""Policies: every role is in the sharing exactly once, or has a model of its own; what a role names exists."""

from __future__ import annotations

from mxspec.load.checks.where import Checker
from mxspec.load.errors import did_you_mean
from mxspec.load.nodes import Step
from mxspec.spec.policy import Groups, Lora
from mxspec.spec.roles import EndpointModel
from mxspec.spec.runtime import VllmEngine

LORA_RANKS = (1, 8, 16, 32, 64, 128, 256, 320, 512)
"""Ranks that vLLM serves (its `max_lora_rank`)."""


def check_policy(checker: Checker) -> None:
    """Checks `policy.sharing` and the models that roles have of their own."""
    spec = checker.spec
    sharing = spec.policy.sharing
    if isinstance(sharing, Groups):
        _groups(checker, sharing)
    if isinstance(sharing, Lora) and isinstance(spec.runtime.engine, VllmEngine) and sharing.rank not in LORA_RANKS:
        message = f"the engine vllm serves no adapter of rank {sharing.rank}"
        hint = f"ranks are {', '.join(map(str, LORA_RANKS))}"
        checker.error("lora-rank", ("policy", "sharing", "rank"), message, hint)
    for name, role in spec.roles.items():
        if isinstance(role.model, EndpointModel) and role.model.at not in spec.runtime.endpoints:
            known = list(spec.runtime.endpoints)
            hint = did_you_mean(role.model.at, known) or f"add runtime.endpoints.{role.model.at}: {{url: ..}}"
            path: tuple[Step, ...] = ("roles", name, "model", "at")
            checker.error("no-endpoint", path, f"runtime.endpoints has no {role.model.at!r}", hint)
    for kind in ("sft", "rl", "preference"):
        block = getattr(spec.learn, kind)
        for learner in block.optimizer.role_lr if block is not None else ():
            checker.known_role(learner, ("learn", kind, "optimizer", "role_lr", learner))


def _groups(checker: Checker, sharing: Groups) -> None:
    spec = checker.spec
    seen: dict[str, str] = {}
    for group, roles in sharing.groups.items():
        for index, role in enumerate(roles):
            path: tuple[Step, ...] = ("policy", "sharing", "groups", group, index)
            if not checker.known_role(role, path):
                continue
            if role in seen:
                checker.error("sharing", path, f"{role!r} is in the group {seen[role]!r} already", "name it once")
            elif spec.roles[role].model is not None:
                checker.error(
                    "sharing", path, f"{role!r} has a model of its own and is in no group", "remove one of the two"
                )
            seen[role] = group
    for role, declared in spec.roles.items():
        if role not in seen and declared.model is None:
            hint = f"add it to one of {', '.join(sharing.groups)}"
            checker.error("sharing", ("policy", "sharing", "groups"), f"the role {role!r} is in no group", hint)
