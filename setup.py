"""Packages, and `specs/` shipped inside `mxspec`; everything else is in pyproject.toml."""

from pathlib import Path

from setuptools import find_packages, setup

PACKAGES = ("mxspec", "runners", "analysis")
DATA = ("py.typed", "**/*.html", "**/*.css", "**/*.js", "**/*.sql")

shipped = {
    ".".join(("mxspec", *folder.parts)): folder.as_posix()
    for folder in sorted({path.parent for path in Path("specs").rglob("*") if path.is_file()})
    if "__pycache__" not in folder.parts
}

setup(
    packages=[*find_packages(include=[p for name in PACKAGES for p in (name, f"{name}.*")]), *shipped],
    package_dir=shipped,
    package_data={**{name: ["*"] for name in shipped}, **{name: list(DATA) for name in PACKAGES}},
)
