"""The language with the kinds of some plugins: the same models, their unions widened, nothing else touched."""

from __future__ import annotations

import json
from collections.abc import Iterable
from copy import copy
from functools import lru_cache, reduce
from operator import or_
from types import NoneType, UnionType
from typing import Annotated, Any, TypeVar, Union, cast, get_args, get_origin

from pydantic import BaseModel, Field, TypeAdapter, create_model

from mxspec.plugins.code import Kinds, kinds_of
from mxspec.plugins.points import POINTS
from mxspec.plugins.register import PluginError
from mxspec.spec import Spec
from mxspec.spec.base import SpecModel
from mxspec.spec.plugin import Plugin

B = TypeVar("B", bound=BaseModel)


class Language:
    """The models of the language, with further kinds.

    A model that holds an extension point, however deep, is a subclass here of the one without the kinds,
    so whoever walks specs sees what it knows. Ids do not depend on it.
    """

    def __init__(self, kinds: Kinds) -> None:
        """Groups the kinds by their points.

        Raises:
            PluginError: Two plugins have the same kind.
        """
        self.kinds = kinds
        self._added: dict[frozenset[type], list[type[SpecModel]]] = {}
        self._models: dict[type[BaseModel], type[BaseModel]] = {}
        seen: dict[tuple[str, str], str] = {}
        for model in kinds:
            plugged = model.plugged
            assert plugged is not None
            other = seen.setdefault((plugged.point, plugged.kind), plugged.plugin)
            self._added.setdefault(frozenset(POINTS[plugged.point].kinds), []).append(model)
            if len([one for one in kinds if one.plugged and one.plugged[:2] == plugged[:2]]) > 1:
                raise PluginError(f"the {plugged.point} {plugged.kind!r} is also one of {other}", plugged.plugin)

    @property
    def spec(self) -> type[Spec]:
        """The model of a whole spec."""
        return self.model(Spec)

    def model(self, model: type[B]) -> type[B]:
        """A model, or its subclass that takes the further kinds where it holds a place for them."""
        if not self.kinds:
            return model
        if model not in self._models:
            self._models[model] = model
            fields = {name: self._field(field) for name, field in model.model_fields.items()}
            changed: dict[str, Any] = {name: found for name, found in fields.items() if found is not None}
            if changed:
                self._models[model] = create_model(
                    model.__name__, __base__=model, __module__=model.__module__, __doc__=model.__doc__, **changed
                )
        return cast(type[B], self._models[model])

    def _field(self, field: Any) -> tuple[Any, Any] | None:
        annotation = self._wider(field.annotation)
        if annotation is field.annotation:
            return None
        changed = copy(field)
        if field.default_factory in self._models:
            changed.default_factory = self._models[field.default_factory]
        if get_origin(annotation) is Annotated:  # a place that had one kind only
            annotation = get_args(annotation)[0]
            changed.discriminator = "kind"
        changed.annotation = annotation
        return annotation, changed

    def _wider(self, annotation: Any) -> Any:
        """An annotation with further kinds; the same object where it holds no place for them."""
        origin, arguments = get_origin(annotation), get_args(annotation)
        if origin is Annotated:
            inner = self._wider(arguments[0])
            return annotation if inner is arguments[0] else Annotated[(inner, *arguments[1:])]
        if origin in (Union, UnionType):
            added = self._added.get(frozenset(arguments) - {NoneType}, [])
            inner_all = [self._wider(one) for one in arguments]
            if not added and all(new is old for new, old in zip(inner_all, arguments, strict=True)):
                return annotation
            return reduce(or_, [*inner_all, *added])
        if arguments and origin in (tuple, dict):
            inner_all = [one if one is Ellipsis else self._wider(one) for one in arguments]
            if all(new is old for new, old in zip(inner_all, arguments, strict=True)):
                return annotation
            return origin[tuple(inner_all)]
        if isinstance(annotation, type) and issubclass(annotation, BaseModel):
            own = self.model(annotation)
            added = self._added.get(frozenset((annotation,)), [])
            return Annotated[reduce(or_, [own, *added]), Field(discriminator="kind")] if added else own
        return annotation


@lru_cache(maxsize=32)
def language_with(kinds: Kinds) -> Language:
    """The language with some kinds, made once.

    Raises:
        PluginError: Two plugins have the same kind.
    """
    return Language(kinds)


def language_of(plugins: Iterable[Plugin]) -> Language:
    """The language of a spec whose plugins are trusted.

    Raises:
        PluginError: One of them cannot be used.
    """
    return language_with(tuple(kind for plugin in plugins for kind in kinds_of(plugin)))


def read_with(model: type[B], text: str | bytes, plugins: Iterable[object]) -> B:
    """Reads a document whose specs hold kinds of plugins.

    Args:
        model: The model of the document.
        text: The document, as JSON.
        plugins: The plugins that its specs name, as plain data. They are trusted.

    Raises:
        PluginError: One of them cannot be used.
        ValidationError: The document does not fit.
    """
    found = _PLUGINS.validate_json(json.dumps(list(plugins)))
    return language_of(found).model(model).model_validate_json(text)


_PLUGINS: TypeAdapter[tuple[Plugin, ...]] = TypeAdapter(tuple[Plugin, ...])
