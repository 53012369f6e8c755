from __future__ import annotations

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gym_desks.core import strict_json

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(JSON)
def test_whatever_is_json_is_read_as_the_standard_library_reads_it(value):
    text = json.dumps(value)
    assert strict_json.parse(text) == json.loads(text)


@given(st.text())
def test_any_other_text_is_a_value_error(text):
    try:
        strict_json.parse(text)
    except ValueError:
        return
    json.loads(text)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"a": 1, "a": 2}', "twice"),
        ("[NaN]", "NaN"),
        ("-Infinity", "Infinity"),
        ("1e999", "not finite"),
        ("9" * 5000, "digits"),
        ("[" * 3000 + "]" * 3000, "deeper"),
        ("[" * 100_000, "deeper"),
        ('{"a":' * 33 + "1" + "}" * 33, "deeper"),
        ('{"a": 1} tail', "Extra data"),
        ("", "Expecting value"),
        ("'a'", "Expecting value"),
        ("{a: 1}", "property name"),
    ],
)
def test_what_is_not_one_strict_document_is_refused_with_its_reason(text, reason):
    with pytest.raises(ValueError, match=reason):
        strict_json.parse(text)


def test_brackets_inside_strings_are_no_depth():
    assert strict_json.parse(json.dumps("[" * 500 + '\\"{')) == "[" * 500 + '\\"{'


HOSTILE = {
    "quotes": '"' * 400_000,
    "backslashes": "\\" * 400_000,
    "escapes": '"' + '\\"' * 400_000,
    "open string": '"' + "a" * 2_000_000,
    "brackets": "[" * 400_000,
    "keys": "{" + ",".join(f'"{n}":1' for n in range(40_000)) + ',"39999":1}',
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_no_text_costs_more_than_its_length(text):
    start = time.perf_counter()
    with pytest.raises(ValueError, match=r"deeper|twice|Expecting|Extra|Unterminated|Invalid"):
        strict_json.parse(text)
    assert time.perf_counter() - start < 2
