"""Answers from the key, outside any environment, for desks without an honest oracle.

The instance is made again from its environment id and seed. Tests, the demo, evaluation
and reports may use this; no environment, adapter or served process does.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import gymnasium as gym

from gym_desks.core.action import Action
from gym_desks.core.desk import Policy
from gym_desks.core.seeding import Streams
from gym_desks.core.task import Instance
from gym_desks.desks import load_desk
from gym_desks.errors import ConfigurationError

_ENV_ARGUMENTS = ("budget", "render_mode", "sandbox", "sandbox_options")


def remake(env_id: str, seed: int, **settings: Any) -> Instance[Any]:
    """Return the instance that `gym.make(env_id, **settings).reset(seed=seed)` plays."""
    kwargs = _kwargs(env_id) | settings
    desk = load_desk(kwargs.pop("desk"))
    chosen = desk.settings_type.model_validate(
        {name: value for name, value in kwargs.items() if name not in _ENV_ARGUMENTS}
    )
    streams = Streams(desk.family, chosen.level, chosen.split, int(seed))
    return desk.generate(streams, chosen)


def reference_policy(env_id: str, seed: int, **settings: Any) -> Policy:
    """Return a policy that submits the right answer of that one instance."""
    desk = load_desk(_kwargs(env_id)["desk"])
    answer = desk.reference(remake(env_id, seed, **settings).key)

    def policy(opening: str) -> Generator[Action | str, str, None]:
        yield answer

    return policy


def _kwargs(env_id: str) -> dict[str, Any]:
    spec = gym.spec(env_id)
    if "desk" not in spec.kwargs:
        raise ConfigurationError(f"{env_id!r} is not a desk of this suite")
    return dict(spec.kwargs)
