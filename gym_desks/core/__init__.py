"""The vocabulary of the suite. Knows nothing of Gymnasium, Docker or SQL."""

from gym_desks.core.action import Action, parse_action, submit
from gym_desks.core.desk import Call, Desk, DeskSpec, Policy, Settings
from gym_desks.core.play import Step, Trajectory, play
from gym_desks.core.seeding import Draws, Streams
from gym_desks.core.task import Grade, Instance, Submission, Task
from gym_desks.core.tool import Tool, Toolset, tool
from gym_desks.core.workspace import (
    Completed,
    MemoryWorkspace,
    Sandbox,
    Sandboxes,
    Workspace,
)

__all__ = [
    "Action",
    "Call",
    "Completed",
    "Desk",
    "DeskSpec",
    "Draws",
    "Grade",
    "Instance",
    "MemoryWorkspace",
    "Policy",
    "Sandbox",
    "Sandboxes",
    "Settings",
    "Step",
    "Streams",
    "Submission",
    "Task",
    "Tool",
    "Toolset",
    "Trajectory",
    "Workspace",
    "parse_action",
    "play",
    "submit",
    "tool",
]
