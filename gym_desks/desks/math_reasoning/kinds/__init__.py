"""The eight kinds of problems. Each module holds one: its world, its truth, its telling."""

from __future__ import annotations

from typing import Any

from gym_desks.desks.math_reasoning.kinds.base import STEPS, Answer, Form, Kind, Scene, Telling
from gym_desks.desks.math_reasoning.kinds.clock import Clock
from gym_desks.desks.math_reasoning.kinds.counting import Counting
from gym_desks.desks.math_reasoning.kinds.expected import Expected
from gym_desks.desks.math_reasoning.kinds.knights import Knights
from gym_desks.desks.math_reasoning.kinds.paths import Paths
from gym_desks.desks.math_reasoning.kinds.recurrences import Recurrences
from gym_desks.desks.math_reasoning.kinds.schedules import Schedules
from gym_desks.desks.math_reasoning.kinds.stacks import Stacks

KINDS: tuple[Kind[Any], ...] = (
    Counting(),
    Schedules(),
    Expected(),
    Recurrences(),
    Knights(),
    Clock(),
    Paths(),
    Stacks(),
)

__all__ = ["KINDS", "STEPS", "Answer", "Form", "Kind", "Scene", "Telling"]
