"""What a sandbox does to its host: clients that die, engines that stop, and wrong choices."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from pydantic import ValidationError
from sandbox.arena import survives
from sandbox.host import FORKING_CLIENT, Client, boxes, end, gone_within, left

from gym_desks.errors import ConfigurationError, SandboxDied
from gym_desks.sandbox import SandboxOptions, SandboxProvider, select_backend

TESTS = str(Path(__file__).parents[1])


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_client_that_is_stopped_in_a_call_leaves_nothing(backend_name, number):
    with Client(backend_name) as client:
        held = boxes(backend_name, client.pid)
        assert held
        client.signal(number)
        assert gone_within(2, lambda: not left(backend_name, held))
        assert client.wait(5) != 0


def test_a_killed_client_leaves_nothing_though_its_forked_worker_lives_on(backend_name):
    with Client(backend_name, FORKING_CLIENT) as client:
        held = boxes(backend_name, client.pid) - workers(client.pid)
        assert held
        client.signal(signal.SIGKILL)
        assert gone_within(2, lambda: not left(backend_name, held))


def workers(pid: int) -> frozenset[str]:
    """Return the children of a client that run its own script: forks, not boxes."""
    script = Path(f"/proc/{pid}/cmdline").read_bytes()
    return frozenset(
        child
        for child in boxes("bwrap", pid)
        if Path(f"/proc/{child.split(':')[0]}/cmdline").read_bytes() == script
    )


def test_a_client_that_forgets_to_close_leaves_nothing(backend_name):
    forgetting = (
        "import sys; from gym_desks.sandbox import SandboxOptions, backend_named\n"
        "from sandbox.host import boxes\n"
        "box = backend_named(sys.argv[1], SandboxOptions()).open(); box.python('1')\n"
        "print(*boxes(sys.argv[1]))"
    )
    run = subprocess.run(
        [sys.executable, "-c", forgetting, backend_name],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join([TESTS, *sys.path])},
    )
    held = run.stdout.split()
    assert held
    assert run.stderr == ""
    assert gone_within(2, lambda: not left(backend_name, held))


def test_a_box_that_is_ended_in_a_call_is_a_typed_error(backend, backend_name):
    before = boxes(backend_name)
    box = backend.open()
    held = boxes(backend_name) - before
    killer = threading.Timer(0.3, end, (backend_name, held))
    killer.start()
    began = time.monotonic()
    with pytest.raises(SandboxDied):
        box.bash("sleep 20")
    assert time.monotonic() - began < 5
    with pytest.raises(SandboxDied):
        box.reset({})
    killer.join()
    box.close()
    box.close()
    assert gone_within(2, lambda: not left(backend_name, held))


def test_a_provider_closes_what_it_opened_and_can_begin_no_leak(backend_name):
    before = boxes(backend_name)
    provider = SandboxProvider(backend_name, SandboxOptions())
    assert provider.begin({"a/b.txt": "x"}).paths() == ["a/b.txt"]
    with provider.fresh() as other:
        assert survives(other)
    provider.close()
    provider.close()
    assert gone_within(2, lambda: boxes(backend_name) == before)


def test_descriptors_beyond_a_thousand_work(backend):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, max(soft, 4096)), hard))
    taken = [os.open(os.devnull, os.O_RDONLY) for _ in range(1_100)]
    try:
        box = backend.open()
        try:
            assert survives(box)
            assert box.bash("sleep 5", 0.2).timed_out
        finally:
            box.close()
    finally:
        for fd in taken:
            os.close(fd)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_opening_and_closing_leaks_no_descriptor_and_no_thread(backend):
    def once() -> None:
        box = backend.open()
        assert survives(box)
        box.close()

    once()
    held = open_things()
    for _ in range(3):
        once()
    assert gone_within(2, lambda: open_things() == held)


def open_things() -> tuple[int, int]:
    return len([*Path("/proc/self/fd").iterdir()]), threading.active_count()


def test_a_subprocess_is_no_sandbox():
    with pytest.raises(ConfigurationError, match="subprocess") as error:
        select_backend("subprocess")
    assert "sandbox" in str(error.value)


def test_an_unknown_choice_lists_the_choices():
    with pytest.raises(ConfigurationError, match=r"auto.*docker.*bwrap"):
        select_backend("chroot")


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("memory_mb", 0),
        ("memory_mb", "much"),
        ("pids", 0),
        ("pids", 10**9),
        ("cpus", 0),
        ("cpus", float("nan")),
        ("workspace_mb", -1),
        ("call_timeout", 0),
        ("call_timeout", float("inf")),
        ("output_cap", 0),
        ("output_cap", 10**12),
        ("mounts", ["/"]),
        ("network", "host"),
    ],
)
def test_an_option_out_of_range_names_its_field(field, value):
    with pytest.raises(ValidationError, match=field):
        SandboxOptions(**{field: value})


def test_options_are_frozen():
    with pytest.raises(ValidationError):
        SandboxOptions().memory_mb = 1
