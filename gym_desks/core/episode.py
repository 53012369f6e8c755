"""One episode: an instance in play under a budget of calls. The rules live here alone.

- Every reply costs one call. A reply that cannot be done is an error observation.
- `submit` ends the episode: without arguments it scores the work so far, with an answer
  of the declared JSON type it scores the answer; any other `submit` is an error.
- Spending the last call ends the episode and scores the work so far.
- A sandbox that fails ends the episode without a score.
- Metadata is recorded and never read.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, TypeVar

from gym_desks.core.action import SUBMIT, Action, parse_action
from gym_desks.core.desk import Call, Desk
from gym_desks.core.task import Instance, Submission
from gym_desks.core.workspace import Sandbox, Sandboxes
from gym_desks.errors import ActionError, SandboxError

K = TypeVar("K")

End = Literal["", "submitted", "budget", "strict", "infrastructure"]

MAX_OBSERVATION = 65_536
_CUT = "\n[... {} characters left out ...]\n"


@dataclass(frozen=True, slots=True)
class Reply:
    """What one call led to. `reward` counts only where `end` is a scored end."""

    output: str
    steps_left: int
    tool: str = ""
    error: str = ""
    end: End = ""
    reward: float = 0.0
    metrics: Mapping[str, float] = field(default_factory=dict)

    @property
    def truncated(self) -> bool:
        """Whether the episode ended without a valid score."""
        return self.end == "infrastructure"

    @property
    def terminated(self) -> bool:
        """Whether the episode ended with a score."""
        return bool(self.end) and not self.truncated


class Episode(Generic[K]):
    """One instance in play."""

    def __init__(
        self,
        desk: Desk[Any, K],
        instance: Instance[K],
        workspace: Sandbox,
        sandboxes: Sandboxes,
        budget: int,
    ) -> None:
        self._desk = desk
        self._instance = instance
        self._workspace = workspace
        self._sandboxes = sandboxes
        self._tools = desk.toolset(instance.task, workspace)
        self.calls: list[Call] = []
        self.steps_left = budget
        self.end: End = ""

    @property
    def opening(self) -> str:
        """The brief and the tools, as the first observation shows them."""
        listed = [f"- {t.name} {t.form}: {t.description}" for t in self._tools.tools.values()]
        form = self._desk.submit_form(self._instance.task)
        listed.append(f"- {SUBMIT} {form}: {self._desk.answer_help}")
        return (
            f"{self._instance.task.brief.rstrip()}\n\nTools:\n" + "\n".join(listed) + "\n\n"
            'Reply with exactly one JSON object: {"tool": "<name>", "args": {...}}'
        )

    def call(self, reply: str) -> Reply:
        """Take one reply of the agent and say what it led to."""
        if self.end:
            raise RuntimeError("the episode has ended")
        self.steps_left -= 1
        action, error = None, ""
        try:
            action, answer, ends = self._read(reply)
            if ends:
                self._record(reply, action, "", "")
                return self._finish(answer, "submitted", SUBMIT)
            output = self._tools.call(action.tool, action.args) if action else ""
        except ActionError as fault:
            output, error = f"error: {fault}", fault.kind
        except SandboxError as fault:
            return self._broken(fault, action)
        self._record(reply, action, output, error)
        tool = action.tool if action and action.tool in self._tools.tools else ""
        if self.steps_left > 0:
            return Reply(output, self.steps_left, tool, error)
        return self._finish(None, "budget", tool, output, error)

    def _read(self, reply: str) -> tuple[Action | None, Any | None, bool]:
        """Return the action, the answer that it submits, and whether it ends the episode."""
        try:
            action = parse_action(reply)
        except ActionError as fault:
            answer = self._desk.final_reply(reply) if fault.kind == "malformed" else None
            if answer is None:
                raise
            return None, answer, True
        if action.tool != SUBMIT:
            return action, None, False
        return action, self._desk.checked_answer(self._instance.task, action.args), True

    def _finish(
        self, answer: Any | None, end: End, tool: str, output: str = "", error: str = ""
    ) -> Reply:
        key = self._instance.key
        try:
            grade = self._desk.grade(key, Submission(answer, self._workspace), self._sandboxes)
        except SandboxError as fault:
            return self._broken(fault, None)
        self.end = end
        metrics = {**grade.metrics, **self._desk.looked(key, self.calls)}
        output = output or "The episode is over."
        return Reply(output, self.steps_left, tool, error, end, grade.reward, metrics)

    def _broken(self, fault: SandboxError, action: Action | None) -> Reply:
        self.end = "infrastructure"
        tool = action.tool if action else ""
        return Reply(
            f"The sandbox failed: {fault}", self.steps_left, tool, "infrastructure", self.end
        )

    def _record(self, reply: str, action: Action | None, output: str, error: str) -> None:
        self.calls.append(Call(reply, action, output, error))


def observation(output: str, steps_left: int, limit: int = MAX_OBSERVATION) -> str:
    """Return the JSON text of an observation, with the middle of a long output cut out."""
    text = printable(output)
    keep = min(len(text), limit)
    while len(encoded := _encode(cut(text, keep), steps_left)) > limit:
        keep = min(keep - 1, keep * limit // len(encoded))
    return encoded


def cut(text: str, keep: int) -> str:
    """Return head and tail of `text`, `keep` characters in all beside the marker."""
    if len(text) <= keep:
        return text
    head = keep * 2 // 3
    tail = keep - head
    return text[:head] + _CUT.format(len(text) - keep) + text[len(text) - tail :]


def printable(text: str) -> str:
    """Return `text` with lone surrogates as escapes, so that it is valid Unicode."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _encode(output: str, steps_left: int) -> str:
    return json.dumps({"output": output, "steps_left": steps_left}, ensure_ascii=False)
