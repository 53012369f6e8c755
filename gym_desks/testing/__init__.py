"""Suites that third parties run on what they make."""

from gym_desks.testing.contract import Check
from gym_desks.testing.sandbox import assert_sandbox, check_sandbox

__all__ = ["Check", "assert_sandbox", "check_sandbox"]
