from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gym_desks.core.action import MAX_ACTION, Action, json_type, parse_action, submit
from gym_desks.errors import ActionError

LEAVES = st.none() | st.booleans() | st.integers(-1000, 1000) | st.text()
OBJECTS = st.dictionaries(st.text(), LEAVES | st.lists(LEAVES), max_size=4)


@given(st.text(), OBJECTS, OBJECTS)
def test_an_action_survives_its_own_text(tool, args, metadata):
    action = Action(tool, args, metadata)
    if len(str(action)) <= MAX_ACTION:
        assert parse_action(str(action)) == action


def test_args_and_metadata_may_be_left_out():
    assert parse_action('{"tool": "submit"}') == submit()


@pytest.mark.parametrize(
    ("text", "kind", "said"),
    [
        ("", "malformed", "not one JSON object"),
        ("a string", "malformed", "not one JSON object"),
        ('```json\n{"tool": "submit"}\n```', "malformed", "not one JSON object"),
        ('{"tool": "submit"} done', "malformed", "not one JSON object"),
        ('{"tool": "x", "tool": "y"}', "malformed", "occurs twice"),
        ('[{"tool": "submit"}]', "malformed", "JSON array, not an object"),
        ("null", "malformed", "JSON null"),
        ("{}", "action", "'tool' must be a string"),
        ('{"tool": 1}', "action", "'tool' must be a string"),
        ('{"tool": "x", "args": []}', "action", "'args' must be an object, not array"),
        ('{"tool": "x", "metadata": "why"}', "action", "'metadata' must be an object, not string"),
        ('{"tool": "x", "metadata": null}', "action", "'metadata' must be an object, not null"),
        ('{"tool": "x", "arguments": {}}', "action", "unknown key 'arguments'"),
        (b'{"tool": "x"}', "action", "is a bytes, not text"),
        (None, "action", "is a NoneType, not text"),
        ({"tool": "x"}, "action", "is a dict, not text"),
    ],
)
def test_anything_else_is_refused_and_says_what_to_send(text, kind, said):
    with pytest.raises(ActionError, match="Send exactly one JSON object") as caught:
        parse_action(text)
    assert said in str(caught.value)
    assert caught.value.kind == kind


def test_a_reply_longer_than_the_space_is_too_long():
    with pytest.raises(ActionError, match=str(MAX_ACTION)) as caught:
        parse_action(" " * (MAX_ACTION + 1))
    assert caught.value.kind == "too_long"


@given(st.text(max_size=200))
def test_no_text_raises_anything_but_an_action_error(text):
    try:
        parse_action(text)
    except ActionError as error:
        assert len(str(error)) < 400


def test_json_types_have_their_json_names():
    values = {"null": None, "boolean": True, "integer": 1, "number": 1.5, "string": "a"}
    values |= {"array": [], "object": {}}
    assert {name: json_type(value) for name, value in values.items()} == {n: n for n in values}
