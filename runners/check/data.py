"""Checks of the questions: golds against themselves, training and evaluation apart, splits that are large enough."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from mxspec.load.checks.data import teachers_of, uses_of
from mxspec.load.errors import did_you_mean
from mxspec.load.nodes import Step
from mxspec.spec import Spec
from mxspec.spec.benchmark import Use
from runners.benchmarks import LoadedBenchmark, Question
from runners.benchmarks.question import normalise, split_of
from runners.benchmarks.source import ProceduralSource, RowSource
from runners.benchmarks.teachers import TEACHERS
from runners.check.checking import Checking

MOST_FAULTY = 0.1
"""Share of golds that may be wrong against themselves; a benchmark with more is an error."""
TAKEN = 500
"""Questions of an evaluation without a limit that are compared with those of training."""


def check_data(checking: Checking, spec: Spec) -> None:
    """Checks every benchmark that a spec uses, and every use."""
    for name in dict.fromkeys(use.use for use, _ in uses_of(spec)):
        loaded = checking.benchmark(spec, name)
        if loaded is not None:
            _golds(checking, loaded)
    for use, path in uses_of(spec):
        loaded = checking.benchmark(spec, use.use)
        if loaded is not None:
            _size(checking, loaded, use, written(path, spec))
    for index, stage in enumerate(spec.stages):
        for teacher in teachers_of(spec.model_copy(update={"stages": (stage,)})):
            if teacher.teacher not in TEACHERS:
                hint = did_you_mean(teacher.teacher, TEACHERS) or f"teachers are {', '.join(sorted(TEACHERS))}"
                at = f"{written(('stages', index), spec)}.data.teacher"
                checking.error("teacher", at, f"no teacher {teacher.teacher!r}", hint)
                continue
            roles = TEACHERS[teacher.teacher].roles
            for role in teacher.rows:
                if role not in roles:
                    at = f"{written(('stages', index), spec)}.data.rows.{role}"
                    hint = did_you_mean(role, roles) or f"it has demonstrations for {', '.join(roles)}"
                    checking.error("teacher", at, f"{teacher.teacher} has none for the role {role!r}", hint)
    _overlap(checking, spec)


def written(path: tuple[Step, ...], spec: Spec) -> str:
    """A path as specs write it: stages by name."""
    text = ""
    for index, step in enumerate(path):
        if isinstance(step, int):
            named = index == 1 and path[0] == "stages"
            text += f".{spec.stages[step].name}" if named else f"[{step}]"
        else:
            text += f".{step}"
    return text.removeprefix(".")


def _golds(checking: Checking, loaded: LoadedBenchmark) -> None:
    path = f"benchmarks.{loaded.name}"
    if not isinstance(loaded.source, RowSource):
        checking.note(f"{loaded.name}: questions are generated")
        return
    rows, faulty = len(loaded.source.rows), len(loaded.faulty)
    checking.note(f"{loaded.name}: {rows:,} questions, {rows - faulty:,} golds right against themselves")
    if not faulty:
        return
    shown = "; ".join(f"{one.gold[:40]!r} of {one.text[:40]!r}" for one in loaded.faulty[:3])
    message = f"{faulty} of {rows} golds are not right against themselves: {shown}"
    hint = "mend the file, or choose another grader; such questions are never scored"
    if faulty > MOST_FAULTY * rows:
        checking.error("gold", f"{path}.grader", message, hint)
    else:
        checking.warn("gold", f"{path}.grader", message, hint)


def _size(checking: Checking, loaded: LoadedBenchmark, use: Use, path: str) -> None:
    """A use has questions, and as many as it asks for."""
    evaluates = path.startswith("evaluate.")
    try:
        if not evaluates:
            loaded.questions_at(use.split, 0, 1, 0, use.difficulty)
            return
        found = len(loaded.held_out(use.split, use.limit, use.difficulty))
    except ValueError as error:
        checking.error("no-questions", path, str(error), "use another split, or a larger share for it")
        return
    if use.limit is not None and found < use.limit:
        message = f"{use.use} has {found} questions in {use.split}, not {use.limit}"
        checking.warn("few-questions", f"{path}.limit", message, f"write limit: {found}, or leave it out")


@dataclass(frozen=True, slots=True)
class _Trained:
    """Questions that training may ask: of a benchmark, in a split; the texts where they are the rows of a file."""

    loaded: LoadedBenchmark
    use: Use
    texts: frozenset[str]

    def may_ask(self, question: Question, judged: LoadedBenchmark) -> bool:
        """Whether a question that judges may come up."""
        own, other = self.loaded.source, judged.source
        if not isinstance(own, ProceduralSource):
            return normalise(question.text) in self.texts
        if not isinstance(other, ProceduralSource) or other.spec.generator != own.spec.generator:
            return False
        levels = self.use.difficulty or own.spec.difficulty
        return question.difficulty in levels and split_of(question.text, own.spec.split) == self.use.split


def _overlap(checking: Checking, spec: Spec) -> None:
    """No question that judges is one that is trained on. An evaluation on `train` is meant to be."""
    trained = list(_training(checking, spec))
    compared = 0
    for use, path in uses_of(spec) if trained else ():
        where, judged = written(path, spec), checking.benchmark(spec, use.use)
        if where.startswith("questions.") or use.split == "train" or judged is None:
            continue
        questions = _held_out(judged, use)
        compared += len(questions)
        for one in trained:
            shared = [question for question in questions if one.may_ask(question, judged)]
            if shared:
                message = (
                    f"{len(shared)} of {len(questions)} questions of {use.use} ({use.split}) are also trained on, "
                    f"from {one.loaded.name} ({one.use.split}): {shared[0].text[:60]!r}"
                )
                checking.error("overlap", where, message, "judge on other questions, or split both in the same way")
    if compared:
        checking.note(f"overlap: {compared:,} questions that judge compared with those that train")


def _training(checking: Checking, spec: Spec) -> Iterator[_Trained]:
    uses = list(spec.questions.source) if spec.questions is not None and spec.stages else []
    uses += [Use(use=teacher.use) for teacher in teachers_of(spec)]
    seen: set[tuple[str, str, tuple[int, ...] | None]] = set()
    for use in uses:
        key = (use.use, use.split, use.difficulty)
        loaded = checking.benchmark(spec, use.use)
        if key in seen or loaded is None:
            continue
        seen.add(key)
        rows = loaded.source.rows if isinstance(loaded.source, RowSource) else ()
        yield _Trained(loaded, use, frozenset(normalise(row.text) for row in rows if row.split == use.split))


def _held_out(loaded: LoadedBenchmark, use: Use) -> tuple[Question, ...]:
    limit = use.limit if use.limit is not None or isinstance(loaded.source, RowSource) else TAKEN
    try:
        return loaded.held_out(use.split, limit, use.difficulty)
    except ValueError:  # told as no-questions
        return ()
