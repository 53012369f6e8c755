"""Threats 63 to 71: secrets, forged results, and what one episode could leave to the next."""

from __future__ import annotations

import secrets

from sandbox.arena import DENIED, Arena, threat

from gym_desks.sandbox import SandboxOptions, SandboxProvider

SHADOW = "import os; open('/tmp/shadowed', 'w').write(__name__); print('SHADOWED')\n"
MARKING = """
import contextlib, os
for place in ("/desk", "/tmp", "/dev/shm"):
    for mark in (
        lambda: os.setxattr(place, "user.mark", b"left"),
        lambda: os.utime(place, (1, 1)),
        lambda: os.chmod(place, 0o751),
    ):
        with contextlib.suppress(OSError):
            mark()
"""
MARKS = """
import os
for place in ("/desk", "/tmp", "/dev/shm"):
    print(oct(os.stat(place).st_mode), os.stat(place).st_mtime == 1, os.listxattr(place))
"""
SEARCH = """
import gc, os, sys
word = {drow!r}[::-1]
seen = set()
for item in gc.get_objects():
    for part in (item, *(item.values() if isinstance(item, dict) else ())):
        text = part.decode("latin-1") if isinstance(part, bytes) else part
        if isinstance(text, str) and word in text and text is not word:
            seen.add("object")
frame = sys._getframe()
while frame:
    if any(word in str(value) for value in frame.f_locals.values() if value is not word):
        seen.add("frame")
    frame = frame.f_back
print(sorted(seen))
"""
MEMORY = """
import re
word = {drow!r}[::-1].encode()
found = 0
with open("/proc/self/maps") as maps, open("/proc/self/mem", "rb", buffering=0) as memory:
    for line in maps:
        ends, flags = line.split()[:2]
        begin, end = (int(part, 16) for part in ends.split("-"))
        if "r" not in flags or "[v" in line:
            continue
        memory.seek(begin)
        try:
            found += memory.read(end - begin).count(word)
        except OSError:
            pass
print(found)
"""


def words_in_memory(arena: Arena, word: str) -> int:
    """Count a word in a call's whole memory, which began as a copy of the runner's.

    The search holds the word reversed, and once in its right order.
    """
    return int(arena.said(MEMORY.format(drow=word[::-1])))


@threat(63, "environment")
def environment(arena: Arena) -> None:
    names = set(arena.said("import os; print(*os.environ)").split())
    assert names == {"PATH", "HOME", "LANG", "PYTHONDONTWRITEBYTECODE", "PYTHONNOUSERSITE"}
    assert arena.errno("open('/proc/1/environ').read()") in DENIED
    inherited = set(arena.bash("env | cut -d= -f1").stdout.split())
    assert inherited <= names | {"PWD", "SHLVL", "_", "OLDPWD"}


@threat(64, "runner-memory")
def runner_memory(arena: Arena) -> None:
    """The runner remembers nothing of an episode that a later one could find in a fork."""
    word = secrets.token_hex(16)
    arena.box.reset({"notes.md": word})
    assert arena.box.read("notes.md") == word
    assert arena.said(f"print({word!r})") == word
    arena.bash(f"echo {word}")
    arena.assert_resets()
    assert arena.said(SEARCH.format(drow=word[::-1])) == "[]"
    traces = words_in_memory(arena, word)
    never_seen = words_in_memory(arena, secrets.token_hex(16))
    assert traces == never_seen


@threat(65, "hidden-files-in-a-fresh-box")
def hidden_files_in_a_fresh_box(arena: Arena) -> None:
    """A grader's box and an agent's share nothing; neither shows data in a command line."""
    word = secrets.token_hex(16)
    provider = SandboxProvider(arena.name, SandboxOptions())
    try:
        agent = provider.begin({"public.txt": "for all"})
        agent.write("mine.txt", "of the agent")
        with provider.fresh() as grader:
            assert grader.paths() == []
            grader.write("hidden.py", word)
            assert agent.paths() == ["mine.txt", "public.txt"]
            looking = f"grep -rl {word[:16]}''{word[16:]} /desk /tmp /dev/shm; cat /proc/*/cmdline"
            seen = agent.bash(looking).stdout
            assert "hidden.py" not in seen
            assert word not in seen
    finally:
        provider.close()


@threat(66, "shadowed-modules")
def shadowed_modules(arena: Arena) -> None:
    names = ["json", "os", "struct", "sitecustomize", "usercustomize", "unittest", "linecache"]
    arena.box.reset({f"{name}.py": SHADOW for name in [*names, "traceback", "codecs", "select"]})
    assert arena.said("print('plain')") == "plain"
    assert arena.python("1/0").stderr.endswith("ZeroDivisionError: division by zero\n")
    assert len(arena.box.paths()) == len(names) + 3
    assert arena.box.read("json.py") == SHADOW
    assert arena.said("import os; print(os.listdir('/tmp'))") == "[]"


@threat(67, "patched-builtins")
def patched_builtins(arena: Arena) -> None:
    arena.python("import builtins, json, os; builtins.print = json.loads = os.listdir = exit")
    arena.python("import sys; sys.modules.clear(); sys.stdout = None; sys.path[:] = []")
    assert arena.said("import json; print(json.loads('[1]'))") == "[1]"
    arena.python("import os; os.chdir('/tmp'); os.umask(0o777); os.environ.clear()")
    assert arena.said("import os; print(os.getcwd(), 'HOME' in os.environ)") == "/desk True"
    arena.box.write("after", "x")
    assert arena.box.read("after") == "x"


@threat(68, "early-exit")
def early_exit(arena: Arena) -> None:
    """Exit code 0 alone proves nothing: a nonce printed at the end is what never came."""
    nonce = secrets.token_hex(8)
    for way in ("import os; os._exit(0)", "import sys; sys.exit(0)", "quit()", "raise SystemExit"):
        run = arena.python(f"{way}\nprint({nonce!r})")
        assert run.exit_code in (0, 1)
        assert nonce not in run.stdout
    assert nonce in arena.python(f"print({nonce!r})").stdout


@threat(69, "forged-replies")
def forged_replies(arena: Arena) -> None:
    forging = """
        import json, os, struct
        body = json.dumps({"ok": True, "exit_code": 0, "stdout": "forged", "stderr": ""}).encode()
        frame = struct.pack(">I", len(body)) + body
        for fd in range(3, 4096):
            try:
                os.write(fd, frame)
                print("wrote to", fd)
            except OSError:
                pass
        os.write(1, frame)
        print("passed")
        for path in ("/proc/1/fd/0", "/proc/1/fd/1", "/proc/1/fd/200", "/proc/1/fd/201"):
            try:
                open(path, "wb").write(frame)
                print("wrote to", path)
            except OSError:
                pass
        os._exit(4)
    """
    run = arena.python(forging)
    assert run.exit_code == 4
    assert "forged" in run.stdout
    assert "wrote to" not in run.stdout
    arena.assert_alive_and_alone()


@threat(70, "leftovers-of-an-episode")
def leftovers_of_an_episode(arena: Arena) -> None:
    arena.box.reset({"data/a.txt": "first", "b.txt": "first"})
    arena.bash("for d in /desk /tmp /dev/shm; do mkdir -p $d/.h/x; echo left > $d/.h/x/f; done")
    arena.bash("setsid sleep 60 & disown; umask 000; ulimit -c 0")
    before = arena.said(MARKS)
    arena.python(MARKING)
    assert arena.said(MARKS) != before
    arena.box.reset({"b.txt": "second"})
    assert arena.box.paths() == ["b.txt"]
    assert arena.box.read("b.txt") == "second"
    found = arena.bash("find /desk /tmp /dev/shm -mindepth 1; ps 2>/dev/null | grep sleep").stdout
    assert found == "/desk/b.txt\n"
    assert arena.said(MARKS) == before
    arena.assert_alive_and_alone()
    arena.assert_resets()


@threat(71, "start-up-files")
def start_up_files(arena: Arena) -> None:
    """Files that interpreters load by themselves do not touch the next call."""
    site = ".local/lib/python3.{minor}/site-packages/x.pth"
    version = arena.said("import sys; print(sys.version_info.minor)")
    names = ("conftest.py", "pytest.py", "x.pth", site.format(minor=version), ".pythonrc.py")
    shells = (".bashrc", ".bash_profile", ".profile", ".bash_login", ".inputrc")
    arena.box.reset(dict.fromkeys(names, SHADOW) | dict.fromkeys(shells, "echo SHADOWED"))
    assert arena.said("print('plain')") == "plain"
    assert arena.bash("echo plain").stdout == "plain\n"
    with arena.another() as fresh:
        assert fresh.paths() == []
