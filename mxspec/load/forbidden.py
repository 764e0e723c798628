"""Values that no field may have: secrets, infinity, NaN, directives below the top level."""

from __future__ import annotations

import math
import re
from typing import Any

from mxspec.load.compose import DIRECTIVES
from mxspec.load.errors import SECRET, Findings
from mxspec.load.nodes import Node, Path, ScalarNode, dotted, place_of, walk
from mxspec.load.schema_walk import annotation_at, members

SECRET_KEY = re.compile(
    r"(?:^|_)(?:api_?key|secret|secret_?key|password|passwd|token|access_?key|credentials?)$", re.IGNORECASE
)
SECRET_VALUE = re.compile(
    r"\b(?:hf_[A-Za-z0-9]{16,}|sk-[A-Za-z0-9_-]{16,}|gh[pousr]_[A-Za-z0-9]{20,}|AKIA[0-9A-Z]{16})\b"
)


def forbidden_values(root: Node, findings: Findings, start: Any) -> set[Path]:
    """Reports values that no field may have: secrets, infinity, NaN.

    Returns:
        Their paths, so that nothing else is said about them.
    """
    reported: set[Path] = set()
    for path, node in walk(root):
        if len(path) > 1 and path[-1] in DIRECTIVES and path[0] not in ("vars", "sweep"):
            message = f"{path[-1]!r} stands at the top level only"
            hint = f"write the whole path there, e.g. {path[-1]}: {dotted(root, path[:-1])}.<name>"
            findings.error(
                "unknown-key", message, hint=hint, path=dotted(root, path), at=place_of(root, path, of_key=True)
            )
            reported.add(path)
        if not isinstance(node, ScalarNode) or not path:
            continue
        where, last = dotted(root, path), str(path[-1])
        if isinstance(node.value, float) and not math.isfinite(node.value):
            wants_text = str in members(annotation_at(root, path, start))
            if ".inf" in node.text.lower() or ".nan" in node.text.lower() or not wants_text:
                findings.error("not-finite", f"`{node.text}` is no finite number", path=where, at=node.at)
            else:
                hint = f"quote it: '{node.text}'"
                findings.error(
                    "looks-like-number", f"`{node.text}` reads as a number", hint=hint, path=where, at=node.at
                )
            reported.add(path)
        elif isinstance(node.value, str) and node.value and "text" not in path:
            if SECRET_VALUE.search(node.value) or (SECRET_KEY.search(last) and not node.value.startswith("${env:")):
                hint = "secrets come from the environment; remove it and revoke it if it was shared"
                findings.error(SECRET, "this looks like a secret", hint=hint, path=where, at=node.at)
                reported.add(path)
    return reported
