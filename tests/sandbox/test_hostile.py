"""Every numbered threat, met on every backend."""

from __future__ import annotations

import inspect
from pathlib import Path

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

import gym_desks

TABLES = (
    threats_egress,
    threats_files,
    threats_process,
    threats_memory,
    threats_secrets,
    threats_host,
)
PAPERS = Path(inspect.getfile(gym_desks)).parent / "desks" / "deshuffle" / "papers"

SEARCH = """
import os, stat, sys
words = [bytes.fromhex(word) for word in {words!r}]
found, readable = [], 0
def contains(path):
    fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW)
    try:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            return False
        data = os.read(fd, 1 << 20)
    finally:
        os.close(fd)
    return any(word in data for word in words)
process_files = [
    f"/proc/{{pid}}/{{name}}"
    for pid in os.listdir("/proc") if pid.isdigit()
    for name in ("environ", "cmdline") if int(pid) != os.getpid()
]
def everything():
    yield from process_files
    for top, folders, files in os.walk("/"):
        folders[:] = [f for f in folders if os.path.join(top, f) not in ("/proc", "/sys")]
        found.extend(os.path.join(top, n) for n in (*folders, *files) if {name!r} in n)
        yield from (os.path.join(top, name) for name in files)
for path in everything():
    try:
        if contains(path):
            found.append(path)
        readable += 1
    except OSError:
        pass
print(readable, *sorted(found))
"""


def test_every_threat_is_filed_once():
    assert [threat.number for threat in sorted(THREATS, key=lambda t: t.number)] == [*range(1, 81)]
    assert len({threat.name for threat in THREATS}) == 80
    assert len(TABLES) == len({threat.meet.__module__ for threat in THREATS})


@pytest.mark.parametrize("threat", sorted(THREATS, key=lambda t: t.number), ids=str)
def test_threat(arena, threat):
    threat.meet(arena)


def sentences() -> list[str]:
    """Return a sentence of this package's code and one of each builtin paper."""
    code = inspect.getdoc(gym_desks).splitlines()[0]
    papers = [path.read_text(encoding="utf-8") for path in sorted(PAPERS.glob("*.md"))]
    return [code, *(max(text.split("\n"), key=len)[:80] for text in papers)]


def search(arena, words: list[str]) -> list[str]:
    code = SEARCH.format(words=[w.encode().hex() for w in words], name="gym_" + "desks")
    return arena.said(code, timeout=30).split()


def test_nothing_of_this_package_can_be_read_inside(arena):
    words = sentences()
    assert len(words) > 1
    readable, *found = search(arena, words)
    assert found == []
    assert int(readable) > 500


def test_the_search_finds_what_is_there(arena):
    words = sentences()
    arena.box.reset({"notes/paper.md": f"It says: {words[-1]}", "gym_desks/empty.txt": ""})
    assert search(arena, words)[1:] == ["/desk/gym_desks", "/desk/notes/paper.md"]
