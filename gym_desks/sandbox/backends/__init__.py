"""What a way to isolate code has to offer, and the bound on how many boxes start at once."""

from __future__ import annotations

import os
import threading
from abc import ABC, abstractmethod
from typing import ClassVar

from gym_desks.sandbox.client import RunnerSandbox
from gym_desks.sandbox.options import SandboxOptions

# Starting a box is work for the processor: more at once than there are cores only adds waiting.
STARTS = threading.BoundedSemaphore(max(2, os.cpu_count() or 2))


class Backend(ABC):
    """Starts the runner as process 1 of an isolated place, and returns a stream to it.

    `passed_over` has the reasons against the backends that were tried before this one.
    """

    name: ClassVar[str]
    isolation: ClassVar[str]
    start_timeout: ClassVar[float] = 60.0

    def __init__(self, options: SandboxOptions) -> None:
        self.options = options
        self.passed_over: dict[str, str] = {}

    @abstractmethod
    def available(self) -> str | None:
        """Return why this backend cannot be used here and what to do, or None."""

    @abstractmethod
    def facts(self) -> dict[str, str]:
        """Return what isolates code here: the same in every run on this machine."""

    @abstractmethod
    def start(self) -> RunnerSandbox:
        """Start process 1. Raises SandboxError."""

    def open(self) -> RunnerSandbox:
        """Return a fresh sandbox whose runner has answered. Raises SandboxError."""
        with STARTS:
            box = self.start()
            box.greet(self.start_timeout)
            return box
