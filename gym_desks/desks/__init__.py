"""The registry: one line a desk. No desk is imported before it is used."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any

from gym_desks.core.desk import Desk, DeskSpec
from gym_desks.errors import ConfigurationError

DESKS = (
    DeskSpec("deshuffle", "gym_desks.desks.deshuffle:DeshuffleDesk"),
    DeskSpec(
        "math-reasoning",
        "gym_desks.desks.math_reasoning:MathReasoningDesk",
        levels=(1, 2, 3),
        default_level=2,
    ),
)


@cache
def load_desk(entry_point: str) -> Desk[Any, Any]:
    """Return the desk at `"module:Class"`. Raises ConfigurationError where there is none."""
    module_name, _, class_name = str(entry_point).partition(":")
    try:
        found = getattr(import_module(module_name), class_name)
    except (ImportError, AttributeError, ValueError) as error:
        raise ConfigurationError(f"no desk at {entry_point!r}: {error}") from error
    if not (isinstance(found, type) and issubclass(found, Desk)):
        raise ConfigurationError(f"{entry_point!r} is not a Desk class")
    return found()
