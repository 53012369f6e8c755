"""From a seed to one problem: a kind, a world that passes the gates, and its telling.

The gates ask the world and the finished brief alone. No draw is repaired: one that fails
is replaced by the next.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from gym_desks.core.desk import Settings
from gym_desks.core.seeding import Draws, Streams
from gym_desks.core.task import Instance, Task
from gym_desks.desks.math_reasoning.kinds import KINDS, STEPS, Answer, Form, Kind, Scene, Telling
from gym_desks.desks.math_reasoning.phrasing import Phrases, phrasings
from gym_desks.kit.gates import first_passing
from gym_desks.kit.names import first_names

FAMILY = "math-reasoning"
_CAST = 20
_LEAST = 100
_LEAST_DENOMINATOR = 30

_FORMS: dict[Form, str] = {
    "integer": "The answer is a JSON integer: digits alone, without a unit and not in quotes.",
    "fraction": (
        'The answer is a JSON string "p/q": a fraction in lowest terms, with p and q in '
        "digits and q > 0."
    ),
    "knights": (
        'The answer is a JSON object {"knights": [...]} with the names of all knights, and of '
        "nobody else, as a list of strings in any order."
    ),
}


class MathReasoningSettings(Settings):
    """What selects a task of this desk."""

    level: Literal[1, 2, 3] = 2


class MathReasoningKey(BaseModel):
    """The one right answer, as an agent would write it."""

    model_config = ConfigDict(frozen=True)

    answer: int | str | tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Drawn:
    """One draw: its kind, the world, whether a distractor stands in it, and the brief."""

    level: int
    kind: Kind[Any]
    world: Any
    distracted: bool
    brief: str


def generate(streams: Streams, settings: MathReasoningSettings) -> Instance[MathReasoningKey]:
    """Make one problem. Raises GenerationError where no draw passes the gates."""
    what = f"{FAMILY}, level {settings.level}, {settings.split}, seed {streams.seed}"
    kind = streams.draws("kind").choice(KINDS)
    drawn = first_passing(_Drawing(streams, settings, kind, what), GATES, what)
    return Instance(
        task=Task(
            brief=drawn.brief,
            data={"answer_form": kind.form},
            facts={
                "kind": kind.name,
                "steps": kind.steps(drawn.world),
                "distractors": int(drawn.distracted),
            },
        ),
        key=MathReasoningKey(answer=_written(kind.truth(drawn.world))),
    )


class _Drawing:
    """The draws of one instance; each call goes on where the last one stopped."""

    def __init__(
        self, streams: Streams, settings: MathReasoningSettings, kind: Kind[Any], what: str
    ) -> None:
        self._settings = settings
        self._kind = kind
        self._what = what
        self._world = streams.draws("world")
        self._names = streams.draws("names")
        self._layout = streams.draws("layout")
        self._phrasing = streams.draws("phrasing")

    def __call__(self) -> Drawn:
        level, split = self._settings.level, self._settings.split
        *cast, stranger = self._names.sample(first_names(split), _CAST)
        world = self._kind.draw(Scene(self._world, level, cast, self._what))
        wordings = phrasings(split)
        telling = self._kind.tell(world, Phrases(wordings[self._kind.name], self._phrasing))
        distracted = level > 1 and self._layout.below(2) == 0
        if distracted:
            aside = Phrases(wordings, self._phrasing).say(
                "distractor", who=stranger, v=self._layout.between(101, 399)
            )
            telling = _with_aside(telling, aside, self._layout)
        return Drawn(level, self._kind, world, distracted, _brief(telling, self._kind.form))


def _with_aside(telling: Telling, aside: str, layout: Draws) -> Telling:
    place = layout.between(0, len(telling.facts))
    facts = (*telling.facts[:place], aside, *telling.facts[place:])
    return Telling(telling.opening, facts, telling.question)


def _brief(telling: Telling, form: Form) -> str:
    sentences = " ".join((*telling.opening, *telling.facts, telling.question))
    return f"{sentences}\n\n{_FORMS[form]}"


def _fits_the_level(drawn: Drawn) -> bool:
    low, high = STEPS[drawn.level]
    return low <= drawn.kind.steps(drawn.world) <= high


def _is_large(drawn: Drawn) -> bool:
    """An integer of three digits or more, and a fraction that nobody guesses."""
    truth: Answer = drawn.kind.truth(drawn.world)
    match truth:
        case int():
            return truth >= _LEAST
        case Fraction():
            return truth.denominator >= _LEAST_DENOMINATOR
    return len(truth) > 0


def _is_missed(drawn: Drawn) -> bool:
    return bool(drawn.kind.truth(drawn.world) != drawn.kind.shortcut(drawn.world))


def _is_hidden(drawn: Drawn) -> bool:
    """No number of the brief is the answer."""
    return str(drawn.kind.truth(drawn.world)) not in re.findall(r"\d+", drawn.brief)


GATES: dict[str, Callable[[Drawn], bool]] = {
    "steps": _fits_the_level,
    "sizes": _is_large,
    "shortcut": _is_missed,
    "literal": _is_hidden,
}


def _written(truth: Answer) -> int | str | tuple[str, ...]:
    match truth:
        case int():
            return truth
        case Fraction():
            return f"{truth.numerator}/{truth.denominator}"
    return tuple(sorted(truth))
