"""Work out one answer from a short text.

## Description
Each task is a problem of one of eight kinds, told in sentences: counting codes, a schedule,
an expected value, a recurrence, knights and knaves, clock arithmetic, a shortest path, a
trace of a stack and a queue. Everything that is needed stands in the brief; the working is
the point. A world is drawn from the seed, and the truth is computed from the world.

## Tools
None but `submit {"answer"}`, and two calls.

## Answer
The brief states its form: a JSON integer; a JSON string `"p/q"`, a fraction in lowest terms;
or, for knights and knaves, `{"knights": [names]}`, compared as a set. The first answer of
the form that the brief states ends the episode. One of another form (`"12"` or `12.0` for
an integer, `"2/4"`, a name twice) is an error that costs a call, so that it may be repaired
once.

## Rewards
1 for the right answer, 0 otherwise: no part of an answer is paid.

## Levels
1: 2 to 4 steps of working. 2: 5 to 9 steps, and in half of the tasks a sentence that matters
to nothing. 3: 10 to 13 steps, with such a sentence in half. A step is a letter or a rule
(counting), a part (schedules), a bag (expected value), a term (recurrences), a statement
(knights), a turn (clock), a house to reach (paths), a card taken or moved (stacks).
`info["instance"]` has `kind`, `steps` and `distractors`.

## Splits
`train` and `eval` share no name and no wording of a sentence about the problem.

## Choices
- An integer answer has three digits or more, a denominator is 30 or more, at least one
  person is a knight, and no number in a brief is its answer.
- In every task the kind's usual shortcut gives a wrong answer: it overlooks the last rule;
  adds up all durations; forgets that the game may have ended; stops a term early; names the
  knaves; turns only forward; takes as few roads as possible; takes the pile for a line.
- A set of knights is drawn before the statements are, so that all sets are equally likely.
- There are no twins and no controls here: there is no notice that could be left out.

## Arguments
`level` (1, 2 or 3), `split` (`"train"` or `"eval"`).

## Version history
v1: first version.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, ClassVar

from gym_desks.core.action import Action
from gym_desks.core.desk import Desk
from gym_desks.core.seeding import Streams
from gym_desks.core.task import Grade, Instance, Submission, Task
from gym_desks.core.tool import Toolset
from gym_desks.core.workspace import Sandbox, Sandboxes
from gym_desks.desks.math_reasoning import policies
from gym_desks.desks.math_reasoning.generate import (
    FAMILY,
    MathReasoningKey,
    MathReasoningSettings,
    generate,
)
from gym_desks.desks.math_reasoning.grade import ANSWER_TYPES, grade_answer

__all__ = ["MathReasoningDesk", "MathReasoningKey", "MathReasoningSettings"]


class NoTools(Toolset):
    """There is nothing to look up."""


class MathReasoningDesk(Desk[MathReasoningSettings, MathReasoningKey]):
    """The desk. The module's docstring is its page."""

    family: ClassVar[str] = FAMILY
    domain: ClassVar[str] = "formal reasoning"
    budget: ClassVar[int] = 2
    answer_help: ClassVar[str] = (
        "submit the answer (the first one of the stated form ends the episode)"
    )
    toolset_type = NoTools
    settings_type = MathReasoningSettings

    def generate(
        self, streams: Streams, settings: MathReasoningSettings
    ) -> Instance[MathReasoningKey]:
        """Make one problem."""
        return generate(streams, settings)

    def toolset(self, task: Task, workspace: Sandbox) -> Toolset:
        """Return no tools."""
        return NoTools()

    def answer_type_of(self, task: Task) -> Any:
        """Return the type of the form that the brief states."""
        return ANSWER_TYPES[task.data["answer_form"]]

    def grade(self, key: MathReasoningKey, submission: Submission, sandboxes: Sandboxes) -> Grade:
        """Score the answer."""
        return grade_answer(key, submission.answer)

    def task_id(self, settings: MathReasoningSettings) -> str:
        """Name the level."""
        return f"{self.family}-l{settings.level}"

    def oracle(self, opening: str) -> Generator[Action | str, str, None]:
        """Read the brief and solve it."""
        return policies.oracle(opening)

    def missed(self, opening: str) -> Generator[Action | str, str, None]:
        """Read the brief and take the kind's usual shortcut."""
        return policies.missed(opening)
