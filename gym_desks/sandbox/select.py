"""The choice of a backend: the first that passes a live self-test, or none.

There is no fallback to a plain subprocess: what is not isolated does not run.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Mapping
from typing import Any

from gym_desks.errors import ConfigurationError, SandboxError, SandboxUnavailable
from gym_desks.sandbox.backends import Backend
from gym_desks.sandbox.backends.bwrap import BwrapBackend
from gym_desks.sandbox.backends.docker import DockerBackend
from gym_desks.sandbox.options import SandboxOptions, checked_options
from gym_desks.sandbox.selftest import self_test

BACKENDS: dict[str, type[Backend]] = {"docker": DockerBackend, "bwrap": BwrapBackend}


def backend_named(name: str, options: SandboxOptions | None = None) -> Backend:
    """Return a backend by its name, without a test. Raises ConfigurationError."""
    if name == "subprocess":
        raise ConfigurationError(
            "sandbox 'subprocess': a plain subprocess isolates nothing from the code of an "
            f"agent, so it is not offered; expected auto, {', '.join(BACKENDS)}"
        )
    if name not in BACKENDS:
        raise ConfigurationError(f"sandbox {name!r}: expected auto, {', '.join(BACKENDS)}")
    return BACKENDS[name](options or SandboxOptions())


def select_backend(
    choice: str = "auto", options: SandboxOptions | Mapping[str, Any] | None = None
) -> Backend:
    """Return the backend of this name, or for "auto" the first that passes its self-test.

    The verdict holds for this process. Raises SandboxUnavailable with the reason for each
    backend that was tried.
    """
    checked = checked_options(options)
    names = tuple(BACKENDS) if choice == "auto" else (backend_named(choice, checked).name,)
    reasons: dict[str, str] = {}
    for name in names:
        reason = _verdict(name, checked, os.getpid())
        if reason is None:
            backend = backend_named(name, checked)
            backend.passed_over = reasons
            return backend
        reasons[name] = reason
    listing = "".join(f"\n- {name}: {reason}" for name, reason in reasons.items())
    raise SandboxUnavailable(f"no sandbox can be used here, so no code runs:{listing}")


@functools.cache
def _verdict(name: str, options: SandboxOptions, process: int) -> str | None:
    """Return why a backend cannot be trusted in this process, or None."""
    backend = backend_named(name, options)
    try:
        reason = backend.available()
        if reason is not None:
            return reason
        failed = [check for check in self_test(backend) if not check.passed]
    except SandboxError as error:
        return str(error)
    return "; ".join(f"self-test {check.name}: {check.detail}" for check in failed) or None
