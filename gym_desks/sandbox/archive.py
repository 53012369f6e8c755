"""The files of an image, taken from Debian packages or from this machine, as one tar archive.

No image registry, no root and no package scripts: what the sandbox needs is unpacked, and the
rest (documentation, translations, programs for administrators) is left out. The archive
depends on the files alone: owners and times are the same everywhere.
"""

from __future__ import annotations

import io
import os
import subprocess
import tarfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO

from gym_desks.errors import SandboxUnavailable
from gym_desks.sandbox import hostfiles

ROOTS = (
    "python3-minimal libpython3-stdlib bash coreutils grep sed findutils mawk diffutils tar "
    "gzip tzdata"
)
# Needed by scripts of packages, or by modules that are of no use without a network.
LEFT_OUT = (
    "base-files debconf debianutils dpkg install-info libnsl2 libtirpc3 libtirpc3t64 mailcap "
    "media-types mime-support perl perl-base readline-common gcc-12-base gcc-14-base"
)
KEPT_SHARE = "usr/share/zoneinfo"
MERGED = ("bin", "lib", "lib64", "sbin")
LINKS = {"usr/bin/sh": "bash", "usr/bin/awk": "mawk"}
FOLDERS = ("dev", "etc", "proc", "sys", "usr", "usr/sbin")
# The engine gives its file systems in memory the modes of the folders that they cover.
COVERED = {"desk": 0o700, "tmp": 0o1777}


class Archive:
    """A tar archive in the making: no owner, no time, no setuid bit, no path twice."""

    def __init__(self, file: IO[bytes]) -> None:
        self._tar = tarfile.open(fileobj=file, mode="w", format=tarfile.GNU_FORMAT)  # noqa: SIM115
        self._paths: set[str] = set()
        for folder in FOLDERS:
            self.folder(folder)
        for folder, mode in COVERED.items():
            self._add(folder, tarfile.DIRTYPE, mode)
        for name in MERGED:
            self.link(name, f"usr/{name}")
        for path, text in hostfiles.ACCOUNTS.items():
            self.data(path.lstrip("/"), text.encode())

    def folder(self, path: str) -> None:
        """Add a folder and those above it."""
        if path and path not in self._paths:
            self.folder(path.rpartition("/")[0])
            self._add(path, tarfile.DIRTYPE, 0o755)

    def link(self, path: str, target: str) -> None:
        """Add a symbolic link."""
        self.folder(path.rpartition("/")[0])
        self._add(path, tarfile.SYMTYPE, 0o777, linkname=target)

    def data(self, path: str, content: bytes, mode: int = 0o644) -> None:
        """Add a file."""
        self.folder(path.rpartition("/")[0])
        self._add(path, tarfile.REGTYPE, mode, content=content)

    def close(self) -> None:
        """Write the end of the archive."""
        self._tar.close()

    def _add(
        self, path: str, kind: bytes, mode: int, *, linkname: str = "", content: bytes = b""
    ) -> None:
        if path in self._paths:
            return
        self._paths.add(path)
        entry = tarfile.TarInfo(path)
        entry.type, entry.mode, entry.linkname, entry.size = kind, mode, linkname, len(content)
        self._tar.addfile(entry, io.BytesIO(content))


def from_packages(packages: Iterable[Path], file: IO[bytes]) -> None:
    """Write the archive of these .deb files."""
    archive = Archive(file)
    for package in packages:
        listing = subprocess.run(
            ["dpkg-deb", "--fsys-tarfile", package], capture_output=True, check=True
        )
        with tarfile.open(fileobj=io.BytesIO(listing.stdout)) as contents:
            _copied(contents, archive)
    for path, target in LINKS.items():
        archive.link(path, target)
    archive.close()


def _copied(contents: tarfile.TarFile, archive: Archive) -> None:
    for entry in contents:
        path = merged(entry.name)
        if not wanted(path):
            continue
        if entry.issym():
            archive.link(path, entry.linkname)
        elif entry.isfile() or entry.islnk():
            # A hard link is read through: its target may have been left out.
            content = contents.extractfile(entry)
            archive.data(path, content.read() if content else b"", entry.mode & 0o755)


def merged(name: str) -> str:
    """Return where a file of a package lies when /bin and /lib are links into /usr."""
    path = name.removeprefix("./").strip("/")
    return f"usr/{path}" if path.split("/")[0] in MERGED else path


def wanted(path: str) -> bool:
    """Say whether a file of a package is part of the image."""
    if path.startswith("usr/share/"):
        return path.startswith(KEPT_SHARE)
    return path.startswith(("usr/bin/", "usr/lib/", "usr/lib64/"))


def package_names() -> list[str]:
    """Return the packages of this release that hold what is needed."""
    found: set[str] = set()
    new = set(ROOTS.split())
    while new:
        found |= new
        new = _dependencies(sorted(new)) - found - set(LEFT_OUT.split())
    return sorted(found)


def _dependencies(packages: list[str]) -> set[str]:
    run = _apt(["apt-cache", "depends", "--important", *packages])
    needed: set[str] = set()
    chosen = False
    for line in run.splitlines():
        kind, _, name = line.strip().partition(": ")
        if kind.lstrip("|") not in ("Depends", "PreDepends"):
            continue
        if not chosen and not name.startswith("<"):
            needed.add(name)
        chosen = kind.startswith("|")  # the next line is an alternative to this one
    return needed


def download(folder: Path) -> list[Path]:
    """Download the packages into a folder."""
    _apt(["apt-get", "download", "--quiet", *package_names()], folder)
    return sorted(folder.glob("*.deb"))


def _apt(command: list[str], folder: Path | None = None) -> str:
    try:
        run = subprocess.run(command, capture_output=True, text=True, cwd=folder, check=True)
    except FileNotFoundError:
        raise SandboxUnavailable(
            f"{command[0]} is not on this machine: build from a base image or from the host"
        ) from None
    except subprocess.CalledProcessError as error:
        raise SandboxUnavailable(
            f"{' '.join(command[:2])} failed: {error.stderr.strip()[-500:]} "
            "(apt-get update may be needed)"
        ) from None
    return run.stdout


def from_host(file: IO[bytes]) -> None:
    """Write the archive of this machine's own programs, libraries and Python."""
    python = hostfiles.python()
    if python is None:
        raise SandboxUnavailable("no Python with ctypes, sqlite3 and ssl on this machine")
    archive = Archive(file)
    objects = [*hostfiles.programs().values(), *(path for _, path in python.files)]
    for place, path in _host_files(python):
        archive.data(place.lstrip("/"), path.read_bytes(), path.stat().st_mode & 0o755)
        if ".so" in path.name:
            objects.append(path)
    for library in hostfiles.libraries(objects):
        place = merged(os.fspath(library.parent.resolve() / library.name))
        archive.data(place, library.read_bytes(), 0o755)
    archive.link("usr/bin/sh", "bash")
    archive.close()


def _host_files(python: hostfiles.Python) -> Iterator[tuple[str, Path]]:
    for name, path in hostfiles.programs().items():
        yield f"usr/bin/{name}", path
    yield from python.files
    for place, folder in (*python.folders, (f"/{KEPT_SHARE}", Path("/", KEPT_SHARE))):
        for path in sorted(folder.rglob("*")):
            if path.is_file() and not set(path.parts) & {*hostfiles.INSTALLED, "__pycache__"}:
                yield f"{place}/{path.relative_to(folder)}", path
