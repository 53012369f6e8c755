"""Counting: how many codes obey every rule. The shortcut overlooks the last rule."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from gym_desks.core.seeding import Draws
from gym_desks.desks.math_reasoning.kinds.base import Kind, Scene, Telling
from gym_desks.desks.math_reasoning.phrasing import Phrases, enumerated

RuleName = Literal["neighbours", "place", "most", "follow"]

_LETTERS = "BCDFGHKLMNPRSTVWXZ"
_RULES: tuple[RuleName, ...] = ("neighbours", "place", "place", "most", "follow", "follow")
_SHAPES = {
    1: ((3, 1, 6, 18), (2, 2, 12, 18)),
    2: ((4, 2, 4, 6), (4, 3, 4, 6), (4, 4, 4, 6), (5, 2, 4, 6), (5, 3, 4, 6), (5, 4, 4, 6)),
    3: ((7, 3, 3, 4), (7, 4, 3, 4), (8, 3, 3, 4), (8, 4, 3, 4)),
}
"""For each level: how many letters and rules, and the least and most letters to choose from."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One condition; which of the other fields count depends on its name."""

    name: RuleName
    x: str
    y: str
    place: int
    most: int


@dataclass(frozen=True, slots=True)
class Codes:
    """The codes of `length` letters that obey the rules."""

    owner: str
    length: int
    letters: tuple[str, ...]
    rules: tuple[Rule, ...]


class Counting(Kind[Codes]):
    """Codes of letters under rules. A letter and a rule are a step each."""

    name = "counting"

    def draw(self, scene: Scene) -> Codes:
        draws = scene.draws
        length, rules, least, most = draws.choice(_SHAPES[scene.level])
        letters = sorted(draws.sample(_LETTERS, draws.between(least, most)))
        names = draws.sample(_RULES, rules)
        return Codes(
            owner=scene.cast[0],
            length=length,
            letters=tuple(letters),
            rules=tuple(_rule(draws, name, letters, length) for name in names),
        )

    def steps(self, world: Codes) -> int:
        return world.length + len(world.rules)

    def truth(self, world: Codes) -> int:
        """Extend beginnings letter by letter, counted by last letter and limited letters."""
        limits = {rule.x: rule.most for rule in world.rules if rule.name == "most"}
        beginnings: Counter[tuple[str, tuple[int, ...]]] = Counter({("", (0,) * len(limits)): 1})
        for place in range(1, world.length + 1):
            longer: Counter[tuple[str, tuple[int, ...]]] = Counter()
            for (last, used), count in beginnings.items():
                for letter in world.letters:
                    if _may_follow(world.rules, place, last, letter):
                        now = tuple(n + (x == letter) for n, x in zip(used, limits, strict=True))
                        longer[letter, now] += count
            beginnings = longer
        most = tuple(limits.values())
        return sum(
            count
            for (_, used), count in beginnings.items()
            if all(n <= limit for n, limit in zip(used, most, strict=True))
        )

    def shortcut(self, world: Codes) -> int:
        return self.truth(replace(world, rules=world.rules[:-1]))

    def tell(self, world: Codes, phrases: Phrases) -> Telling:
        opening = phrases.say(
            "opening",
            owner=world.owner,
            length=world.length,
            letters=enumerated(world.letters),
        )
        return Telling(
            opening=(opening, phrases.say("repeat")),
            facts=tuple(
                phrases.say(rule.name, x=rule.x, y=rule.y, place=rule.place, most=rule.most)
                for rule in world.rules
            ),
            question=phrases.say("question"),
        )


def _rule(
    draws: Draws,
    name: RuleName,
    letters: Sequence[str],
    length: int,
) -> Rule:
    x, y = draws.sample(letters, 2)
    most = draws.between(2, max(2, length // 2))
    return Rule(name, x, y, draws.between(1, length), most)


def _may_follow(rules: Sequence[Rule], place: int, last: str, letter: str) -> bool:
    for rule in rules:
        if rule.name == "neighbours" and last == letter:
            return False
        if rule.name == "place" and (rule.place, rule.x) == (place, letter):
            return False
        if rule.name == "follow" and (rule.x, rule.y) == (last, letter):
            return False
    return True
