"""An instance in its two halves, what an agent hands in, and what it is worth.

The `Task` may reach an agent. The `key` reaches the grader alone: no tool, sandbox,
adapter or policy is ever given an `Instance`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ConfigDict, Field

from gym_desks.core.workspace import Workspace

K = TypeVar("K")

Fact = str | int | float


class Task(BaseModel):
    """The public half: the brief, the files, and the data behind the tools.

    `facts` are public statements about the instance that `info` reports, such as
    its name or the digest of the corpus it comes from.
    """

    model_config = ConfigDict(frozen=True)

    brief: str
    files: Mapping[str, str] = Field(default_factory=dict)
    data: Mapping[str, Any] = Field(default_factory=dict)
    facts: Mapping[str, Fact] = Field(default_factory=dict)

    @property
    def instance_id(self) -> str:
        """A digest of what an agent can come to see: 16 hexadecimal digits."""
        seen = json.dumps([self.brief, dict(self.files), dict(self.data)], sort_keys=True)
        return hashlib.sha256(seen.encode()).hexdigest()[:16]


class Instance(BaseModel, Generic[K]):
    """A task and its key. The key does not show in a representation."""

    model_config = ConfigDict(frozen=True)

    task: Task
    key: K = Field(repr=False)


@dataclass(frozen=True, slots=True)
class Submission:
    """What is graded: the answer that was submitted, if any, and the workspace."""

    answer: Any | None
    workspace: Workspace


class Grade(BaseModel):
    """A reward in [0, 1] and the measures behind it."""

    model_config = ConfigDict(frozen=True)

    reward: float = Field(ge=0, le=1)
    metrics: Mapping[str, float] = Field(default_factory=dict)
