from __future__ import annotations

import pytest

from gym_desks.core import MemoryWorkspace
from gym_desks.core.workspace import Codeless, checked_path
from gym_desks.errors import SandboxUnavailable, WorkspaceError


@pytest.mark.parametrize(
    "path", ["", "/etc/passwd", "..", "a/../../b", "a\x00b", "x" * 600, ".", "./.."]
)
def test_a_path_outside_the_workspace_is_refused(path):
    with pytest.raises(WorkspaceError, match="path"):
        MemoryWorkspace({}).read(path)


def test_paths_have_one_plain_form():
    assert checked_path("./a//b/") == "a/b"


def test_files_are_read_written_and_listed():
    workspace = MemoryWorkspace({"b.txt": "1"})
    workspace.write("a/c.txt", "2")
    assert workspace.paths() == ["a/c.txt", "b.txt"]
    assert workspace.read("./a/c.txt") == "2"


def test_a_missing_file_names_those_that_are_there():
    with pytest.raises(WorkspaceError, match="no file 'x'; files: a, b"):
        MemoryWorkspace({"a": "", "b": ""}).read("x")


def test_a_desk_that_runs_no_code_is_told_so():
    with pytest.raises(SandboxUnavailable, match="needs_sandbox"):
        Codeless({}).python("1")
