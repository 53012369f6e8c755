"""How the contract of a sandbox is written down: one function a promise.

A promise gets an open sandbox and calls `expect`. None of them harms a machine that isolates
nothing: what is attacked, is attacked within bounds.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass

from gym_desks.core.workspace import Completed, Sandbox
from gym_desks.errors import WorkspaceError

Promise = Callable[[Sandbox], None]

PROMISES: dict[str, Promise] = {}


@dataclass(frozen=True, slots=True)
class Check:
    """One promise, and whether it was kept."""

    name: str
    passed: bool
    detail: str = ""


def promise(function: Promise) -> Promise:
    """File a function under the promise that its docstring makes."""
    PROMISES[inspect.getdoc(function) or function.__name__] = function
    return function


def expect(condition: object, found: object) -> None:
    """Raise AssertionError with what was found, where the condition does not hold."""
    if not condition:
        raise AssertionError(f"found {str(found)[:300]}")


def equal(found: object, wanted: object) -> None:
    """Raise AssertionError where two values differ."""
    if found != wanted:
        raise AssertionError(f"found {found!r:.200}, expected {wanted!r:.200}")


def refused(action: Callable[[], object]) -> str:
    """Return the message of the WorkspaceError that an action must raise."""
    try:
        found = action()
    except WorkspaceError as error:
        return str(error)
    raise AssertionError(f"found {found!r:.200}, expected a WorkspaceError")


def well(run: Completed) -> str:
    """Return the output of a command that must end well."""
    expect(run.exit_code == 0 and not run.timed_out, run)
    return run.stdout
