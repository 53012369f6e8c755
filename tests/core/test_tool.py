from __future__ import annotations

from typing import Literal

import pytest
from toys import NotesTools

from gym_desks.core import MemoryWorkspace, Toolset, tool
from gym_desks.errors import ActionError


class Scales(NotesTools):
    @tool
    def weigh(self, item: str, unit: Literal["g", "kg"] = "g", exact: bool = False) -> str:
        """weigh one item"""
        return f"{item} {unit} {exact}"

    @tool
    def add(self, items: list[str], table: dict[str, int]) -> str:
        """add items"""
        return f"{items} {table}"

    def no_tool(self) -> str:
        """Not marked."""
        return ""


def scales() -> Scales:
    return Scales(MemoryWorkspace({"note.txt": "hello"}))


def test_tools_are_the_marked_methods_with_those_of_the_base_first():
    assert list(Scales.tools) == ["read_note", "write_note", "fail", "shout", "weigh", "add"]
    assert "weigh" not in NotesTools.tools
    assert dict(Toolset.tools) == {}


def test_the_signature_is_the_schema_and_the_docstring_the_description():
    declared = Scales.tools["weigh"]
    assert declared.form == '{"item": string, "unit": "g" | "kg"?, "exact": boolean?}'
    assert declared.description == "weigh one item"
    assert Scales.tools["add"].form == '{"items": array, "table": object}'
    assert Scales.tools["read_note"].description == "show one file, as often as asked"


def test_a_call_runs_the_tool_with_its_defaults():
    assert scales().call("weigh", {"item": "salt"}) == "salt g False"
    assert scales().call("read_note", {"path": "note.txt", "times": 2}) == "hellohello"


@pytest.mark.parametrize(
    ("name", "args", "kind", "said"),
    [
        (
            "nope",
            {},
            "unknown_tool",
            "tools: read_note, write_note, fail, shout, weigh, add, submit",
        ),
        ("weigh", {}, "arguments", "missing argument 'item'"),
        ("weigh", {"item": 1}, "arguments", "argument 'item' is integer"),
        ("weigh", {"item": "a", "size": 2}, "arguments", "unknown argument 'size'"),
        ("weigh", {"item": "a", "unit": "lb"}, "arguments", "argument 'unit' is string"),
        ("weigh", {"item": "a", "exact": 1}, "arguments", "argument 'exact' is integer"),
        ("weigh", {"item": None}, "arguments", "argument 'item' is null"),
        ("read_note", {"path": "note.txt", "times": True}, "arguments", "'times' is boolean"),
        ("read_note", {"path": "note.txt", "times": "2"}, "arguments", "'times' is string"),
        ("read_note", {"path": "other.txt"}, "workspace", "no file 'other.txt'; files: note.txt"),
        ("no_tool", {}, "unknown_tool", "unknown tool 'no_tool'"),
        ("__init__", {}, "unknown_tool", "unknown tool"),
    ],
)
def test_a_wrong_call_says_what_came_and_what_is_expected(name, args, kind, said):
    with pytest.raises(ActionError) as caught:
        scales().call(name, args)
    assert caught.value.kind == kind
    assert said in str(caught.value)
    if kind == "arguments":
        assert f"Expected args: {Scales.tools[name].form}" in str(caught.value)
