"""Clock arithmetic: a pointer on a dial. The shortcut takes turns back for turns forward."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from gym_desks.core.seeding import Draws
from gym_desks.desks.math_reasoning.kinds.base import Kind, Scene, Telling
from gym_desks.desks.math_reasoning.phrasing import Phrases

Turning = Literal["forward", "back", "repeat", "double"]
_TURNS: tuple[Turning, ...] = ("forward", "back", "back", "repeat", "double")


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn by `marks`, `times` over; a `double` goes by the number that is shown."""

    who: str
    name: Turning
    marks: int
    times: int


@dataclass(frozen=True, slots=True)
class Dial:
    """A dial of `size` marks, and the turns of its pointer from `start`."""

    size: int
    start: int
    turns: tuple[Turn, ...]


class Clock(Kind[Dial]):
    """Turns modulo the size of a dial. A turn is a step."""

    name = "clock"

    def draw(self, scene: Scene) -> Dial:
        draws = scene.draws
        size = draws.between(400, 997)
        turns = [_turn(draws, who, size) for who in scene.cast[: scene.steps()]]
        return Dial(size, draws.below(size), tuple(turns))

    def steps(self, world: Dial) -> int:
        return len(world.turns)

    def truth(self, world: Dial) -> int:
        """Compose all turns into one affine map of the start, and wrap once."""
        factor, shift = 1, 0
        for turn in world.turns:
            match turn.name:
                case "double":
                    factor, shift = 2 * factor, 2 * shift
                case "back":
                    shift -= turn.marks
                case _:
                    shift += turn.marks * turn.times
        return (factor * world.start + shift) % world.size

    def shortcut(self, world: Dial) -> int:
        ahead = [replace(t, name="forward") if t.name == "back" else t for t in world.turns]
        return self.truth(replace(world, turns=tuple(ahead)))

    def tell(self, world: Dial, phrases: Phrases) -> Telling:
        last = world.size - 1
        opening = phrases.say("opening", m=world.size, last=last, start=world.start)
        return Telling(
            opening=(opening, phrases.say("manner", last=last)),
            facts=tuple(
                phrases.say(turn.name, who=turn.who, a=turn.marks, k=turn.times)
                for turn in world.turns
            ),
            question=phrases.say("question"),
        )


def _turn(draws: Draws, who: str, size: int) -> Turn:
    name = draws.choice(_TURNS)
    times = draws.between(3, 9) if name == "repeat" else 1
    return Turn(who, name, draws.between(21, size - 21), times)
