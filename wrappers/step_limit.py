"""`StepLimit`: the number of calls an episode may take, as the agent sees it."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
from gymnasium.utils import RecordConstructorArgs

from gym_desks.errors import ConfigurationError


class StepLimit(gym.Wrapper[str, str, str, str], RecordConstructorArgs):
    """Hand `max_calls` to the desk as its budget at every reset.

    The desk does the counting, so `steps_left` tells the agent of the limit, and the
    last call ends the episode with a score. An option `budget` of a reset goes before.

    Example:
        >>> import gymnasium as gym
        >>> import gym_desks
        >>> from gym_desks.wrappers import StepLimit
        >>> env = StepLimit(gym.make("Desks/deshuffle-v1"), max_calls=3)
        >>> observation, info = env.reset(seed=1)
        >>> info["steps_left"]
        3
        >>> env.close()
    """

    def __init__(self, env: gym.Env[str, str], max_calls: int) -> None:
        if type(max_calls) is not int or max_calls < 1:
            raise ConfigurationError(f"max_calls {max_calls!r}: expected a whole number, 1 or more")
        RecordConstructorArgs.__init__(self, max_calls=max_calls)
        gym.Wrapper.__init__(self, env)
        self._max_calls = max_calls

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[str, dict[str, Any]]:
        """Begin an episode of at most `max_calls` calls."""
        chosen = {"budget": self._max_calls, **(options or {})}
        return self.env.reset(seed=seed, options=chosen)
