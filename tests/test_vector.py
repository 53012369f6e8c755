"""Registered environments in vectors, in every mode."""

from __future__ import annotations

import json

import gymnasium as gym
import pytest

from gym_desks import submit

ENV_ID = "gym_desks:Desks/deshuffle-v1"
PYTHON = json.dumps({"tool": "python", "args": {"code": "print('é漢🙂', 6 * 7)"}})

pytestmark = pytest.mark.usefixtures("best_sandbox")


def sync_openings():
    envs = gym.make_vec(ENV_ID, num_envs=2, vectorization_mode="sync")
    try:
        return tuple(envs.reset(seed=11)[0])
    finally:
        envs.close()


@pytest.mark.parametrize("context", ["fork", "spawn", "forkserver"])
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_asynchronous_environments_play_like_synchronous_ones(context):
    envs = gym.make_vec(
        ENV_ID, num_envs=2, vectorization_mode="async", vector_kwargs={"context": context}
    )
    try:
        opening, info = envs.reset(seed=11)
        assert tuple(opening) == sync_openings()
        assert info["instance_seed"].tolist() == [11, 12]
        seen, *_ = envs.step((PYTHON, PYTHON))
        assert [json.loads(text)["output"] for text in seen] == ["é漢🙂 42"] * 2
    finally:
        envs.close()


def test_settings_of_the_constructor_outlive_an_automatic_reset():
    envs = gym.make_vec(ENV_ID, num_envs=2, vectorization_mode="sync", index=2**62)
    try:
        _, info = envs.reset(seed=1)
        envs.step((str(submit()), str(submit())))
        _, _, _, _, after = envs.step((PYTHON, PYTHON))
        assert after["instance"]["index"].tolist() == [2**62, 2**62]
        assert list(after["instance_id"]) == list(info["instance_id"])
    finally:
        envs.close()


def test_a_worker_that_is_forked_while_a_sandbox_is_open_opens_its_own():
    held = gym.make(ENV_ID)
    held.reset(seed=1)
    held.step(PYTHON)
    envs = gym.make_vec(
        ENV_ID, num_envs=2, vectorization_mode="async", vector_kwargs={"context": "fork"}
    )
    try:
        envs.reset(seed=1)
        seen, *_ = envs.step((PYTHON, PYTHON))
        assert [json.loads(text)["output"] for text in seen] == ["é漢🙂 42"] * 2
    finally:
        envs.close()
    observation, *_ = held.step(PYTHON)
    assert json.loads(observation)["output"] == "é漢🙂 42"
    held.close()
