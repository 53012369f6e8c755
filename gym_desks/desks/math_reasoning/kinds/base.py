"""What a kind of problem is: a world that is drawn, its truth, and how it is told."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Generic, Literal, TypeVar

from gym_desks.core.seeding import Draws
from gym_desks.desks.math_reasoning.phrasing import Phrases

Form = Literal["integer", "fraction", "knights"]
Answer = int | Fraction | frozenset[str]

STEPS = {1: (2, 4), 2: (5, 9), 3: (10, 13)}
"""How many steps of working an instance takes at each level, both ends included."""

W = TypeVar("W")


@dataclass(frozen=True, slots=True)
class Scene:
    """What a world is drawn from. `what` names the instance for error texts."""

    draws: Draws
    level: int
    cast: Sequence[str]
    what: str

    def steps(self) -> int:
        """Draw a number of steps that fits the level."""
        return self.draws.between(*STEPS[self.level])


@dataclass(frozen=True, slots=True)
class Telling:
    """The sentences of a brief. A sentence that matters to nothing may stand among `facts`."""

    opening: tuple[str, ...]
    facts: tuple[str, ...]
    question: str


class Kind(ABC, Generic[W]):
    """One kind of problem. `W` is its world: facts alone, in the order in which they are told."""

    name: ClassVar[str]
    form: ClassVar[Form] = "integer"

    @abstractmethod
    def draw(self, scene: Scene) -> W:
        """Draw a world."""

    @abstractmethod
    def steps(self, world: W) -> int:
        """Return how many steps of working the world takes."""

    @abstractmethod
    def truth(self, world: W) -> Answer:
        """Return the one right answer."""

    @abstractmethod
    def shortcut(self, world: W) -> Answer:
        """Return the answer of one who takes the kind's usual shortcut."""

    @abstractmethod
    def tell(self, world: W, phrases: Phrases) -> Telling:
        """Put the world into words."""
