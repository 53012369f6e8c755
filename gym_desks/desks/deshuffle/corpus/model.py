"""A corpus in memory: papers, each an ordered tuple of headings and paragraphs.

Every text is Unicode NFC on one line. All of it is frozen; a corpus compares and hashes by
identity, so that it can key a cache.
"""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal

from gym_desks.errors import ConfigurationError, CorpusError

MIN_UNITS = 5
ON_ERROR = ("refuse", "skip")

_CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f]")
_SURROGATES = re.compile(r"[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Block:
    """A heading of `level` 1 and deeper, or a paragraph, whose level is 0."""

    kind: Literal["heading", "paragraph"]
    text: str
    level: int = 0


@dataclass(frozen=True, slots=True)
class Paper:
    """One article in reading order. `license` is an SPDX name, or empty where none is known."""

    paper_id: str
    title: str
    source: str
    blocks: tuple[Block, ...]
    license: str = ""
    attribution: str = ""

    def units(self, include_headers: bool) -> tuple[str, ...]:
        """Return the texts that a task would shuffle, in reading order."""
        return tuple(
            block.text for block in self.blocks if include_headers or block.kind == "paragraph"
        )


@dataclass(frozen=True, slots=True)
class LoadReport:
    """What loading met: lines that held something, papers kept, and what was left out.

    `too_short` counts papers of fewer than five blocks, `empty_units` blocks without text;
    each malformed line has its number and reason.
    """

    lines: int = 0
    kept: int = 0
    too_short: int = 0
    empty_units: int = 0
    malformed: tuple[str, ...] = ()


@dataclass(slots=True)
class Tally:
    """A report while it is still being counted, and the ids that have occurred."""

    lines: int = 0
    too_short: int = 0
    empty_units: int = 0
    malformed: list[str] = field(default_factory=list)
    ids: set[str] = field(default_factory=set)

    def report(self, kept: int) -> LoadReport:
        """Return what was counted."""
        return LoadReport(self.lines, kept, self.too_short, self.empty_units, tuple(self.malformed))


@dataclass(frozen=True, slots=True, eq=False)
class Corpus:
    """The papers of one source of text, and what identifies it.

    `revision` is the publisher's name of this state (empty for a file of one's own), and
    `digest` the SHA-256 of what was loaded, which follows from ids and blocks alone.
    """

    name: str
    revision: str
    digest: str
    papers: tuple[Paper, ...]
    report: LoadReport

    @property
    def sources(self) -> tuple[str, ...]:
        """The values that `source` may take, sorted."""
        return tuple(sorted({paper.source for paper in self.papers}))

    def pool(self, source: str | None, include_headers: bool) -> tuple[Paper, ...]:
        """Return the papers of a source, or of all, that have at least five units."""
        if source is not None and source not in self.sources:
            raise CorpusError(
                f"source {source!r} is not in the corpus {self.name!r}; "
                f"its sources: {', '.join(self.sources)}"
            )
        return _pool(self, source, include_headers)

    def too_short(self, source: str | None, include_headers: bool) -> int:
        """Return how many papers of a source, or of all, `pool` leaves out."""
        there = sum(source in {None, paper.source} for paper in self.papers)
        return there - len(self.pool(source, include_headers))


@lru_cache(maxsize=16)
def _pool(corpus: Corpus, source: str | None, include_headers: bool) -> tuple[Paper, ...]:
    return tuple(
        paper
        for paper in corpus.papers
        if source in {None, paper.source} and len(paper.units(include_headers)) >= MIN_UNITS
    )


class Digest:
    """The SHA-256 of papers as they come by."""

    def __init__(self) -> None:
        self._hash = hashlib.sha256()

    def add(self, paper: Paper) -> None:
        """Take in a paper: one line of JSON with its id and its blocks."""
        blocks = [[block.kind, block.level, block.text] for block in paper.blocks]
        line = json.dumps([paper.paper_id, blocks], ensure_ascii=False, separators=(",", ":"))
        self._hash.update(line.encode() + b"\n")

    def hex(self) -> str:
        """Return the digest of all papers so far."""
        return self._hash.hexdigest()


def gather(name: str, revision: str, papers: Iterable[Paper], tally: Tally) -> Corpus:
    """Make a corpus of papers as they stream in. Raises CorpusError where none is left."""
    digest = Digest()
    kept = tuple(_long_enough(papers, digest, tally))
    if not kept:
        raise CorpusError(
            f"the corpus {name!r} holds no paper of {MIN_UNITS} or more units: {tally.report(0)}"
        )
    return Corpus(name, revision, digest.hex(), kept, tally.report(len(kept)))


def _long_enough(papers: Iterable[Paper], digest: Digest, tally: Tally) -> Iterable[Paper]:
    for paper in papers:
        if len(paper.blocks) < MIN_UNITS:
            tally.too_short += 1
            continue
        digest.add(paper)
        yield paper


def folded(text: str) -> str:
    """Return `text` in NFC on one line, without control characters.

    Raises ValueError for a lone surrogate, which no UTF-8 file can hold.
    """
    if text.isascii() and text.isprintable():
        return " ".join(text.split())
    if lone := _SURROGATES.search(text):
        raise ValueError(f"a lone surrogate U+{ord(lone[0]):04X} is no text")
    return " ".join(unicodedata.normalize("NFC", _CONTROLS.sub("", text)).split())


def check_on_error(value: str) -> None:
    """Raise ConfigurationError for anything but `refuse` and `skip`."""
    if value not in ON_ERROR:
        raise ConfigurationError(f"on_error is {value!r}, expected one of {', '.join(ON_ERROR)}")
