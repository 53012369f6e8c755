"""What a sandbox promises about its files."""

from __future__ import annotations

import time

from gym_desks.core.workspace import Sandbox
from gym_desks.testing.contract import equal, expect, promise, refused, well

UNICODE = "Zürich, Łódź, 北京, \N{GRINNING FACE}, e\N{COMBINING ACUTE ACCENT}, \N{ZERO WIDTH SPACE}"


@promise("a written file is read back")
def read_back(box: Sandbox) -> None:
    box.write("note.txt", "one\ntwo\n")
    equal(box.read("note.txt"), "one\ntwo\n")


@promise("unicode survives in files and in output")
def unicode_survives(box: Sandbox) -> None:
    box.write("unicode.txt", UNICODE)
    equal(box.read("unicode.txt"), UNICODE)
    equal(well(box.python("print(open('unicode.txt', encoding='utf-8').read())")), f"{UNICODE}\n")


@promise("line ends survive")
def line_ends(box: Sandbox) -> None:
    text = "unix\ndos\r\nold\rend"
    box.write("lines.txt", text)
    equal(box.read("lines.txt"), text)


@promise("an empty file is a file")
def empty_file(box: Sandbox) -> None:
    box.write("empty.txt", "")
    equal(box.read("empty.txt"), "")
    expect("empty.txt" in box.paths(), box.paths())


@promise("a file of a megabyte survives")
def large_file(box: Sandbox) -> None:
    text = "0123456789abcde\n" * 65_536
    box.write("large.txt", text)
    expect(box.read("large.txt") == text, "another text")


@promise("folders are made as needed")
def nested(box: Sandbox) -> None:
    box.write("a/b/c/deep.txt", "deep")
    equal(well(box.bash("cat a/b/c/deep.txt")), "deep")
    expect("a/b/c/deep.txt" in box.paths(), box.paths())


@promise("a shorter text replaces a longer one")
def replaced(box: Sandbox) -> None:
    box.write("twice.txt", "a long text")
    box.write("twice.txt", "short")
    equal(box.read("twice.txt"), "short")


@promise("odd names are names")
def odd_names(box: Sandbox) -> None:
    names = ["sp ace", "-rf", "new\nline", "quote\"'", "é" * 100, "*", "$(id)", ".hidden"]
    for name in names:
        box.write(f"odd/{name}", name)
    equal([box.read(f"odd/{name}") for name in names], names)
    equal(
        [path for path in box.paths() if path.startswith("odd/")],
        sorted(f"odd/{name}" for name in names),
    )


@promise("code and tools see the same files")
def same_files(box: Sandbox) -> None:
    box.write("from_tool.txt", "tool")
    equal(well(box.python("print(open('from_tool.txt').read())")), "tool\n")
    well(box.python("with open('from_code.txt', 'w') as file: file.write('code')"))
    equal(box.read("from_code.txt"), "code")


@promise("files last from call to call")
def files_last(box: Sandbox) -> None:
    well(box.bash("mkdir kept && echo 1 > kept/n"))
    well(box.bash("echo 2 >> kept/n"))
    equal(box.read("kept/n"), "1\n2\n")


@promise("paths are sorted, relative, and of files only")
def listing(box: Sandbox) -> None:
    well(box.bash("mkdir -p list/folder && touch list/b list/a list/folder/c && ln -s /etc list/e"))
    found = [path for path in box.paths() if path.startswith("list/")]
    equal(found, ["list/a", "list/b", "list/folder/c"])


@promise("a missing file is named in the error")
def missing(box: Sandbox) -> None:
    expect("nowhere.txt" in (said := refused(lambda: box.read("nowhere.txt"))), said)


@promise("paths out of the workspace are refused")
def outside(box: Sandbox) -> None:
    for path in ("../up", "/etc/passwd", "a/../../up", "", "nul\0"):
        refused(lambda path=path: box.read(path))  # type: ignore[misc]
        refused(lambda path=path: box.write(path, "x"))  # type: ignore[misc]


@promise("a folder and a pipe are no files")
def no_files(box: Sandbox) -> None:
    well(box.bash("mkdir -p folder && mkfifo pipe"))
    began = time.monotonic()
    for path in ("folder", "pipe"):
        refused(lambda path=path: box.read(path))  # type: ignore[misc]
    expect(time.monotonic() - began < 5, "a read that waits")


@promise("a link leads nowhere outside")
def links(box: Sandbox) -> None:
    well(box.bash("ln -sfn / root; ln -sf /etc/passwd passwd; ln -sfn .. up"))
    for path in ("root/proc/1/environ", "up/etc/shadow"):
        refused(lambda path=path: box.read(path))  # type: ignore[misc]


@promise("bytes that are no text are refused")
def binary(box: Sandbox) -> None:
    well(box.bash(r"printf '\xff\xfe\x00' > binary"))
    refused(lambda: box.read("binary"))


@promise("reset lays out its files")
def reset_lays_out(box: Sandbox) -> None:
    box.reset({"first.txt": "1", "folder/second.txt": UNICODE})
    expect({"first.txt", "folder/second.txt"} <= set(box.paths()), box.paths())
    equal(box.read("folder/second.txt"), UNICODE)


@promise("reset removes every file")
def reset_removes(box: Sandbox) -> None:
    box.write("old/file.txt", "old")
    well(box.bash("mkdir -p .hid/x shut; touch .hid/x/f shut/f; ln -s / all; chmod 0 shut .hid/x"))
    box.reset({"new.txt": "new"})
    equal(box.paths(), ["new.txt"])
    equal(well(box.bash("ls -A")), "new.txt\n")


@promise("reset removes traces outside the workspace")
def reset_traces(box: Sandbox) -> None:
    mark = f"trace-{time.monotonic_ns()}"
    box.bash(f"for d in /tmp /dev/shm /var/tmp; do mkdir $d/{mark} && touch $d/{mark}/f; done")
    box.reset({})
    found = box.bash(
        f"ls -d /tmp/{mark} /dev/shm/{mark} /var/tmp/{mark} 2>/dev/null; rm -rf /tmp/{mark} /dev/shm/{mark}"
    )
    equal(found.stdout, "")


@promise("reset gives a deep tree back")
def reset_deep(box: Sandbox) -> None:
    well(box.python("import os\nfor _ in range(500): os.mkdir('deep'); os.chdir('deep')"))
    box.reset({})
    equal(well(box.bash("ls -A")), "")
