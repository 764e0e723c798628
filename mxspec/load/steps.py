"""The steps from a composed tree to a checked spec, taken for the spec itself and for each point of its sweep."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from mxspec.load.checks import check
from mxspec.load.compose import DIRECTIVES, Composer
from mxspec.load.errors import Diagnostic, Findings
from mxspec.load.inline import inline
from mxspec.load.interpolate import interpolate, targets
from mxspec.load.nodes import MapNode, Path, get, walk
from mxspec.load.paths import NoSuchPath, parse_path, put, written
from mxspec.load.point import Change
from mxspec.load.shorthand import write_out
from mxspec.load.validate import validate
from mxspec.spec import Spec

FIXED = ("sweep", "seed", "name", "notes", "language", "plugins")
"""What no arm changes: it would not be another cell."""
NOT_STAGED = (*FIXED, "vars", "numerics", "policy", "structure", "benchmarks", "stages", "evaluate", "init", "runtime")
"""What no stage sets for its time."""
HINTS = {
    "name": "an arm's name is its key",
    "seed": "seeds are replicates: write sweep.seeds: [0, 1]",
    "plugins": "declare them for the whole spec",
}


@dataclass(slots=True, eq=False, repr=False)
class Steps:
    """What the steps share.

    Attributes:
        composer: Which reads the files that the tree names.
        findings: Where errors go.
        model: The language, plugins included.
        used: Places that a reference leads to.
    """

    composer: Composer
    findings: Findings
    model: type[Spec] = Spec
    used: set[Path] = field(default_factory=set)

    def checked(self, whole: MapNode) -> Spec | None:
        """The spec in a resolved tree, if it is right; also as each of its stages changes it."""
        spec = validate(whole, self.model, self.findings)
        if spec is None:
            return None
        check(spec, whole, self.findings)
        for stage in spec.stages:
            if stage.set:
                self._staged(whole, stage.name)
        return spec

    def _staged(self, whole: MapNode, name: str) -> None:
        before = len(self.findings.errors)
        changes = get(whole, ("stages", name, "set"))
        assert isinstance(changes, MapNode)
        changed = self.set(whole, _changes(changes), NOT_STAGED, f"stage {name!r} sets")
        if len(self.findings.errors) == before:
            spec = validate(changed, self.model, self.findings)
            if spec is not None:
                check(spec, changed, self.findings)
        told = {(one.code, one.path) for one in self.findings.errors[:before]}
        self.findings.errors[before:] = [
            one for one in self.findings.errors[before:] if (one.code, one.path) not in told
        ]
        self.label(before, f"as the stage {name!r} sets it")

    def resolve(self, root: MapNode) -> MapNode:
        """The tree with references, shorthands, prompts and benchmarks written out."""
        sweep, rest = root.entries.get("sweep"), root.without("sweep")
        self.used |= {target[:2] for target in targets(root)}
        resolved = inline(write_out(interpolate(rest, self.findings)), self.composer)
        return resolved if sweep is None else resolved.put("sweep", sweep, root.keys["sweep"])

    def set(self, root: MapNode, changes: Sequence[Change], fixed: tuple[str, ...] = (), label: str = "") -> MapNode:
        """A copy of a tree with some values set.

        Args:
            root: The tree.
            changes: What to set, in order.
            fixed: Parts that may not be set here.
            label: What the errors begin with.
        """
        for one in changes:
            try:
                path = parse_path(one.path)
                if path[0] in DIRECTIVES:
                    raise NoSuchPath(f"{path[0]!r} is said in files only", "write a file that extends this one")
                if path[0] in fixed:
                    raise NoSuchPath(f"{path[0]!r} is not changed here", HINTS.get(str(path[0]), ""))
                changed = put(root, path, one.node)
            except NoSuchPath as error:
                message = f"{label}: {error.message}" if label else error.message
                self.findings.error("no-such-path", message, hint=error.hint, path=one.path, at=one.at)
                continue
            assert isinstance(changed, MapNode)
            root = changed
        return root

    def blame(self, before: int, changes: Sequence[Change]) -> None:
        """Says of values that are missing since a map was replaced which change it was."""
        for index in range(before, len(self.findings.errors)):
            one = self.findings.errors[index]
            owner = next((change for change in changes if f"{one.path}".startswith(f"{change.path}.")), None)
            if one.code == "missing" and owner is not None and isinstance(owner.node, MapNode) and owner.node.entries:
                inner = next(path for path, node in walk(owner.node) if not isinstance(node, MapNode))
                value = written((*parse_path(owner.path), *inner))
                hint = f"the map takes the place of all of {owner.path}; write the path of the value: {value}"
                self.findings.errors[index] = replace(one, hint=hint)

    def label(self, before: int, label: str) -> None:
        """Says in the errors found since `before` what they are about."""
        for index in range(before, len(self.findings.errors)):
            one = self.findings.errors[index]
            message = one.message if one.message.startswith(label) else f"{label}: {one.message}"
            self.findings.errors[index] = Diagnostic(one.code, message, one.hint, one.path, one.at, one.severity)


def _changes(node: MapNode) -> tuple[Change, ...]:
    return tuple(Change(path, value, node.keys[path]) for path, value in node.entries.items())
