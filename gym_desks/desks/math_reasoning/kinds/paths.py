"""Shortest path: the quickest trip over roads. The shortcut takes as few roads as possible."""

from __future__ import annotations

import heapq
from collections.abc import Callable
from dataclasses import dataclass

from gym_desks.core.seeding import Draws
from gym_desks.desks.math_reasoning.kinds.base import Kind, Scene, Telling
from gym_desks.desks.math_reasoning.phrasing import Phrases

Cost = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Road:
    """A road for both directions."""

    a: str
    b: str
    minutes: int


@dataclass(frozen=True, slots=True)
class Country:
    """Houses, roads, and the trip that is asked for."""

    houses: tuple[str, ...]
    roads: tuple[Road, ...]
    start: str
    goal: str


class Paths(Kind[Country]):
    """A weighted graph in words. A house other than the start is a step."""

    name = "paths"

    def draw(self, scene: Scene) -> Country:
        draws = scene.draws
        houses = tuple(scene.cast[: 1 + max(3, scene.steps())])
        pairs = _joined(draws, len(houses))
        roads = []
        for near, far in pairs:
            a, b = draws.shuffled((houses[near], houses[far]))
            roads.append(Road(a, b, _minutes(draws, far - near)))
        return Country(houses, tuple(draws.shuffled(roads)), houses[0], houses[-1])

    def steps(self, world: Country) -> int:
        return len(world.houses) - 1

    def truth(self, world: Country) -> int:
        return _cheapest(world, lambda road: (road.minutes, 1))[0]

    def shortcut(self, world: Country) -> int:
        return _cheapest(world, lambda road: (1, road.minutes))[1]

    def tell(self, world: Country, phrases: Phrases) -> Telling:
        return Telling(
            opening=(phrases.say("opening", n=len(world.houses)), phrases.say("manner")),
            facts=tuple(
                phrases.say("road", a=road.a, b=road.b, minutes=road.minutes)
                for road in world.roads
            ),
            question=phrases.say("question", a=world.start, b=world.goal),
        )


def _joined(draws: Draws, houses: int) -> list[tuple[int, int]]:
    """Join each house to two that stand shortly before it in a row."""
    pairs = [(0, 1)]
    for house in range(2, houses):
        near = draws.between(house - 2, house - 1)
        others = [place for place in range(max(0, house - 4), house) if place != near]
        pairs += [(near, house), (draws.choice(others), house)]
    return pairs


def _minutes(draws: Draws, span: int) -> int:
    """Draw the time of a road; one that spans more houses of the row is slow for its length."""
    return span * draws.between(31, 149) + (span - 1) * 50


def _cheapest(world: Country, cost: Callable[[Road], Cost]) -> Cost:
    """Settle houses in the order of their cost, the cheapest next."""
    queue: list[tuple[Cost, str]] = [((0, 0), world.start)]
    settled: dict[str, Cost] = {}
    while queue:
        so_far, house = heapq.heappop(queue)
        if house in settled:
            continue
        settled[house] = so_far
        for road in world.roads:
            if house in (road.a, road.b):
                more = cost(road)
                beyond = road.b if house == road.a else road.a
                heapq.heappush(queue, ((so_far[0] + more[0], so_far[1] + more[1]), beyond))
    return settled[world.goal]
