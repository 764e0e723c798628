"""Parts of reports that need no store."""

from __future__ import annotations

from math import sqrt
from xml.etree import ElementTree

import pytest

from analysis.report.evaluations import Evaluation, held_out
from analysis.report.figures import aligned, arm_colour, mean_curve
from analysis.report.make import Measured
from analysis.report.sections import table
from analysis.report.subject import Member
from analysis.report.svg import Frame, Line, Shade, axes, legend, lines, picture, room, shades, text, ticks
from analysis.report.tables import ArmLine, Stretch


def evaluation(step: int, accuracy: float, name: str = "test", split: str = "test", part: str = "") -> Evaluation:
    identity = f"id{step}{name}" + (f".{part}" if part else "")
    return Evaluation(
        run="r",
        recorded_by="r",
        step=step,
        stage="rl",
        moment="end",
        evaluation=identity,
        name=name,
        benchmark="sums",
        split=split,
        questions=4,
        designs=4,
        executions=8,
        accuracy=accuracy,
        low=0.0,
        high=1.0,
        valid_designs=1.0,
        calls_per_execution=1.0,
        tokens_per_execution=1.0,
    )


def measured(cold: int, points: dict[int, float]) -> Measured:
    """A run whose cold start took `cold` steps, with accuracies at steps."""
    stretch = Stretch("r", "cold", "sft", "designer,executor", "", 0, cold - 1, "gate")
    evaluations = tuple(evaluation(step, accuracy) for step, accuracy in points.items())
    return Measured(Member("main", 0, "r", True, 0), None, (stretch,), evaluations, held_out(evaluations), ())


def test_curves_are_aligned_where_cold_starts_ended() -> None:
    runs = [measured(6, {6: 0.2, 26: 0.4}), measured(9, {9: 0.4, 29: 0.8, 49: 0.9})]
    assert aligned(runs[1]) == ((0, 0.4), (20, 0.8), (40, 0.9))
    mean = mean_curve(runs)
    assert mean.points == (pytest.approx((0, 0.3)), pytest.approx((20, 0.6)))
    half = 12.706204736432095 * (0.4 / sqrt(2)) / sqrt(2)
    assert half > 0.6
    assert mean.band[1] == pytest.approx((20, 0, 1))  # t with one degree of freedom: cut at 0 and 1
    assert mean_curve(runs[:1]).band == ()
    assert mean_curve([]).points == ()


def test_held_out_is_the_evaluation_called_test_or_what_the_sweep_says() -> None:
    found = (
        evaluation(9, 0.5, "validation", "validation"),
        evaluation(3, 0.5, "final"),
        evaluation(3, 0.5, "test", part="0"),
        evaluation(3, 0.6, "test", part="1"),
    )
    assert held_out(found) == ("test", "sums", "test", "0")
    assert held_out(found, "final") == ("final", "sums", "test", "")
    assert held_out(found[:2]) == ("final", "sums", "test", "")
    assert held_out(found[:1]) == ("validation", "sums", "validation", "")
    assert held_out(()) is None


@pytest.mark.parametrize(
    ("difference", "low", "high", "undecided"),
    [(0.1, 0.01, 0.2, False), (0.1, -0.1, 0.3, True), (-0.1, -0.2, -0.05, False), (0.1, None, None, True)],
)
def test_undecided_is_an_interval_that_contains_zero_or_is_not_there(
    difference: float, low: float | None, high: float | None, undecided: bool
) -> None:
    line = ArmLine("a", False, "test", 2, 0.5, 0.4, 0.6, 4, difference, low, high, 2, 1.0, 1.0, 1.0, 0, 0, False)
    assert line.undecided is undecided


@pytest.mark.parametrize(
    ("low", "high", "most", "expected"),
    [(0, 1, 5, (0, 0.25, 0.5, 0.75, 1)), (0, 126, 8, (0, 20, 40, 60, 80, 100, 120)), (3, 3, 4, (3,))],
)
def test_ticks_are_round(low: float, high: float, most: int, expected: tuple[float, ...]) -> None:
    assert ticks(low, high, most) == expected


def test_room_contains_all_values_and_shares_get_the_unit_interval() -> None:
    assert room([0.2, 0.9]) == (0, 1)
    for values in ([3.2, 7.7], [-1.0, 0.4], [0.01, 0.03], [120.0]):
        low, high = room(values)
        assert low <= min(0, *values) and high >= max(values)
    assert room([]) == (0, 1)


def test_drawings_escape_labels_and_stay_in_their_frame() -> None:
    frame = Frame(300, 150, (0, 10), (0, 1))
    bad = "<b> & 'x'"
    drawing = picture(
        frame,
        bad,
        [
            *shades(frame, [Shade(0, 10, bad, "c0"), Shade(20, 30, "outside", "c1")]),
            *axes(frame, bad),
            *lines(frame, [Line(bad, "c0", ((0, -2), (10, 3)), ((0, -2, 0), (10, 1, 3)))]),
            text(0, 0, bad),
        ],
    )
    root = ElementTree.fromstring(drawing)
    assert root[0].text == bad and "outside" not in drawing
    for one in root.iter():
        for pair in one.get("points", "").split():
            x, y = map(float, pair.split(","))
            assert frame.left <= x <= 300 and 0 <= y <= 150
    assert "<b>" not in legend([(bad, "c0")]) and "<b>" not in table([(bad, False)], [[bad]])


def test_nine_arms_look_different() -> None:
    assert len({arm_colour(at) for at in range(16)}) == 16
