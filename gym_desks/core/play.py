"""One way to play: a policy at an environment, recorded as a trajectory.

The environment is anything with Gymnasium's `reset` and `step` over text.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
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
    reward: float
    info: Mapping[str, Any]

    @property
    def output(self) -> str:
        """The text that the agent reads."""
        return output_of(self.observation)


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
    trajectory = Trajectory(observation, info)
    agent = policy(output_of(observation))
    action = next(agent, submit())
    while True:
        text = str(action)
        observation, reward, terminated, truncated, info = env.step(text)
        trajectory.steps.append(Step(text, observation, float(reward), info))
        if terminated or truncated:
            agent.close()
            trajectory.truncated = truncated
            return trajectory
        try:
            action = agent.send(output_of(observation))
        except StopIteration:
            action = submit()


def output_of(observation: str) -> str:
    """Return the output in an observation's JSON text, or the text where it is bare."""
    try:
        value = json.loads(observation)
    except ValueError:
        return observation
    return value["output"] if isinstance(value, dict) and "output" in value else observation
