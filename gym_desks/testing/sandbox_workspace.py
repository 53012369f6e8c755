"""What a sandbox promises about its files."""

from __future__ import annotations

import time

from gym_desks.core.workspace import Sandbox
from gym_desks.errors import SandboxError
from gym_desks.testing.contract import equal, expect, promise, refused, well

UNICODE = "Zürich, Łódź, 北京, \N{GRINNING FACE}, e\N{COMBINING ACUTE ACCENT}, \N{ZERO WIDTH SPACE}"


@promise
def read_back(box: Sandbox) -> None:
    """a written file is read back"""
    box.write("note.txt", "one\ntwo\n")
    equal(box.read("note.txt"), "one\ntwo\n")


@promise
def unicode_survives(box: Sandbox) -> None:
    """unicode survives in files and in output"""
    box.write("unicode.txt", UNICODE)
    equal(box.read("unicode.txt"), UNICODE)
    equal(well(box.python("print(open('unicode.txt', encoding='utf-8').read())")), f"{UNICODE}\n")


@promise
def line_ends(box: Sandbox) -> None:
    """line ends survive"""
    text = "unix\ndos\r\nold\rend"
    box.write("lines.txt", text)
    equal(box.read("lines.txt"), text)


@promise
def empty_file(box: Sandbox) -> None:
    """an empty file is a file"""
    box.write("empty.txt", "")
    equal(box.read("empty.txt"), "")
    expect("empty.txt" in box.paths(), box.paths())


@promise
def large_file(box: Sandbox) -> None:
    """a file of a megabyte survives"""
    text = "0123456789abcde\n" * 65_536
    box.write("large.txt", text)
    expect(box.read("large.txt") == text, "another text")


@promise
def nested(box: Sandbox) -> None:
    """folders are made as needed"""
    box.write("a/b/c/deep.txt", "deep")
    equal(well(box.bash("cat a/b/c/deep.txt")), "deep")
    expect("a/b/c/deep.txt" in box.paths(), box.paths())


@promise
def replaced(box: Sandbox) -> None:
    """a shorter text replaces a longer one"""
    box.write("twice.txt", "a long text")
    box.write("twice.txt", "short")
    equal(box.read("twice.txt"), "short")


@promise
def odd_names(box: Sandbox) -> None:
    """odd names are names"""
    names = ["sp ace", "-rf", "new\nline", "quote\"'", "é" * 100, "*", "$(id)", ".hidden"]
    for name in names:
        box.write(f"odd/{name}", name)
    equal([box.read(f"odd/{name}") for name in names], names)
    equal(
        [path for path in box.paths() if path.startswith("odd/")],
        sorted(f"odd/{name}" for name in names),
    )


@promise
def same_files(box: Sandbox) -> None:
    """code and tools see the same files"""
    box.write("from_tool.txt", "tool")
    equal(well(box.python("print(open('from_tool.txt').read())")), "tool\n")
    well(box.python("with open('from_code.txt', 'w') as file: file.write('code')"))
    equal(box.read("from_code.txt"), "code")


@promise
def files_last(box: Sandbox) -> None:
    """files last from call to call"""
    well(box.bash("mkdir kept && echo 1 > kept/n"))
    well(box.bash("echo 2 >> kept/n"))
    equal(box.read("kept/n"), "1\n2\n")


@promise
def listing(box: Sandbox) -> None:
    """paths are sorted, relative, and of files only"""
    well(box.bash("mkdir -p list/folder && touch list/b list/a list/folder/c && ln -s /etc list/e"))
    found = [path for path in box.paths() if path.startswith("list/")]
    equal(found, ["list/a", "list/b", "list/folder/c"])


@promise
def missing(box: Sandbox) -> None:
    """a missing file is named in the error"""
    expect("nowhere.txt" in (said := refused(lambda: box.read("nowhere.txt"))), said)


@promise
def outside(box: Sandbox) -> None:
    """paths out of the workspace are refused"""
    for path in ("../up", "/etc/passwd", "a/../../up", "", "nul\0"):
        refused(lambda path=path: box.read(path))  # type: ignore[misc]
        refused(lambda path=path: box.write(path, "x"))  # type: ignore[misc]


@promise
def no_files(box: Sandbox) -> None:
    """a folder and a pipe are no files"""
    well(box.bash("mkdir -p folder && mkfifo pipe"))
    began = time.monotonic()
    for path in ("folder", "pipe"):
        refused(lambda path=path: box.read(path))  # type: ignore[misc]
    expect(time.monotonic() - began < 5, "a read that waits")


@promise
def links(box: Sandbox) -> None:
    """a link leads nowhere outside"""
    well(box.bash("ln -sfn / root; ln -sf /etc/passwd passwd; ln -sfn .. up"))
    for path in ("root/proc/1/environ", "up/etc/shadow"):
        refused(lambda path=path: box.read(path))  # type: ignore[misc]


@promise
def binary(box: Sandbox) -> None:
    """bytes that are no text are refused"""
    well(box.bash(r"printf '\xff\xfe\x00' > binary"))
    refused(lambda: box.read("binary"))


@promise
def reset_lays_out(box: Sandbox) -> None:
    """reset lays out its files"""
    box.reset({"first.txt": "1", "folder/second.txt": UNICODE})
    expect({"first.txt", "folder/second.txt"} <= set(box.paths()), box.paths())
    equal(box.read("folder/second.txt"), UNICODE)


@promise
def reset_removes(box: Sandbox) -> None:
    """reset removes every file"""
    box.write("old/file.txt", "old")
    well(box.bash("mkdir -p .hid/x shut; touch .hid/x/f shut/f; ln -s / all; chmod 0 shut .hid/x"))
    box.reset({"new.txt": "new"})
    equal(box.paths(), ["new.txt"])
    equal(well(box.bash("ls -A")), "new.txt\n")


@promise
def reset_traces(box: Sandbox) -> None:
    """reset removes traces outside the workspace"""
    marks = " ".join(f"{place}/{time.monotonic_ns()}" for place in ("/tmp", "/dev/shm"))  # noqa: S108
    box.bash(f"mkdir {marks}")
    box.reset({})
    equal(box.bash(f"ls -d {marks} 2>/dev/null; rm -rf {marks}").stdout, "")


@promise
def reset_deep(box: Sandbox) -> None:
    """reset gives a deep tree back"""
    well(box.python("import os\nfor _ in range(500): os.mkdir('deep'); os.chdir('deep')"))
    box.reset({})
    equal(well(box.bash("ls -A")), "")


@promise
def closed(box: Sandbox) -> None:
    """a closed sandbox says so"""
    box.close()  # nothing comes after this: the box is spent
    box.close()
    try:
        run = box.python("print(1)")
    except SandboxError:
        return
    raise AssertionError(f"found {run}, expected a SandboxError")
