"""Drawing in SVG: axes, lines, bands, in colours of the page's style sheet so that light and dark both work."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from math import ceil, floor, log10

CHARACTER = 6.2
"""Mean width of a character of the labels, in user units."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line over steps.

    Attributes:
        label: Name in the legend; lines without one are not in it.
        colour: Class of the colour, e.g. `c0`.
        points: (step, value).
        band: (step, low, high); empty where there is no interval.
        style: `thick`, `thin` or `dots` (markers at the points).
    """

    label: str
    colour: str
    points: tuple[tuple[float, float], ...]
    band: tuple[tuple[float, float, float], ...] = ()
    style: str = "thick"


@dataclass(frozen=True, slots=True)
class Shade:
    """A stretch of steps drawn behind the lines, labelled above them."""

    start: float
    end: float
    label: str
    colour: str


@dataclass(frozen=True, slots=True)
class Frame:
    """A drawing area: from values to user units.

    Attributes:
        width: Of the picture.
        height: Of the picture.
        x: Smallest and largest value across.
        y: Smallest and largest value upwards.
        left: Margin for labels.
        top: Margin.
        right: Margin.
        bottom: Margin.
    """

    width: float
    height: float
    x: tuple[float, float]
    y: tuple[float, float]
    left: float = 38
    top: float = 10
    right: float = 12
    bottom: float = 32

    def px(self, value: float) -> float:
        """Where a value is, across."""
        low, high = self.x
        return self.left + (value - low) / (high - low or 1) * (self.width - self.left - self.right)

    def py(self, value: float) -> float:
        """Where a value is, down."""
        low, high = self.y
        return self.height - self.bottom - (value - low) / (high - low or 1) * (self.height - self.top - self.bottom)


def ticks(low: float, high: float, most: int) -> tuple[float, ...]:
    """Round values in a range, at most so many."""
    if high <= low:
        return (low,)
    raw = (high - low) / max(1, most - 1)
    power = 10.0 ** floor(log10(raw))
    step = next(power * factor for factor in (1, 2, 2.5, 5, 10) if power * factor >= raw * 0.999)
    first = ceil(low / step - 1e-9)
    last = floor(high / step + 1e-9)
    return tuple(round(step * at, 10) for at in range(first, last + 1))


def room(values: Iterable[float]) -> tuple[float, float]:
    """A range for an axis: shares get [0, 1], others from 0 (or below) to a round value above all."""
    found = list(values)
    low, high = min([0.0, *found]), max([0.0, *found])
    if low >= 0 and high <= 1 and high > 0.5:
        return 0.0, 1.0
    if high == low:
        return low, low + 1
    steps = ticks(low, high, 4)
    gap = steps[1] - steps[0] if len(steps) > 1 else high - low
    return floor(low / gap + 1e-9) * gap, ceil(high / gap - 1e-9) * gap


def plain(value: float) -> str:
    """A tick's label."""
    return f"{value:,.10g}"


def picture(frame: Frame, title: str, body: Iterable[str], css: str = "") -> str:
    """An SVG element that screen readers can name."""
    size = f'viewBox="0 0 {frame.width:g} {frame.height:g}"'
    kind = f' class="{css}"' if css else ""
    return f'<svg {size} role="img"{kind}><title>{escape(title)}</title>{"".join(body)}</svg>'


def text(x: float, y: float, words: str, css: str = "", anchor: str = "start") -> str:
    """A label."""
    kind = f' class="{css}"' if css else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{kind}>{escape(words)}</text>'


def axes(frame: Frame, x_label: str, y_label: str = "", *, across: int = 7, up: int = 5) -> list[str]:
    """Grid lines and labels.

    Args:
        frame: The drawing area.
        x_label: What is across; empty where a heading says it.
        y_label: What is upwards.
        across: Labels across, at most; 0 for none.
        up: Labels upwards, at most.
    """
    found = []
    bottom = frame.height - frame.bottom
    for value in ticks(*frame.y, up):
        y = frame.py(value)
        found.append(
            f'<line class="grid" x1="{frame.left:g}" x2="{frame.width - frame.right:g}" y1="{y:.1f}" y2="{y:.1f}"/>'
        )
        found.append(text(frame.left - 6, y + 4, plain(value), "tick", "end"))
    found += [
        text(frame.px(value), bottom + 15, plain(value), "tick", "middle")
        for value in (ticks(*frame.x, across) if across else ())
    ]
    found.append(
        f'<line class="axis" x1="{frame.left:g}" x2="{frame.width - frame.right:g}" y1="{bottom:g}" y2="{bottom:g}"/>'
    )
    if x_label:
        found.append(text(frame.width - frame.right, bottom + 28, x_label, "tick", "end"))
    if y_label:
        found.append(text(frame.left, frame.top - 4, y_label, "tick"))
    return found


def shades(frame: Frame, blocks: Sequence[Shade], *, labels: bool = True) -> list[str]:
    """Stretches of steps behind everything; a label that does not fit is its first letter, or left out."""
    found = []
    bottom = frame.height - frame.bottom
    for one in blocks:
        a, b = frame.px(max(one.start, frame.x[0])), frame.px(min(one.end, frame.x[1]))
        if b <= a:
            continue
        found.append(
            f'<rect class="shade {one.colour}" x="{a:.1f}" y="{frame.top:g}" width="{b - a:.1f}" '
            f'height="{bottom - frame.top:.1f}"/>'
        )
        if not labels:
            continue
        words = one.label if len(one.label) * CHARACTER <= b - a - 8 else one.label[:1].upper()
        if b - a >= 10 and one.colour != "cold":
            found.append(text((a + b) / 2, frame.top - 6, words, f"block {one.colour}", "middle"))
    return found


def lines(frame: Frame, drawn: Sequence[Line]) -> list[str]:
    """Bands below, lines above them, markers on top."""
    found = []
    for one in drawn:
        if len(one.band) > 1:
            upper = [(x, high) for x, _, high in one.band]
            lower = [(x, low) for x, low, _ in reversed(one.band)]
            found.append(f'<polygon class="band {one.colour}" points="{_points(frame, [*upper, *lower])}"/>')
        elif one.band:
            ((x, low, high),) = one.band
            found.append(whisker(frame.px(x), frame.py(low), frame.py(high), one.colour))
    for one in drawn:
        if len(one.points) > 1:
            weight = "thin" if one.style == "thin" else "thick"
            found.append(f'<polyline class="{weight} {one.colour}" points="{_points(frame, one.points)}"/>')
        if one.style == "dots" or len(one.points) == 1:
            found.extend(dot(frame.px(x), frame.py(y), one.colour) for x, y in one.points)
    return found


def dot(x: float, y: float, colour: str, size: float = 3.2) -> str:
    """A marker."""
    return f'<circle class="dot {colour}" cx="{x:.1f}" cy="{y:.1f}" r="{size:g}"/>'


def whisker(x: float, low: float, high: float, colour: str) -> str:
    """An upright interval."""
    return f'<line class="whisker {colour}" x1="{x:.1f}" x2="{x:.1f}" y1="{low:.1f}" y2="{high:.1f}"/>'


def _points(frame: Frame, points: Iterable[tuple[float, float]]) -> str:
    low, high = frame.y
    return " ".join(f"{frame.px(x):.1f},{frame.py(min(max(y, low), high)):.1f}" for x, y in points)


def legend(entries: Iterable[tuple[str, str]], kind: str = "line") -> str:
    """A legend in HTML, which wraps where a picture could not.

    Args:
        entries: Label and class of its colour.
        kind: `line` or `box`.
    """
    found = "".join(f'<li><i class="{kind} {colour}"></i>{escape(label)}</li>' for label, colour in entries)
    return f'<ul class="legend">{found}</ul>' if found else ""
