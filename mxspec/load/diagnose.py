"""pydantic's errors -> ours: one typo, one error, at its line, with what to write instead."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mxspec.load.compose import DIRECTIVES
from mxspec.load.errors import SECRET, Findings, Position, did_you_mean
from mxspec.load.nodes import ListNode, MapNode, Node, Path, ScalarNode, child, dotted, get, walk
from mxspec.load.schema_walk import annotation_at, fields_of, kind_of, known_keys, members, model_for, places

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

SECRET_KEY = re.compile(
    r"(?:^|_)(?:api_?key|secret|secret_?key|password|passwd|token|access_?key|credentials?)$", re.IGNORECASE
)
SECRET_VALUE = re.compile(
    r"\b(?:hf_[A-Za-z0-9]{16,}|sk-[A-Za-z0-9_-]{16,}|gh[pousr]_[A-Za-z0-9]{20,}|AKIA[0-9A-Z]{16})\b"
)

_SHAPES = frozenset({"model_type", "tuple_type", "dict_type", "literal_error", "string_type"})
_BOUNDS = {
    "greater_than": "must be greater than {gt}",
    "greater_than_equal": "must be {ge} or more",
    "less_than": "must be less than {lt}",
    "less_than_equal": "must be {le} or less",
    "string_pattern_mismatch": "does not match the pattern {pattern}",
    "string_too_short": "must not be empty",
    "string_too_long": "must have at most {max_length} characters",
}
_SWITCHES = {"no": "false", "off": "false", "n": "false", "yes": "true", "on": "true", "y": "true"}


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
            findings.error("unknown-key", message, hint=hint, path=dotted(root, path), at=_at(root, path, of_key=True))
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


@dataclass(frozen=True, slots=True)
class _Fault:
    """A pydantic error, put where it belongs.

    Attributes:
        kind: pydantic's type of error.
        path: The value in the tree that it is about (for a missing key: the map).
        key: The missing key.
        choice: Path of the union that the error is one member's opinion of; None where there is none.
        member: The name of that member.
        context: pydantic's context.
    """

    kind: str
    path: Path
    key: str
    choice: Path | None
    member: str
    context: Mapping[str, Any]


def _place(root: Node, error: ErrorDetails) -> _Fault:
    path: list[str | int] = []
    node: Node | None = root
    key, member = "", ""
    choice: Path | None = None
    location = error["loc"]
    for index, step in enumerate(location):
        found = child(node, step) if node is not None and isinstance(node, (MapNode, ListNode)) else None
        if isinstance(found, ScalarNode) and isinstance(node, MapNode) and index < len(location) - 1:
            if error["type"] == "missing" or child(node, location[index + 1]) is not None:
                found = None  # the name of a member of a union, which its map has as a key as well
        if found is not None and (isinstance(node, MapNode) or isinstance(step, int)):
            path.append(step)
            node = found
        elif index == len(location) - 1 and error["type"] == "missing":
            key = str(step)
        elif not (isinstance(node, MapNode) and _is_kind(node, step)):
            choice, member = tuple(path), str(step)
    return _Fault(error["type"], tuple(path), key, choice, member, error.get("ctx", {}))


def _is_kind(node: MapNode, step: str | int) -> bool:
    kind = node.entries.get("kind")
    return isinstance(kind, ScalarNode) and kind.value == step


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
    faults = _of_likely_members([_place(root, error) for error in errors], root, start)
    typos = {fault.path[:-1]: fault.path[-1] for fault in faults if fault.kind == "extra_forbidden"}
    opinions: dict[Path, list[_Fault]] = {}
    for fault in _relevant(faults, root):
        if fault.path in reported or (fault.kind == "missing" and partial):
            continue
        if fault.kind == "missing" and fault.path in typos and did_you_mean(str(typos[fault.path]), [fault.key]):
            continue
        if fault.choice == fault.path and fault.kind in _SHAPES:
            opinions.setdefault(fault.path, []).append(fault)
        else:
            _report(root, fault, findings, start)
    for path, several in opinions.items():
        _report_choice(root, path, several, findings, start)


def _of_likely_members(faults: list[_Fault], root: Node, start: Any) -> list[_Fault]:
    """Of several models that a map may be, only what the one has to say whose keys are most like the map's."""
    likely: dict[Path, str] = {}
    for path in dict.fromkeys(fault.choice for fault in faults if fault.choice is not None):
        node = get(root, path)
        model = model_for(annotation_at(root, path, start), node)
        if isinstance(node, MapNode) and model is not None:
            likely[path] = model.__name__
    return [
        fault
        for fault in faults
        if fault.choice not in likely
        or fault.member == likely[fault.choice]
        or fault.member not in _names(root, fault, start)
    ]


def _names(root: Node, fault: _Fault, start: Any) -> set[str]:
    assert fault.choice is not None
    return {one.__name__ for one in _models_at(root, fault.choice, start)}


def _relevant(faults: list[_Fault], root: Node) -> Iterator[_Fault]:
    """Leaves out what other errors imply: members of a union that were not meant, lists emptied by bad items."""
    for fault in faults:
        node = get(root, fault.path)
        if fault.kind == "too_short" and isinstance(node, ListNode) and len(node.items) >= fault.context["min_length"]:
            continue
        if fault.choice == fault.path and fault.kind in _SHAPES:
            deeper = (one for one in faults if one is not fault and one.choice == fault.path)
            if any(one.kind not in _SHAPES or one.path != fault.path for one in deeper):
                continue
        yield fault


def _at(root: Node, path: Path, *, of_key: bool = False) -> Position:
    node = get(root, path)
    assert node is not None
    if of_key and path:
        owner = get(root, path[:-1])
        if isinstance(owner, MapNode):
            return owner.keys[str(path[-1])]
    return node.at


def _report(root: Node, fault: _Fault, findings: Findings, start: Any) -> None:
    path, node = fault.path, get(root, fault.path)
    where = dotted(root, path)
    if fault.kind == "extra_forbidden":
        message, hint = _unknown_key(root, path, start)
        findings.error("unknown-key", message, hint=hint, path=where, at=_at(root, path, of_key=True))
        return
    if fault.kind == "missing":
        model = model_for(annotation_at(root, path, start), node)
        what = _description(model, fault.key)
        where = f"{where}.{fault.key}".removeprefix(".")
        findings.error("missing", f"{fault.key!r} is missing", hint=what, path=where, at=_at(root, path))
        return
    if fault.kind in ("union_tag_invalid", "union_tag_not_found"):
        _report_kind(root, fault, findings, start)
        return
    message, hint, code = _value(fault, node, annotation_at(root, path, start))
    findings.error(code, message, hint=hint, path=where, at=_at(root, path))


def _unknown_key(root: Node, path: Path, start: Any) -> tuple[str, str]:
    key, known = str(path[-1]), known_keys(root, path[:-1], start)
    if len(path) == 1:
        known += [*DIRECTIVES, "part"]
    where = dotted(root, path[:-1])
    message = f"unknown key {key!r}" + (f" under {where}" if where else "")
    close = did_you_mean(key, known)
    if close:
        return message, close
    kinds = [kind_of(one) for one in _models_at(root, path[:-1], start) if key in fields_of(one)]
    if kinds and all(kinds):
        return message, f"only kind {' and '.join(map(str, kinds))} has it"
    elsewhere = places(key)
    if elsewhere:
        return message, f"{key!r} exists at {', '.join(elsewhere[:3])}"
    return message, f"known here: {', '.join(known)}" if known else ""


def _models_at(root: Node, path: Path, start: Any) -> list[Any]:
    return [one for one in members(annotation_at(root, path, start)) if hasattr(one, "model_fields")]


def _description(model: Any, key: str) -> str:
    if model is None:
        return ""
    for name, field in model.model_fields.items():
        if (field.alias or name) == key and field.description:
            return str(field.description).rstrip(".")
    return ""


def kinds_at(annotation: Any) -> list[str]:
    """The kinds that a place may have."""
    models = [one for one in members(annotation) if isinstance(one, type) and hasattr(one, "model_fields")]
    return [kind for model in models if (kind := kind_of(model)) is not None]


def _report_kind(root: Node, fault: _Fault, findings: Findings, start: Any) -> None:
    node, where = get(root, fault.path), dotted(root, fault.path)
    kinds = kinds_at(annotation_at(root, fault.path, start))
    listed = f"kinds are {', '.join(kinds)}"
    if fault.kind == "union_tag_not_found":
        findings.error("no-kind", "`kind` is missing", hint=listed, path=where, at=_at(root, fault.path))
        return
    assert isinstance(node, MapNode)
    kind = node.entries["kind"]
    written = kind.text if isinstance(kind, ScalarNode) else "this"
    close = did_you_mean(written, kinds)
    hint = "; ".join([f"{close} {listed}" if close else listed, *findings.unloaded])
    findings.error("unknown-kind", f"unknown kind {written!r}", hint=hint, path=f"{where}.kind", at=kind.at)


def _report_choice(root: Node, path: Path, several: list[_Fault], findings: Findings, start: Any) -> None:
    """One error for a value that fits no member of a union."""
    node, where = get(root, path), dotted(root, path)
    literal = [one.context["expected"] for one in several if one.kind == "literal_error"]
    shapes = [_shape(one, annotation_at(root, path, start)) for one in several if one.kind != "literal_error"]
    wanted = ", or ".join([*literal, *shapes])
    words = re.findall(r"'([^']*)'", " ".join(literal))
    close = did_you_mean(node.text, words) if isinstance(node, ScalarNode) else ""
    hint = f"{close} write {wanted}" if close else f"write {wanted}"
    findings.error("value", f"{_written(node)} does not fit", hint=hint, path=where, at=_at(root, path))


def _shape(fault: _Fault, annotation: Any) -> str:
    if fault.kind == "model_type":
        for one in members(annotation):
            if (
                isinstance(one, type)
                and one.__name__ == fault.context.get("class_name")
                and hasattr(one, "model_fields")
            ):
                return f"a map with {' and '.join(fields_of(one))}"
        return "a map"
    return {"tuple_type": "a list", "dict_type": "a map", "string_type": "text"}[fault.kind]


def _written(node: Node | None) -> str:
    if isinstance(node, ScalarNode):
        text = node.text if len(node.text) <= 80 else f"{node.text[:60]}.. ({len(node.text)} characters)"
        text = re.sub(r"[\x00-\x1f\x7f]", lambda found: f"\\x{ord(found[0]):02x}", text)
        return "nothing" if node.value is None else f"`{text}`"
    return "a list" if isinstance(node, ListNode) else "a map"


def _value(fault: _Fault, node: Node | None, annotation: Any) -> tuple[str, str, str]:
    """Message, hint and code for a value that its field does not take."""
    text = _written(node)
    match fault.kind:
        case "int_type" | "int_from_float" | "int_parsing":
            hint = "write a whole number"
            if isinstance(node, ScalarNode) and re.fullmatch(r"[+-]?\d{1,3}(_\d{3})+", node.text):
                hint = f"write {node.text.replace('_', '')}"
            if (
                isinstance(node, ScalarNode)
                and isinstance(node.value, (float, str))
                and re.fullmatch(r"-?\d+(\.0*)?", node.text)
            ):
                number = node.text.split(".")[0]
                hint = f"write {number}" + (" without quotes" if not node.plain else "") if len(number) < 40 else hint
            return f"{text} is not a whole number", hint, "type"
        case "float_type":
            return f"{text} is not a number", "write a number" + _unquote(node), "type"
        case "string_type":
            if isinstance(node, ScalarNode) and node.plain and node.value is not None:
                return f"{text} reads as a {_type_name(node.value)}", f"quote it: '{node.text}'", "looks-like-number"
            return f"{text} is not text", "write text", "type"
        case "bool_type":
            word = _SWITCHES.get(node.text.lower()) if isinstance(node, ScalarNode) else None
            return f"{text} is not true or false", f"write {word}" if word else "write true or false", "type"
        case "tuple_type" | "list_type":
            hint = f"write [{node.text}]" if isinstance(node, ScalarNode) and node.value is not None else "write a list"
            return f"{text} is not a list", hint, "type"
        case "model_type" | "dict_type" | "model_attributes_type":
            kinds = kinds_at(annotation)
            hint = f"write a map with `kind`: {', '.join(kinds)}" if kinds else "write a map"
            return f"{text} is not a map", hint, "type"
        case "literal_error":
            words = re.findall(r"'([^']*)'", fault.context["expected"])
            close = did_you_mean(node.text, words) if isinstance(node, ScalarNode) else ""
            hint = f"{close} write {fault.context['expected']}".strip()
            if fault.path[-1:] == ("kind",):
                return f"unknown kind {text}", hint, "unknown-kind"
            return f"{text} is not allowed", hint, "value"
        case "too_short":
            return (
                "the list must not be empty" if isinstance(node, ListNode) else "the map must not be empty",
                "",
                "value",
            )
        case "finite_number":
            return f"{text} is no finite number", "", "not-finite"
    if fault.kind in _BOUNDS:
        return f"{text} {_BOUNDS[fault.kind].format(**fault.context)}", "", "value"
    return f"{text} does not fit ({fault.kind.replace('_', ' ')})", "", "value"


def _unquote(node: Node | None) -> str:
    return " without quotes" if isinstance(node, ScalarNode) and not node.plain else ""


def _type_name(value: object) -> str:
    return "boolean" if isinstance(value, bool) else "number"
