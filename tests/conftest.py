"""Where tests run: in CI, a test that skips is a failure, unless it waits for shared data."""

from __future__ import annotations

import os
from collections.abc import Generator
from typing import Any

import pytest

IN_CI = os.environ.get("CI", "").lower() in ("1", "true")
MAY_SKIP = "shared_data"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if IN_CI and report.skipped and not hasattr(report, "wasxfail") and item.get_closest_marker(MAY_SKIP) is None:
        _fail(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    report = yield
    if IN_CI and report.skipped:
        _fail(report)
    return report


@pytest.fixture(autouse=True)
def _no_terminal_width(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is printed into a pipe does not depend on the terminal that the tests run in."""
    monkeypatch.delenv("COLUMNS", raising=False)


def _fail(report: Any) -> None:
    reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
    report.outcome = "failed"
    report.longrepr = f"a test that CI should run was skipped: {reason}"
