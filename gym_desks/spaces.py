"""Text spaces over all of Unicode, and how vector environments share them.

`UnicodeText` is a `gymnasium.spaces.Text` whose character set is virtual: nothing of its
1.1 million characters is ever built, stored or pickled. The functions that put it into
shared memory are registered in this very module, so that a worker process which knows
the space knows them too; without them `AsyncVectorEnv` would hand out a constant text.
"""

from __future__ import annotations

import json
import multiprocessing
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

import numpy as np
from gymnasium.spaces import Text
from gymnasium.vector.utils.shared_memory import (
    create_shared_memory,
    read_from_shared_memory,
    write_to_shared_memory,
)
from numpy.typing import NDArray

from gym_desks.core.action import MAX_ACTION, Action
from gym_desks.core.episode import MAX_OBSERVATION

_CODE_POINTS = 0x110000
_PRINTABLE = "".join(map(chr, range(0x20, 0x7F)))
_LONGEST_SAMPLE = 256
_HEADER = 8
_UTF8_WIDTH = 4


class _Characters(AbstractSet[str], Sequence[str]):
    """All characters, as a set and as a list indexed by code point."""

    def __len__(self) -> int:
        return _CODE_POINTS

    def __contains__(self, item: object) -> bool:
        return isinstance(item, str) and len(item) == 1

    def __iter__(self) -> Iterator[str]:
        return map(chr, range(_CODE_POINTS))

    def __getitem__(self, index: Any) -> Any:
        return chr(index)


_CHARACTERS = _Characters()


class UnicodeText(Text):
    """Any valid Unicode text of `min_length` to `max_length` characters, both included.

    Lone surrogates are not valid. `sample()` gives printable ASCII of at most 256
    characters; a mask may fix its length.
    """

    def __init__(
        self,
        max_length: int,
        *,
        min_length: int = 0,
        seed: int | np.random.Generator | None = None,
    ) -> None:
        super().__init__(max_length, min_length=min_length, charset=_PRINTABLE, seed=seed)

    def contains(self, x: Any) -> bool:
        """Say whether `x` is a text of this space, at the speed of its encoding."""
        if not isinstance(x, str) or not self.min_length <= len(x) <= self.max_length:
            return False
        return x.isascii() or _encodable(x)

    def sample(
        self,
        mask: tuple[int | None, NDArray[np.int8] | None] | None = None,
        probability: tuple[int | None, NDArray[np.float64] | None] | None = None,
    ) -> str:
        """Return random printable ASCII. Raises ValueError for a mask of characters."""
        length, characters = mask or probability or (None, None)
        if characters is not None:
            raise ValueError("UnicodeText takes a mask of the length only: (length, None)")
        if length is not None and not self.min_length <= length <= self.max_length:
            raise ValueError(f"a mask of length {length} does not fit {self!r}")
        if length is None:
            longest = max(self.min_length, min(self.max_length, _LONGEST_SAMPLE))
            length = int(self.np_random.integers(self.min_length, longest + 1))
        places = self.np_random.integers(len(_PRINTABLE), size=length)
        return "".join(_PRINTABLE[place] for place in places)

    @property
    def character_set(self) -> Any:
        """All characters, as a virtual set."""
        return _CHARACTERS

    @property
    def character_list(self) -> Any:
        """All characters by code point, as a virtual list."""
        return _CHARACTERS

    def character_index(self, char: str) -> np.int32:
        """Return the character's code point."""
        return np.int32(ord(char))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.min_length}, {self.max_length})"

    def __eq__(self, other: object, /) -> bool:
        return (
            type(other) is type(self)
            and isinstance(other, UnicodeText)
            and (self.min_length, self.max_length) == (other.min_length, other.max_length)
        )

    __hash__ = None  # type: ignore[assignment]


class ActionText(UnicodeText):
    """The text of one action. `sample()` is a well-formed call of one of `tools`.

    `tools` maps a tool's name to the JSON types of its arguments. It shapes samples
    only: two action spaces are equal whatever their tools, so that different desks
    fit into one vector environment.
    """

    def __init__(
        self,
        tools: Mapping[str, Mapping[str, str]],
        *,
        max_length: int = MAX_ACTION,
        seed: int | np.random.Generator | None = None,
    ) -> None:
        super().__init__(max_length, seed=seed)
        self.tools = {name: dict(types) for name, types in tools.items()}

    def sample(
        self,
        mask: tuple[int | None, NDArray[np.int8] | None] | None = None,
        probability: tuple[int | None, NDArray[np.float64] | None] | None = None,
    ) -> str:
        """Return the JSON text of a random call. A mask of the length gives random text."""
        if mask is not None or probability is not None:
            return super().sample(mask, probability)
        name = list(self.tools)[int(self.np_random.integers(len(self.tools)))]
        args = {arg: self._value(kind) for arg, kind in self.tools[name].items()}
        return str(Action(name, args))

    def _value(self, kind: str) -> Any:
        if kind.startswith('"'):
            options = kind.rstrip("?").split(" | ")
            return json.loads(options[int(self.np_random.integers(len(options)))])
        word = "".join(chr(97 + int(n)) for n in self.np_random.integers(26, size=8))
        number = int(self.np_random.integers(100))
        values = {"integer": number, "number": number / 4, "boolean": number % 2 == 0}
        empty: dict[str, Any] = {"array": [], "object": {}}
        return (values | empty).get(kind.rstrip("?").split(" or ")[0], word)


def observation_space() -> UnicodeText:
    """Return the observation space that every desk shares."""
    return UnicodeText(MAX_OBSERVATION)


def _encodable(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


class _SharedTexts(Sequence[str]):
    """The texts of all environments, read from shared memory when they are looked at.

    A vector environment reads its shared memory once and copies what it got at every
    step; so the copy of this view is the tuple of the texts that are there now.
    """

    def __init__(self, memory: Any, n: int, slot: int) -> None:
        self._memory = memory
        self._n = n
        self._slot = slot

    def __len__(self) -> int:
        return self._n

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return tuple(self[i] for i in range(*index.indices(self._n)))
        start = range(self._n)[index] * self._slot
        block = memoryview(self._memory.get_obj()).cast("B")
        size = int.from_bytes(block[start : start + _HEADER], "little")
        return bytes(block[start + _HEADER : start + _HEADER + size]).decode("utf-8")

    def __deepcopy__(self, memo: dict[int, Any]) -> tuple[str, ...]:
        return tuple(self)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and tuple(self) == tuple(other)

    def __repr__(self) -> str:
        return repr(tuple(self))


def _slot(space: UnicodeText) -> int:
    return _HEADER + _UTF8_WIDTH * space.max_length


@create_shared_memory.register(UnicodeText)
def _create(space: UnicodeText, n: int = 1, ctx: Any = multiprocessing) -> Any:
    return ctx.Array("B", n * _slot(space))


@read_from_shared_memory.register(UnicodeText)
def _read(space: UnicodeText, shared_memory: Any, n: int = 1) -> Any:
    return _SharedTexts(shared_memory, n, _slot(space))


@write_to_shared_memory.register(UnicodeText)
def _write(space: UnicodeText, index: int, values: str, shared_memory: Any) -> None:
    encoded = values.encode("utf-8")
    if len(values) > space.max_length:
        raise ValueError(f"a text of {len(values)} characters in a space of {space.max_length}")
    start = index * _slot(space)
    block = memoryview(shared_memory.get_obj()).cast("B")
    block[start : start + _HEADER] = len(encoded).to_bytes(_HEADER, "little")
    block[start + _HEADER : start + _HEADER + len(encoded)] = encoded
