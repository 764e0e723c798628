"""A plan that was saved, read again."""

from __future__ import annotations

import json
from pathlib import Path

from pydantic import ValidationError

from mxspec.plan.plan import Plan
from mxspec.plugins.register import PluginError
from mxspec.spec.plugin import PluginFile


class NoPlan(ValueError):
    """A file that is no plan of this version.

    Attributes:
        path: The file.
    """

    def __init__(self, path: Path) -> None:
        super().__init__(f"{path} is no plan of this version; `mxspec plan SPEC --out FILE` saves one")
        self.path = path


def read_plan(path: Path, *, trust: bool = False) -> Plan:
    """Reads a plan; the plugins of its specs are loaded where their code is trusted.

    Args:
        path: The file.
        trust: Whether their code is trusted, now and later.

    Raises:
        NoPlan: It is none.
        PluginError: A plugin cannot be used, or is not trusted.
        OSError: The file cannot be read.
    """
    raw = path.read_bytes()
    try:
        plugins = _plugins(raw)
        if not plugins:
            return Plan.model_validate_json(raw)
        from mxspec.plugins.language import read_with

        _require_trust(plugins, trust)
        return read_with(Plan, raw, plugins)
    except (ValidationError, json.JSONDecodeError, UnicodeDecodeError, KeyError, TypeError, IndexError) as error:
        raise NoPlan(path) from error


def _plugins(raw: bytes) -> list[object]:
    found = json.loads(raw)["runs"][0]["spec"]["plugins"]
    assert isinstance(found, list)
    return found


def _require_trust(plugins: list[object], trust: bool) -> None:
    from mxspec.plugins.trust import is_trusted, record_trust

    for one in plugins:
        text = one.get("text") if isinstance(one, dict) else None
        if not isinstance(text, str):
            continue
        assert isinstance(one, dict)
        plugin = PluginFile.model_validate(one)
        if trust:
            record_trust(text, plugin.name)
        elif not is_trusted(text):
            raise PluginError("it is not trusted; read it, and run this again with --trust", plugin.name)
