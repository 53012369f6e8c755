"""What a desk may ask of the place where an agent works.

Protocols only, and one workspace in memory for desks that run no code. Paths are
relative, `/`-separated and stay inside the workspace; contents are text.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager, closing
from dataclasses import dataclass
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import Protocol

from gym_desks.errors import SandboxUnavailable, WorkspaceError

MAX_PATH = 512


@dataclass(frozen=True, slots=True)
class Completed:
    """How a command in a sandbox ended.

    `exit_code` is the process's own, or minus the signal that ended it. `stdout`
    and `stderr` are valid Unicode (undecodable bytes as backslash escapes), and
    keep head and tail when they were longer than the cap: then `truncated` is true
    and `stdout_bytes` and `stderr_bytes` still say how much there was.
    """

    exit_code: int
    stdout: str
    stderr: str
    timed_out: bool = False
    truncated: bool = False
    stdout_bytes: int = 0
    stderr_bytes: int = 0
    seconds: float = 0.0


class Workspace(Protocol):
    """A small tree of text files."""

    def read(self, path: str) -> str:
        """Return a file's text. Raises WorkspaceError where there is no such file."""

    def write(self, path: str, text: str) -> None:
        """Create or replace a file. Raises WorkspaceError for a refused path."""

    def paths(self) -> list[str]:
        """Return the sorted relative paths of all files."""


class Sandbox(Workspace, Protocol):
    """A workspace in which code may run. Raises SandboxError when it is lost."""

    def python(self, code: str, timeout: float | None = None) -> Completed:
        """Run Python source as `__main__` in the workspace directory."""

    def bash(self, command: str, timeout: float | None = None) -> Completed:
        """Run a bash command line in the workspace directory."""

    def reset(self, files: Mapping[str, str]) -> None:
        """Leave nothing of what was, prove it, and lay out `files`."""

    def close(self) -> None:
        """Give everything back. Idempotent, never raises."""


class Sandboxes(Protocol):
    """Where graders that run code get a second, untouched sandbox."""

    def fresh(self) -> AbstractContextManager[Sandbox]:
        """Open a sandbox that no agent has used, closed on exit."""


class Provider(Sandboxes, Protocol):
    """What one environment owns: a place for each of its episodes."""

    @property
    def facts(self) -> Mapping[str, str]:
        """What isolates an agent here. Raises SandboxUnavailable where nothing does."""

    def begin(self, files: Mapping[str, str]) -> Sandbox:
        """Return the place of the next episode, with these files and nothing else."""

    def close(self) -> None:
        """Give everything back. Idempotent, never raises."""


def checked_path(path: str) -> str:
    """Return `path` in its plain relative form, or raise WorkspaceError."""
    if not path or len(path) > MAX_PATH or "\x00" in path:
        raise WorkspaceError(f"path {path[:80]!r}: expected 1 to {MAX_PATH} characters without NUL")
    pure = PurePosixPath(path)
    if pure.is_absolute() or ".." in pure.parts or not pure.parts:
        raise WorkspaceError(
            f"path {path!r}: expected a relative path inside the workspace, without '..'"
        )
    return str(pure)


class MemoryWorkspace:
    """A workspace held in a dictionary: nothing to escape from, nothing to clean."""

    def __init__(self, files: Mapping[str, str]) -> None:
        self._files = dict(files)

    def read(self, path: str) -> str:
        name = checked_path(path)
        if name not in self._files:
            raise WorkspaceError(missing_file(name, self._files))
        return self._files[name]

    def write(self, path: str, text: str) -> None:
        self._files[checked_path(path)] = text

    def paths(self) -> list[str]:
        return sorted(self._files)


class Codeless(MemoryWorkspace):
    """The sandbox of a desk that runs no code."""

    def python(self, code: str, timeout: float | None = None) -> Completed:
        raise SandboxUnavailable("this desk runs no code; set needs_sandbox on its class")

    def bash(self, command: str, timeout: float | None = None) -> Completed:
        raise SandboxUnavailable("this desk runs no code; set needs_sandbox on its class")

    def reset(self, files: Mapping[str, str]) -> None:
        self._files = dict(files)

    def close(self) -> None:
        self._files = {}


class CodelessProvider:
    """The provider of desks that run no code."""

    facts: Mapping[str, str] = MappingProxyType({"backend": "none"})

    def begin(self, files: Mapping[str, str]) -> Sandbox:
        """Return a workspace in memory."""
        return Codeless(files)

    def fresh(self) -> AbstractContextManager[Sandbox]:
        """Return another workspace in memory."""
        return closing(Codeless({}))

    def close(self) -> None:
        """Nothing is held."""


def missing_file(name: str, present: Iterable[str]) -> str:
    """Say that a file is absent and which ones are there."""
    listing = ", ".join(sorted(present)[:20]) or "none"
    return f"no file {name!r}; files: {listing}"
