"""Scripted agents of this desk. They see what an agent sees and act through its tools."""

from __future__ import annotations

import json
import re
from collections.abc import Generator
from functools import cache
from importlib.resources import files
from typing import Any

from gym_desks.core.action import Action, submit

_WHOLE = re.compile(r"of (\d+) whole research paper")
_COUNT = "grep -c '' paragraphs.jsonl"

Turns = Generator[Action | str, str, None]


def papers_in(opening: str) -> int:
    """Return the number of papers that a brief states."""
    found = _WHOLE.search(opening)
    if found is None:
        raise ValueError("this opening states no number of papers")
    return int(found.group(1))


def missed(opening: str) -> Turns:
    """Submit the order in which the file shows the units, all as one group."""
    output = yield Action("bash", {"command": _COUNT})
    shown = list(range(1, int(output.split()[0]) + 1))
    yield submit(shown if papers_in(opening) == 1 else [shown])


def overlap(opening: str) -> Turns:
    """Order and group by lexical similarity, discourse cues and section vocabulary."""
    code = f"PAPERS = {papers_in(opening)}\n{_overlap_script()}"
    output = yield Action("python", {"code": code})
    yield submit(_last_line(output))


def _last_line(output: str) -> Any:
    return json.loads(output.strip().split("\n")[-1])


@cache
def _overlap_script() -> str:
    return files(__package__).joinpath("overlap.py").read_text(encoding="utf-8")
