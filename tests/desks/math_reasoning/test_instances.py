"""What instances are like in the many: distinct, hard to guess, apart by split and level."""

from __future__ import annotations

import json
import math
import os
import re
import statistics
import subprocess
import sys
import time
from collections import Counter
from fractions import Fraction

import gymnasium as gym
import pytest
from desks.math_reasoning import rederive as third
from desks.math_reasoning.drawing import DESK, LEVELS, SPLITS, kind_of, made, many
from pydantic import ValidationError

from gym_desks.core import Draws, Streams
from gym_desks.desks.math_reasoning.kinds import KINDS, Scene
from gym_desks.desks.math_reasoning.phrasing import phrasings
from gym_desks.kit import gates

SEEDS = 2000
KNIGHTS = next(kind for kind in KINDS if kind.name == "knights")

GOLDEN = {
    1: "a388348b23c67481",
    2: "d6bfa5cb38e4bc27",
    3: "8f3f62b51b4625a1",
}
DIGEST = """
import hashlib, json
from gym_desks.core import Streams
from gym_desks.desks import load_desk
desk = load_desk("gym_desks.desks.math_reasoning:MathReasoningDesk")
found = {}
for level in (1, 2, 3):
    made = []
    for split in ("train", "eval"):
        for seed in range(40):
            settings = desk.settings_type(level=level, split=split)
            instance = desk.generate(Streams(desk.family, level, split, seed), settings)
            made.append([instance.task.model_dump(), instance.key.model_dump()])
    found[level] = hashlib.sha256(json.dumps(made, sort_keys=True).encode()).hexdigest()[:16]
print(json.dumps(found))
"""


def above(count, total, share):
    """Whether a share is exceeded for sure: the lower end of Wilson's 95 % interval."""
    z, p = 1.96, count / total
    middle = p + z * z / (2 * total)
    spread = z * math.sqrt(p * (1 - p) / total + z * z / (4 * total * total))
    return (middle - spread) / (1 + z * z / total) > share


@pytest.mark.parametrize("level", LEVELS)
def test_no_constant_answer_is_worth_much_and_answers_are_spread(level):
    answers = Counter(str(i.key.answer) for i in many(level, SEEDS))
    assert answers.most_common(1)[0][1] <= 0.02 * SEEDS
    entropy = -sum(n / SEEDS * math.log2(n / SEEDS) for n in answers.values())
    assert entropy >= 10


@pytest.mark.parametrize("level", LEVELS)
def test_no_constant_answer_is_worth_much_on_a_kind(level):
    by_kind = {}
    for instance in many(level, SEEDS):
        by_kind.setdefault(kind_of(instance), Counter())[str(instance.key.answer)] += 1
    assert len(by_kind) == len(KINDS)
    for kind, answers in by_kind.items():
        assert answers.total() > SEEDS / 16, kind
        assert not above(answers.most_common(1)[0][1], answers.total(), 0.04), kind


@pytest.mark.parametrize(
    ("level", "count", "most"), [(1, 10_000, 0.08), (2, SEEDS, 0.04), (3, 1000, 0.01)]
)
def test_no_pattern_of_knights_is_worth_much(level, count, most):
    draws = Draws(level)
    patterns = Counter()
    for _ in range(count):
        cast = [f"P{n}" for n in range(19)]
        world = KNIGHTS.draw(Scene(draws, level, cast, "test"))
        knights = KNIGHTS.truth(world)
        patterns["".join("X" if p in knights else "." for p in world.people)] += 1
    assert patterns.most_common(1)[0][1] <= most * count
    assert not any(set(pattern) == {"."} for pattern in patterns)


@pytest.mark.parametrize("level", LEVELS)
def test_no_two_instances_are_alike(level):
    briefs = [instance.task.brief for split in SPLITS for instance in many(level, SEEDS, split)]
    assert len(set(briefs)) == len(briefs) == 2 * SEEDS


@pytest.mark.parametrize("level", LEVELS)
def test_answers_are_large_and_stand_nowhere_in_the_brief(level):
    for instance in many(level, SEEDS):
        match instance.key.answer:
            case int(answer):
                assert answer >= 100
                assert str(answer) not in re.findall(r"\d+", instance.task.brief)
            case str(answer):
                assert Fraction(answer).denominator >= 30
                assert answer not in instance.task.brief
            case names:
                assert names
                assert all(re.search(rf"\b{name}\b", instance.task.brief) for name in names)


def test_the_levels_rise_in_steps_of_working_and_in_length():
    steps, lengths, aside = {}, {}, {}
    for level in LEVELS:
        facts = [instance.task.facts for instance in many(level, SEEDS)]
        steps[level] = [fact["steps"] for fact in facts]
        aside[level] = sum(fact["distractors"] for fact in facts) / SEEDS
        lengths[level] = statistics.median(len(i.task.brief) for i in many(level, SEEDS))
    assert (min(steps[1]), max(steps[1])) == (2, 4)
    assert (min(steps[2]), max(steps[2])) == (5, 9)
    assert min(steps[3]) >= 10
    assert lengths[1] < lengths[2] < lengths[3]
    assert aside[1] == 0
    assert all(0.45 < aside[level] < 0.55 for level in (2, 3))


@pytest.mark.parametrize(("level", "people"), [(1, {4}), (2, {6, 7}), (3, {10})])
def test_an_island_has_as_many_people_as_its_level_says(level, people):
    islands = [i for i in many(level, 300) if kind_of(i) == "knights"]
    assert {len(third.people(third.sentences(i.task.brief.split("\n\n")[0])[0]))
            for i in islands} == people  # fmt: skip


def skeletons(split):
    """Every sentence about a problem, without its names, numbers and letters."""
    found = set()
    for level in LEVELS:
        for instance in many(level, SEEDS, split):
            for sentence in third.sentences(instance.task.brief.split("\n\n")[0]):
                masked = re.sub(r"\d+|\b[B-Z]\b", "#", " ".join(sentence))
                found.add(re.sub("|".join(third.people(sentence)) or "$^", "N", masked))
    return found


def test_the_splits_share_no_name_no_wording_and_no_instance():
    names = {
        split: {n for level in LEVELS for i in many(level, SEEDS, split)
                for n in third.people(third.sentences(i.task.brief.split("\n\n")[0] + ".")[0])}
        for split in SPLITS
    }  # fmt: skip
    assert not names["train"] & names["eval"]
    assert not skeletons("train") & skeletons("eval")
    ids = [{i.task.instance_id for i in many(2, SEEDS, split)} for split in SPLITS]
    assert not ids[0] & ids[1]


def templates(value):
    if isinstance(value, str):
        yield value
        return
    for part in value.values() if isinstance(value, dict) else value:
        yield from templates(part)


def test_every_wording_stands_once_and_in_one_split():
    listed = [t for split in SPLITS for t in templates(dict(phrasings(split)))]
    assert len(listed) == len(set(listed)) > 150


def test_every_kind_can_be_told_in_a_dozen_ways_or_more():
    for split in SPLITS:
        for kind in KINDS:
            slots = phrasings(split)[kind.name]
            whole = [
                len(slots[s]) for s in ("opening", "manner", "repeat", "question") if s in slots
            ]
            own = [len(v) for s, v in slots.items()
                   if s not in ("opening", "manner", "repeat", "question")]  # fmt: skip
            assert math.prod(whole) * max(own) >= 8, (split, kind.name)


@pytest.mark.parametrize("hash_seed", ["0", "1", "4242"])
def test_instances_do_not_move(hash_seed):
    elsewhere = {"TZ": "Asia/Kathmandu", "LC_ALL": "tr_TR.UTF-8"} if hash_seed != "0" else {}
    env = {**os.environ, "PYTHONHASHSEED": hash_seed, **elsewhere}
    run = subprocess.run(
        [sys.executable, "-c", DIGEST], capture_output=True, text=True, check=True, env=env
    )
    assert {int(k): v for k, v in json.loads(run.stdout).items()} == GOLDEN


def test_a_reset_is_fast():
    env = gym.make("Desks/math-reasoning-l2-v1")
    env.reset(seed=0)
    taken = []
    for seed in range(1, 120):
        start = time.perf_counter()
        env.reset(seed=seed)
        taken.append(time.perf_counter() - start)
    env.close()
    assert statistics.median(taken) < 0.015


@pytest.mark.parametrize("level", LEVELS)
def test_most_draws_of_every_kind_pass_the_gates(level, monkeypatch):
    """More than half rejected would call for another design."""
    rejected = Counter()
    monkeypatch.setattr(gates._log, "debug", lambda *told: rejected.update({told[1]: told[2]}))
    settings = DESK.settings_type(level=level)
    kinds = Counter()
    for seed in range(400):
        streams = Streams(DESK.family, level, "train", seed)
        kinds[kind_of(DESK.generate(streams, settings))] += 1
    by_kind = Counter()
    for what, total in rejected.items():
        if not what.endswith("knights"):
            by_kind[kind_of(made(level, "train", int(what.split()[-1])))] += total
    assert len(kinds) == len(KINDS)
    assert all(by_kind[kind] <= kinds[kind] for kind in kinds), by_kind
    inner = sum(total for what, total in rejected.items() if what.endswith("knights"))
    assert inner <= 4 * kinds["knights"]


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"variant": "with"}, "variant"),
        ({"control_rate": 0.2}, "control_rate"),
        ({"level": 4}, r"level\n.*1, 2 or 3"),
        ({"level": "2"}, r"level\n.*1, 2 or 3"),
        ({"split": "test"}, r"split\n.*'train' or 'eval'"),
    ],
)
def test_a_wrong_setting_is_an_error_at_construction(settings, said):
    with pytest.raises(ValidationError, match=said):
        gym.make("Desks/math-reasoning-v1", **settings)


def test_ids_levels_and_what_info_tells():
    told = {}
    for level in LEVELS:
        env = gym.make(f"Desks/math-reasoning-l{level}-v1")
        told[level] = env.reset(seed=1)[1]
        env.close()
        again = gym.make("Desks/math-reasoning-v1", level=level)
        assert again.reset(seed=1)[1] == told[level]
        again.close()
        assert told[level]["task_id"] == f"math-reasoning-l{level}"
        assert told[level]["level"] == level
        assert set(told[level]["instance"]) == {"kind", "steps", "distractors"}
    default = gym.make("Desks/math-reasoning-v1")
    assert default.reset(seed=1)[1] == told[2]
    assert default.reset(seed=1, options={"level": 3})[1] == told[3]
    default.close()
    assert made(1, "train", 1) != made(1, "eval", 1)
