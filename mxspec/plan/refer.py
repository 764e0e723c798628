"""References to states of other runs, replaced by the states: what a spec starts from is what it names, not where."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path as FilePath

from mxspec.load.errors import Diagnostic, SpecErrors
from mxspec.load.loaded import Loaded
from mxspec.load.nodes import Path
from mxspec.load.references import Reference, load_referenced, references_of
from mxspec.plan.identity import chain_of, state_at
from mxspec.plan.order import in_order
from mxspec.spec import Spec
from mxspec.spec.roles import CheckpointModel


def with_states(spec: Spec) -> Spec:
    """A spec whose references say which state they mean.

    Raises:
        SpecErrors: Data that the other spec reads is missing, so its states are not known.
    """
    found = {one.path: state_of(one, spec.seed) for one in references_of(spec)}
    if not found:
        return spec
    _require_same(spec, found)
    update: dict[str, object] = {}
    if spec.init is not None and ("init",) in found:
        update["init"] = spec.init.model_copy(update={"state": found["init",]})
    roles = dict(spec.roles)
    for name, role in spec.roles.items():
        if isinstance(role.model, CheckpointModel):
            model = role.model.model_copy(update={"state": found["roles", name, "model"]})
            roles[name] = role.model_copy(update={"model": model})
    return spec.model_copy(update={**update, "roles": roles})


def _require_same(spec: Spec, found: Mapping[Path, str]) -> None:
    """A state that a spec says itself is the one that its reference means.

    Raises:
        SpecErrors: It is another.
    """
    said: dict[Path, str | None] = {("init",): spec.init.state if spec.init is not None else None}
    for name, role in spec.roles.items():
        if isinstance(role.model, CheckpointModel):
            said["roles", name, "model"] = role.model.state
    wrong = [path for path, state in said.items() if state is not None and path in found and state != found[path]]
    if wrong:
        message = "this is not the state that the reference means now; the spec that it names has changed"
        hint = "remove `state`: planning fills it in"
        raise SpecErrors(Diagnostic("reference", message, hint, ".".join(map(str, (*path, "state")))) for path in wrong)


def state_of(one: Reference, seed: int) -> str:
    """The state that a reference of a run with some seed means."""
    from mxspec.plan.data import pin

    loaded: Loaded = load_referenced(FilePath(one.run.spec))
    arm = next(arm for arm in loaded.arms if arm.name == one.run.arm)
    other = loaded.reseeded(arm, seed if one.run.seed == "same" else one.run.seed)
    chain = chain_of(in_order(with_states(pin(other, loaded))))
    stretches = [stretch for stretch in chain if stretch.stage == one.stage]
    if one.step == 0:
        return stretches[0].start_state
    for stretch in stretches:
        if stretch.steps is not None and stretch.first < one.step <= stretch.first + stretch.steps:
            return state_at(stretch, one.step - stretch.first)
    raise AssertionError(f"{one.stage} has no step {one.step}; the spec was not checked")
