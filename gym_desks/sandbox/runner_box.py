"""How process 1 settles in, watches its sandbox, and proves it empty. Standard library alone.

The runner gets this file as text. Nothing here sees what belongs to an episode.
"""

from __future__ import annotations

import base64
import contextlib
import ctypes
import gc
import importlib
import os
import resource
import signal
import site
import struct
import sys
import time
from typing import Any

MAX_FDS = 256
MAX_FILES = 16_384
TICK = 0.05
PR_SET_DUMPABLE, PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS = 4, 22, 38
PRELOADED = (
    "argparse collections concurrent.futures contextlib copy csv dataclasses datetime decimal "
    "difflib enum fractions functools glob heapq io itertools math operator pathlib pprint "
    "random re shutil sqlite3 statistics string subprocess tempfile textwrap typing unittest"
)


class Box:
    """The sandbox as process 1 sees it."""

    def __init__(self, settings: dict[str, Any]) -> None:
        self.filter = base64.b64decode(settings["filter"])
        self.environment: dict[str, str] = settings["environment"]
        self.wiped: dict[str, int] = settings["wiped"]
        self.user: int = settings["user"]
        self.max_memory: int | None = settings["watched_memory"]
        self.max_processes: int = settings["processes"]
        self.looked = 0.0
        self.max_files = MAX_FILES

    def settle(self) -> None:
        """Drop every privilege, hide from children, and load what they will want."""
        self.become_nobody()
        prctl(PR_SET_NO_NEW_PRIVS, 1)
        prctl(PR_SET_DUMPABLE, 0)
        # A signal that process 1 does not handle cannot reach it from inside.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.umask(0o022)
        os.environ.clear()
        os.environ.update(self.environment)
        resource.setrlimit(resource.RLIMIT_NOFILE, (MAX_FDS, MAX_FDS))
        load_modules()
        load_filter(self.filter)

    def become_nobody(self) -> None:
        """Leave root behind, where the sandbox was started with it."""
        if os.getuid() != 0:
            return
        for path in self.wiped:
            os.chown(path, self.user, self.user)
        os.setgroups([])
        os.setresgid(self.user, self.user, self.user)
        os.setresuid(self.user, self.user, self.user)

    def freeze(self) -> None:
        """Keep what is loaded out of the collector's sight, and so out of copies."""
        gc.collect()
        gc.freeze()

    def begin(self) -> None:
        """Let a call have the files that are there, so that it can remove them."""
        if self.max_memory is not None:
            self.max_files = max(MAX_FILES, self.files())

    def files(self) -> int:
        """Return how many files the wiped folders hold."""
        found = map(os.statvfs, self.wiped)
        return sum(one.f_files - one.f_ffree for one in found)

    def excess(self) -> str:
        """Return the name of a limit that is passed, where the kernel holds none."""
        if self.max_memory is None or time.monotonic() < self.looked + TICK:
            return ""
        self.looked = time.monotonic()
        pids = others()
        if len(pids) > self.max_processes:
            return "processes"
        if self.files() > self.max_files:
            return "files"
        # Shared pages count in full at first: only a doubtful sum is worth a closer look.
        if sum(map(resident, pids)) <= self.max_memory:
            return ""
        return "memory" if sum(map(proportional, pids)) > self.max_memory else ""

    def dirty(self) -> list[str]:
        """Renew the wiped folders themselves, and return what still holds something."""
        return [path for path, mode in self.wiped.items() if not pristine(path, mode)] + others()


def load_modules() -> None:
    """Import what calls will want, and give them the names that `site` would."""
    sys.dont_write_bytecode = True
    site.setquit()
    site.sethelper()
    for name in PRELOADED.split():
        with contextlib.suppress(ImportError):
            importlib.import_module(name)


def prctl(option: int, value: int, pointer: Any = None) -> None:
    """Ask the kernel, or raise OSError."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(option, ctypes.c_ulong(value), pointer, None, None) != 0:
        raise OSError(ctypes.get_errno(), f"prctl {option} was refused")


def load_filter(instructions: bytes) -> None:
    """Load a BPF program for this process and all that come from it."""
    array = ctypes.create_string_buffer(instructions, len(instructions))
    fields = struct.pack("@HP", len(instructions) // 8, ctypes.addressof(array))
    prctl(PR_SET_SECCOMP, 2, ctypes.create_string_buffer(fields, len(fields)))


def others() -> list[str]:
    """Return the processes of the sandbox besides this one."""
    pids = os.listdir("/proc")  # noqa: PTH208
    return [name for name in pids if name.isdigit() and name != "1"]


def resident(pid: str) -> int:
    """Return a process's memory in bytes, pages that it shares counted in full."""
    try:
        with open(f"/proc/{pid}/statm") as file:  # noqa: PTH123
            return int(file.read().split()[1]) * resource.getpagesize()
    except OSError:
        return 0


def proportional(pid: str) -> int:
    """Return a process's share of memory in bytes: a page of two processes counts half."""
    try:
        with open(f"/proc/{pid}/smaps_rollup") as file:  # noqa: PTH123
            return next(int(line.split()[1]) << 10 for line in file if line.startswith("Pss:"))
    except (OSError, StopIteration):
        return resident(pid)


def pristine(path: str, mode: int) -> bool:
    """Say whether a folder is empty, after making its mode, times and attributes new."""
    if os.stat(path).st_uid == os.getuid():  # noqa: PTH116
        os.chmod(path, mode)  # noqa: PTH101
        os.utime(path, (0, 0))
        for name in os.listxattr(path):
            os.removexattr(path, name)
    with os.scandir(path) as entries:
        return next(entries, None) is None
