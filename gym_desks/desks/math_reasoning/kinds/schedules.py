"""Schedules: when the last of several parts is done. The shortcut adds up all durations."""

from __future__ import annotations

from dataclasses import dataclass

from gym_desks.desks.math_reasoning.kinds.base import Kind, Scene, Telling
from gym_desks.desks.math_reasoning.phrasing import Phrases, enumerated


@dataclass(frozen=True, slots=True)
class Part:
    """One person's part, and after whose parts it begins."""

    who: str
    minutes: int
    after: tuple[str, ...]


class Schedules(Kind[tuple[Part, ...]]):
    """Parts that wait for each other. A part is a step."""

    name = "schedules"

    def draw(self, scene: Scene) -> tuple[Part, ...]:
        draws = scene.draws
        people = scene.cast[: max(3, scene.steps())]
        parts = []
        for place, who in enumerate(people):
            earlier = people[max(0, place - 4) : place]
            waits = draws.sample(earlier, draws.between(0, min(2, len(earlier))))
            parts.append(Part(who, draws.between(35, 395), tuple(waits)))
        return tuple(draws.shuffled(parts))

    def steps(self, world: tuple[Part, ...]) -> int:
        return len(world)

    def truth(self, world: tuple[Part, ...]) -> int:
        """Settle the end of each part as soon as those before it are settled."""
        ends: dict[str, int] = {}
        while len(ends) < len(world):
            for part in world:
                if all(who in ends for who in part.after):
                    ends[part.who] = part.minutes + max((ends[w] for w in part.after), default=0)
        return max(ends.values())

    def shortcut(self, world: tuple[Part, ...]) -> int:
        return sum(part.minutes for part in world)

    def tell(self, world: tuple[Part, ...], phrases: Phrases) -> Telling:
        return Telling(
            opening=(phrases.say("opening", n=len(world)), phrases.say("manner")),
            facts=tuple(_told(part, phrases) for part in world),
            question=phrases.say("question"),
        )


def _told(part: Part, phrases: Phrases) -> str:
    if not part.after:
        return phrases.say("free", who=part.who, minutes=part.minutes)
    those = enumerated(part.after)
    return phrases.say("after", who=part.who, minutes=part.minutes, those=those)
