"""`python -m bench [NAME...]`: runs the measurements (all, where none is named); writes nothing.

Every other module of this package whose name does not begin with `_` and that has a
`main()` is one measurement. A measurement prints its table with `bench.table.print_table`.
"""

from __future__ import annotations

import pkgutil
import platform
import sys
from importlib import import_module
from os import cpu_count

import bench

FRAME = ("table",)


def names() -> list[str]:
    """The measurements, by name."""
    found = [module.name for module in pkgutil.iter_modules(bench.__path__)]
    return [name for name in found if not name.startswith("_") and name not in FRAME]


def main(wanted: list[str]) -> int:
    """Runs them one after the other, so that they do not share the cores.

    Returns:
        0, or 2 where a name is unknown.
    """
    unknown = sorted(set(wanted) - set(names()))
    if unknown:
        print(f"no such measurement: {', '.join(unknown)}; there are: {', '.join(names())}", file=sys.stderr)
        return 2
    print(f"{platform.machine()}, {cpu_count()} cores, Python {platform.python_version()}")
    for name in wanted or names():
        import_module(f"bench.{name}").main()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
