"""Benchmarks: where questions come from and how answers are judged."""

from typing import Annotated, Literal

from pydantic import Field

from mxspec.spec.base import SpecModel, leaf

SplitName = Literal["train", "validation", "test"]


class HashSplit(SpecModel):
    """Splits by a hash of the normalised question, so that no question is in two."""

    by: Literal["question_hash"] = leaf("What decides the split of a question.", default="question_hash")
    test: float = leaf("Share held out for test.", default=0.2, ge=0, lt=1)
    validation: float = leaf("Share held out for validation.", default=0.1, ge=0, lt=1)


class Procedural(SpecModel):
    """Questions generated from a seed."""

    kind: Literal["procedural"]
    generator: str = leaf("Name of the registered generator.")
    difficulty: tuple[int, ...] = leaf("Levels drawn from, uniformly.", min_length=1)
    seed: int = leaf("Seed of the held-out question lists.", default=0)
    split: HashSplit = leaf("How questions are split.", default_factory=HashSplit)


class Jsonl(SpecModel):
    """Questions in a JSON-lines file."""

    kind: Literal["jsonl"]
    data: str = leaf("Name under `runtime.data` of the file; its content is identity, its path is not.")
    sha256: str | None = leaf(
        "Hash of the file's bytes; planning fills it in, and a file with another one is refused.",
        default=None,
        pattern=r"^[0-9a-f]{64}$",
    )
    question: str = leaf("Column of the question.", default="question")
    answer: str = leaf("Column of the gold answer.", default="answer")
    gold_after: str | None = leaf("The gold is what follows the last of these marks.", default=None)
    split: HashSplit = leaf("How questions are split.", default_factory=HashSplit)


class Partition(HashSplit):
    """One split of a dataset, parted so that no question is in two."""

    of: str = leaf("Split of the dataset.")


class Hub(SpecModel):
    """Questions of a dataset on the Hugging Face hub, by pinned revision."""

    kind: Literal["hub"]
    path: str = leaf("Dataset repository, `owner/name`.", pattern=r"^[\w.-]+/[\w.-]+$")
    revision: str = leaf("Commit of the repository, 40 hex digits.", pattern=r"^[0-9a-f]{40}$")
    config: str | None = leaf("Configuration of the dataset.", default=None)
    splits: dict[SplitName, str] = leaf("Split of the dataset that serves as train, validation or test.", default={})
    partition: Partition | None = leaf("One split of the dataset, parted by a hash of the question.", default=None)
    question: str = leaf("Column of the question.", default="question")
    answer: str = leaf("Column of the gold answer.", default="answer")
    gold_after: str | None = leaf("The gold is what follows the last of these marks.", default=None)
    licence: str | None = leaf("Licence of the data.", default=None)


Source = Annotated[Procedural | Jsonl | Hub, Field(discriminator="kind")]


class Exact(SpecModel):
    """The answer equals the gold, white space at the ends aside."""

    kind: Literal["exact"]


class Integer(SpecModel):
    """The last number of the answer equals the gold integer, exactly."""

    kind: Literal["integer"]


class Math(SpecModel):
    """The answer is mathematically equal to the gold (math-verify)."""

    kind: Literal["math"]
    tolerance: float = leaf("Largest relative difference of two numbers; 0 is none.", default=0.0, ge=0)


class Choice(SpecModel):
    """The answer names the letter of the right choice."""

    kind: Literal["choice"]


class Code(SpecModel):
    """The program in the answer passes the question's tests, in a sandbox."""

    kind: Literal["code"]
    timeout: float = leaf("Time for one test.", unit="seconds", default=10.0, gt=0)
    tests: str = leaf("Column of the tests.", default="tests")


Grader = Annotated[Exact | Integer | Math | Choice | Code, Field(discriminator="kind")]


class Benchmark(SpecModel):
    """One benchmark (files under `benchmarks/`, or declared in the spec)."""

    source: Source = leaf("Where the questions come from.")
    grader: Grader = leaf("How an answer is judged.")


class Use(SpecModel):
    """A use of a benchmark as a source of questions."""

    use: str = leaf("Name of the benchmark.")
    split: SplitName = leaf(
        "Which part of it; left out: test where it judges, validation where it scores a search, else train.",
        default="train",
    )
    weight: float = leaf("Share among the sources.", default=1.0, gt=0)
    difficulty: tuple[int, ...] | None = leaf("Only these levels.", default=None, min_length=1)
    limit: int | None = leaf("At most so many questions.", unit="questions", default=None, gt=0)


class PoolAdd(SpecModel):
    """Which written questions enter the pool."""

    judged_at_least: float = leaf("Least mean score of a question.", ge=0, le=1)


class Pool(SpecModel):
    """Questions that were written during training and are asked again."""

    add: PoolAdd = leaf("Which enter.")
    keep: int = leaf("Most kept; the oldest leave.", unit="questions", gt=0)


class Questions(SpecModel):
    """The questions of a reinforcement-learning step."""

    per_step: int = leaf("Questions in one rollout batch.", unit="questions", gt=0)
    source: tuple[Use, ...] = leaf("Where they come from.", alias="from", min_length=1)
    pool: Pool | None = leaf("Questions written by a role, asked again.", default=None)
