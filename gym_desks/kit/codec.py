"""Answers as agents must write them: one reading for every desk.

Each function gets a parsed JSON value and returns what it means, or None where it is not
of the form. Nothing is converted, trimmed or repaired; everything is bounded; nothing
raises. The annotated types beside them say the same to pydantic.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator

MAX_DIGITS = 30
MAX_NAMES = 100
MAX_NAME = 60

_FRACTION = re.compile(
    rf"(-?(?:0|[1-9][0-9]{{0,{MAX_DIGITS - 1}}}))/([1-9][0-9]{{0,{MAX_DIGITS - 1}}})"
)

T = TypeVar("T")


def integer(value: Any) -> int | None:
    """Read a JSON integer of at most `MAX_DIGITS` digits. A boolean is none, nor is 12.0."""
    if type(value) is not int or abs(value) >= 10**MAX_DIGITS:
        return None
    return value


def fraction(value: Any) -> Fraction | None:
    """Read the text `p/q` in lowest terms: ASCII digits, q > 0, a minus sign only before p."""
    found = _FRACTION.fullmatch(value) if type(value) is str else None
    if found is None:
        return None
    top, bottom = int(found.group(1)), int(found.group(2))
    read = Fraction(top, bottom)
    written = (str(read.numerator), str(read.denominator))
    return read if written == found.groups() else None


def names(value: Any) -> frozenset[str] | None:
    """Read a list of distinct names in any order."""
    if type(value) is not list or len(value) > MAX_NAMES:
        return None
    if not all(type(name) is str and 0 < len(name) <= MAX_NAME for name in value):
        return None
    found = frozenset(value)
    return found if len(found) == len(value) else None


def named_set(value: Any, key: str) -> frozenset[str] | None:
    """Read an object whose one key, `key`, holds a list of distinct names."""
    if type(value) is not dict or set(value) != {key}:
        return None
    return names(value[key])


def of_form(read: Callable[[T], object], form: str) -> Callable[[T], T]:
    """Return a validator that lets a value pass as it is where `read` can read it."""

    def check(value: T) -> T:
        if read(value) is None:
            raise ValueError(f"expected {form}")
        return value

    return check


IntegerAnswer = Annotated[
    int, AfterValidator(of_form(integer, f"an integer of at most {MAX_DIGITS} digits"))
]
FractionAnswer = Annotated[
    str, AfterValidator(of_form(fraction, 'a fraction "p/q" in lowest terms, with q > 0'))
]
