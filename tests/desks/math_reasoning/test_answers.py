"""Which answers end an episode, which are errors, and that no trick is paid."""

from __future__ import annotations

import json

import gymnasium as gym
import pytest
from desks.math_reasoning.drawing import DESK, many

from gym_desks import Action, play, submit
from gym_desks.reference import remake

ENV_ID = "Desks/math-reasoning-l2-v1"
FORMS = ("integer", "fraction", "knights")
SEED = {
    form: next(n for n, i in enumerate(many(2, 60)) if i.task.data["answer_form"] == form)
    for form in FORMS
}
TRUTH = {form: remake(ENV_ID, SEED[form]).key.answer for form in FORMS}
SENT = {**TRUTH, "knights": {"knights": list(TRUTH["knights"])}}

EVERYWHERE = [
    "null",
    "true",
    "false",
    '""',
    "[]",
    "{}",
    "NaN",
    "Infinity",
    "-Infinity",
    "1e400",
    "-0.0",
    '"1_000"',
    '"１２"',
    '"١٢"',
    "[12]",
    '{"v": 12}',
    '{"answer": 12}',
    "9" * 31,
    "9" * 301,
    "9" * 5000,
    "[" * 40 + "]" * 40,
    '{"a": 1, "a": 2}',
    '{"knights": ["A"], "knights": ["B"]}',
    '"\\ud800"',
    '"2/4"',
    '"1/0"',
    '"-0/1"',
    '"1/2 "',
    '"+1/2"',
    '"1/-2"',
    '"0.5"',
    '"1 1/2"',
    "0.5",
    '{"knights": "Ada"}',
    '{"knights": ["Ada", "Ada"]}',
    '{"knights": [1]}',
    '{"knights": [], "x": 1}',
    '{"knaves": []}',
    '["Ada"]',
    '{"knights": null}',
    '"A or B"',
    '"' + "x" * 60_000 + '"',
]


@pytest.fixture
def env():
    made = gym.make(ENV_ID)
    yield made.unwrapped
    made.close()


def begun(env, form):
    return env.reset(seed=SEED[form])


def raw(answer):
    return f'{{"tool": "submit", "args": {{"answer": {answer}}}}}'


def ill_formed(form):
    truth = TRUTH[form]
    if form == "integer":
        return [str(truth), float(truth), [truth], {"v": truth}, f"{truth}/1", True, None]
    if form == "fraction":
        doubled = "/".join(str(2 * int(part)) for part in truth.split("/"))
        spaced, typeset = truth.replace("/", " / "), truth.replace("/", "\u2044")
        return [doubled, f" {truth}", f"{truth}\n", f"+{truth}", spaced, typeset, [truth], 0.5, 3]
    return [
        list(truth),
        ", ".join(truth),
        {"knights": ", ".join(truth)},
        dict.fromkeys(truth, True),
        {"knights": [*truth, truth[0]]},
        {"knights": list(truth), "knaves": []},
        {},
    ]


@pytest.mark.parametrize("form", FORMS)
def test_the_brief_and_the_tool_state_the_type_of_the_answer(env, form):
    opening = json.loads(begun(env, form)[0])["output"]
    named = {"integer": "integer", "fraction": "string", "knights": "object"}[form]
    assert f"The answer is a JSON {named}" in opening
    assert f'- submit {{"answer": {named}}}: submit the answer' in opening


@pytest.mark.parametrize("form", FORMS)
def test_the_right_answer_ends_with_one(env, form):
    begun(env, form)
    _, reward, terminated, _, info = env.step(str(submit(SENT[form])))
    assert (reward, terminated, info["end"], info["steps_left"]) == (1.0, True, "submitted", 1)


def test_the_order_of_knights_does_not_matter(env):
    begun(env, "knights")
    backwards = {"knights": list(TRUTH["knights"])[::-1]}
    assert env.step(str(submit(backwards)))[1] == 1.0


@pytest.mark.parametrize("form", FORMS)
def test_an_ill_formed_first_answer_may_be_repaired_with_the_second_call(env, form):
    for wrong in ill_formed(form):
        begun(env, form)
        observation, reward, terminated, _, info = env.step(
            str(Action("submit", {"answer": wrong}))
        )
        assert (reward, terminated, info["error"], info["steps_left"]) == (0, False, "arguments", 1)
        assert "expected args" in json.loads(observation)["output"]
        _, reward, terminated, _, info = env.step(str(submit(SENT[form])))
        assert (reward, terminated, info["end"]) == (1.0, True, "submitted")


@pytest.mark.parametrize("form", FORMS)
def test_two_calls_are_not_two_guesses(env, form):
    wrong = {"integer": TRUTH["integer"] + 1, "fraction": "1/2", "knights": {"knights": []}}[form]
    begun(env, form)
    _, reward, terminated, _, info = env.step(str(submit(wrong)))
    assert (reward, terminated, info["end"]) == (0.0, True, "submitted")


@pytest.mark.parametrize("form", FORMS)
def test_a_second_ill_formed_answer_ends_with_nothing(env, form):
    begun(env, form)
    for wrong in ill_formed(form)[:2]:
        _, reward, terminated, truncated, info = env.step(str(Action("submit", {"answer": wrong})))
    assert (reward, terminated, truncated, info["end"]) == (0.0, True, False, "budget")


@pytest.mark.parametrize("form", FORMS)
def test_the_error_says_nothing_about_the_truth(env, form):
    begun(env, form)
    near, far = {
        "integer": (str(TRUTH["integer"]), "7"),
        "fraction": (f"{TRUTH['fraction']} ", "5/7 "),
        "knights": (list(TRUTH["knights"]), ["Nobody"]),
    }[form]
    first = env.step(str(Action("submit", {"answer": near})))[0]
    begun(env, form)
    assert env.step(str(Action("submit", {"answer": far})))[0] == first


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("answer", EVERYWHERE, ids=lambda text: text[:24])
def test_no_trick_is_paid_and_none_raises(env, form, answer):
    begun(env, form)
    observation, reward, _, truncated, info = env.step(raw(answer))
    assert (reward, truncated) == (0.0, False)
    assert info["end"] == "submitted" or info["error"]
    assert observation in env.observation_space


def test_part_of_the_knights_and_all_of_the_people_are_worth_nothing(env):
    begun(env, "knights")
    assert env.step(str(submit({"knights": list(TRUTH["knights"])[:-1]})))[1] == 0.0
    begun(env, "knights")
    more = [*TRUTH["knights"], "Nobody"]
    assert env.step(str(submit({"knights": more})))[1] == 0.0
    begun(env, "knights")
    lowered = [name.lower() for name in TRUTH["knights"]]
    assert env.step(str(submit({"knights": lowered})))[1] == 0.0


def test_a_tool_that_is_not_there_costs_a_call(env):
    begun(env, "integer")
    observation, _, _, _, info = env.step(str(Action("python", {"code": "1"})))
    assert (info["error"], info["steps_left"]) == ("unknown_tool", 1)
    assert "tools: submit" in json.loads(observation)["output"]


def test_reasoning_in_metadata_is_free():
    def reasons(opening):
        action = next(DESK.oracle(opening))
        yield Action(action.tool, action.args, {"reasoning": "step by step"})

    env = gym.make(ENV_ID)
    assert play(env, reasons, seed=3).reward == 1.0
    env.close()
