"""One question, its identity, and the split that its hash puts it in."""

from __future__ import annotations

import hashlib
import unicodedata
from dataclasses import dataclass
from random import Random

from mxspec.spec.benchmark import HashSplit, SplitName


@dataclass(frozen=True, slots=True)
class Question:
    """A question of a benchmark.

    Attributes:
        benchmark: Name of the benchmark.
        split: Split that it is in.
        text: What is asked.
        gold: The gold answer, as the benchmark gives it.
        difficulty: Level, where the benchmark has levels.
        row_hash: sha256 of normalised text and gold.
    """

    benchmark: str
    split: SplitName
    text: str
    gold: str
    difficulty: int | None
    row_hash: str


def normalise(text: str) -> str:
    """A question as its hash sees it: NFC, white space collapsed, case folded."""
    return " ".join(unicodedata.normalize("NFC", text).split()).casefold()


def split_of(text: str, split: HashSplit) -> SplitName:
    """The split of a question: the first 64 bits of the sha256 of its normalised text, as a share of 1."""
    digest = hashlib.sha256(normalise(text).encode("utf-8", "surrogatepass")).digest()
    share = int.from_bytes(digest[:8], "big") / 2.0**64
    if share < split.test:
        return "test"
    return "validation" if share < split.test + split.validation else "train"


def make_question(benchmark: str, split: SplitName, text: str, gold: str, difficulty: int | None) -> Question:
    """A question with its hash."""
    hashed = hashlib.sha256(f"{normalise(text)}\x1f{gold}".encode("utf-8", "surrogatepass")).hexdigest()
    return Question(benchmark, split, text, gold, difficulty, hashed)


def rng_of(*parts: str | int) -> Random:
    """A random generator that is a function of names and numbers, the same in every process."""
    text = "\x1f".join(f"{type(part).__name__}:{part}" for part in parts)
    return Random(int.from_bytes(hashlib.blake2b(text.encode(), digest_size=16).digest(), "big"))
