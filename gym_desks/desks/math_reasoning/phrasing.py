"""How an instance is worded: a choice among the phrasings of its split, sentence by sentence.

`phrasings.json` holds for each split and kind some wordings of each kind of sentence. No
wording stands in both splits.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from gym_desks.core.seeding import Draws
from gym_desks.kit.names import Split

Wordings = Mapping[str, Sequence[str]]


@cache
def phrasings(split: Split) -> Mapping[str, Any]:
    """Return all wordings of one split."""
    text = files(__package__).joinpath("phrasings.json").read_text("utf-8")
    return dict(json.loads(text)[split])


@dataclass(frozen=True, slots=True)
class Phrases:
    """The wordings of one kind, and the stream that chooses among them."""

    wordings: Wordings
    draws: Draws

    def say(self, sentence: str, **parts: object) -> str:
        """Return one wording of a sentence with its parts filled in."""
        return self.draws.choice(self.wordings[sentence]).format(**parts)


def enumerated(names: Sequence[str]) -> str:
    """Return names as English lists them: `Ada, Bela and Cora`."""
    *front, last = names
    return f"{', '.join(front)} and {last}" if front else last
