"""The base of every spec model: strict, frozen, closed."""

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, NamedTuple

from pydantic import BaseModel, ConfigDict, Field
from pydantic.config import JsonDict


class Plugged(NamedTuple):
    """What makes a model the spec of a plugin's kind.

    Attributes:
        point: The extension point that it adds a kind to.
        kind: The kind.
        implementation: `package.module:factory`, or `:factory` for one in the plugin's own file.
        plugin: Name of the plugin; empty until it was loaded as one.
        digest: Hash of the plugin's code; identity of what has the kind.
    """

    point: str
    kind: str
    implementation: str
    plugin: str = ""
    digest: str = ""


class SpecModel(BaseModel):
    """A part of a spec.

    Unknown keys are errors, values never change after validation, numbers are
    finite, and no value is coerced from another type (an int where a float is
    wanted is fine). Every field carries a description; `leaf` attaches the
    unit and the source to it.
    """

    plugged: ClassVar[Plugged | None] = None
    """Set on the spec of a plugin's kind."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        strict=True,
        defer_build=True,  # only what a process uses is built: half the start-up of `validate`
        allow_inf_nan=False,
        validate_default=True,
        ser_json_inf_nan="constants",
    )


def models_in(value: object) -> Iterator[SpecModel]:
    """A model and every model within it."""
    if isinstance(value, SpecModel):
        yield value
        yield from (inner for name in type(value).model_fields for inner in models_in(getattr(value, name)))
    elif isinstance(value, Mapping):
        yield from (inner for one in value.values() for inner in models_in(one))
    elif isinstance(value, tuple):
        yield from (inner for one in value for inner in models_in(one))


def leaf(
    description: str,
    *,
    unit: str | None = None,
    source: str | None = None,
    **constraints: Any,
) -> Any:
    """A field with its meaning, unit and source in the JSON Schema.

    Args:
        description: What the value means, one sentence.
        unit: The unit of the value, when it has one.
        source: Paper or equation that the value comes from.
        **constraints: Passed on to `pydantic.Field` (default, gt, ge, ...). A default that is a model is
            given as `default_factory`, so that importing the language builds no validator.

    Returns:
        What `pydantic.Field` returns.
    """
    extra: JsonDict = {k: v for k, v in (("x-unit", unit), ("x-source", source)) if v is not None}
    return Field(description=description, json_schema_extra=extra or None, **constraints)
