"""A spec as YAML that loads to the same object and the same ids."""

from __future__ import annotations

import re

import yaml

from mxspec.load.environment import REFERENCE
from mxspec.load.interpolate import LITERAL
from mxspec.load.nodes import Plain
from mxspec.load.scalars import parse_scalar
from mxspec.spec import Spec


class _Dumper(yaml.SafeDumper):
    """Writes strings so that our reader, and YAML 1.1 readers too, read them back as strings."""

    def ignore_aliases(self, data: object) -> bool:
        """Equal values are written out, never aliased."""
        return True


def _text(dumper: _Dumper, text: str) -> yaml.ScalarNode:
    printable = all(c in "\n" or (c.isprintable() and c not in "\ufeff\u2028\u2029\x85") for c in text)
    block = "\n" in text and printable and not text.startswith((" ", "\n")) and not re.search(r"[ \t]\n|[ \t]$", text)
    if block:
        return dumper.represent_scalar("tag:yaml.org,2002:str", text, style="|")
    quoted = not isinstance(parse_scalar(text), str) or "${" in text
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style='"' if quoted or not printable else None)


def _number(dumper: _Dumper, number: float) -> yaml.ScalarNode:
    text = repr(number)
    if "." not in text:  # 1e-06 is a string to readers of YAML 1.1
        text = text.replace("e", ".0e")
    return dumper.represent_scalar("tag:yaml.org,2002:float", text)


_Dumper.add_representer(str, _text)
_Dumper.add_representer(float, _number)


def dump_plain(tree: Plain, *, escape: bool = True) -> str:
    r"""Plain data as YAML.

    Args:
        tree: The data.
        escape: Whether `${` is written as `\${` where a reader would take it for a reference.
    """
    data = _escaped(tree, ()) if escape else tree
    return yaml.dump(data, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=110, default_flow_style=None)


def dump_spec(spec: Spec) -> str:
    """A spec as YAML, self-contained; references to the environment stay unresolved."""
    return dump_plain(spec.model_dump(mode="json", by_alias=True))


def _escaped(value: Plain, path: tuple[str, ...]) -> Plain:
    if isinstance(value, dict):
        return {key: _escaped(item, (*path, key)) for key, item in value.items()}
    if isinstance(value, list):
        return [_escaped(item, path) for item in value]
    if not isinstance(value, str) or "${" not in value or LITERAL.intersection(path):
        return value
    text, end = "", 0
    for match in REFERENCE.finditer(value) if path[:1] == ("runtime",) else ():
        text += _protect(value[end : match.start()]) + match[0]
        end = match.end()
    return text + _protect(value[end:])


def _protect(text: str) -> str:
    """Escapes marks, and the backslashes before them, which would otherwise escape the escape."""
    return re.sub(r"(\\*)\$\{", lambda match: match[1] * 2 + r"\${", text)
