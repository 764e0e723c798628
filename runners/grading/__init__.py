"""Judging answers: a gold, an answer, a verdict."""

from runners.grading.grade import AnswerVerdict, Grade, grade

__all__ = ["AnswerVerdict", "Grade", "grade"]
