"""The blocks of the README and of pages in docs, run in order in one directory, as a reader would.

A block of YAML or Python whose first line is a comment with a file name is written to that file. Commands of a
`console` block must end with 0. A comment before a block says more:

    <!-- test: smoke -->       runs are shrunk (`tests/support/smoke.py`), since the real ones take minutes
    <!-- test: smoke one-seed -->  and of a sweep only one seed is run
    <!-- test: dry -->         `make` only says what it would do
    <!-- test: output -->      what the block shows is what is printed; `...` stands for any lines
    <!-- test: exit=3 -->      the commands end with 3
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support.smoke import SETS

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(
    r"(?:<!-- test: (?P<how>[^>]*?) -->\n)?```(?P<kind>console|bash|yaml|python)\n(?P<text>.*?)```", re.DOTALL
)


@dataclass(frozen=True)
class Block:
    kind: str
    how: tuple[str, ...]
    text: str

    @property
    def commands(self) -> list[tuple[str, list[str]]]:
        """Every command with the lines shown below it."""
        found: list[tuple[str, list[str]]] = []
        for line in self.text.splitlines():
            if line.startswith("$ "):
                found.append((line[2:], []))
            else:
                found[-1][1].append(line)
        return found


def blocks(text: str) -> list[Block]:
    return [Block(one["kind"], tuple((one["how"] or "").split()), one["text"]) for one in BLOCK.finditer(text)]


README = blocks((ROOT / "README.md").read_text(encoding="utf-8"))
PLUGINS = blocks((ROOT / "docs/plugins.md").read_text(encoding="utf-8"))
PAGES = ("scripts", "sweeps")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    here = tmp_path_factory.mktemp("a reader's checkout")
    shutil.copytree(ROOT / "specs", here / "specs")
    shutil.copytree(ROOT / "constraints", here / "constraints")
    for name in ("Makefile", "pyproject.toml", "setup.py"):
        shutil.copy(ROOT / name, here)
    return here


def command_line(command: str, how: tuple[str, ...]) -> str:
    if command.startswith("make "):
        assert "dry" in how, "a test does not install anything"
        return command.replace("make ", "make --dry-run ", 1)
    if "smoke" in how and command.startswith("mxspec run "):
        command += " --set 'sweep.seeds=[0]'" if "one-seed" in how else ""
        return " ".join([command, *(f"--set '{one}'" for one in SETS)])
    return command


def shown_is_printed(shown: list[str], printed: str) -> bool:
    """Whether the output is what a block shows, `...` standing for any lines."""
    pattern = "".join(".*" if line == "..." else re.escape(line.rstrip()) + "\n" for line in shown)
    return re.fullmatch(pattern, "".join(f"{line.rstrip()}\n" for line in printed.splitlines()), re.DOTALL) is not None


@pytest.mark.slow
@pytest.mark.ray
def test_blocks_run_in_order(place: Path) -> None:
    assert followed(README, place) > 10
    assert (place / "runs" / "results.duckdb").exists()


def test_the_page_on_plugins(place: Path) -> None:
    assert followed(PLUGINS, place) == 4
    ended = subprocess.run([sys.executable, "-m", "pytest", "-q", "test_prefix.py"], cwd=place, check=False)
    assert ended.returncode == 0


@pytest.mark.parametrize("page", PAGES)
def test_pages_show_what_is_printed(place: Path, page: str) -> None:
    assert followed(blocks((ROOT / f"docs/{page}.md").read_text(encoding="utf-8")), place) > 0


def followed(page: list[Block], place: Path) -> int:
    """Does what a page says; the number of its commands."""
    environment = os.environ | {
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
        "OMP_NUM_THREADS": "1",
        "XDG_CONFIG_HOME": str(place / "config"),
    }
    ran = 0
    for block in page:
        if block.kind in ("yaml", "python"):
            name = re.match(r"# (\S+\.(?:yaml|py))\n", block.text)
            assert name is not None, "a block begins with its file name"
            (place / name[1]).write_text(block.text, encoding="utf-8")
            continue
        for command, shown in block.commands:
            ended = subprocess.run(
                command_line(command, block.how),
                shell=True,
                cwd=place,
                env=environment,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                check=False,
            )
            wanted = next((int(one.removeprefix("exit=")) for one in block.how if one.startswith("exit=")), 0)
            assert ended.returncode == wanted, f"{command}\n{ended.stdout}"
            if "output" in block.how:
                assert shown_is_printed(shown, ended.stdout), f"{command}\n{ended.stdout}"
            ran += 1
    return ran


def test_blocks_are_found_and_compared() -> None:
    [one, two] = blocks(
        "x\n<!-- test: output exit=3 -->\n```console\n$ a b\nc\n...\n```\n```yaml\n# m.yaml\na: 1\n```\n"
    )
    assert one == Block("console", ("output", "exit=3"), "$ a b\nc\n...\n")
    assert one.commands == [("a b", ["c", "..."])]
    assert two.kind == "yaml" and two.how == ()
    assert shown_is_printed(["c", "...", "d"], "c\nx\ny\nd  \n")
    assert not shown_is_printed(["c"], "c\nmore\n")
    assert not shown_is_printed(["c", "..."], "b\n")
