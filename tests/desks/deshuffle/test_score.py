from __future__ import annotations

import json
from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gym_desks.desks.deshuffle import score_reply
from gym_desks.desks.deshuffle.score import METRICS, boxed_answer, read_reply, score_answer


def box(answer):
    return f"\\boxed{{{json.dumps(answer)}}}"


@st.composite
def partitions(draw, labels=None, smallest=1):
    labels = labels or list(range(1, draw(st.integers(2 * smallest, 14)) + 1))
    order = draw(st.permutations(labels))
    cuts = [n for n in range(smallest, len(order) - smallest + 1) if draw(st.booleans())]
    kept = [n for i, n in enumerate(cuts) if i == 0 or n - cuts[i - 1] >= smallest]
    bounds = [0, *kept, len(order)]
    groups = [list(order[a:b]) for a, b in pairwise(bounds)]
    return [group for group in groups if len(group) >= smallest]


@st.composite
def answered(draw):
    """A truth of at least two papers, and any partition of its labels."""
    papers = draw(partitions().filter(lambda found: len(found) > 1))
    labels = [label for paper in papers for label in paper]
    return draw(partitions(labels=labels)), papers


def item_by_item(groups, papers):
    """B-cubed precision and recall as their authors define them: a mean over items."""
    labels = [label for paper in papers for label in paper]
    group_of = {label: set(group) for group in groups for label in group}
    paper_of = {label: set(paper) for paper in papers for label in paper}
    shared = {label: len(group_of[label] & paper_of[label]) for label in labels}
    precision = sum(Fraction(shared[x], len(group_of[x])) for x in labels) / len(labels)
    recall = sum(Fraction(shared[x], len(paper_of[x])) for x in labels) / len(labels)
    return precision, recall


def pair_by_pair(groups, papers):
    """The share of concordant pairs, by looking at every pair."""
    where = {label: (g, n) for g, group in enumerate(groups) for n, label in enumerate(group)}
    shares = []
    for paper in papers:
        pairs = [
            where[a][1] < where[b][1]
            for n, a in enumerate(paper)
            for b in paper[n + 1 :]
            if where[a][0] == where[b][0]
        ]
        shares.append(Fraction(sum(pairs), len(pairs)) if pairs else Fraction(0))
    return sum(shares) / len(shares)


@given(answered())
def test_the_scorer_agrees_with_one_that_looks_at_every_pair(case):
    groups, papers = case
    precision, recall = item_by_item(groups, papers)
    f1 = 2 * precision * recall / (precision + recall)
    concordance = pair_by_pair(groups, papers)
    grade = score_reply(box(groups), papers)
    exact = sum(paper in groups for paper in papers) / len(papers)
    assert grade.reward == pytest.approx(float(f1 * concordance))
    assert grade.metrics == {
        "parsed_ok": 1,
        "grouping_precision": pytest.approx(float(precision)),
        "grouping_recall": pytest.approx(float(recall)),
        "grouping_f1": pytest.approx(float(f1)),
        "norm_kendall_tau": pytest.approx(float(concordance)),
        "paper_exact_match": pytest.approx(exact),
        "lift": grade.metrics["lift"],
    }


@given(partitions(smallest=2), st.randoms(use_true_random=False))
def test_the_truth_scores_exactly_one_in_any_outer_order(papers, rng):
    said = [list(paper) for paper in papers]
    rng.shuffle(said)
    grade = score_answer(said if len(said) > 1 else said[0], papers)
    assert grade.reward == 1.0
    assert score_answer(said if len(said) > 1 else said[0], papers, exact=True).reward == 1.0


@given(answered())
def test_exact_pays_for_perfect_answers_alone(case):
    groups, papers = case
    graded, exact = score_answer(groups, papers), score_answer(groups, papers, exact=True)
    assert exact.reward == (1.0 if graded.reward == 1.0 else 0.0)
    assert exact.metrics == graded.metrics


@given(st.permutations(range(1, 9)))
def test_one_paper_reduces_to_the_share_of_ordered_pairs(order):
    grade = score_reply(box(order), [list(range(1, 9))])
    ordered = sum(a < b for n, a in enumerate(order) for b in order[n + 1 :])
    assert grade.reward == pytest.approx(ordered / 28)
    assert grade.metrics["lift"] == pytest.approx(grade.reward - 0.5)


# Worked by hand from the definitions.
@pytest.mark.parametrize(
    ("answer", "papers", "f1", "tau"),
    [
        ([1, 2, 3], [[1, 2, 3]], 1, 1),
        ([3, 2, 1], [[1, 2, 3]], 1, 0),
        ([2, 1, 3], [[1, 2, 3]], 1, 2 / 3),
        # all in one group: P = (4/4 + 4/4) / 4 = 1/2, R = 1, F1 = 2/3
        ([[1, 2, 3, 4]], [[1, 2], [3, 4]], 2 / 3, 1),
        ([[3, 4, 1, 2]], [[1, 2], [3, 4]], 2 / 3, 1),
        ([[4, 3, 1, 2]], [[1, 2], [3, 4]], 2 / 3, 1 / 2),
        # one paper split in halves: P = 1, R = (4/4 + 4/4 + 16/4 ...) by items = 3/4
        ([[1, 2], [3, 4], [5, 6, 7, 8]], [[1, 2, 3, 4], [5, 6, 7, 8]], 6 / 7, 1),
        # every label alone: nothing is comparable
        ([[1], [2], [3], [4]], [[1, 2], [3, 4]], 2 / 3, 0),
        # merged 3:1, P = (9/4 + 1/4) / 4 = 5/8, R = 1, F1 = 10/13; the single one has no pair
        ([[1, 2, 3, 4]], [[1, 2, 3], [4]], 10 / 13, 1 / 2),
    ],
)
def test_worked_cases(answer, papers, f1, tau):
    metrics = score_reply(box(answer), papers).metrics
    assert metrics["grouping_f1"] == pytest.approx(f1)
    assert metrics["norm_kendall_tau"] == pytest.approx(tau)


def test_precision_falls_where_papers_are_merged_and_recall_where_one_is_split():
    merged = score_answer([[1, 2, 3, 4]], [[1, 2], [3, 4]]).metrics
    split = score_answer([[1, 2], [3, 4], [5, 6]], [[1, 2, 3, 4], [5, 6]]).metrics
    assert merged["grouping_precision"] < 1 == merged["grouping_recall"]
    assert split["grouping_recall"] < 1 == split["grouping_precision"]


ONE, TWO = [[1, 2, 3]], [[1, 2], [3, 4]]


@pytest.mark.parametrize(
    ("content", "papers"),
    [
        ("[[1, 2, 3]]", ONE),
        ("[1, 2]", ONE),
        ("[1, 2, 2]", ONE),
        ("[1, 2, 3, 3]", ONE),
        ("[1, 2, 4]", ONE),
        ("[0, 1, 2]", ONE),
        ("[true, 2, 3]", ONE),
        ("[1.0, 2, 3]", ONE),
        ('["1", 2, 3]', ONE),
        ("[1, null, 3]", ONE),
        ("[1, 2, 3,]", ONE),
        ("(1, 2, 3)", ONE),
        ("1, 2, 3", ONE),
        ("", ONE),
        ("{}", ONE),
        ("123", ONE),
        ("[1, 2, " + "3" * 5000 + "]", ONE),
        ("[1, 2, " + "3" * 200 + "]", ONE),
        ("[" * 3000 + "]" * 3000, ONE),
        ("[" * 100_000, ONE),
        ("[]", ONE),
        ("[1, 2, 3, 4]", TWO),
        ("[[1, 2], [3, 4], []]", TWO),
        ("[[1, 2], [3]]", TWO),
        ("[[1, 2], [3, 3]]", TWO),
        ("[[1, 2], 3, 4]", TWO),
        ("[[[1, 2]], [[3, 4]]]", TWO),
        ('{"a": [1, 2], "b": [3, 4]}', TWO),
        ("[[1, 2], [3, Infinity]]", TWO),
    ],
)
def test_an_invalid_partition_scores_zero_everywhere(content, papers):
    grade = score_reply(f"\\boxed{{{content}}}", papers)
    assert grade.reward == 0
    assert {name: grade.metrics[name] for name in METRICS} == dict.fromkeys(METRICS, 0.0)
    assert grade.metrics["lift"] < 0


@pytest.mark.parametrize(
    ("reply", "reward"),
    [
        (r"\boxed{[1, 2, 3]}", 1),
        (r"First \boxed{[3, 2, 1]}, no: \boxed{[1, 2, 3]} is right.", 1),
        (r"First \boxed{[1, 2, 3]}, no: \boxed{[3, 2, 1]}", 0),
        (r"\boxed{[1, 2, 3]} and then \boxed{[1, 2", 0),
        ("\\boxed{\n [1,\n2, 3] }", 1),
        (r"\boxed{{[1, 2, 3]}}", 0),
        (r"\boxed {[1, 2, 3]}", 0),
        ("[1, 2, 3]", 0),
        ("", 0),
        ('{"tool": "submit", "args": {"answer": [1, 2, 3]}}', 1),
        ('{"tool": "submit", "args": {}}', 0),
        ('{"tool": "submit"}', 0),
        ('{"tool": "submit", "args": {"answer": [1, 2, 3], "x": 1}}', 0),
        ('{"tool": "submit", "args": {"answer": [1, 2, 3]}, "x": 1}', 0),
        ('{"tool": "submit", "args": []}', 0),
        ('{"tool": "python", "args": {"code": "\\\\boxed{[1, 2, 3]}"}}', 0),
        (r'{"tool": "submit", "args": {"answer": [1, 2, 3]}} \boxed{[3, 2, 1]}', 0),
    ],
)
def test_which_part_of_a_reply_is_the_answer(reply, reward):
    assert score_reply(reply, ONE).reward == reward


@pytest.mark.parametrize("papers", [[], [[]], [[1, 2], []]])
def test_a_truth_without_labels_is_an_error(papers):
    with pytest.raises(ValueError, match="truth"):
        score_reply(box([1, 2]), papers)


def test_labels_may_be_any_integers():
    papers = [[-7, 2**40], [0, 12]]
    assert score_reply(box([[0, 12], [-7, 2**40]]), papers).reward == 1


@given(st.text(alphabet='\\boxed{}[]0123456789, "', max_size=80))
def test_no_reply_raises(reply):
    assert 0 <= score_reply(reply, ONE).reward <= 1
    boxed_answer(reply)
    read_reply(reply)


@given(st.permutations(range(1, 31)))
def test_reward_lies_in_zero_to_one(order):
    papers = [list(range(1, 16)), list(range(16, 31))]
    assert 0 <= score_answer([list(order[:10]), list(order[10:])], papers).reward <= 1
