import re
from collections import Counter
from collections.abc import Iterator

import pytest

from mxspec.spec.benchmark import Benchmark, Exact, HashSplit, Procedural
from mxspec.spec.rollout import Limits
from mxspec.spec.stages import Teacher
from runners.benchmarks import LoadedBenchmark, load_benchmark
from runners.benchmarks.generators.chain_arithmetic import reduced, value
from runners.benchmarks.question import split_of
from runners.benchmarks.teachers import Demonstration, demonstrations
from runners.mas.build import ScriptBuilder

SPLIT = HashSplit(by="question_hash", test=0.2, validation=0.1)
ROWS = {"executor": 3000, "designer": 400}


@pytest.fixture(scope="module")
def benchmark() -> LoadedBenchmark:
    source = Procedural(kind="procedural", generator="chain_arithmetic", difficulty=(1, 2, 3, 4), split=SPLIT)
    return load_benchmark("chain_arithmetic", Benchmark(source=source, grader=Exact(kind="exact")), data_paths={})


@pytest.fixture(scope="module")
def builder() -> Iterator[ScriptBuilder]:
    with ScriptBuilder(Limits(calls=12, turns=2, tokens=200, agents=12)) as opened:
        yield opened


def shown(benchmark: LoadedBenchmark, seed: int = 0, **how: float) -> list[Demonstration]:
    teacher = Teacher(teacher="chain_arithmetic", use="chain_arithmetic", rows=ROWS, **how)
    return list(demonstrations(teacher, benchmark, seed=seed))


def test_nothing_held_out_is_ever_shown(benchmark: LoadedBenchmark) -> None:
    seen = set()
    for one in shown(benchmark):
        for text in (one.request.question, one.request.previous, one.response):
            seen.update(re.findall(r"\d(?:[+-]\d)+", text))
    assert len(seen) > 1000
    assert {split_of(text, SPLIT) for text in seen} == {"train"}


def test_a_perfect_executor(benchmark: LoadedBenchmark) -> None:
    ones = [one for one in shown(benchmark, accuracy=1.0) if one.role == "executor"]
    assert len(ones) == ROWS["executor"]
    for one in ones:
        asked, response = one.request, one.response
        if asked.agent == "reduce":
            assert response == reduced(asked.previous)
            assert value(asked.question) == value(asked.previous)
        elif asked.agent == "solve":
            assert (asked.previous, response) == (asked.question, str(value(asked.question)))
        else:
            question, draft = asked.previous.split(" ")
            assert question == asked.question
            assert response == ("CORRECT" if draft == str(value(question)) else "INCORRECT")
    agents = Counter(one.request.agent for one in ones)
    assert set(agents) == {"reduce", "solve", "check"} and agents["reduce"] > len(ones) / 2
    assert sum(len(one.request.previous) == 1 for one in ones) > 100


def test_an_imperfect_executor(benchmark: LoadedBenchmark) -> None:
    first = [
        one.response == reduced(one.request.previous)
        for one in shown(benchmark, accuracy=0.7)
        if one.request.agent == "reduce" and len(one.request.previous) > 1
    ]
    assert abs(sum(first) / len(first) - 0.7) < 0.04


def test_informed_designs_have_the_right_length(benchmark: LoadedBenchmark, builder: ScriptBuilder) -> None:
    for one in shown(benchmark, informed=1.0, corrupted=0.0):
        if one.role == "designer":
            design = builder.build(one.response, one.request.question)
            assert (design.design_verdict, design.detail) == ("ok", "")
            if set(design.graph.agents() if design.graph else ()) == {"reduce"}:
                assert design.agents == len(one.request.question) // 2


def test_random_designs_have_any_length_and_shape(benchmark: LoadedBenchmark, builder: ScriptBuilder) -> None:
    shapes = Counter(
        design.graph.shape()
        for one in shown(benchmark, corrupted=0.0)
        if one.role == "designer" and (design := builder.build(one.response, one.request.question)).graph
    )
    chains = [" > ".join(["reduce"] * n) for n in range(1, 5)]
    assert set(shapes) == {*chains, "solve", "vote(solve, solve, solve)", "reflect(solve, check)"}


def test_corrupted_scripts_are_broken(benchmark: LoadedBenchmark, builder: ScriptBuilder) -> None:
    verdicts = Counter(
        builder.build(one.response, one.request.question).design_verdict
        for one in shown(benchmark, corrupted=0.5)
        if one.role == "designer"
    )
    assert 0.4 < verdicts["ok"] / verdicts.total() < 0.6
    assert {"syntax_error", "runtime_error", "no_run"} <= set(verdicts)


def test_demonstrations_are_a_function_of_the_seed(benchmark: LoadedBenchmark) -> None:
    assert shown(benchmark, seed=3) == shown(benchmark, seed=3)
    assert shown(benchmark, seed=3) != shown(benchmark, seed=4)


def test_scripts_are_short(benchmark: LoadedBenchmark) -> None:
    scripts = [one.response for one in shown(benchmark) if one.role == "designer"]
    assert max(len(script.split("\n")) for script in scripts) <= 8


def test_what_a_teacher_does_not_know(benchmark: LoadedBenchmark) -> None:
    with pytest.raises(ValueError, match="no teacher 'nobody'"):
        list(demonstrations(Teacher(teacher="nobody", use="x", rows={"executor": 1}), benchmark, seed=0))
    other = Teacher(teacher="chain_arithmetic", use="x", rows={"judge": 1})
    with pytest.raises(ValueError, match="not 'judge'"):
        list(demonstrations(other, benchmark, seed=0))
    words = Procedural(kind="procedural", generator="word_problems", difficulty=(2,))
    wrong = load_benchmark("words", Benchmark(source=words, grader=Exact(kind="exact")), data_paths={})
    with pytest.raises(ValueError, match="not benchmark 'words'"):
        list(demonstrations(Teacher(teacher="chain_arithmetic", use="words", rows={"executor": 1}), wrong, seed=0))
