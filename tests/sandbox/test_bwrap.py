"""Rarer ways to start bubblewrap: root that stays root at first, and a Python elsewhere."""

from __future__ import annotations

import os
import platform
from pathlib import Path

import pytest
from sandbox.search import search, sentences

from gym_desks.sandbox import SandboxOptions, backend_named, self_test
from gym_desks.sandbox import hostfiles as files
from gym_desks.sandbox.backends import bwrap

pytestmark = pytest.mark.parametrize("backend_name", ["bwrap"], indirect=True, scope="session")
SYSTEM = Path("/usr/bin/python3")


@pytest.fixture
def plain(backend_name):
    return backend_named(backend_name, SandboxOptions())


def assert_isolates(backend) -> None:
    assert [check for check in self_test(backend) if not check.passed] == []
    box = backend.open()
    try:
        assert box.bash("id -u; id -g; touch /usr/x /etc/x /x").stdout == "65534\n65534\n"
        readable, *found = search(box, sentences())
        assert (int(readable) > 500, found) == (True, [])
    finally:
        box.close()


@pytest.mark.skipif(os.getuid() != 0, reason="of root alone")
def test_root_that_cannot_start_it_as_nobody_leaves_root_behind_inside(plain, monkeypatch):
    monkeypatch.setattr(bwrap, "reachable_by_nobody", lambda *_: False)
    assert_isolates(plain)


def test_where_the_system_has_no_python_this_one_is_lent(plain, monkeypatch):
    works = files._works
    monkeypatch.setattr(files, "_works", lambda path: path != SYSTEM and works(path))
    files.python.cache_clear()
    try:
        assert_isolates(plain)
        box = plain.open()
        assert box.python("import platform as p; print(p.python_version())").stdout.strip() == (
            platform.python_version()
        )
        box.close()
    finally:
        files.python.cache_clear()
