"""Knights and knaves: who tells the truth. The shortcut names the knaves instead.

The set of knights is drawn first, all sets but the empty one alike, and then statements
until they leave no other set: so no set is likelier for being easier to describe.
A set of assignments is an integer with one bit for each of the 2**n assignments.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, reduce

from gym_desks.core.seeding import Draws
from gym_desks.desks.math_reasoning.kinds.base import Kind, Scene, Telling
from gym_desks.desks.math_reasoning.phrasing import Phrases, enumerated
from gym_desks.kit.gates import first_passing

_PEOPLE = {1: (4, 4), 2: (6, 7), 3: (10, 10)}
_SIMPLE = ("knight", "knave", "same", "differ")
_CLAIMS = {1: _SIMPLE, 2: (*_SIMPLE, "both", "either", "if", "count", "odd")}
_NUMBERS = {1: "one knight", 2: "two knights"}

Sets = Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Statement:
    """What one person says about others. `k` counts only in a `count`."""

    who: str
    claim: str
    about: tuple[str, ...]
    k: int


@dataclass(frozen=True, slots=True)
class Island:
    """Its people, and a statement of each."""

    people: tuple[str, ...]
    statements: tuple[Statement, ...]


class Knights(Kind[Island]):
    """Everybody says one thing about others. A statement is a step."""

    name = "knights"
    form = "knights"

    def draw(self, scene: Scene) -> Island:
        draws = scene.draws
        people = tuple(scene.cast[: draws.between(*_PEOPLE[scene.level])])
        pattern = 1 + draws.below(2 ** len(people) - 1)
        island: Island = first_passing(
            lambda: _island(draws, people, pattern, _CLAIMS[min(scene.level, 2)]),
            {"unique": lambda island: len(solutions(island)) == 1},
            f"{scene.what}, knights",
        )
        return island

    def steps(self, world: Island) -> int:
        return len(world.statements)

    def truth(self, world: Island) -> frozenset[str]:
        """Try every assignment; the draw has proved that one is left."""
        (found,) = solutions(world)
        return found

    def shortcut(self, world: Island) -> frozenset[str]:
        return frozenset(world.people) - self.truth(world)

    def tell(self, world: Island, phrases: Phrases) -> Telling:
        people = enumerated(world.people)
        return Telling(
            opening=(
                phrases.say("opening", n=len(world.people), people=people),
                phrases.say("manner"),
            ),
            facts=tuple(_told(statement, phrases) for statement in world.statements),
            question=phrases.say("question"),
        )


def solutions(island: Island) -> list[frozenset[str]]:
    """Return every set of knights under which knights alone say what is true."""
    people = island.people
    knows = _knight_sets(people)
    everything = _everything(people)
    left = everything
    for said in island.statements:
        left &= everything ^ knows[said.who] ^ _claim_set(said, knows, everything)
    assignments = [a for a in range(2 ** len(people)) if left >> a & 1]
    return [frozenset(p for i, p in enumerate(people) if a >> i & 1) for a in assignments]


def _everything(people: Sequence[str]) -> int:
    return (1 << (1 << len(people))) - 1


def _knight_sets(people: Sequence[str]) -> Sets:
    """Return for each person the assignments in which that person is a knight."""
    return dict(zip(people, _columns(len(people)), strict=True))


@cache
def _columns(n: int) -> tuple[int, ...]:
    assignments = range(2**n)
    return tuple(sum(1 << a for a in assignments if a >> place & 1) for place in range(n))


def _claim_set(said: Statement, knows: Sets, everything: int) -> int:
    """Return the assignments in which a claim is true."""
    parts = [knows[name] for name in said.about]
    a, b = parts[0], parts[-1]
    match said.claim:
        case "knight":
            return a
        case "knave":
            return everything ^ a
        case "same":
            return everything ^ a ^ b
        case "differ":
            return a ^ b
        case "both":
            return everything ^ (a | b)
        case "either":
            return a | b
        case "if":
            return everything ^ (a & b)
        case "odd":
            return reduce(int.__xor__, parts)
    return _exactly(said.k, parts, everything)


def _exactly(k: int, parts: Sequence[int], everything: int) -> int:
    """Return the assignments that lie in exactly `k` of the parts."""
    counts = [everything] + [0] * len(parts)
    for part in parts:
        for n in range(len(parts), 0, -1):
            counts[n] = (counts[n] & ~part) | (counts[n - 1] & part)
        counts[0] &= ~part
    return counts[k]


def _island(draws: Draws, people: tuple[str, ...], pattern: int, claims: Sequence[str]) -> Island:
    """Draw a statement of each that is true exactly where the pattern says knight."""
    knows, everything = _knight_sets(people), _everything(people)
    said = []
    for place, who in enumerate(people):
        others = [name for name in people if name != who]
        while True:
            statement = _statement(draws, who, others, claims)
            if _claim_set(statement, knows, everything) >> pattern & 1 == pattern >> place & 1:
                break
        said.append(statement)
    return Island(people, tuple(draws.shuffled(said)))


def _statement(draws: Draws, who: str, others: Sequence[str], claims: Sequence[str]) -> Statement:
    claim = draws.choice(claims)
    width = {"knight": 1, "knave": 1, "count": 3, "odd": 3}.get(claim, 2)
    return Statement(who, claim, tuple(draws.sample(others, width)), draws.between(1, 2))


def _told(said: Statement, phrases: Phrases) -> str:
    parts = dict(zip("abc", said.about, strict=False))
    claim = phrases.say(said.claim, k=_NUMBERS[said.k], **parts)
    return phrases.say("speech", who=said.who, claim=claim)
