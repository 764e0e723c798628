"""The base of every spec model: strict, frozen, closed."""

from typing import Any

from pydantic import BaseModel, ConfigDict, Field
from pydantic.config import JsonDict


class SpecModel(BaseModel):
    """A part of a spec.

    Unknown keys are errors, values never change after validation, numbers are
    finite, and no value is coerced from another type (an int where a float is
    wanted is fine). Every field carries a description; `leaf` attaches the
    unit and the source to it.
    """

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        strict=True,
        defer_build=True,  # only what a process uses is built: half the start-up of `validate`
        allow_inf_nan=False,
        validate_default=True,
        ser_json_inf_nan="constants",
    )


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
