"""What of an article counts as body, and which extraction is too poor to keep.

A reader of a format turns an article into units in reading order and names a reason for
those that it leaves out itself (a caption, a table, a footnote). Here the same rules are then
applied to every format:

- a heading of `NON_BODY` closes its section, subsections included;
- a displayed formula, and what goes on after it in lower case, joins the paragraph before;
- so do the items of a list whose mean length is below `SHORT_ITEM`; longer items are
  paragraphs of their own;
- a paragraph with fewer than `MIN_LETTERS` letters goes;
- a heading under which nothing is left goes; numbers in front of headings go, since they
  give the order away;
- an article that `poor` finds a fault in goes as a whole.

Units in are units out plus the counts of all reasons, for every article.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from statistics import mean
from typing import Literal

from gym_desks.desks.deshuffle.corpus.model import MIN_UNITS, Block, folded

SHORT_ITEM = 160
MIN_LETTERS = 20
MIN_MEAN_LENGTH = 100
MIN_LETTER_SHARE = 0.75
MAX_STRAY_SHARE = 0.1

OUTSIDE = "outside the body"
JOINED = "joined to another paragraph"
EMPTY = "empty"
WORDLESS = "hardly any words"
BARE = "heading of an empty section"

NON_BODY = (
    r"(list of )?references( and notes)?|bibliography|(literature|works) cited|further reading",
    r"acknowledge?ments?( .*)?|dedication",
    r"(sources? of )?funding( (statement|information|sources?|and .*))?",
    r"(financial|grant) (support|disclosure|information)( .*)?",
    r"(the )?authors?'?s?'? (contributions?|information|notes?|details)( .*)?|contributors?",
    r"credit author.*|about the authors?|orcid( ids?)?",
    r"((declaration|statement)s? of )?(competing|conflicts? of|conflicting) .*interests?( .*)?",
    r"coi (statement|disclosure)|declarations?|disclosures?( statement)?",
    r"(supplementary|supplemental) .*|supplements?|additional (information|data|files?)",
    r"supporting (information|material|data|file|figure|table|text)s?( .*)?",
    r"(data|code|software|materials?)( (and|or) \w+)* (availability|sharing)( statement| and .*)?",
    r"availability( of (data|code|software|materials?|supporting)\b.*| and .*)?",
    r"accession (numbers?|codes?)|ethics?( (statement|approval|declaration)s?( .*)?)?",
    r"consent (for publication|to participate)( .*)?|append(ix|ices)\b.*|abstract|key ?words",
    r"abbreviations?( used| and .*)?|(licen[cs]e|copyright)( (statement|notice|information))?",
)

_NON_BODY = re.compile("|".join(NON_BODY))
_NUMBER = re.compile(
    r"^(?:\d{1,2}(?:\.\d{1,2})*[.)]|\d{1,2}(?:\.\d{1,2})+) (?=\S)"
    r"|^(?:\d{1,2}|[A-Z](?:\.\d{1,2})*[.)]|[IVX]+[.)]) (?=[A-Z])"
)
_MATH = re.compile(r"\$\$.+?\$\$|\$[^$]+\$")
_STRAY = re.compile(
    r"\\(?:begin|end|cite\w*|ref|label|includegraphics|item)\b|\{\{\w+:|&[a-z]{2,8};"
    r"|</?(?:p|div|span|a|em|sup|sub|br|img|table|t[rdh]|xref)\b[^<>]*>"
)


@dataclass(frozen=True, slots=True)
class Unit:
    """A piece of an article as its reader found it; `reason` says why it is left out."""

    kind: Literal["heading", "paragraph", "item", "formula"]
    text: str
    level: int = 0
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Article:
    """What a reader found in one file. Empty strings stand for what the file does not say."""

    units: tuple[Unit, ...]
    title: str = ""
    paper_id: str = ""
    source: str = ""
    license: str = ""
    attribution: str = ""


def is_body(heading: str) -> bool:
    """Whether a section of this heading belongs to the text of a paper."""
    plain = _unnumbered(folded(heading)).lower().replace("’", "'").rstrip(".: ")
    return not _NON_BODY.fullmatch(plain)


def selected(units: Sequence[Unit]) -> tuple[tuple[Block, ...], Counter[str]]:
    """Return the blocks of the body and how many units were left out, by reason."""
    left: Counter[str] = Counter()
    kept: Iterable[Unit] = units
    for step in (_with_text, _in_body, _joined, _worded, _headed):
        kept = step(kept, left)
    blocks = tuple(_blocks(list(kept)))
    if fault := poor(blocks):
        left[fault] += len(blocks)
        return (), left
    return blocks, left


def poor(blocks: Sequence[Block]) -> str:
    """Return what is wrong with an extraction as a whole, or nothing."""
    texts = [_MATH.sub("", block.text) for block in blocks if block.kind == "paragraph"]
    if len(texts) < MIN_UNITS:
        return f"in an article of fewer than {MIN_UNITS} paragraphs"
    if mean(map(len, texts)) < MIN_MEAN_LENGTH:
        return f"in an article of paragraphs below {MIN_MEAN_LENGTH} characters on average"
    if _letter_share("".join(texts)) < MIN_LETTER_SHARE:
        return f"in an article with less than {MIN_LETTER_SHARE:.0%} letters"
    if sum(bool(_STRAY.search(text)) for text in texts) > MAX_STRAY_SHARE * len(texts):
        return f"in an article with markup in more than {MAX_STRAY_SHARE:.0%} of its paragraphs"
    return ""


def _letter_share(text: str) -> float:
    visible = "".join(text.split())
    return sum(map(str.isalpha, visible)) / max(1, len(visible))


def _with_text(units: Iterable[Unit], left: Counter[str]) -> Iterator[Unit]:
    for unit in units:
        text = folded(unit.text)
        if reason := unit.reason or ("" if text else EMPTY):
            left[reason] += 1
        else:
            yield replace(unit, text=text)


def _in_body(units: Iterable[Unit], left: Counter[str]) -> Iterator[Unit]:
    closed = 0
    for unit in units:
        if unit.kind == "heading" and not (closed and unit.level > closed):
            closed = 0 if is_body(unit.text) else unit.level
        if closed:
            left[OUTSIDE] += 1
        else:
            yield unit


def _settled(units: Iterable[Unit]) -> Iterator[Unit]:
    """Turn lists of long items into paragraphs."""
    for kind, run in groupby(units, key=lambda unit: unit.kind):
        listed = list(run)
        if kind == "item" and mean(len(unit.text) for unit in listed) >= SHORT_ITEM:
            listed = [replace(unit, kind="paragraph") for unit in listed]
        yield from listed


def _joined(units: Iterable[Unit], left: Counter[str]) -> list[Unit]:
    kept: list[Unit] = []
    after_formula = False
    for unit in _settled(units):
        goes_on = after_formula and unit.kind == "paragraph" and unit.text[0].islower()
        if (goes_on or unit.kind in {"item", "formula"}) and kept and kept[-1].kind == "paragraph":
            kept[-1] = replace(kept[-1], text=f"{kept[-1].text} {unit.text}")
            left[JOINED] += 1
        else:
            kept.append(unit if unit.kind == "heading" else replace(unit, kind="paragraph"))
        after_formula = unit.kind == "formula"
    return kept


def _worded(units: Iterable[Unit], left: Counter[str]) -> Iterator[Unit]:
    for unit in units:
        if unit.kind == "paragraph" and sum(map(str.isalpha, unit.text)) < MIN_LETTERS:
            left[WORDLESS] += 1
        else:
            yield unit


def _headed(units: Iterable[Unit], left: Counter[str]) -> list[Unit]:
    """Leave out headings with no paragraph before the next one of their level or above."""
    kept: list[Unit] = []
    filled = 0  # the deepest level at which a heading has a paragraph under it
    for unit in reversed(list(units)):
        if unit.kind == "paragraph":
            filled = 99
        elif unit.level > filled:
            left[BARE] += 1
            continue
        else:
            filled = unit.level - 1
        kept.append(unit)
    return kept[::-1]


def _blocks(units: Sequence[Unit]) -> Iterator[Block]:
    top = min((unit.level for unit in units if unit.kind == "heading"), default=1)
    for unit in units:
        if unit.kind == "heading":
            yield Block("heading", _unnumbered(unit.text), unit.level - top + 1)
        else:
            yield Block("paragraph", unit.text)


def _unnumbered(heading: str) -> str:
    return _NUMBER.sub("", heading)
