"""The codec takes what is written as it must be, and nothing else, and never raises."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from gym_desks.kit import codec

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=8,
)
READERS = [
    codec.integer,
    codec.fraction,
    codec.names,
    lambda value: codec.named_set(value, "knights"),
]
NO_INTEGER = [
    True,
    False,
    None,
    12.0,
    -0.0,
    float("nan"),
    float("inf"),
    "12",
    "\uff11\uff12",
    "1_000",
    [12],
    {"v": 12},
    10**30,
    -(10**30),
    10**400,
    b"12",
]
NO_FRACTION = [
    "2/4",
    "4/2/1",
    "1/0",
    "0/0",
    "0/2",
    "-0/1",
    "1/-2",
    "-1/-2",
    "+1/2",
    " 1/2",
    "1/2 ",
    "1/2\n",
    "1 / 2",
    "01/2",
    "1/02",
    "1",
    "0.5",
    "1 1/2",
    "\u0661/\u0662",
    "\uff11/\uff12",
    "1\u20442",
    "\u00bd",
    "1_0/3",
    "1e1/3",
    "",
    "/",
    f"1/{10**30}",
    f"{10**30}/7",
    0.5,
    1,
    True,
    None,
    ["1/2"],
    [1, 2],
    b"1/2",
]
NO_NAMES = [
    None,
    "Ada",
    ["Ada", "Ada"],
    ["Ada", 1],
    [True],
    [""],
    ["x" * 61],
    [["Ada"]],
    {"Ada": 1},
    ("Ada",),
    [f"n{i}" for i in range(101)],
]


@pytest.mark.parametrize("value", NO_INTEGER, ids=repr)
def test_what_is_no_integer(value):
    assert codec.integer(value) is None


@pytest.mark.parametrize("value", NO_FRACTION, ids=repr)
def test_what_is_no_reduced_fraction(value):
    assert codec.fraction(value) is None


@pytest.mark.parametrize("value", NO_NAMES, ids=lambda value: repr(value)[:30])
def test_what_is_no_set_of_names(value):
    assert codec.names(value) is None


@pytest.mark.parametrize(
    "value", [[], None, {}, {"knights": "Ada"}, {"knights": [], "x": 1}, {"Knights": []}]
)
def test_what_is_no_named_set(value):
    assert codec.named_set(value, "knights") is None


@given(st.integers(-(10**30) + 1, 10**30 - 1))
def test_an_integer_is_read_as_it_is(value):
    assert codec.integer(value) == value


@given(st.fractions())
def test_a_fraction_is_read_in_its_lowest_terms_alone(value):
    written = f"{value.numerator}/{value.denominator}"
    fits = max(abs(value.numerator), value.denominator) < 10**30
    assert codec.fraction(written) == (value if fits else None)
    assert codec.fraction(f"{2 * value.numerator}/{2 * value.denominator}") is None


@given(st.lists(st.text(min_size=1, max_size=60), unique=True, max_size=100))
def test_the_order_of_names_does_not_matter(value):
    assert codec.names(value) == codec.names(value[::-1]) == frozenset(value)


@given(JSON)
def test_no_value_makes_a_reader_raise(value):
    for read in READERS:
        read(value)


@pytest.mark.parametrize(
    ("answer_type", "right", "wrong"),
    [(codec.IntegerAnswer, 12, NO_INTEGER), (codec.FractionAnswer, "-3/7", NO_FRACTION)],
)
def test_the_types_take_what_the_readers_take(answer_type, right, wrong):
    adapter = TypeAdapter(answer_type)
    assert adapter.validate_python(right, strict=True) == right
    for value in wrong:
        with pytest.raises(ValidationError):
            adapter.validate_python(value, strict=True)


def test_what_a_fraction_means():
    assert codec.fraction("-7/45") == Fraction(-7, 45)
    assert codec.fraction("3/1") == 3
