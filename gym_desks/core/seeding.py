"""Where randomness comes from: named streams, and draws that no upgrade can move.

A stream's seed is a digest of (seeding version, family, level, split, instance seed,
stream name), so streams are independent of each other and of the order in which they
are opened. `Draws` reads the bit generator's raw 64-bit words, whose sequence NumPy
guarantees, while the methods of `numpy.random.Generator` may change between versions.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

SEEDING_VERSION = 1

T = TypeVar("T")

_WORD = 1 << 64


class Draws:
    """Draws from one stream. Uniform by rejection, with no floating point in choices."""

    def __init__(self, seed: int) -> None:
        self._bits = np.random.PCG64(np.random.SeedSequence(seed))

    def below(self, n: int) -> int:
        """Return an integer in 0 .. n - 1."""
        if not 0 < n <= _WORD:
            raise ValueError(f"below({n}): expected 1 .. 2**64")
        limit = _WORD - _WORD % n
        while True:
            word = int(self._bits.random_raw())
            if word < limit:
                return word % n

    def between(self, low: int, high: int) -> int:
        """Return an integer in low .. high, both included."""
        return low + self.below(high - low + 1)

    def unit(self) -> float:
        """Return a float in [0, 1) with 53 random bits."""
        return (int(self._bits.random_raw()) >> 11) / (1 << 53)

    def choice(self, items: Sequence[T]) -> T:
        """Return one of the items."""
        return items[self.below(len(items))]

    def shuffled(self, items: Sequence[T]) -> list[T]:
        """Return all items in a uniformly random order."""
        return self.sample(items, len(items))

    def sample(self, items: Sequence[T], count: int) -> list[T]:
        """Return `count` distinct items in random order (Fisher and Yates, from the front)."""
        pool = list(items)
        for place in range(count):
            other = self.between(place, len(pool) - 1)
            pool[place], pool[other] = pool[other], pool[place]
        return pool[:count]


@dataclass(frozen=True, slots=True)
class Streams:
    """The named streams of one instance."""

    family: str
    level: int
    split: str
    seed: int | str

    def draws(self, stream: str) -> Draws:
        """Open the stream of that name, from its start."""
        parts = [SEEDING_VERSION, self.family, self.level, self.split, self.seed, stream]
        digest = hashlib.sha256(json.dumps(parts).encode()).digest()
        return Draws(int.from_bytes(digest, "big"))

    def of(self, seed: int | str) -> Streams:
        """Return the same desk's streams under another instance seed."""
        return replace(self, seed=seed)
