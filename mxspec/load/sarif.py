"""Diagnostics as SARIF 2.1.0 (OASIS), which code hosts and editors show at their places."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from mxspec.load.errors import Diagnostic

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def as_sarif(findings: Iterable[Diagnostic], version: str) -> dict[str, Any]:
    """One run of one tool.

    Args:
        findings: Errors and warnings.
        version: Of mxspec.
    """
    found = list(findings)
    codes = sorted({one.code for one in found})
    rules = [{"id": code, "shortDescription": {"text": code.replace("-", " ")}} for code in codes]
    driver = {"name": "mxspec", "version": version, "rules": rules}
    results = [_result(one, codes) for one in found]
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _result(one: Diagnostic, codes: list[str]) -> dict[str, Any]:
    path = f"{one.path}: " if one.path else ""
    hint = f"; {one.hint}" if one.hint else ""
    result: dict[str, Any] = {
        "ruleId": one.code,
        "ruleIndex": codes.index(one.code),
        "level": one.severity,
        "message": {"text": f"{path}{one.message}{hint}"},
    }
    if one.at is not None:
        region = {"startLine": one.at.line, "startColumn": one.at.column}
        place = {"artifactLocation": {"uri": one.at.file}, "region": region}
        result["locations"] = [{"physicalLocation": place}]
    return result
