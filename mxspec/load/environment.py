"""References to the environment: `${env:NAME}` and `${env:NAME,default}`, resolved by the worker only."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping

REFERENCE = re.compile(r"\$\{env:([A-Za-z_][A-Za-z0-9_]*)(?:,([^}]*))?\}")


def resolve(text: str, environment: Mapping[str, str] | None = None) -> str | None:
    """A runtime string with its references to the environment replaced.

    Args:
        text: A value under `runtime`, as it stands in the resolved spec.
        environment: Variables; those of this process where None.

    Returns:
        The text, or None where a variable that it needs is neither set nor given a default.
    """
    variables = os.environ if environment is None else environment
    missing = False

    def replace(match: re.Match[str]) -> str:
        nonlocal missing
        name, default = match[1], match[2]
        value = variables.get(name) or default
        missing |= value is None
        return value or ""

    resolved = REFERENCE.sub(replace, text)
    return None if missing else resolved
