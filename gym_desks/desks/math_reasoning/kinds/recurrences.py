"""Recurrences: a number that follows from the two before it. The shortcut stops a term early."""

from __future__ import annotations

from dataclasses import dataclass, replace

from gym_desks.desks.math_reasoning.kinds.base import Kind, Scene, Telling
from gym_desks.desks.math_reasoning.phrasing import Phrases


@dataclass(frozen=True, slots=True)
class Growth:
    """`next = p * last + q * before + c`, and `extra` more at multiples of `k` (0: never)."""

    who: str
    first: int
    second: int
    p: int
    q: int
    c: int
    k: int
    extra: int
    day: int


class Recurrences(Kind[Growth]):
    """A sequence with two predecessors. A new term is a step."""

    name = "recurrences"

    def draw(self, scene: Scene) -> Growth:
        draws = scene.draws
        first = draws.between(11, 99)
        return Growth(
            who=scene.cast[0],
            first=first,
            second=first + draws.between(1, 60),
            p=draws.between(2, 3),
            q=draws.between(2, 4),
            c=draws.between(3, 40) * draws.choice((-1, 1)),
            k=0 if scene.level == 1 else draws.between(3, 5),
            extra=draws.between(11, 99),
            day=2 + scene.steps(),
        )

    def steps(self, world: Growth) -> int:
        return world.day - 2

    def truth(self, world: Growth) -> int:
        """Go through the days."""
        before, last = world.first, world.second
        for day in range(3, world.day + 1):
            new = world.p * last + world.q * before + world.c
            if world.k and day % world.k == 0:
                new += world.extra
            before, last = last, new
        return last

    def shortcut(self, world: Growth) -> int:
        return self.truth(replace(world, day=world.day - 1))

    def tell(self, world: Growth, phrases: Phrases) -> Telling:
        sign = "plus" if world.c > 0 else "minus"
        rule = phrases.say("rule", p=world.p, q=world.q, sign=sign, c=abs(world.c))
        extra = (phrases.say("extra", k=world.k, extra=world.extra),) if world.k else ()
        opening = phrases.say("opening", who=world.who, first=world.first, second=world.second)
        return Telling(
            opening=(opening,),
            facts=(rule, *extra),
            question=phrases.say("question", who=world.who, day=world.day),
        )
