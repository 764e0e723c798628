"""In CI a skipped test is a failure; at home it is not."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest_plugins = ["pytester"]

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


@pytest.fixture
def project(pytester: pytest.Pytester) -> pytest.Pytester:
    pytester.makeconftest((Path(__file__).parents[1] / "conftest.py").read_text())
    pytester.makeini("[pytest]\nmarkers = shared_data\n")
    return pytester


def test_at_home_a_skip_is_a_skip(project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CI", raising=False)
    project.makepyfile(TESTS)
    project.runpytest_inprocess().assert_outcomes(passed=1, skipped=3, xfailed=1)


def test_in_ci_only_shared_data_may_be_missing(project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CI", "true")
    project.makepyfile(TESTS)
    ran = project.runpytest_inprocess()
    ran.assert_outcomes(passed=1, failed=1, errors=1, skipped=1, xfailed=1)
    ran.stdout.fnmatch_lines(["*a test that CI should run was skipped: *no browser here*"])


@pytest.mark.parametrize(("ci", "errors"), [("true", 1), ("false", 0)])
def test_a_module_that_skips_itself(
    project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, ci: str, errors: int
) -> None:
    monkeypatch.setenv("CI", ci)
    project.makepyfile(MODULE)
    project.runpytest_inprocess().assert_outcomes(errors=errors, skipped=1 - errors)
