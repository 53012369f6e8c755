"""From a `DeskSpec` to Gymnasium's registry. Registering again is harmless."""

from __future__ import annotations

from typing import Any

import gymnasium as gym

from gym_desks.core.desk import DeskSpec
from gym_desks.desks import DESKS
from gym_desks.errors import ConfigurationError

NAMESPACE = "Desks"
_ENTRY_POINT = "gym_desks.env:DeskEnv"

_registered: dict[str, None] = {}


def register_desk(spec: DeskSpec) -> tuple[str, ...]:
    """Register the environments of one desk and return their ids.

    Raises ConfigurationError where an id is taken by something else.
    """
    ids: dict[str, dict[str, Any]] = {env_id(spec): {"desk": spec.entry_point}}
    if spec.levels:
        ids[env_id(spec)]["level"] = spec.default_level
        ids |= {env_id(spec, n): {"desk": spec.entry_point, "level": n} for n in spec.levels}
    for name, kwargs in ids.items():
        _register(name, kwargs)
    _registered.update(dict.fromkeys(ids))
    return tuple(ids)


def env_id(spec: DeskSpec, level: int | None = None) -> str:
    """Return the id of a desk, or of one of its levels."""
    suffix = "" if level is None else f"-l{level}"
    return f"{NAMESPACE}/{spec.family}{suffix}-v{spec.version}"


def registered_ids() -> tuple[str, ...]:
    """Return the id of every environment registered so far, the suite's own first."""
    return tuple(_registered)


def register_desks() -> None:
    """Register the suite's own desks."""
    for spec in DESKS:
        register_desk(spec)


def _register(name: str, kwargs: dict[str, Any]) -> None:
    present = gym.registry.get(name)
    if present is None:
        gym.register(id=name, entry_point=_ENTRY_POINT, kwargs=kwargs)
    elif (present.entry_point, present.kwargs) != (_ENTRY_POINT, kwargs):
        raise ConfigurationError(f"the environment id {name!r} is already taken")
