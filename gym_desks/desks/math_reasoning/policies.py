"""Scripted agents of this desk. They see what an agent sees: they read the brief."""

from __future__ import annotations

from collections.abc import Generator

from gym_desks.core.action import Action, submit
from gym_desks.desks.math_reasoning import hasty, reading, solving

Turns = Generator[Action | str, str, None]


def oracle(opening: str) -> Turns:
    """Read the problem and solve it."""
    yield submit(solving.solved(reading.problem_in(opening)))


def missed(opening: str) -> Turns:
    """Read the problem and take its kind's usual shortcut."""
    yield submit(solving.solved(hasty.simplified(reading.problem_in(opening))))
