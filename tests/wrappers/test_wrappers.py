from __future__ import annotations

import doctest
import importlib
import json
import pkgutil

import gymnasium as gym
import pytest
from gymnasium.envs.registration import EnvSpec

import gym_desks.wrappers
from gym_desks import register_desk
from gym_desks.core import DeskSpec
from gym_desks.errors import ConfigurationError
from gym_desks.wrappers import PlainText, StepLimit

register_desk(DeskSpec("toy-answer", "toys:AnswerDesk"))
MODULES = [
    importlib.import_module(f"gym_desks.wrappers.{module.name}")
    for module in pkgutil.iter_modules(gym_desks.wrappers.__path__)
]


def toy():
    return gym.make("Desks/toy-answer-v1")


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
@pytest.mark.usefixtures("best_sandbox")
def test_the_example_of_every_wrapper_runs(module):
    tried = doctest.testmod(module)
    assert tried.attempted > 0
    assert tried.failed == 0


@pytest.mark.parametrize(
    "wrap", [PlainText, lambda env: StepLimit(env, 2), lambda env: PlainText(StepLimit(env, 2))]
)
def test_every_stack_survives_its_spec_as_json(wrap):
    wrapped = wrap(toy())
    again = gym.make(EnvSpec.from_json(wrapped.spec.to_json()))
    assert again.reset(seed=1) == wrapped.reset(seed=1)
    assert again.spec == wrapped.spec


def test_plain_text_is_what_the_agent_reads():
    observation, _ = toy().reset(seed=1)
    bare = PlainText(toy())
    assert bare.reset(seed=1)[0] == json.loads(observation)["output"]
    assert bare.step("nonsense")[0].startswith("error: ")


def test_plain_text_is_used_once():
    with pytest.raises(ConfigurationError, match="once"):
        PlainText(StepLimit(PlainText(toy()), 2))


def test_a_step_limit_is_the_budget_that_the_agent_sees():
    env = StepLimit(toy(), 2)
    assert env.reset(seed=1)[1]["steps_left"] == 2
    env.step("nonsense")
    *_, terminated, truncated, info = env.step("nonsense")
    assert (terminated, truncated, info["end"]) == (True, False, "budget")
    assert env.reset(seed=1, options={"budget": 3})[1]["steps_left"] == 3


@pytest.mark.parametrize("wrong", [0, -1, 2.0, "2", True])
def test_a_limit_that_is_no_number_of_calls_is_an_error(wrong):
    with pytest.raises(ConfigurationError, match="max_calls"):
        StepLimit(toy(), wrong)
