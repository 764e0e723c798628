"""The second stage of checking: what needs data, packages and models. It runs before any training does."""

from runners.check.check import Checked, check_specs

__all__ = ["Checked", "check_specs"]
