from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toys import AnswerDesk, StateDesk

from gym_desks.core import Action, Settings, Streams, submit
from gym_desks.core.episode import MAX_OBSERVATION, Episode, observation
from gym_desks.core.workspace import CodelessProvider

STREAMS = Streams("toy", 1, "train", 3)
READ = str(Action("read_note", {"path": "note.txt"}))


def begin(desk=None, budget=5):
    desk = desk or AnswerDesk()
    instance = desk.generate(STREAMS, Settings())
    provider = CodelessProvider()
    workspace = provider.begin(instance.task.files)
    return Episode(desk, instance, workspace, provider, budget), instance.key.number


def test_the_opening_states_the_brief_the_tools_and_the_form_of_a_reply():
    episode, _ = begin()
    assert episode.opening.startswith("What is the number?\n\nTools:\n- read_note")
    assert '- submit {"answer": integer}: ' in episode.opening
    assert '{"tool": "<name>", "args": {...}}' in episode.opening


def test_a_tool_call_costs_one_call_and_pays_nothing():
    episode, number = begin()
    reply = episode.call(READ)
    assert reply.output == f"{number} é漢🙂"
    assert (reply.steps_left, reply.reward, reply.end, reply.error) == (4, 0.0, "", "")


def test_the_right_answer_ends_with_one():
    episode, number = begin()
    reply = episode.call(str(submit(number)))
    assert (reply.end, reply.reward, reply.terminated, reply.truncated) == (
        "submitted",
        1.0,
        True,
        False,
    )


def test_a_wrong_answer_of_the_declared_type_ends_with_zero():
    reply = begin()[0].call(str(submit(-1)))
    assert (reply.end, reply.reward) == ("submitted", 0.0)


@pytest.mark.parametrize(
    "args",
    [
        {"answer": "7"},
        {"answer": 7.0},
        {"answer": True},
        {"x": 1},
        {"answer": 1, "x": 2},
        {"answer": None},
    ],
)
def test_any_other_submission_is_an_error_and_costs_a_call(args):
    episode, number = begin()
    reply = episode.call(str(Action("submit", args)))
    assert (reply.end, reply.error, reply.steps_left) == ("", "arguments", 4)
    assert 'expected args {"answer": integer}' in reply.output
    assert episode.call(str(submit(number))).reward == 1


def test_finishing_scores_the_work_so_far():
    assert begin()[0].call(str(submit())).reward == 0
    episode, number = begin(StateDesk())
    episode.call(str(Action("write_note", {"path": "answer.txt", "text": str(number)})))
    reply = episode.call(str(submit()))
    assert (reply.end, reply.reward) == ("submitted", 1.0)


def test_a_state_desk_takes_no_answer():
    episode, _ = begin(StateDesk())
    assert episode.call(str(submit(3))).error == "arguments"


def test_the_last_call_ends_the_episode_and_still_shows_its_output():
    episode, number = begin(budget=1)
    reply = episode.call(READ)
    assert (reply.end, reply.reward, reply.steps_left) == ("budget", 0.0, 0)
    assert str(number) in reply.output
    assert reply.metrics == {"looked": 1.0}


def test_a_state_desk_is_scored_by_its_state_when_the_budget_is_spent():
    episode, number = begin(StateDesk(), budget=1)
    reply = episode.call(str(Action("write_note", {"path": "answer.txt", "text": str(number)})))
    assert (reply.end, reply.reward) == ("budget", 1.0)


def test_errors_spend_the_budget_too():
    episode, _ = begin(budget=2)
    assert episode.call("nonsense").error == "malformed"
    reply = episode.call("nonsense")
    assert (reply.end, reply.error, reply.reward) == ("budget", "malformed", 0.0)


def test_a_lost_sandbox_is_an_end_without_a_score():
    reply = begin()[0].call(str(Action("fail")))
    assert (reply.end, reply.truncated, reply.terminated) == ("infrastructure", True, False)
    assert (reply.reward, reply.metrics) == (0.0, {})


def test_nothing_follows_an_end():
    episode, _ = begin()
    episode.call(str(submit()))
    with pytest.raises(RuntimeError):
        episode.call(READ)


def test_metadata_changes_nothing():
    plain, reasoned = begin()[0], begin()[0]
    action = Action(
        "read_note", {"path": "note.txt"}, {"reasoning": "look first", "tool": "submit"}
    )
    assert plain.call(READ) == reasoned.call(str(action))


@given(st.text(max_size=300))
def test_whatever_is_sent_is_an_observation_and_costs_one_call(text):
    episode, _ = begin()
    reply = episode.call(text)
    assert reply.steps_left == 4
    assert reply.reward == 0


@given(st.text(alphabet=st.characters(), max_size=50), st.integers(0, 400))
def test_an_observation_is_valid_json_within_its_limit(text, times):
    seen = observation(text * times, 3, limit=1000)
    assert len(seen) <= 1000
    value = json.loads(seen)
    assert value["steps_left"] == 3
    seen.encode("utf-8")


@given(st.text(alphabet='ab\x00\n"\\é🙂', max_size=900))
def test_an_output_that_fits_is_shown_whole(text):
    seen = observation(text, 1, limit=8000)
    assert json.loads(seen)["output"] == text


def test_a_long_output_keeps_head_and_tail_and_says_how_much_is_gone():
    output = json.loads(observation("A" * 100_000 + "Z" * 100_000, 1))["output"]
    assert output.startswith("AAA")
    assert output.endswith("ZZZ")
    assert "characters left out" in output
    assert len(output) > MAX_OBSERVATION * 0.9


def test_lone_surrogates_become_escapes():
    assert json.loads(observation("a\ud800b", 1))["output"] == "a\\ud800b"
