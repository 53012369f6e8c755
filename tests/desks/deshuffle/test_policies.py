"""The scripted agents, at the built-in papers and at real ones."""

from __future__ import annotations

import json
from statistics import mean

import gymnasium as gym
import pytest

from gym_desks import Action, play
from gym_desks.desks.deshuffle import policies, score_reply
from gym_desks.reference import reference_policy, remake

ENV_ID = "Desks/deshuffle-v1"


def rewards(policy, sandbox, tasks, **settings):
    env = gym.make(ENV_ID, sandbox=sandbox, **settings)
    played = [play(env, policy, options={"index": index}) for index in range(tasks)]
    env.close()
    assert not any(trajectory.truncated for trajectory in played)
    return [trajectory.reward for trajectory in played]


@pytest.mark.parametrize("papers", [1, 2])
def test_the_reference_scores_one_on_every_backend(backend_name, papers):
    settings = {"min_papers": papers, "max_papers": papers}
    env = gym.make(ENV_ID, sandbox=backend_name, **settings)
    for seed in range(5):
        played = play(env, reference_policy(ENV_ID, seed, **settings), seed=seed)
        assert played.reward == 1.0
        assert played.metrics["paper_exact_match"] == 1.0
        assert played.metrics["lift"] > 0.4
    env.close()


def test_missed_submits_the_order_shown(backend_name):
    for settings in ({}, {"min_papers": 2, "max_papers": 2}):
        env = gym.make(ENV_ID, sandbox=backend_name, **settings)
        played = play(env, policies.missed, seed=3)
        shown = json.loads(played.steps[-1].action)["args"]["answer"]
        labels = shown if not settings else shown[0]
        assert labels == list(range(1, len(labels) + 1))
        assert played.reward < 1
        env.close()


def test_the_order_shown_lifts_nothing_on_average(best_sandbox):
    env = gym.make(ENV_ID, sandbox=best_sandbox)
    lifts = [play(env, policies.missed, options={"index": n}).metrics["lift"] for n in range(40)]
    env.close()
    assert abs(mean(lifts)) < 0.05


@pytest.mark.parametrize("papers", [1, 2, 3])
def test_overlap_beats_the_order_shown_on_the_builtin_papers(best_sandbox, papers):
    settings = {"min_papers": papers, "max_papers": papers}
    honest = rewards(policies.overlap, best_sandbox, 16, **settings)
    shown = rewards(policies.missed, best_sandbox, 16, **settings)
    assert mean(honest) > mean(shown) + 0.08


@pytest.mark.parametrize("papers", [1, 2])
def test_overlap_beats_the_order_shown_on_real_papers(backend_name, corpora, papers):
    settings = {
        "corpus": str(corpora / "joss-papers.jsonl"), "min_papers": papers, "max_papers": papers
    }  # fmt: skip
    honest = rewards(policies.overlap, backend_name, 32, **settings)
    shown = rewards(policies.missed, backend_name, 32, **settings)
    assert mean(honest) > mean(shown) + 0.1


def test_the_same_answer_scores_the_same_boxed_submitted_and_offline(best_sandbox):
    env = gym.make(ENV_ID, sandbox=best_sandbox, min_papers=2, max_papers=2)
    key = remake(ENV_ID, 6, min_papers=2, max_papers=2).key
    labels = sorted(label for paper in key.papers for label in paper)
    answer = [labels[::2], labels[1::2]]
    boxed = f"The papers are \\boxed{{{json.dumps(answer)}}}."
    rewards = [score_reply(boxed, key.papers).reward]
    for reply in (boxed, str(Action("submit", {"answer": answer}))):
        env.reset(seed=6)
        _, reward, terminated, _, info = env.step(reply)
        assert (terminated, info["end"]) == (True, "submitted")
        rewards.append(reward)
    env.close()
    assert len(set(rewards)) == 1
    assert 0 < rewards[0] < 1


@pytest.mark.parametrize("reply", [r"\boxed{[1, 2]}", r"\boxed{", r"so \boxed{none}", r"\boxed{}"])
def test_an_invalid_box_ends_the_episode_with_nothing(best_sandbox, reply):
    env = gym.make(ENV_ID, sandbox=best_sandbox)
    env.reset(seed=1)
    _, reward, terminated, truncated, info = env.step(reply)
    assert (reward, terminated, truncated, info["end"]) == (0.0, True, False, "submitted")
    assert info["metrics"]["parsed_ok"] == 0
    env.close()


def test_a_box_inside_a_json_object_is_no_answer(best_sandbox):
    env = gym.make(ENV_ID, sandbox=best_sandbox)
    env.reset(seed=1)
    *_, terminated, _, info = env.step('{"reply": "\\\\boxed{[1]}"}')
    assert (terminated, info["error"]) == (False, "action")
    env.close()


def test_exact_mode_pays_only_for_a_perfect_answer(best_sandbox):
    env = gym.make(ENV_ID, sandbox=best_sandbox, reward_mode="exact")
    assert play(env, policies.missed, seed=2).reward == 0
    assert play(env, reference_policy(ENV_ID, 2, reward_mode="exact"), seed=2).reward == 1
    env.close()


def test_the_workspace_counts_for_nothing(best_sandbox):
    env = gym.make(ENV_ID, sandbox=best_sandbox)
    opening, _ = env.reset(seed=2)
    env.step(str(Action("bash", {"command": "rm paragraphs.jsonl; echo [1] > answer.json"})))
    _, reward, terminated, _, _ = env.step('{"tool": "submit", "args": {}}')
    assert (reward, terminated) == (0, True)
    again, _ = env.reset(seed=2)
    output = env.step(str(Action("bash", {"command": "ls"})))[0]
    assert json.loads(output)["output"] == "paragraphs.jsonl"
    assert again == opening
    env.close()
