"""A transcript as a person reads it: the brief, each call with its code laid out, its output.

What an agent wrote is shown with control characters and lone surrogates as escapes: a
transcript can be printed on any terminal and does nothing there.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any

from gym_desks.core.action import Action, parse_action
from gym_desks.core.episode import printable
from gym_desks.errors import ActionError

_RULE = 72
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def opening(task_id: str, output: str, steps_left: int) -> str:
    """Return the head of a transcript."""
    return f"{_line(f'{task_id} · {steps_left} calls')}\n{_harmless(output)}\n"


def call(number: int, reply: str, output: str, steps_left: int) -> str:
    """Return one call and what came back."""
    told = f"{_line(f'{steps_left} left')}\n{_harmless(output)}\n"
    return f"{_line(f'call {number}')}\n{_harmless(shown(reply))}\n{told}"


def ending(end: str, reward: float, metrics: Iterable[tuple[str, float]]) -> str:
    """Return the foot of a transcript. An episode that broke has no reward to show."""
    if end == "infrastructure":
        return f"{_line('ended: infrastructure, no score')}\n"
    rows = [f"{name:<24} {value:.4f}" for name, value in metrics]
    return "\n".join([_line(f"ended: {end}, reward {reward:.4f}"), *rows, ""])


def shown(reply: str) -> str:
    """Return a reply with its arguments as text: code and commands keep their lines."""
    try:
        action = parse_action(reply)
    except ActionError:
        return str(reply)
    return "\n".join([*_metadata(action), action.tool, *_arguments(action)])


def _metadata(action: Action) -> list[str]:
    return [f"# {name}: {_text(value)}" for name, value in action.metadata.items()]


def _arguments(action: Action) -> list[str]:
    blocks = []
    for name, value in action.args.items():
        lines = _text(value).split("\n")
        inline = len(lines) == 1 and len(lines[0]) <= _RULE
        blocks.append(f"  {name}: {lines[0]}" if inline else f"  {name}:")
        blocks.extend([] if inline else [f"    {line}" for line in lines])
    return blocks


def _harmless(text: str) -> str:
    return _CONTROLS.sub(lambda found: f"\\x{ord(found[0]):02x}", printable(text))


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _line(title: str) -> str:
    return f"── {title} ".ljust(_RULE, "─")
