"""Threats 56 to 62: memory that runs out or outlives its call, and data that break parsers."""

from __future__ import annotations

import pytest
from sandbox.arena import Arena, threat

from gym_desks.core.workspace import Completed
from gym_desks.errors import WorkspaceError


def out_of_memory(run: Completed) -> bool:
    return run.exit_code == -9 or "MemoryError" in run.stderr


@threat(56, "one-big-block")
def one_big_block(arena: Arena) -> None:
    assert out_of_memory(arena.python("block = bytearray(10**9); print('ALLOWED')"))
    arena.assert_alive_and_alone()


@threat(57, "growing-heap")
def growing_heap(arena: Arena) -> None:
    growing = "blocks = []\nwhile True: blocks.append(bytes(1 << 20) + b'x')"
    assert out_of_memory(arena.python(growing, timeout=10))
    arena.assert_alive_and_alone()


@threat(58, "many-small-processes")
def many_small_processes(arena: Arena) -> None:
    sharing = """
        import os, time
        children = []
        for _ in range(40):
            pid = os.fork()
            if not pid:
                block = b"x" * (8 << 20)
                time.sleep(0.6)
                os._exit(0)
            children.append(pid)
        print(sum(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0 for pid in children))
    """
    run = arena.python(sharing, timeout=10)
    assert run.exit_code != 0 or int(run.stdout) < 40, run
    arena.assert_alive_and_alone()


@threat(59, "full-disk-and-heap")
def full_disk_and_heap(arena: Arena) -> None:
    filling = """
        blocks, number = [], 0
        for place in ("/desk", "/tmp", "/dev/shm"):
            try:
                while True:
                    number += 1
                    open(f"{place}/{number}", "wb").write(b"x" * (1 << 20))
            except OSError:
                pass
        while True:
            blocks.append(bytes(1 << 20) + b"x")
    """
    assert out_of_memory(arena.python(filling, timeout=10))
    arena.assert_alive_and_alone()
    arena.assert_resets()


@threat(60, "deep-recursion")
def deep_recursion(arena: Arena) -> None:
    falling = "import sys; sys.setrecursionlimit(10**7)\ndef f(): return [*map(g, [1])]\n"
    run = arena.python(falling + "def g(x): return f()\nf()", timeout=10)
    assert run.exit_code in (-11, -9, -6, 1), run
    if run.exit_code == 1:
        assert "RecursionError" in run.stderr or "MemoryError" in run.stderr


@threat(61, "memory-that-outlives-a-call")
def memory_that_outlives_a_call(arena: Arena) -> None:
    for x86, arm, arguments in (
        (29, 194, "1234, 4096, 0o1666"),  # shmget
        (64, 190, "1234, 1, 0o1666"),  # semget
        (68, 186, "1234, 0o1666"),  # msgget
        (240, 180, "b'q', 0o102, 0o666, None"),  # mq_open
        (250, 219, "0, -3, 0"),  # keyctl
        (248, 217, "b'user', b'k', b'v', 1, -3"),  # add_key
    ):
        assert arena.errno(f"syscall({x86}, {arm}, {arguments})") in {"EPERM", "ENOSYS"}, x86
    assert arena.said("import os; print(os.memfd_create('kept') > 2)") == "True"
    arena.python("from multiprocessing.shared_memory import SharedMemory as S; S('k', True, 64)")
    arena.assert_resets()


@threat(62, "data-that-break-parsers")
def data_that_break_parsers(arena: Arena) -> None:
    """A lone surrogate in a request, and any JSON in an output, is text like any other."""
    run = arena.python("print('\ud800')")
    assert isinstance(run, Completed)
    assert isinstance(arena.bash("echo '\udcff'"), Completed)
    with pytest.raises(WorkspaceError):
        arena.box.write("surrogate", "\ud800")
    for text in ("[" * 10_000, "1e999", '{"ok": NaN}', '"\\ud800"', "\x00\x00\x00\x02{}"):
        assert arena.python(f"print({text!r})").stdout == f"{text}\n"
    source = "(" * 5_000 + ")" * 5_000
    assert arena.python(source).exit_code == 1
    assert arena.python("null = '\0'").exit_code in (0, 1)
