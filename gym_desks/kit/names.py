"""First names, frozen, in two disjoint halves: one for each split.

A name's half follows from a digest of the name alone, so a longer list moves no name
from one half to the other.
"""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.resources import files
from typing import Literal

Split = Literal["train", "eval"]


@cache
def first_names(split: Split) -> tuple[str, ...]:
    """Return the first names of one split, in alphabetical order."""
    listed = files("gym_desks.kit").joinpath("first_names.txt").read_text("utf-8").split()
    return tuple(name for name in listed if _half(name) == split)


def _half(name: str) -> Split:
    even = hashlib.sha256(name.encode()).digest()[0] % 2 == 0
    return "train" if even else "eval"
