"""Toolsets that two or more desks use."""

from gym_desks.tools.code import BashTool, PythonTool

__all__ = ["BashTool", "PythonTool"]
