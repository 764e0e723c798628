import pytest

from mxspec.spec.benchmark import Exact, Integer
from runners.grading import grade

INTEGER = Integer(kind="integer")


@pytest.mark.parametrize(
    ("gold", "answer", "verdict"),
    [
        ("1", " 1\n", "correct"),
        ("1", "11", "incorrect"),
        ("a b", "a  b", "incorrect"),
        ("1", "", "no_answer"),
        ("1", None, "no_answer"),
        (" ", "1", "gold_unparsable"),
    ],
)
def test_exact(gold: str, answer: str | None, verdict: str) -> None:
    assert grade(Exact(kind="exact"), gold, answer).verdict == verdict


@pytest.mark.parametrize(
    ("gold", "answer"),
    [
        ("204", "204.0"),
        ("204", "The answer is 204."),
        ("1000", "1 000"),
        ("2125", "#### 2,125"),
        ("2,125", "2125"),
        ("12000023", "\\boxed{12,\\!000,\\!023}"),
        ("-5", "\\boxed{-5}"),
        ("-5", "it is \u22125"),
        ("5", "\\boxed{x=5}"),
        ("x=5", "\\boxed{5}"),
        ("$k=1$", "$1$"),
        ("$\\text{13}$", "$13$"),
        ("42", "42 minutes"),
        ("100", "It costs $100."),
        ("5", "5, 7, the judge says 5"),
        ("18", "16 - 3 - 4 = 9\n9 * 2 = $18 a day."),
        ("18", "x = 9\n18"),
        ("12", "5 and 7 make 12"),
        ("5", "10-5=5"),
        ("3", "FINAL ANSWER: \\boxed{3}"),
        ("3", "**FINAL ANSWER:** 3 apples"),
        ("3", "\\boxed{2} was wrong.\nFINAL ANSWER: 3"),
        ("3", "\\boxed{2} wait, so \\boxed{3}"),
        ("1", "(" * 200 + "1" + ")" * 200),
        ("0", "-0"),
        ("10" * 5000, "10" * 5000),
        ("007", "7"),
        ("18", "The answer is **18**."),
        ("18", "Step 2: she earns $18!"),
        ("18", "That is $18/day."),
        ("35", "So 35% of them."),
        ("$28\\%$", "\\boxed{28}"),
        ("42", "\\boxed{42 \\text{ minutes}}"),
        ("18", "\\boxed{\\$18}"),
        ("18", "Answer:\n- 18"),
    ],
)
def test_right_integers(gold: str, answer: str) -> None:
    assert grade(INTEGER, gold, answer).verdict == "correct"


@pytest.mark.parametrize(
    ("gold", "answer", "verdict", "extracted"),
    [
        ("-5", "\\boxed{5}", "incorrect", "5"),
        ("204", "205", "incorrect", "205"),
        ("1000000", "1000001", "incorrect", "1000001"),
        ("7", "the answer could be 1, 2, 3, 4, 5, 6 or 7", "incorrect", "6 or 7"),
        ("7", "5 or 7", "incorrect", "5 or 7"),
        ("7", "- 5\n- 7", "incorrect", "- 5\n- 7"),
        ("7", "1. 5\n2. 7", "incorrect", "1. 5\n2. 7"),
        ("7", "\\boxed{5, 7}", "incorrect", "5, 7"),
        ("3", "FINAL ANSWER: 3 or 4", "incorrect", "3 or 4"),
        ("2", "\\boxed{2} wait, so \\boxed{3}", "incorrect", "3"),
        ("2", "9 * 2", "incorrect", "2"),
        ("10", "2^{10}", "incorrect", "10"),
        ("5", "10-5", "incorrect", "5"),
        ("4", "$4\\sqrt(2)$", "incorrect", "2"),
        ("2", "2 million", "incorrect", "2"),
        ("2", "\\boxed{2 million}", "incorrect", "2 million"),
        ("2", "2*3", "incorrect", "3"),
        ("3", "2*3", "incorrect", "3"),
        ("3", "2 ** 3", "incorrect", "3"),
        ("1", "1/2", "incorrect", "2"),
        ("5", "\\boxed{5x}", "incorrect", "5x"),
        ("3", "3.5", "incorrect", "3.5"),
        ("1", "\\boxed{9^{9^{9^{9}}}}", "incorrect", "9^{9^{9^{9}}}"),
        ("1", "\\boxed{100000!}", "incorrect", "100000!"),
        ("7", "\\boxed{}", "no_answer", None),
        ("3", "\\boxed{3", "no_answer", None),
        ("3", "\\boxed{2} \\boxed{3", "no_answer", None),
        ("3", "none", "no_answer", None),
        ("3", "FINAL ANSWER:", "no_answer", None),
        ("3", None, "no_answer", None),
        ("1", "$" * 5000, "no_answer", None),
        ("10/9", "10/9", "gold_unparsable", None),
        ("", "1", "gold_unparsable", None),
        ("0.4", ".4", "gold_unparsable", None),
    ],
)
def test_other_integers(gold: str, answer: str | None, verdict: str, extracted: str | None) -> None:
    judged = grade(INTEGER, gold, answer)
    assert (judged.verdict, judged.extracted) == (verdict, extracted)
    assert judged.stage
