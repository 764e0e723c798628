import json
from collections import Counter
from pathlib import Path
from random import Random

import pytest

from mxspec.spec.benchmark import Benchmark, HashSplit, Integer, Jsonl, Procedural
from runners.benchmarks import LoadedBenchmark, load_benchmark
from runners.benchmarks.generators import GENERATORS
from runners.benchmarks.generators.chain_arithmetic import reduced, value
from runners.benchmarks.generators.word_problems import TEMPLATES, jsonl, problem
from runners.benchmarks.question import split_of
from runners.benchmarks.rows import DataError
from runners.grading import grade

EVEN = HashSplit(by="question_hash", test=0.2, validation=0.1)
INTEGER = Integer(kind="integer")


def generated(name: str, *levels: int, split: HashSplit = EVEN) -> LoadedBenchmark:
    source = Procedural(kind="procedural", generator=name, difficulty=levels, split=split)
    return load_benchmark(name, Benchmark(source=source, grader=INTEGER), data_paths={})


def from_file(path: Path, text: str, split: HashSplit = EVEN, gold_after: str | None = None) -> LoadedBenchmark:
    path.write_text(text)
    source = Jsonl(kind="jsonl", data="rows", gold_after=gold_after, split=split)
    return load_benchmark("rows", Benchmark(source=source, grader=INTEGER), data_paths={"rows": path})


def rows(count: int) -> str:
    return "".join(json.dumps({"question": f"Q{i}?", "answer": i}) + "\n" for i in range(count))


def test_chains_become_chains() -> None:
    chain, seen = "3+4-2+1", []
    while len(chain) > 1:
        chain = reduced(chain)
        seen.append(chain)
    assert seen == ["2-2+1", "0+1", "1"]
    assert [value(text) for text in ("3+4-2+1", "2-4", "0-1", "4")] == [1, 3, 4, 4]


def test_questions_of_a_position_are_always_the_same() -> None:
    bench = generated("chain_arithmetic", 1, 2, 3, 4)
    many = bench.questions_at("train", 0, 64, seed=7)
    assert bench.questions_at("train", 10, 20, seed=7) == many[10:30]
    assert generated("chain_arithmetic", 1, 2, 3, 4).questions_at("train", 63, 1, seed=7) == many[63:]
    assert bench.questions_at("train", 0, 64, seed=8) != many
    assert Counter(len(q.text) // 2 for q in many) == Counter(q.difficulty for q in many)
    assert {q.difficulty for q in many} == {1, 2, 3, 4}
    assert {q.difficulty for q in bench.questions_at("train", 0, 20, seed=7, difficulty=(2,))} == {2}


def test_no_question_is_in_two_splits() -> None:
    bench = generated("chain_arithmetic", 1, 2, 3)
    held = {split: {q.text for q in bench.held_out(split, 400)} for split in ("validation", "test")}
    asked = {q.text for q in bench.questions_at("train", 0, 400, seed=0)}
    assert not (held["validation"] & held["test"] or asked & held["validation"] or asked & held["test"])
    for split, texts in (*held.items(), ("train", asked)):
        assert {split_of(text, EVEN) for text in texts} == {split}


def test_a_larger_limit_only_adds() -> None:
    bench = generated("chain_arithmetic", 1, 2, 3, 4)
    questions = bench.held_out("test", 300)
    assert len(questions) == len({q.text for q in questions}) == 300
    assert bench.held_out("test", 50) == questions[:50]
    assert Counter(q.difficulty for q in questions[:40]) == {1: 10, 2: 10, 3: 10, 4: 10}


def test_a_split_that_has_fewer_yields_fewer() -> None:
    found = generated("chain_arithmetic", 1).held_out("test", 200)
    assert 0 < len(found) < 30
    assert all(q.difficulty == 1 for q in found)


def test_split_shares_and_normalisation() -> None:
    shares = Counter(split_of(f"question {i}", EVEN) for i in range(5000))
    assert abs(shares["test"] / 5000 - 0.2) < 0.02
    assert abs(shares["validation"] / 5000 - 0.1) < 0.02
    assert split_of("How  many\nApples?", EVEN) == split_of("how many apples?", EVEN)


def test_rows_come_in_epochs_and_none_is_lost(tmp_path: Path) -> None:
    bench = from_file(tmp_path / "rows.jsonl", rows(10), HashSplit(test=0.0, validation=0.0))
    order = [q.text for q in bench.questions_at("train", 0, 30, seed=3)]
    assert [q.text for q in bench.questions_at("train", 4, 2, seed=3)] == order[4:6]
    assert [q.text for q in bench.questions_at("train", 9, 3, seed=3)] == order[9:12]
    epochs = [order[:10], order[10:20], order[20:]]
    assert all(sorted(epoch) == sorted(f"Q{i}?" for i in range(10)) for epoch in epochs)
    assert epochs[0] != epochs[1]


def test_rows_held_out_are_fixed(tmp_path: Path) -> None:
    bench = from_file(tmp_path / "a.jsonl", rows(200))
    turned = from_file(tmp_path / "b.jsonl", "\n".join(reversed(rows(200).splitlines())))
    assert bench.held_out("test", None) == turned.held_out("test", None)
    assert bench.held_out("test", 5) == bench.held_out("test", None)[:5]
    assert sum(len(bench.held_out(split, None)) for split in ("train", "validation", "test")) == 200


def test_golds_that_fail_themselves_are_reported(tmp_path: Path) -> None:
    text = '{"question": "a", "answer": "#### 2,125"}\n\n{"question": "b", "answer": "#### a half"}\n'
    bench = from_file(tmp_path / "rows.jsonl", text, HashSplit(test=0.0, validation=0.0), gold_after="####")
    assert [q.gold for q in bench.held_out("train", None)].count("2,125") == 1
    assert [q.gold for q in bench.faulty] == ["a half"]


@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        ('{"question": "a", "answer": "1"}\n{"question": ', 2, "is no JSON"),
        ("[1]\n", 1, "list"),
        ('{"question": "a", "gold": "1"}\n', 1, "no column 'answer'; its columns are gold, question"),
        ('\n{"question": "", "answer": "1"}\n', 2, "'question' is empty"),
        ('{"question": "a", "answer": null}\n', 1, "NoneType"),
        ('{"question": "a", "answer": true}\n', 1, "bool"),
        ("\n", 0, "no rows"),
    ],
)
def test_a_bad_file_says_where(tmp_path: Path, text: str, line: int, problem: str) -> None:
    path = tmp_path / "rows.jsonl"
    with pytest.raises(DataError) as failed:
        from_file(path, text)
    assert failed.value.line == line
    assert problem in failed.value.problem
    assert str(failed.value).startswith(f"{path}:{line}: " if line else f"{path}: ")


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    source = Jsonl(kind="jsonl", data="rows")
    bench = Benchmark(source=source, grader=INTEGER)
    with pytest.raises(DataError, match="cannot be read"):
        load_benchmark("rows", bench, data_paths={"rows": tmp_path / "missing.jsonl"})
    (tmp_path / "latin.jsonl").write_bytes(b'{"question": "\xe9"}')
    with pytest.raises(DataError, match="no UTF-8"):
        load_benchmark("rows", bench, data_paths={"rows": tmp_path / "latin.jsonl"})
    with pytest.raises(ValueError, match=r"runtime\.data\.rows"):
        load_benchmark("rows", bench, data_paths={})
    marked = Jsonl(kind="jsonl", data="rows", gold_after="####")
    (tmp_path / "rows.jsonl").write_text(rows(1))
    with pytest.raises(DataError, match="no mark '####'"):
        load_benchmark("rows", Benchmark(source=marked, grader=INTEGER), data_paths={"rows": tmp_path / "rows.jsonl"})


def test_what_a_benchmark_does_not_have(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no generator 'nothing'; known are chain_arithmetic, word_problems"):
        generated("nothing", 1)
    with pytest.raises(ValueError, match="has levels 1 to 9, not 12"):
        generated("chain_arithmetic", 12)
    with pytest.raises(ValueError, match="limit"):
        generated("chain_arithmetic", 1).held_out("test", None)
    with pytest.raises(ValueError, match="no question of level"):
        generated("chain_arithmetic", 1, split=HashSplit(test=0.0, validation=0.0)).questions_at("test", 0, 1, seed=0)
    bench = from_file(tmp_path / "rows.jsonl", rows(5), HashSplit(test=0.0, validation=0.0))
    with pytest.raises(ValueError, match="no question in split 'test'"):
        bench.held_out("test", None)
    with pytest.raises(ValueError, match="no levels"):
        bench.questions_at("train", 0, 1, 0, (1,))


@pytest.mark.parametrize("level", TEMPLATES)
def test_word_problems_work_out(level: int) -> None:
    rng = Random(level)
    for _ in range(200):
        made = problem(rng, level)
        assert len(made.steps) == level
        assert made.gold > 0
        assert str(made.gold) in made.steps[-1]
        assert grade(INTEGER, str(made.gold), made.answer).verdict == "correct"
        for step in made.steps:
            sums = [part for part in step.replace(",", "").split(" = ") if any(op in part for op in "+-*/")]
            for side in sums:
                words = side.split()
                left, operator, right = int(words[-3]), words[-2], int(words[-1])
                done = {"+": left + right, "-": left - right, "*": left * right, "/": left / right}[operator]
                assert step.split(" = ")[1].startswith(str(int(done))) and done == int(done)


def test_word_problems_as_a_file_of_rows(tmp_path: Path) -> None:
    lines = list(jsonl(60, seed=0))
    assert lines == list(jsonl(60, seed=0))
    bench = from_file(tmp_path / "rows.jsonl", "\n".join(lines), gold_after="####")
    assert bench.faulty == ()
    assert sum(map(len, TEMPLATES.values())) >= 8
    assert set(GENERATORS["word_problems"].levels) == set(TEMPLATES)
