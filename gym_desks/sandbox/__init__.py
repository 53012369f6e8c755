"""Where agents' code runs: boxes without a network, each behind one small runner.

`select_backend` chooses what isolates them, `SandboxProvider` lends them to an environment.
Importing this package imports no engine's client and starts nothing.
"""

from gym_desks.sandbox.client import RunnerSandbox
from gym_desks.sandbox.options import SandboxOptions
from gym_desks.sandbox.provider import SandboxProvider
from gym_desks.sandbox.select import BACKENDS, backend_named, select_backend
from gym_desks.sandbox.selftest import Check, self_test

__all__ = [
    "BACKENDS",
    "Check",
    "RunnerSandbox",
    "SandboxOptions",
    "SandboxProvider",
    "backend_named",
    "select_backend",
    "self_test",
]
