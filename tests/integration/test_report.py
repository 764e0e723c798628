"""Reports of small runs whose every number is chosen."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from math import sqrt
from pathlib import Path
from statistics import fmean, stdev
from xml.etree import ElementTree

import pytest

from analysis.collect import collect
from analysis.report import NoStore, Report, UnknownSubject, grid_of, make_report, write_html
from analysis.report.queries import queries
from analysis.report.store import opened_store
from analysis.report.subject import find_subject
from mxspec.cli.app import run_app
from mxspec.rundir import RunDir
from tests.support.report_runs import SmallRun, write_run, write_small_sweep

EVIL = "</pre><script>alert('&')</script><img src=https://example.org/x onerror=alert(1)>"
MAIN = (((0, 1, 0, 1), (1, 1, 0, 2), (2, 2, 1, 2)), ((0, 1, 0, 1), (1, 1, 0, 1), (1, 1, 1, 2)))
"""Right answers of two by question, after each step, with seeds 0 and 1."""
BOTH = (((0, 1, 0, 1), (2, 1, 0, 2), (2, 2, 2, 2)), ((1, 1, 0, 1), (2, 1, 0, 2), (2, 1, 1, 2)))
T1, T3 = 12.706204736432095, 3.182446305284263
"""97.5 % quantiles of Student's t with 1 and 3 degrees of freedom, from tables."""


@pytest.fixture(scope="module")
def runs_dir(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    home = tmp_path_factory.mktemp("runs")
    runs = [
        SmallRun("aaaaaaa0", MAIN[0], 0, "main"),
        SmallRun("aaaaaaa1", MAIN[1], 1, "main"),
        SmallRun("bbbbbbb0", BOTH[0], 0, "both", parent="aaaaaaa0"),
        SmallRun("bbbbbbb1", BOTH[1], 1, "both"),
        SmallRun("ccccccc0", MAIN[1], 0, "half", text=EVIL),
        SmallRun("ccccccc1", MAIN[1], 1, "half", steps=2, state="failed"),
    ]
    write_small_sweep(home, "small", "main", runs)
    collect(home)
    yield home


class Reports:
    """Reads every report once."""

    def __init__(self, runs_dir: Path) -> None:
        self.runs_dir = runs_dir
        self.found: dict[str, Report] = {}

    def __getitem__(self, name: str) -> Report:
        if name not in self.found:
            self.found[name] = make_report(self.runs_dir, name)
        return self.found[name]


@pytest.fixture(scope="module")
def reports(runs_dir: Path) -> Reports:
    return Reports(runs_dir)


def final(right: tuple[tuple[int, ...], ...]) -> float:
    return sum(right[-1]) / (2 * len(right[-1]))


def test_arms_have_means_over_seeds_and_paired_differences(reports: Reports) -> None:
    sweep = reports["small"]
    main, both, half = sweep.arms
    scores = [[final(one) for one in arm] for arm in (MAIN, BOTH)]
    assert [main.arm, both.arm, half.arm] == ["main", "both", "half"]
    assert main.accuracy == pytest.approx(fmean(scores[0]))
    assert both.accuracy == pytest.approx(fmean(scores[1]))
    spread = T1 * stdev(scores[1]) / sqrt(2)
    assert both.high == pytest.approx(fmean(scores[1]) + spread)
    differences = [b - a for a, b in zip(*scores, strict=True)]
    assert both.difference == pytest.approx(fmean(differences))
    assert stdev(differences) == 0 and both.difference_low is None and both.difference_high is None
    assert (half.seeds, half.unfinished, half.failed) == (1, 1, 1)
    assert main.difference is None


def test_table_of_arms_shows_those_numbers_and_what_they_cannot_tell(reports: Reports) -> None:
    sweep = reports["small"]
    grid = grid_of(sweep)
    both = grid.rows[1]
    assert both[0] == "both" and both[1] == f"{fmean(map(final, BOTH)):.3f}" and both[5] == "2"
    assert grid.rows[2][5] == "1/2" and "!unfinished" in grid.rows[2][-1]
    notes = "\n".join(grid.notes)
    assert "t-intervals over seeds" in notes and "2 seeds are few" in notes
    # both: +.125 in either seed, which says nothing of other seeds; half: one seed
    undecided = next(line for line in grid.notes if line.startswith("undecided"))
    assert undecided.endswith(": both, half")
    assert "unfinished: half seed 1 (ccccccc1) failed after 2 steps: stopped here" in grid.notes


def test_blocks_have_accuracy_and_change_paired_by_question(reports: Reports) -> None:
    report = reports["aaaaaaa0"]
    assert report.details is not None
    blocks = report.details.blocks
    assert [(one.trained, one.steps, one.done) for one in blocks] == [
        ("designer,executor", 1, 1),
        ("executor", 1, 2),
        ("designer", 1, 3),
    ]
    means = [[n / 2 for n in right] for right in MAIN[0]]
    assert [one.evaluation.accuracy for one in blocks if one.evaluation] == [fmean(one) for one in means]
    change = blocks[2].change
    differences = [b - a for a, b in zip(means[1], means[2], strict=True)]
    half = T3 * stdev(differences) / 2
    assert change is not None and change.questions == 4
    assert change.difference == pytest.approx(fmean(differences))
    assert (change.low, change.high) == pytest.approx((fmean(differences) - half, fmean(differences) + half))
    assert grid_of(report).rows[2][4:8] == (
        f"{fmean(means[2]):.3f}",
        grid_of(report).rows[2][5],
        f"{fmean(differences):+.3f}",
        f"[{fmean(differences) - half:+.3f}, {fmean(differences) + half:+.3f}]",
    )


def test_run_that_went_on_from_another_shows_the_beginning_it_shares(reports: Reports) -> None:
    report = reports["bbbbbbb0"]
    assert [point.recorded_by for point in report.runs[0].curve] == ["aaaaaaa0", "bbbbbbb0", "bbbbbbb0"]
    assert [one.stage for one in report.runs[0].stretches] == ["cold", "rl", "rl"]
    assert {m.step for m in report.runs[0].metrics} == {1, 2}


def test_names_mean_sweeps_runs_beginnings_of_runs_and_arms(runs_dir: Path) -> None:
    assert make_report(runs_dir).subject.name == "small"
    with opened_store(runs_dir) as con:
        assert find_subject(con, "aaaaaaa1").is_run
        assert find_subject(con, "both").arms == ("both",)
        assert [one.run for one in find_subject(con, "both").members] == ["bbbbbbb0", "bbbbbbb1"]
        with pytest.raises(UnknownSubject, match="did you mean 'small'"):
            find_subject(con, "smal")
        with pytest.raises(UnknownSubject, match="no sweep, arm or run"):  # begins two runs
            find_subject(con, "aaaaaaa")


def test_page_escapes_what_models_wrote(reports: Reports, tmp_path: Path) -> None:
    for name in ("ccccccc0", "small"):
        text = write_html(reports[name], tmp_path / f"{name}.html").read_text()
        assert "<script" not in text and "<img" not in text
        assert "&lt;script&gt;alert(" in text and "&amp;" in text


def test_page_loads_nothing(reports: Reports, tmp_path: Path) -> None:
    text = write_html(reports["aaaaaaa0"], tmp_path / "one.html").read_text()
    policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
    assert f'<meta http-equiv="Content-Security-Policy" content="{policy}">' in text
    assert not re.search(r"https?:|\bsrc=|\bhref=|url\(|@import|\bon\w+=", text)


@pytest.mark.parametrize("name", ["small", "aaaaaaa0", "both"])
def test_page_is_well_formed_and_has_the_numbers_of_the_table(reports: Reports, tmp_path: Path, name: str) -> None:
    report = reports[name]
    text = write_html(report, tmp_path / "page.html").read_text()
    for picture in re.findall(r"<svg.*?</svg>", text, flags=re.DOTALL):
        ElementTree.fromstring(picture)
    assert text.count("<svg") >= 4
    for row in grid_of(report).rows:
        cells = "".join(rf"<td[^>]*>{re.escape(cell)}</td>" for cell in row)
        assert re.search(cells, text), row
    for note in grid_of(report).notes:
        assert note in text


def test_curve_is_drawn_where_the_numbers_are(reports: Reports, tmp_path: Path) -> None:
    text = write_html(reports["aaaaaaa0"], tmp_path / "page.html").read_text()
    wide = re.search(r'<svg class="wide".*?</svg>', text, flags=re.DOTALL)
    assert wide is not None
    dots = re.findall(r'<circle class="dot ink" cx="([\d.]+)" cy="([\d.]+)"', wide[0])
    ys = [float(y) for _, y in dots]
    zero, one = (float(re.findall(r'<line class="grid"[^>]*y1="([\d.]+)"', wide[0])[at]) for at in (0, -1))
    shares = [(zero - y) / (zero - one) for y in ys]
    assert shares == pytest.approx([sum(right) / 8 for right in MAIN[0]], abs=2e-3)


@pytest.mark.parametrize("name", ["small", "aaaaaaa0"])
def test_queries_to_try_work(runs_dir: Path, reports: Reports, name: str) -> None:
    report = reports[name]
    with opened_store(runs_dir) as con:
        for title, sql in queries(report.subject):
            assert con.execute(sql).fetchall() or "not valid" in title, title


def test_run_without_evaluations_says_so(tmp_path: Path) -> None:
    write_run(tmp_path, SmallRun("ddddddd0", steps=0, state="interrupted"))
    collect(tmp_path)
    report = make_report(tmp_path)
    grid = grid_of(report)
    assert not grid.rows and "nothing is evaluated yet" in grid.title
    assert "No evaluation has finished yet" in write_html(report).read_text()


def test_sweep_without_finished_runs_says_so(tmp_path: Path) -> None:
    runs = [SmallRun(f"eeeeeee{seed}", seed=seed, steps=0, state="failed") for seed in (0, 1)]
    write_small_sweep(tmp_path, "none", "main", runs)
    collect(tmp_path)
    grid = grid_of(make_report(tmp_path))
    assert grid.title == "none: no run has finished"
    assert "No arm has a finished run yet." in grid.notes
    assert write_html(make_report(tmp_path)).is_file()


def test_spec_of_a_run_whose_directory_is_gone_comes_from_the_store(runs_dir: Path, tmp_path: Path) -> None:
    write_run(tmp_path, SmallRun("fffffff0"))
    collect(tmp_path)
    (RunDir(tmp_path / "fffffff0").path / "spec.yaml").unlink()
    assert "seed: 0" in make_report(tmp_path).spec


def test_directory_without_store(tmp_path: Path) -> None:
    with pytest.raises(NoStore, match="mxspec run"):
        make_report(tmp_path)


def test_verb_prints_the_table_and_writes_the_page(runs_dir: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_app(["report", "small", "--runs", str(runs_dir)]) == 0
    printed = capsys.readouterr()
    assert "both" in printed.out and f"{fmean(map(final, BOTH)):.3f}" in printed.out
    assert (runs_dir / "reports" / "small.html").is_file() and "small.html" in printed.err


def test_verb_prints_one_json_document(runs_dir: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "deep" / "x.html"
    assert run_app(["report", "aaaaaaa1", "--runs", str(runs_dir), "--json", "--html", str(page)]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["html"] == str(page) and page.is_file()
    assert [one["evaluation"]["accuracy"] for one in document["blocks"]] == [sum(r) / 8 for r in MAIN[1]]


def test_verb_refuses_unknown_names(runs_dir: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_app(["report", "nothing", "--runs", str(runs_dir)]) == 2
    assert "no sweep, arm or run is called 'nothing'" in capsys.readouterr().err
