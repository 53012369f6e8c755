"""Two desks for tests, without a sandbox: one graded by an answer, one by its workspace."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from pydantic import BaseModel

from gym_desks.core import (
    Action,
    Desk,
    Grade,
    Instance,
    Sandbox,
    Sandboxes,
    Settings,
    Streams,
    Submission,
    Task,
    Toolset,
    submit,
    tool,
)
from gym_desks.errors import SandboxDied, WorkspaceError


class NotesTools(Toolset):
    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox

    @tool
    def read_note(self, path: str, times: int = 1) -> str:
        """show one file,
        as often as asked

        This paragraph is not part of the description.
        """
        return self._sandbox.read(path) * times

    @tool
    def write_note(self, path: str, text: str) -> str:
        """replace one file"""
        self._sandbox.write(path, text)
        return "written"

    @tool
    def fail(self) -> str:
        """lose the sandbox"""
        raise SandboxDied("the sandbox is gone")

    @tool
    def shout(self, size: int) -> str:
        """give a long output"""
        return "\x00é" * size


class ToyKey(BaseModel, frozen=True):
    number: int


class AnswerDesk(Desk[Settings, ToyKey]):
    family = "toy-answer"
    domain = "toys"
    budget = 5
    answer_type = int
    toolset_type = NotesTools
    settings_type = Settings

    def generate(self, streams: Streams, settings: Settings) -> Instance[ToyKey]:
        number = streams.draws("world").below(10**9)
        task = Task(brief="What is the number?", files={"note.txt": f"{number} é漢🙂"})
        return Instance(task=task, key=ToyKey(number=number))

    def toolset(self, task: Task, workspace: Sandbox) -> Toolset:
        return NotesTools(workspace)

    def grade(self, key: ToyKey, submission: Submission, sandboxes: Sandboxes) -> Grade:
        return Grade(reward=float(submission.answer == key.number))

    def missed(self, opening: str) -> Generator[Action | str, str, None]:
        yield submit(-1)

    def looked(self, key: ToyKey, calls: Any) -> dict[str, float]:
        return {"looked": float(any(str(key.number) in call.output for call in calls))}

    def oracle(self, opening: str) -> Generator[Action | str, str, None]:
        note = yield Action("read_note", {"path": "note.txt"})
        yield submit(int(note.split()[0]))


class StateDesk(AnswerDesk):
    family = "toy-state"
    answer_type = None

    def oracle(self, opening: str) -> Generator[Action | str, str, None]:
        note = yield Action("read_note", {"path": "note.txt"})
        yield Action("write_note", {"path": "answer.txt", "text": note.split()[0]})
        yield submit()

    def missed(self, opening: str) -> Generator[Action | str, str, None]:
        yield submit()

    def grade(self, key: ToyKey, submission: Submission, sandboxes: Sandboxes) -> Grade:
        try:
            written = submission.workspace.read("answer.txt")
        except WorkspaceError:
            written = ""
        return Grade(reward=float(written == str(key.number)))
