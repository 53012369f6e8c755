"""Expected value: points from bags of tokens, some of which end the game.

The shortcut forgets that the game may have ended before a bag.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import gcd

from gym_desks.desks.math_reasoning.kinds.base import Kind, Scene, Telling
from gym_desks.desks.math_reasoning.phrasing import Phrases


@dataclass(frozen=True, slots=True)
class Bag:
    """A draw: `gold` of `tokens` earn points; any other token may end the game."""

    tokens: int
    gold: int
    points: int
    ends: bool

    @property
    def chance(self) -> Fraction:
        """The probability of a gold token."""
        return Fraction(self.gold, self.tokens)


@dataclass(frozen=True, slots=True)
class Game:
    """Bags in the order in which they are drawn from."""

    who: str
    bags: tuple[Bag, ...]


class Expected(Kind[Game]):
    """Draws one after another. A bag is a step."""

    name = "expected"
    form = "fraction"

    def draw(self, scene: Scene) -> Game:
        draws = scene.draws
        steps = scene.steps()
        surely = draws.below(steps - 1)
        bags = []
        for place in range(steps):
            tokens = draws.between(5, 9)
            gold = draws.choice([g for g in range(2, tokens) if gcd(g, tokens) == 1])
            ends = place == surely or draws.below(2) == 0
            bags.append(Bag(tokens, gold, draws.between(11, 90), ends))
        return Game(scene.cast[0], tuple(bags))

    def steps(self, world: Game) -> int:
        return len(world.bags)

    def truth(self, world: Game) -> Fraction:
        """Carry the probability that the game still runs from bag to bag."""
        running, total = Fraction(1), Fraction(0)
        for bag in world.bags:
            total += running * bag.chance * bag.points
            if bag.ends:
                running *= bag.chance
        return total

    def shortcut(self, world: Game) -> Fraction:
        return sum((bag.chance * bag.points for bag in world.bags), Fraction(0))

    def tell(self, world: Game, phrases: Phrases) -> Telling:
        opening = phrases.say("opening", who=world.who, n=len(world.bags))
        return Telling(
            opening=(opening, phrases.say("manner")),
            facts=tuple(_told(n, bag, phrases) for n, bag in enumerate(world.bags, start=1)),
            question=phrases.say("question", who=world.who),
        )


def _told(number: int, bag: Bag, phrases: Phrases) -> str:
    return phrases.say(
        "bag",
        bag=number,
        tokens=bag.tokens,
        gold=bag.gold,
        points=bag.points,
        otherwise=phrases.say("ends" if bag.ends else "nothing"),
    )
