"""The speed of sandboxes, as ratios measured in one run on one machine.

    python benchmarks/sandbox.py [--backend docker] [--boxes 32] [--calls 60]

A call is compared with `docker exec` of the same program in the same container, a reset with
a container that is made, started and removed. Without an engine only the own times are shown.
"""

from __future__ import annotations

import argparse
import contextlib
import statistics
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from gym_desks.errors import SandboxUnavailable
from gym_desks.sandbox import RunnerSandbox, select_backend
from gym_desks.sandbox.backends import Backend
from gym_desks.sandbox.backends.docker import DEFAULT_IMAGE, connected

HELLO = "print('hello')"
FILES = {f"folder/{number}.txt": "text\n" * 20 for number in range(20)}

Row = tuple[str, str, str]


def main() -> None:
    arguments = parsed()
    backend = select_backend(arguments.backend)
    print(f"backend {backend.name}: {backend.facts()}\n")
    rows = [*calls(backend, arguments.calls), *many(backend, arguments.boxes, arguments.calls)]
    width = max(len(name) for name, _, _ in rows)
    for name, value, ratio in rows:
        print(f"{name:<{width}}  {value:>12}  {ratio}")


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--backend", default="auto")
    parser.add_argument("--boxes", type=int, default=32)
    parser.add_argument("--calls", type=int, default=60)
    return parser.parse_args()


def calls(backend: Backend, count: int) -> Iterator[Row]:
    """Yield the times of single calls, beside those of the engine's own way."""
    engine = list(engine_times(max(count // 4, 5)))
    box = backend.open()
    own = [
        ("python call", median(lambda: box.python(HELLO), count)),
        ("bash call", median(lambda: box.bash("echo hello"), count)),
        ("reset with 20 files", median(lambda: box.reset(FILES), count)),
        ("read of a file", median(lambda: box.read("folder/1.txt"), count)),
    ]
    box.close()
    for place, (name, seconds) in enumerate(own):
        faster = (
            f"{engine[place][1] / seconds:6.1f} x faster than {engine[place][0]}"
            if (place < len(engine))
            else ""
        )
        yield name, f"{seconds * 1000:.1f} ms", faster
    yield "open and close", f"{median(lambda: backend.open().close(), 5) * 1000:.0f} ms", ""


def engine_times(count: int) -> Iterator[tuple[str, float]]:
    """Yield what the same work takes by the engine's own means, where there is an engine."""
    with contextlib.suppress(SandboxUnavailable), connected() as client:
        container = client.containers.run(DEFAULT_IMAGE, ["sleep", "600"], **SAME)
        try:
            for command in (["python3", "-c", HELLO], ["bash", "-c", "echo hello"]):
                name = f"docker exec {command[0]}"
                yield name, median(lambda c=command: container.exec_run(c), count)
        finally:
            container.remove(force=True)
        yield "a new container", median(lambda: new_container(client), 5)


SAME: dict[str, Any] = {"network_mode": "none", "detach": True, "read_only": True}


def new_container(client: Any) -> None:
    client.containers.run(DEFAULT_IMAGE, ["sleep", "600"], **SAME).remove(force=True)


def many(backend: Backend, boxes: int, count: int) -> Iterator[Row]:
    """Yield what many boxes take in memory, and how fast they are together."""
    alone = backend.open()
    before = available_megabytes()
    one = calls_per_second([alone], boxes * count // 8)
    opened = [backend.open() for _ in range(boxes)]
    time.sleep(1)
    used = (before - available_megabytes()) / boxes
    together = calls_per_second(opened, count // 4)
    for box in (alone, *opened):
        box.close()
    yield f"memory of one of {boxes} idle boxes", f"{used:.1f} MB", ""
    yield "calls with 1 box", f"{one:.0f} /s", ""
    yield f"calls with {boxes} boxes", f"{together:.0f} /s", f"{together / one:6.2f} x one box"


def calls_per_second(boxes: list[RunnerSandbox], count: int) -> float:
    """Return the rate of Python calls with a thread for each box."""

    def work(box: RunnerSandbox) -> None:
        for _ in range(count):
            box.python(HELLO)

    threads = [threading.Thread(target=work, args=(box,)) for box in boxes]
    began = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return len(boxes) * count / (time.perf_counter() - began)


def median(action: Callable[[], object], count: int) -> float:
    """Return the median time of an action in seconds."""
    times = []
    for _ in range(count):
        began = time.perf_counter()
        action()
        times.append(time.perf_counter() - began)
    return statistics.median(times)


def available_megabytes() -> float:
    """Return the memory that this machine could still give."""
    lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("MemAvailable"))


if __name__ == "__main__":
    main()
