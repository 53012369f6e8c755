"""Threats 37 to 55: processes that multiply, hide, refuse to end, or talk too much."""

from __future__ import annotations

import time

from sandbox.arena import DENIED, Arena, threat

CAP = 16_000


@threat(37, "bash-fork-bomb")
def bash_fork_bomb(arena: Arena) -> None:
    began = time.monotonic()
    run = arena.bash(":(){ :|:& };: ; sleep 20", timeout=0.7)
    assert run.exit_code != 0
    assert time.monotonic() - began < 5
    arena.assert_alive_and_alone()


@threat(38, "python-fork-loop")
def python_fork_loop(arena: Arena) -> None:
    forking = """
        import os, time
        while True:
            try:
                os.fork()
            except OSError:
                time.sleep(0.01)
    """
    assert arena.python(forking, timeout=0.7).timed_out
    arena.assert_alive_and_alone()
    counting = """
        import os, time
        children = 0
        try:
            while True:
                if not os.fork():
                    time.sleep(60)
                children += 1
        except BlockingIOError:
            print(children)
    """
    assert 8 <= int(arena.said(counting)) < 64


@threat(39, "daemons")
def daemons(arena: Arena) -> None:
    arena.box.write("tick.py", "import time\nwhile True: open('/desk/beat', 'a').write('.')\n")
    run = arena.bash(
        """
        setsid python3 -I -S tick.py </dev/null >/dev/null 2>&1 &
        nohup python3 -I -S tick.py </dev/null >/dev/null 2>&1 &
        (setsid python3 -I -S tick.py </dev/null >/dev/null 2>&1 &) &
        while [ ! -s beat ]; do sleep 0.02; done
        """
    )
    assert run.exit_code == 0
    first = arena.said("import os; print(os.stat('beat').st_size)")
    time.sleep(0.1)
    assert arena.said("import os; print(os.stat('beat').st_size)") == first
    arena.assert_alive_and_alone()


@threat(40, "daemon-that-holds-stdout")
def daemon_that_holds_stdout(arena: Arena) -> None:
    began = time.monotonic()
    run = arena.bash("setsid sleep 20 & echo done", timeout=10)
    assert (run.exit_code, run.stdout, run.timed_out) == (0, "done\n", False)
    assert time.monotonic() - began < 2


@threat(41, "killing-the-runner")
def killing_the_runner(arena: Arena) -> None:
    for attack in ("kill -9 1", "kill -STOP 1", "kill -TERM 1", "kill -HUP 1", "kill -INT 1"):
        arena.bash(attack)
        arena.assert_alive_and_alone()
    arena.bash("sleep 60 & kill -9 -1; kill -9 0; kill -9 $$")
    arena.python("import os; os.killpg(0, 9); os.kill(-1, 9)")
    arena.python("import os, signal\nfor s in range(1, 65): os.kill(1, s)")
    arena.assert_alive_and_alone()


@threat(42, "reading-the-runner")
def reading_the_runner(arena: Arena) -> None:
    for path in ("mem", "environ", "maps", "stack", "auxv", "syscall"):
        assert arena.errno(f"open('/proc/1/{path}', 'rb').read(8)") in DENIED, path
    for path in ("fd", "map_files", "fdinfo"):
        assert arena.errno(f"os.listdir('/proc/1/{path}')") in DENIED, path
    assert arena.errno("ctypes.set_errno(0); check(libc.ptrace(16, 1, 0, 0))") == "EPERM"
    assert arena.errno("syscall(310, 270, 1, None, 0, None, 0, 0)") == "EPERM"
    pidfd_getfd = "pidfd = os.pidfd_open(1); syscall(438, 438, pidfd, 200, 0)"
    assert arena.errno(pidfd_getfd) == "EPERM"
    for attack in (
        "import resource; resource.prlimit(1, resource.RLIMIT_NOFILE, (0, 0))",
        "os.setpriority(os.PRIO_PROCESS, 1, 19)",
        "os.setpriority(os.PRIO_USER, 0, 19)",
        "os.sched_setaffinity(1, {0})",
        "os.sched_setscheduler(1, os.SCHED_IDLE, os.sched_param(0))",
        "syscall(251, 30, 1, 1, 0x6000)",  # ioprio_set
        "open('/proc/1/oom_score_adj', 'w').write('1000')",
    ):
        assert arena.errno(attack) in DENIED | {"ESRCH"}, attack


@threat(43, "trapped-signals")
def trapped_signals(arena: Arena) -> None:
    run = arena.bash("trap '' TERM INT HUP XCPU ALRM; while :; do :; done", timeout=0.4)
    assert run.timed_out
    assert run.seconds < 2


@threat(44, "sleep-for-ever")
def sleep_for_ever(arena: Arena) -> None:
    began = time.monotonic()
    run = arena.bash("sleep infinity", timeout=0.5)
    assert run.timed_out
    assert 0.45 <= run.seconds <= time.monotonic() - began < 1.5


@threat(45, "segmentation-fault")
def segmentation_fault(arena: Arena) -> None:
    assert arena.python("import os; os.kill(os.getpid(), 11)").exit_code == -11
    assert arena.python("import ctypes; ctypes.string_at(0)").exit_code == -11


@threat(46, "hard-exit")
def hard_exit(arena: Arena) -> None:
    assert arena.python("import os; print('lost'); os._exit(7)").exit_code == 7
    assert arena.python("import sys; print('kept'); sys.exit(3)").stdout == "kept\n"
    assert arena.python("raise SystemExit('why')").stderr == "why\n"
    assert arena.bash("exit 9").exit_code == 9


@threat(47, "closed-output")
def closed_output(arena: Arena) -> None:
    run = arena.python("import os, time; os.close(1); os.close(2); time.sleep(0.3); os._exit(5)")
    assert run.exit_code == 5
    assert run.seconds >= 0.3


@threat(48, "endless-output")
def endless_output(arena: Arena) -> None:
    run = arena.bash("yes", timeout=10)
    assert run.truncated
    assert run.exit_code != 0
    assert len(run.stdout.encode()) <= CAP + 200
    assert run.stdout_bytes >= 16 * CAP
    assert run.seconds < 5


@threat(49, "long-output")
def long_output(arena: Arena) -> None:
    """Output within sixteen caps is read to the end; its head and tail are kept."""
    printing = "print('head'); [print('x' * 99) for _ in range(1_500)]; print('tail')"
    run = arena.python(printing)
    assert (run.exit_code, run.truncated, run.stdout_bytes) == (0, True, 150_010)
    assert run.stdout.startswith("head\n")
    assert run.stdout.endswith("tail\n")
    assert len(run.stdout.encode()) <= CAP + 200


@threat(50, "binary-output")
def binary_output(arena: Arena) -> None:
    run = arena.python(r"import os; os.write(1, b'a\xff\xfe\x00b'); os.write(2, b'\x80')")
    assert run.stdout == "a\\xff\\xfe\x00b"
    assert run.stderr == "\\x80"


@threat(51, "new-namespaces")
def new_namespaces(arena: Arena) -> None:
    for flag in (0x10000000, 0x00020000, 0x20000000, 0x40000000, 0x08000000, 0x02000000):
        assert arena.errno(f"check(libc.unshare({flag}))") == "EPERM", hex(flag)
        clone = f"syscall(56, 220, {flag} | 17, 0, 0, 0, 0)"
        assert arena.errno(clone) == "EPERM", hex(flag)
    assert arena.errno("check(libc.mount(b'x', b'/tmp', b'tmpfs', 0, None))") == "EPERM"
    assert arena.errno("check(libc.umount2(b'/desk', 2))") == "EPERM"
    assert arena.errno("os.chroot('/tmp')") == "EPERM"
    assert arena.errno("check(libc.setns(os.open('/proc/self/ns/net', 0), 0))") == "EPERM"
    assert arena.errno("syscall(435, 435, (ctypes.c_char * 88)(), 88)") in {"ENOSYS", "EPERM"}


@threat(52, "many-threads")
def many_threads(arena: Arena) -> None:
    starting = """
        import threading
        wait = threading.Event()
        try:
            for number in range(1_000_000):
                threading.Thread(target=wait.wait, daemon=True).start()
        except RuntimeError as error:
            print(number)
    """
    assert 4 <= int(arena.said(starting)) <= 1024


@threat(53, "spinning-cores")
def spinning_cores(arena: Arena) -> None:
    """Docker bounds the cores; bubblewrap cannot, and bounds the seconds of each process."""
    spinning = """
        import os, time
        for _ in range(3):
            if not os.fork():
                break
        while True:
            pass
    """
    began = time.monotonic()
    assert arena.python(spinning, timeout=0.8).timed_out
    assert time.monotonic() - began < 3
    limit = arena.said("import resource; print(resource.getrlimit(resource.RLIMIT_CPU)[0])")
    assert 0 < int(limit) <= 60
    if arena.name == "docker":
        assert cores_used(arena) < 1.4


def cores_used(arena: Arena) -> float:
    measuring = """
        import os, time
        began, children = time.monotonic(), []
        for _ in range(3):
            pid = os.fork()
            if not pid:
                while time.monotonic() < began + 0.8:
                    pass
                os._exit(0)
            children.append(pid)
        used = sum(sum(os.wait3(0)[2][:2]) for _ in children)
        print(used / (time.monotonic() - began))
    """
    return float(arena.said(measuring))


@threat(54, "stopping-itself")
def stopping_itself(arena: Arena) -> None:
    assert arena.bash("kill -STOP $$", timeout=0.4).timed_out
    assert arena.python("import os; os.kill(os.getpid(), 19)", timeout=0.4).timed_out


@threat(55, "endless-exit-handlers")
def endless_exit_handlers(arena: Arena) -> None:
    looping = "import atexit\ndef spin():\n    while True: pass\natexit.register(spin)"
    assert arena.python(looping, timeout=0.4).timed_out
    finalising = "class Spin:\n    def __del__(self):\n        while True: pass\nSpin()"
    assert arena.python(finalising, timeout=0.4).timed_out
    thread = "import threading, time\nthreading.Thread(target=time.sleep, args=(60,)).start()"
    assert arena.python(thread, timeout=0.4).timed_out
