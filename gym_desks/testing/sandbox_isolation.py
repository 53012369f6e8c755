"""What a sandbox promises to the machine that it runs on."""

from __future__ import annotations

import os
import socket
import time

from gym_desks.core.workspace import Sandbox
from gym_desks.testing.contract import equal, expect, promise, well

ATTEMPT = """
import os, socket
try:
    {action}
except (OSError, ImportError) as error:
    print("stopped:", type(error).__name__)
else:
    print("ALLOWED")
"""
CONNECT = "s = socket.socket(socket.{family}); s.settimeout(3); s.connect(({address!r}, {port}))"
DAEMON = """
import os, time
os.setsid()
for _ in range(60):
    with open("beat", "a") as file:
        file.write(str(1))
    time.sleep(0.05)
"""
BEAT = f"(python3 -c '{DAEMON}' >/dev/null 2>&1 &)"
FORKS = """
import os, time
made = 0
try:
    for made in range(300):
        if os.fork() == 0:
            time.sleep(2)
            os._exit(0)
except OSError:
    print("stopped after", made)
else:
    print("ALLOWED")
"""


def stopped(box: Sandbox, action: str) -> None:
    """Expect that an action inside is stopped with an error, and not by a timeout."""
    run = box.python(ATTEMPT.format(action=action), 8)
    expect(run.stdout.startswith("stopped"), run.stdout or run.stderr or run)


@promise
def tcp(box: Sandbox) -> None:
    """egress: no TCP"""
    for address in ("1.1.1.1", "169.254.169.254"):
        stopped(box, CONNECT.format(family="AF_INET", address=address, port=80))


@promise
def udp(box: Sandbox) -> None:
    """egress: no UDP"""
    stopped(box, "socket.socket(type=socket.SOCK_DGRAM).sendto(b'?', ('8.8.8.8', 53))")


@promise
def ipv6(box: Sandbox) -> None:
    """egress: no IPv6"""
    address = "2606:4700:4700::1111"
    stopped(box, CONNECT.format(family="AF_INET6", address=address, port=80))


@promise
def resolver(box: Sandbox) -> None:
    """egress: no resolver"""
    stopped(box, "socket.getaddrinfo('example.com', 80)")


@promise
def vsock(box: Sandbox) -> None:
    """egress: no AF_VSOCK"""
    stopped(box, "socket.socket(socket.AF_VSOCK, socket.SOCK_STREAM)")


@promise
def loopback(box: Sandbox) -> None:
    """egress: the host's loopback is another"""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        stopped(box, CONNECT.format(family="AF_INET", address="127.0.0.1", port=port))


@promise
def bash_network(box: Sandbox) -> None:
    """egress: bash has no network either"""
    run = box.bash("exec 3<>/dev/tcp/1.1.1.1/80 && echo ALLOWED", 8)
    expect(run.exit_code != 0 and not run.timed_out, run)


@promise
def not_root(box: Sandbox) -> None:
    """code is not root"""
    expect(well(box.python("import os; print(os.getuid())")) != "0\n", "uid 0")


@promise
def read_only(box: Sandbox) -> None:
    """the system is read-only"""
    for place in ("/", "/usr/bin", "/usr/lib", "/etc"):
        stopped(box, f"os.close(os.open({place!r}, os.O_TMPFILE | os.O_RDWR))")


@promise
def environment(box: Sandbox) -> None:
    """the host's environment is not inherited"""
    names = set(well(box.python("import os; print(*os.environ)")).split())
    usual = {"PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "PWD", "SHLVL", "_", "TERM", "HOSTNAME"}
    inherited = {n for n in names & set(os.environ) if not n.startswith("PYTHON")} - usual
    equal(sorted(inherited), [])


@promise
def survivors(box: Sandbox) -> None:
    """no process survives its call"""
    well(box.bash(f"{BEAT}; while [ ! -s beat ]; do sleep 0.02; done"))
    first = box.read("beat")
    time.sleep(0.2)
    equal(len(box.read("beat")), len(first))


@promise
def survivors_of_timeout(box: Sandbox) -> None:
    """no process survives a timeout"""
    expect(box.bash(f"{BEAT}; sleep 4", 0.4).timed_out, "no timeout")
    first = box.bash("cat beat").stdout
    time.sleep(0.2)
    equal(len(box.bash("cat beat").stdout), len(first))


@promise
def held_output(box: Sandbox) -> None:
    """a process that holds the output delays nobody"""
    began = time.monotonic()
    equal(well(box.bash("sleep 3 & echo done")), "done\n")
    expect(time.monotonic() - began < 2, f"{time.monotonic() - began:.1f} s")


@promise
def processes(box: Sandbox) -> None:
    """processes are limited"""
    expect("ALLOWED" not in (run := box.python(FORKS, 5)).stdout, run.stdout)
    equal(well(box.python("print('alive')")), "alive\n")


@promise
def huge_file(box: Sandbox) -> None:
    """a file cannot be huge"""
    stopped(box, "os.truncate(os.open('huge', os.O_CREAT | os.O_RDWR), 1 << 40)")


@promise
def memory(box: Sandbox) -> None:
    """running out of memory is survived"""
    run = box.python("block = bytearray(1 << 44)")
    expect(run.exit_code != 0, run)
    equal(well(box.python("print('alive')")), "alive\n")
