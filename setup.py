"""Packages, and `specs/` shipped inside `mxspec`; everything else is in pyproject.toml."""

from setuptools import find_packages, setup

PACKAGES = ("mxspec", "runners", "analysis")

setup(
    packages=[
        *find_packages(include=[pattern for name in PACKAGES for pattern in (name, f"{name}.*")]),
        "mxspec.specs",
    ],
    package_dir={"mxspec.specs": "specs"},
    package_data={"mxspec.specs": ["**/*"], **{name: ["py.typed", "**/*.html", "**/*.sql"] for name in PACKAGES}},
)
