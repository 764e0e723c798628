"""Error texts are read by people: each one here was read, and a change of one is seen."""

from __future__ import annotations

from pathlib import Path

import pytest

from mxspec.load import SpecErrors, load_spec
from tests.support.golden import check_golden
from tests.support.specs import SMALL, changed, write

CASES: dict[str, str] = {
    "C02 a switch where text is meant, quoted not": changed(("name: small", "name: true")),
    "C03 a number where text is meant": changed(("name: small", "name: 695e0514")),
    "C04 a leading zero": changed(("per_step: 8", "per_step: 010")),
    "C05 a key twice": SMALL + "name: again\n",
    "C10 a reference that is none": changed(("name: small", "name: 'Solve ${x^2}$'")),
    "C11 a circle of references": SMALL + "vars: {a: '${vars.b}', b: '${vars.a}'}\n",
    "C12 a typo": changed(("designs: 4, executions: 2", "desings: 4")),
    "C13 a key elsewhere": SMALL + "policy: {executions: 4}\n",
    "C14 a boolean, a float and a string for an int": changed(
        ("designs: 4, executions: 2", "designs: true, executions: 8.0"), ("per_step: 8", "per_step: '8'")
    ),
    "C15 no finite number": changed(("lr: 5e-4", "lr: .nan"), ("lr: 5e-3", "lr: 1e999")),
    "C16 an unknown kind": changed(("{kind: grade}", "{kind: grad}")),
    "C17 no kind": changed(("{kind: generated, writer: designer}", "{writer: designer}")),
    "C24 tabs": SMALL + "\tseed: 1\n",
    "C25 a missing base": changed(("extends: mxspec:base/tiny_llama.yaml", "extends: base/tiny.yaml")),
    "C26 a tag": SMALL + "notes: !!python/object/apply:os.system [ls]\n",
    "C27 a secret": SMALL + "vars: {token: hf_abcdefghijklmnopqrstuvwx}\n",
    "C29 a group of one": changed(("designs: 4, executions: 2", "designs: 1, executions: 4")),
    "C33 no steps, and two stages of one name": changed(
        ("name: rl, kind: rl, steps: 30", "name: cold, kind: rl, steps: 0")
    ),
    "C34 an unknown benchmark": changed(("from: [{use: chain_arithmetic}]", "from: [{use: chain_aritmetic}]")),
    "C40 a baseline that is no arm": SMALL + "sweep: {baseline: mian, arms: {main: {}}, seeds: [0]}\n",
    "C40 an arm that leads nowhere": SMALL + "sweep: {baseline: a, arms: {a: {stages.rll.steps: 3}}, seeds: [0]}\n",
    "C41 nothing to unset": SMALL + "$unset: [evaluate.smoke]\n",
    "a list that is a word": changed(("reduce: outcome, group: [question]", "reduce: outcome, group: question")),
    "a union": changed(("train: {kind: alternate, order: [executor, designer], every: 10}", "train: all")),
}


def test_error_texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    parts: list[str] = []
    for name, text in CASES.items():
        write(tmp_path, text)
        with pytest.raises(SpecErrors) as caught:
            load_spec("spec.yaml")
        parts.append(f"== {name}\n{caught.value.render(carets=True)}\n")
    check_golden("error_texts.txt", "\n".join(parts))
