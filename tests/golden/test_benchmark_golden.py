"""Questions, splits and demonstrations that may never change: runs are named after them."""

import hashlib
from pathlib import Path

from mxspec.spec.benchmark import Benchmark, Exact, HashSplit, Procedural
from mxspec.spec.rollout import Limits
from mxspec.spec.stages import Teacher
from runners.benchmarks import LoadedBenchmark, load_benchmark
from runners.benchmarks.generators.word_problems import jsonl
from runners.benchmarks.question import split_of
from runners.benchmarks.teachers import demonstrations
from runners.mas.build import build


def chains() -> LoadedBenchmark:
    source = Procedural(kind="procedural", generator="chain_arithmetic", difficulty=(1, 2, 3, 4))
    return load_benchmark("chain_arithmetic", Benchmark(source=source, grader=Exact(kind="exact")), data_paths={})


def hashed(*parts: object) -> str:
    return hashlib.sha256("\n".join(map(repr, parts)).encode()).hexdigest()[:16]


def test_splits() -> None:
    split = HashSplit(test=0.2, validation=0.1)
    assert [split_of(text, split) for text in ("3+4", "3+4-2+1", "0-0", "1+1", "2-3+4")] == SPLITS


def test_questions_of_a_seed() -> None:
    asked = chains().questions_at("train", 0, 5, seed=0)
    assert [(q.text, q.gold) for q in asked] == ASKED
    assert [q.text for q in chains().held_out("test", 5)] == HELD
    assert asked[0].row_hash[:16] == ROW


def test_demonstrations_of_a_seed() -> None:
    teacher = Teacher(teacher="chain_arithmetic", use="chain_arithmetic", rows={"executor": 50, "designer": 50})
    shown = [(one.role, *one.request, one.response) for one in demonstrations(teacher, chains(), seed=0)]
    assert hashed(*shown) == SHOWN


def test_shape_and_hash_of_a_script() -> None:
    design = build(SCRIPT, "3+4", Limits())
    assert design.graph is not None
    assert design.graph.shape() == "reduce > vote(solve, reflect(solve, check), judge=check) > weighted_vote(a, b)"
    assert design.script_hash[:16] == SCRIPT_HASH
    assert (design.kind, design.agents) == ("static", 7)


SCRIPT = """\
from workflow import AgentNode, Workflow
from workflow.nodes import EnsembleNode, ReflectionNode

solve, check = AgentNode("solve"), AgentNode("check")
retry = ReflectionNode("retry", solve, check)
workflow = Workflow("all")
workflow.add_node(AgentNode("reduce"))
workflow.add_node(EnsembleNode("vote", [solve, retry], consensus_agent=check))
weighted = EnsembleNode("w", [AgentNode("a"), AgentNode("b")], strategy="weighted_vote", weights={"a": 2})
workflow.add_node(weighted)
result = workflow.run(question)
print(result.content)
"""
SPLITS = ["train", "train", "test", "validation", "train"]
ASKED = [("4+0", "4"), ("2+0+4", "1"), ("2-2-4-3-0", "3"), ("3+2-0+3-1", "2"), ("1+3", "4")]
HELD = ["0-0", "2-0+3", "1-3-1-1", "0-0+4+4-2", "4+3"]
ROW = "d016d97f32ed37ac"
SHOWN = "a54860a10c0d8e96"
SCRIPT_HASH = "2d5eed34bf0feb2e"


def test_the_shipped_word_problems() -> None:
    shipped = Path(__file__).parents[2] / "specs" / "data" / "word_problems.jsonl"
    assert shipped.read_text() == "".join(line + "\n" for line in jsonl(360, seed=0))
