"""What the tests of this desk share: instances, many of them, each made once."""

from __future__ import annotations

from functools import cache

from gym_desks.core import Streams
from gym_desks.desks import load_desk

DESK = load_desk("gym_desks.desks.math_reasoning:MathReasoningDesk")
LEVELS = (1, 2, 3)
SPLITS = ("train", "eval")


@cache
def made(level, split, seed):
    settings = DESK.settings_type(level=level, split=split)
    return DESK.generate(Streams(DESK.family, level, split, seed), settings)


def many(level, count, split="train"):
    return [made(level, split, seed) for seed in range(count)]


def kind_of(instance):
    return instance.task.facts["kind"]
