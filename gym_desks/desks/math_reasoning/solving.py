"""How a careful reader solves each kind of problem. The answer is ready to be submitted."""

from __future__ import annotations

import operator
from fractions import Fraction
from functools import singledispatch
from itertools import product
from typing import Any

from gym_desks.desks.math_reasoning import reading
from gym_desks.desks.math_reasoning.reading import Problem

_NEVER = 10**9


@singledispatch
def solved(problem: Problem) -> Any:
    """Return the answer as JSON has it."""
    raise TypeError(f"no solution for {problem!r}")


@solved.register
def _write_all_codes(problem: reading.Codes) -> int:
    """Write codes letter by letter and give up a beginning that breaks a rule."""
    codes = [""]
    for _ in range(problem.length):
        longer = (code + letter for code in codes for letter in problem.letters)
        codes = [code for code in longer if all(_obeys(code, rule) for rule in problem.rules)]
    return len(codes)


def _obeys(code: str, rule: tuple[str, str, int]) -> bool:
    """Judge a beginning that was within the rules before its last letter."""
    word, letters, number = rule
    match word:
        case "neighbours":
            return len(code) < 2 or code[-1] != code[-2]
        case "follow":
            return not code.endswith(letters)
        case "most":
            return code.count(letters) <= number
    return len(code) != number or code[-1] != letters


@solved.register
def _follow_the_longest_chain(problem: reading.Plan) -> int:
    def end(who: str) -> int:
        minutes, after = problem.parts[who]
        return minutes + max(map(end, after), default=0)

    return max(map(end, problem.parts))


@solved.register
def _play_from_the_last_bag(problem: reading.Bags) -> str:
    """The worth of a bag is that of its token and of all bags that are still to come."""
    worth = Fraction(0)
    for tokens, gold, points, ends in reversed(problem.bags):
        lost = 0 if ends else (tokens - gold) * worth
        worth = (gold * (points + worth) + lost) / tokens
    return f"{worth.numerator}/{worth.denominator}"


@solved.register
def _multiply_matrices(problem: reading.Sequence) -> int:
    """Each day is a matrix that acts on (last, before, 1)."""
    p, q, c = problem.factors
    rows = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    for day in range(3, problem.asked + 1):
        extra = problem.extra if problem.multiple and day % problem.multiple == 0 else 0
        step = [[p, q, c + extra], [1, 0, 0], [0, 0, 1]]
        columns = list(zip(*rows, strict=True))
        rows = [[sum(map(operator.mul, row, column)) for column in columns] for row in step]
    last = rows[0] if problem.asked > 1 else [0, 1, 0]
    first, second = problem.start
    return last[0] * second + last[1] * first + last[2]


@solved.register
def _suppose_and_refute(problem: reading.Island) -> dict[str, list[str]]:
    """Suppose person by person, and give up a supposition that a statement refutes."""
    left: list[dict[str, bool]] = [{}]
    for person in problem.people:
        wider = [{**known, person: kind} for known, kind in product(left, (True, False))]
        left = [known for known in wider if not any(_refuted(c, known) for c in problem.claims)]
    (known,) = left
    wanted = problem.asked == "knights"
    return {"knights": [person for person, kind in known.items() if kind is wanted]}


def _refuted(claim: tuple[str, str, tuple[str, ...], int], known: dict[str, bool]) -> bool:
    who, word, others, number = claim
    if who not in known or not all(other in known for other in others):
        return False
    knights = sum(known[other] for other in others)
    holds = {
        "all": knights == len(others),
        "none": knights == 0,
        "same": knights != 1,
        "differ": knights == 1,
        "either": knights > 0,
        "not both": knights < 2,
        "count": knights == number,
        "odd": knights % 2 == 1,
    }[word]
    return holds is not known[who]


@solved.register
def _turn_by_turn(problem: reading.Dial) -> int:
    shown = problem.start
    for word, marks in problem.turns:
        by = {"forward": marks, "back": -marks, "double": shown}[word]
        shown = (shown + by) % problem.size
    return shown


@solved.register
def _by_way_of_every_house(problem: reading.Roads) -> int:
    """Allow one more house on the way at a time (Floyd and Warshall)."""
    houses = sorted({house for a, b, _ in problem.roads for house in (a, b)})
    best = {(a, b): 0 if a == b else _NEVER for a, b in product(houses, houses)}
    for a, b, minutes in problem.roads:
        best[a, b] = best[b, a] = min(best[a, b], minutes + problem.toll)
    for way, a, b in product(houses, houses, houses):
        best[a, b] = min(best[a, b], best[a, way] + best[way, b])
    cost = best[problem.trip]
    return cost % problem.toll if problem.toll else cost


@solved.register
def _label_every_card(problem: reading.Cards) -> int:
    """Remember in which place each card lies and when it came there."""
    lies: dict[int, tuple[str, int]] = {}
    card_of: dict[int, int] = {}
    noted = 0
    for moment, (deed, card) in enumerate(problem.deeds):
        if deed.startswith("put"):
            card_of[moment] = card
            lies[moment] = (deed.split()[1], moment)
            continue
        place = "line" if deed == "take line" else "pile"
        there = {came: label for label, (where, came) in lies.items() if where == place}
        newest = place == "pile" and problem.pile_gives == "newest"
        label = there[max(there) if newest else min(there)]
        if deed == "move":
            lies[label] = ("line", moment)
        else:
            noted += card_of[label]
            del lies[label]
    return noted
