"""`DeskEnv`: one desk as a Gymnasium environment over text.

A thin shell: it turns seeds and options into an instance, and an episode's replies into
Gymnasium's five values. The rules of an episode are in `gym_desks.core.episode`.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Mapping
from typing import Any

import gymnasium as gym
from gymnasium.error import ResetNeeded
from gymnasium.utils import EzPickle

from gym_desks.core import transcript
from gym_desks.core.desk import Settings
from gym_desks.core.episode import Episode, Reply, observation
from gym_desks.core.seeding import Streams
from gym_desks.core.task import Task
from gym_desks.core.workspace import CodelessProvider, Provider
from gym_desks.desks import load_desk
from gym_desks.errors import ConfigurationError
from gym_desks.sandbox import SandboxProvider
from gym_desks.spaces import ActionText, observation_space

# What vector environments collect in arrays must fit into 64 bits.
_SEEDS = 1 << 63


class DeskEnv(gym.Env[str, str], EzPickle):
    """A desk at which an agent reads a brief, calls tools and submits one answer.

    ## Observation Space
    Text: the JSON of `{"output": str, "steps_left": int}`. The first output is the brief
    and the list of tools.

    ## Action Space
    Text: the JSON of `{"tool": str, "args": {...}, "metadata": {...}}`, the last two
    optional.

    ## Rewards
    0 until the end, then the grade, in [0, 1].

    ## Episode End
    `terminated` when an answer was submitted or the budget of calls is spent; `truncated`
    when the sandbox failed, with no valid score.

    ## Arguments
    `desk` is the desk's `"module:Class"`, `budget` the number of calls (the desk's own by
    default), `sandbox` one of `"auto"`, `"docker"`, `"bwrap"`, `sandbox_options` the fields
    of `SandboxOptions`; everything else is a setting of the desk. All are JSON values, and
    `budget` and the settings may also be given to `reset(options=...)` for one episode.

    A copy, also one by pickle, is a new environment with the same arguments.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 (Gymnasium declares it so)
        "render_modes": ["ansi", "human"],
        "render_fps": 1,
    }

    def __init__(
        self,
        desk: str,
        *,
        budget: int | None = None,
        render_mode: str | None = None,
        sandbox: str = "auto",
        sandbox_options: Mapping[str, Any] | None = None,
        **settings: Any,
    ) -> None:
        EzPickle.__init__(
            self,
            desk,
            budget=budget,
            render_mode=render_mode,
            sandbox=sandbox,
            sandbox_options=sandbox_options,
            **settings,
        )
        if render_mode not in (None, *self.metadata["render_modes"]):
            raise ConfigurationError(f"render_mode {render_mode!r}: expected 'ansi' or 'human'")
        self.render_mode = render_mode
        self._desk = load_desk(desk)
        self._settings: Settings = self._desk.settings_type.model_validate(settings)
        self._budget = _checked_budget(self._desk.budget if budget is None else budget)
        self._provider: Provider = (
            SandboxProvider(sandbox, sandbox_options)
            if self._desk.needs_sandbox
            else CodelessProvider()
        )
        self.observation_space = observation_space()
        tools = {name: tool.types for name, tool in self._desk.toolset_type.tools.items()}
        self.action_space = ActionText({**tools, "submit": {}})
        self._turn = (os.getpid(), threading.Lock())
        self._episode: Episode[Any] | None = None
        self._constant: dict[str, Any] = {}
        self._transcript: list[str] = []

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[str, dict[str, Any]]:
        """Begin an episode. Raises SandboxUnavailable where the desk's code cannot run."""
        super().reset(seed=seed)
        instance_seed = int(self.np_random.integers(2**31)) if seed is None else int(seed)
        if instance_seed >= _SEEDS:
            raise ConfigurationError(f"seed {instance_seed}: expected less than 2**63")
        budget, settings = self._chosen(options or {})
        with self._one_at_a_time():
            facts = self._provider.facts
            streams = Streams(self._desk.family, settings.level, settings.split, instance_seed)
            instance = self._desk.generate(streams, settings)
            workspace = self._provider.begin(instance.task.files)
            self._episode = Episode(self._desk, instance, workspace, self._provider, budget)
            self._constant = {
                "task_id": self._desk.task_id(settings),
                "domain": self._desk.domain,
                "level": settings.level,
                "split": settings.split,
                "instance_seed": instance_seed,
                **_described(instance.task),
                "sandbox": dict(facts),
            }
            opening = Reply(self._episode.opening, budget)
        self._transcript = []
        self._write(transcript.opening, self._constant["task_id"], opening.output, budget)
        return observation(opening.output, budget), self._info(opening)

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Take one action. Raises ResetNeeded where no episode is under way."""
        with self._one_at_a_time():
            if self._episode is None or self._episode.end:
                raise ResetNeeded("the episode has ended, or none has begun: call reset()")
            reply = self._episode.call(action)
        self._show(action, reply)
        seen = observation(reply.output, reply.steps_left)
        return seen, reply.reward, reply.terminated, reply.truncated, self._info(reply)

    def render(self) -> str | None:
        """Return the transcript so far in mode "ansi"; mode "human" prints as it goes."""
        return "".join(self._transcript) if self.render_mode == "ansi" else None

    def close(self) -> None:
        """Give the sandbox back. Idempotent."""
        self._provider.close()

    def _chosen(self, options: Mapping[str, Any]) -> tuple[int, Settings]:
        """Return budget and settings of one episode: the constructor's, then the options."""
        if not isinstance(options, Mapping):
            raise ConfigurationError(f"options {options!r:.80}: expected a mapping")
        given = dict(options)
        budget = _checked_budget(given.pop("budget", self._budget))
        if not given:
            return budget, self._settings
        merged = self._settings.model_dump() | given
        return budget, type(self._settings).model_validate(merged)

    def _info(self, reply: Reply) -> dict[str, Any]:
        """Build `info` afresh: equal under a seed, one type a key, nothing of the answer."""
        constant = {k: dict(v) if isinstance(v, dict) else v for k, v in self._constant.items()}
        return constant | {
            "tool": reply.tool,
            "error": reply.error,
            "end": reply.end,
            "steps_left": reply.steps_left,
            "metrics": dict(reply.metrics),
        }

    def _show(self, action: str, reply: Reply) -> None:
        number = len(self._transcript)
        self._write(transcript.call, number, action, reply.output, reply.steps_left)
        if reply.end:
            self._write(transcript.ending, reply.end, reply.reward, reply.metrics.items())

    def _write(self, part: Callable[..., str], *about: Any) -> None:
        if self.render_mode is None:
            return
        text = part(*about)
        self._transcript.append(text)
        if self.render_mode == "human":
            encoding = sys.stdout.encoding or "utf-8"
            print(text.encode(encoding, "backslashreplace").decode(encoding), end="", flush=True)

    def _one_at_a_time(self) -> threading.Lock:
        """Return the lock of this process: one that was held at a fork is never released."""
        if self._turn[0] != os.getpid():
            self._turn = (os.getpid(), threading.Lock())
        return self._turn[1]


def _described(task: Task) -> dict[str, Any]:
    return {"instance_id": task.instance_id, "instance": dict(task.facts)}


def _checked_budget(budget: Any) -> int:
    if type(budget) is not int or budget < 1:
        raise ConfigurationError(f"budget {budget!r}: expected a whole number of calls, 1 or more")
    return budget
