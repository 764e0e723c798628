"""The figures of a report."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev

from analysis.quantiles import t_quantile
from analysis.report.evaluations import Evaluation
from analysis.report.make import Measured, Report
from analysis.report.svg import (
    CHARACTER,
    Frame,
    Line,
    Shade,
    axes,
    dot,
    lines,
    picture,
    plain,
    room,
    shades,
    text,
    ticks,
)
from analysis.report.tables import ArmLine, Stretch
from analysis.report.training import INVALID, ShapeCount

COLOURS = tuple(f"c{at}" for at in range(8))
"""Classes of colours, in the order in which they are given out."""


MOST_BANDS = 4
"""Arms up to which bands can be told apart."""


def arm_colour(at: int) -> str:
    """Colour of an arm by its position; after eight they come again, dashed."""
    return COLOURS[at % len(COLOURS)] + (" dash" if at // len(COLOURS) % 2 else "")


def role_colour(roles: str) -> str:
    """Colour of who learns: `executor`, `designer`, `both` for several, another for other roles."""
    names = [one for one in roles.split(",") if one]
    if len(names) > 1:
        return "both"
    return names[0] if names and names[0] in ("executor", "designer") else "c2"


def stretch_label(one: Stretch) -> str:
    """Who learns, or that it is imitation."""
    if one.kind == "sft":
        return "cold start"
    return " + ".join(one.trained.split(",")) if one.trained.count(",") < 2 else "several"


def stretch_shades(stretches: Sequence[Stretch]) -> tuple[Shade, ...]:
    """Stretches as shading over steps."""
    return tuple(
        Shade(
            one.first_step,
            one.last_step + 1,
            stretch_label(one),
            "cold" if one.kind == "sft" else role_colour(one.trained),
        )
        for one in stretches
    )


def both_widths(draw: Callable[[float, float], str]) -> str:
    """A picture for wide screens and one for telephones; the style sheet shows one of them."""
    return draw(760, 330).replace("<svg", '<svg class="wide"', 1) + draw(380, 300).replace(
        "<svg", '<svg class="narrow"', 1
    )


def curve_of_run(one: Measured) -> str:
    """Held-out accuracy over steps with its interval, who learns behind it."""
    points = one.curve
    last = max([point.step for point in points] + [stretch.last_step + 1 for stretch in one.stretches] + [1])
    line = Line(
        "accuracy",
        "ink",
        tuple((point.step, point.accuracy) for point in points),
        tuple((p.step, p.low, p.high) for p in points if p.low is not None and p.high is not None),
        "dots",
    )

    def draw(width: float, height: float) -> str:
        frame = Frame(width, height, (0, last), (0, 1), top=26)
        body = shades(frame, stretch_shades(one.stretches))
        body += axes(frame, "steps", across=8 if width > 500 else 5)
        body += cold_start(frame, one.stretches)
        body += lines(frame, [line])
        for at in range(len(points)):
            if width > 500 or at in (0, len(points) - 1):
                body.append(_value_label(frame, points, at))
        return picture(frame, "Held-out accuracy over steps", body)

    return both_widths(draw)


def _value_label(frame: Frame, points: Sequence[Evaluation], at: int) -> str:
    """The value beside a point, on the side where the line does not go."""
    point = points[at]
    rises = at + 1 < len(points) and points[at + 1].accuracy > point.accuracy + 0.05
    x, y = frame.px(point.step), frame.py(point.accuracy)
    first, last = x < frame.left + 40, x > frame.width - frame.right - 40
    words = f"{point.accuracy:.2f}"
    if first or (rises and not last):
        return text(x + 6, y + 16, words)
    return text(x - 4, y - 9, words, "", "end")


def cold_start(frame: Frame, stretches: Sequence[Stretch]) -> list[str]:
    """A mark where imitation ends and reinforcement begins."""
    ends = [one.last_step + 1 for one in stretches if one.kind == "sft"]
    if not ends:
        return []
    x = frame.px(max(ends))
    return [
        f'<line class="mark" x1="{x:.1f}" x2="{x:.1f}" y1="{frame.top:g}" y2="{frame.height - frame.bottom:g}"/>',
        text(x + 4, frame.top + 13, "cold start ends", "tick"),
    ]


def after_cold_start(one: Measured) -> int:
    """Steps that a run imitated for: a gate may end that earlier with one seed than with another."""
    return max((stretch.last_step + 1 for stretch in one.stretches if stretch.kind == "sft"), default=0)


def aligned(one: Measured) -> tuple[tuple[float, float], ...]:
    """(steps after the cold start, held-out accuracy) of a run."""
    start = after_cold_start(one)
    return tuple((float(point.step - start), point.accuracy) for point in one.curve)


@dataclass(frozen=True, slots=True)
class Mean:
    """Mean over seeds at the steps where all of them were measured; `band` is its 95 % t-interval, cut at 0 and 1."""

    points: tuple[tuple[float, float], ...]
    band: tuple[tuple[float, float, float], ...]


def mean_curve(runs: Sequence[Measured]) -> Mean:
    """The curve of an arm, over steps after the cold start; runs without any evaluation are left out."""
    curves = [dict(aligned(one)) for one in runs if one.curve]
    steps = sorted(set.intersection(*(set(one) for one in curves))) if curves else []
    points, band = [], []
    for step in steps:
        values = [one[step] for one in curves]
        mean = fmean(values)
        points.append((step, mean))
        if len(values) > 1 and (spread := stdev(values)) > 1e-12:  # seeds that all agree tell nothing of others
            half = t_quantile(0.975, len(values) - 1) * spread / len(values) ** 0.5
            band.append((step, max(0.0, mean - half), min(1.0, mean + half)))
    return Mean(tuple(points), tuple(band))


def curves_of_arms(report: Report) -> str:
    """One curve an arm: mean over seeds with its band, a thin line a seed."""
    steps = [x for one in report.runs for x, _ in aligned(one)]
    drawn: list[Line] = []
    for at, arm in enumerate(report.subject.arms):
        runs = [one for one in report.runs if one.member.arm == arm]
        if len(runs) > 1:
            drawn += [Line("", arm_colour(at), aligned(one), style="thin") for one in runs]
        mean = mean_curve(runs)
        band = mean.band if len(report.subject.arms) <= MOST_BANDS else ()
        drawn.append(Line(arm, arm_colour(at), mean.points, band, "dots"))
    imitates = any(after_cold_start(one) for one in report.runs)

    def draw(width: float, height: float) -> str:
        frame = Frame(width, height, (min([0.0, *steps]), max([1.0, *steps])), (0, 1), top=14)
        body = axes(frame, "steps after the cold start" if imitates else "steps", across=8 if width > 500 else 5)
        return picture(frame, "Held-out accuracy over steps by arm", body + lines(frame, drawn))

    return both_widths(draw)


def arms_at_end(report: Report) -> str:
    """Final accuracy of every arm as a dot with its interval; seeds as small dots, the baseline as a line."""
    arms = report.arms
    base = next((one.accuracy for one in arms if one.is_baseline), None)
    longest = max((len(one.arm) for one in arms), default=1)

    def draw(width: float, _: float) -> str:
        left = min(longest * (CHARACTER + 0.6) + 14, width * 0.42)
        frame = Frame(width, 28 * len(arms) + 44, (0, 1), (0, 1), left=left, top=6)
        body = []
        bottom = frame.height - frame.bottom
        for value in ticks(0, 1, 6):
            x = frame.px(value)
            body.append(f'<line class="grid" x1="{x:.1f}" x2="{x:.1f}" y1="{frame.top:g}" y2="{bottom:g}"/>')
            body.append(text(x, bottom + 15, plain(value), "tick", "middle"))
        if base is not None:
            x = frame.px(base)
            body.append(f'<line class="mark" x1="{x:.1f}" x2="{x:.1f}" y1="{frame.top:g}" y2="{bottom:g}"/>')
        body.append(text(frame.width - frame.right, bottom + 28, "held-out accuracy at the end", "tick", "end"))
        for at, one in enumerate(arms):
            body += _arm_row(frame, report, one, at)
        return picture(frame, "Final held-out accuracy by arm", body)

    return both_widths(draw)


def _arm_row(frame: Frame, report: Report, one: ArmLine, at: int) -> list[str]:
    y = frame.top + 28 * at + 18
    colour = arm_colour(at)
    name = one.arm
    fits = int((frame.left - 12) / (CHARACTER + 0.4))
    found = [text(frame.left - 10, y + 4, name if len(name) <= fits else name[: fits - 1] + "\u2026", "", "end")]
    if one.low is not None and one.high is not None:
        a, b = frame.px(max(0, one.low)), frame.px(min(1, one.high))
        found.append(f'<line class="whisker {colour}" x1="{a:.1f}" x2="{b:.1f}" y1="{y:g}" y2="{y:g}"/>')
    found += [
        dot(frame.px(run.curve[-1].accuracy), y + 6, colour, 1.8)
        for run in report.runs
        if run.member.arm == one.arm and run.curve and run.run is not None and run.run.state == "done"
    ]
    if one.accuracy is not None:
        found.append(dot(frame.px(one.accuracy), y, colour, 4.2))
    else:
        found.append(text(frame.px(0) + 6, y + 4, "no finished run", "tick"))
    return found


def small_multiple(title: str, drawn: Sequence[Line], blocks: Sequence[Shade]) -> str:
    """A small picture of one metric of training."""
    last = max([1.0, *(x for one in drawn for x, _ in one.points), *(one.end for one in blocks)])
    values = [y for one in drawn for _, y in one.points]
    frame = Frame(300, 150, (0, last), room(values), left=42, top=8, bottom=22)
    body = shades(frame, blocks, labels=False) + axes(frame, "", across=5, up=4) + lines(frame, drawn)
    return picture(frame, title, body)


def stacked_shapes(
    columns: Sequence[tuple[str, Sequence[ShapeCount]]], level: int | None, shapes: Sequence[str], width: float
) -> str:
    """Shares of shapes among the designs for one level of difficulty, a labelled bar a column."""
    frame = Frame(width, 170, (0, max(1, len(columns))), (0, 1), left=34, top=8, bottom=24)
    body = axes(frame, "", across=0, up=3)
    for at, (label, counts) in enumerate(columns):
        total = sum(one.designs for one in counts if one.difficulty == level)
        x, wide = frame.px(at + 0.12), frame.px(at + 0.88) - frame.px(at + 0.12)
        fits = max(1, int(wide * 1.25 / CHARACTER))
        words = label if len(label) <= fits else label[: fits - 1] + "\u2026"
        body.append(text(x + wide / 2, frame.height - frame.bottom + 15, words, "tick", "middle"))
        base = 0.0
        for name, colour in shape_colours(shapes):
            count = sum(one.designs for one in counts if one.difficulty == level and _named(one.shape, shapes) == name)
            if count:
                top = base + count / total
                y, below = frame.py(top), frame.py(base)
                body.append(
                    f'<rect class="bar {colour}" x="{x:.1f}" y="{y:.1f}" width="{wide:.1f}" height="{below - y:.1f}"/>'
                )
                base = top
    return picture(frame, "Shares of shapes", body)


def _named(shape: str, shapes: Sequence[str]) -> str:
    return shape if shape in shapes or shape == INVALID else OTHER


OTHER = "other shapes"


def shape_colours(shapes: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Shapes from the bottom of a bar upwards with their colours, the rest and what is not valid on top."""
    named = tuple((shape, COLOURS[at % len(COLOURS)]) for at, shape in enumerate(shapes))
    return (*named, (OTHER, "other"), (INVALID, "void"))
