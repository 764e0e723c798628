"""YAML 1.2 core with positions: what other tools let slip is an error at its place."""

from __future__ import annotations

from pathlib import Path

import pytest

from mxspec.load.errors import Findings
from mxspec.load.nodes import to_plain
from mxspec.load.read import MOST_NODES, read_file, read_text
from mxspec.load.scalars import parse_scalar
from tests.support.specs import SMALL, changed, errors, errors_of, load, one_error, place_of, write


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1e-4", 1e-4),
        ("1E5", 1e5),
        ("-.5", -0.5),
        ("3.", 3.0),
        ("12", 12),
        ("-7", -7),
        ("0x1F", 31),
        ("0o17", 15),
        ("no", "no"),
        ("off", "off"),
        ("yes", "yes"),
        ("12:30:45", "12:30:45"),
        ("2026-01-01", "2026-01-01"),
        ("1_000", "1_000"),
        ("true", True),
        ("False", False),
        ("~", None),
        ("", None),
        ("null", None),
        (".", "."),
        ("e5", "e5"),
        ("0x", "0x"),
    ],
)
def test_plain_scalars_follow_yaml_1_2(text: str, value: object) -> None:
    found = parse_scalar(text)
    assert found == value and type(found) is type(value)


@pytest.mark.parametrize("way", ["file", "set", "arm", "reference"])
def test_an_exponent_without_a_point_is_a_number_everywhere(tmp_path: Path, way: str) -> None:
    text, sets, arm = SMALL, (), 0
    if way == "file":
        text = changed(("lr: 5e-4", "lr: 1e-4"))
    elif way == "set":
        sets = ("learn.rl.optimizer.lr=1e-4",)
    elif way == "arm":
        text += "sweep: {baseline: a, arms: {a: {}, b: {learn.rl.optimizer.lr: 1e-4}}, seeds: [0]}\n"
        arm = 1
    else:
        text = changed(("lr: 5e-4", 'lr: "${vars.lr}"')) + "vars: {lr: 1e-4}\n"
    spec = load(tmp_path, text, *sets).arms[arm].spec
    assert spec.learn.rl is not None and spec.learn.rl.optimizer.lr == 0.0001


def test_on_is_a_key_and_no_is_a_string(tmp_path: Path) -> None:
    loaded = load(tmp_path, SMALL + "vars: {lang: no, mode: off, on: 1}\n")
    assert loaded.whole.vars == {"lang": "no", "mode": "off", "on": 1}


def test_a_number_where_text_is_wanted_is_to_be_quoted(tmp_path: Path) -> None:
    revision = "name: 695e0514"
    found = one_error(tmp_path, changed(("name: small", revision)))
    assert found.code == "looks-like-number" and "quote it: '695e0514'" in found.hint
    assert (found.at.line, found.at.column) == (2, 7) if found.at else False
    assert one_error(tmp_path, changed(("name: small", "name: 12"))).hint == "quote it: '12'"
    assert load(tmp_path, changed(("name: small", "name: '695e0514'"))).whole.name == "695e0514"


def test_a_leading_zero_is_refused(tmp_path: Path) -> None:
    text = changed(("per_step: 8", "per_step: 010"))
    found = one_error(tmp_path, text)
    assert found.code == "leading-zero" and "write 10" in found.hint
    assert found.at and (found.at.line, found.at.column) == place_of(text, "010")


def test_a_duplicate_key_names_both_lines(tmp_path: Path) -> None:
    found = one_error(tmp_path, SMALL + "seed: 1\nseed: 2\n")
    last = len(SMALL.splitlines())
    assert found.code == "duplicate-key" and f"line {last + 1}" in found.message
    assert found.at and found.at.line == last + 2


def test_a_local_key_wins_over_a_merged_one() -> None:
    findings = Findings()
    node = read_text(
        "base: &b {x: 1, y: 2}\nhere: {<<: *b, x: 3}\nthere: {z: 4, <<: [{z: 5, q: 6}, *b]}\n", "f", findings
    )
    assert node is not None and not findings.errors
    plain = to_plain(node)
    assert plain == {"base": {"x": 1, "y": 2}, "here": {"x": 3, "y": 2}, "there": {"z": 4, "q": 6, "x": 1, "y": 2}}


def test_every_value_knows_its_place() -> None:
    findings = Findings()
    node = read_text("a:\n  - b: [1,\n      2]\n", "f", findings)
    assert node is not None
    from mxspec.load.nodes import get

    found = get(node, ("a", 0, "b", 1))
    assert found is not None and (found.at.line, found.at.column) == (3, 7)


@pytest.mark.parametrize(
    ("raw", "code", "line"),
    [
        (b"", "empty", 1),
        (b"# only a comment\n", "empty", 1),
        (b"language: 1\n\tname: x\n", "yaml", 2),
        (b"language: 1\nname: \xff\n", "encoding", 2),
        (b"- a\n- b\n", "top-level", 1),
        (b"just text\n", "top-level", 1),
        (b"language: 1\n---\nlanguage: 1\n", "documents", 2),
        (b"a: [1, 2\n", "yaml", 2),
        (b"a: !!python/object/apply:os.system [ls]\n", "tag", 1),
        (b"a: *nowhere\n", "unknown-alias", 1),
        (b"? [a, b]\n: c\n", "key", 1),
        (b"a: " + b"[" * 100 + b"]" * 100, "too-deep", 1),
    ],
)
def test_what_is_no_spec_is_an_error_at_its_place(tmp_path: Path, raw: bytes, code: str, line: int) -> None:
    path = tmp_path / "spec.yaml"
    path.write_bytes(raw)
    found = errors_of(path)
    assert [one.code for one in found] == [code]
    assert found[0].at and found[0].at.line == line


def test_a_missing_file_and_a_directory(tmp_path: Path) -> None:
    assert [one.code for one in errors_of(tmp_path / "none.yaml")] == ["no-file"]
    assert [one.code for one in errors_of(tmp_path)] == ["directory"]


def test_yml_bom_and_crlf_are_fine(tmp_path: Path) -> None:
    assert errors(tmp_path, SMALL, name="spec.yml") == ()
    path = tmp_path / "crlf.yaml"
    path.write_bytes(b"\xef\xbb\xbf" + SMALL.replace("\n", "\r\n").encode())
    assert errors_of(path) == ()


def test_aliases_cannot_blow_up() -> None:
    levels = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    levels += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]" for i in range(1, 11)]
    findings = Findings()
    assert read_text("\n".join(levels), "f", findings) is None
    assert [one.code for one in findings.errors] == ["too-large"] and str(MOST_NODES) in findings.errors[0].message


def test_an_alias_is_its_value(tmp_path: Path) -> None:
    findings = Findings()
    node = read_file(write(tmp_path, "a: &x {b: [1, 2]}\nc: *x\n"), findings)
    assert node is not None and to_plain(node) == {"a": {"b": [1, 2]}, "c": {"b": [1, 2]}}


def test_what_never_ends_or_leads_in_circles_is_an_error(tmp_path: Path) -> None:
    found = one_error(tmp_path, changed(('text: "design {question}"', "file: /dev/zero")))
    assert found.code == "too-large" and found.path == "roles.designer.prompt.file"
    assert (
        one_error(tmp_path, changed(("extends: mxspec:base/tiny_llama.yaml", "extends: /dev/zero"))).code == "too-large"
    )
    (tmp_path / "loop.yaml").symlink_to("loop.yaml")
    assert (
        one_error(tmp_path, changed(("extends: mxspec:base/tiny_llama.yaml", "extends: loop.yaml"))).code
        == "unreadable"
    )


def test_shipped_names_stay_in_the_shipped_folder(tmp_path: Path) -> None:
    outside = changed(("extends: mxspec:base/tiny_llama.yaml", "extends: mxspec:../README.md"))
    assert one_error(tmp_path, outside).code == "no-file"


def test_names_carry_no_control_characters(tmp_path: Path) -> None:
    found = one_error(tmp_path, changed(("name: small", 'name: "\\e[31mred"')))
    assert found.code == "value" and "\x1b" not in found.message
