"""How the time and memory of scoring a reply grow, from 10^3 to 10^6 paragraphs.

Papers of a hundred paragraphs each; one answer with the right groups in random order,
one with random groups. The rows are seconds of `score_reply`, from text to grade.
"""

from __future__ import annotations

import json
import time
import tracemalloc
from collections.abc import Callable

from gym_desks.core.seeding import Draws
from gym_desks.desks.deshuffle import score_reply

PAPER = 100
SIZES = (1_000, 10_000, 100_000, 1_000_000)
REPEATS = 3

Groups = list[list[int]]


def case(units: int, right_groups: bool) -> tuple[str, Groups]:
    draws = Draws(units)
    labels = draws.shuffled(range(1, units + 1))
    papers = cut(labels)
    said = [draws.shuffled(p) for p in papers] if right_groups else cut(draws.shuffled(labels))
    answer = said if len(said) > 1 else said[0]
    return f"\\boxed{{{json.dumps(answer)}}}", papers


def cut(labels: list[int]) -> Groups:
    return [labels[start : start + PAPER] for start in range(0, len(labels), PAPER)]


def seconds(work: Callable[[], object]) -> float:
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def peak_megabytes(work: Callable[[], object]) -> float:
    tracemalloc.start()
    work()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / 1e6


def main() -> None:
    for right_groups in (True, False):
        print("right groups, random order" if right_groups else "random groups")
        print(f"{'units':>10} {'seconds':>9} {'ratio':>7} {'peak MB':>8} {'bytes a unit':>13}")
        before = None
        for units in SIZES:
            reply, papers = case(units, right_groups)
            took = seconds(lambda r=reply, p=papers: score_reply(r, p))
            peak = peak_megabytes(lambda r=reply, p=papers: score_reply(r, p))
            ratio = f"{took / before:.1f}" if before else "-"
            print(f"{units:>10} {took:>9.4f} {ratio:>7} {peak:>8.1f} {peak * 1e6 / units:>13.0f}")
            before = took


if __name__ == "__main__":
    main()
