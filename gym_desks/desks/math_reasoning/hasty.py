"""The usual shortcut of each kind, as a simpler problem that a hasty reader solves instead."""

from __future__ import annotations

from dataclasses import replace
from functools import singledispatch

from gym_desks.desks.math_reasoning import reading
from gym_desks.desks.math_reasoning.reading import Problem


@singledispatch
def simplified(problem: Problem) -> Problem:
    """Return the problem as one sees it who takes the shortcut."""
    raise TypeError(f"no shortcut for {problem!r}")


@simplified.register
def _overlook_the_last_rule(problem: reading.Codes) -> Problem:
    return replace(problem, rules=problem.rules[:-1])


@simplified.register
def _work_one_after_another(problem: reading.Plan) -> Problem:
    people = list(problem.parts)
    before = [(), *((who,) for who in people[:-1])]
    minutes = [minutes for minutes, _ in problem.parts.values()]
    return reading.Plan(dict(zip(people, zip(minutes, before, strict=True), strict=True)))


@simplified.register
def _play_on_after_the_end(problem: reading.Bags) -> Problem:
    return reading.Bags(tuple((*bag[:3], False) for bag in problem.bags))


@simplified.register
def _stop_a_term_early(problem: reading.Sequence) -> Problem:
    return replace(problem, asked=problem.asked - 1)


@simplified.register
def _name_the_knaves(problem: reading.Island) -> Problem:
    return replace(problem, asked="knaves")


@simplified.register
def _turn_only_forward(problem: reading.Dial) -> Problem:
    return replace(
        problem, turns=tuple((w.replace("back", "forward"), n) for w, n in problem.turns)
    )


@simplified.register
def _take_few_roads(problem: reading.Roads) -> Problem:
    """Charge a toll on every road that no detour is worth."""
    return replace(problem, toll=10**6)


@simplified.register
def _take_the_oldest_card(problem: reading.Cards) -> Problem:
    return replace(problem, pile_gives="oldest")
