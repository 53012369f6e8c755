"""`PlainText`: observations as the bare text that an agent reads."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
from gymnasium.utils import RecordConstructorArgs

from gym_desks.core.play import output_of
from gym_desks.errors import ConfigurationError


class PlainText(gym.ObservationWrapper[str, str, str], RecordConstructorArgs):
    """Show `output` alone; `info["steps_left"]` still says what is left.

    Example:
        >>> import gymnasium as gym
        >>> import gym_desks
        >>> from gym_desks.wrappers import PlainText
        >>> env = PlainText(gym.make("Desks/deshuffle-v1"))
        >>> observation, info = env.reset(seed=1)
        >>> observation[:8]
        'The file'
        >>> env.close()
    """

    shows_plain_text = True

    def __init__(self, env: gym.Env[str, str]) -> None:
        if env.has_wrapper_attr("shows_plain_text"):
            raise ConfigurationError("PlainText is around this environment already: use it once")
        RecordConstructorArgs.__init__(self)
        gym.ObservationWrapper.__init__(self, env)

    def observation(self, observation: Any) -> str:
        """Return the output in one observation."""
        return output_of(observation)
