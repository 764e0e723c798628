"""Queries that a report shows to go on from; tests run them all."""

from __future__ import annotations

from analysis.report.subject import Subject


def queries(subject: Subject) -> tuple[tuple[str, str], ...]:
    """What a query answers, and the query, against `results.duckdb`."""
    run = next((one.run for one in subject.members if one.is_baseline), subject.members[0].run)
    run = _text(run)
    found = [
        (
            "What does the designer write most, and how often is it answered correctly?",
            "SELECT d.shape, count(DISTINCT d.path) AS designs,\n"
            "  round(avg((e.answer_verdict = 'correct')::INTEGER), 3) AS accuracy\n"
            "FROM designs d JOIN executions e\n"
            "  ON e.run = d.run AND e.step = d.step AND e.parent = d.path\n"
            "  AND e.evaluation IS NOT DISTINCT FROM d.evaluation\n"
            f"WHERE d.run = {run} AND d.evaluation IS NOT NULL\n"
            "GROUP BY d.shape ORDER BY designs DESC LIMIT 10",
        ),
        (
            "How does accuracy depend on difficulty, evaluation by evaluation?",
            "SELECT q.step, q.difficulty, count(*) AS executions,\n"
            "  round(avg((e.answer_verdict = 'correct')::INTEGER), 3) AS accuracy\n"
            "FROM questions q JOIN executions e\n"
            "  ON e.run = q.run AND e.step = q.step AND e.evaluation = q.evaluation\n"
            "  AND split_part(e.path, '/', 1) = q.path\n"
            f"WHERE q.run = {run} AND q.split = 'test'\n"
            "GROUP BY ALL ORDER BY ALL",
        ),
        (
            "Which designs were not valid, and why?",
            f"SELECT design_verdict, detail, count(*) AS designs FROM designs\n"
            f"WHERE run = {run} AND design_verdict <> 'ok'\n"
            "GROUP BY ALL ORDER BY designs DESC LIMIT 10",
        ),
    ]
    if subject.sweep is not None and not subject.is_run:
        found.insert(
            0,
            (
                "The table of arms.",
                "SELECT arm, seeds, accuracy, low, high, difference, difference_low, difference_high\n"
                f"FROM ablation_detail WHERE sweep = {_text(subject.sweep)}",
            ),
        )
        found.insert(
            1,
            (
                "The learning curve of every arm, mean over seeds.",
                "SELECT arm, stage, stage_step, round(avg(accuracy), 3) AS accuracy, count(*) AS seeds\n"
                "FROM learning_curve\n"
                f"WHERE sweep = {_text(subject.sweep)} AND name = 'test' GROUP BY ALL ORDER BY arm, min(step)",
            ),
        )
    else:
        found.insert(
            0,
            (
                "The learning curve.",
                "SELECT step, trained, name, split, accuracy, low, high FROM learning_curve\n"
                f"WHERE run = {run} ORDER BY step, name",
            ),
        )
    return tuple(found)


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"
