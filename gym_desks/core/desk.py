"""A desk: one family of tasks, with its tools, its grade and its scripted policies.

A desk holds no state and no randomness of its own: everything an instance depends on
is its settings and its streams.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from gym_desks.core.action import SUBMIT, Action, json_type
from gym_desks.core.seeding import Streams
from gym_desks.core.task import Grade, Instance, Submission, Task
from gym_desks.core.tool import Toolset
from gym_desks.core.workspace import Sandbox, Sandboxes
from gym_desks.errors import ActionError, ConfigurationError

Policy = Callable[[str], Generator[Action | str, str, None]]
"""Gets the first observation, yields actions, is sent observations."""


class Settings(BaseModel):
    """What selects a task: constructor arguments, and options of `reset`, as JSON values."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    level: int = 1
    split: Literal["train", "eval"] = "train"


S = TypeVar("S", bound=Settings)
K = TypeVar("K")


@dataclass(frozen=True, slots=True)
class Call:
    """One call of an episode as it happened: what came, and what the agent was told."""

    reply: str
    action: Action | None
    output: str
    error: str


class Desk(ABC, Generic[S, K]):
    """One family. `S` is its settings, `K` its key."""

    family: ClassVar[str]
    domain: ClassVar[str]
    budget: ClassVar[int]
    needs_sandbox: ClassVar[bool] = False
    answer_type: ClassVar[Any] = None
    answer_help: ClassVar[str] = "submit the work so far (ends the episode)"
    toolset_type: ClassVar[type[Toolset]]
    settings_type: type[S]

    oracle: Policy | None = None
    baselines: ClassVar[Mapping[str, Policy]] = {}

    @abstractmethod
    def generate(self, streams: Streams, settings: S) -> Instance[K]:
        """Make the instance. Raises GenerationError where no draw passes the gates."""

    @abstractmethod
    def toolset(self, task: Task, workspace: Sandbox) -> Toolset:
        """Return the tools at work on one task."""

    @abstractmethod
    def grade(self, key: K, submission: Submission, sandboxes: Sandboxes) -> Grade:
        """Score a submission. Never raises for anything an agent did."""

    @abstractmethod
    def missed(self, opening: str) -> Generator[Action | str, str, None]:
        """A policy that overlooks what decides: it scores below 1."""

    def task_id(self, settings: S) -> str:
        """Return the name under which episodes with these settings are compared."""
        return self.family

    def looked(self, key: K, calls: Sequence[Call]) -> Mapping[str, float]:
        """Measure, after the end, whether what decides had reached the agent."""
        return {}

    def final_reply(self, reply: str) -> Any | None:
        """Return the answer in a reply that is no JSON object, where the desk takes one."""
        return None

    def reference(self, key: K) -> Action:
        """Return a submission that scores 1. For tests and reports, never for agents."""
        raise NotImplementedError(f"{self.family} has an oracle and no reference answer")

    def answer_type_of(self, task: Task) -> Any:
        """Return the type of this task's answer, where it differs between tasks."""
        return self.answer_type

    def checked_answer(self, task: Task, args: Mapping[str, Any]) -> Any | None:
        """Return the answer in the arguments of `submit`. Raises ActionError."""
        if not args:
            return None
        form, answer_type = self.submit_form(task), self.answer_type_of(task)
        if answer_type is None or set(args) != {"answer"}:
            raise ActionError(f"{SUBMIT}: expected args {form} or {{}}", "arguments")
        try:
            return TypeAdapter(answer_type).validate_python(args["answer"], strict=True)
        except ValidationError as error:
            raise ActionError(
                f"{SUBMIT}: the answer is {json_type(args['answer'])}: "
                f"{error.errors()[0]['msg']}; expected args {form}",
                "arguments",
            ) from None

    def submit_form(self, task: Task) -> str:
        """Return the arguments of `submit` as an agent reads them."""
        answer_type = self.answer_type_of(task)
        if answer_type is None:
            return "{}"
        schema = TypeAdapter(answer_type).json_schema()
        return f'{{"answer": {schema.get("type", "any")}}}'


@dataclass(frozen=True, slots=True)
class DeskSpec:
    """A registry line: from it come the environment ids of one family.

    `entry_point` is `"module:Class"`. A desk without levels has `levels=()` and one id;
    otherwise each level has an id of its own beside the one that takes `level=`.
    """

    family: str
    entry_point: str
    levels: tuple[int, ...] = ()
    default_level: int = 1
    version: int = 1

    def __post_init__(self) -> None:
        if self.levels and self.default_level not in self.levels:
            raise ConfigurationError(
                f"{self.family}: default_level {self.default_level} is not in {self.levels}"
            )
