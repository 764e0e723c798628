"""`mxspec sql` and `mxspec collect`: answers on stdout, words on stderr."""

from __future__ import annotations

import csv
import io
import json
import os
import pty
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest

from mxspec.cli import exits
from mxspec.cli.app import run_app
from tests.support.recorded import ArmRun, record_run, record_sweep

ROOT = Path(__file__).resolve().parents[2]
BASE = {"aaaaaaaa0": 3, "aaaaaaaa1": 2}
OTHER = {"bbbbbbbb0": 1, "bbbbbbbb1": 1}
Said = Callable[[], tuple[str, str]]


@pytest.fixture
def said(capsys: pytest.CaptureFixture[str]) -> Said:
    def read() -> tuple[str, str]:
        captured = capsys.readouterr()
        return captured.out, captured.err

    return read


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two arms at two seeds; each run answers so many of four questions right in the end."""
    home = tmp_path_factory.mktemp("a sweep") / "runs"
    arms = []
    for arm, found in (("base", BASE), ("other", OTHER)):
        for seed, (run, right) in enumerate(found.items()):
            record_run(home, run, {2: [[q < right] for q in range(4)]}, seed=seed)
            arms.append(ArmRun(arm, seed, run))
    record_sweep(home, arms, baseline="base", name="who learns")
    return home


def test_the_ablation_in_a_pipe(runs: Path, said: Said) -> None:
    assert run_app(["sql", "from ablation", "--runs", str(runs)]) == exits.OK
    out, err = said()
    head, *lines = (line.split("  ") for line in out.splitlines())
    cells = [[cell.strip() for cell in line if cell.strip()] for line in lines]
    assert [name.strip() for name in head if name.strip()] == [
        *("sweep", "arm", "seeds", "planned", "accuracy", "low", "high", "diff", "diff_low", "diff_high", "calls"),
        "tokens",
    ]
    # base .75 and .5, other .25 and .25; t(1) = 12.706: .125 * 12.706 = 1.588
    assert cells == [
        ["who learns", "base", "2", "2", "0.625", "-0.963", "2.213", "3.000", "4.000"],
        ["who learns", "other", "2", "2", "0.250", "-0.375", "-1.963", "1.213", "3.000", "4.000"],
    ]
    assert err == ""
    assert all(len(line) <= 120 for line in out.splitlines())


def test_json_holds_types_and_whole_values(runs: Path, said: Said) -> None:
    asked = "select run, accuracy, null::double as nothing, 'nan'::double as odd from evaluations order by run limit 1"
    assert run_app(["sql", asked, "--runs", str(runs), "--json"]) == exits.OK
    found = json.loads(said()[0])
    assert (found["mxspec"], found["version"]) == ("sql", 1)
    assert found["columns"][:2] == [{"name": "run", "type": "VARCHAR"}, {"name": "accuracy", "type": "DOUBLE"}]
    assert found["rows"] == [{"run": "aaaaaaaa0", "accuracy": 0.75, "nothing": None, "odd": None}]


def test_csv_reads_back(runs: Path, said: Said) -> None:
    asked = "select 1/3 as third, e'a,\"b\"\n' as text, null as nothing, [1, 2] as list"
    assert run_app(["sql", asked, "--runs", str(runs), "--csv"]) == exits.OK
    assert list(csv.reader(io.StringIO(said()[0]))) == [
        ["third", "text", "nothing", "list"],
        [repr(1 / 3), 'a,"b"\n', "", "[1, 2]"],
    ]


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ("selct 1", ["syntax error", "selct 1\n        ^"]),
        ("from nowhere", ["nowhere does not exist"]),
        ("select acuracy from evaluations", ["acuracy", "accuracy"]),
        ("create table mine (i int)", ["read-only"]),
        ("delete from runs", ["read-only"]),
        ("from read_csv('/etc/hostname')", ["disabled by configuration"]),
        ("set threads = 3", ["locked"]),
        ("select error('a value is wrong') from runs", ["a value is wrong"]),
        ("", ["no statement"]),
    ],
)
def test_a_query_that_is_wrong_is_a_usage_error(runs: Path, said: Said, asked: str, words: list[str]) -> None:
    assert run_app(["sql", asked, "--runs", str(runs), "--no-collect"]) == exits.USAGE
    out, err = said()
    assert out == ""
    assert err.startswith("error: ") and "Traceback" not in err
    assert all(word in err for word in words), err


def test_without_results_it_says_where_they_would_be(tmp_path: Path, said: Said) -> None:
    for arguments in (["sql", "from runs"], ["sql", "from runs", "--no-collect"], ["collect"]):
        assert run_app([*arguments, "--runs", str(tmp_path / "none")]) == exits.FAILED
        out, err = said()
        assert out == ""
        assert str(tmp_path / "none") in err and "mxspec run" in err
    assert not (tmp_path / "none").exists()


def test_no_collect_takes_the_store_as_it_is(tmp_path: Path, said: Said) -> None:
    count = ["sql", "select count(*) as n from runs", "--csv", "--runs", str(tmp_path)]
    record_run(tmp_path, "aaaaaaaa")
    assert run_app(count) == exits.OK
    assert said()[0] == "n\n1\n"
    record_run(tmp_path, "bbbbbbbb")
    assert run_app([*count, "--no-collect"]) == exits.OK
    assert said()[0] == "n\n1\n"
    assert run_app(count) == exits.OK
    assert said()[0] == "n\n2\n"


def test_collect_tells_what_could_not_be_read_and_collects_the_rest(tmp_path: Path, said: Said) -> None:
    record_run(tmp_path, "aaaaaaaa")
    damaged = record_run(tmp_path, "bbbbbbbb").run_dir
    (damaged.step(1, 0) / "designs.parquet").write_bytes(b"PAR1 no more")
    assert run_app(["collect", "--runs", str(tmp_path), "--json"]) == exits.FAILED
    found = json.loads(said()[0])
    assert (found["mxspec"], found["runs"], found["new_steps"]) == ("collect", 2, 3)
    assert [Path(one["path"]) for one in found["problems"]] == [damaged.step(1, 0)]
    assert (
        run_app(["sql", "select run, count(*) as n from designs group by run", "--csv", "--runs", str(tmp_path)]) == 0
    )
    out, err = said()
    assert sorted(out.splitlines()[1:]) == ["aaaaaaaa,2", "bbbbbbbb,1"]
    assert str(damaged.step(1, 0)) in err


def test_rebuild_reads_every_run_again(tmp_path: Path, said: Said) -> None:
    record_run(tmp_path, "aaaaaaaa")
    collect = ["collect", "--runs", str(tmp_path), "--json"]
    new = []
    for arguments in (collect, collect, [*collect, "--rebuild"]):
        assert run_app(arguments) == exits.OK
        found = json.loads(said()[0])
        new.append((found["new_steps"], found["published"]))
    assert new == [(2, True), (0, False), (2, True)]


def test_a_notebook_that_writes_into_the_store_blocks_nobody(tmp_path: Path, said: Said) -> None:
    record_run(tmp_path, "aaaaaaaa")
    assert run_app(["collect", "--runs", str(tmp_path)]) == exits.OK
    said()
    notebook = (
        "import duckdb, sys; con = duckdb.connect(sys.argv[1]); con.execute('create table mine as select 1 as i');"
        "print('holds it', flush=True); sys.stdin.readline(); print(con.execute('from mine').fetchall())"
    )
    command = [sys.executable, "-c", notebook, str(tmp_path / "results.duckdb")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None and holder.stdout.readline() == "holds it\n"
        with pytest.raises(duckdb.IOException, match="lock"):
            duckdb.connect(tmp_path / "results.duckdb", read_only=True)
        for expected in (1, 2):
            query = ["sql", "select count(*) as n from runs", "--csv", "--runs", str(tmp_path)]
            assert run_app(query) == exits.OK
            assert said() == (f"n\n{expected}\n", "")
            record_run(tmp_path, "bbbbbbbb")
        assert holder.communicate("\n")[0] == "[(1,)]\n"
    assert holder.returncode == 0


def on_a_terminal(arguments: list[str], columns: int) -> str:
    """What a command prints on a terminal of so many columns, without colours."""
    ours, theirs = pty.openpty()
    environment = os.environ | {"COLUMNS": str(columns), "TERM": "xterm", "NO_COLOR": "1"}
    command = [sys.executable, "-m", "mxspec.cli", *arguments]
    with subprocess.Popen(command, stdout=theirs, stderr=subprocess.DEVNULL, env=environment, cwd=ROOT) as process:
        os.close(theirs)
        found = b""
        while True:
            try:
                more = os.read(ours, 65536)
            except OSError:  # the other end is closed
                break
            if not more:
                break
            found += more
        os.close(ours)
    assert process.returncode == 0
    return found.decode().replace("\r\n", "\n").replace("\x1b[1m", "").replace("\x1b[0m", "")


def test_on_a_terminal_numbers_are_whole_and_text_gives_way(runs: Path) -> None:
    asked = "select 'x' || repeat('long ', 30) || e'\n' as text, 0.123456 as number, 42 as whole from range(60)"
    out = on_a_terminal(["sql", asked, "--runs", str(runs), "--no-collect"], 50)
    head, *lines = out.rstrip().splitlines()
    assert head.split() == ["text", "number", "whole"]
    assert len(lines) == 50
    assert set(lines) == {lines[0]}
    assert lines[0].startswith("xlong") and "…" in lines[0]
    assert lines[0].split()[-2:] == ["0.123", "42"]
    assert max(map(len, lines)) <= 50


def test_on_a_narrow_terminal_rows_stand_side_by_side(runs: Path) -> None:
    out = on_a_terminal(["sql", "from ablation", "--runs", str(runs), "--no-collect"], 60)
    lines = [line.split() for line in out.splitlines()]
    assert lines[:3] == [["sweep", "who", "learns", "who", "learns"], ["arm", "base", "other"], ["seeds", "2", "2"]]
    assert ["accuracy", "0.625", "0.250"] in lines
    assert max(map(len, out.splitlines())) <= 60
