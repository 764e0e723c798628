"""The contract of a plugin, checked: its specs, its code, and what its factories make."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable, Mapping
from math import isfinite
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from mxspec.plan.canonical import digest, leaves
from mxspec.plugins.code import implementation_of, kinds_of
from mxspec.plugins.register import PluginError
from mxspec.spec.base import SpecModel
from mxspec.spec.plugin import PluginFile

HEAVY = ("torch", "transformers", "lightning", "ray", "vllm", "duckdb", "wandb", "pyarrow")
"""What a plugin's file must not import: specs are validated without it."""


class ContractBroken(AssertionError):
    """A plugin that does not keep its contract.

    Attributes:
        kind: The kind, or the file, that breaks it.
        problem: How.
    """

    def __init__(self, kind: str, problem: str) -> None:
        super().__init__(f"{kind}: {problem}")
        self.kind = kind
        self.problem = problem


def check_plugin(
    file: Path | str, examples: Mapping[str, Mapping[str, Any]], *, answers: Iterable[tuple[str, str | None]] = ()
) -> None:
    """Checks a plugin's file: it runs here, so call this for your own code only.

    Args:
        file: The file.
        examples: For every kind that it registers, values of a right spec (without `kind`).
        answers: For graders: gold and a right answer each.

    Raises:
        ContractBroken: How it breaks the contract.
        PluginError: It cannot be loaded.
    """
    path = Path(file)
    kinds = kinds_of(PluginFile(name=path.name, text=path.read_text(encoding="utf-8")))
    _check_light(path)
    registered = {model.plugged.kind: model for model in kinds if model.plugged is not None}
    for kind in registered.keys() ^ examples.keys():
        raise ContractBroken(kind, "it has no example" if kind in registered else "the file does not register it")
    for kind, model in registered.items():
        check_kind(model, examples[kind], answers=answers)


def check_kind(
    model: type[SpecModel], example: Mapping[str, Any], *, answers: Iterable[tuple[str, str | None]] = ()
) -> None:
    """Checks one kind: its spec, and what its factory makes where its point has a contract here.

    Args:
        model: The model that was registered.
        example: Values of a right spec, without `kind`.
        answers: For a grader: gold and a right answer each.

    Raises:
        ContractBroken: How it breaks the contract.
    """
    plugged = model.plugged
    if plugged is None:
        raise ContractBroken(model.__name__, "it is not registered")
    try:
        spec = model.model_validate_json(_json({"kind": plugged.kind, **example}))
    except ValidationError as error:
        raise ContractBroken(plugged.kind, f"the example does not fit: {error.errors()[0]['msg']}") from error
    again = model.model_validate_json(spec.model_dump_json(by_alias=True))
    if again != spec:
        raise ContractBroken(plugged.kind, "written and read again it is another spec")
    try:
        same = digest(leaves(spec)) == digest(leaves(again))
    except (TypeError, ValueError) as error:
        raise ContractBroken(plugged.kind, f"it has no identity: {error}") from error
    if not same:
        raise ContractBroken(plugged.kind, "written and read again it has another identity")
    if not model.__doc__:
        raise ContractBroken(plugged.kind, "the model has no docstring, which is its help")
    try:
        factory = implementation_of(spec)
    except PluginError as error:
        raise ContractBroken(plugged.kind, f"no implementation: {error.problem}") from error
    if plugged.point == "grader":
        _check_grader(plugged.kind, factory(spec), answers)
    elif plugged.point == "benchmark":
        _check_source(plugged.kind, factory(spec, "contract"), factory(spec, "contract"))
    elif plugged.point == "reward":
        _check_term(plugged.kind, factory(spec))
    elif not callable(factory):
        raise ContractBroken(plugged.kind, "the factory is no function")


ODD_ANSWERS = (
    None,
    "",
    " ",
    "\n",
    "\x00",
    "\ud800",
    "\\boxed{",
    "\\boxed{}",
    "{" * 2000,
    "9" * 5000,
    "-",
    "\u202e",
    "NaN",
)
"""Answers that models write; a grader judges each of them."""


def _check_grader(kind: str, judge: Any, answers: Iterable[tuple[str, str | None]]) -> None:
    right = list(answers)
    if not right:
        raise ContractBroken(kind, "give `answers`: a gold and a right answer each")
    for gold, answer in right:
        if _verdict(kind, judge, gold, answer) != "correct":
            raise ContractBroken(kind, f"the right answer {answer!r} to {gold!r} is not correct")
        if _verdict(kind, judge, gold, gold) != "correct":
            raise ContractBroken(kind, f"the gold {gold!r} is not correct against itself")
        for odd in ODD_ANSWERS:
            first, second = _verdict(kind, judge, gold, odd), _verdict(kind, judge, gold, odd)
            if first != second:
                raise ContractBroken(kind, f"the answer {odd!r:.40} is judged {first}, then {second}")
            if odd is None and first != "no_answer":
                raise ContractBroken(kind, f"no answer at all is judged {first}, not no_answer")


def _verdict(kind: str, judge: Any, gold: str, answer: str | None) -> str:
    try:
        found = judge(gold, answer)
    except Exception as error:
        raise ContractBroken(kind, f"the answer {answer!r:.40} makes it raise {type(error).__name__}") from error
    verdict = getattr(found, "verdict", None)
    known = ("correct", "incorrect", "no_answer", "gold_unparsable", "timeout", "error")
    if verdict not in known:
        raise ContractBroken(kind, f"its verdict is {verdict!r}; verdicts are {', '.join(known)}")
    return str(verdict)


def _check_term(kind: str, judge: Any) -> None:
    """A term of a reward is a number for every execution, right or wrong, or None, and always the same."""
    from mxspec.testing.executions import sample_executions

    for execution in sample_executions():
        said = f"an execution that is {execution.result.verdict} with an answer that is {execution.grade.verdict}"
        found: list[Any] = []
        for _ in range(2):
            try:
                found.append(judge(execution))
            except Exception as error:
                raise ContractBroken(kind, f"{said} makes it raise {type(error).__name__}: {error}") from error
        if found[0] is not None and (isinstance(found[0], str) or not isfinite(found[0])):
            raise ContractBroken(kind, f"{said} is worth {found[0]!r}, which is no finite number and not None")
        if found[0] != found[1]:
            raise ContractBroken(kind, f"{said} is worth {found[0]!r}, then {found[1]!r}")


def _check_source(kind: str, source: Any, other: Any) -> None:
    """A source is a function of its arguments: a run that stopped goes on with the same questions."""
    whole = source.at("train", 0, 8, 7, None)
    if len(whole) != 8:
        raise ContractBroken(kind, f"at(train, 0, 8) gave {len(whole)} questions")
    if tuple(source.at("train", 3, 5, 7, None)) != tuple(whole[3:]):
        raise ContractBroken(kind, "questions 3 to 8 depend on where the request began")
    if tuple(other.at("train", 0, 8, 7, None)) != tuple(whole):
        raise ContractBroken(kind, "two sources of one spec ask other questions")
    few, more = source.fixed("test", 4, None), source.fixed("test", 8, None)
    if tuple(more[: len(few)]) != tuple(few):
        raise ContractBroken(kind, "a larger limit does not begin with the questions of a smaller one")
    overlap = {one.row_hash for one in whole} & {one.row_hash for one in more}
    if overlap:
        raise ContractBroken(kind, f"{len(overlap)} questions are both in train and in test")


def _check_light(path: Path) -> None:
    code = (
        "import runpy, sys; before = set(sys.modules); runpy.run_path(sys.argv[1]); "
        "print(*sorted({one.partition('.')[0] for one in set(sys.modules) - before}))"
    )
    done = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=False)
    if done.returncode:
        raise ContractBroken(path.name, f"it fails to load: {done.stderr.strip().splitlines()[-1]}")
    heavy = [one for one in done.stdout.split() if one in HEAVY]
    if heavy:
        raise ContractBroken(path.name, f"it imports {', '.join(heavy)}; leave that to the implementation's module")


def _json(values: Mapping[str, Any]) -> str:
    import json

    return json.dumps(values)
