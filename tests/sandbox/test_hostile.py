"""Every numbered threat, met on every backend."""

from __future__ import annotations

import pytest
from sandbox import (
    threats_egress,
    threats_files,
    threats_host,
    threats_memory,
    threats_process,
    threats_secrets,
)
from sandbox.arena import THREATS
from sandbox.search import search, sentences

TABLES = (
    threats_egress,
    threats_files,
    threats_process,
    threats_memory,
    threats_secrets,
    threats_host,
)


def test_every_threat_is_filed_once():
    assert [threat.number for threat in sorted(THREATS, key=lambda t: t.number)] == [*range(1, 81)]
    assert len({threat.name for threat in THREATS}) == 80
    assert len(TABLES) == len({threat.meet.__module__ for threat in THREATS})


@pytest.mark.parametrize("threat", sorted(THREATS, key=lambda t: t.number), ids=str)
def test_threat(arena, threat):
    threat.meet(arena)


def test_nothing_of_this_package_can_be_read_inside(arena):
    words = sentences()
    assert len(words) > 1
    readable, *found = search(arena.box, words)
    assert found == []
    assert int(readable) > 500


def test_the_search_finds_what_is_there(arena):
    words = sentences()
    arena.box.reset({"notes/paper.md": f"It says: {words[-1]}", "gym_desks/empty.txt": ""})
    assert search(arena.box, words)[1:] == ["/desk/gym_desks", "/desk/notes/paper.md"]
