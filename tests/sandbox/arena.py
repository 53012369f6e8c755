"""Where a threat meets a sandbox: short ways to attack it and to say what came out.

An `Arena` lends one open box of one backend. A threat is a function of it that
asserts; `@threat(number, name)` files it under its number.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from gym_desks.core.workspace import Completed, Sandbox
from gym_desks.errors import SandboxError
from gym_desks.sandbox import SandboxOptions, backend_named

DENIED = {"EACCES", "EPERM", "EROFS", "ENOENT"}

ERRNO = """\
import ctypes, errno, os, platform, signal, socket
libc = ctypes.CDLL(None, use_errno=True)
X86 = platform.machine() == "x86_64"
def check(result):
    if result == -1:
        raise OSError(ctypes.get_errno(), "")
def syscall(x86, arm, *args):
    check(libc.syscall(ctypes.c_long(x86 if X86 else arm), *args))
try:
{body}
except OSError as error:
    print(errno.errorcode.get(error.errno, repr(error)))
else:
    print("ALLOWED")
"""


class Arena:
    """One open box of one backend, and what a threat needs around it."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.box: Sandbox = self.open()

    def open(self, **options) -> Sandbox:
        """Open a box of this backend that the caller closes."""
        return backend_named(self.name, SandboxOptions(**options)).open()

    @contextmanager
    def another(self, **options) -> Iterator[Sandbox]:
        """Lend a second box."""
        box = self.open(**options)
        try:
            yield box
        finally:
            box.close()

    def python(self, code: str, timeout: float | None = None) -> Completed:
        return self.box.python(textwrap.dedent(code), timeout)

    def bash(self, command: str, timeout: float | None = None) -> Completed:
        return self.box.bash(textwrap.dedent(command), timeout)

    def said(self, code: str, timeout: float | None = None) -> str:
        """Run Python that must end well, and return what it printed."""
        run = self.python(code, timeout)
        assert (run.exit_code, run.timed_out) == (0, False), run
        return run.stdout.strip()

    def errno(self, attack: str, timeout: float | None = None) -> str:
        """Run Python and return the name of the errno that stopped it, or ALLOWED."""
        body = textwrap.indent(textwrap.dedent(attack).strip(), "    ")
        return self.said(ERRNO.format(body=body), timeout)

    def by_backend(self, **outcomes):
        """Return what this backend promises where backends differ."""
        return outcomes[self.name]

    def assert_alive_and_alone(self) -> None:
        """The runner answers rightly, and no process outlived its call."""
        assert self.said("print(6*7)") == "42"
        pids = self.said("import os; print(*[p for p in os.listdir('/proc') if p.isdigit()])")
        assert len(pids.split()) == 2, f"besides PID 1 and the lister: {pids}"

    def assert_resets(self) -> None:
        """A reset leaves no file anywhere that an agent may write to."""
        self.box.reset({})
        assert self.box.paths() == []
        left = "print(*[os.listdir(d) for d in ('/desk', '/tmp', '/dev/shm')])"
        assert self.said(f"import os; {left}") == "[] [] []"

    def close(self) -> None:
        self.box.close()

    def renew(self) -> None:
        """Take a new box, after a threat that ruined the last one."""
        self.close()
        self.box = self.open()


@dataclass(frozen=True)
class Threat:
    """A numbered attack and its right outcome."""

    number: int
    name: str
    meet: Callable[[Arena], None]

    def __str__(self) -> str:
        return f"{self.number:02}-{self.name}"


THREATS: list[Threat] = []


def threat(number: int, name: str) -> Callable[[Callable[[Arena], None]], Callable[[Arena], None]]:
    """File the function under its number in the list of threats."""

    def filed(function: Callable[[Arena], None]) -> Callable[[Arena], None]:
        THREATS.append(Threat(number, name, function))
        return function

    return filed


def survives(box: Sandbox) -> bool:
    """Say whether a box still answers."""
    try:
        return box.python("print(6*7)").stdout == "42\n"
    except SandboxError:
        return False
