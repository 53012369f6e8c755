r"""How a reconstruction is scored: B-cubed F1 of the grouping times Kendall concordance.

Truth is a sequence of papers, each the list of its labels in reading order. An answer is
a flat permutation of the labels where there is one paper, and a list of nonempty lists of
labels where there are several; every label occurs exactly once. With n_gt the number of
labels that group g and paper t share, and N labels in all:

- precision = (1/N) sum n_gt^2 / |g|, recall = (1/N) sum n_gt^2 / |t|, and grouping_f1 is
  their harmonic mean: B-cubed precision and recall (Bagga and Baldwin, 1998), item by item.
- A pair of labels of one paper is comparable where both are in one group, and concordant
  where their order there is the true one. norm_kendall_tau is the mean over papers of
  concordant / comparable, 0 for a paper without a comparable pair: (tau + 1) / 2 of
  Kendall's tau (1938) where the paper is in one group.
- paper_exact_match is the share of papers whose exact list is one group.

The reward is grouping_f1 * norm_kendall_tau. Grouping takes one sort and counting passes,
inversions O(N log L) for papers of at most L units, and memory is linear.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gym_desks.core import strict_json
from gym_desks.core.action import SUBMIT, action_of
from gym_desks.core.task import Grade
from gym_desks.errors import ActionError

METRICS = (
    "parsed_ok",
    "grouping_precision",
    "grouping_recall",
    "grouping_f1",
    "norm_kendall_tau",
    "paper_exact_match",
)

_BOX = "\\boxed{"
_BRACES = re.compile(r"[{}]")
_ANSWER_DEPTH = 2

Ints = NDArray[np.int64]
Papers = Sequence[Sequence[int]]


def score_reply(reply: str, papers: Papers, *, exact: bool = False) -> Grade:
    r"""Score the text of a final reply: a `submit` action, or text with a `\boxed{...}`.

    Anything else, and any invalid partition, is a grade of 0 in every metric of METRICS.
    With `exact`, the reward is 1 for a perfect answer and 0 for any other.
    """
    return score_answer(read_reply(reply), papers, exact=exact)


def score_answer(answer: Any, papers: Papers, *, exact: bool = False) -> Grade:
    """Score an answer that is already a JSON value. Raises ValueError for an empty truth."""
    if not papers or not all(papers):
        raise ValueError("the truth is one or more papers, each of one or more labels")
    floor = one_group_f1(papers) / 2
    groups = partition(answer, papers)
    if groups is None:
        return Grade(reward=0.0, metrics=dict.fromkeys(METRICS, 0.0) | {"lift": -floor})
    measured = _measure(groups, papers)
    graded = measured["grouping_f1"] * measured["norm_kendall_tau"]
    perfect = measured["paper_exact_match"] == 1 and graded == 1
    reward = float(perfect) if exact else graded
    return Grade(reward=reward, metrics=measured | {"lift": graded - floor})


def read_reply(reply: str) -> Any | None:
    r"""Return the answer in a reply: of a `submit` action, else of the last `\boxed{...}`."""
    try:
        value = strict_json.parse(reply)
    except ValueError:
        return boxed_answer(reply)
    if not isinstance(value, dict):
        return boxed_answer(reply)
    try:
        action = action_of(value)
    except ActionError:
        return None
    submits = action.tool == SUBMIT and set(action.args) == {"answer"}
    return action.args["answer"] if submits else None


def boxed_answer(reply: str) -> Any | None:
    r"""Return the JSON value in the last `\boxed{...}`, or None where there is no box.

    Braces are balanced. A box that never closes, or holds no JSON, gives its raw text,
    which is no partition.
    """
    start = reply.rfind(_BOX)
    if start < 0:
        return None
    content = reply[start + len(_BOX) :]
    level = 1
    for brace in _BRACES.finditer(content):
        level += 1 if brace.group() == "{" else -1
        if level == 0:
            return _json_or_text(content[: brace.start()].strip())
    return content


def _json_or_text(text: str) -> Any:
    if strict_json.depth(text) > _ANSWER_DEPTH:
        return text
    try:
        return json.loads(text)
    except ValueError:
        return text


def partition(answer: Any, papers: Papers) -> list[list[int]] | None:
    """Return the predicted groups, or None where the answer is no valid partition."""
    groups = [answer] if len(papers) == 1 else answer
    if not isinstance(groups, list) or not all(isinstance(g, list) and g for g in groups):
        return None
    if set(map(type, chain.from_iterable(groups))) != {int}:
        return None
    try:
        said = _flat(groups)
    except OverflowError:
        return None
    return groups if np.array_equal(np.sort(said), np.sort(_flat(papers))) else None


def one_group_f1(papers: Papers) -> float:
    """Return the B-cubed F1 of everything put into one group."""
    sizes = [len(paper) for paper in papers]
    precision = sum(n * n for n in sizes) / sum(sizes) ** 2
    return 2 * precision / (precision + 1)


class _Cells(NamedTuple):
    """One row for each pair of a group and a paper that share a label."""

    group: Ints
    paper: Ints
    shared: Ints
    inversions: Ints


def _measure(groups: Papers, papers: Papers) -> dict[str, float]:
    cells = _cells(groups, papers)
    group_size = _sizes(groups)[cells.group]
    paper_size = _sizes(papers)[cells.paper]
    total = int(_sizes(papers).sum())
    precision = float((cells.shared**2 / group_size).sum()) / total
    recall = float((cells.shared**2 / paper_size).sum()) / total
    whole = (cells.shared == group_size) & (cells.shared == paper_size)
    return {
        "parsed_ok": 1.0,
        "grouping_precision": precision,
        "grouping_recall": recall,
        "grouping_f1": 2 * precision * recall / (precision + recall),
        "norm_kendall_tau": _concordance(cells, len(papers)),
        "paper_exact_match": int((whole & (cells.inversions == 0)).sum()) / len(papers),
    }


def _concordance(cells: _Cells, papers: int) -> float:
    comparable = np.zeros(papers, dtype=np.int64)
    np.add.at(comparable, cells.paper, cells.shared * (cells.shared - 1) // 2)
    inverted = np.zeros(papers, dtype=np.int64)
    np.add.at(inverted, cells.paper, cells.inversions)
    share = (comparable - inverted) / np.maximum(comparable, 1)
    return float(share.mean())


def _cells(groups: Papers, papers: Papers) -> _Cells:
    group, paper, place = _aligned(groups, papers)
    cell = group * len(papers) + paper
    order = np.argsort(cell, kind="stable")
    names, shared = np.unique(cell[order], return_counts=True)
    long = shared > 1
    inversions = np.zeros_like(shared)
    if long.any():
        runs = place[order][np.repeat(long, shared)]
        inversions[long] = _inversions(runs, shared[long])
    return _Cells(names // len(papers), names % len(papers), shared, inversions)


def _aligned(groups: Papers, papers: Papers) -> tuple[Ints, Ints, Ints]:
    """Return group, paper and true place of every label, in the order of the answer."""
    found = np.empty(sum(map(len, papers)), dtype=np.int64)
    found[np.argsort(_flat(groups))] = np.argsort(_flat(papers))
    sizes = _sizes(papers)
    paper = np.repeat(np.arange(len(papers)), sizes)
    place = np.arange(len(found)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    group = np.repeat(np.arange(len(groups)), _sizes(groups))
    return group, paper[found], place[found]


def _inversions(values: Ints, sizes: Ints) -> Ints:
    """Count the inversions within each run of `values`, a bit of all values at a time.

    Values that agree in their higher bits stand together in their given order. Of two
    of those, the pair is inverted by this bit where a 1 stands before a 0. Then each
    such block is parted stably by the bit, and the next lower bit is looked at.
    """
    starts = np.cumsum(sizes) - sizes
    inverted = np.zeros(len(values), dtype=np.int64)
    block_start, block_size = starts, sizes
    places = np.arange(len(values))
    for shift in reversed(range(int(values.max()).bit_length())):
        bit = (values >> shift) & 1
        ones = np.add.reduceat(bit, block_start)
        ones_before = np.cumsum(bit) - bit - np.repeat(np.cumsum(ones) - ones, block_size)
        inverted += ones_before * (1 - bit)
        end = np.repeat(block_start + block_size - ones, block_size)
        target = np.where(bit == 1, end + ones_before, places - ones_before)
        moved = np.empty_like(values)
        moved[target] = values
        values = moved
        block_start, block_size = _parted(block_start, block_size - ones, ones)
    return np.add.reduceat(inverted, starts)


def _parted(starts: Ints, zeros: Ints, ones: Ints) -> tuple[Ints, Ints]:
    """Return the blocks that each block falls into, without the empty ones."""
    both = np.stack([starts, starts + zeros], axis=1).ravel()
    sizes = np.stack([zeros, ones], axis=1).ravel()
    return both[sizes > 0], sizes[sizes > 0]


def _flat(lists: Papers) -> Ints:
    return np.fromiter(chain.from_iterable(lists), dtype=np.int64)


def _sizes(lists: Papers) -> Ints:
    return np.fromiter(map(len, lists), dtype=np.int64, count=len(lists))
