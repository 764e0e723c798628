"""What a wheel holds: the packages, the shipped specs, the type markers, and nothing of the tests."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel built from a copy of what git tracks, so that no build directory is left here."""
    source, out = tmp_path_factory.mktemp("a checkout"), tmp_path_factory.mktemp("wheel")
    tracked = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in filter(None, tracked.split("\0")):
        if (ROOT / name).is_file():
            (source / name).parent.mkdir(parents=True, exist_ok=True)
            (source / name).write_bytes((ROOT / name).read_bytes())
    command = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "--no-deps",
        "--no-build-isolation",
        "--quiet",
        "-w",
        str(out),
        ".",
    ]
    subprocess.run(command, cwd=source, check=True)
    [built] = out.glob("mxspec-*.whl")
    return built


def test_the_wheel_holds_what_is_shipped(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    specs = {
        path.relative_to(ROOT).as_posix() for path in (ROOT / "specs").rglob("*") if path.suffix in (".yaml", ".md")
    }
    assert {f"mxspec/{name}" for name in specs} <= names
    assert {"mxspec/specs/mas/reduce.py", "mxspec/py.typed", "runners/py.typed", "analysis/py.typed"} <= names
    assert {name.split("/")[0].split("-")[0] for name in names} == {"mxspec", "runners", "analysis"}


def test_shipped_specs_load_from_the_wheel(wheel: Path, tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text("extends: [mxspec:quickstart.yaml]\nname: mine\nseed: 7\n")
    program = (
        "from mxspec.load import load_spec; import mxspec; assert '.whl' not in mxspec.__file__, mxspec.__file__;"
        "from mxspec.load.shipped import specs_dir; assert specs_dir().parent.name == 'mxspec', specs_dir();"
        "spec = load_spec('mine.yaml').whole; print(spec.name, spec.seed, spec.policy.sharing.kind);"
        "print(load_spec('mxspec:ablations/quickstart.yaml').whole.name)"
    )
    site = tmp_path / "site"
    zipfile.ZipFile(wheel).extractall(site)
    environment = {"PYTHONPATH": str(site), "PATH": ""}
    ended = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert ended.stdout == "mine 7 split\nquickstart-ablation\n", ended.stderr
