"""One action: a tool, its arguments, and metadata in which an agent may reason.

The text is exactly one JSON object with the keys `tool`, `args` (default `{}`) and
`metadata` (default `{}`). Metadata is recorded and never scored.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from gym_desks.core import strict_json
from gym_desks.errors import ActionError

MAX_ACTION = 65_536
SUBMIT = "submit"

_KEYS = ("tool", "args", "metadata")
_FORM = '{"tool": "<name>", "args": {...}}'


@dataclass(frozen=True, slots=True)
class Action:
    """A call of one tool. `str(action)` is the text that an environment takes."""

    tool: str
    args: Mapping[str, Any] = field(default_factory=dict)
    metadata: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        parts: dict[str, Any] = {"tool": self.tool, "args": dict(self.args)}
        if self.metadata:
            parts["metadata"] = dict(self.metadata)
        return json.dumps(parts, ensure_ascii=False)


def submit(answer: Any = None) -> Action:
    """Return the action that ends an episode, with an answer or with the work so far."""
    return Action(SUBMIT, {} if answer is None else {"answer": answer})


def parse_action(text: str) -> Action:
    """Read one action.

    Raises ActionError of kind `malformed` where the text is no JSON object, `action` where
    the object is no action, `too_long` where the text is longer than MAX_ACTION.
    """
    if not isinstance(text, str):
        raise _refused(f"the action is a {type(text).__name__}, not text", "action")
    if len(text) > MAX_ACTION:
        raise ActionError(
            f"the action has {len(text)} characters; the most is {MAX_ACTION}", "too_long"
        )
    try:
        value = strict_json.parse(text)
    except ValueError as error:
        raise _refused(f"the reply is not one JSON object: {error}", "malformed") from None
    if not isinstance(value, dict):
        raise _refused(f"the reply is a JSON {json_type(value)}, not an object", "malformed")
    return action_of(value)


def action_of(value: Mapping[str, Any]) -> Action:
    """Read an action that is already a JSON object. Raises ActionError of kind `action`."""
    unknown = [key for key in value if key not in _KEYS]
    if unknown:
        known = ", ".join(_KEYS)
        raise _refused(f"unknown key {unknown[0][:40]!r}; the keys are {known}", "action")
    tool, args, metadata = value.get("tool"), value.get("args", {}), value.get("metadata", {})
    if not isinstance(tool, str):
        raise _refused("the key 'tool' must be a string", "action")
    for name, part in (("args", args), ("metadata", metadata)):
        if not isinstance(part, dict):
            raise _refused(f"the key {name!r} must be an object, not {json_type(part)}", "action")
    return Action(tool, args, metadata)


def json_type(value: Any) -> str:
    """Return the JSON name of a parsed value's type."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    names = {int: "integer", float: "number", str: "string", list: "array", dict: "object"}
    return names.get(type(value), type(value).__name__)


def _refused(reason: str, kind: str) -> ActionError:
    return ActionError(f"{reason}. Send exactly one JSON object: {_FORM}", kind)
