"""The plugins of a spec: their code put into it, once it is trusted, and the language that takes their kinds."""

from __future__ import annotations

from mxspec.load.compose import Composer
from mxspec.load.content import read_content
from mxspec.load.errors import Position
from mxspec.load.interpolate import has_marks
from mxspec.load.nodes import ListNode, MapNode, Node, ScalarNode, replace, to_plain
from mxspec.load.shorthand import written_plugins
from mxspec.plugins.code import Kinds, entry_point, kinds_of, version_of
from mxspec.plugins.language import language_with
from mxspec.plugins.register import PluginError
from mxspec.plugins.trust import is_trusted, record_trust
from mxspec.spec import Spec
from mxspec.spec.plugin import PluginFile, PluginPackage


class _Skipped(Exception):
    """The entry's code is not loaded; what is to be said was said."""


def load_plugins(root: MapNode, composer: Composer, *, trust: bool) -> tuple[MapNode, type[Spec]]:
    """Loads the plugins that a tree names.

    Nothing of a plugin runs unless its text was trusted: by `trust`, which records its hash, or by a hash
    recorded before. What is wrong with one is found, and all else goes on.

    Args:
        root: The composed tree.
        composer: Knows the directory of every file, and where errors go.
        trust: Whether the code is trusted, now and later.

    Returns:
        The tree with the code in it, and the model of a spec.
    """
    root = written_plugins(root)
    entries = root.entries["plugins"]
    if not isinstance(entries, ListNode):
        return root, Spec
    loaded: list[type] = []
    for index, entry in enumerate(entries.items):
        if not isinstance(entry, MapNode):
            continue
        name = _name(entry)
        try:
            found = _package(entry) if "package" in entry.entries else _file(entry, name, index, composer, trust)
            kinds = kinds_of(_model(found))
            language_with((*loaded, *kinds))
        except _Skipped:
            continue
        except PluginError as error:
            composer.findings.error("plugin-failed", str(error), path=f"plugins[{index}]", at=entry.at)
            composer.findings.unloaded.append(str(error))
            continue
        changed = replace(root, ("plugins", index), found)
        assert isinstance(changed, MapNode)
        root = changed
        loaded += kinds
    kinds_loaded: Kinds = tuple(loaded)
    return root, language_with(kinds_loaded).spec


def _name(entry: MapNode) -> str:
    node = _given(entry, "package") or _given(entry, "file") or _given(entry, "name")
    return str(node.value) if isinstance(node, ScalarNode) else "plugin.py"


def _given(entry: MapNode, key: str) -> Node | None:
    """A value of an entry; None where it is missing or null."""
    node = entry.entries.get(key)
    return None if isinstance(node, ScalarNode) and node.value is None else node


def _model(entry: MapNode) -> PluginFile | PluginPackage:
    """The entry as a model; a wrong one is for validation to tell."""
    plain = to_plain(entry)
    try:
        if "package" in entry.entries:
            return PluginPackage.model_validate(plain)
        return PluginFile.model_validate(plain)
    except ValueError as error:
        raise _Skipped from error


def _package(entry: MapNode) -> MapNode:
    """An installed plugin, with its version; whoever installed it has trusted it."""
    node = entry.entries["package"]
    if not isinstance(node, ScalarNode) or not isinstance(node.value, str):
        raise _Skipped
    if "version" in entry.entries:
        return entry
    version = version_of(entry_point(node.value))
    return entry.put("version", ScalarNode(node.at, version, version, plain=False), node.at)


def _file(entry: MapNode, name: str, index: int, composer: Composer, trust: bool) -> MapNode:
    """A plugin's file, read, if it is trusted."""
    findings, where = composer.findings, f"plugins[{index}]"
    named, text = _given(entry, "file"), _given(entry, "text")
    if named is not None and text is not None:
        findings.error("file-and-text", "both `file` and `text` are given", hint="keep one", path=where, at=entry.at)
        raise _Skipped
    if text is None:
        if not isinstance(named, ScalarNode) or not isinstance(named.value, str):
            if named is None:
                findings.error("missing", "'file' is missing", hint="write a path", path=where, at=entry.at)
            raise _Skipped
        if has_marks(("plugins", index), named):
            hint = "write the path itself"
            findings.error("reference", "a plugin's path takes no reference", hint=hint, path=where, at=named.at)
            raise _Skipped
        code = read_content(named, where, composer)
        if code is None:
            raise _Skipped
        text = ScalarNode(named.at, code, code, plain=False)
    if not isinstance(text, ScalarNode) or not isinstance(text.value, str):
        raise _Skipped
    _require_trust(text.value, name, where, entry.at, composer, trust)
    short = name.rsplit("/", 1)[-1]
    found = entry.without("file").put("text", text, entry.at)
    return (
        found
        if "name" in entry.entries
        else found.put("name", ScalarNode(entry.at, short, short, plain=False), entry.at)
    )


def _require_trust(code: str, name: str, where: str, at: Position, composer: Composer, trust: bool) -> None:
    if trust:
        record_trust(code, name)
    elif not is_trusted(code):
        message = f"the plugin {name} is not trusted, and was not loaded"
        hint = "read it, and run this again with --trust"
        composer.findings.warn("untrusted-plugin", message, hint=hint, path=where, at=at)
        composer.findings.unloaded.append(f"the plugin {name} was not loaded: it is not trusted (--trust)")
        raise _Skipped
