"""Mathematical answers: the handed pairs, many ways to say a thing and near misses, and inputs that never end."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from pathlib import Path
from time import monotonic

import pytest

from mxspec.cli import exits
from mxspec.cli.app import run_app
from mxspec.spec.benchmark import Choice, Math
from runners.grading import grade
from runners.grading.algebra import Algebra, AlgebraError, AlgebraTimeout
from runners.grading.extract import extract
from runners.grading.latex import spelled
from runners.grading.rational import rational

MATH = Math(kind="math")
HANDED = json.loads((Path(__file__).parents[1] / "golden/answer_pairs.json").read_text(encoding="utf-8"))
PAIRS = [
    ("204", "204", True),
    ("204", "\\boxed{204.5}", False),
    ("1,000", "1000", True),
    ("1000", "1,000.00", True),
    ("-5", "\u22125", True),
    ("3.14", "\\pi", False),
    ("\\pi", "3.14159", False),
    ("\\frac{1}{2}", "0.5", True),
    ("0.5", "\\frac{2}{4}", True),
    ("2/3", "0.667", False),
    ("\\frac{-1}{3}", "-1/3", True),
    ("-\\frac13", "\\boxed{-\\dfrac{1}{3}}", True),
    ("1 \\frac{1}{2}", "\\frac{3}{2}", True),
    ("1\\frac{1}{2}", "1.5", True),
    ("2\\sqrt{3}", "\\sqrt{12}", True),
    ("2\\sqrt3", "3.46", False),
    ("x^2+2x+1", "(x+1)^2", True),
    ("x^2-1", "(x-1)(x+1)", True),
    ("x^2+1", "x^2-1", False),
    ("e^{i\\pi}", "-1", True),
    ("\\sin(2x)", "2\\sin x\\cos x", True),
    ("\\ln 4", "2\\ln 2", True),
    ("\\frac{a}{b}", "a/b", True),
    ("n(n+1)/2", "\\frac{n^2+n}{2}", True),
    ("\\frac{1}{\\sqrt{n}}", "\\sqrt{1/n}", True),
    ("(1,2)", "(1, 2)", True),
    ("(1,2)", "[1,2]", False),
    ("[1,2]", "[1,2)", False),
    ("(-\\infty, 3)", "x<3", True),
    ("(-\\infty,3]", "x \\le 3", True),
    ("\\{1,2,3\\}", "\\{3,2,1\\}", True),
    ("1,2,3", "3, 2, 1", True),
    ("1, 2", "1 and 2", True),
    ("\\{1,2\\}", "1,2", True),
    ("(2,3),(4,5)", "(4,5),(2,3)", True),
    ("(-2,1)", "(1,-2)", False),
    ("x=1,x=2", "1,2", True),
    ("x=1 \\text{ or } x=2", "\\{1,2\\}", True),
    ("\\pm 3", "3,-3", True),
    ("\\pm 3", "\\{-3,3\\}", True),
    ("\\begin{pmatrix}1&2\\\\3&4\\end{pmatrix}", "\\begin{bmatrix}1&2\\\\3&4\\end{bmatrix}", True),
    ("\\begin{pmatrix}1&2\\\\3&4\\end{pmatrix}", "\\begin{pmatrix}1&3\\\\2&4\\end{pmatrix}", False),
    ("50\\%", "0.5", True),
    ("50\\%", "50", True),
    ("\\$32", "32", True),
    ("32", "\\$32.00", True),
    ("5 \\text{ cm}", "5 cm", True),
    ("5 \\text{ cm}", "5", True),
    ("5", "5 cm", True),
    ("5 \\text{ cm}", "5 \\text{ inches}", False),
    ("90^\\circ", "90 degrees", True),
    ("90^\\circ", "\\frac{\\pi}{2}", False),
    ("60 mph", "60 miles per hour", False),
    ("3 \\times 10^8", "3e8", True),
    ("6.02\\times10^{23}", "6.02 \\times 10^{22}", False),
    ("7", "The answer is 7.", True),
    ("7", "I think it is 8. So the final answer is \\boxed{7}.", True),
    ("7", "\\boxed{8} no wait \\boxed{7}", True),
    ("7", "\\boxed{7} no wait \\boxed{8}", False),
    ("7", "\\boxed{7", False),
    ("7", "", False),
    ("7", "I don't know", False),
    ("12", "1, 2, 12", False),
    ("5", "5 or 6", False),
    ("\\text{yes}", "Yes", True),
    ("Paris", "\\boxed{\\text{Paris}}", True),
    ("Paris", "London", False),
    ("\\text{east}", "\\boxed{\\text{West}}", False),
    ("C", "\\boxed{\\text{(C)}}", True),
    ("C", "C. 42", True),
    ("(D)", "The correct option is D", True),
    ("x=3", "3", True),
    ("y=2x+1", "2x+1", True),
    ("y = 2x+1", "y=1+2x", True),
    ("2x - y + 1 = 0", "4x-2y+2=0", True),
    ("x+y=3", "x+y=4", False),
    ("x>2", "x\\geq 2", False),
    ("10!", "3628800", True),
    ("\\binom{5}{2}", "10", True),
    ("3^{100}", "3^{101}", False),
    ("0", "0.0000001", False),
    ("1", "0.9999999", False),
    ("0.\\overline{3}", "1/3", True),
    ("\\infty", "infinity", True),
    ("2^{2024}", "2^{2023}\\cdot 2", True),
    ("1+2i", "2i+1", True),
    ("\\sqrt{-1}", "i", True),
    ("10^{10^{10}}", "1", False),
    ("f(x)=x^2", "x^2", True),
    ("\\log_{10} 100", "2", True),
    ("\\frac{\\pi}{4}", "45^\\circ", False),
    ("\\text{no solution}", "no solution", True),
    ("\\varnothing", "\\emptyset", True),
    ("3:4", "3:4", True),
    ("3:4", "3/4", True),
    ("1/3", "\\frac{1}{3}x", False),
    ("17", "17\\text{ apples}", True),
    ("17", "seventeen", False),
    ("8", "8\\boxed{}", False),
    ("\\frac{3}{4}", "\\frac{3}{4}, so the answer is \\boxed{\\frac34}", True),
    ("5", "$5$", True),
    ("5", "**5**", True),
    ("5", "5.", True),
    ("-1", "- 1", True),
    ("2x", "2*x", True),
    ("2\\pi r", "2*pi*r", True),
    ("a+b", "b+a", True),
    ("\\frac{x}{2}", "0.5x", True),
    ("\\sqrt[3]{8}", "2", True),
    ("|x|", "x", False),
    ("$x\\in[0,1]$", "$[0,1]$", True),
    ("[0,1]", "x \\in [0,1]", True),
    ("(-\\infty,-14)\\cup(-3,\\infty)", "$(-\\infty, -14) \\cup (-3, +\\infty)$", True),
    ("(-\\infty,-14)\\cup(-3,\\infty)", "(-3,\\infty)\\cup(-\\infty,-14)", True),
    ("(-\\infty,-14)\\cup(-3,\\infty)", "(-\\infty,-14)\\cup[-3,\\infty)", False),
    ("1\\le x\\le 2", "[1,2]", True),
    ("[1,2]", "1 \\leq x \\leq 2", True),
    ("1\\le x<2", "[1,2]", False),
    ("x\\ge 3", "[3,\\infty)", True),
    ("x \\ne 2", "x\\neq 2", True),
    ("\\mathbb{R}", "\\mathbb R", True),
    ("$\\left\\{\\frac{1}{2}, 0\\right\\}$", "\\{0, 1/2\\}", True),
    ("x \\in \\{1,2\\}", "\\{1,2\\}", True),
    ("\\left(\\frac12, 3\\right)", "(0.5, 3)", True),
    ("(1,2),(3,4)", "\\boxed{(1,2),(3,4)}", True),
    ("(1,2),(3,4)", "(1,2),(4,3)", False),
    ("10\\,000", "10000", True),
    ("$18.90", "\\$18.90", True),
    ("18.90", "$18.9", True),
    ("12.5\\%", "0.125", True),
    ("12.5\\%", "12.5", True),
    ("12.5\\%", "\\frac{1}{8}", True),
    ("\\frac{1}{8}", "12.5\\%", True),
    ("0.125", "12.5%", True),
    ("\\sqrt{2}/2", "\\frac{1}{\\sqrt{2}}", True),
    ("\\frac{\\sqrt{3}}{3}", "\\frac{1}{\\sqrt{3}}", True),
    ("3+2\\sqrt{2}", "(1+\\sqrt{2})^2", True),
    ("\\frac{3\\pi}{4}", "135^\\circ", False),
    ("\\cos(60^\\circ)", "\\frac12", True),
    ("\\tan 45^\\circ", "1", True),
    ("\\lfloor 3.7 \\rfloor", "3", True),
    ("\\arctan(1)", "\\frac{\\pi}{4}", True),
    ("\\log_3 9", "2", True),
    ("e^2", "\\exp(2)", True),
    ("\\ln(e^3)", "3", True),
    ("2^{-3}", "1/8", True),
    ("0.1^3", "0.001", True),
    ("\\frac{2^{100}-1}{3}", "\\frac{2^{100}-1}{3}", True),
    ("4^{50}", "2^{100}", True),
    ("100!", "100!", True),
    ("\\frac{100!}{99!}", "100", True),
    ("2n+1", "1+2n", True),
    ("2k\\pi", "2\\pi k", True),
    ("\\frac{n(n-1)}{2}", "\\binom{n}{2}", True),
    ("a^2-b^2", "(a-b)(a+b)", True),
    ("x^3", "x^2", False),
    ("ab", "ba", True),
    ("f(x)=2x", "f(x)=2x", True),
    ("y=x", "x=y", True),
    ("\\frac{x+1}{x-1}", "1+\\frac{2}{x-1}", True),
    ("-x", "x", False),
    ("\\sqrt{x^2}", "|x|", True),
    ("3x+2y", "2y+3x", True),
    ("(x-1)^2+(y+2)^2=9", "(x-1)^2 + (y+2)^2 = 3^2", True),
    ("x^2+y^2=1", "x^2+y^2=2", False),
    ("3", "three", False),
    ("42", "The final answer is: $42$", True),
    ("42", "#### 42", True),
    ("42", "**Answer:** 42", True),
    ("42", "Answer: $\\boxed{42}$.", True),
    ("42", "\\[ \\boxed{42} \\]", True),
    ("42", "\\fbox{42}", True),
    ("42", "\\boxed 42", True),
    ("\\frac{5}{2}", "Therefore x = \\frac{5}{2}.", True),
    ("5", "x = 5", True),
    ("5", "$x=5$", True),
    ("5", "5\\text{ (units)}", True),
    ("16", "16 square units", True),
    ("16", "16\\text{ units}^2", True),
    ("6", "6\\%", False),
    ("6", "\\boxed{6\\text{ or }7}", False),
    ("-1,1", "\\pm 1", True),
    ("1,-1", "-1, 1", True),
    ("3", "\\{3\\}", True),
    ("\\{3\\}", "3", True),
    ("(3)", "3", True),
    ("1e-4", "0.0001", True),
    ("0.00", "0", True),
    ("-0", "0", True),
    ("+5", "5", True),
    ("007", "7", True),
    ("1/2", "\\frac{1}{2", False),
    ("\\text{(A) and (B)}", "A and B", True),
    ("\\text{Monday}", "monday", True),
    ("\\text{Sunday}", "Saturday", False),
    ("11:00", "11:00 PM", True),
    ("5 \\text{ hours}", "5 hr", True),
    ("100 \\text{ km/h}", "100", True),
    ("1 m", "100 cm", False),
    ("\\$1{,}000{,}000", "1000000", True),
    ("1{,}234", "1234", True),
    ("6{,}5", "6.5", False),
]
BOMBS = (
    r"9^{9^{9^{9}}}",
    r"\sum_{k=1}^{10^{9}} \sin(k)",
    r"\int_0^{\infty} e^{-x^x}\,dx",
    "+".join(f"x_{{{n}}}" for n in range(400)),
)


def right(gold: str, answer: str | None) -> bool:
    return grade(MATH, gold, answer).verdict == "correct"


def test_the_handed_pairs() -> None:
    wrong = [pair["id"] for pair in HANDED if right(pair["gold"], pair["prediction"]) != bool(pair["expected"])]
    assert len(HANDED) == 72 and wrong == []


def test_ways_to_say_it_and_near_misses() -> None:
    wrong = [(gold, answer) for gold, answer, same in PAIRS if right(gold, answer) != same]
    assert wrong == []


def test_what_is_judged() -> None:
    assert grade(MATH, "7", r"\boxed{8}, no: \boxed{7}").extracted == "7"
    for none in ("", "  ", None, r"\boxed{}", r"so \boxed{7", r"8\boxed{}"):
        assert grade(MATH, "7", none).verdict == "no_answer"
    assert grade(MATH, "", "7").verdict == "gold_unparsable"
    assert extract(r"\boxed{2} and \boxed{3}").text == r"\{2,3\}"
    assert extract("it is 4.\nFINAL ANSWER: 5").text == "5"
    assert extract("We get $x$ and then $y+1$ which is what was asked for in the end, as one sees.").text == "y+1"


def test_nothing_is_tolerated_unless_it_is_asked_for() -> None:
    assert not right("1/3", "0.3333")
    loose = Math(kind="math", tolerance=1e-3)
    assert grade(loose, "1/3", "0.3333").verdict == "correct"
    assert grade(loose, "1/3", "0.34").verdict == "incorrect"
    assert grade(loose, "1/3", "0.3333").stage == "tolerance"


@pytest.mark.slow
def test_what_never_ends_is_stopped_and_holds_up_nobody() -> None:
    algebra = Algebra(deadline=1.0)
    assert algebra.same("x+y", "y+x") is True
    for bomb in BOMBS[:3]:
        since = monotonic()
        with pytest.raises(AlgebraTimeout):
            algebra.same("1", bomb)
        assert monotonic() - since < 30, "killed, not waited for"
        assert algebra.same("x+y", "y+x") is True
    pids = [worker.process.pid for worker in algebra._workers]
    assert len(pids) == 2, "one stands by"
    os.killpg(pids[0], signal.SIGKILL)
    algebra._workers[0].process.wait()
    assert algebra.same("2x", "x+x") is True, "a dead process is replaced"
    pids += [worker.process.pid for worker in algebra._workers]
    algebra.close()
    left = subprocess.run(
        ["ps", "-o", "pid=", "-p", ",".join(map(str, pids))], capture_output=True, text=True, check=False
    )
    assert left.stdout.strip() == ""


@pytest.mark.slow
def test_a_bomb_is_a_verdict() -> None:
    for bomb in BOMBS:
        assert grade(MATH, "1", rf"\boxed{{{bomb}}}").verdict in ("timeout", "error", "incorrect")
    assert grade(MATH, "1", rf"\boxed{{{BOMBS[0]}}}").verdict == "timeout"
    assert grade(MATH, "x+y", "y+x").verdict == "correct"


def test_odd_text_is_a_verdict() -> None:
    odd = (
        "\x00",
        "\ud800",
        "{" * 900,
        "$" * 3000,
        "(" * 200 + "1" + ")" * 200,
        "9" * 5000,
        r"\frac{1}{0}",
        r"\sqrt{",
        "NaN",
    )
    for answer in odd:
        assert grade(MATH, "1", answer).verdict in ("correct", "incorrect", "no_answer", "error", "timeout")
    assert right("1", odd[4])


def test_exact_numbers() -> None:
    for text, value in {"1.5e3": 1500, r"\frac{10}{4}": 2.5, "2^{10}": 1024, "-.5": -0.5, r"1\frac{1}{2}": 1.5}.items():
        assert rational(spelled(text)) == value
    for text in ("x", "1/0", r"\frac{1}{0}", "9^{99999}", "", "1/2/3", "0^{-1}", "1" * 3000):
        assert rational(text) is None


def test_a_process_that_fails_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("runners.grading.algebra.sys.executable", "/bin/false")
    with pytest.raises(AlgebraError, match="has ended"):
        Algebra().same("x", "y")


CHOICES = [
    ("A", "A", True),
    ("A", "The answer is (A).", True),
    ("A", r"\boxed{\text{(A)}}", True),
    ("(C)", "C. 42", True),
    ("C", "I think it is C", True),
    ("A", "B", False),
    ("A", "The answer is A or B", False),
]


def test_choices() -> None:
    choice = Choice(kind="choice")
    assert [grade(choice, gold, answer).verdict == "correct" for gold, answer, _ in CHOICES] == [
        one[2] for one in CHOICES
    ]
    assert grade(choice, "A", "none of them").verdict == "no_answer"
    assert grade(choice, "maybe", "A").verdict == "gold_unparsable"


def test_the_verb_explains_a_verdict(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_app(["grade", "--gold", "1/2", "--answer", r"so \boxed{.5}"]) == exits.OK
    assert "correct: '.5' against '1/2', decided by exact" in capsys.readouterr().out
    assert run_app(["grade", "--gold", "4", "--answer", r"4\sqrt2", "--json"]) == exits.FAILED
    assert json.loads(capsys.readouterr().out)["verdict"] == "incorrect"
    assert run_app(["grade", "--gold", "4", "--answer", "4", "--grader", "mth"]) == exits.USAGE
    assert "did you mean 'math'?" in capsys.readouterr().err
    assert run_app(["grade", "--gold", "4", "--answer", "4", "--tolerance", "-1"]) == exits.USAGE
