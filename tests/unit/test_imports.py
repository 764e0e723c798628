"""Who may import whom: spec < load < plan < compile < cli; runners and analysis import mxspec, never the reverse."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
HEAVY = ("torch", "ray", "transformers", "lightning", "vllm", "duckdb", "wandb", "pyarrow", "numpy")
LAYERS = ("spec", "plugins", "load", "plan", "testing", "compile", "cli")
ONLY_IN_RUNNERS = ("torch", "transformers", "lightning", "ray", "vllm", "pydantic_monty", "safetensors")
CORE = ("pydantic", "pydantic_core", "omegaconf", "yaml", "typer", "rich", "mxspec")


def imports(path: Path, *, lazy: bool) -> Iterator[str]:
    """Modules that a file imports when it is imported; with `lazy` also those that its functions import."""
    yield from _imports(ast.parse(path.read_text(encoding="utf-8")), lazy)


def _imports(node: ast.AST, lazy: bool) -> Iterator[str]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import):
            yield from (alias.name for alias in child.names)
        elif isinstance(child, ast.ImportFrom):
            assert child.level == 0 and child.module is not None, "imports are absolute"
            yield child.module
        elif isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING":
            continue
        elif not isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)) or lazy:
            yield from _imports(child, lazy)


def files(package: str) -> list[Path]:
    found = sorted((ROOT / package).rglob("*.py"))
    assert found, f"{package} has no files"
    return found


def offenders(package: str, *, lazy: bool, allowed: object) -> list[str]:
    assert callable(allowed)
    return [
        f"{path.relative_to(ROOT)} imports {module}"
        for path in files(package)
        for module in imports(path, lazy=lazy)
        if not allowed(module)
    ]


@pytest.mark.parametrize("layer", LAYERS)
def test_layers_import_downwards(layer: str) -> None:
    above = LAYERS[LAYERS.index(layer) + 1 :]
    banned = tuple(f"mxspec.{one}" for one in above)
    assert offenders(f"mxspec/{layer}", lazy=True, allowed=lambda m: not m.startswith(banned)) == []


def test_run_directories_stand_below_the_plan() -> None:
    banned = ("mxspec.load", "mxspec.plan", "mxspec.compile", "mxspec.cli")
    assert offenders("mxspec/rundir", lazy=True, allowed=lambda m: not m.startswith(banned)) == []


def test_mxspec_reaches_runners_and_analysis_inside_verbs_and_contract_checks_only() -> None:
    def outside(module: str) -> bool:
        return module.split(".")[0] not in ("runners", "analysis")

    assert offenders("mxspec", lazy=False, allowed=outside) == []
    elsewhere = [
        one
        for one in offenders("mxspec", lazy=True, allowed=outside)
        if not one.startswith(("mxspec/cli/", "mxspec/testing/"))
    ]
    assert elsewhere == []


def test_mxspec_imports_its_light_dependencies_only() -> None:
    def light(module: str) -> bool:
        top = module.split(".")[0]
        return top in CORE or top in sys.stdlib_module_names

    assert offenders("mxspec", lazy=False, allowed=light) == []


def test_runners_do_not_import_analysis_nor_the_command_line() -> None:
    banned = ("analysis", "mxspec.cli", "mxspec.load.loading")
    assert offenders("runners", lazy=True, allowed=lambda m: not m.startswith(banned)) == []


def test_analysis_never_imports_runners() -> None:
    assert offenders("analysis", lazy=True, allowed=lambda m: m.split(".")[0] != "runners") == []


@pytest.mark.parametrize("package", ["mxspec", "analysis"])
def test_models_and_engines_are_imported_in_runners_only(package: str) -> None:
    assert offenders(package, lazy=True, allowed=lambda m: m.split(".")[0] not in ONLY_IN_RUNNERS) == []


@pytest.mark.parametrize(
    "module", ["mxspec.cli", "mxspec.cli.app", "mxspec.load", "mxspec.plan.make", "mxspec.compile.jobs"]
)
def test_the_declaration_is_light(module: str) -> None:
    script = f"import sys, {module}; print(' '.join(m for m in {HEAVY!r} if m in sys.modules))"
    found = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=ROOT)
    assert found.stdout.strip() == ""


def test_validating_imports_neither_rich_nor_omegaconf() -> None:
    script = (
        "import sys; from mxspec.cli.app import run_app; code = run_app(['validate', 'mxspec:quickstart.yaml']);"
        "print(code, [m for m in ('rich', 'omegaconf', 'asyncio', 'numpy') if m in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=ROOT)
    assert found.stdout.splitlines()[-1] == "0 []", found.stderr


def test_every_verb_is_listed_and_can_be_imported() -> None:
    from importlib import import_module

    from mxspec.cli.app import VERBS

    for verb, (target, line) in VERBS.items():
        module, _, name = target.partition(":")
        function = getattr(import_module(module), name)
        assert callable(function) and function.__doc__, verb
        assert line.endswith("."), verb
