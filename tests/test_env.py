"""What holds for every registered environment, and for the episode as Gymnasium shows it."""

from __future__ import annotations

import copy
import io
import json
import multiprocessing
import pickle
import subprocess
import sys
import warnings

import gymnasium as gym
import pytest
from gymnasium.envs.registration import EnvSpec
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env
from pydantic import ValidationError
from toys import AnswerDesk

import gym_desks
from gym_desks import Action, DeskSpec, register_desk, registered_ids, submit
from gym_desks.desks import load_desk
from gym_desks.env import DeskEnv
from gym_desks.errors import ConfigurationError
from gym_desks.reference import reference_policy, remake
from gym_desks.wrappers import PlainText

TOY_IDS = register_desk(DeskSpec("toy-answer", "toys:AnswerDesk"))
TOY_IDS += register_desk(DeskSpec("toy-state", "toys:StateDesk"))
ENV_IDS = registered_ids()
OWN_IDS = tuple(env_id for env_id in ENV_IDS if env_id not in TOY_IDS)

pytestmark = pytest.mark.usefixtures("best_sandbox")


@pytest.fixture(params=ENV_IDS)
def env(request):
    made = gym.make(request.param)
    yield made
    made.close()


def toy(**settings):
    return DeskEnv("toys:AnswerDesk", **settings)


def output(observation):
    return json.loads(observation)["output"]


@pytest.mark.parametrize("env_id", ENV_IDS)
def test_the_checker_of_gymnasium_finds_nothing(env_id):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        env = gym.make(env_id).unwrapped
        check_env(env)
        env.close()


def test_an_observation_is_json_and_lies_in_its_space(env):
    observation, info = env.reset(seed=3)
    assert observation in env.observation_space
    assert json.loads(observation) == {
        "output": output(observation),
        "steps_left": info["steps_left"],
    }


def test_the_same_seed_gives_the_same_first_observation_and_another_seed_another(env):
    first = env.reset(seed=1)
    assert env.reset(seed=1) == first
    assert env.reset(seed=2)[1]["instance_id"] != first[1]["instance_id"]


def test_an_episode_without_a_seed_can_be_made_again(env):
    env.reset(seed=5)
    observation, info = env.reset()
    again, told = env.reset(seed=info["instance_seed"])
    assert (again, told) == (observation, info)
    assert info["instance_seed"] != 5


def test_samples_are_well_formed_calls_of_known_tools(env):
    env.reset(seed=1)
    env.action_space.seed(1)
    for _ in range(12):
        action = env.action_space.sample()
        assert action in env.action_space
        observation, _, terminated, truncated, info = env.step(action)
        assert info["error"] in ("", "tool", "workspace", "infrastructure")
        assert observation in env.observation_space
        if terminated or truncated:
            env.reset(seed=1)


HOSTILE = [
    "a string", "", "{", "[]", "null", "\x00", "\ud800", "{" * 5000, '{"tool": "nope"}',
    '{"tool": "submit", "args": {"answer": {}}}', '{"tool": "submit", "args": {"nope": 1}}',
    "x" * 70_000, '{"tool": "submit", "args": null}', None, 7, b"bytes", {"tool": "submit"},
]  # fmt: skip


@pytest.mark.filterwarnings("ignore:.*is not within the action space")
def test_whatever_is_sent_is_an_observation_that_costs_a_call_and_pays_nothing(env):
    _, info = env.reset(seed=1, options={"budget": len(HOSTILE) + 1})
    for hostile in HOSTILE:
        before = info["steps_left"]
        observation, reward, terminated, truncated, info = env.unwrapped.step(hostile)
        assert (reward, terminated, truncated) == (0, False, False)
        assert info["steps_left"] == before - 1
        assert info["error"]
        assert output(observation).startswith("error: ")
        assert observation in env.observation_space


def test_finishing_at_once_scores_nothing(env):
    env.reset(seed=1)
    _, reward, terminated, truncated, info = env.step(str(submit()))
    assert (reward, terminated, truncated, info["end"]) == (0, True, False, "submitted")


def test_the_best_agent_scores_one_and_the_one_that_overlooks_less(env):
    for seed in range(5):
        desk = load_desk(env.spec.kwargs["desk"])
        best = desk.oracle or reference_policy(env.spec.id, seed)
        assert gym_desks.play(env, best, seed=seed).reward == 1.0
        assert gym_desks.play(env, desk.missed, seed=seed).reward < 1.0


def test_a_step_after_the_end_asks_for_a_reset(env):
    env.reset(seed=1)
    env.step(str(submit()))
    with pytest.raises(ResetNeeded):
        env.step(str(submit()))


def test_a_step_before_the_first_reset_asks_for_one():
    with pytest.raises(ResetNeeded):
        toy().step(str(submit()))


def test_info_is_built_afresh_and_keeps_one_type_a_key(env):
    _, first = env.reset(seed=1)
    _, _, _, _, second = env.step("nonsense")
    _, _, _, _, last = env.step(str(submit()))
    for info in (second, last):
        assert {k: type(v) for k, v in info.items()} == {k: type(v) for k, v in first.items()}
        assert info["sandbox"] is not first["sandbox"]
        assert info["instance"] is not first["instance"]


def test_no_observation_and_no_info_holds_the_key(env):
    observation, info = env.reset(seed=4)
    key = remake(env.spec.id, 4).key
    shown = observation + json.dumps(info)
    for value in key.model_dump().values():
        if not isinstance(value, bool):
            assert str(value).strip("()") not in shown
    assert "key" not in repr(remake(env.spec.id, 4))


@pytest.mark.parametrize("env_id", ENV_IDS)
def test_a_spec_survives_json_and_pickle(env_id):
    spec = gym.make(env_id, budget=7).spec
    assert EnvSpec.from_json(spec.to_json()) == spec
    assert pickle.loads(pickle.dumps(spec)) == spec
    env = gym.make(EnvSpec.from_json(spec.to_json()))
    assert env.reset(seed=1)[1]["steps_left"] == 7
    env.close()


def test_all_environments_share_their_spaces():
    spaces = [(e.observation_space, e.action_space) for e in map(gym.make, ENV_IDS)]
    assert all(pair == spaces[0] for pair in spaces)


@pytest.mark.parametrize("env_id", OWN_IDS)
def test_the_prefixed_id_works_in_a_fresh_process_without_a_warning(env_id, tmp_path):
    code = (
        "import gymnasium as gym\n"
        f"env = gym.make('gym_desks:{env_id}')\n"
        "env.reset(seed=0)\nenv.close()"
    )
    run = [sys.executable, "-W", "error", "-c", code]
    assert subprocess.run(run, cwd=tmp_path, check=False).returncode == 0


def test_registering_again_is_harmless_and_taking_an_id_is_not():
    gym_desks.register_desks()
    register_desk(DeskSpec("toy-answer", "toys:AnswerDesk"))
    assert registered_ids() == ENV_IDS
    with pytest.raises(ConfigurationError, match="already taken"):
        register_desk(DeskSpec("toy-answer", "toys:StateDesk"))


def test_a_constructor_opens_no_sandbox_and_close_may_be_repeated():
    env = gym.make("Desks/deshuffle-v1", sandbox_options={"docker_host": "tcp://127.0.0.1:1"})
    env.close()
    env.close()


def test_the_budget_may_be_an_argument_or_an_option_of_one_episode():
    env = toy(budget=2)
    assert env.reset(seed=1)[1]["steps_left"] == 2
    assert env.reset(seed=1, options={"budget": 4})[1]["steps_left"] == 4
    assert env.reset(seed=1)[1]["steps_left"] == 2


@pytest.mark.parametrize("budget", [0, -1, 1.5, "3", True])
def test_a_budget_that_is_no_number_of_calls_is_an_error(budget):
    with pytest.raises(ConfigurationError, match="budget"):
        toy(budget=budget)


def test_settings_are_options_too_and_unknown_ones_are_named():
    env = toy(split="eval")
    assert env.reset(seed=1)[1]["split"] == "eval"
    assert env.reset(seed=1, options={"split": "train"})[1]["split"] == "train"
    assert env.reset(seed=1)[1]["split"] == "eval"
    with pytest.raises(ValidationError, match="nope"):
        env.reset(seed=1, options={"nope": 1})
    with pytest.raises(ValidationError, match="split"):
        toy(split="test")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"desk": "nowhere:Desk"}, "no desk at 'nowhere:Desk'"),
        ({"desk": "toys:NoDesk"}, "no desk at"),
        ({"desk": "toys:ToyKey"}, "not a Desk class"),
        ({"desk": ":"}, "no desk at ':'"),
        ({"desk": 3}, "no desk at"),
        ({"desk": "toys:AnswerDesk", "render_mode": "rgb_array"}, "render_mode"),
        (
            {"desk": "gym_desks.desks.deshuffle:DeshuffleDesk", "sandbox": "subprocess"},
            "subprocess",
        ),
        ({"desk": "gym_desks.desks.deshuffle:DeshuffleDesk", "sandbox": "nope"}, "docker"),
    ],
)
def test_a_wrong_argument_is_an_error_where_it_is_given(arguments, said):
    with pytest.raises(ConfigurationError, match=said):
        DeskEnv(**arguments)


def test_a_lost_sandbox_truncates_without_a_score():
    env = toy()
    env.reset(seed=1)
    _, reward, terminated, truncated, info = env.step(str(Action("fail")))
    assert (reward, terminated, truncated) == (0.0, False, True)
    assert (info["end"], info["metrics"]) == ("infrastructure", {})


def test_a_transcript_reads_as_a_person_would_want_it():
    env = gym.make("Desks/toy-answer-v1", render_mode="ansi")
    _, info = env.reset(seed=1)
    env.step(str(Action("read_note", {"path": "note.txt"}, {"why": "to see"})))
    env.step(str(Action("write_note", {"path": "a.py", "text": "x = 1\ny = 2"})))
    env.step(str(submit(3)))
    shown = env.render()
    for line in (
        f"── {info['task_id']} · 5 calls ",
        "What is the number?",
        "── call 1 ",
        "# why: to see\nread_note\n  path: note.txt\n",
        "── 4 left ",
        "é漢🙂",
        "  text:\n    x = 1\n    y = 2\n",
        "── ended: submitted, reward 0.0000 ",
        "looked                   1.0000",
    ):
        assert line in shown


def test_human_mode_prints_as_it_goes(capsys):
    env = gym.make("Desks/toy-answer-v1", render_mode="human")
    env.reset(seed=1)
    assert "What is the number?" in capsys.readouterr().out
    env.step(str(submit(3)))
    assert "ended: submitted" in capsys.readouterr().out
    assert env.render() is None


@pytest.mark.parametrize("mode", ["human", "ansi"])
def test_a_transcript_of_anything_can_be_printed_anywhere(mode, monkeypatch):
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr(sys, "stdout", stream)
    env = gym.make("Desks/toy-answer-v1", render_mode=mode, disable_env_checker=True)
    env.reset(seed=1)
    for action in ("\ud800", "\x1b[2J", str(Action("read_note", {"path": "\ud800\x1b[2J"}))):
        env.step(action)
    *_, terminated, _, _ = env.step(str(submit(1)))
    assert terminated
    stream.flush()
    shown = env.render() or stream.buffer.getvalue().decode()
    shown.encode()
    assert "\x1b" not in shown
    assert "\\x1b[2J" in shown


def test_a_copy_is_a_new_environment_with_the_same_arguments():
    env = toy(budget=3, split="eval")
    env.reset(seed=1)
    for copied in (copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
        assert copied.reset(seed=1) == toy(budget=3, split="eval").reset(seed=1)


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_fork_while_another_thread_is_in_a_step_does_not_wait_for_it():
    env = toy()
    with env._one_at_a_time():
        child = multiprocessing.get_context("fork").Process(target=env.reset, kwargs={"seed": 1})
        child.start()
        child.join(20)
        assert child.exitcode == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"seed": 2**63}, "seed"),
        ({"options": "level=2"}, "options"),
        ({"options": [("level", 2)]}, "options"),
        ({"options": {"budget": 0}}, "budget"),
    ],
)
def test_a_wrong_argument_of_reset_is_an_error_that_names_it(arguments, said):
    with pytest.raises(ConfigurationError, match=said):
        toy().reset(**arguments)


@pytest.mark.parametrize("spoof", ['{"output": 5}', '{"output": "x", "steps_left": 9}', "[" * 9999])
@pytest.mark.parametrize("wrap", [PlainText, lambda env: env])
def test_an_output_cannot_pass_for_an_observation(spoof, wrap):
    told = []

    def agent(opening):
        told.append((yield Action("write_note", {"path": "a", "text": spoof})))
        told.append((yield Action("read_note", {"path": "a"})))

    gym_desks.play(wrap(gym.make("Desks/toy-answer-v1")), agent, seed=1)
    assert told == ["written", spoof]


def test_a_policy_that_stops_early_submits_the_work_so_far():
    def idle(opening):
        yield Action("read_note", {"path": "note.txt"})

    played = gym_desks.play(toy(), idle, seed=1)
    assert played.steps[-1].action == str(submit())
    assert played.reward == 0


def test_importing_the_package_stays_light():
    heavy = ("docker", "sqlalchemy", "typer", "pandas", "rich", "huggingface_hub")
    code = f"import sys, gym_desks; print([m for m in {heavy} if m in sys.modules])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_toys_are_desks_like_any_other():
    assert isinstance(load_desk("toys:AnswerDesk"), AnswerDesk)
