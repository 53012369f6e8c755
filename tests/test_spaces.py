from __future__ import annotations

import json
import pickle

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.spaces import Text, flatten, unflatten
from gymnasium.vector.utils import batch_space
from hypothesis import given
from hypothesis import strategies as st

from gym_desks.spaces import ActionText, UnicodeText

SPACE = UnicodeText(50)
TOOLS = {
    "bash": {"command": "string"},
    "set": {"n": "integer", "x": "number", "on": "boolean?", "items": "array", "table": "object"},
    "pick": {"unit": '"g" | "kg"?'},
    "submit": {},
}


@given(st.text(max_size=60))
def test_a_valid_text_within_the_bounds_is_contained(text):
    assert (text in SPACE) == (len(text) <= 50)


@pytest.mark.parametrize("other", [b"a", None, 1, ["a"], "\ud800", "a\udfff"])
def test_anything_else_is_not_contained_and_does_not_raise(other):
    assert other not in SPACE


def test_both_bounds_count():
    space = UnicodeText(3, min_length=2)
    assert [text in space for text in ("a", "ab", "abc", "abcd")] == [False, True, True, False]
    assert np.str_("ab") in space


def test_samples_are_contained_and_follow_the_seed():
    first, second = UnicodeText(40, seed=1), UnicodeText(40, seed=1)
    for _ in range(50):
        sample = first.sample()
        assert sample in first
        assert sample == second.sample()
    assert len(SPACE.sample(mask=(7, None))) == 7
    with pytest.raises(ValueError, match="does not fit"):
        SPACE.sample(mask=(51, None))
    with pytest.raises(ValueError, match="mask of the length only"):
        SPACE.sample(mask=(7, np.ones(95, dtype=np.int8)))


def test_spaces_are_equal_by_type_and_bounds():
    assert UnicodeText(50) == SPACE != UnicodeText(51)
    assert UnicodeText(50) != UnicodeText(50, min_length=1)
    assert UnicodeText(50) != Text(50, min_length=0)
    assert ActionText({"a": {}}) == ActionText({"b": {"c": "string"}})
    assert ActionText({}, max_length=50) != SPACE


def test_nothing_of_the_character_set_is_stored_or_shown():
    assert len(pickle.dumps(UnicodeText(65_536))) < 10_000
    assert repr(SPACE) == "UnicodeText(0, 50)"
    assert len(SPACE.character_set) == 0x110000
    assert "漢" in SPACE.character_set
    assert SPACE.character_list[0x6F22] == "漢"


@given(st.text(max_size=50))
def test_a_text_survives_flattening(text):
    assert unflatten(SPACE, flatten(SPACE, text)) == text


def test_an_action_sample_is_a_call_with_arguments_of_the_declared_types():
    space = ActionText(TOOLS, seed=1)
    kinds = {"string": str, "integer": int, "number": float, "array": list, "object": dict}
    seen = set()
    for _ in range(200):
        action = json.loads(space.sample())
        seen.add(action["tool"])
        for name, kind in TOOLS[action["tool"]].items():
            if kind in kinds:
                assert isinstance(action["args"][name], kinds[kind])
            if name == "unit":
                assert action["args"][name] in ("g", "kg")
    assert seen == set(TOOLS)
    assert space.sample(mask=(3, None)) in space


def test_a_batch_of_spaces_is_a_tuple_of_texts():
    batch = batch_space(SPACE, 3)
    assert ("a", "é", "") in batch


class Echo(gym.Env):
    """Shows back what it is told, alone or in a dictionary."""

    def __init__(self, nested: bool = False) -> None:
        text = UnicodeText(200)
        self.nested = nested
        self.observation_space = gym.spaces.Dict({"text": text}) if nested else text
        self.action_space = UnicodeText(200)

    def _seen(self, text):
        return {"text": text} if self.nested else text

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        return self._seen(f"start {seed}"), {}

    def step(self, action):
        return self._seen(str(action)), 0.0, action == "end", False, {}


TEXTS = ("plain", "é漢🙂", "", "a\x00b" * 60)


@pytest.mark.parametrize("context", ["fork", "spawn", "forkserver"])
@pytest.mark.parametrize("shared", [True, False])
@pytest.mark.parametrize("nested", [False, True])
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_asynchronous_environments_return_the_right_text(context, shared, nested):
    envs = gym.vector.AsyncVectorEnv(
        [Maker(nested)] * 4, context=context, shared_memory=shared, daemon=True
    )
    try:
        seen, _ = envs.reset(seed=5)
        assert texts(seen, nested) == tuple(f"start {n}" for n in range(5, 9))
        for shift in range(3):
            sent = TEXTS[shift:] + TEXTS[:shift]
            seen, *_ = envs.step(sent)
            assert texts(seen, nested) == sent
        kept = seen
        envs.step(("x",) * 4)
        assert texts(kept, nested) == sent
    finally:
        envs.close()


class Maker:
    def __init__(self, nested):
        self.nested = nested

    def __call__(self):
        return Echo(self.nested)


def texts(seen, nested):
    return tuple(seen["text"]) if nested else tuple(seen)


def test_the_last_observation_is_right_under_autoreset_in_the_same_step():
    envs = gym.vector.AsyncVectorEnv(
        [Maker(False)] * 2, autoreset_mode=gym.vector.AutoresetMode.SAME_STEP
    )
    try:
        envs.reset(seed=1)
        seen, _, terminated, _, info = envs.step(("end", "on"))
        assert tuple(seen) == ("start None", "on")
        assert info["final_obs"][0] == "end"
        assert terminated.tolist() == [True, False]
    finally:
        envs.close()
