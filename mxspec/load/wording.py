"""What is said of a value that its place does not take, and what to write instead."""

from __future__ import annotations

import re
from typing import Any, get_args, get_origin

from mxspec.load.errors import did_you_mean
from mxspec.load.faults import Fault
from mxspec.load.nodes import ListNode, MapNode, Node, ScalarNode, name_of
from mxspec.load.schema_walk import fields_of, kind_of, members

BOUNDS = {
    "greater_than": "must be greater than {gt}",
    "greater_than_equal": "must be {ge} or more",
    "less_than": "must be less than {lt}",
    "less_than_equal": "must be {le} or less",
    "string_pattern_mismatch": "does not match the pattern {pattern}",
    "string_too_short": "must not be empty",
    "string_too_long": "must have at most {max_length} characters",
}
SYNONYMS = {"gpu": "cuda", "GPU": "cuda", "gpus": "cuda"}
"""What people write for a value of the language that is not like it."""
SWITCHES = {"no": "false", "off": "false", "n": "false", "yes": "true", "on": "true", "y": "true"}


def kinds_at(annotation: Any) -> list[str]:
    """The kinds that a place may have."""
    models = [one for one in members(annotation) if isinstance(one, type) and hasattr(one, "model_fields")]
    return [kind for model in models if (kind := kind_of(model)) is not None]


def shape_of(fault: Fault, node: Node | None, annotation: Any) -> str:
    """What a value should have been, in the opinion of one member of its union."""
    if fault.kind == "model_type":
        for one in members(annotation):
            if (
                isinstance(one, type)
                and one.__name__ == fault.context.get("class_name")
                and hasattr(one, "model_fields")
            ):
                return f"a map with {' and '.join(fields_of(one))}"
        return "a map"
    if fault.kind == "tuple_type" and isinstance(node, ScalarNode) and node.value is not None:
        return "a list" if re.fullmatch(r"\d+(-|\.\.+)\d+", node.text) else f"a list: [{node.text}]"
    return {"tuple_type": "a list", "dict_type": "a map", "string_type": "text"}[fault.kind]


def written_value(node: Node | None) -> str:
    """A value as the file has it, short enough to read."""
    if isinstance(node, ScalarNode):
        text = node.text if len(node.text) <= 80 else f"{node.text[:60]}.. ({len(node.text)} characters)"
        text = re.sub(r"[\x00-\x1f\x7f]", lambda found: f"\\x{ord(found[0]):02x}", text)
        return "nothing" if node.value is None else f"`{text}`"
    return "a list" if isinstance(node, ListNode) else "a map"


def value_of(fault: Fault, node: Node | None, annotation: Any) -> tuple[str, str, str]:
    """Message, hint and code for a value that its field does not take."""
    text = written_value(node)
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
            if isinstance(node, ScalarNode) and isinstance(node.value, float) and node.value.is_integer():
                hint = f"write {int(node.value)}" if abs(node.value) < 1e15 else hint
            return f"{text} is not a whole number", hint, "type"
        case "float_type":
            return f"{text} is not a number", "write a number" + _unquote(node) + _as_number(node), "type"
        case "string_type":
            if isinstance(node, ScalarNode) and node.plain and node.value is not None:
                return f"{text} reads as a {_type_name(node.value)}", f"quote it: '{node.text}'", "looks-like-number"
            return f"{text} is not text", "write text", "type"
        case "bool_type":
            word = SWITCHES.get(node.text.lower()) if isinstance(node, ScalarNode) else None
            return f"{text} is not true or false", f"write {word}" if word else "write true or false", "type"
        case "tuple_type" | "list_type":
            return f"{text} is not a list", _as_list(fault, node, annotation), "type"
        case "model_type" | "dict_type" | "model_attributes_type":
            return f"{text} is not a map", _as_map(node, annotation), "type"
        case "literal_error":
            words = re.findall(r"'([^']*)'", fault.context["expected"])
            close = did_you_mean(SYNONYMS.get(node.text, node.text), words) if isinstance(node, ScalarNode) else ""
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
    if fault.kind in BOUNDS:
        return f"{text} {BOUNDS[fault.kind].format(**fault.context)}", "", "value"
    return f"{text} does not fit ({fault.kind.replace('_', ' ')})", "", "value"


def _as_list(fault: Fault, node: Node | None, annotation: Any) -> str:
    """How a single value, or a map, is written where a list stands."""
    items = [get_args(one)[0] for one in members(annotation) if get_origin(one) is tuple]
    models = [one for item in items for one in members(item) if hasattr(one, "model_fields")]
    if fault.path == ("sweep", "seeds") and isinstance(node, ScalarNode) and type(node.value) is int:
        return f"write [{', '.join(map(str, range(max(1, min(node.value, 10)))))}]"
    span = re.fullmatch(r"(\d{1,6})(?:-|\.\.\.?)(\d{1,6})", node.text) if isinstance(node, ScalarNode) else None
    if span is not None:
        several = range(int(span[1]), int(span[2]) + 1)
        return f"write each: [{', '.join(map(str, several[:10]))}{', ..' if len(several) > 10 else ''}]"
    if isinstance(node, ScalarNode) and node.value is not None:
        key = next((name for name in fields_of(models[0]) if name != "kind"), "") if models else ""
        return f"write [{{{key}: {node.text}}}]" if key else f"write [{node.text}]"
    if not isinstance(node, MapNode) or not models:
        return "write a list"
    names = {name for model in models for name in fields_of(model)}
    if names & node.entries.keys():
        return "write a list of such maps: [{..}]"
    if "name" in names:
        path, name = ".".join(map(str, fault.path)), next(iter(node.entries), "<name>")
        return (
            "write a list of maps with a `name`; "
            f"one value of an inherited list is changed by its path: $set: {{{path}.{name}.<value>: ..}}"
        )
    return "write a list of maps"


def _as_map(node: Node | None, annotation: Any) -> str:
    """How something else is written where a map stands."""
    if isinstance(node, ScalarNode) and node.value is None:
        return "write a map (an empty one is {}), or remove what is inherited with $unset: [<path>]"
    kinds = kinds_at(annotation)
    if kinds:
        return f"write a map with `kind`: {', '.join(kinds)}"
    by_name = any(get_origin(one) is dict for one in members(annotation))
    names = [name_of(item) for item in node.items] if isinstance(node, ListNode) else []
    if by_name and names and all(names):
        return f"write them by name: {{{', '.join(f'{name}: {{..}}' for name in names[:3])}}}"
    if by_name:
        return "write a map by name"
    keys = [key for one in members(annotation) if hasattr(one, "model_fields") for key in fields_of(one)]
    if isinstance(node, ScalarNode) and isinstance(node.value, str) and "text" in keys:
        return "write {text: ..}, or {file: ..}"
    return f"write a map with {', '.join(dict.fromkeys(keys[:8]))}" if keys else "write a map"


def _unquote(node: Node | None) -> str:
    return " without quotes" if isinstance(node, ScalarNode) and not node.plain else ""


def _as_number(node: Node | None) -> str:
    """The number that was meant by `20%` or `12k`."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*(%|k|K|M)", node.text) if isinstance(node, ScalarNode) else None
    scale = {"%": 0.01, "k": 1e3, "K": 1e3, "M": 1e6}
    return "" if found is None else f": {float(found[1]) * scale[found[2]]:g}"


def _type_name(value: object) -> str:
    return "boolean" if isinstance(value, bool) else "number"
