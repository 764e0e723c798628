"""Sweeps: arms, axes, listed points, draws, and seeds."""

from typing import Any

from pydantic import ConfigDict, Field

from mxspec.spec.base import SpecModel, leaf


class Draw(SpecModel):
    """A distribution that one value of a random point is drawn from; exactly one is given."""

    log: tuple[float, float] | None = leaf("Log-uniform between two positive numbers.", default=None)
    uniform: tuple[float, float] | None = leaf("Uniform between two numbers.", default=None)
    int_: tuple[int, int] | None = leaf("A whole number between two, both included.", alias="int", default=None)
    choice: tuple[Any, ...] | None = leaf("One of these.", default=None, min_length=1)


class Random(SpecModel):
    """Points drawn at random: `draws`, `seed`, and a distribution for every path."""

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, Draw] = Field(init=False)

    draws: int = leaf("Number of points.", gt=0)
    seed: int = leaf("Seed of the draws; a point depends on it and its index alone.", default=0, ge=0)


class When(SpecModel):
    """Axes for some points only: those of some arms, or those that have some values of other axes."""

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, tuple[Any, ...]] = Field(init=False)

    arms: tuple[str, ...] | None = leaf(
        "Arms that these axes multiply; all where left out.", default=None, min_length=1
    )
    where: dict[str, Any] = leaf("Path -> value, or list of values, that a point must have been given.", default={})


class Exclude(SpecModel):
    """Points that are left out: all that have these values."""

    model_config = ConfigDict(extra="allow")

    arms: tuple[str, ...] | None = leaf("Only of these arms.", default=None, min_length=1)


class Sweep(SpecModel):
    """Deviations from one spec, each with the same seeds."""

    baseline: str | None = leaf("Arm that the others are compared with; the first where it is left out.", default=None)
    arms: dict[str, dict[str, Any]] = leaf("Path -> value, by arm; one arm `main` where left out.", default={})
    axes: dict[str, tuple[Any, ...]] = leaf("Path -> values; their grid multiplies the arms.", default={})
    zip: tuple[dict[str, tuple[Any, ...]], ...] = leaf("Axes that move together, of equal lengths.", default=())
    cases: tuple[dict[str, Any], ...] = leaf("Listed points, each path -> value.", default=())
    random: Random | None = leaf("Points drawn at random.", default=None)
    when: tuple[When, ...] = leaf("Axes for some arms only.", default=())
    exclude: tuple[Exclude, ...] = leaf("Points that are left out.", default=())
    seeds: tuple[int, ...] | None = leaf(
        "Replicates, never cells; the seed of the spec where left out.", default=None, min_length=1
    )
    limit: int = leaf("Most points; a sweep with more is refused before it is expanded.", default=10_000, gt=0)
    runtime: dict[str, dict[str, Any]] = leaf("Runtime by arm: path under `runtime` -> value.", default={})
