"""The truth is found three times: by the generator, by the oracle, and by a re-derivation."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import gymnasium as gym
import pytest
from desks.math_reasoning import rederive as third
from desks.math_reasoning.drawing import DESK, LEVELS, SPLITS, kind_of, made, many

import gym_desks.desks.math_reasoning as package
from gym_desks import play, submit
from gym_desks.desks.math_reasoning import hasty, reading, solving
from gym_desks.desks.math_reasoning.grade import grade_answer
from gym_desks.desks.math_reasoning.kinds import KINDS
from gym_desks.desks.math_reasoning.kinds.knights import Island, Statement, solutions

KIND_NAMES = {kind.name for kind in KINDS}
BLIND = ("policies", "reading", "hasty", "solving")


def answers(policy, brief):
    return next(policy(brief)).args["answer"]


@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize("level", LEVELS)
def test_the_oracle_scores_one_missed_nothing_and_finishing_nothing(level, split):
    env = gym.make(f"Desks/math-reasoning-l{level}-v1", split=split)
    for seed in range(25):
        assert play(env, DESK.oracle, seed=seed).reward == 1.0
        missed = play(env, DESK.missed, seed=seed)
        assert (missed.reward, missed.steps[-1].info["end"]) == (0.0, "submitted")
        env.reset(seed=seed)
        assert env.step(str(submit()))[1] == 0.0
    env.close()


@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize("level", LEVELS)
def test_all_three_agree_on_every_kind(level, split):
    instances = many(level, 120, split)
    assert {kind_of(instance) for instance in instances} == KIND_NAMES
    for instance in instances:
        brief = instance.task.brief
        assert grade_answer(instance.key, third.rederive(brief)).reward == 1.0, brief
        assert grade_answer(instance.key, answers(DESK.oracle, brief)).reward == 1.0, brief
        assert grade_answer(instance.key, answers(DESK.missed, brief)).reward == 0.0, brief


def test_a_sentence_that_matters_to_nothing_changes_no_answer():
    told = [i for i in many(2, 200) if i.task.facts["distractors"]]
    assert len(told) > 60
    for instance in told:
        first, *rest = instance.task.brief.split("\n\n")
        words = ("centimetres", "coins", "book", "cheese")
        asides = [s for s in third.sentences(first) if third.has(s, *words)]
        assert len(asides) == 1
        shorter = first.replace(" ".join(asides[0]) + " ", "")
        assert len(shorter) < len(first)
        assert answers(DESK.oracle, "\n\n".join([shorter, *rest])) == answers(
            DESK.oracle, instance.task.brief
        )


def test_an_oracle_that_misreads_a_number_would_be_found():
    instance = next(i for i in many(2, 60) if kind_of(i) == "schedules")
    problem = reading.problem_in(instance.task.brief)
    longest = max(problem.parts, key=lambda who: problem.parts[who][0])
    minutes, after = problem.parts[longest]
    other = reading.Plan(problem.parts | {longest: (minutes + 1000, after)})
    assert grade_answer(instance.key, solving.solved(problem)).reward == 1.0
    assert grade_answer(instance.key, solving.solved(other)).reward == 0.0


def test_every_kind_has_its_own_shortcut():
    seen = {}
    for instance in many(2, 120):
        problem = reading.problem_in(instance.task.brief)
        assert hasty.simplified(problem) != problem
        seen[kind_of(instance)] = type(problem)
    assert len(set(seen.values())) == len(KIND_NAMES)


def test_a_text_that_states_no_problem_is_refused():
    with pytest.raises(ValueError, match="no problem of a known kind"):
        reading.problem_in("What is the number?")


def test_brute_force_tells_one_solution_from_several_and_from_none():
    def island(*statements):
        return Island(("Ada", "Bela", "Cora"), tuple(Statement(*s, 1) for s in statements))

    several = island(("Ada", "knight", ("Bela",)), ("Bela", "knight", ("Ada",)))
    assert len(solutions(several)) == 4
    none = island(("Ada", "knave", ("Bela",)), ("Bela", "knight", ("Ada",)))
    assert solutions(none) == []
    one = island(
        ("Ada", "both", ("Bela", "Cora")),
        ("Bela", "knave", ("Ada",)),
        ("Cora", "differ", ("Ada", "Bela")),
    )
    assert solutions(one) == [frozenset({"Bela", "Cora"})]


def imports(path):
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{name.name}" for name in node.names)


def test_the_re_derivation_imports_nothing_of_the_suite():
    assert not [name for name in imports(Path(third.__file__)) if "gym_desks" in name]


@pytest.mark.parametrize("module", BLIND)
def test_scripted_agents_share_nothing_with_what_makes_their_tasks(module):
    path = Path(package.__file__).with_name(f"{module}.py")
    own = {f"gym_desks.desks.math_reasoning.{name}" for name in BLIND}
    for name in imports(path):
        allowed = name in own or name.rpartition(".")[0] in own
        assert allowed or name.startswith("gym_desks.core.action") or "gym_desks" not in name


def test_a_policy_gets_the_text_alone():
    env = gym.make("Desks/math-reasoning-v1")
    for seed in range(10):
        observation, _ = env.reset(seed=seed)
        opening = json.loads(observation)["output"]
        assert answers(DESK.oracle, opening) == answers(
            DESK.oracle, made(2, "train", seed).task.brief
        )
    env.close()
