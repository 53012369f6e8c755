"""Right or wrong. Answer and truth are read by the same codec and compared as what they mean."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import AfterValidator

from gym_desks.core.task import Grade
from gym_desks.desks.math_reasoning.generate import MathReasoningKey
from gym_desks.kit import codec

_KNIGHTS = "knights"


def _knights(value: Any) -> frozenset[str] | None:
    return codec.named_set(value, _KNIGHTS)


ANSWER_TYPES: dict[str, Any] = {
    "integer": codec.IntegerAnswer,
    "fraction": codec.FractionAnswer,
    "knights": Annotated[
        dict[str, Any],
        AfterValidator(codec.of_form(_knights, '{"knights": [distinct names]}')),
    ],
}
"""The type of the answer in each form that a brief may state."""


def grade_answer(key: MathReasoningKey, answer: Any | None) -> Grade:
    """Pay 1 for the right answer and 0 for anything else."""
    return Grade(reward=float(_is_right(key.answer, answer)))


def _is_right(truth: int | str | tuple[str, ...], answer: Any | None) -> bool:
    match truth:
        case int():
            return codec.integer(answer) == truth
        case str():
            return codec.fraction(answer) == codec.fraction(truth)
    return _knights(answer) == frozenset(truth)
