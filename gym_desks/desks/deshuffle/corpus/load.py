"""From the name of a corpus to the corpus, once in a process.

`builtin` ships with the package, `papers` is the pinned download, anything else is the path
of a JSONL file. A file is read again when its size or time of change differs.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from gym_desks.desks.deshuffle.corpus import builtin, hub
from gym_desks.desks.deshuffle.corpus.jsonl import SUFFIXES, read_papers
from gym_desks.desks.deshuffle.corpus.model import Corpus, Paper, Tally, check_on_error, gather
from gym_desks.errors import CorpusError

MAX_PATH = 4096  # of the kernel

_built_in = lru_cache(maxsize=1)(builtin.load_builtin)


def load_corpus(name_or_path: str, on_error: str = "refuse") -> Corpus:
    """Return a corpus: `builtin`, `papers`, or the JSONL file at a path.

    A malformed line raises CorpusError with its number, or with `on_error="skip"` is left out
    and stands in the corpus's report.
    """
    check_on_error(on_error)
    if name_or_path == builtin.NAME:
        return _built_in()
    if name_or_path == hub.NAME:
        return _downloaded(hub.located(), on_error)
    path = Path(name_or_path).expanduser()
    _check_file(path, name_or_path)
    stat = path.stat()
    return _read(path.resolve(), stat.st_mtime_ns, stat.st_size, on_error)


def _check_file(path: Path, given: str) -> None:
    if not given or len(given) > MAX_PATH or "\0" in given:
        raise CorpusError(
            f"corpus {given[:80]!r}: expected {builtin.NAME!r}, {hub.NAME!r} or the path of a file"
        )
    if path.is_dir():
        raise CorpusError(
            f"corpus {given!r} is a folder; turn its articles into a file first: "
            f"gym-desks corpus build {given} OUT.jsonl"
        )
    if not path.is_file():
        raise CorpusError(
            f"corpus {given!r} is neither {builtin.NAME!r} nor {hub.NAME!r} nor a file"
        )
    if not path.name.endswith(SUFFIXES):
        raise CorpusError(f"corpus {given!r}: expected a file named *{' or *'.join(SUFFIXES)}")


@lru_cache(maxsize=4)
def _read(path: Path, changed_ns: int, size: int, on_error: str) -> Corpus:
    tally = Tally()
    return gather(path.name, "", read_papers(path, tally, on_error), tally)


@lru_cache(maxsize=2)
def _downloaded(files: tuple[hub.Verified, ...], on_error: str) -> Corpus:
    tally = Tally()
    return gather(hub.NAME, hub.REVISION, _verified(files, tally, on_error), tally)


def _verified(files: tuple[hub.Verified, ...], tally: Tally, on_error: str) -> Iterator[Paper]:
    for file in files:
        file.check()
        yield from read_papers(file.path, tally, on_error)
