"""The public conformance suite passes what isolates, and names what is broken in what does not."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from gym_desks.core.workspace import Completed, checked_path
from gym_desks.errors import WorkspaceError
from gym_desks.sandbox import select_backend
from gym_desks.testing import assert_sandbox, check_sandbox


class NoIsolation:
    """A plain subprocess in a temporary folder: what must never pass for a sandbox."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory()
        self._root = Path(self._folder.name)

    def read(self, path: str) -> str:
        file = self._root / checked_path(path)
        if not file.is_file():
            raise WorkspaceError(f"no file {path!r}")
        try:
            return file.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise WorkspaceError(str(error)) from error

    def write(self, path: str, text: str) -> None:
        target = self._root / checked_path(path)
        if target.exists() and not target.is_file():
            raise WorkspaceError(f"{path!r} is no file")
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")
        except (OSError, UnicodeEncodeError) as error:
            raise WorkspaceError(str(error)) from error

    def paths(self) -> list[str]:
        files = [p for p in self._root.rglob("*") if p.is_file() and not p.is_symlink()]
        return sorted(str(p.relative_to(self._root)) for p in files)

    def python(self, code: str, timeout: float | None = None) -> Completed:
        return self._run([sys.executable, "-c", code], timeout)

    def bash(self, command: str, timeout: float | None = None) -> Completed:
        return self._run(["bash", "-c", command], timeout)

    def reset(self, files: Mapping[str, str]) -> None:
        self._folder.cleanup()
        self._root.mkdir()
        for path, text in files.items():
            self.write(path, text)

    def close(self) -> None:
        self._folder.cleanup()

    def _run(self, command: list[str], timeout: float | None) -> Completed:
        limit = min(timeout or 1, 1)
        try:
            run = subprocess.run(
                command,
                cwd=self._root,
                timeout=limit,
                capture_output=True,
                text=True,
                errors="backslashreplace",
                stdin=subprocess.DEVNULL,
            )
        except subprocess.TimeoutExpired:
            return Completed(-9, "", "", timed_out=True, seconds=limit)
        return Completed(run.returncode, run.stdout, run.stderr)


class Liar:
    """A real box about which three lies are told."""

    def __init__(self, box) -> None:
        self._box = box

    def __getattr__(self, name: str):
        return getattr(self._box, name)

    def reset(self, files: Mapping[str, str]) -> None:
        """Lay the new files over the old."""
        for path, text in files.items():
            self._box.write(path, text)

    def bash(self, command: str, timeout: float | None = None) -> Completed:
        """Say that every command ended well and in time."""
        run = self._box.bash(command, timeout)
        return Completed(0, run.stdout, run.stderr)

    def write(self, path: str, text: str) -> None:
        """Keep ASCII alone."""
        self._box.write(path, text.encode("ascii", "replace").decode())


def test_every_backend_conforms(backend):
    checks = check_sandbox(backend.open)
    assert [check for check in checks if not check.passed] == []
    assert len(checks) >= 30
    assert len({check.name for check in checks}) == len(checks)


def test_a_subprocess_fails_what_makes_a_sandbox():
    with pytest.raises(AssertionError) as error:
        assert_sandbox(NoIsolation)
    broken = str(error.value).lower()
    assert "egress" in broken or "network" in broken or "tcp" in broken
    assert "survivor" in broken or "daemon" in broken or "process" in broken


def test_a_box_that_lies_fails_by_name(best_sandbox):
    backend = select_backend(best_sandbox)
    broken = {c.name for c in check_sandbox(lambda: Liar(backend.open())) if not c.passed}
    for lie in ("reset", "exit", "unicode"):
        assert any(lie in name.lower() for name in broken), (lie, broken)
    assert len(broken) < 20, "what was not lied about is found to hold"


def test_a_factory_that_raises_is_a_failed_check_not_an_error():
    def factory():
        raise WorkspaceError("no box today")

    checks = check_sandbox(factory)
    assert checks
    assert not any(check.passed for check in checks)
    assert "no box today" in checks[0].detail
