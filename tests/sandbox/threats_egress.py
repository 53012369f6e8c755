"""Threats 1 to 17: nothing leaves a sandbox and nothing of the host's network is in it."""

from __future__ import annotations

import contextlib
import json
import os
import platform
import secrets
import socket
import tempfile
import threading
import time
from pathlib import Path
from unittest import mock

import pytest
from sandbox.arena import Arena, threat

UNREACHABLE = {"ENETUNREACH", "EADDRNOTAVAIL", "EAFNOSUPPORT"}
NO_FAMILY = {"EAFNOSUPPORT"}


def connecting(address: str, family: str = "AF_INET", port: int = 80) -> str:
    return f"s = socket.socket(socket.{family}); s.settimeout(3); s.connect(({address!r}, {port}))"


@threat(1, "tcp")
def tcp(arena: Arena) -> None:
    assert arena.errno(connecting("1.1.1.1")) == "ENETUNREACH"


@threat(2, "metadata-service")
def metadata_service(arena: Arena) -> None:
    assert arena.errno(connecting("169.254.169.254")) == "ENETUNREACH"


@threat(3, "ipv6")
def ipv6(arena: Arena) -> None:
    assert arena.errno(connecting("2606:4700:4700::1111", "AF_INET6")) in UNREACHABLE


@threat(4, "dns")
def dns(arena: Arena) -> None:
    run = arena.python(
        """
        import socket
        try:
            print(socket.getaddrinfo("example.com", 80))
        except socket.gaierror as error:
            print("gaierror")
        """,
        timeout=5,
    )
    assert run.stdout == "gaierror\n"


@threat(5, "udp")
def udp(arena: Arena) -> None:
    sending = 'socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"?", ("8.8.8.8", 53))'
    assert arena.errno(sending) == "ENETUNREACH"


@threat(6, "raw-sockets")
def raw_sockets(arena: Arena) -> None:
    assert arena.errno("socket.socket(socket.AF_INET, socket.SOCK_RAW, 1)") == "EPERM"
    assert arena.errno("socket.socket(17, socket.SOCK_RAW, 3)") in {"EPERM", "EAFNOSUPPORT"}


@threat(7, "vsock")
def vsock(arena: Arena) -> None:
    assert arena.errno("socket.socket(40, socket.SOCK_STREAM)") in NO_FAMILY


@threat(8, "odd-families")
def odd_families(arena: Arena) -> None:
    kinds = {16: "SOCK_RAW", 38: "SOCK_SEQPACKET", 44: "SOCK_RAW", 21: "SOCK_SEQPACKET"}
    for family, kind in kinds.items():
        assert arena.errno(f"socket.socket({family}, socket.{kind})") in NO_FAMILY, family
    pair = "a = (ctypes.c_int * 2)(); check(libc.socketpair(40, 1, 0, a))"
    assert arena.errno(pair) in {"EAFNOSUPPORT", "EOPNOTSUPP"}


@threat(9, "io-uring")
def io_uring(arena: Arena) -> None:
    assert arena.errno("syscall(425, 425, 1, (ctypes.c_char * 120)())") in {"EPERM", "ENOSYS"}


@threat(10, "foreign-syscall-tables")
def foreign_syscall_tables(arena: Arena) -> None:
    if platform.machine() != "x86_64":
        pytest.skip("the 32-bit and x32 tables are of x86_64")
    assert arena.errno("check(libc.syscall(ctypes.c_long(0x40000000 + 41), 40, 1, 0))") == "ENOSYS"
    socket_of_i386 = """
        import ctypes, mmap
        page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
        # push rbx; eax = 359; ebx = 40; ecx = 1; edx = 0; int 0x80; pop rbx; ret
        page.write(bytes.fromhex("53b867010000bb28000000b90100000031d2cd805bc3"))
        entry = ctypes.addressof(ctypes.c_char.from_buffer(page))
        print("ALLOWED", ctypes.CFUNCTYPE(ctypes.c_int)(entry)())
    """
    run = arena.python(socket_of_i386)
    assert run.exit_code == -31, run
    assert "ALLOWED" not in run.stdout


@threat(11, "engine-socket")
def engine_socket(arena: Arena) -> None:
    for path in ("/var/run/docker.sock", "/run/docker.sock", "/run/containerd/containerd.sock"):
        assert arena.errno(f"socket.socket(socket.AF_UNIX).connect({path!r})") == "ENOENT"


@threat(12, "abstract-socket-of-the-host")
def abstract_socket_of_the_host(arena: Arena) -> None:
    name = f"\0hostile-{secrets.token_hex(8)}"
    with socket.socket(socket.AF_UNIX) as listener, socket.socket(socket.AF_UNIX) as witness:
        listener.bind(name)
        listener.listen()
        attack = f"socket.socket(socket.AF_UNIX).connect({name!r})"
        assert arena.errno(attack) == "ECONNREFUSED"
        witness.connect(name)


@threat(13, "bash-dev-tcp")
def bash_dev_tcp(arena: Arena) -> None:
    run = arena.bash("exec 3<>/dev/tcp/1.1.1.1/80 && echo ALLOWED", timeout=5)
    assert run.exit_code != 0
    assert "unreachable" in run.stderr.lower()
    assert not run.timed_out


@threat(14, "listener-inside")
def listener_inside(arena: Arena) -> None:
    port = 20000 + secrets.randbelow(10000)
    runs = []
    listening = f"""
        import socket
        server = socket.create_server(("127.0.0.1", {port}))
        socket.create_connection(("127.0.0.1", {port})), server.accept()
        server.settimeout(0.6)
        try:
            print("visited by", server.accept())
        except TimeoutError:
            print("alone")
    """
    with arena.another() as other:
        thread = threading.Thread(target=lambda: runs.append(arena.python(listening)))
        thread.start()
        visit = f"import socket; print(socket.socket().connect_ex(('127.0.0.1', {port})))"
        while thread.is_alive():
            assert other.python(visit).stdout == "111\n"
            with socket.socket() as visitor:
                assert visitor.connect_ex(("127.0.0.1", port)) != 0
            time.sleep(0.05)
    assert runs[0].stdout == "alone\n"


@threat(15, "inherited-descriptors")
def inherited_descriptors(arena: Arena) -> None:
    """No descriptor of the host is there to be passed on, and no socket file to pass it by."""
    seen = arena.said(
        """
        import os, stat
        for fd in sorted(int(name) for name in os.listdir("/proc/self/fd")):
            try:
                print(fd, os.readlink(f"/proc/self/fd/{fd}").split("[")[0])
            except FileNotFoundError:
                pass  # the descriptor of the listing itself
        for top, folders, files in os.walk("/"):
            folders[:] = [f for f in folders if os.path.join(top, f) not in ("/proc", "/sys")]
            for name in files:
                if stat.S_ISSOCK(os.lstat(os.path.join(top, name)).st_mode):
                    print("socket", top, name)
        """
    )
    assert seen.splitlines() == ["0 /dev/null", "1 pipe:", "2 pipe:"]


@threat(16, "network-programs")
def network_programs(arena: Arena) -> None:
    for command in (
        "python3 -m pip download --no-cache-dir --retries 0 six",
        "curl -sS http://1.1.1.1/",
        "git clone https://github.com/octocat/Hello-World",
    ):
        run = arena.bash(command, timeout=8)
        assert run.exit_code not in (0, -9), run
        assert not run.timed_out, run


@threat(17, "proxy-variables")
def proxy_variables(arena: Arena) -> None:
    proxy = "http://user:password@proxy.example:3128"
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        config = {"proxies": {"default": {"httpProxy": proxy, "httpsProxy": proxy}}}
        (Path(folder) / "config.json").write_text(json.dumps(config))
        names = ("http_proxy", "HTTPS_PROXY", "all_proxy")
        variables = dict.fromkeys(names, proxy) | {"NO_PROXY": "*", "DOCKER_CONFIG": folder}
        stack.enter_context(mock.patch.dict(os.environ, variables))
        box = stack.enter_context(arena.another())
        seen = box.bash("env; cat /proc/*/environ 2>/dev/null | tr '\\0' '\\n'").stdout
    assert "PATH=" in seen
    assert "proxy" not in seen.lower()
