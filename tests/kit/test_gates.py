from __future__ import annotations

import logging
from itertools import count

import pytest

from gym_desks.errors import GenerationError
from gym_desks.kit.gates import TRIES, first_passing


def test_the_first_draw_that_passes_all_gates_is_taken_and_rejections_are_logged(caplog):
    numbers = count()
    gates = {"even": lambda n: n % 2 == 0, "large": lambda n: n > 4}
    with caplog.at_level(logging.DEBUG, logger="gym_desks.kit.gates"):
        assert first_passing(lambda: next(numbers), gates, "toy, seed 3") == 6
    assert caplog.messages == ["toy, seed 3: 6 draws rejected: {'large': 3, 'even': 3}"]


def test_a_generator_never_falls_through():
    numbers = count()
    with pytest.raises(GenerationError, match=r"toy, seed 3: none of 200 .*'never': 200"):
        first_passing(lambda: next(numbers), {"never": lambda _: False}, "toy, seed 3")
    assert next(numbers) == TRIES
