"""Judging answers: a gold, an answer, a verdict."""

from runners.grading.grade import HAVE_RUNNER, AnswerVerdict, Grade, Judge, grade, judge_for

__all__ = ["HAVE_RUNNER", "AnswerVerdict", "Grade", "Judge", "grade", "judge_for"]
