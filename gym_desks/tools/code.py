"""Tools that run code in the sandbox. They know the protocol, not what is behind it."""

from __future__ import annotations

from gym_desks.core.tool import Toolset, tool
from gym_desks.core.workspace import Completed, Sandbox


class BashTool(Toolset):
    """The tool `bash`."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox

    @tool
    def bash(self, command: str) -> str:
        """run a bash command in the workspace directory"""
        return report(self._sandbox.bash(command))


class PythonTool(Toolset):
    """The tool `python`."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox

    @tool
    def python(self, code: str) -> str:
        """run Python 3 code (standard library only) in the workspace directory"""
        return report(self._sandbox.python(code))


def report(run: Completed) -> str:
    """Return what an agent reads of a command: its output, and how it ended if not well."""
    parts = [run.stdout.rstrip("\n")] if run.stdout.strip() else []
    if run.stderr.strip():
        parts.append(f"[stderr]\n{run.stderr.rstrip()}")
    if run.timed_out:
        parts.append(f"[stopped after {run.seconds:.0f} s: too slow]")
    elif run.exit_code:
        parts.append(f"[exit code {run.exit_code}]")
    return "\n".join(parts) or "[no output]"
