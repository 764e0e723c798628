"""A corpus of malformed specs, generated from whole ones: every one gives located errors, none is accepted."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mxspec.cli import exits
from mxspec.cli.app import run_app
from mxspec.load import SpecErrors, load_spec
from mxspec.load.dump import dump_plain
from mxspec.load.errors import Findings
from mxspec.load.nodes import to_plain
from mxspec.load.read import read_text
from mxspec.load.shipped import specs_dir
from tests.support.specs import SMALL, write

FREE = {"roles", "terms", "benchmarks", "evaluate", "rows", "vars", "config", "data", "splits", "endpoints", "set"}
"""Maps whose keys are names of the user's own."""
SOURCES = {"small": SMALL, "metaagent_x": (specs_dir() / "systems/metaagent_x.yaml").read_text()}


def mutants(tree: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[str, Any]]:
    """A name and a changed copy of the part at a path: keys misspelt, values of no type that fits, keys of nowhere."""
    items = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for key, value in items:
        where = ".".join(map(str, (*path, key)))
        if isinstance(tree, dict):
            if not (path and path[-1] in FREE) and (*path, key) not in (("language",),):
                yield f"{where} misspelt", {(f"{k}{k[-1]}x" if k == key else k): v for k, v in tree.items()}
            if key not in ("notes", "vars"):
                yield f"{where} of no type", {**tree, key: {"zz_top": [{}]}}
                yield f"{where} infinite", {**tree, key: float("inf")}
        for name, inner in mutants(value, (*path, key)):
            changed = copy.copy(tree)
            changed[key] = inner
            yield name, changed


def corpus() -> Iterator[tuple[str, str]]:
    for source, text in SOURCES.items():
        root = read_text(text, source, Findings())
        assert root is not None
        tree: Any = to_plain(root)
        if source == "metaagent_x":
            tree["extends"] = "mxspec:base/qwen3_8b.yaml"
            for role, name in (("designer", "designer.md"), ("executor", "agent.md")):
                tree["roles"][role]["prompt"]["file"] = str(specs_dir() / "prompts" / name)
        for name, mutant in mutants(tree):
            yield f"{source}: {name}", dump_plain(mutant, escape=False)


CORPUS = dict(corpus())


def test_the_corpus_is_large() -> None:
    assert len(CORPUS) >= 200


def test_every_malformed_spec_has_located_errors(tmp_path: Path) -> None:
    accepted, unplaced = [], []
    for name, text in CORPUS.items():
        path = write(tmp_path, text)
        try:
            load_spec(path)
        except SpecErrors as error:
            unplaced += [f"{name}: {one}" for one in error.diagnostics if one.at is None or not one.code]
        else:
            accepted.append(name)
    assert (accepted, unplaced) == ([], [])


def test_findings_as_sarif(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(tmp_path, SMALL.replace("designs: 4", "desings: 4").replace("per_step: 8", "per_step: eight"))
    assert run_app(["validate", str(path), "--sarif"]) == exits.INVALID_SPEC
    document = json.loads(capsys.readouterr().out)
    (run,) = document["runs"]
    found = {one["ruleId"]: one["locations"][0]["physicalLocation"]["region"]["startLine"] for one in run["results"]}
    assert document["version"] == "2.1.0" and found == {"unknown-key": 9, "type": 8}
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == ["type", "unknown-key"]
