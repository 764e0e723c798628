"""What the run directories hold already: runs and their states, committed checkpoints by state."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mxspec.plan.chain import Continues, Stretch
from mxspec.plan.identity import state_at
from mxspec.spec import Spec
from mxspec.spec.stages import SftStage

if TYPE_CHECKING:
    from pathlib import Path

Place = tuple[int, int]
"""A place in a chain: stretches done, and steps of the next one that are done."""


@dataclass(frozen=True, slots=True)
class Existing:
    """A run directory.

    Attributes:
        run: Id of the run.
        state: `done`, `running`, `failed`, `unreadable`, or `stopped` (interrupted, or killed without a word).
        message: Why it failed or cannot be read.
        checkpoints: State -> steps done, of every committed checkpoint.
        spec_hash: Hash of the spec that it was made of; empty where unknown.
        code_hash: Hash of the code that made it; empty where unknown.
        cell: Its cell; empty where unknown.
        seconds: What it took, if it is done and was trained in one go.
    """

    run: str
    state: str
    message: str
    checkpoints: Mapping[str, int]
    spec_hash: str = ""
    code_hash: str = ""
    cell: str = ""
    seconds: float | None = None


def positions(spec: Spec, chain: tuple[Stretch, ...]) -> dict[str, Place]:
    """Every state of a chain after its root -> (stretch, steps since its start), ends as the next stretch's start."""
    found: dict[str, Place] = {}
    for index, stretch in enumerate(chain):
        for done in range(1, longest(spec, stretch) + 1):
            found[state_at(stretch, done)] = (index, done)
        found[stretch.end_state] = (index + 1, 0)
    return found


def longest(spec: Spec, stretch: Stretch) -> int:
    """Most steps of a stretch: its length, or the epochs that its gate allows."""
    if stretch.steps is not None:
        return stretch.steps
    stage = spec.stages[stretch.stage_index]
    assert isinstance(stage, SftStage) and stage.gate is not None
    return stage.gate.max_epochs


def furthest(run: str, known: Mapping[str, Place], existing: Iterable[Existing]) -> Continues | None:
    """The committed checkpoint furthest along a chain; the run's own where several are as far."""
    best: tuple[Place, bool, Continues] | None = None
    for one in existing:
        for state, step in one.checkpoints.items():
            if state in known:
                found = (known[state], one.run == run, Continues(run=one.run, step=step, state=state))
                if best is None or found[:2] > best[:2]:
                    best = found
    return best[2] if best else None


def look(runs_dir: Path) -> tuple[Existing, ...]:
    """Reads the run directories below a directory; none where it does not exist."""
    from mxspec.rundir import Cost, Provenance, RunDir, open_runs

    found: list[Existing] = []
    for one in open_runs(runs_dir):
        made = RunDir(one.path).read("provenance.json", Provenance) if one.state != "unreadable" else None
        cost = RunDir(one.path).read("cost.json", Cost) if one.state == "done" else None
        found.append(
            Existing(
                run=one.run,
                state=one.state,
                message=one.message,
                checkpoints={checkpoint.state: checkpoint.step for checkpoint in one.checkpoints},
                spec_hash=made.spec_hash if made else "",
                code_hash=made.code_hash if made else "",
                cell=made.cell if made else "",
                seconds=cost.seconds if cost is not None and cost.whole else None,
            )
        )
    return tuple(found)
