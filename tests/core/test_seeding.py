from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter

import pytest

from gym_desks.core.seeding import Draws, Streams

STREAMS = Streams("toy", 1, "train", 7)

SCRIPT = """
from gym_desks.core.seeding import Streams
draws = Streams("toy", 1, "train", 7).draws("world")
print([draws.below(1000) for _ in range(8)], draws.shuffled(list("abcdefgh")), draws.unit())
"""


def test_a_stream_begins_anew_each_time_it_is_opened():
    first = [STREAMS.draws("world").below(10**9) for _ in range(3)]
    assert len(set(first)) == 1


@pytest.mark.parametrize(
    "other",
    [
        Streams("toy2", 1, "train", 7),
        Streams("toy", 2, "train", 7),
        Streams("toy", 1, "eval", 7),
        Streams("toy", 1, "train", 8),
        Streams("toy", 1, "train", "7"),
    ],
)
def test_every_part_of_a_streams_name_changes_it(other):
    assert other.draws("world").below(2**60) != STREAMS.draws("world").below(2**60)


def test_streams_of_different_names_differ():
    assert STREAMS.draws("world").below(2**60) != STREAMS.draws("layout").below(2**60)


def test_neighbouring_seeds_share_no_draws():
    rows = [tuple(STREAMS.of(s).draws("world").below(2**60) for _ in range(1)) for s in range(500)]
    assert len(set(rows)) == 500


def test_draws_are_the_same_in_every_process_zone_and_locale():
    outputs = set()
    for seed, zone, locale in (
        ("0", "UTC", "C"),
        ("1", "Asia/Tokyo", "C.UTF-8"),
        ("2", "UTC", "C"),
    ):
        env = {**os.environ, "PYTHONHASHSEED": seed, "TZ": zone, "LC_ALL": locale}
        run = subprocess.run(
            [sys.executable, "-c", SCRIPT], capture_output=True, text=True, env=env, check=True
        )
        outputs.add(run.stdout)
    assert len(outputs) == 1


def test_draws_do_not_move_with_a_release():
    draws = STREAMS.draws("world")
    assert [draws.below(1000) for _ in range(8)] == [110, 99, 437, 142, 609, 990, 150, 3]


def test_below_is_uniform_and_covers_its_range():
    draws = Draws(1)
    counts = Counter(draws.below(6) for _ in range(60_000))
    assert sorted(counts) == list(range(6))
    assert max(counts.values()) - min(counts.values()) < 600


@pytest.mark.parametrize("n", [0, -1, 2**64 + 1])
def test_an_empty_or_too_wide_range_is_an_error(n):
    with pytest.raises(ValueError, match="expected"):
        Draws(1).below(n)


def test_a_shuffle_is_a_permutation_and_every_order_comes_up():
    draws = Draws(2)
    orders = Counter(tuple(draws.shuffled("abc")) for _ in range(6000))
    assert len(orders) == 6
    assert min(orders.values()) > 850


def test_a_sample_has_distinct_items():
    draws = Draws(3)
    for size in range(11):
        assert len(set(draws.sample(range(10), size))) == size


def test_a_unit_draw_lies_in_zero_to_one():
    draws = Draws(4)
    values = [draws.unit() for _ in range(10_000)]
    assert 0 <= min(values) < 0.01
    assert 0.99 < max(values) < 1
