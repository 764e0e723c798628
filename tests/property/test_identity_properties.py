"""Identity: what a run's id depends on, and what not; specs survive being written."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mxspec.load import load_spec
from mxspec.load.dump import dump_plain, dump_spec
from mxspec.load.errors import Findings, Position
from mxspec.load.interpolate import interpolate
from mxspec.load.nodes import MapNode, to_plain
from mxspec.load.read import read_text
from mxspec.plan.canonical import canonical, digest, digest_of_steps
from mxspec.plan.expand import expand
from mxspec.plan.identity import cell_id, chain_of, evaluation_id, last_state, run_id, spec_hash, state_at
from mxspec.spec import Spec
from tests.support.specs import SMALL, load, write

ROOT = Path(__file__).resolve().parents[2]
SHIPPED = sorted(str(path.relative_to(ROOT)) for path in (ROOT / "specs").rglob("*.yaml"))
TREE: Any = to_plain(read_text(SMALL, "small", Findings()) or MapNode(Position("small")))


def identity(spec: Spec) -> str:
    return run_id(last_state(spec, chain_of(spec)))


def id_of(folder: Path, tree: dict[str, Any]) -> str:
    return identity(load_spec(write(folder, dump_plain(tree, escape=False))).whole)


def shuffled(value: Any, rng: random.Random) -> Any:
    """The same data with the keys of every map in another order."""
    if isinstance(value, dict):
        keys = list(value)
        rng.shuffle(keys)
        return {key: shuffled(value[key], rng) for key in keys}
    return [shuffled(item, rng) for item in value] if isinstance(value, list) else value


@settings(max_examples=15, deadline=None)
@given(rng=st.randoms(use_true_random=False))
def test_the_order_of_keys_is_not_identity(rng: random.Random, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("order")
    first, second = load(folder, SMALL), load_spec(write(folder, dump_plain(shuffled(TREE, rng), escape=False)))
    one, other = (expand(loaded, loaded.arms, [0])[0] for loaded in (first, second))
    assert (one.run, one.cell, one.spec_hash, one.chain) == (other.run, other.cell, other.spec_hash, other.chain)
    assert one.spec.model_dump_json() == other.spec.model_dump_json(), "jobs of equal runs are equal, byte for byte"


Change = Callable[[dict[str, Any]], Any]
SAME: dict[str, Change] = {
    "name": lambda t: t.update(name="other"),
    "notes": lambda t: t.update(notes="hello"),
    "vars": lambda t: t.update(vars={"x": 1}),
    "runtime": lambda t: t.update(runtime={"trainer": {"threads": 2, "micro_tokens": 64}, "engine": {"batch": 3}}),
    "another evaluation": lambda t: t["evaluate"].update(more=copy.deepcopy(t["evaluate"]["test"])),
    "no evaluation": lambda t: t.update(evaluate={}),
    "a default written out": lambda t: t["learn"]["rl"]["loss"].update(clip_low=0.2),
    "a default map written out": lambda t: t["learn"]["rl"].update(update={"epochs": 1}),
    "an int for a float": lambda t: t["roles"]["executor"]["sampling"].update(temperature=1),
}
OTHER: dict[str, Change] = {
    "seed": lambda t: t.update(seed=1),
    "a prompt": lambda t: t["roles"]["designer"]["prompt"].update(text="plan {question}"),
    "numerics": lambda t: t.update(numerics={"serve": "bf16"}),
    "sampling of a role that is not trained": lambda t: t["roles"]["executor"]["sampling"].update(temperature=0.9),
    "learning rate": lambda t: t["learn"]["rl"]["optimizer"].update(lr=1e-3),
    "tree": lambda t: t["rollout"]["tree"].update(designs=5),
    "limits": lambda t: t["rollout"].update(limits={"calls": 5}),
    "questions": lambda t: t["questions"].update(per_step=9),
    "reward": lambda t: t["reward"].update(invalid_design=-1.0),
    "credit": lambda t: t["credit"]["designer"].update(std="none"),
    "steps": lambda t: t["stages"][1].update(steps=31),
    "block": lambda t: t["stages"][1]["train"].update(every=9),
    "order": lambda t: t["stages"][1]["train"].update(order=["designer", "executor"]),
    "demonstrations": lambda t: t["stages"][0]["data"].update(accuracy=0.9),
    "epochs": lambda t: t["stages"][0].update(epochs=3),
    "sharing": lambda t: t.update(policy={"sharing": {"kind": "shared"}}),
    "the schedule": lambda t: t["learn"]["rl"].update(schedule={"kind": "constant", "warmup": 3}),
}


@pytest.mark.parametrize("change", SAME)
def test_what_is_not_identity(change: str, tmp_path: Path) -> None:
    tree = copy.deepcopy(TREE)
    SAME[change](tree)
    assert id_of(tmp_path, tree) == id_of(tmp_path, TREE)


@pytest.mark.parametrize("change", OTHER)
def test_what_is_identity(change: str, tmp_path: Path) -> None:
    tree = copy.deepcopy(TREE)
    OTHER[change](tree)
    assert id_of(tmp_path, tree) != id_of(tmp_path, TREE)


def test_flattened_and_extended_specs_are_one(tmp_path: Path) -> None:
    write(tmp_path, SMALL, "base.yaml")
    write(tmp_path, "design {question}", "prompts/d.md")
    child = "extends: base.yaml\n# a comment\nroles: {designer: {prompt: {file: prompts/d.md}}}\nname: child\n"
    extended = load_spec(write(tmp_path, child, "child.yaml")).whole
    flat = load(tmp_path, SMALL).whole
    assert identity(extended) == identity(flat)


def test_an_edited_prompt_is_another_run(tmp_path: Path) -> None:
    text = SMALL.replace('text: "design {question}"', "file: d.md")
    write(tmp_path, "one", "d.md")
    before = identity(load(tmp_path, text).whole)
    write(tmp_path, "two", "d.md")
    assert identity(load(tmp_path, text).whole) != before


def test_runs_that_begin_alike_share_their_states(tmp_path: Path) -> None:
    whole = chain_of(load(tmp_path, SMALL).whole)
    alone = chain_of(load(tmp_path, SMALL, "stages.rl.train=[executor]").whole)
    longer = chain_of(load(tmp_path, SMALL, "stages.rl.steps=95").whole)
    assert alone[0] == whole[0]
    assert state_at(alone[1], 10) == whole[1].end_state and state_at(alone[1], 11) != state_at(whole[2], 1)
    assert state_at(longer[3], 10) == whole[3].end_state == state_at(whole[3], 10)
    later = chain_of(load(tmp_path, SMALL, "learn.rl.optimizer.lr=1e-3").whole)
    assert later[0].end_state == whole[0].end_state and later[1].end_state != whole[1].end_state
    other_credit = chain_of(load(tmp_path, SMALL, "credit.designer.eps=1e-3").whole)
    assert other_credit[1].end_state == whole[1].end_state and other_credit[2].end_state != whole[2].end_state


@given(cut=st.integers(1, 29))
@settings(max_examples=10, deadline=None)
def test_every_cut_of_a_run_is_a_prefix(cut: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("cut")
    whole, short = (chain_of(load(folder, SMALL, f"stages.rl.steps={steps}").whole) for steps in (30, cut))
    along = [whole[0].start_state] + [state_at(s, k) for s in whole for k in range(1, (s.steps or 0) + 1)]
    assert short[-1].end_state == along[2 + cut]
    assert len(set(along)) == len(along)


def test_a_gate_and_what_it_watches_are_identity_of_its_stage(tmp_path: Path) -> None:
    gate = "{all: [{watch: evaluate.val.accuracy, at_least: 0.5}], max_epochs: 9}"
    text = SMALL.replace("    epochs: 2\n", f"    gate: {gate}\n")
    text += "  val: {at: [epoch], on: [{use: chain_arithmetic, split: validation, limit: 32}]}\n"
    chain = chain_of(load(tmp_path, text).whole)
    assert chain[0].steps is None
    assert chain[0].end_state not in {state_at(chain[0], k) for k in range(12)}
    for change in ("stages.cold.gate.max_epochs=8", "evaluate.val.on[0].limit=4", "rollout.limits.calls=3"):
        assert chain_of(load(tmp_path, text, change).whole)[0].end_state != chain[0].end_state
    for change in ("evaluate.test.on[0].limit=4", "evaluate.val.at=[epoch, end]"):
        assert chain_of(load(tmp_path, text, change).whole)[-1] == chain[-1]


def test_evaluations_have_ids_of_their_own(tmp_path: Path) -> None:
    spec = load(tmp_path, SMALL).whole
    states = {"designer": "a" * 64, "executor": "b" * 64}
    first = evaluation_id(spec.evaluate["test"], spec, states)
    assert evaluation_id(spec.evaluate["test"], spec, {**states, "executor": "c" * 64}) != first
    same = load(tmp_path, SMALL, "evaluate.test.sampling={temperature: 1.0}", "evaluate.test.at=[start]").whole
    assert evaluation_id(same.evaluate["test"], same, states) == first
    for change in (
        "evaluate.test.sampling={temperature: 0.5}",
        "evaluate.test.tree.executions=2",
        "evaluate.test.on[0].limit=3",
    ):
        other = load(tmp_path, SMALL, change).whole
        assert evaluation_id(other.evaluate["test"], other, states) != first
    training = load(tmp_path, SMALL, "learn.rl.optimizer.lr=1", "rollout.tree.designs=9").whole
    assert evaluation_id(training.evaluate["test"], training, states) == first


def test_a_cell_is_a_spec_without_its_seed(tmp_path: Path) -> None:
    spec = load(tmp_path, SMALL).whole
    assert cell_id(spec) == cell_id(load(tmp_path, SMALL, "seed=5").whole)
    assert cell_id(spec) != cell_id(load(tmp_path, SMALL, "stages.rl.steps=29").whole)
    blocks = load(tmp_path, SMALL, "stages.rl.train={kind: alternate, order: [executor], every: 7}").whole
    plain = load(tmp_path, SMALL, "stages.rl.train=[executor]").whole
    assert identity(blocks) == identity(plain) and cell_id(blocks) == cell_id(plain)
    assert spec_hash(spec) != spec_hash(load(tmp_path, SMALL, "evaluate.test.on[0].limit=3").whole)
    assert spec_hash(spec) == spec_hash(load(tmp_path, SMALL, "runtime.trainer.threads=3", "name=x").whole)


@pytest.mark.parametrize("value", [{1: 2}, {"a": object()}, [b"x"], {"a": {1, 2}}, 1 + 2j, Path("x")])
def test_unknown_types_have_no_identity(value: object) -> None:
    with pytest.raises(TypeError):
        digest(value)


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_numbers_without_value_have_no_identity(value: float) -> None:
    with pytest.raises(ValueError):
        digest([value])


def test_canonical_json() -> None:
    assert canonical({"b": (1, 1.0, True, None), "a": -0.0, "é": "ü"}) == '{"a":0.0,"b":[1,1.0,true,null],"é":"ü"}'
    assert digest(1) != digest(1.0) != digest("1")


@pytest.mark.parametrize("path", SHIPPED)
def test_shipped_specs_are_valid_and_survive_being_written(path: str, tmp_path: Path) -> None:
    loaded = load_spec(ROOT / path)
    if loaded.spec is None:
        assert loaded.part in ("base", "benchmark")
        return
    again = load_spec(write(tmp_path, dump_spec(loaded.spec)))
    assert again.spec == loaded.spec
    assert [arm.spec for arm in again.arms] == [arm.spec for arm in loaded.arms]


TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=40) | st.sampled_from(
    ["no", "1e-4", "012", "~", "", "${x}", "\\${x}", "\\\\${a.b} ", "a: b", "- x", "#c", "'", '"',
     "\n", " a\n b\n", "\r\n", "\u2028", "\ufeff", "1:2", "0x1F", "${env:HOME}", "x\n\n", "\tx", "{question}\n",
     "...", "---", "!!x", "*a", "&a", "?"]
)  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(text=TEXT, note=TEXT)
def test_any_text_survives_being_written(text: str, note: str) -> None:
    tree = {"roles": {"a": {"prompt": {"text": text}}}, "x": {"y": [note, {"z": note}]}, "runtime": {"r": note}}
    findings = Findings()
    node = read_text(dump_plain(tree), "f", findings)  # type: ignore[arg-type]
    assert node is not None and not findings.errors, findings.errors
    found = interpolate(node, findings)
    assert not findings.errors, findings.errors
    assert to_plain(found) == tree


@settings(max_examples=200, deadline=None)
@given(
    number=st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(10**20), 10**20) | st.booleans() | st.none()
)
def test_any_number_survives_being_written(number: float | int | bool | None) -> None:
    findings = Findings()
    node = read_text(dump_plain({"x": [number]}), "f", findings)
    assert node is not None and not findings.errors
    plain: Any = to_plain(node)
    (found,) = plain["x"]
    assert found == number and type(found) is type(number)


@given(st.text("0123456789abcdef", min_size=64, max_size=64), st.integers(0, 10**6))
def test_digests_of_steps_are_digests(state: str, steps: int) -> None:
    assert digest_of_steps(state, state[::-1], steps) == digest("steps", state, state[::-1], steps)
