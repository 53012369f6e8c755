"""The runner: process 1 of every sandbox. Standard library alone, Python 3.9 or newer.

Its text is the first thing that `python3 -I -S -c` reads from standard input, so any image
with python3 and bash will do; the texts of the two files beside it come along as arguments.
A message is four bytes of length (big-endian), that much JSON, and as many raw bytes as the
JSON says. For each request it forks a child, which does one of the jobs and whose two output
streams are the answer. Rules:

- A call ends when its main process ends; then everything else in the sandbox is killed.
- What belongs to an episode (requests, output) is kept in maps that are given back after the
  call. Children share this process's memory, so nothing else may enter it.
- The protocol's descriptors and this process's memory are out of the reach of children.
- When the other side hangs up, the sandbox ends.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import math
import mmap
import os
import platform
import select
import signal
import struct
import sys
import time
import types
from typing import Any, NamedTuple

VERSION = 1
PROTOCOL_IN, PROTOCOL_OUT = 200, 201
FLOOD = 16  # a call whose output is this many times what is kept is stopped
CHUNK = 1 << 17
TICK = 0.05


class Request(NamedTuple):
    """The JSON of a request. Its raw bytes stay in a map."""

    job: str
    body: int = 0
    timeout: float = 10.0
    keep: int = 16_000


class Capture:
    """One output stream of a call: counted whole, kept at both ends."""

    def __init__(self, keep: int) -> None:
        self.keep = keep
        self.size = 0
        self.flood = keep * FLOOD
        self.buffer = private_map(self.flood + CHUNK)
        self.fd, self.writer = os.pipe()
        os.set_blocking(self.fd, False)

    def take(self) -> bool:
        """Move what is there into the buffer; false at the end of the stream."""
        with memoryview(self.buffer) as whole, whole[self.size : self.size + CHUNK] as space:
            try:
                count = os.readv(self.fd, [space]) if len(space) else 0
            except BlockingIOError:
                return True
        self.size += count
        return count > 0

    def drain(self) -> None:
        """Take the rest. Nobody writes any more."""
        before = -1
        while self.size != before:
            before = self.size
            self.take()

    def kept(self) -> list[memoryview]:
        """Return head and tail of what was written."""
        head = self.size if self.size <= self.keep else self.keep // 2
        tail = 0 if self.size <= self.keep else self.keep - head
        with memoryview(self.buffer) as whole:
            return [whole[:head], whole[self.size - tail : self.size]]

    def close(self) -> None:
        """Give buffer and pipe back."""
        self.buffer.close()
        os.close(self.fd)


class Call:
    """One job in a child of its own, and whatever that child starts."""

    def __init__(self, runner: Runner, request: Request, body: mmap.mmap) -> None:
        self.runner = runner
        runner.box.begin()
        self.began = time.monotonic()
        self.deadline = self.began + request.timeout
        self.captures = Capture(request.keep), Capture(request.keep)
        self.status = 0
        self.pid = os.fork()
        if self.pid == 0:
            writers = [capture.writer for capture in self.captures]
            runner.jobs.do(request.job, body[: request.body], writers, request.timeout)
        for capture in self.captures:
            os.close(capture.writer)

    def watch(self) -> str:
        """Wait for the main process. Return why it has to be stopped, or nothing."""
        streams = {capture.fd: capture for capture in self.captures}
        poller, pidfd = select.poll(), os.pidfd_open(self.pid)
        poller.register(PROTOCOL_IN, select.POLLRDHUP)  # a socket of which only half is shut
        for fd in (pidfd, *streams):
            poller.register(fd, select.POLLIN)
        try:
            while True:
                ready = {fd for fd, _ in poller.poll(self.patience())}
                for fd in streams.keys() & ready:
                    if not streams[fd].take():
                        poller.unregister(fd)
                if PROTOCOL_IN in ready:
                    raise EOFError
                reason = self.excess()
                if pidfd in ready or reason:
                    return reason
        finally:
            os.close(pidfd)

    def patience(self) -> int:
        """Return how many milliseconds may pass before the limits are looked at again."""
        return math.ceil(max(0.0, min(TICK, self.deadline - time.monotonic())) * 1000)

    def excess(self) -> str:
        """Return the name of a limit that the call has passed, or nothing."""
        if any(capture.size >= capture.flood for capture in self.captures):
            return "output"
        if time.monotonic() >= self.deadline:
            return "time"
        self.reap(os.WNOHANG)
        return str(self.runner.box.excess())

    def sweep(self) -> None:
        """Kill every process of the sandbox but this one, and wait until none is left."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(-1, signal.SIGKILL)
        self.reap(0)

    def reap(self, options: int) -> None:
        """Collect the processes that ended."""
        with contextlib.suppress(ChildProcessError):
            while True:
                pid, status = os.waitpid(-1, options)
                if pid == 0:
                    return
                if pid == self.pid:
                    self.status = status

    def answer(self, stopped: str) -> None:
        """Send how the call ended and what is kept of its output."""
        for capture in self.captures:
            capture.drain()
        kept = [view for capture in self.captures for view in capture.kept()]
        message = {
            "exit": os.waitstatus_to_exitcode(self.status),
            "stopped": stopped,
            "seconds": round(time.monotonic() - self.began, 4),
            "sizes": [capture.size for capture in self.captures],
            "kept": [len(view) for view in kept],
        }
        send(message, kept)
        for view in kept:
            view.release()
        for capture in self.captures:
            capture.close()


class Runner:
    """Process 1: the limits of its sandbox, the jobs it knows, and the loop."""

    def __init__(self, box: str, jobs: str, settings: dict[str, Any]) -> None:
        self.box = load("box", box).Box(settings)
        self.jobs = load("jobs", jobs).Jobs(settings)

    def serve(self) -> bool:
        """Answer one request. False when the client says goodbye."""
        request = Request(**json.loads(receive(*struct.unpack(">I", receive(4)))))
        if request.job == "bye":
            return False
        if request.job == "prove":
            send({"dirty": self.box.dirty()}, [])
            return True
        with private_map(max(request.body, 1)) as body:
            with memoryview(body) as whole, whole[: request.body] as view:
                fill(view)
            call = Call(self, request, body)
        stopped = call.watch()
        call.sweep()
        call.answer(stopped)
        return True


def main() -> None:
    """Become process 1 of a sandbox, say so, and serve until the other side hangs up."""
    if os.getpid() != 1:
        sys.exit("the runner must be process 1: it kills every other process it can see")
    *texts, settings = sys.argv[1:]
    runner = Runner(texts[1], texts[2], json.loads(settings))
    runner.box.settle()
    take_protocol()
    digest = hashlib.sha256("\0".join(texts).encode()).hexdigest()
    hello = {"version": VERSION, "sha256": digest, "python": platform.python_version()}
    send({**hello, "machine": platform.machine(), "uid": os.getuid()}, [])
    runner.box.freeze()
    with contextlib.suppress(EOFError, ConnectionError):
        while runner.serve():
            pass


def private_map(size: int) -> mmap.mmap:
    """Return memory that children do not share, and that leaves no trace when it is closed."""
    return mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)


def load(name: str, text: str) -> types.ModuleType:
    """Return a module made of a text that was handed over beside this one."""
    module = types.ModuleType(name)
    exec(compile(text, f"<{name}>", "exec"), module.__dict__)  # noqa: S102
    return module


def take_protocol() -> None:
    """Move the two protocol streams out of the way and leave /dev/null in their place."""
    os.dup2(0, PROTOCOL_IN, inheritable=False)
    os.dup2(1, PROTOCOL_OUT, inheritable=False)
    null = os.open("/dev/null", os.O_RDWR)
    for fd in (0, 1, 2):
        os.dup2(null, fd)
    os.close(null)


def receive(size: int) -> bytearray:
    """Read this many bytes of the protocol."""
    data = bytearray(size)
    with memoryview(data) as view:
        fill(view)
    return data


def fill(view: memoryview) -> None:
    """Fill a buffer from the protocol, or raise EOFError."""
    done = 0
    while done < len(view):
        with view[done:] as rest:
            count = os.readv(PROTOCOL_IN, [rest])
        if count == 0:
            raise EOFError
        done += count


def send(message: dict[str, Any], raw: list[memoryview]) -> None:
    """Write a message and its raw bytes."""
    text = json.dumps(message).encode()
    with memoryview(struct.pack(">I", len(text)) + text) as head:
        for view in (head, *raw):
            done = 0
            while done < len(view):
                with view[done:] as rest:
                    done += os.write(PROTOCOL_OUT, rest)


if __name__ == "__main__":
    main()
