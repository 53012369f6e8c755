"""Threats 72 to 80: clocks and limits, and a host whose client, engine or threads misbehave."""

from __future__ import annotations

import contextlib
import math
import signal
import threading
import time

import pytest
from sandbox.arena import Arena, survives, threat
from sandbox.host import Client, boxes, end, gone_within, in_a_fork, left

from gym_desks.errors import SandboxDied
from gym_desks.sandbox import SandboxOptions, SandboxProvider


@threat(72, "odd-timeouts")
def odd_timeouts(arena: Arena) -> None:
    with arena.another(call_timeout=0.3) as box:
        for timeout in (0, -1, -math.inf, math.nan, 1e-9, 1e9, math.inf, 10**30):
            run = box.bash("sleep 5", timeout)
            assert run.timed_out
            assert 0.04 < run.seconds < 1.5, timeout
            assert timeout < 1 or run.seconds > 0.25


@threat(73, "clock")
def clock(arena: Arena) -> None:
    now = "import time; time.clock_settime(time.CLOCK_REALTIME, 0)"
    assert arena.errno(now) == "EPERM"
    assert arena.errno("check(libc.settimeofday((ctypes.c_long * 2)(), None))") == "EPERM"


@threat(74, "client-that-hangs-up")
def client_that_hangs_up(arena: Arena) -> None:
    """Closing a box while a call runs in another thread ends the call and the box."""
    before = boxes(arena.name)
    box = arena.open()
    ended: list[BaseException | None] = []

    def call() -> None:
        try:
            box.bash("sleep 20")
            ended.append(None)
        except SandboxDied as error:
            ended.append(error)

    caller = threading.Thread(target=call)
    began = time.monotonic()
    caller.start()
    time.sleep(0.3)
    box.close()
    caller.join(timeout=10)
    assert time.monotonic() - began < 8
    assert isinstance(ended[0], SandboxDied)
    assert gone_within(5, lambda: boxes(arena.name) == before)


@threat(75, "killed-client")
def killed_client(arena: Arena) -> None:
    with Client(arena.name) as client:
        held = boxes(arena.name, client.pid)
        assert held
        assert left(arena.name, held) == held
        client.signal(signal.SIGKILL)
        assert gone_within(2, lambda: not left(arena.name, held))


@threat(76, "engine-that-stops")
def engine_that_stops(arena: Arena) -> None:
    """A box that ends in an episode is a typed error once; the next episode has a new box."""
    before = boxes(arena.name)
    provider = SandboxProvider(arena.name, SandboxOptions())
    try:
        box = provider.begin({"a": "1"})
        assert survives(box)
        end(arena.name, boxes(arena.name) - before)
        with pytest.raises(SandboxDied):
            box.python("print(1)")
        with pytest.raises(SandboxDied):
            box.read("a")
        assert provider.begin({"a": "2"}).read("a") == "2"
    finally:
        provider.close()


@threat(77, "cut-inside-a-character")
def cut_inside_a_character(arena: Arena) -> None:
    for lead in range(4):
        run = arena.python(f"print({'x' * lead!r} + '\N{SNOWMAN}\N{GRINNING FACE}' * 9_000)")
        assert run.truncated
        assert run.stdout.encode().decode() == run.stdout
        assert "\N{SNOWMAN}" in run.stdout


@threat(78, "a-thousand-sandboxes")
def a_thousand_sandboxes(arena: Arena) -> None:
    """A provider that ran nothing holds no box, and many that open at once take turns."""
    before = boxes(arena.name)
    with contextlib.ExitStack() as stack:
        providers = [SandboxProvider(arena.name, SandboxOptions()) for _ in range(1_000)]
        for provider in providers:
            stack.callback(provider.close)
            provider.begin({})
        assert boxes(arena.name) == before
        answers: list[bool] = []
        some = [
            threading.Thread(target=lambda p=p: answers.append(survives(p.begin({}))))
            for p in providers[:5]
        ]
        for thread in some:
            thread.start()
        for thread in some:
            thread.join()
        assert answers == [True] * 5
    assert gone_within(5, lambda: boxes(arena.name) == before)


@threat(79, "forked-vector-environment")
def forked_vector_environment(arena: Arena) -> None:
    """A forked child neither uses nor closes its parent's box, and opens one of its own."""
    provider = SandboxProvider(arena.name, SandboxOptions())
    try:
        parent = provider.begin({"who": "parent"})
        assert parent.read("who") == "parent"

        def child() -> bool:
            with contextlib.suppress(SandboxDied):
                parent.python("open('who', 'w').write('stolen')")
                return False
            own = provider.begin({"who": "child"})
            answer = own.read("who") == "child" and survives(own)
            provider.close()
            return answer

        assert in_a_fork(child)
        assert parent.read("who") == "parent"
        assert survives(parent)
    finally:
        provider.close()


@threat(80, "two-threads")
def two_threads(arena: Arena) -> None:
    wrong: list[str] = []

    def ask(number: int) -> None:
        for turn in range(10):
            said = arena.box.python(f"print({number}, {turn})").stdout
            if said != f"{number} {turn}\n":
                wrong.append(said)

    threads = [threading.Thread(target=ask, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
