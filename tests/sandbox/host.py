"""The host's side of a sandbox: which boxes are open, clients to kill, engines to cut off.

A box is known by an id that outlives its client: a container's id, or a process's
pid and start time.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

OWNER = "gym_desks.owner"
CLIENT = """
import sys
from gym_desks.sandbox import SandboxOptions, backend_named
box = backend_named(sys.argv[1], SandboxOptions(call_timeout=60)).open()
box.python("print(1)")
print("ready", flush=True)
box.bash("sleep 60", 60)
"""
# Before its call it forks a worker, as a vector environment does, that outlives it for a while.
FORKING_CLIENT = CLIENT.replace(
    'print("ready", flush=True)',
    """import os, time
if os.fork() == 0:
    parent = os.getppid()
    while os.getppid() == parent:
        time.sleep(0.05)
    time.sleep(5)
    os._exit(0)
print("ready", flush=True)""",
)


def boxes(backend: str, pid: int | None = None) -> frozenset[str]:
    """Return the ids of all boxes that a process (this one by default) holds."""
    pid = pid or os.getpid()
    return _containers(pid) if backend == "docker" else _processes_under(pid)


def left(backend: str, ids: Iterable[str]) -> frozenset[str]:
    """Return those of the boxes that are still there."""
    if backend == "docker":
        return frozenset(ids) & _containers()
    return frozenset(box for box in ids if _process(int(box.split(":")[0])) == box)


def end(backend: str, ids: Iterable[str]) -> None:
    """End boxes behind their client's back, as an engine or an administrator would."""
    for box in ids:
        if backend == "docker":
            _engine().kill(box)
        else:
            with suppress(ProcessLookupError):
                os.kill(int(box.split(":")[0]), signal.SIGKILL)


def gone_within(seconds: float, condition: Callable[[], bool]) -> bool:
    """Wait until the condition holds, at most so long."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def in_a_fork(body: Callable[[], bool]) -> bool:
    """Run the body in a forked child and say whether it returned true within 30 s."""
    pid = os.fork()
    if pid == 0:
        signal.alarm(30)
        succeeded = False
        try:
            succeeded = body()
        finally:
            os._exit(0 if succeeded else 1)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0


class Client:
    """Another process that is in the middle of a long call."""

    def __init__(self, backend: str, script: str = CLIENT) -> None:
        # A test run in the background of a shell ignores Ctrl-C, and so would its children.
        self._process = subprocess.Popen(
            [sys.executable, "-c", script, backend],
            stdout=subprocess.PIPE,
            text=True,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )

    def __enter__(self) -> Client:
        assert self._process.stdout is not None
        assert self._process.stdout.readline() == "ready\n"
        time.sleep(0.2)
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()
        assert self._process.stdout is not None
        self._process.stdout.close()

    @property
    def pid(self) -> int:
        return self._process.pid

    def signal(self, number: int) -> None:
        self._process.send_signal(number)

    def wait(self, seconds: float) -> int:
        return self._process.wait(seconds)


class Relay:
    """A private way to the engine that can be cut: every byte goes through it."""

    def __init__(self, listener: socket.socket, engine: str = "/var/run/docker.sock") -> None:
        self._listener, self._engine = listener, engine
        self._ends: list[socket.socket] = []
        self.connections = 0
        threading.Thread(target=self._accept, daemon=True).start()

    @classmethod
    def on_unix(cls, path: Path) -> Relay:
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(str(path))
        listener.listen()
        return cls(listener)

    @classmethod
    def on_tcp(cls) -> Relay:
        return cls(socket.create_server(("127.0.0.1", 0)))

    @property
    def port(self) -> int:
        return int(self._listener.getsockname()[1])

    def cut(self) -> None:
        """Close the listener and every connection."""
        for end in [self._listener, *self._ends]:
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()

    def __enter__(self) -> Relay:
        return self

    def __exit__(self, *_: object) -> None:
        self.cut()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._listener.accept()
                far = socket.socket(socket.AF_UNIX)
                far.connect(self._engine)
                self.connections += 1
                self._ends += [near, far]
                for ends in ((near, far), (far, near)):
                    threading.Thread(target=_pump, args=ends, daemon=True).start()


def _pump(source: socket.socket, sink: socket.socket) -> None:
    with suppress(OSError):
        while data := source.recv(65536):
            sink.sendall(data)
        sink.shutdown(socket.SHUT_WR)


def _engine():
    import docker

    return docker.from_env().api


def _containers(pid: int | None = None) -> frozenset[str]:
    api = _engine()
    try:
        found = api.containers(all=True, filters={"label": OWNER})
    finally:
        api.close()
    return frozenset(
        box["Id"] for box in found if pid is None or f":{pid}:" in box["Labels"][OWNER]
    )


def _process(pid: int) -> str | None:
    """Return the id of a process that runs, or None where it ended."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return None
    return None if fields[0] in "ZX" else f"{pid}:{fields[19]}"


def _processes_under(pid: int) -> frozenset[str]:
    parents: dict[int, list[int]] = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            with suppress(FileNotFoundError, ProcessLookupError):
                stat = (folder / "stat").read_text().rpartition(")")[2].split()
                parents.setdefault(int(stat[1]), []).append(int(folder.name))
    family, waiting = set(), list(parents.get(pid, []))
    while waiting:
        child = waiting.pop()
        family.add(_process(child))
        waiting += parents.get(child, [])
    return frozenset(family - {None})
