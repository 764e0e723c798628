"""Judging answers: a gold, an answer, a verdict."""

from runners.grading.grade import AnswerVerdict, Grade, Judge, grade, judge_for

__all__ = ["AnswerVerdict", "Grade", "Judge", "grade", "judge_for"]
