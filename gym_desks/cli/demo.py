"""`gym-desks list` and `gym-desks demo`: what there is, and one look at all of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, NamedTuple

import gymnasium as gym
import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from gym_desks.core.desk import Policy
from gym_desks.core.play import Trajectory, play
from gym_desks.desks import load_desk
from gym_desks.reference import reference_policy
from gym_desks.registration import registered_ids


class Turn(NamedTuple):
    """One episode to be played."""

    env_id: str
    name: str
    policy: Policy


def list_ids() -> None:
    """List the registered environments, their domain and their tools."""
    table = Table("environment", "domain", "tools", "calls")
    for env_id in registered_ids():
        desk = load_desk(gym.spec(env_id).kwargs["desk"])
        tools = ", ".join([*desk.toolset_type.tools, "submit"])
        table.add_row(env_id, desk.domain, tools, str(desk.budget))
    Console().print(table)


def demo(
    seed: Annotated[int, typer.Option(min=0, help="Seed of every episode.")] = 7,
    sandbox: Annotated[str, typer.Option(help="auto, docker or bwrap.")] = "auto",
) -> None:
    """Play scripted agents at every desk and print what they scored."""
    turns = [turn for env_id in registered_ids() for turn in _turns(env_id, seed)]
    console = Console()
    table = Table("environment", "agent", "reward", "calls", "sandbox", title="one episode each")
    with Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=console,
    ) as progress:
        for turn in progress.track(turns, description="playing"):
            table.add_row(*_row(turn, _played(turn, seed, sandbox)))
    console.print(table)


def _turns(env_id: str, seed: int) -> Iterator[Turn]:
    """The desk's best agent, the one that overlooks what decides, and its honest baselines."""
    desk = load_desk(gym.spec(env_id).kwargs["desk"])
    if desk.oracle is None:
        yield Turn(env_id, "reference", reference_policy(env_id, seed))
    else:
        yield Turn(env_id, "oracle", desk.oracle)
    for name, policy in desk.baselines.items():
        yield Turn(env_id, name, policy)
    yield Turn(env_id, "missed", desk.missed)


def _played(turn: Turn, seed: int, sandbox: str) -> Trajectory:
    env = gym.make(turn.env_id, sandbox=sandbox)
    try:
        return play(env, turn.policy, seed=seed)
    finally:
        env.close()


def _row(turn: Turn, played: Trajectory) -> tuple[str, ...]:
    reward = "no score" if played.truncated else f"{played.reward:.3f}"
    backend = played.info["sandbox"]["backend"]
    return turn.env_id, turn.name, reward, str(len(played.steps)), backend
