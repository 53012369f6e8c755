"""Every exception of the suite, in one tree.

GymDesksError
├── ActionError             an agent's fault: becomes an observation and costs a call
│   └── WorkspaceError      a path or file that an agent may not or cannot use
├── ConfigurationError      a caller's fault, raised where the wrong value was given
│   ├── CorpusError         a corpus that cannot be read, or not trusted
│   └── MissingExtra        an optional dependency that is not installed
├── GenerationError         a desk's fault: no instance passed its gates
└── SandboxError            the machine's fault: an episode ends as truncated, never as a score
    ├── SandboxUnavailable  no backend can be used here
    └── SandboxDied         a sandbox that was open is gone, or is no longer trusted

A message says what came, what was expected and what to do. An agent and a user
may read the same sentence, so none holds a host path that the reader did not give.
"""

from __future__ import annotations


class GymDesksError(Exception):
    """The root of the tree."""


class ActionError(GymDesksError):
    """What an agent sent cannot be done. `kind` is a short stable word for logs."""

    def __init__(self, message: str, kind: str = "tool") -> None:
        super().__init__(message)
        self.kind = kind


class WorkspaceError(ActionError):
    """A workspace path that is refused, missing, or not a text file."""

    def __init__(self, message: str) -> None:
        super().__init__(message, kind="workspace")


class ConfigurationError(GymDesksError, ValueError):
    """A constructor argument, an option or a file that cannot be used."""


class CorpusError(ConfigurationError):
    """A corpus that is malformed, incomplete or not the one that was asked for."""


class MissingExtra(ConfigurationError):
    """A feature whose optional dependency is absent; the message names the extra."""

    def __init__(self, feature: str, extra: str) -> None:
        super().__init__(f'{feature} needs an optional part: pip install "gym-desks[{extra}]"')


class GenerationError(GymDesksError):
    """A generator found no instance that passes its gates; the message has the seed."""


class SandboxError(GymDesksError):
    """The sandbox failed, not the agent."""


class SandboxUnavailable(SandboxError):
    """No backend can be used: the message lists what was tried and what to install."""


class SandboxDied(SandboxError):
    """An open sandbox ended, broke its protocol, or failed its proof of cleanliness."""
