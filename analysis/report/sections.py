"""Parts of the page as HTML; every text from runs, models or users is escaped here."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from analysis.report.examples import Attempted, Example
from analysis.report.grid import Grid
from analysis.report.training import VerdictCount


def tag(name: str, content: str, css: str = "") -> str:
    """An element around HTML."""
    kind = f' class="{css}"' if css else ""
    return f"<{name}{kind}>{content}</{name}>"


def words(name: str, content: object, css: str = "") -> str:
    """An element around text."""
    return tag(name, escape(str(content)), css)


def table(columns: Sequence[tuple[str, bool]], rows: Iterable[Sequence[str]], wrap: int | None = None) -> str:
    """A table of text that scrolls sideways where it is too wide.

    Args:
        columns: Heading, and whether it holds numbers.
        rows: Cells.
        wrap: Index of a column whose text may be long.
    """
    head = "".join(words("th", name, "n" if right else "") for name, right in columns)
    body = "".join(
        tag(
            "tr",
            "".join(
                words("td", cell, "n" if right else "wrap" if at == wrap else "")
                for at, (cell, (_, right)) in enumerate(zip(row, columns, strict=True))
            ),
        )
        for row in rows
    )
    return f'<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def grid_table(grid: Grid) -> str:
    """The table of the terminal, with its notes."""
    notes = "".join(words("p", note, "caption") for note in grid.notes)
    return (table(grid.columns, grid.rows) if grid.rows else "") + notes


def keys(values: Iterable[tuple[str, str]]) -> str:
    """Key numbers."""
    return tag("div", "".join(tag("div", words("b", value) + words("span", label)) for value, label in values), "keys")


def figure(picture: str, caption: str, legend: str = "") -> str:
    """A picture with its legend above and its caption below."""
    return tag("figure", legend + picture + words("figcaption", caption))


def example(one: Example) -> str:
    """A question with its designs side by side."""
    level = f", difficulty {one.difficulty}" if one.difficulty is not None else ""
    title = f"{one.benchmark} {one.split}{level}"
    head = words("h3", title) + tag(
        "p", "Question " + words("code", one.question) + " \u2192 right answer " + words("code", one.gold)
    )
    return head + tag("div", "".join(_attempted(each) for each in one.attempts), "pair")


def _attempted(one: Attempted) -> str:
    parts = [words("h3", one.label), words("pre", one.script or "(nothing)")]
    verdict = words("span", f"design {one.design_verdict}", "ok" if one.design_verdict == "ok" else "not")
    shape = f" \u00b7 {escape(one.shape)}" if one.shape else ""
    detail = f" \u00b7 {escape(one.detail)}" if one.detail else ""
    parts.append(tag("p", verdict + shape + detail, "sub"))
    writer = [call for call in one.calls if call.agent is None]
    agents = [call for call in one.calls if call.agent is not None]
    if writer:
        prompt = " \u00b7 ".join(f"{call.role} read" for call in writer[:1])
        parts.append(tag("details", words("summary", prompt) + words("pre", writer[0].prompt)))
    parts.append(
        tag(
            "ul",
            "".join(
                tag(
                    "li",
                    words("span", f"{call.agent} ({call.role})", "who")
                    + words("code", call.prompt)
                    + " \u2192 "
                    + words("code", call.response or "(nothing)")
                    + (" \u00b7 cut at the limit of tokens" if call.finish == "length" else ""),
                )
                for call in agents
            ),
            "calls",
        )
        if agents
        else words("p", "no call was made", "sub")
    )
    if one.answer_verdict is not None:
        right = one.answer_verdict == "correct"
        why = f" \u00b7 execution {escape(one.execution_verdict or '')}" if one.execution_verdict != "ok" else ""
        more = f" \u00b7 {escape(one.execution_detail)}" if one.execution_detail else ""
        answer = "no answer" if one.answer is None else "answer " + words("code", one.answer)
        parts.append(tag("p", f"{answer} {words('span', one.answer_verdict, 'ok' if right else 'not')}{why}{more}"))
    return tag("div", "".join(parts))


def verdict_table(counts: Sequence[VerdictCount]) -> str:
    """Verdicts of training rollouts, a line a stretch and level."""
    lines: dict[tuple[int, str], list[VerdictCount]] = {}
    for one in counts:
        lines.setdefault((one.first_step, one.level), []).append(one)
    rows = []
    for (first, level), found in sorted(lines.items(), key=lambda item: (item[0][0], _LEVELS.index(item[0][1]))):
        total = sum(one.count for one in found)
        shares = ", ".join(f"{one.verdict} {one.count:,} ({one.count / total:.1%})" for one in found)
        whose = f"{found[0].stage}: {found[0].trained.replace(',', ', ')}, steps {first} to {found[0].last_step}"
        rows.append((whose if level == "design" else "", level, f"{total:,}", shares))
    return table((("STRETCH", False), ("OF", False), ("N", True), ("VERDICTS", False)), rows, wrap=3)


_LEVELS = ("design", "execution", "answer")
