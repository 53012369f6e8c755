"""Reconstruct real papers with Python in a sandbox that has no network.

    python examples/deshuffle_real_papers.py PAPERS.jsonl [--sandbox docker] [--papers 2]

Plays three agents on the same tasks and prints what they scored: `missed` submits the
order of the file, `overlap` runs a lexical baseline in the sandbox, `reference` knows the
answer. It first shows one episode of `overlap` the way a person reads it.
"""

from __future__ import annotations

import argparse
from statistics import mean, stdev

import gymnasium as gym

import gym_desks
from gym_desks.desks import load_desk
from gym_desks.reference import reference_policy

ENV_ID = "Desks/deshuffle-v1"
SHOWN = 1200


def main() -> None:
    args = arguments()
    settings = {
        "corpus": args.corpus,
        "on_error": "skip",
        "min_papers": args.papers,
        "max_papers": args.papers,
    }
    env = gym.make(ENV_ID, sandbox=args.sandbox, render_mode="ansi", **settings)
    desk = load_desk(env.spec.kwargs["desk"])

    first = gym_desks.play(env, desk.baselines["overlap"], seed=0)
    for part in env.render().split("\n── "):
        print(f"{part[:SHOWN]}{' [...]' if len(part) > SHOWN else ''}\n── ", end="")
    print(f"\n{first.info['sandbox']}\n{first.info['instance']}\n")

    print(f"{'agent':<12} {'reward':>14} {'grouping F1':>12} {'order':>7} {'lift':>7} {'calls':>6}")
    for name in ("missed", "overlap", "reference"):
        played = []
        for seed in range(args.tasks):
            policy = {
                "missed": desk.missed,
                "overlap": desk.baselines["overlap"],
            }.get(name) or reference_policy(ENV_ID, seed, **settings)
            played.append(gym_desks.play(env, policy, seed=seed))
        print(row(name, [one for one in played if not one.truncated]))
    env.close()


def row(name: str, played: list[gym_desks.Trajectory]) -> str:
    rewards = [one.reward for one in played]
    error = stdev(rewards) / len(rewards) ** 0.5 if len(rewards) > 1 else float("nan")
    f1, order, lift = (
        mean(one.metrics[metric] for one in played)
        for metric in ("grouping_f1", "norm_kendall_tau", "lift")
    )
    calls = mean(len(one.steps) for one in played)
    reward = f"{mean(rewards):.3f} ± {error:.3f}"
    return f"{name:<12} {reward:>14} {f1:>12.3f} {order:>7.3f} {lift:>+7.3f} {calls:>6.1f}"


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("corpus", help="a JSONL file of papers, or 'builtin'")
    parser.add_argument("--sandbox", default="auto", choices=["auto", "docker", "bwrap"])
    parser.add_argument("--papers", type=int, default=1, help="papers mixed in one task")
    parser.add_argument("--tasks", type=int, default=32, help="episodes for each agent")
    return parser.parse_args()


if __name__ == "__main__":
    main()
