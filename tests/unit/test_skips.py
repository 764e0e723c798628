"""In CI a skipped test is a failure; at home it is not."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = """
import pytest

def test_passes(): pass
def test_skips(): pytest.skip("no browser here")
@pytest.mark.skipif(True, reason="no GPU here")
def test_marked(): pass
@pytest.mark.shared_data
def test_waits_for_data(): pytest.skip("no data here")
@pytest.mark.xfail(strict=True)
def test_known_to_fail(): assert False
"""
MODULE = 'import pytest\npytest.importorskip("no_such_package")\ndef test_never(): pass\n'


@pytest.mark.parametrize(
    ("ci", "counts"),
    [("true", "1 failed, 1 passed, 1 skipped, 1 xfailed, 1 error"), ("", "1 passed, 3 skipped, 1 xfailed")],
)
def test_a_skip_fails_in_ci_only(tmp_path: Path, ci: str, counts: str) -> None:
    (tmp_path / "test_some.py").write_text(TESTS)
    (tmp_path / "conftest.py").write_text((Path(__file__).parents[1] / "conftest.py").read_text())
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers = shared_data\n")
    ended = _pytest(tmp_path, ci)
    assert ended.stdout.strip().splitlines()[-1].startswith(counts)
    assert ended.returncode == (1 if ci else 0)


@pytest.mark.parametrize(("ci", "codes"), [("true", {1, 2}), ("", {0, 5})])
def test_a_module_that_skips_itself(tmp_path: Path, ci: str, codes: set[int]) -> None:
    (tmp_path / "test_module.py").write_text(MODULE)
    (tmp_path / "conftest.py").write_text((Path(__file__).parents[1] / "conftest.py").read_text())
    assert _pytest(tmp_path, ci).returncode in codes


def _pytest(folder: Path, ci: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(folder)]
    return subprocess.run(command, cwd=folder, env=os.environ | {"CI": ci}, capture_output=True, text=True, check=False)
