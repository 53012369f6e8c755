"""The papers that ship with the package: plain Markdown with a small front matter.

A file is `key: value` lines between two `---` lines, then `#` headings and paragraphs parted
by blank lines. The title stands in the front matter and is no block.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from importlib import resources

from gym_desks.desks.deshuffle.corpus.model import Block, Corpus, Paper, Tally, folded, gather
from gym_desks.errors import CorpusError

NAME = "builtin"
REVISION = "1"

_FENCE = "---"
_HEADING = re.compile(r"(#{1,6}) +(\S.*)")
_BLANK_LINES = re.compile(r"\n\s*\n")


def load_builtin() -> Corpus:
    """Read the shipped papers in the order of their file names."""
    tally = Tally()
    return gather(NAME, REVISION, _papers(tally), tally)


def _papers(tally: Tally) -> Iterator[Paper]:
    folder = resources.files("gym_desks.desks.deshuffle").joinpath("papers")
    files = (file for file in folder.iterdir() if file.name.endswith(".md"))
    for file in sorted(files, key=lambda file: file.name):
        tally.lines += 1
        yield paper_of(file.name, file.read_text(encoding="utf-8"))


def paper_of(name: str, text: str) -> Paper:
    """Return the paper in the text of one file. Raises CorpusError for a missing key."""
    keys, body = front_matter(text)
    missing = [key for key in ("id", "title", "source", "license") if not keys.get(key)]
    if missing:
        raise CorpusError(f"{name}: the front matter has no {', '.join(missing)}")
    return Paper(
        paper_id=keys["id"],
        title=keys["title"],
        source=keys["source"],
        blocks=tuple(_blocks(body)),
        license=keys["license"],
        attribution=keys.get("attribution", ""),
    )


def front_matter(text: str) -> tuple[Mapping[str, str], str]:
    """Split a Markdown text into its `key: value` front matter and the rest.

    Only lines that begin at the margin count; nested values are not read.
    """
    lines = text.removeprefix("\ufeff").splitlines()
    if not lines or lines[0].strip() != _FENCE:
        return {}, "\n".join(lines)
    ends = [number for number, line in enumerate(lines) if number and line.strip() == _FENCE]
    if not ends:
        return {}, "\n".join(lines)
    pairs = (line.partition(":") for line in lines[1 : ends[0]] if line[:1].isalpha())
    keys = {key.strip().lower(): folded(value).strip("'\"") for key, _, value in pairs}
    return keys, "\n".join(lines[ends[0] + 1 :])


def _blocks(body: str) -> Iterator[Block]:
    for part in _BLANK_LINES.split(body.strip()):
        if heading := _HEADING.fullmatch(part):
            yield Block("heading", folded(heading[2]), len(heading[1]))
        elif text := folded(part):
            yield Block("paragraph", text)
