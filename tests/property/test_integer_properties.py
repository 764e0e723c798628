"""An integer is read back from any way to write it, and never taken for another."""

from hypothesis import given
from hypothesis import strategies as st

from mxspec.spec.benchmark import Integer
from runners.grading import grade

INTEGER = Integer(kind="integer")
FORMS = st.sampled_from(
    [
        "{}",
        "{}.0",
        "\\boxed{{{}}}",
        "The answer is {}.",
        "FINAL ANSWER: {}",
        "1 + 1 = 2, so\n#### {}",
        "**{}**",
        "${}$",
        "x = {}",
    ]
)


@given(st.integers(-(10**12), 10**12), FORMS, st.booleans())
def test_an_integer_in_any_form(number: int, form: str, commas: bool) -> None:
    written = form.format(f"{number:,}" if commas else number)
    assert grade(INTEGER, str(number), written).verdict == "correct"
    assert grade(INTEGER, str(number + 1), written).verdict == "incorrect"
    assert grade(INTEGER, str(-number or 1), written).verdict == "incorrect"


@given(st.text(max_size=300), st.integers(-1000, 1000))
def test_any_text_has_a_verdict(text: str, gold: int) -> None:
    judged = grade(INTEGER, str(gold), text)
    assert judged.verdict in ("correct", "incorrect", "no_answer")
    assert (judged.verdict == "no_answer") == (judged.extracted is None)


@given(
    st.lists(st.integers(0, 99), min_size=2, max_size=6, unique=True),
    st.sampled_from([", ", " or ", "; ", " and ", ", or "]),
)
def test_a_list_of_candidates_earns_nothing(numbers: list[int], between: str) -> None:
    listed = between.join(map(str, numbers))
    for written in (listed, f"It could be {listed}.", f"\\boxed{{{listed}}}", f"FINAL ANSWER: {listed}"):
        for number in numbers:
            assert grade(INTEGER, str(number), written).verdict == "incorrect"
