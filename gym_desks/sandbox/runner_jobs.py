"""What a child of the runner can do. Standard library alone.

The runner gets this file as text. A job reads its request, writes its result to standard
output and what went wrong to standard error, and returns an exit code: 0, or for the files
1 for refused and 2 for missing. No job follows a link: a link may lead into /proc.
"""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import gc
import json
import linecache
import math
import os
import resource
import shutil
import signal
import stat
import struct
import sys
import threading
import traceback
import types
from typing import Any, NoReturn

MAX_FDS = 256
MAX_LISTED, MAX_LISTED_BYTES, MAX_DEPTH, MAX_PATH = 10_000, 1 << 20, 64, 512
REFUSED, MISSING = 1, 2
PR_SET_DUMPABLE = 4
LANDLOCK_CREATE_RULESET, LANDLOCK_ADD_RULE, LANDLOCK_RESTRICT_SELF = 444, 445, 446
LANDLOCK_PATH_BENEATH = 1
# Any ruleset forbids moves between folders unless it names them.
LANDLOCK_WRITE_FILE, LANDLOCK_REFER = 1 << 1, 1 << 13
NO_FOLLOW = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
WIPE = 'chmod -R u+rwX -- "$@"; find "$@" -mindepth 1 -delete'


class Refused(Exception):
    """A file that is not read or written, with the reason."""


class Jobs:
    """The jobs under the limits of one sandbox."""

    def __init__(self, settings: dict[str, Any]) -> None:
        self.work: str = settings["work"]
        self.wiped = list(settings["wiped"])
        self.max_file: int = settings["max_file"]
        self.fence = fence([self.work, "/tmp", "/dev"])  # noqa: S108
        self.limits = {
            resource.RLIMIT_AS: settings["address_space"],
            resource.RLIMIT_FSIZE: settings["file_size"],
            resource.RLIMIT_NPROC: settings["user_processes"],
            resource.RLIMIT_NOFILE: MAX_FDS,
            resource.RLIMIT_CORE: 0,
        }

    def do(self, job: str, body: bytes, writers: list[int], timeout: float) -> NoReturn:
        """Turn this fork of the runner into a child of the sandbox that does one job."""
        status = REFUSED
        try:
            self.enter(writers, timeout)
            status = getattr(self, f"do_{job}")(body)
        except BaseException as error:  # noqa: BLE001
            reason = str(error) if isinstance(error, Refused) else repr(error)
            os.write(2, reason.encode("utf-8", "backslashreplace"))
            status = MISSING if isinstance(error, FileNotFoundError) else REFUSED
        finally:
            os._exit(status)

    def enter(self, writers: list[int], timeout: float) -> None:
        """Take on streams, limits and folder of a call."""
        os.setsid()
        for fd, writer in enumerate(writers, 1):
            os.dup2(writer, fd)
        libc = ctypes.CDLL(None)
        libc.prctl(PR_SET_DUMPABLE, 1)
        # Where memory ends, a child is to go and not process 1. Behind the fence no child can
        # take that back.
        with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "w") as file:  # noqa: PTH123
            file.write("1000")
        libc.syscall(LANDLOCK_RESTRICT_SELF, self.fence, 0)
        os.closerange(3, MAX_FDS)
        seconds = math.ceil(timeout) + 1
        for limit, value in {**self.limits, resource.RLIMIT_CPU: seconds}.items():
            if value is not None:
                resource.setrlimit(limit, (value, value))
        if not os.access(self.work, os.X_OK):
            os.chmod(self.work, 0o700)  # noqa: PTH101
        os.chdir(self.work)

    def do_python(self, body: bytes) -> int:
        """Run source as `__main__`, in this warm interpreter."""
        code, main = body.decode("utf-8", "surrogateescape"), types.ModuleType("__main__")
        sys.modules["__main__"], sys.argv = main, ["<python>"]
        sys.path.insert(0, self.work)
        linecache.cache["<python>"] = (len(code), None, code.splitlines(keepends=True), "<python>")
        signal.signal(signal.SIGINT, signal.default_int_handler)
        for stream in (sys.stdout, sys.stderr):
            stream.reconfigure(encoding="utf-8", errors="surrogateescape")  # type: ignore[union-attr]
        try:
            exec(compile(code, "<python>", "exec", dont_inherit=True), main.__dict__)  # noqa: S102
            status = 0
        except BaseException as error:  # noqa: BLE001
            status = concluded(error)
        return finish(main, status)

    def do_bash(self, body: bytes) -> int:
        """Become bash. Signals that Python ignores get their usual meaning back."""
        for number in (signal.SIGPIPE, signal.SIGXFSZ):
            signal.signal(number, signal.SIG_DFL)
        os.execvp("bash", ["bash", "-c", os.fsdecode(body)])  # noqa: S606

    def do_wipe(self, body: bytes) -> int:
        """Remove everything that calls may have left in files."""
        try:
            for place in self.wiped:
                empty(place)
        except (OSError, RecursionError):
            # Closed folders, and trees deeper than Python can follow, are left to programs.
            os.execvp("bash", ["bash", "-c", WIPE, "wipe", *self.wiped])  # noqa: S606
        return 0

    def do_put(self, body: bytes) -> int:
        """Write files, given as a JSON object of paths and texts."""
        for path, text in json.loads(body).items():
            with reasons(path), opened(path, os.O_WRONLY | os.O_CREAT, make=True) as file:
                file.truncate(0)
                file.write(text.encode())
        return 0

    def do_get(self, body: bytes) -> int:
        """Write the bytes of one file."""
        path = os.fsdecode(body)
        with reasons(path), opened(path, os.O_RDONLY) as file:
            size = os.fstat(file.fileno()).st_size
            if size > self.max_file:
                raise Refused(f"file {path!r} has {size} bytes; at most {self.max_file} are read")
            sys.stdout.buffer.write(file.read(self.max_file))
            sys.stdout.buffer.flush()
        return 0

    def do_list(self, body: bytes) -> int:
        """Write the paths of all files as a JSON array, as far as the bounds go."""
        found: list[str] = []
        size = 0
        for path in regular_files():
            if len(path) > MAX_PATH:
                continue  # no request can name it
            size += len(path)
            if len(found) == MAX_LISTED or size > MAX_LISTED_BYTES:
                break
            found.append(path)
        sys.stdout.write(json.dumps(found))
        sys.stdout.flush()
        return 0


def fence(folders: list[str]) -> int:
    """Return a Landlock ruleset that lets files be written below these folders only.

    Above all not in /proc. Without Landlock (before Linux 5.19) it is -1, and fences nothing.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    rights = struct.pack("=Q", LANDLOCK_WRITE_FILE | LANDLOCK_REFER)
    ruleset = int(libc.syscall(LANDLOCK_CREATE_RULESET, rights, len(rights), 0))
    for folder in folders if ruleset >= 0 else []:
        place = os.open(folder, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
        rule = rights + struct.pack("=i", place)
        libc.syscall(LANDLOCK_ADD_RULE, ruleset, LANDLOCK_PATH_BENEATH, rule, 0)
        os.close(place)
    return ruleset


def empty(folder: str) -> None:
    """Remove what is in a folder, or raise."""
    with os.scandir(folder) as entries:
        for entry in list(entries):
            if entry.is_dir(follow_symlinks=False):
                shutil.rmtree(entry.path)
            else:
                os.unlink(entry.path)  # noqa: PTH108


def concluded(error: BaseException) -> int:
    """Return the exit code of a program that ended with this, after printing what it prints."""
    if isinstance(error, SystemExit):
        if error.code is None or isinstance(error.code, int):
            return (error.code or 0) & 0xFF
        print(error.code, file=sys.stderr)
        return 1
    frames = error.__traceback__.tb_next if error.__traceback__ else None
    if sys.excepthook is sys.__excepthook__:
        traceback.print_exception(type(error), error, frames)
    else:
        sys.excepthook(type(error), error, frames)
    return 1


def finish(main: types.ModuleType, status: int) -> int:
    """End as an interpreter does: threads, exit handlers, globals, buffers."""
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    main.__dict__.clear()
    gc.collect()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError, AttributeError):
            stream.flush()
    return status


@contextlib.contextmanager
def reasons(path: str) -> Any:
    """Turn what the kernel says about a path into words without the sandbox's own paths."""
    try:
        yield
    except FileNotFoundError:
        raise
    except (OSError, UnicodeError) as error:
        said = error.strerror if isinstance(error, OSError) else str(error)
        raise Refused(f"file {path!r}: {said}") from None


def opened(path: str, flags: int, make: bool = False) -> Any:
    """Open a regular file below the current folder, through folders that are no links."""
    *folders, name = path.split("/")
    folder = os.open(".", os.O_RDONLY | os.O_DIRECTORY)
    for part in folders:
        if make:
            with contextlib.suppress(FileExistsError):
                os.mkdir(part, 0o755, dir_fd=folder)
        folder = os.open(part, os.O_RDONLY | os.O_DIRECTORY | NO_FOLLOW, dir_fd=folder)
    fd = os.open(name, flags | NO_FOLLOW, 0o644, dir_fd=folder)
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        raise Refused(f"file {path!r}: not a regular file")
    # Buffered: a raw file may write or read less than it was asked to, without a word.
    return open(fd, "rb" if flags == os.O_RDONLY else "wb")  # noqa: PTH123


def regular_files() -> Any:
    """Yield the paths of all regular files below the current folder, links apart."""
    folders = [""]
    while folders:
        folder = folders.pop()
        with contextlib.suppress(OSError), os.scandir(folder or ".") as entries:
            for entry in entries:
                path = f"{folder}{entry.name}"
                if entry.is_file(follow_symlinks=False):
                    yield path
                elif entry.is_dir(follow_symlinks=False) and path.count("/") < MAX_DEPTH:
                    folders.append(f"{path}/")
