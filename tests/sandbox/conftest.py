"""One box per backend for all threats, and the proof after each that it did no harm."""

from __future__ import annotations

import pytest

THREATS = ("egress", "files", "process", "memory", "secrets", "host")
pytest.register_assert_rewrite("sandbox.arena", *(f"sandbox.threats_{kind}" for kind in THREATS))

from sandbox.arena import Arena  # noqa: E402

from gym_desks.errors import SandboxError  # noqa: E402
from gym_desks.sandbox import select_backend  # noqa: E402


@pytest.fixture(scope="session")
def backend(backend_name):
    """A backend that is there: docker and bwrap in turn."""
    return select_backend(backend_name)


@pytest.fixture(scope="session")
def lasting_arena(backend_name):
    """The one box of a backend that its threats share."""
    arena = Arena(backend_name)
    yield arena
    arena.close()


@pytest.fixture
def arena(lasting_arena):
    """An arena at peace before, and again after: runner alive, nobody else, no files."""
    lasting_arena.box.reset({})
    try:
        yield lasting_arena
        lasting_arena.assert_alive_and_alone()
        lasting_arena.assert_resets()
    except (SandboxError, AssertionError):
        lasting_arena.renew()
        raise
