"""The conformance suite of sandboxes: run it on a backend of your own.

    assert_sandbox(lambda: MySandbox(...))

The factory returns an open sandbox. One box serves all checks as long as it lives, reset
before each; the suite closes what it opened.
"""

from __future__ import annotations

from collections.abc import Callable

from gym_desks.core.workspace import Sandbox
from gym_desks.testing import sandbox_calls, sandbox_isolation, sandbox_workspace
from gym_desks.testing.contract import PROMISES, Check, Promise

Factory = Callable[[], Sandbox]

SUITES = (sandbox_workspace, sandbox_calls, sandbox_isolation)


def check_sandbox(factory: Factory) -> list[Check]:
    """Return how every promise of the contract fared. A broken one raises nothing."""
    bench = _Bench(factory)
    try:
        return [bench.tried(name, kept) for name, kept in PROMISES.items()]
    finally:
        bench.put_away()


def assert_sandbox(factory: Factory) -> None:
    """Raise AssertionError that lists the promises that were broken."""
    broken = [check for check in check_sandbox(factory) if not check.passed]
    if broken:
        listing = "".join(f"\n- {check.name}: {check.detail}" for check in broken)
        raise AssertionError(f"{len(broken)} of {len(PROMISES)} checks failed:{listing}")


class _Bench:
    """The box under test, and another one when it is lost."""

    def __init__(self, factory: Factory) -> None:
        self._factory = factory
        self._box: Sandbox | None = None

    def tried(self, name: str, kept: Promise) -> Check:
        try:
            if self._box is None:
                self._box = self._factory()
            self._box.reset({})
            kept(self._box)
        except AssertionError as error:
            return Check(name, passed=False, detail=str(error))
        except Exception as error:  # noqa: BLE001 - what is tested may raise anything
            self.put_away()
            return Check(name, passed=False, detail=f"{type(error).__name__}: {error}")
        return Check(name, passed=True)

    def put_away(self) -> None:
        box, self._box = self._box, None
        if box is not None:
            box.close()
