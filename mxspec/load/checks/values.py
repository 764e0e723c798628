"""Values that contradict each other, say a thing twice, or mean nothing."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Sequence

from mxspec.load.checks.data import uses_of
from mxspec.load.checks.where import Checker, trained_roles
from mxspec.load.nodes import Step
from mxspec.load.paths import NoSuchPath, indexed, parse_path
from mxspec.spec.learn import Cosine
from mxspec.spec.policy import FromConfig, Split
from mxspec.spec.stages import Alternate, RlStage

UNFIT = re.compile(r"[.\[\]/\\$\x00-\x1f\x7f]|^\s|\s$")
"""What no name holds: a path could not lead to it."""
UNFIT_ARM = re.compile(r"[/\\\x00-\x1f\x7f]|^\s|\s$")
"""What no arm's name holds: its points are called `arm/value`."""
SEEN = ("question", "previous", "instructions", "history")
"""Placeholders by which a role sees something of its task."""


def check_values(checker: Checker) -> None:
    """Checks what values mean beside their neighbours."""
    _repeats(checker)
    _prompts(checker)
    _limits(checker)
    _schedules(checker)
    _blocks(checker)
    _signal(checker)
    _heads(checker)
    _sets(checker)
    _names(checker)
    _untrained(checker)


def _once(checker: Checker, path: tuple[Step, ...], values: Sequence[Hashable], what: str) -> None:
    for index, value in enumerate(values):
        if value in values[:index]:
            checker.error("repeated", (*path, index), f"{what} stands twice", "name each once")


def _repeats(checker: Checker) -> None:
    spec = checker.spec
    for name, role in spec.roles.items():
        _once(checker, ("roles", name, "agents"), role.agents or (), "an agent")
    for use, path in uses_of(spec):
        _once(checker, (*path, "difficulty"), use.difficulty or (), "a level")
    seen: dict[tuple[object, ...], None] = {}
    for use, path in uses_of(spec):
        key = (path[:-1], use.use, use.split, use.difficulty)
        if key in seen:
            checker.error("repeated", path, f"{use.use!r} stands twice", "name it once; `weight` is its share")
        seen[key] = None
    for name, evaluation in spec.evaluate.items():
        _once(checker, ("evaluate", name, "at"), evaluation.at, "a moment")


def _prompts(checker: Checker) -> None:
    """Prompts that show a role nothing of its task."""
    for name, role in checker.spec.roles.items():
        prompt, path = role.prompt, ("roles", name, "prompt", "text")
        if prompt.text is None:
            continue
        if not prompt.text.strip() and not prompt.system and not prompt.turns:
            checker.error("value", path, "the prompt is empty", "write what the role reads")
        elif not any(f"{{{one}}}" in part for one in SEEN for part in (prompt.text, prompt.system or "")):
            named = ", ".join(f"{{{one}}}" for one in SEEN)
            checker.warn("blind-prompt", path, f"{name!r} sees nothing of its task", f"put one of {named} into it")


def _limits(checker: Checker) -> None:
    limits, writer = checker.spec.rollout.limits, checker.writer
    for name, role in checker.spec.roles.items():
        if name != writer and role.agents is not None and role.sampling.max_tokens > limits.tokens:
            message = f"an execution has {limits.tokens} tokens, and one response of {name!r} may take "
            message += str(role.sampling.max_tokens)
            hint = "raise it, or lower the role's max_tokens"
            checker.error("limits", ("rollout", "limits", "tokens"), message, hint)


def _schedules(checker: Checker) -> None:
    for kind in ("sft", "rl", "preference"):
        block = getattr(checker.spec.learn, kind)
        schedule = block.schedule if block is not None else None
        if isinstance(schedule, Cosine) and schedule.decay <= schedule.warmup:
            message = f"the floor is reached at step {schedule.decay}, and the warm-up takes {schedule.warmup}"
            path: tuple[Step, ...] = ("learn", kind, "schedule", "decay")
            checker.error("schedule", path, message, "raise decay: it counts from the first step")


def _blocks(checker: Checker) -> None:
    """Every role of an alternation has a block."""
    for index, stage in enumerate(checker.spec.stages):
        if not isinstance(stage, RlStage) or not isinstance(stage.train, Alternate):
            continue
        reached = -(-stage.steps // stage.train.every)
        never = [role for role in stage.train.order[reached:] if role not in stage.train.order[:reached]]
        if never:
            message = f"blocks of {stage.train.every} steps leave none of {stage.steps} for {', '.join(never)}"
            hint = f"write every: {max(1, stage.steps // len(stage.train.order))}"
            path: tuple[Step, ...] = ("stages", index, "train", "every")
            checker.warn("never-trained", path, message, hint)


def _signal(checker: Checker) -> None:
    for role, credit in checker.spec.credit.items():
        if not any(credit.terms.values()):
            message = f"every term of {role!r} has the weight 0, so it has no signal"
            checker.error("no-signal", ("credit", role, "terms"), message, "give one term a weight")


SIZES = (
    "hidden_size",
    "intermediate_size",
    "num_hidden_layers",
    "num_attention_heads",
    "num_key_value_heads",
    "head_dim",
    "max_position_embeddings",
)
"""Keys of a configuration that are counts."""


def _heads(checker: Checker) -> None:
    """A fresh model's sizes fit each other."""
    model = checker.spec.policy.model
    if not isinstance(model, FromConfig):
        return
    hidden, heads, pairs = (
        model.config.get(name) for name in ("hidden_size", "num_attention_heads", "num_key_value_heads")
    )
    path: tuple[Step, ...] = ("policy", "model", "config")
    for name in SIZES:
        size = model.config.get(name)
        if size is not None and (not isinstance(size, int) or isinstance(size, bool) or size <= 0):
            checker.error("value", (*path, name), f"`{size}` is no size", "write a whole number above 0")
            return
    if isinstance(hidden, int) and isinstance(heads, int) and heads > 0 and not model.config.get("head_dim"):
        if hidden % heads:
            message = f"{hidden} hidden units do not divide by num_attention_heads: {heads}"
            hint = f"take {hidden // heads * heads or heads} or {(hidden // heads + 1) * heads}"
            checker.error("divisibility", (*path, "hidden_size"), message, hint)
    if isinstance(heads, int) and isinstance(pairs, int) and pairs > 0 and heads % pairs:
        message = f"{heads} attention heads do not divide by num_key_value_heads: {pairs}"
        divisors = [one for one in range(1, heads + 1) if heads % one == 0]
        checker.error("divisibility", (*path, "num_key_value_heads"), message, f"take one of {divisors}")


SETTABLE = {
    "sft": ("learn.sft", "roles"),
    "rl": ("learn.rl", "questions", "rollout", "reward", "credit", "roles"),
    "preference": ("learn.preference", "questions", "rollout", "reward", "credit", "roles"),
    "search": ("rollout", "roles"),
}
"""What each kind of stage reads of the parts that a stage may set."""


def _sets(checker: Checker) -> None:
    """What a stage sets for its time is read by it, and set once."""
    for index, stage in enumerate(checker.spec.stages):
        seen: dict[tuple[Step, ...], str] = {}
        for text in stage.set:
            path: tuple[Step, ...] = ("stages", index, "set", text)
            try:
                steps = indexed(checker.root, parse_path(text))
            except NoSuchPath:  # told when it is set
                continue
            read = SETTABLE.get(stage.kind)
            if read is not None and not any(text == one or text.startswith((f"{one}.", f"{one}[")) for one in read):
                message = f"nothing reads it: a stage of kind {stage.kind} does not read {text}"
                checker.error("unread", path, message, "remove it", key=True)
            if steps[0] == "roles" and len(steps) > 1 and steps[1] not in checker.spec.roles:
                checker.known_role(str(steps[1]), path)
            other = next((one for one in seen if one[: len(steps)] == steps or steps[: len(one)] == one), None)
            if other is not None:
                message = f"{seen[other]!r} sets it already"
                checker.error("set-twice", path, message, "set it in one place", key=True)
            seen.setdefault(steps, text)


def _names(checker: Checker) -> None:
    """Names that paths can lead to: no white space at the ends, no dot, no bracket."""
    spec = checker.spec
    named: tuple[tuple[str, Iterable[str]], ...] = (
        ("roles", spec.roles),
        ("evaluate", spec.evaluate),
        ("benchmarks", spec.benchmarks),
        ("vars", spec.vars),
        ("reward.terms", spec.reward.terms),
        ("sweep.arms", spec.sweep.arms if spec.sweep else ()),
    )
    for owner, names in named:
        for name in names:
            bad = UNFIT_ARM if owner == "sweep.arms" else UNFIT
            if not name or bad.search(name):
                path = (*owner.split("."), name)
                hint = "use letters, digits, - and _"
                checker.error("name", path, f"{name!r} is no name", hint, key=True)


def _untrained(checker: Checker) -> None:
    """A role with fresh parameters of its own that no stage trains answers at random."""
    spec = checker.spec
    fresh = isinstance(spec.policy.model, FromConfig) and isinstance(spec.policy.sharing, Split) and spec.init is None
    trained = {role for stage in spec.stages for role in trained_roles(stage)}
    for name, role in spec.roles.items():
        if fresh and spec.stages and name not in trained and role.model is None and role.agents is not None:
            message = f"no stage trains {name!r}, whose parameters are fresh: it answers at random"
            checker.warn("untrained", ("roles", name), message, "train it, or give it a model")
