"""Which fields of a JSONL record hold what.

The first name of each row is this suite's own schema. The others are names that public
corpora use; the schema of the pinned corpus is not documented by its publisher, so it is
read through the same table. The first record of a file is checked for an id and a body.

A body is a list whose items may be
- a string: one paragraph;
- `{"text": ...}`, with an optional kind (`"heading"`, `"paragraph"` and their synonyms) or
  flag (`"is_header": true`) and an optional `level`;
- a section: `{"heading": ..., "text": ..., "paragraphs": [...], "sections": [...]}`, each
  part optional except that one list must be there; the lists are bodies again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gym_desks.desks.deshuffle.corpus.model import Block, Paper, folded
from gym_desks.errors import CorpusError

Record = Mapping[str, Any]

_HEADINGS = frozenset(
    {"heading", "header", "title", "section", "subsection", "section_header", "section_title"}
)
_KINDS = _HEADINGS | frozenset({"paragraph", "para", "p", "text", "body"})


@dataclass(frozen=True, slots=True)
class FieldMap:
    """For each thing that is read, the names it may have; the first that is not null counts."""

    paper_id: tuple[str, ...] = ("paper_id", "id", "doc_id", "arxiv_id", "doi", "url", "title")
    title: tuple[str, ...] = ("title", "paper_title")
    source: tuple[str, ...] = ("source", "origin", "server", "archive")
    license: tuple[str, ...] = ("license", "licence", "rights")
    attribution: tuple[str, ...] = ("attribution", "citation")
    body: tuple[str, ...] = ("blocks", "paragraphs", "units", "sections", "body", "body_text")
    text: tuple[str, ...] = ("text", "content", "paragraph")
    kind: tuple[str, ...] = ("kind", "type")
    flag: tuple[str, ...] = ("is_header", "is_heading")
    level: tuple[str, ...] = ("level",)
    heading: tuple[str, ...] = ("heading", "header", "title", "section", "section_title", "name")
    parts: tuple[str, ...] = ("paragraphs", "blocks", "sections", "subsections")

    def check(self, record: Record) -> None:
        """Raise CorpusError, with the fields found, where id or body has none of its names."""
        missing = [
            name for name in ("paper_id", "body") if _present(record, getattr(self, name)) is None
        ]
        if missing:
            raise CorpusError(self._unknown(record, missing))

    def _unknown(self, record: Record, missing: Sequence[str]) -> str:
        wanted = "; ".join(f"{name}: one of {', '.join(getattr(self, name))}" for name in missing)
        there = ", ".join(f"{key[:40]} ({type(record[key]).__name__})" for key in [*record][:20])
        return f"the records have no known fields for {wanted}; fields found: {there or 'none'}"

    def paper(self, record: Record) -> tuple[Paper, int]:
        """Return a record's paper and how many of its units were empty.

        Raises ValueError that says what is wrong with the record.
        """
        body = _value(record, self.body)
        if not isinstance(body, list):
            raise ValueError(f"{_label(record, self.body)} is {_name(body)}, expected a list")
        blocks = tuple(self._blocks(body, 1))
        kept = tuple(block for block in blocks if block.text)
        paper = Paper(
            paper_id=_identifier(record, self.paper_id),
            title=_string(record, self.title),
            source=_string(record, self.source).lower() or "unknown",
            blocks=kept,
            license=_string(record, self.license),
            attribution=_string(record, self.attribution),
        )
        return paper, len(blocks) - len(kept)

    def _blocks(self, body: Sequence[Any], level: int) -> Iterator[Block]:
        for number, item in enumerate(body, start=1):
            if isinstance(item, str):
                yield Block("paragraph", folded(item))
            elif not isinstance(item, dict):
                raise ValueError(f"unit {number} is {_name(item)}, expected a string or an object")
            elif item.keys().isdisjoint(self.parts):
                yield self._block(item, number)
            else:
                yield from self._section(item, level)

    def _section(self, item: Record, level: int) -> Iterator[Block]:
        if heading := _string(item, self.heading):
            yield Block("heading", heading, level)
        if text := _string(item, self.text):
            yield Block("paragraph", text)
        for name in self.parts:
            part = item.get(name)
            if isinstance(part, list):
                yield from self._blocks(part, level + 1)
            elif part is not None:
                raise ValueError(f"{name!r} of a section is {_name(part)}, expected a list")

    def _block(self, item: Record, number: int) -> Block:
        text = _value(item, self.text)
        if not isinstance(text, str):
            keys = ", ".join(str(key)[:40] for key in [*item][:10]) or "none"
            raise ValueError(f"unit {number} has no text (a string); its fields: {keys}")
        if not self._is_heading(item, number):
            return Block("paragraph", folded(text))
        level = _value(item, self.level)
        return Block("heading", folded(text), level if type(level) is int and level > 0 else 1)

    def _is_heading(self, item: Record, number: int) -> bool:
        kind = _value(item, self.kind)
        if kind is None:
            return _value(item, self.flag) is True
        word = kind.lower() if isinstance(kind, str) else ""
        if word not in _KINDS:
            raise ValueError(
                f"unit {number} is of kind {str(kind)[:40]!r}, expected heading or paragraph"
            )
        return word in _HEADINGS


FIELDS = FieldMap()


def _present(record: Record, names: Sequence[str]) -> str | None:
    return next((name for name in names if record.get(name) is not None), None)


def _value(record: Record, names: Sequence[str]) -> Any:
    name = _present(record, names)
    return None if name is None else record[name]


def _label(record: Record, names: Sequence[str]) -> str:
    return repr(_present(record, names) or names[0])


def _string(record: Record, names: Sequence[str]) -> str:
    value = _value(record, names)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise ValueError(f"{_label(record, names)} is {_name(value)}, expected a string")
    return folded(value)


def _identifier(record: Record, names: Sequence[str]) -> str:
    value = _value(record, names)
    text = str(value) if type(value) is int else _string(record, names)
    if not text:
        raise ValueError(f"{_label(record, names)} is missing or empty, expected a string")
    return text


def _name(value: Any) -> str:
    return {"NoneType": "null or missing", "dict": "an object", "list": "a list"}.get(
        type(value).__name__, f"of type {type(value).__name__}"
    )
