"""What every rule works with: the spec, the places of its values, and where findings go."""

from __future__ import annotations

from dataclasses import dataclass

from mxspec.load.errors import Findings, Position, did_you_mean
from mxspec.load.nodes import MapNode, Node, Step, child, dotted
from mxspec.spec import Spec
from mxspec.spec.stages import Alternate, SearchStage, Stage
from mxspec.spec.structure import Cascade, Generated, PluggedStructure, Searched


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Checker:
    """A spec under check."""

    spec: Spec
    root: MapNode
    findings: Findings

    def at(self, *path: Step) -> Position:
        """Where a value stands; where it was left out, the nearest map around it."""
        node: Node = self.root
        for step in path:
            found = child(node, step)
            if found is None:
                break
            node = found
        return node.at

    def key_at(self, *path: Step) -> Position:
        """Where the key of an entry stands."""
        node: Node = self.root
        for step in path[:-1]:
            found = child(node, step)
            if found is None:
                return node.at
            node = found
        return node.keys.get(str(path[-1]), node.at) if isinstance(node, MapNode) else node.at

    def written(self, *path: Step) -> bool:
        """Whether a value stands in the spec, rather than being a default."""
        node: Node = self.root
        for step in path:
            found = child(node, step)
            if found is None:
                return False
            node = found
        return True

    def error(self, code: str, path: tuple[Step, ...], message: str, hint: str = "", *, key: bool = False) -> None:
        """Adds an error at a path (at its key where `key`)."""
        at = self.key_at(*path) if key else self.at(*path)
        self.findings.error(code, message, hint=hint, path=dotted(self.root, path), at=at)

    def warn(self, code: str, path: tuple[Step, ...], message: str, hint: str = "") -> None:
        """Adds a warning at a path."""
        self.findings.warn(code, message, hint=hint, path=dotted(self.root, path), at=self.at(*path))

    def known_role(self, role: str, path: tuple[Step, ...]) -> bool:
        """Whether a role exists; an error where not."""
        if role in self.spec.roles:
            return True
        roles = list(self.spec.roles)
        self.error(
            "unknown-role", path, f"no role {role!r}", did_you_mean(role, roles) or f"roles are {', '.join(roles)}"
        )
        return False

    @property
    def writer(self) -> str | None:
        """The role that writes designs; None under a fixed structure and a cascade.

        Where the named one does not exist, the only role without agents is meant: its name is
        reported once, and no rule trips over it again.
        """
        if not isinstance(self.spec.structure, (Generated, Searched, PluggedStructure)):
            return None
        named = self.spec.structure.writer
        if named is None:
            return None
        silent = [name for name, role in self.spec.roles.items() if role.agents is None]
        return silent[0] if named not in self.spec.roles and len(silent) == 1 else named

    @property
    def levels(self) -> dict[str, str]:
        """Role -> the level of a cascade that it writes."""
        structure = self.spec.structure
        return {one.role: name for name, one in structure.levels.items()} if isinstance(structure, Cascade) else {}


def trained_roles(stage: Stage) -> tuple[str, ...]:
    """Roles that a stage trains, in the order of their first block."""
    if isinstance(stage, SearchStage):
        return ()
    return tuple(dict.fromkeys(stage.train.order if isinstance(stage.train, Alternate) else stage.train))
