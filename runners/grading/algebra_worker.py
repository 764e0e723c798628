"""The process that does algebra: reads pairs as JSON lines, answers whether they are the same.

It is started with a memory limit and killed from outside at a deadline: no input that a model
writes may hold up its host, and sympy has no bounds of its own.
"""

from __future__ import annotations

import ctypes
import json
import logging
import random
import resource
import signal
import sys
from collections.abc import Iterator
from typing import Any

PR_SET_PDEATHSIG = 1
MEMORY = 3 * 1024**3
TRIALS = 4
DIGITS = 40
CLOSE = 25
"""Digits that two numbers share where they are the same; an algebraic identity shares all of them."""


def main() -> None:
    """Answers until standard input ends."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    _end_with_the_host()
    logging.disable(logging.CRITICAL)
    compare("1", "1")  # imports and builds what the first pair would pay for
    print(json.dumps({"ready": True}), flush=True)
    for line in sys.stdin:
        gold, given = json.loads(line)
        try:
            found: dict[str, Any] = {"same": compare(gold, given)}
        except RecursionError:
            found = {"error": "nested too deeply"}
        except MemoryError:
            found = {"error": "out of memory"}
        except Exception as error:  # whatever sympy raises on what a model wrote is a verdict
            found = {"error": f"{type(error).__name__}: {error}"[:200]}
        print(json.dumps(found), flush=True)


def _end_with_the_host() -> None:
    """Has the kernel kill this process when its parent dies, however busy it is (Linux)."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def compare(gold: str, given: str) -> bool | None:
    """Whether two formulas are the same; None where one of them cannot be read."""
    import sympy
    from math_verify import verify

    one, other = _read(gold), _read(given)
    if one is None or other is None:
        return None
    one, other = _as_sets(one, other)
    if isinstance(one, sympy.Eq) and isinstance(other, sympy.Eq):
        return _proportional(one.lhs - one.rhs, other.lhs - other.rhs)
    if isinstance(one, sympy.Expr) and isinstance(other, sympy.Expr):
        found = _identical(one, other)
        if found is not None:
            return found
    return bool(verify([one], [other], float_rounding=15, timeout_seconds=None, strict=True))


def _as_sets(one: Any, other: Any) -> tuple[Any, Any]:
    """A relation beside a set as the set of what fulfils it."""
    import sympy
    from sympy.core.function import AppliedUndef
    from sympy.logic.boolalg import Boolean

    def plain(side: Any) -> bool:
        """Whether a side bounds one variable."""
        bounds = isinstance(side, Boolean) and not isinstance(side, sympy.Eq) and len(side.free_symbols) == 1
        return bounds and not side.has(AppliedUndef)

    if isinstance(one, sympy.Set) and plain(other):
        return one, other.as_set()
    if isinstance(other, sympy.Set) and plain(one):
        return one.as_set(), other
    return one, other


def _read(text: str) -> Any | None:
    import sympy
    from math_verify import LatexExtractionConfig, parse

    found = parse(rf"\boxed{{{text}}}", [LatexExtractionConfig(boxed_match_priority=0)], parsing_timeout=None)
    formula = next((one for one in found if not isinstance(one, str)), None)
    return _exact(formula) if isinstance(formula, sympy.Expr) else formula


def _exact(formula: Any) -> Any:
    """A formula whose decimals are the fractions that they stand for, and whose `i` and `e` are the numbers."""
    import sympy

    formula = formula.replace(lambda one: isinstance(one, sympy.Float), lambda one: sympy.Rational(str(one)))
    constants = {"i": sympy.I, "e": sympy.E}
    return formula.subs({one: constants[one.name] for one in formula.free_symbols if one.name in constants})


def _sides(one: Any, other: Any) -> Iterator[tuple[Any, Any]]:
    """The values of two formulas at some points; symbols of one name have one value."""
    import sympy

    rng = random.Random(20_260)
    names = sorted({symbol.name for side in (one, other) for symbol in side.free_symbols})
    signed = any(side.has(sympy.Abs) for side in (one, other))  # else roots and logarithms have their domain
    for trial in range(TRIALS if names else 1):
        sign = -1 if signed and trial % 2 else 1
        at = {name: sign * sympy.Rational(rng.randint(300, 2900), 1000) for name in names}
        left, right = (
            side.subs({symbol: at[symbol.name] for symbol in side.free_symbols}).evalf(DIGITS) for side in (one, other)
        )
        yield left, right


def _is_number(value: Any) -> bool:
    return bool(value.is_number) and value.is_finite is True


def _near(one: Any, other: Any) -> bool:
    """Whether two numbers share so many digits that they are one."""
    scale = max(abs(one), abs(other))
    return bool(abs(one - other) <= scale * 10 ** (-CLOSE))


def _identical(one: Any, other: Any) -> bool | None:
    """Whether two expressions agree to many digits wherever they are tried; None where that cannot be told."""
    tried = 0
    for left, right in _sides(one, other):
        if not (_is_number(left) and _is_number(right)):
            continue
        if not _near(left, right):
            return False
        tried += 1
    return True if tried else None


def _proportional(one: Any, other: Any) -> bool | None:
    """Whether two equations have the same solutions: one side is a multiple of the other's."""
    ratios = []
    for left, right in _sides(one, other):
        if not (_is_number(left) and _is_number(right)) or right == 0:
            return None
        ratios.append(left / right)
    return all(_near(ratio, ratios[0]) for ratio in ratios)


if __name__ == "__main__":
    main()
