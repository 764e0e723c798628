"""The redistributable GSM8K rows, where they are at hand."""

import json
from pathlib import Path

import pytest

from mxspec.spec.benchmark import Benchmark, Integer, Jsonl
from runners.benchmarks import LoadedBenchmark, load_benchmark
from runners.grading import grade

FILE = Path(__file__).resolve().parents[2].parent / "shared" / "data" / "gsm8k_test.jsonl"
INTEGER = Integer(kind="integer")

pytestmark = [
    pytest.mark.shared_data,
    pytest.mark.skipif(not FILE.exists(), reason="needs ../shared/data/gsm8k_test.jsonl"),
]


@pytest.fixture(scope="module")
def gsm8k() -> LoadedBenchmark:
    source = Jsonl(kind="jsonl", data="gsm8k", gold_after="####")
    return load_benchmark("gsm8k", Benchmark(source=source, grader=INTEGER), data_paths={"gsm8k": FILE})


def test_every_gold_is_correct_against_itself(gsm8k: LoadedBenchmark) -> None:
    assert gsm8k.faulty == ()
    rows = {split: gsm8k.held_out(split, None) for split in ("train", "validation", "test")}
    assert sum(map(len, rows.values())) == 1319
    assert sum("," in row.gold for of in rows.values() for row in of) == 14
    assert 0.15 < len(rows["test"]) / 1319 < 0.25


def test_worked_answers_grade_as_correct(gsm8k: LoadedBenchmark) -> None:
    lines = [json.loads(line) for line in FILE.read_text().splitlines()]
    golds = {row["question"].strip(): row["answer"].rpartition("####")[2] for row in lines}
    for row in lines:
        gold = golds[row["question"].strip()]
        for answer in (row["answer"], f"So the answer is {gold}.", f"\\boxed{{{gold}}}", f"**FINAL ANSWER:** ${gold}"):
            assert grade(INTEGER, gold, answer).verdict == "correct", answer


def test_training_and_held_out_questions_differ(gsm8k: LoadedBenchmark) -> None:
    asked = {row.row_hash for row in gsm8k.questions_at("train", 0, 915, seed=0)}
    held = {row.row_hash for split in ("validation", "test") for row in gsm8k.held_out(split, None)}
    assert len(asked) == 915 and not asked & held
