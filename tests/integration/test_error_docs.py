"""The documented codes are those of the source; the broken specs in the docs say exactly what the docs show."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from mxspec.load import SpecErrors, load_spec
from tests.support.specs import SMALL, changed, write

ROOT = Path(__file__).resolve().parents[2]
TOLD = re.compile(r"(?:error|warn|Diagnostic)\(\s*\"([a-z-]+)\"")
RETURNED = re.compile(r"^\s*return .*, \"([a-z-]+)\"$", re.MULTILINE)
PAGE = ROOT / "docs" / "broken_specs.md"

BROKEN = {
    "A typo": changed(("designs: 4, executions: 2", "desings: 4, executions: 2")),
    "A switch and a number where text is meant": changed(
        ("name: small", "name: no"), ("writer: designer", "writer: 1e3")
    ),
    "A key in the wrong place": changed(("per_step: 8", "per_step: 8, executions: 4")),
    "A kind that does not exist": changed(("kind: alternate", "kind: alternating")),
    "A group of one": changed(("designs: 4, executions: 2", "designs: 1, executions: 8")),
    "Numbers that do not divide": SMALL.replace(
        "optimizer: {kind: adamw, lr: 5e-4}}", "optimizer: {kind: adamw, lr: 5e-4}, update: {minibatches: 3}}"
    ),
    "A circle of references": SMALL + "vars: {a: '${vars.b}', b: '${vars.a}'}\n",
    "A key twice, and a tag": SMALL + "seed: 1\nseed: 2\nnotes: !!python/name:os.system\n",
    "What nothing reads": changed(
        ("train: {kind: alternate, order: [executor, designer], every: 10}", "train: [executor]")
    ),
    "Arms that lead nowhere": SMALL
    + "sweep: {baseline: main, arms: {main: {}, k1: {stages.rl.train.evry: 1}, wide: {rollout.tree: {designs: 0}}}}\n",
}


def test_every_code_is_documented() -> None:
    source = "\n".join(
        path.read_text() for package in ("mxspec", "runners/check") for path in (ROOT / package).rglob("*.py")
    )
    told = {*TOLD.findall(source), *RETURNED.findall((ROOT / "mxspec/load/wording.py").read_text()), "secret"}
    documented = set(re.findall(r"^\| ([a-z-]+) \| ", (ROOT / "docs/errors.md").read_text(), re.MULTILINE)) - {"code"}
    assert told == documented


def test_the_broken_specs_of_the_docs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:

    monkeypatch.chdir(tmp_path)
    parts = [
        "# Ten broken specs\n\n"
        "Each is the small spec of the tests with something wrong; below it what `mxspec validate` says.\n"
    ]
    for name, text in BROKEN.items():
        write(tmp_path, text)
        with pytest.raises(SpecErrors) as caught:
            load_spec("spec.yaml")
        wrong = sorted({one.at.line for one in caught.value.diagnostics if one.at and one.at.file == "spec.yaml"})
        shown = "\n".join(text.splitlines()[line - 1] for line in wrong)
        parts.append(f"## {name}\n```yaml\n{shown}\n```\n```\n{caught.value.render(carets=True)}\n```\n")
    page = "\n".join(parts)
    if os.environ.get("MXSPEC_GOLDEN") == "write":
        PAGE.write_text(page)
    assert page == PAGE.read_text() and len(BROKEN) == 10
