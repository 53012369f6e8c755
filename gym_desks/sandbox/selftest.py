"""The live self-test: a backend is believed for what it shows, not for what it says.

One box is opened and attacked for about a second. Tests of what must fail say which error
stopped the attempt.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from gym_desks.core.workspace import Sandbox
from gym_desks.errors import SandboxError
from gym_desks.sandbox.backends import Backend

# Attempts that must fail, made in one call: each prints the name of the error that stopped it.
PROBE = """
import ctypes, errno, json, os, socket, sqlite3, subprocess, unittest
AF_VSOCK, IO_URING_SETUP = 40, 425

def attempt(action):
    try:
        action()
    except socket.gaierror as error:
        return "gaierror"
    except OSError as error:
        return errno.errorcode.get(error.errno, str(error.errno))
    return ""

def tcp(family, address):
    with socket.socket(family) as one:
        one.settimeout(2)
        one.connect((address, 53))

def udp():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        one.sendto(b"?", ("8.8.8.8", 53))

def vsock():
    socket.socket(AF_VSOCK, socket.SOCK_STREAM).close()

def ring():
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.syscall(IO_URING_SETUP, 1, ctypes.create_string_buffer(120)) < 0:
        raise OSError(ctypes.get_errno(), "")

def write(path):
    with open(path, "a") as file:
        file.write("x")

def large():
    with open("large", "wb") as file:
        file.truncate(1 << 40)

with open("/proc/self/status") as file:
    fields = dict(line.rstrip("\\n").split(":\\t", 1) for line in file if ":\\t" in line)
stopped = {
    "tcp": attempt(lambda: tcp(socket.AF_INET, "1.1.1.1")),
    "metadata": attempt(lambda: tcp(socket.AF_INET, "169.254.169.254")),
    "ipv6": attempt(lambda: tcp(socket.AF_INET6, "2606:4700:4700::1111")),
    "udp": attempt(udp),
    "dns": attempt(lambda: socket.getaddrinfo("example.com", 80)),
    "vsock": attempt(vsock),
    "io_uring": attempt(ring),
    "system": attempt(lambda: write("/usr/bin/env")),
    "root": attempt(lambda: write("/probe")),
    "file": attempt(large),
    "runner": attempt(lambda: open("/proc/1/environ").read()),
    "trace": attempt(lambda: os.listdir("/proc/1/fd")),
}
found = {
    "uid": os.getuid(),
    "parent": os.getppid(),
    "pids": sorted(int(name) for name in os.listdir("/proc") if name.isdigit()),
    "interfaces": [line.split(":")[0].strip() for line in open("/proc/net/dev") if ":" in line],
    "seccomp": fields["Seccomp"],
    "no_new_privileges": fields["NoNewPrivs"],
    "capabilities": int(fields["CapEff"], 16) | int(fields["CapPrm"], 16),
    "bash": subprocess.run(["bash", "-c", "echo ok"], capture_output=True, text=True).stdout,
}
open("/tmp/trace", "w").close()
open("/dev/shm/trace", "w").close()
os.mkdir("closed", 0)
print(json.dumps({"stopped": stopped, "found": found}))
"""

MEMORY = """
import time
block = b"x" * ({megabytes} << 20)
time.sleep(1)
print("ALLOWED")
"""
PROCESSES = """
import os, time
made = 0
try:
    while made < {most}:
        if os.fork() == 0:
            time.sleep(10)
        made += 1
except OSError:
    pass
time.sleep(0.1)
print(made)
"""
DAEMON = """
import os, signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
if os.fork() == 0:
    os.setsid()
    os.fork()
time.sleep(60)
"""
FLOOD = "while True: print('x' * 60)"
STOPPED_BY = {
    "tcp": {"ENETUNREACH"},
    "metadata": {"ENETUNREACH"},
    "ipv6": {"ENETUNREACH", "EADDRNOTAVAIL", "EAFNOSUPPORT"},
    "udp": {"ENETUNREACH", "EPERM"},
    "dns": {"gaierror"},
    "vsock": {"EAFNOSUPPORT"},
    "io_uring": {"EPERM", "ENOSYS"},
    "system": {"EROFS", "EACCES", "EPERM"},
    "root": {"EROFS", "EACCES", "EPERM"},
    "file": {"EFBIG"},
    "runner": {"EACCES", "EPERM"},
    "trace": {"EACCES", "EPERM"},
}
NAMES = {
    "tcp": "no TCP",
    "metadata": "no metadata service",
    "ipv6": "no IPv6",
    "udp": "no UDP",
    "dns": "no resolver",
    "vsock": "no AF_VSOCK",
    "io_uring": "no io_uring",
    "system": "programs are read-only",
    "root": "root folder is read-only",
    "file": "file size is limited",
    "runner": "runner's environment is closed",
    "trace": "runner's streams are closed",
}


SMALL = {"memory_mb": 96, "pids": 24, "output_cap": 4_000}


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was tried, and what came of it."""

    name: str
    passed: bool
    detail: str = ""


def self_test(backend: Backend) -> list[Check]:
    """Open a box of a backend, attack it, and return what held. Raises SandboxError.

    The box has small limits, so that reaching them costs little.
    """
    options = backend.options.model_copy(update=SMALL)
    box = type(backend)(options).open()
    try:
        checks = _probed(box)
        for check in (_processes, _memory, _output, _timeout, _reset):
            checks.append(check(box))
        return checks
    finally:
        box.close()


def _probed(box: Sandbox) -> list[Check]:
    run = box.python(PROBE, timeout=20)
    try:
        seen = json.loads(run.stdout)
        stopped, found = seen["stopped"], seen["found"]
    except (ValueError, KeyError):
        return [Check("the probe runs", passed=False, detail=run.stderr[-300:])]
    checks = [
        Check(NAMES[name], stopped[name] in allowed, stopped[name] or "ALLOWED")
        for name, allowed in STOPPED_BY.items()
    ]
    return [*checks, *_identity(found)]


def _identity(found: dict[str, object]) -> list[Check]:
    pids = found["pids"]
    assert isinstance(pids, list)
    return [
        Check("runner is process 1", found["parent"] == 1, f"processes {pids}"),
        Check("sees only its own processes", len(pids) == 2, f"processes {pids}"),
        Check("user is not root", found["uid"] == 65534, f"uid {found['uid']}"),
        Check("no capabilities", found["capabilities"] == 0, f"{found['capabilities']}"),
        Check("system calls are filtered", found["seccomp"] == "2", f"mode {found['seccomp']}"),
        Check("no new privileges", found["no_new_privileges"] == "1"),
        Check("only the loopback device", found["interfaces"] == ["lo"], f"{found['interfaces']}"),
        Check("bash runs", found["bash"] == "ok\n"),
    ]


def _processes(box: Sandbox) -> Check:
    most = SMALL["pids"] * 4
    run = box.python(PROCESSES.format(most=most), timeout=10)
    made = run.stdout.strip() or "stopped"
    return Check("processes are limited", made == "stopped" or int(made) < SMALL["pids"], made)


def _memory(box: Sandbox) -> Check:
    run = box.python(MEMORY.format(megabytes=SMALL["memory_mb"] * 2), timeout=10)
    ended = f"exit code {run.exit_code}"
    return Check("memory is limited", run.exit_code != 0 and not run.stdout, ended)


def _output(box: Sandbox) -> Check:
    run = box.python(FLOOD, timeout=10)
    kept = len(run.stdout)
    held = run.truncated and not run.timed_out and kept < 2 * SMALL["output_cap"]
    return Check("output is capped", held, f"{kept} of {run.stdout_bytes} kept")


def _timeout(box: Sandbox) -> Check:
    run = box.python(DAEMON, timeout=0.15)
    left = box.python("import os; print([p for p in os.listdir('/proc') if p.isdigit()])")
    alone = left.stdout.count("'") == 4
    return Check("timeout ends every process", run.timed_out and alone, f"{run.seconds:.2f} s")


def _reset(box: Sandbox) -> Check:
    try:
        box.reset({"kept.txt": "kept"})
    except SandboxError as error:
        return Check("reset leaves nothing", passed=False, detail=str(error))
    look = "import os; print([*map(os.listdir, ('/desk', '/tmp', '/dev/shm'))])"
    found = box.python(look).stdout.strip()
    return Check("reset leaves nothing", found == "[['kept.txt'], [], []]", found)
