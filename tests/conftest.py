"""What tests share: which sandboxes are there, and which must be.

`GYM_DESKS_REQUIRE` is a comma list of parts (docker, bwrap) whose absence is a failure
instead of a skip. `GYM_DESKS_TEST_CORPORA` names a folder of real papers.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

from gym_desks.errors import SandboxUnavailable
from gym_desks.sandbox import select_backend

# Where others depend on the outcome, properties are tried on the same examples every time.
settings.register_profile("explore", deadline=None)
settings.register_profile("repeat", deadline=None, derandomize=True)
settings.load_profile("repeat" if os.environ.get("CI") else "explore")

REQUIRED = frozenset(filter(None, os.environ.get("GYM_DESKS_REQUIRE", "").split(",")))


def needed_backend(name: str) -> str:
    """Return the name, or skip where the backend is neither there nor required."""
    try:
        select_backend(name)
    except SandboxUnavailable as reason:
        if name in REQUIRED or (name == "auto" and REQUIRED):
            raise
        pytest.skip(str(reason))
    return name


@pytest.fixture(params=["docker", "bwrap"], scope="session")
def backend_name(request):
    return needed_backend(request.param)


@pytest.fixture(scope="session")
def docker_engine():
    return needed_backend("docker")


@pytest.fixture(scope="session")
def best_sandbox():
    return needed_backend("auto")


@pytest.fixture(scope="session")
def corpora() -> Path:
    """The folder of real papers."""
    folder = os.environ.get("GYM_DESKS_TEST_CORPORA")
    if not folder:
        pytest.skip("GYM_DESKS_TEST_CORPORA is not set")
    return Path(folder)
