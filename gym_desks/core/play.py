"""One way to play: a policy at an environment, recorded as a trajectory.

The environment is anything with Gymnasium's `reset` and `step` over text.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from gym_desks.core.action import submit
from gym_desks.core.desk import Policy


class TextEnv(Protocol):
    """The part of `gymnasium.Env[str, str]` that playing needs."""

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[str, dict[str, Any]]:
        """Begin an episode."""

    def step(self, action: str) -> tuple[str, Any, bool, bool, dict[str, Any]]:
        """Take one action."""


@dataclass(frozen=True, slots=True)
class Step:
    """One action as it was sent, and what came back."""

    action: str
    observation: str
    output: str
    reward: float
    info: Mapping[str, Any]


@dataclass(slots=True)
class Trajectory:
    """One episode from the first observation to its end."""

    opening: str
    info: Mapping[str, Any]
    steps: list[Step] = field(default_factory=list)
    truncated: bool = False

    @property
    def reward(self) -> float:
        """The sum of all rewards; meaningless where the episode was truncated."""
        return sum(step.reward for step in self.steps)

    @property
    def metrics(self) -> Mapping[str, float]:
        """The measures that came with the end."""
        return self.steps[-1].info["metrics"] if self.steps else {}


def play(
    env: TextEnv,
    policy: Policy,
    seed: int | None = None,
    options: dict[str, Any] | None = None,
) -> Trajectory:
    """Play one episode to its end. A policy that stops early submits the work so far."""
    observation, info = env.reset(seed=seed, options=options)
    read = reader(observation)
    trajectory = Trajectory(observation, info)
    agent = policy(read(observation))
    action = next(agent, submit())
    while True:
        text = str(action)
        observation, reward, terminated, truncated, info = env.step(text)
        output = read(observation)
        trajectory.steps.append(Step(text, observation, output, float(reward), info))
        if terminated or truncated:
            agent.close()
            trajectory.truncated = truncated
            return trajectory
        try:
            action = agent.send(output)
        except StopIteration:
            action = submit()


def reader(opening: str) -> Callable[[str], str]:
    """Return how to read the observations of an episode that began with this one.

    The opening is the environment's own text, so an output that only looks like an
    observation cannot pass for one.
    """
    return output_of if opening.startswith('{"output": ') else str


def output_of(observation: str) -> str:
    """Return the output in an observation's JSON text."""
    output: str = json.loads(observation)["output"]
    return output
