"""`SandboxProvider`: what one environment owns.

It chooses the backend when the first episode begins, opens a box at the first call that needs
one, and uses that box for one episode after another: between two, the box is wiped and proved
empty. A box in doubt is thrown away. A forked child has a box of its own.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import Any

from gym_desks.core.workspace import Completed, Sandbox
from gym_desks.errors import ConfigurationError, SandboxDied, SandboxError, WorkspaceError
from gym_desks.sandbox import program
from gym_desks.sandbox.backends import Backend
from gym_desks.sandbox.client import RunnerSandbox
from gym_desks.sandbox.options import SandboxOptions, checked_options
from gym_desks.sandbox.select import backend_named, select_backend


class SandboxProvider:
    """Places for the episodes of one environment, and second boxes for its grader."""

    def __init__(
        self,
        choice: str = "auto",
        options: SandboxOptions | Mapping[str, Any] | None = None,
    ) -> None:
        self._options = checked_options(options)
        self._choice = choice
        if choice != "auto":
            backend_named(choice, self._options)
        self._forget()

    def _forget(self) -> None:
        """Own nothing, as a new object does."""
        self._process = os.getpid()
        self._facts: dict[str, str] = {}
        self._box: RunnerSandbox | None = None
        self._episode: EpisodeSandbox | None = None

    def __getstate__(self) -> dict[str, Any]:
        """A copy, and an object in another process, begin without a box."""
        return {"_options": self._options, "_choice": self._choice}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._forget()

    @property
    def facts(self) -> dict[str, str]:
        """What isolates code here. Chooses the backend; raises SandboxUnavailable."""
        self._check_process()
        if not self._facts:
            backend = self._backend()
            self._facts = {**backend.facts(), "passed_over": ", ".join(backend.passed_over)}
        return dict(self._facts)

    def begin(self, files: Mapping[str, str]) -> Sandbox:
        """Return the place of the next episode. Its box opens at the first call.

        Raises ConfigurationError where the files do not fit into a workspace.
        """
        check_fit(files, self._options.workspace_mb)
        self._check_process()
        if self._episode is not None:
            self._episode.end()
        self._episode = EpisodeSandbox(self, files)
        return self._episode

    def fresh(self) -> AbstractContextManager[Sandbox]:
        """Open a box that no agent has used, closed on exit."""
        return contextlib.closing(self._backend().open())

    def close(self) -> None:
        """Give the box back. Idempotent, never raises."""
        self._check_process()
        if self._episode is not None:
            self._episode.end()
        if self._box is not None:
            self._box.close()
            self._box = None

    def clean_box(self, files: Mapping[str, str]) -> RunnerSandbox:
        """Return a box with these files and nothing else: the used one if it can be proved."""
        self._check_process()
        if self._box is not None and not self._box.closed:
            with contextlib.suppress(SandboxError):
                return laid_out(self._box, files)
            self._box.close()
        self._box = laid_out(self._backend().open(), files)
        return self._box

    def _backend(self) -> Backend:
        return select_backend(self._choice, self._options)

    def _check_process(self) -> None:
        if self._process != os.getpid():
            self._forget()


def check_fit(files: Mapping[str, str], workspace_mb: int) -> None:
    """Raise ConfigurationError where these files are more than a workspace holds."""
    size = sum(len(text.encode()) for text in files.values())
    if size > workspace_mb * program.MEBIBYTE:
        raise ConfigurationError(
            f"the task's files have {size:,} bytes and the workspace {workspace_mb} MB: "
            "raise workspace_mb in sandbox_options (it may be half of memory_mb)"
        )


def laid_out(box: RunnerSandbox, files: Mapping[str, str]) -> RunnerSandbox:
    """Reset a box to these files. What fails here is never an agent's fault."""
    try:
        box.reset(files)
    except WorkspaceError as error:
        box.close()
        raise SandboxError(f"the task's files could not be laid out: {error}") from None
    return box


class EpisodeSandbox:
    """The sandbox of one episode. A box that dies raises SandboxDied; the next episode gets
    another one.
    """

    def __init__(self, provider: SandboxProvider, files: Mapping[str, str]) -> None:
        self._provider = provider
        self._files = dict(files)
        self._box: RunnerSandbox | None = None
        self._ended = False

    def python(self, code: str, timeout: float | None = None) -> Completed:
        return self._opened().python(code, timeout)

    def bash(self, command: str, timeout: float | None = None) -> Completed:
        return self._opened().bash(command, timeout)

    def read(self, path: str) -> str:
        return self._opened().read(path)

    def write(self, path: str, text: str) -> None:
        self._opened().write(path, text)

    def paths(self) -> list[str]:
        return self._opened().paths()

    def reset(self, files: Mapping[str, str]) -> None:
        self._files = dict(files)
        if self._box is not None:
            self._box.reset(files)

    def end(self) -> None:
        """Refuse what still comes: the box belongs to the next episode."""
        self._ended = True

    def close(self) -> None:
        """Give the box back, and refuse what still comes."""
        self.end()
        if self._box is not None:
            self._box.close()

    def _opened(self) -> RunnerSandbox:
        if self._ended:
            raise SandboxDied("the episode of this sandbox has ended: begin another one")
        if self._box is None:
            self._box = self._provider.clean_box(self._files)
        return self._box
