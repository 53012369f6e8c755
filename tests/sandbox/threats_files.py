"""Threats 18 to 36: files, links, devices, names and limits of the workspace."""

from __future__ import annotations

import json
import tempfile
import threading
import time
from pathlib import Path

import pytest
from sandbox.arena import DENIED, Arena, threat

from gym_desks.errors import WorkspaceError


def refused(arena: Arena, path: str) -> str:
    with pytest.raises(WorkspaceError) as reading:
        arena.box.read(path)
    return str(reading.value)


@threat(18, "parent-path")
def parent_path(arena: Arena) -> None:
    for path in ("../../etc/passwd", "..", "a/../../b", "a/.."):
        refused(arena, path)
        with pytest.raises(WorkspaceError):
            arena.box.write(path, "x")


@threat(19, "absolute-path")
def absolute_path(arena: Arena) -> None:
    for path in ("/etc/passwd", "//etc/passwd", "/desk/../etc/passwd"):
        refused(arena, path)
        with pytest.raises(WorkspaceError):
            arena.box.write(path, "x")
    assert arena.errno("open('/proc/self/root/etc/shadow')") in DENIED


@threat(20, "symbolic-links-out")
def symbolic_links_out(arena: Arena) -> None:
    """A link is followed inside the box if at all: no file of the host is behind it."""
    with tempfile.TemporaryDirectory() as folder:
        secret = Path(folder) / "secret.txt"
        secret.write_text("of the host")
        Path(folder).chmod(0o755)
        links = {"file": str(secret), "dir": folder, "root": "/proc/1/root", "up": "..", "me": "me"}
        for name, target in links.items():
            assert arena.bash(f"ln -s {target} {name}").exit_code == 0
        assert arena.box.paths() == []
        for path in ("file", "dir/secret.txt", f"root{secret}", f"up{secret}", "root/etc/shadow"):
            refused(arena, path)
        with pytest.raises(WorkspaceError):
            arena.box.write("dir/new.txt", "x")
        assert [p.name for p in Path(folder).iterdir()] == ["secret.txt"]
        assert secret.read_text() == "of the host"


@threat(21, "hard-link")
def hard_link(arena: Arena) -> None:
    assert arena.errno("os.link('/usr/bin/env', '/desk/env')") in {"EXDEV", "EPERM", "EROFS"}


@threat(22, "swap-race")
def swap_race(arena: Arena) -> None:
    """Listing and reading run while no process of the agent does, so nothing can be swapped."""
    swapping = """
        import os, time
        os.makedirs("a"); open("a/f", "w").write("mine"); os.symlink("/etc", "b")
        end = time.monotonic() + {seconds}
        while time.monotonic() < end:
            os.rename("a", "c"); os.rename("b", "a"); os.rename("a", "b"); os.rename("c", "a")
    """
    daemon = threading.Thread(target=arena.python, args=(swapping.format(seconds=0.3),))
    daemon.start()
    time.sleep(0.1)
    seen = {tuple(arena.box.paths()) for _ in range(5)}
    daemon.join()
    assert seen <= {(), ("a/f",)}
    assert arena.box.read("a/f") == "mine"


@threat(23, "fifo")
def fifo(arena: Arena) -> None:
    assert arena.bash("mkfifo pipe; mkfifo old; echo ok > kept").exit_code == 0
    began = time.monotonic()
    refused(arena, "pipe")
    assert arena.box.paths() == ["kept"]
    with pytest.raises(WorkspaceError):
        arena.box.write("pipe", "x")
    assert time.monotonic() - began < 3
    assert arena.box.read("kept") == "ok\n"


@threat(24, "device-nodes")
def device_nodes(arena: Arena) -> None:
    for place in ("/desk", "/tmp", "/dev/shm"):
        made = f"os.mknod('{place}/d', 0o20666, os.makedev(1, 1))"
        assert arena.errno(made) == "EPERM"


@threat(25, "read-only-system")
def read_only_system(arena: Arena) -> None:
    for place in ("/", "/usr", "/usr/bin", "/usr/lib", "/dev", "/proc", "/bin"):
        assert arena.errno(f"open('{place}/x', 'w')") in DENIED, place
    for path in ("/usr/bin/env", "/proc/sys/kernel/hostname", "/proc/sysrq-trigger"):
        assert arena.errno(f"open('{path}', 'w')") in DENIED, path
    assert arena.errno("os.remove('/usr/bin/env')") in DENIED
    assert arena.errno("os.chmod('/usr', 0o777)") in DENIED


@threat(26, "proc-root")
def proc_root(arena: Arena) -> None:
    same = "import os; print(os.listdir('/proc/self/root') == os.listdir('/'))"
    assert arena.said(same) == "True"
    for path in ("/proc/1/root/etc", "/proc/1/cwd/x"):
        assert arena.errno(f"os.listdir('{path}')") in DENIED


@threat(27, "full-disk")
def full_disk(arena: Arena) -> None:
    filling = """
        written, block = 0, b"x" * (1 << 20)
        try:
            for number in range(20):
                with open(f"file{number}", "wb", buffering=0) as file:
                    for _ in range(16):
                        written += file.write(block)
        except OSError as error:
            print(error.errno, written >> 20)
    """
    errno, written = arena.said(filling).split()
    assert errno == "28"
    assert 32 <= int(written) <= 64
    with pytest.raises(WorkspaceError):
        arena.box.write("more", "x" * 100_000)


@threat(28, "inodes")
def inodes(arena: Arena) -> None:
    """bubblewrap has no inode limit for its tmpfs: there the listing is bounded instead."""
    creating = """
        import os
        for number in range(12_000):
            try:
                os.close(os.open(f"f{number}", os.O_CREAT))
            except OSError as error:
                print(error.errno)
                break
        else:
            print("ALLOWED")
    """
    assert arena.said(creating) == arena.by_backend(docker="28", bwrap="ALLOWED")
    began = time.monotonic()
    assert len(arena.box.paths()) <= 12_000
    assert time.monotonic() - began < 5


@threat(29, "sparse-file")
def sparse_file(arena: Arena) -> None:
    assert arena.errno("open('big', 'w').truncate(1 << 40)") == "EFBIG"
    assert arena.errno("open('big', 'w').truncate(60 << 20)") == "ALLOWED"
    began = time.monotonic()
    assert "bytes" in refused(arena, "big")
    assert time.monotonic() - began < 3


@threat(30, "odd-names")
def odd_names(arena: Arena) -> None:
    names = ["new\nline", "-rf", "é" * 127, "n" * 255, "sp ace", "\udcff\udcfe", '"\\', "*"]
    writing = f"import os\nfor n in {names!r}: open(os.fsencode(n), 'w').write('text')"
    assert arena.python(writing).exit_code == 0
    assert arena.box.paths() == sorted(names)
    assert json.loads(json.dumps(arena.box.paths())) == sorted(names)
    assert {arena.box.read(name) for name in names} == {"text"}
    arena.box.reset({"short": "x"})
    longer_than_a_path_may_be = "/".join(["n" * 200] * 5)
    assert arena.python(f"import os; os.makedirs({longer_than_a_path_may_be!r})").exit_code == 0
    assert arena.bash(f"echo x > {longer_than_a_path_may_be}/f").exit_code == 0
    assert "short" in arena.box.paths()


@threat(31, "nul-in-a-name")
def nul_in_a_name(arena: Arena) -> None:
    assert "NUL" in refused(arena, "a\0b")
    with pytest.raises(WorkspaceError, match="NUL"):
        arena.box.write("a\0b", "x")


@threat(32, "deep-tree")
def deep_tree(arena: Arena) -> None:
    digging = """
        import os
        for _ in range(3_000):
            os.mkdir("d"); os.chdir("d")
        open("end", "w").write("x")
    """
    assert arena.python(digging).exit_code == 0
    began = time.monotonic()
    assert len(arena.box.paths()) <= 1
    arena.assert_resets()
    assert time.monotonic() - began < 10


@threat(33, "unreadable-tree")
def unreadable_tree(arena: Arena) -> None:
    making = "mkdir -p a/b/c && echo x > a/b/c/f && chmod 000 a/b/c/f a/b/c a/b a && chmod 555 ."
    assert arena.bash(making).exit_code == 0
    assert arena.box.paths() == []
    refused(arena, "a/b/c/f")
    arena.assert_resets()
    arena.box.write("again", "x")


@threat(34, "archive-bomb")
def archive_bomb(arena: Arena) -> None:
    """An artefact is bytes of bounded number: nothing on the host unpacks it."""
    packing = """
        import zipfile
        with zipfile.ZipFile("bomb.zip", "w", zipfile.ZIP_DEFLATED) as bomb:
            bomb.writestr("zeros", bytes(100_000_000))
    """
    assert arena.python(packing).exit_code == 0
    began = time.monotonic()
    refused(arena, "bomb.zip")
    assert arena.box.paths() == ["bomb.zip"]
    assert time.monotonic() - began < 3


@threat(35, "setuid-file")
def setuid_file(arena: Arena) -> None:
    status = arena.said("print(open('/proc/self/status').read())")
    fields = dict(line.split(":\t", 1) for line in status.splitlines() if ":\t" in line)
    assert fields["NoNewPrivs"] == "1"
    for kind in ("CapInh", "CapPrm", "CapEff", "CapAmb"):
        assert int(fields[kind], 16) == 0, kind
    for place in ("/desk", "/tmp", "/dev/shm"):
        flags = arena.bash(f"grep ' {place} ' /proc/self/mountinfo | cut -d' ' -f6").stdout
        assert {"nosuid", "nodev"} <= set(flags.strip().split(",")), place
    who = arena.bash("cp /usr/bin/id . && chmod 6755 id && ./id -u && ./id -g").stdout
    assert who == "65534\n65534\n"


@threat(36, "program-in-tmp")
def program_in_tmp(arena: Arena) -> None:
    """bubblewrap cannot mount noexec; a program gains nothing there that /desk does not give."""
    run = arena.bash("cp /usr/bin/id /tmp/id && chmod 755 /tmp/id && /tmp/id -u")
    assert run.exit_code == arena.by_backend(docker=126, bwrap=0)
    assert run.stdout == arena.by_backend(docker="", bwrap="65534\n")
