"""Small specs as text, and what loading says about them."""

from __future__ import annotations

from pathlib import Path

from mxspec.load import Diagnostic, Loaded, SpecErrors, load_spec

SMALL = """\
language: 1
name: small
extends: mxspec:base/tiny_llama.yaml
structure: {kind: generated, writer: designer}
roles:
  designer: {prompt: {format: plain, text: "design {question}"}, sampling: {max_tokens: 48}}
  executor: {agents: ["*"], prompt: {format: plain, text: "{agent} {previous}="}, sampling: {max_tokens: 12}}
questions: {per_step: 8, from: [{use: chain_arithmetic}]}
rollout: {tree: {designs: 4, executions: 2}}
reward: {terms: {correct: {kind: grade}}}
credit:
  designer: {terms: {correct: 1.0}, reduce: mean_of_executions, group: [question], unit: sample}
  executor: {terms: {correct: 1.0}, reduce: outcome, group: [question], unit: trajectory}
learn:
  sft: {optimizer: {kind: adamw, lr: 5e-3}, batch: 64}
  rl: {loss: {kind: grpo}, optimizer: {kind: adamw, lr: 5e-4}}
stages:
  - name: cold
    kind: sft
    train: [designer, executor]
    epochs: 2
    data: {teacher: chain_arithmetic, use: chain_arithmetic, rows: {executor: 64, designer: 32}}
  - {name: rl, kind: rl, steps: 30, train: {kind: alternate, order: [executor, designer], every: 10}}
evaluate:
  test: {at: [stage_end], on: [{use: chain_arithmetic, split: test, limit: 64}]}
"""
"""A whole spec: two roles, a cold start, an alternating rl stage."""


def changed(*changes: tuple[str, str], text: str = SMALL) -> str:
    """`SMALL` with some text replaced; each piece must stand in it exactly once."""
    for old, new in changes:
        assert text.count(old) == 1, f"{old!r} stands {text.count(old)} times"
        text = text.replace(old, new)
    return text


def write(folder: Path, text: str, name: str = "spec.yaml") -> Path:
    """Writes a file below a folder."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def load(folder: Path, text: str, *sets: str) -> Loaded:
    """Loads a spec given as text."""
    return load_spec(write(folder, text), sets=sets)


def errors(folder: Path, text: str, *sets: str, name: str = "spec.yaml") -> tuple[Diagnostic, ...]:
    """What is wrong with a spec given as text; nothing where it is fine."""
    return errors_of(write(folder, text, name), *sets)


def errors_of(path: Path, *sets: str) -> tuple[Diagnostic, ...]:
    """What is wrong with a spec file; nothing where it is fine."""
    try:
        load_spec(path, sets=sets)
    except SpecErrors as found:
        return found.diagnostics
    return ()


def one_error(folder: Path, text: str, *sets: str) -> Diagnostic:
    """The only thing that is wrong with a spec."""
    found = errors(folder, text, *sets)
    assert len(found) == 1, "\n".join(map(str, found)) or "nothing is wrong"
    return found[0]


def place_of(text: str, piece: str) -> tuple[int, int]:
    """Line and column of the only place where a piece of text stands."""
    assert text.count(piece) == 1
    before = text[: text.index(piece)]
    return before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1
