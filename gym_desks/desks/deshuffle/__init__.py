r"""Reconstruct whole research papers from their shuffled paragraphs.

## Description
Each task takes one or several complete papers, mixes all of their paragraphs, labels them
with numbers and writes them to `paragraphs.jsonl`, one JSON object a line. The order shown
may already be right. The brief states the exact number of papers. This desk follows the
published description of *deshuffle-papers*; where that leaves a question open, the choice
is written below.

## Tools
`bash {"command"}`, `python {"code"}`, `submit {"answer"}`. A reply that is no JSON object
but holds a `\boxed{...}` is a final answer too.

## Answer
One paper: a flat list of all labels in reading order. Several: a list of one list of labels
for each paper, the outer order irrelevant. Every label occurs exactly once. Another number
of nonempty groups is scored, not rejected.

## Rewards
`grouping_f1 * norm_kendall_tau`; formulas and sources stand in `score.py`. Since the order
shown is worth about 0.5 on one paper, the metric `lift` is the graded reward minus half the
grouping F1 of everything put into one group, which is what that order is worth on average.
`reward_mode="exact"` pays 1 for a perfect answer and 0 for any other.

## Choices
- Any reply that is no JSON object and mentions a box is final, also where the box is invalid.
- Of several boxes the last counts; braces are balanced; a box that never closes is invalid.
- The content is strict JSON, without repair. Labels are JSON integers: `true`, `4.0` and
  `"4"` are not.
- One paper takes no nested list, several take no flat one. An empty group is invalid.
- F1 is the harmonic mean of averaged precision and recall.
- `paper_exact_match` is the share of papers whose exact list is one group.
- A paper without a comparable pair has concordance 0; so papers with fewer than five units
  are left out when the corpus is loaded, and counted.
- A text that occurs twice in a task is left out of it, and counted as `left_out`.
- With `include_headers`, headings are units like any other, in their place.
- `source` restricts the pool, and the anchor of task `i` is paper `i % N` of that pool.

## Arguments
See `DeshuffleSettings`.

## Version history
v1: first version.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from itertools import count
from typing import Any, ClassVar

from gym_desks.core.action import Action, submit
from gym_desks.core.desk import Desk
from gym_desks.core.seeding import Streams
from gym_desks.core.task import Grade, Instance, Submission, Task
from gym_desks.core.tool import Toolset
from gym_desks.core.workspace import Sandbox, Sandboxes
from gym_desks.desks.deshuffle import policies
from gym_desks.desks.deshuffle.generate import DeshuffleKey, DeshuffleSettings, generate
from gym_desks.desks.deshuffle.score import boxed_answer, score_answer, score_reply
from gym_desks.errors import ConfigurationError
from gym_desks.tools import BashTool, PythonTool

__all__ = [
    "DeshuffleDesk",
    "DeshuffleKey",
    "DeshuffleSettings",
    "score_reply",
    "stream",
]


class DeshuffleTools(BashTool, PythonTool):
    """The tools of this desk."""


class DeshuffleDesk(Desk[DeshuffleSettings, DeshuffleKey]):
    """The desk. The module's docstring is its page."""

    family: ClassVar[str] = "deshuffle"
    domain: ClassVar[str] = "research papers"
    budget: ClassVar[int] = 24
    needs_sandbox: ClassVar[bool] = True
    answer_type: ClassVar[Any] = list[Any]
    answer_help: ClassVar[str] = "submit the answer (ends the episode)"
    toolset_type = DeshuffleTools
    settings_type = DeshuffleSettings
    baselines: ClassVar = {"overlap": policies.overlap}

    def generate(self, streams: Streams, settings: DeshuffleSettings) -> Instance[DeshuffleKey]:
        """Make one task."""
        return generate(streams, settings)

    def toolset(self, task: Task, workspace: Sandbox) -> Toolset:
        """Return `bash` and `python`."""
        return DeshuffleTools(workspace)

    def grade(self, key: DeshuffleKey, submission: Submission, sandboxes: Sandboxes) -> Grade:
        """Score the answer alone: the workspace counts for nothing."""
        return score_answer(submission.answer, key.papers, exact=key.exact)

    def missed(self, opening: str) -> Generator[Action | str, str, None]:
        """Submit the order shown."""
        return policies.missed(opening)

    def final_reply(self, reply: str) -> Any | None:
        r"""Take the answer in a `\boxed{...}`."""
        return boxed_answer(reply)

    def reference(self, key: DeshuffleKey) -> Action:
        """Return the right answer."""
        papers = [list(paper) for paper in key.papers]
        return submit(papers[0] if len(papers) == 1 else papers)


def stream(**settings: Any) -> Iterator[Instance[DeshuffleKey]]:
    """Walk the tasks of `stream_seed` from index `start` on, in order, without an end.

    Takes the fields of `DeshuffleSettings`, and ends after `count` tasks where it is set.
    Each task is made when it is asked for.
    """
    chosen = DeshuffleSettings.model_validate(settings)
    if chosen.index is not None:
        raise ConfigurationError("stream takes no index: start=... says where it begins")
    streams = Streams(DeshuffleDesk.family, chosen.level, chosen.split, 0)
    indices = (
        count(chosen.start)
        if chosen.count is None
        else range(chosen.start, chosen.start + chosen.count)
    )
    for index in indices:
        yield generate(streams, chosen.model_copy(update={"index": index}))
