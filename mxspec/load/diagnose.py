"""pydantic's errors -> ours: one typo, one error, at its line, with what to write instead."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from mxspec.load.compose import DIRECTIVES
from mxspec.load.errors import Findings, did_you_mean
from mxspec.load.faults import SHAPES, Fault, of_likely_members, place, relevant
from mxspec.load.nodes import MapNode, Node, Path, ScalarNode, dotted, get, place_of
from mxspec.load.schema_walk import annotation_at, fields_of, kind_of, known_keys, model_for, models_at, places
from mxspec.load.wording import kinds_at, shape_of, value_of, written_value

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails


def diagnose(
    root: MapNode, errors: list[ErrorDetails], findings: Findings, reported: set[Path], *, start: Any, partial: bool
) -> None:
    """Turns pydantic's errors into findings.

    Args:
        root: The tree that was validated.
        errors: What pydantic says.
        findings: Where errors go.
        reported: Paths about which something was said already.
        start: The model of the top level.
        partial: Whether missing keys are fine (a base).
    """
    faults = of_likely_members([place(root, error) for error in errors], root, start)
    typos: dict[Path, list[str]] = {}
    for fault in faults:
        if fault.kind == "extra_forbidden":
            typos.setdefault(fault.path[:-1], []).append(str(fault.path[-1]))
    unknown = {fault.path[:-1] for fault in faults if fault.kind == "literal_error" and fault.path[-1:] == ("kind",)}
    opinions: dict[Path, list[Fault]] = {}
    for fault in relevant(faults, root):
        if fault.path in unknown or (fault.kind == "extra_forbidden" and fault.path[:-1] in unknown):
            continue  # nobody knows what a map of an unknown kind has
        if fault.path in reported or (fault.kind == "missing" and partial):
            continue
        if fault.kind == "missing" and _implied(fault, typos.get(fault.path, [])):
            continue
        if fault.choice == fault.path and fault.kind in SHAPES:
            opinions.setdefault(fault.path, []).append(fault)
        else:
            _report(root, fault, findings, start)
    for path, several in opinions.items():
        _report_choice(root, path, several, findings, start)


def _implied(missing: Fault, typos: list[str]) -> bool:
    """Whether a key is missing since one beside it is misspelled; `extends` would have brought all of them."""
    wanted = [missing.key, *(["extends"] if not missing.path else [])]
    return any(did_you_mean(typo, wanted) for typo in typos)


def _report(root: Node, fault: Fault, findings: Findings, start: Any) -> None:
    path, node = fault.path, get(root, fault.path)
    where = dotted(root, path)
    if fault.kind == "extra_forbidden":
        message, hint = _unknown_key(root, path, start)
        findings.error("unknown-key", message, hint=hint, path=where, at=place_of(root, path, of_key=True))
        return
    if fault.kind == "missing":
        model = model_for(annotation_at(root, path, start), node)
        what = _description(model, fault.key)
        if not path and fault.key == "language":
            what = "write `language: 1`, or `extends` a file that has what is missing"
        what = _meant(root, path) or _of_an_inherited_item(root, path) or what
        where = f"{where}.{fault.key}".removeprefix(".")
        findings.error("missing", f"{fault.key!r} is missing", hint=what, path=where, at=place_of(root, path))
        return
    if fault.kind in ("union_tag_invalid", "union_tag_not_found"):
        _report_kind(root, fault, findings, start)
        return
    message, hint, code = value_of(fault, node, annotation_at(root, path, start))
    findings.error(code, message, hint=hint, path=where, at=place_of(root, path))


def _unknown_key(root: Node, path: Path, start: Any) -> tuple[str, str]:
    key, known = str(path[-1]), known_keys(root, path[:-1], start)
    if len(path) == 1:
        known += [*DIRECTIVES, "part"]
        if "." in key:
            return f"unknown key {key!r}", f"a path stands below `$set`: write $set: {{{key}: ..}}"
    where = dotted(root, path[:-1])
    message = f"unknown key {key!r}" + (f" under {where}" if where else "")
    close = did_you_mean(key, known)
    if len(path) > 1 and key in fields_of(start) and isinstance(get(root, path), MapNode):
        return message, f"{key!r} stands at the top level"
    elsewhere = places(key)
    if close and (not elsewhere or _alike(key, known)):
        return message, close
    kinds = [kind_of(one) for one in models_at(root, path[:-1], start) if key in fields_of(one)]
    if kinds and all(kinds):
        return message, f"only kind {' and '.join(map(str, kinds))} has it"
    if elsewhere:
        return message, f"{key!r} exists at {', '.join(elsewhere[:3])}"
    return message, f"known here: {', '.join(known)}" if known else ""


def _alike(key: str, known: list[str]) -> bool:
    """Whether a key is a slip of a known one, and not the name of something else that the language has."""
    from difflib import get_close_matches

    return bool(get_close_matches(key, known, n=1, cutoff=0.8))


def _meant(root: Node, path: Path) -> str:
    """The name beside it that a map by name was meant to have, where its own is a slip of that."""
    if len(path) != 2 or path[0] not in ("roles", "evaluate", "benchmarks", "credit"):
        return ""
    beside = get(root, path[:1])
    others = [key for key in beside.entries if key != path[1]] if isinstance(beside, MapNode) else []
    return did_you_mean(str(path[1]), others)


def _of_an_inherited_item(root: Node, path: Path) -> str:
    """How one value of an item of an inherited list is changed, where an item looks like an attempt at that."""
    node = get(root, path)
    if not path or not isinstance(path[-1], int) or not isinstance(node, MapNode):
        return ""
    given = next((key for key in node.entries if key != "name"), None)
    if given is None or (not node.entries.keys() & {"name"} and len(node.entries) > 2):
        return ""
    where = dotted(root, path)
    return f"lists replace what is inherited; one value is changed by its path: $set: {{'{where}.{given}': ..}}"


def _description(model: Any, key: str) -> str:
    if model is None:
        return ""
    for name, field in model.model_fields.items():
        if (field.alias or name) == key and field.description:
            return str(field.description).rstrip(".")
    return ""


def _report_kind(root: Node, fault: Fault, findings: Findings, start: Any) -> None:
    node, where = get(root, fault.path), dotted(root, fault.path)
    kinds = kinds_at(annotation_at(root, fault.path, start))
    listed = f"kinds are {', '.join(kinds)}"
    if fault.kind == "union_tag_not_found":
        hint = _of_an_inherited_item(root, fault.path) or listed
        findings.error("no-kind", "`kind` is missing", hint=hint, path=where, at=place_of(root, fault.path))
        return
    assert isinstance(node, MapNode)
    kind = node.entries["kind"]
    written = kind.text if isinstance(kind, ScalarNode) else "this"
    close = "" if findings.unloaded else did_you_mean(written, kinds)
    hint = "; ".join([f"{close} {listed}" if close else listed, *findings.unloaded])
    findings.error("unknown-kind", f"unknown kind {written!r}", hint=hint, path=f"{where}.kind", at=kind.at)


def _report_choice(root: Node, path: Path, several: list[Fault], findings: Findings, start: Any) -> None:
    """One error for a value that fits no member of a union."""
    node, where = get(root, path), dotted(root, path)
    literal = [one.context["expected"] for one in several if one.kind == "literal_error"]
    shapes = [shape_of(one, node, annotation_at(root, path, start)) for one in several if one.kind != "literal_error"]
    wanted = ", or ".join([*literal, *shapes])
    words = re.findall(r"'([^']*)'", " ".join(literal))
    close = did_you_mean(node.text, words) if isinstance(node, ScalarNode) else ""
    hint = f"{close} write {wanted}" if close else f"write {wanted}"
    findings.error("value", f"{written_value(node)} does not fit", hint=hint, path=where, at=place_of(root, path))
