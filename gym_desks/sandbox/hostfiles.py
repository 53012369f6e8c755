"""What a sandbox made from this machine's files holds, and nothing else.

The listed programs, the folders of shared libraries, and one Python with its standard
library. What is installed beside the standard library is hidden: above all this package,
whose generators and data an agent must not read.
"""

from __future__ import annotations

import functools
import os
import platform
import shutil
import subprocess
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path

PROGRAMS = (
    "[ arch awk b2sum base32 base64 basename bash cat chgrp chmod chown cksum cmp comm cp "
    "csplit cut date dd diff diff3 dirname du echo egrep env expand expr factor false fgrep "
    "file find fmt fold getopt grep gunzip gzip head hostname id install join kill link ln ls "
    "md5sum mkdir mkfifo mktemp mv nice nl nohup nproc numfmt od paste patch printenv printf ps "
    "pwd readlink realpath rev rm rmdir sed seq sh sha1sum sha256sum sha512sum shuf sleep sort "
    "split stat strings stty sum sync tac tail tar tee test timeout touch tr true truncate "
    "tsort tty uname unexpand uniq unlink wc which whoami xargs yes zcat zgrep"
)
INSTALLED = ("site-packages", "dist-packages")
CERTAIN = (
    "import ctypes, json, mmap, sqlite3, ssl, unittest, sys; sys.exit(sys.version_info < (3, 9))"
)
ACCOUNTS = {
    "/etc/passwd": "nobody:x:65534:65534:nobody:/desk:/bin/bash\n",
    "/etc/group": "nogroup:x:65534:\n",
    "/etc/hosts": "127.0.0.1 localhost\n::1 localhost\n",
}
SYSTEM, RELOCATED = "/usr/bin/python3", "/opt/py"


@dataclass(frozen=True, slots=True)
class Python:
    """An interpreter of this machine and where it is found in a sandbox.

    `folders` maps places in the sandbox to folders here, `files` to files here.
    """

    command: str
    folders: tuple[tuple[str, Path], ...]
    files: tuple[tuple[str, Path], ...]

    @property
    def variables(self) -> dict[str, str]:
        """The environment variables with which programs find it and each other."""
        if self.command == SYSTEM:
            return {"PATH": "/usr/bin:/bin"}
        return {
            "PATH": f"{RELOCATED}/bin:/usr/bin:/bin",
            "LD_LIBRARY_PATH": f"{RELOCATED}/lib",
        }


@functools.cache
def programs() -> dict[str, Path]:
    """Return the listed programs that this machine has, by name."""
    found = {name: shutil.which(name, path="/usr/bin:/bin") for name in PROGRAMS.split()}
    return {name: Path(path).resolve() for name, path in found.items() if path}


@functools.cache
def linker_folders() -> tuple[Path, ...]:
    """Return the folders in which programs of this machine find shared libraries."""
    triplet = Path("/usr/lib", f"{platform.machine()}-linux-gnu")
    if triplet.is_dir():
        return tuple(path for path in (triplet, Path("/usr/lib64")) if path.is_dir())
    places = (Path("/usr/lib"), Path("/usr/lib64"), Path("/lib"))
    return tuple(path for path in places if path.is_dir() and not path.is_symlink())


def top_links() -> dict[str, str]:
    """Return the links of the root folder, such as /lib -> usr/lib."""
    names = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")
    paths = (Path("/", name) for name in names)
    links = {str(path): str(path.readlink()) for path in paths if path.is_symlink()}
    return {"/bin": "usr/bin", **links}


@functools.cache
def python() -> Python | None:
    """Return the system's Python where it will do, else the one that runs this."""
    system = Path(SYSTEM)
    if system.exists() and _works(system):
        return _system_python(system.resolve())
    own = Path(sys.base_prefix, "bin", f"python{sys.version_info[0]}.{sys.version_info[1]}")
    return _relocated_python(own) if own.exists() and _works(own) else None


def hidden(folder: Path) -> list[Path]:
    """Return the folders below a library folder that hold what was installed."""
    patterns = [f"{name}" for name in INSTALLED]
    patterns += [f"python3*/{name}" for name in INSTALLED]
    return sorted(path for pattern in patterns for path in folder.glob(pattern) if path.is_dir())


def exposed(python: Python) -> bool:
    """Say whether this package lies in a folder that a box can read, and not in a hidden part."""
    package = Path(__file__).resolve().parents[1]
    folders = [*linker_folders(), *(folder for _, folder in python.folders)]
    return any(
        package.is_relative_to(folder)
        and not any(package.is_relative_to(part) for part in hidden(folder))
        for folder in map(Path.resolve, folders)
    )


def _works(interpreter: Path) -> bool:
    run = subprocess.run(
        [interpreter, "-I", "-S", "-c", CERTAIN], capture_output=True, timeout=60, check=False
    )
    return run.returncode == 0


def _system_python(interpreter: Path) -> Python:
    version = _asked(interpreter, "import sys; print('%d.%d' % sys.version_info[:2])")
    places = (Path(parent, f"python{version}") for parent in ("/usr/lib", "/usr/lib64"))
    return Python(
        command=SYSTEM,
        folders=tuple((str(path), path) for path in places if path.is_dir()),
        files=((SYSTEM, interpreter),),
    )


def _relocated_python(interpreter: Path) -> Python:
    """Return this process's own Python, as it will be found below /opt/py."""
    standard = Path(sysconfig.get_path("stdlib"))
    needed = libraries([interpreter.resolve(), *(standard / "lib-dynload").glob("*.so")])
    own = {path.name: path for path in needed if path.is_relative_to(sys.base_prefix)}
    return Python(
        command=f"{RELOCATED}/bin/python3",
        folders=((f"{RELOCATED}/lib/{standard.name}", standard),),
        files=(
            (f"{RELOCATED}/bin/python3", interpreter.resolve()),
            *((f"{RELOCATED}/lib/{name}", path) for name, path in own.items()),
        ),
    )


def libraries(objects: list[Path]) -> list[Path]:
    """Return the paths of the shared libraries that programs and modules ask for."""
    found: set[Path] = set()
    for start in range(0, len(objects), 200):
        batch = [os.fspath(path) for path in objects[start : start + 200]]
        run = subprocess.run(["ldd", *batch], capture_output=True, text=True, check=False)
        words = (line.replace("=>", " ").split() for line in run.stdout.splitlines())
        found |= {
            Path(word)
            for line in words
            for word in line
            if word.startswith("/") and not word.endswith(":")
        }
    return sorted(found)


def _asked(interpreter: Path, question: str) -> str:
    answer = subprocess.run(
        [interpreter, "-I", "-S", "-c", question], capture_output=True, text=True, check=True
    )
    return answer.stdout.strip()
