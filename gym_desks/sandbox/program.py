"""What process 1 is started with: the runner's texts and the limits that it is to hold."""

from __future__ import annotations

import base64
import functools
import hashlib
import json
from importlib import resources
from typing import Any

from gym_desks.sandbox import seccomp
from gym_desks.sandbox.options import SandboxOptions

PROTOCOL_VERSION = 1
WORK = "/desk"
NOBODY = 65534
TMP_MB, SHM_MB = 16, 8
MAX_FILE = 4 << 20
MODES = {WORK: 0o700, "/tmp": 0o1777, "/dev/shm": 0o1777}  # noqa: S108

# Together with PATH, all the environment variables that a call sees.
ENVIRONMENT = {
    "HOME": WORK,
    "LANG": "C.UTF-8",
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONNOUSERSITE": "1",
}

MEBIBYTE = 1 << 20


@functools.cache
def texts() -> tuple[str, str, str]:
    """Return the three texts that process 1 is made of."""
    folder = resources.files("gym_desks.sandbox")
    names = ("runner.py", "runner_box.py", "runner_jobs.py")
    runner, box, jobs = ((folder / name).read_text("utf-8") for name in names)
    return runner, box, jobs


@functools.cache
def digest() -> str:
    """Return what a runner made of these texts says about itself."""
    return hashlib.sha256("\0".join(texts()).encode()).hexdigest()


def payload(settings: dict[str, Any]) -> bytes:
    """Return what process 1 reads first: the texts and the limits."""
    return json.dumps([*texts(), json.dumps(settings)]).encode()


def command(python: str, size: int) -> list[str]:
    """Return the arguments that start process 1, short enough to be read in a list."""
    boot = f"import json, sys; sys.argv[1:] = json.loads(sys.stdin.buffer.read({size})); "
    return [python, "-I", "-S", "-c", f"{boot}exec(sys.argv[1])"]


def settings(
    options: SandboxOptions,
    *,
    variables: dict[str, str],
    control_group: bool,
    user_processes: int | None,
) -> dict[str, Any]:
    """Return what the runner is told.

    Where no `control_group` bounds the box, the runner measures it. `user_processes` is a
    limit on the processes of the box's user, who must then have no other boxes: the kernel
    counts them together.
    """
    memory = options.memory_mb * MEBIBYTE
    return {
        "filter": base64.b64encode(seccomp.program()).decode(),
        "work": WORK,
        "wiped": MODES,
        "user": NOBODY,
        "environment": {**ENVIRONMENT, **variables},
        "address_space": 2 * memory + 256 * MEBIBYTE,
        "file_size": options.workspace_mb * MEBIBYTE,
        "max_file": MAX_FILE,
        "processes": options.pids,
        "user_processes": user_processes,
        "watched_memory": None if control_group else memory,
    }
