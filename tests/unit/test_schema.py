"""The JSON Schema: it takes every shipped file and references, and flags what an editor should flag."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from mxspec.cli import exits
from mxspec.cli.app import run_app
from mxspec.load.describe import describe_field
from mxspec.load.errors import Findings
from mxspec.load.nodes import to_plain
from mxspec.load.paths import NoSuchPath
from mxspec.load.read import read_file, read_text
from mxspec.load.schema import json_schema
from mxspec.load.shipped import specs_dir
from tests.support.specs import SMALL, changed

SHIPPED = sorted(specs_dir().rglob("*.yaml"))
VALIDATORS = {part: Draft202012Validator(json_schema(part)) for part in ("spec", "base", "benchmark")}


def complaints(text: str) -> list[str]:
    root = read_text(text, "spec.yaml", Findings())
    assert root is not None
    return [_deepest(one) for one in VALIDATORS["spec"].iter_errors(to_plain(root))]


def _deepest(error: Any) -> str:
    return "\n".join([error.message, *(_deepest(one) for one in error.context or ())])


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: str(path.relative_to(specs_dir())))
def test_shipped_files_fit(path: Path) -> None:
    root = read_file(path, Findings())
    assert root is not None
    data = to_plain(root)
    assert isinstance(data, dict)
    assert list(VALIDATORS[str(data.get("part", "spec"))].iter_errors(data)) == []


def test_schemas_are_schemas() -> None:
    for one in VALIDATORS.values():
        Draft202012Validator.check_schema(one.schema)


def test_references_stand_for_any_value() -> None:
    for change in (("lr: 5e-4", "lr: '${vars.lr}'"), ("per_step: 8", "per_step: '${vars.n}'")):
        assert complaints(changed(change)) == []
    assert complaints(changed(("lr: 5e-4", "lr: five"))) != []


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("designs: 4", "desings: true"), "True is not of type 'integer'"),
        (("reduce: outcome", "reduce: outcom"), "'outcom' is not one of"),
        (("kind: generated", "kind: generatd"), "'generated' was expected"),
        (("per_step: 8", "per_step: 0"), "0 is less than or equal to the minimum of 0"),
        (("questions:", "question:"), "'question' was unexpected"),
    ],
)
def test_an_editor_flags(change: tuple[str, str], said: str) -> None:
    assert any(said in one for one in complaints(changed(change)))


def test_a_whole_spec_says_everything() -> None:
    alone = SMALL.replace("extends: mxspec:base/tiny_llama.yaml\n", "")
    assert any("'policy' is a required property" in one for one in complaints(alone))


def test_every_field_has_a_meaning() -> None:
    def walk(schema: Any, path: str) -> list[str]:
        found = [] if schema.get("description") or path.endswith(".kind") else [path]
        return found

    for part in ("spec", "benchmark"):
        models = {"": json_schema(part), **json_schema(part)["$defs"]}
        missing = [
            bare
            for name, model in models.items()
            for key, one in model.get("properties", {}).items()
            if key not in ("language", "part")
            for bare in walk(one, f"{name}.{key}")
        ]
        assert missing == [], part


def test_words_of_the_language_and_names_elsewhere_are_described() -> None:
    (found,) = describe_field("$set")
    assert found["type"] == "map of path: value"
    kinds = {one["of"]: one["meaning"] for one in describe_field("runtime.launcher.kind")}
    assert kinds["ray"] == "Runs on warm Ray workers."
    with pytest.raises(NoSuchPath) as none:
        describe_field("rollout.clip_high")
    assert "'clip_high' exists at" in none.value.hint


def test_a_field_is_described(capsys: pytest.CaptureFixture[str]) -> None:
    (found,) = describe_field("rollout.tree.designs")
    assert (found["default"], found["required"]) == (1, False)
    assert [one["of"] for one in describe_field("stages.rl.steps")] == ["rl"]
    assert describe_field("roles.designer.sampling.max_tokens")[0]["unit"] == "tokens"
    assert run_app(["schema", "--field", "policy.sharing"]) == exits.OK
    assert "type: a map of kind shared, split, lora, groups" in capsys.readouterr().out
    assert run_app(["schema", "--field", "rollout.tree.desings"]) == exits.USAGE
    assert "did you mean 'designs'?" in capsys.readouterr().err
