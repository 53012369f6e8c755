"""Stack and queue traces: what is noted when cards move. The shortcut takes the pile for a line."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from gym_desks.core.seeding import Draws
from gym_desks.desks.math_reasoning.kinds.base import Kind, Scene, Telling
from gym_desks.desks.math_reasoning.phrasing import Phrases

Handling = Literal["put_pile", "put_line", "take_pile", "take_line", "move"]


@dataclass(frozen=True, slots=True)
class Handle:
    """One handling of a card; `card` counts only where one is put."""

    who: str
    name: Handling
    card: int


@dataclass(frozen=True, slots=True)
class Cards:
    """Two people, and what they do in order."""

    people: tuple[str, str]
    handles: tuple[Handle, ...]


class Stacks(Kind[Cards]):
    """A pile and a line. A card that is taken or moved is a step."""

    name = "stacks"

    def draw(self, scene: Scene) -> Cards:
        draws = scene.draws
        people = (scene.cast[0], scene.cast[1])
        steps = scene.steps()
        pile = line = taken = 0
        handles = []
        while taken < steps:
            name = _next(draws, pile, line)
            handles.append(Handle(draws.choice(people), name, draws.between(101, 899)))
            pile += {"put_pile": 1, "take_pile": -1, "move": -1}.get(name, 0)
            line += {"put_line": 1, "take_line": -1, "move": 1}.get(name, 0)
            taken += not name.startswith("put")
        return Cards(people, tuple(handles))

    def steps(self, world: Cards) -> int:
        return sum(not handle.name.startswith("put") for handle in world.handles)

    def truth(self, world: Cards) -> int:
        return _noted(world, deque.pop)

    def shortcut(self, world: Cards) -> int:
        return _noted(world, deque.popleft)

    def tell(self, world: Cards, phrases: Phrases) -> Telling:
        who, other = world.people
        return Telling(
            opening=(phrases.say("opening", who=who, other=other), phrases.say("manner")),
            facts=tuple(phrases.say(h.name, who=h.who, v=h.card) for h in world.handles),
            question=phrases.say("question"),
        )


def _next(draws: Draws, pile: int, line: int) -> Handling:
    """Draw a handling that is possible, with more putting while there is little."""
    possible: list[Handling] = ["put_pile", "put_line"]
    if pile < 2:
        possible += ["put_pile"] * 3
    if pile:
        possible += ["take_pile"] * pile
        possible.append("move")
    if line:
        possible.append("take_line")
    return draws.choice(possible)


def _noted(world: Cards, leave_pile: Callable[[deque[int]], int]) -> int:
    """Go through the handlings and add up what is taken."""
    pile, line = deque[int](), deque[int]()
    total = 0
    for handle in world.handles:
        match handle.name:
            case "put_pile":
                pile.append(handle.card)
            case "put_line":
                line.append(handle.card)
            case "take_pile":
                total += leave_pile(pile)
            case "take_line":
                total += line.popleft()
            case "move":
                line.append(leave_pile(pile))
    return total
