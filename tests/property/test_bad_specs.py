"""Whatever is done to a spec, loading it gives a spec or located errors, never another exception."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mxspec.load import SpecErrors, load_spec
from mxspec.load.dump import dump_plain
from mxspec.load.errors import Findings, Position
from mxspec.load.nodes import MapNode, to_plain
from mxspec.load.read import read_text
from mxspec.plan.expand import choose, expand
from tests.support.specs import SMALL

SWEEP = "sweep: {baseline: a, arms: {a: {}, b: {stages.rl.train: [executor]}}, seeds: [0, 1]}\n"
TREE: Any = to_plain(read_text(SMALL + SWEEP, "small", Findings()) or MapNode(Position("small")))
ODD: list[Any] = [
    None, True, 0, -1, 1, 3.5, 10**30, "", "x", "*", "no", "1e-4", "${vars.x}", "${", "executor", "designer", "test",
    [], [[]], ["x"], [None], [{"use": "x"}], ["executor"], {}, {"kind": "x"}, {"kind": None}, {"kind": "grade"},
    {"file": "none.md"}, {"file": 3}, {"text": "x"}, {"name": "rl"}, {"a": {"b": {"c": []}}},
]  # fmt: skip


def mutate(value: Any, rng: random.Random) -> Any:
    """One change somewhere in a tree: a value replaced, a key removed, renamed, or moved."""
    if not isinstance(value, (dict, list)) or not value or rng.random() < 0.15:
        return rng.choice(ODD)
    if isinstance(value, list):
        index = rng.randrange(len(value))
        if rng.random() < 0.15:
            return value[:index] + value[index + 1 :]
        return [mutate(item, rng) if i == index else item for i, item in enumerate(value)]
    key = rng.choice(list(value))
    what = rng.random()
    if what < 0.12:
        return {k: v for k, v in value.items() if k != key}
    if what < 0.24:
        renamed = rng.choice([key[:-1] + "x", key + "s", "kind", "executions", "", "a.b", "$unset", "<<"])
        return {(renamed if k == key else k): v for k, v in value.items()}
    return {k: (mutate(v, rng) if k == key else v) for k, v in value.items()}


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(rng=st.randoms(use_true_random=False), times=st.integers(1, 3))
def test_a_mutated_spec(rng: random.Random, times: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    tree = TREE
    for _ in range(times):
        tree = mutate(tree, rng)
    check(tmp_path_factory.getbasetemp() / "mutated", dump_plain(tree, escape=False))


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    rng=st.randoms(use_true_random=False), junk=st.text(max_size=3) | st.sampled_from(list("{}[]:,&*!|>'\"%@`#\t\n -?"))
)
def test_mutated_text(rng: random.Random, junk: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    text = SMALL + SWEEP
    start = rng.randrange(len(text))
    end = min(len(text), start + rng.choice([0, 0, 1, 5, 30]))
    check(tmp_path_factory.getbasetemp() / "mutated", text[:start] + junk + text[end:])


def check(folder: Path, text: str) -> None:
    path = folder / "spec.yaml"
    folder.mkdir(exist_ok=True)
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    try:
        loaded = load_spec(path)
    except SpecErrors as found:
        assert found.diagnostics
        for one in found.diagnostics:
            assert one.message and one.code and (one.at is not None), one
            assert one.at.line >= 1 and one.at.column >= 1
        found.render(carets=True)
        return
    if loaded.spec is not None:
        expand(loaded, *choose(loaded, None, None))
