"""Wrappers around desks. Each takes JSON arguments and can be made again from a spec."""

from gym_desks.wrappers.plain_text import PlainText
from gym_desks.wrappers.step_limit import StepLimit

__all__ = ["PlainText", "StepLimit"]
