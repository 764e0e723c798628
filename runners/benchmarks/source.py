"""Sources of questions: generated from a seed, or rows of a file.

Both answer the same two requests. `at` is a training order: the questions from a
position on, a function of (split, position, seed, difficulty) alone, so that a
resumed run goes on where it stood. `fixed` is a list for evaluations that a larger
limit only makes longer.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Protocol

from mxspec.load.errors import did_you_mean
from mxspec.spec.benchmark import Procedural, SplitName
from runners.benchmarks.generators import GENERATORS, Generator
from runners.benchmarks.question import Question, make_question, rng_of, split_of

_TRIES = 10_000
_DRY = 1_000


class Source(Protocol):
    """Where questions come from."""

    def at(
        self, split: SplitName, position: int, count: int, seed: int, difficulty: tuple[int, ...] | None
    ) -> tuple[Question, ...]:
        """Questions `position`, `position + 1`, ... of a split in the order of a seed."""
        ...

    def fixed(self, split: SplitName, limit: int | None, difficulty: tuple[int, ...] | None) -> tuple[Question, ...]:
        """The first `limit` distinct questions of a split, always in the same order."""
        ...


class ProceduralSource:
    """A fresh draw for every position; levels and questions uniform within the split."""

    def __init__(self, name: str, spec: Procedural) -> None:
        """Looks the generator up.

        Raises:
            ValueError: No generator has the name, or it lacks one of the levels.
        """
        if spec.generator not in GENERATORS:
            hint = did_you_mean(spec.generator, GENERATORS) or f"known are {', '.join(sorted(GENERATORS))}"
            raise ValueError(f"benchmark {name}: no generator {spec.generator!r}; {hint}")
        self.name = name
        self.spec = spec
        self.generator: Generator = GENERATORS[spec.generator]
        self._levels(spec.difficulty)

    def at(
        self, split: SplitName, position: int, count: int, seed: int, difficulty: tuple[int, ...] | None
    ) -> tuple[Question, ...]:
        """Questions `position`, ... of a seed; each a draw of its own."""
        levels = self._levels(difficulty)
        return tuple(self._one(split, levels, seed, index) for index in range(position, position + count))

    def _one(self, split: SplitName, levels: tuple[int, ...], seed: int, index: int) -> Question:
        rng = rng_of(self.name, split, seed, index)
        level = rng.choice(levels)
        for _ in range(_TRIES):
            text, gold = self.generator.draw(rng, level)
            if split_of(text, self.spec.split) == split:
                return make_question(self.name, split, text, gold, level)
        raise ValueError(f"benchmark {self.name}: no question of level {level} in split {split!r}")

    def fixed(self, split: SplitName, limit: int | None, difficulty: tuple[int, ...] | None) -> tuple[Question, ...]:
        """Distinct draws in turn, level by level; a level that yields nothing new any more is left out.

        Raises:
            ValueError: The split has no question of these levels.
        """
        if limit is None:
            raise ValueError(f"benchmark {self.name} is generated: give a `limit` of questions")
        return _fixed(self, split, limit, self._levels(difficulty))

    def _levels(self, difficulty: tuple[int, ...] | None) -> tuple[int, ...]:
        levels = self.spec.difficulty if difficulty is None else difficulty
        missing = [level for level in levels if level not in self.generator.levels]
        if missing:
            low, high = self.generator.levels[0], self.generator.levels[-1]
            raise ValueError(
                f"benchmark {self.name}: {self.spec.generator} has levels {low} to {high}, not {missing[0]}"
            )
        return levels


@lru_cache(maxsize=64)
def _fixed(source: ProceduralSource, split: SplitName, limit: int, levels: tuple[int, ...]) -> tuple[Question, ...]:
    """Levels take turns, each with a random generator and an end of its own: a prefix for any limit."""
    rngs = {level: rng_of(source.name, "fixed", source.spec.seed, split, level) for level in levels}
    open_, seen, found = list(rngs), set[str](), list[Question]()
    while len(found) < limit and open_:
        for level in tuple(open_):
            new = _next_new(source, split, level, rngs[level].getrandbits(64), seen)
            if new is None:
                open_.remove(level)
                continue
            seen.add(new.text)
            found.append(new)
            if len(found) == limit:
                break
    if not found:
        raise ValueError(f"benchmark {source.name}: no question of levels {list(levels)} in split {split!r}")
    return tuple(found)


def _next_new(source: ProceduralSource, split: SplitName, level: int, seed: int, seen: set[str]) -> Question | None:
    rng = rng_of(seed)
    for _ in range(_DRY):
        text, gold = source.generator.draw(rng, level)
        if text not in seen and split_of(text, source.spec.split) == split:
            return make_question(source.name, split, text, gold, level)
    return None


class RowSource:
    """Rows of a file: every epoch a permutation of its own, none lost where epochs meet."""

    def __init__(self, name: str, rows: Sequence[Question]) -> None:
        self.name = name
        self.rows = tuple(rows)
        self._of: dict[SplitName, tuple[Question, ...]] = {
            split: tuple(row for row in self.rows if row.split == split) for split in ("train", "validation", "test")
        }

    def at(
        self, split: SplitName, position: int, count: int, seed: int, difficulty: tuple[int, ...] | None
    ) -> tuple[Question, ...]:
        """Rows `position`, ... of the epochs of a seed, one after the other."""
        rows = self._rows(split, difficulty)
        return tuple(
            rows[_order(self.name, split, seed, index // len(rows), len(rows))[index % len(rows)]]
            for index in range(position, position + count)
        )

    def fixed(self, split: SplitName, limit: int | None, difficulty: tuple[int, ...] | None) -> tuple[Question, ...]:
        """Rows of a split in the order of their hashes."""
        rows = sorted(self._rows(split, difficulty), key=lambda row: row.row_hash)
        return tuple(rows[:limit])

    def _rows(self, split: SplitName, difficulty: tuple[int, ...] | None) -> tuple[Question, ...]:
        if difficulty is not None:
            raise ValueError(f"benchmark {self.name}: rows of a file have no levels of difficulty")
        if not self._of[split]:
            raise ValueError(f"benchmark {self.name}: no question in split {split!r}")
        return self._of[split]


@lru_cache(maxsize=16)
def _order(name: str, split: str, seed: int, epoch: int, count: int) -> tuple[int, ...]:
    order = list(range(count))
    rng_of(name, split, seed, "epoch", epoch).shuffle(order)
    return tuple(order)
