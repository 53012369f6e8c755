"""A search of everything that can be read in a box for this package and its data."""

from __future__ import annotations

import inspect
from pathlib import Path

import gym_desks

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


def sentences() -> list[str]:
    """Return a sentence of this package's code and one of each builtin paper."""
    code = inspect.getdoc(gym_desks).splitlines()[0]
    papers = [path.read_text(encoding="utf-8") for path in sorted(PAPERS.glob("*.md"))]
    return [code, *(max(text.split("\n"), key=len)[:80] for text in papers)]


def search(box, words: list[str]) -> list[str]:
    """Return how many files can be read in a box, and those that name us or hold a word."""
    code = SEARCH.format(words=[w.encode().hex() for w in words], name="gym_" + "desks")
    run = box.python(code, 30)
    assert run.exit_code == 0, run
    return run.stdout.split()
