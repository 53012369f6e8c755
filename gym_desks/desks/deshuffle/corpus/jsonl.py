"""Papers out of a JSONL file, plain or gzipped, one line at a time.

A line that is malformed is refused with its number and reason, or skipped and counted. What
is wrong with the file as a whole (an unknown schema, a cut-off archive) is always refused:
skipping could not mend it.
"""

from __future__ import annotations

import gzip
import os
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, TextIO, cast

from gym_desks.core import strict_json
from gym_desks.desks.deshuffle.corpus.fields import FIELDS, FieldMap, Record
from gym_desks.desks.deshuffle.corpus.model import Paper, Tally
from gym_desks.errors import CorpusError

MAX_LINE = 8 << 20
SUFFIXES = (".jsonl", ".jsonl.gz")
_BOM = b"\xef\xbb\xbf"


def read_papers(
    path: Path, tally: Tally, on_error: str = "refuse", fields: FieldMap = FIELDS
) -> Iterator[Paper]:
    """Walk the papers of a file in order and count in `tally` what was met.

    Raises CorpusError where the file cannot be read, has an unknown schema or, under
    `on_error="refuse"`, at the first malformed line.
    """
    checked = False
    for number, line in _numbered(path):
        tally.lines += 1
        try:
            record = _record(line)
            if not checked:
                fields.check(record)
                checked = True
            paper, empty = fields.paper(record)
            _check_new(paper.paper_id, tally.ids)
        except CorpusError:
            raise
        except ValueError as error:
            _malformed(path, number, error, tally, on_error)
            continue
        tally.empty_units += empty
        yield paper


def _malformed(path: Path, number: int, error: ValueError, tally: Tally, on_error: str) -> None:
    reason = f"{path.name}, line {number}: {error}"
    if on_error == "refuse":
        raise CorpusError(f'{reason} (on_error="skip" leaves such lines out)') from None
    tally.malformed.append(reason)


def _check_new(paper_id: str, known: set[str]) -> None:
    if paper_id in known:
        raise ValueError(f"the id {paper_id[:80]!r} has occurred before, expected unique ids")
    known.add(paper_id)


def _record(line: bytes) -> Record:
    if len(line) > MAX_LINE:
        raise ValueError(f"longer than {MAX_LINE:,} bytes, expected one paper a line")
    try:
        text = line.decode()
    except UnicodeDecodeError as error:
        wrong = line[error.start]
        raise ValueError(f"byte {error.start + 1} (0x{wrong:02x}) is not UTF-8") from None
    value = strict_json.parse(text)
    if not isinstance(value, dict):
        raise ValueError(f"a JSON {type(value).__name__}, expected an object")
    return value


def _numbered(path: Path) -> Iterator[tuple[int, bytes]]:
    """Walk the lines that hold something, with their numbers."""
    try:
        with _opened(path) as stream:
            for number, line in enumerate(_lines(stream), start=1):
                line = line.removeprefix(_BOM) if number == 1 else line
                if stripped := line.strip():
                    yield number, stripped
    except FileNotFoundError:
        raise CorpusError(f"no corpus file {str(path)!r}") from None
    except (EOFError, zlib.error, gzip.BadGzipFile):
        raise CorpusError(
            f"{path.name} is cut off or no gzip archive: fetch or write it again"
        ) from None
    except OSError as error:
        raise CorpusError(f"{path.name} cannot be read: {error.strerror}") from None


def _opened(path: Path) -> BinaryIO:
    return cast(BinaryIO, gzip.open(path) if path.suffix == ".gz" else path.open("rb"))


def _lines(stream: BinaryIO) -> Iterator[bytes]:
    """Walk lines without ever holding more than `MAX_LINE` bytes and one."""
    while line := stream.readline(MAX_LINE + 1):
        yield line
        while len(line) > MAX_LINE and not line.endswith(b"\n"):
            line = stream.readline(MAX_LINE + 1)


@contextmanager
def replacing(path: Path) -> Iterator[TextIO]:
    """Open a file beside `path` that takes its place at the end, unless something was raised."""
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with part.open("w", encoding="utf-8") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
