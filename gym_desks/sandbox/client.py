"""`RunnerSandbox`: one open sandbox, driven over a stream to its process 1.

It belongs to the process that opened it: a forked child can neither use nor end it. Calls
from several threads are served one after the other. Every doubt about a reply closes the
sandbox and raises SandboxDied.
"""

from __future__ import annotations

import codecs
import contextlib
import json
import os
import threading
import time
import weakref
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal, NamedTuple, TypeVar

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from gym_desks.core.workspace import Completed, checked_path, missing_file
from gym_desks.errors import SandboxDied, WorkspaceError
from gym_desks.sandbox import program
from gym_desks.sandbox.options import SandboxOptions
from gym_desks.sandbox.stream import MAX_RAW, Stream, receive_message, send_message

GRACE = 20.0
FILES_TIMEOUT = 20.0
PATIENCE = 2.0
MISSING = 2

Count = Annotated[int, Field(ge=0, le=MAX_RAW)]
M = TypeVar("M", bound=BaseModel)

_NAMES = TypeAdapter(list[str], config=ConfigDict(strict=True))


class Message(BaseModel):
    """A message of process 1: exactly these fields, of exactly these types."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)


class Hello(Message):
    """The first message."""

    version: int
    sha256: str
    python: Annotated[str, Field(pattern=r"^3\.\d+\.\d+\S{0,20}$")]
    machine: Annotated[str, Field(pattern=r"^\w{1,20}$")]
    uid: int


class Ended(Message):
    """How a job ended. `kept` are the lengths of the four raw parts that follow."""

    exit: Annotated[int, Field(ge=-255, le=255)]
    stopped: Literal["", "time", "output", "memory", "processes", "files"]
    seconds: Annotated[float, Field(ge=0)]
    sizes: Annotated[list[Count], Field(min_length=2, max_length=2)]
    kept: Annotated[list[Count], Field(min_length=4, max_length=4)]


class Proof(Message):
    """What a wipe left behind."""

    dirty: list[str]


class Output(NamedTuple):
    """What a job wrote to one stream."""

    head: bytes
    tail: bytes
    size: int

    @property
    def left_out(self) -> int:
        """How many bytes were not kept."""
        return self.size - len(self.head) - len(self.tail)

    @property
    def text(self) -> str:
        """Return valid Unicode, with a mark where something was left out."""
        if not self.left_out:
            return (self.head + self.tail).decode("utf-8", "backslashreplace")
        # A character that the cut went through is left out whole.
        head = codecs.getincrementaldecoder("utf-8")("backslashreplace").decode(self.head)
        start = next((n for n, byte in enumerate(self.tail[:4]) if byte & 0xC0 != 0x80), 0)
        tail = self.tail[start:].decode("utf-8", "backslashreplace")
        return f"{head}\n[... {self.left_out} bytes left out ...]\n{tail}"


class RunnerSandbox:
    """A sandbox behind a stream."""

    def __init__(
        self,
        stream: Stream,
        options: SandboxOptions,
        release: Callable[[], None],
        payload: bytes,
    ) -> None:
        self._stream = stream
        self._options = options
        self._payload = payload
        self._owner = os.getpid()
        self._lock = threading.RLock()
        self._end = weakref.finalize(self, hang_up, stream, release)
        _OPEN.add(self)

    def greet(self, timeout: float) -> Hello:
        """Hand over the runner and read its first message. Raises SandboxDied."""
        with self._exclusive():
            self._stream.send(self._payload)
            hello = self._parsed(Hello, time.monotonic() + timeout)
            if hello.version != program.PROTOCOL_VERSION or hello.sha256 != program.digest():
                raise SandboxDied("the runner in the sandbox is not the one that was sent")
            return hello

    @property
    def closed(self) -> bool:
        """Whether this sandbox can no longer be used here."""
        return not self._end.alive or self._owner != os.getpid()

    def python(self, code: str, timeout: float | None = None) -> Completed:
        return self._run("python", code, timeout)

    def bash(self, command: str, timeout: float | None = None) -> Completed:
        return self._run("bash", command, timeout)

    def read(self, path: str) -> str:
        name = checked_path(path)
        ended, out, err = self._job("get", encoded(name), program.MAX_FILE + 1)
        if ended.exit == MISSING:
            raise WorkspaceError(missing_file(name, self.paths()))
        self._check(ended, err, name)
        try:
            return out.head.decode("utf-8")
        except UnicodeDecodeError:
            raise WorkspaceError(f"file {name!r} is not text in UTF-8") from None

    def write(self, path: str, text: str) -> None:
        check_size(path, text)
        self._put({path: text})

    def paths(self) -> list[str]:
        ended, out, err = self._job("list", b"", program.MAX_FILE)
        self._check(ended, err, "the workspace")
        try:
            return sorted(map(checked_path, _NAMES.validate_python(json.loads(out.head))))
        except (ValueError, RecursionError, WorkspaceError):
            self.close()
            raise SandboxDied("the sandbox sent a listing that is none") from None

    def reset(self, files: Mapping[str, str]) -> None:
        with self._exclusive():
            self._job("wipe", b"", 256)
            send_message(self._stream, {"job": "prove"})
            proof = self._parsed(Proof, time.monotonic() + GRACE)
            if proof.dirty:
                raise SandboxDied(f"a reset left something behind in {', '.join(proof.dirty)}")
        if files:
            self._put(files)

    def close(self) -> None:
        """End the sandbox, where this process opened it. Idempotent, never raises."""
        if not self.closed:
            self._end()

    def abandon(self) -> None:
        """Let go of the stream in a forked child, without a word to the other side."""
        self._end.detach()
        self._stream.close()

    def _run(self, job: str, text: str, timeout: float | None) -> Completed:
        ended, out, err = self._job(
            job, encoded(text), self._options.output_cap, self._options.timeout(timeout)
        )
        return Completed(
            exit_code=ended.exit,
            stdout=out.text,
            stderr=err.text + self._explained(ended.stopped),
            timed_out=ended.stopped == "time",
            truncated=bool(out.left_out or err.left_out),
            stdout_bytes=out.size,
            stderr_bytes=err.size,
            seconds=ended.seconds,
        )

    def _explained(self, stopped: str) -> str:
        reasons = {
            "memory": f"it used more than {self._options.memory_mb} MB of memory",
            "processes": f"it had more than {self._options.pids} processes",
            "files": "it made too many files",
            "output": "it wrote far more output than is kept",
        }
        return f"\n[stopped: {reasons[stopped]}]" if stopped in reasons else ""

    def _put(self, files: Mapping[str, str]) -> None:
        checked = {checked_path(path): text for path, text in files.items()}
        ended, _, err = self._job("put", json.dumps(checked).encode(), 4_000)
        self._check(ended, err, ", ".join(list(checked)[:3]))

    def _check(self, ended: Ended, err: Output, name: str) -> None:
        if ended.stopped or ended.exit < 0:
            raise WorkspaceError(f"{name}: took too long or too much memory")
        if ended.exit:
            raise WorkspaceError(err.text or f"{name}: refused")

    def _job(
        self, job: str, body: bytes, keep: int, timeout: float = FILES_TIMEOUT
    ) -> tuple[Ended, Output, Output]:
        with self._exclusive():
            request = {"job": job, "body": len(body), "timeout": timeout, "keep": keep}
            send_message(self._stream, request, body)
            deadline = time.monotonic() + timeout + GRACE
            ended = self._parsed(Ended, deadline)
            for size, kept in zip(ended.sizes, (ended.kept[:2], ended.kept[2:]), strict=True):
                if sum(kept) > min(size, keep):
                    raise SandboxDied("the sandbox announced more output than is kept")
            parts = [self._stream.receive(size, deadline) for size in ended.kept]
        out = Output(parts[0], parts[1], ended.sizes[0])
        return ended, out, Output(parts[2], parts[3], ended.sizes[1])

    def _parsed(self, kind: type[M], deadline: float) -> M:
        try:
            return kind.model_validate(receive_message(self._stream, deadline))
        except ValidationError as error:
            raise SandboxDied(
                f"the sandbox sent a malformed message ({error.error_count()} errors)"
            ) from None

    @contextlib.contextmanager
    def _exclusive(self) -> Any:
        """Hold the sandbox for one exchange; whatever interrupts one ends the sandbox."""
        if self._owner != os.getpid():
            raise SandboxDied(f"this sandbox belongs to process {self._owner}, not to this one")
        with self._lock:
            if self.closed:
                raise SandboxDied("this sandbox is closed")
            try:
                yield
            except BaseException:
                self.close()
                raise


def check_size(path: str, text: str) -> None:
    """Raise WorkspaceError for a text that an agent may not write."""
    try:
        size = len(text.encode())
    except UnicodeEncodeError:
        raise WorkspaceError(f"file {path!r}: the text has half a surrogate pair") from None
    if size > program.MAX_FILE:
        raise WorkspaceError(
            f"file {path!r}: the text has {size} bytes; at most {program.MAX_FILE} are written"
        )


def encoded(text: str) -> bytes:
    """Return the bytes of a text that an agent wrote, lone surrogates replaced."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace")


def hang_up(stream: Stream, release: Callable[[], None]) -> None:
    """Say goodbye, close the stream, and give back what the backend holds."""
    with contextlib.suppress(SandboxDied):
        send_message(stream, {"job": "bye"})
    stream.finish(PATIENCE)
    stream.close()
    release()


_OPEN: weakref.WeakSet[RunnerSandbox] = weakref.WeakSet()


def _abandon_all() -> None:
    for sandbox in list(_OPEN):
        sandbox.abandon()
    _OPEN.clear()


os.register_at_fork(after_in_child=_abandon_all)
