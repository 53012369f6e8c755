"""Articles in Markdown: CommonMark and tables, with `$math$` left as it is.

Code, tables, images, raw HTML and footnotes are left out; emphasis and links become their
text; citations in brackets (`[@key]`) go, one that is part of a sentence becomes its key, a
reference the last part of its label. The title is that of the front matter, or else a first
heading of level 1.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from gym_desks.desks.deshuffle.corpus.builtin import front_matter
from gym_desks.desks.deshuffle.corpus.sections import Article, Unit
from gym_desks.errors import MissingExtra

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_inline import StateInline
    from markdown_it.token import Token

_MATH = re.compile(r"\$\$.+?\$\$|\$(?![\s$])[^$]*?[^$\s]\$(?!\d)", re.DOTALL)
_CITATION = re.compile(r"\s*\[[^\[\]]*@[\w][^\[\]]*\]|\[\^[^\]\s]+\]")
_ATTRIBUTES = re.compile(r"\{(?:[#.]|\w+=)[^{}]*\}")
_REFERENCE = re.compile(r"\\(?:auto|eq|[cC])?ref\{(?:[^{}]*:)?([^{}]*)\}")
_KEY = re.compile(r"(?<!\w)@(?=\w)")
_FOOTNOTE = re.compile(r"\[\^[^\]\s]+\]:")
_LEFT_OUT = {
    "fence": "code",
    "code_block": "code",
    "html_block": "raw markup",
}
_LIST_OPENS = {"bullet_list_open": 1, "ordered_list_open": 1}
_LIST_CLOSES = {"bullet_list_close": 1, "ordered_list_close": 1}


def read_markdown(path: Path) -> Article:
    """Return the article in a Markdown file."""
    keys, body = front_matter(path.read_text(encoding="utf-8"))
    units = list(_units(_parser().parse(body)))
    title = keys.get("title", "")
    if not title and units and units[0].kind == "heading" and units[0].level == 1:
        title = units[0].text
        units[0] = Unit("heading", title, 1, "title")
    return Article(
        units=tuple(units),
        title=title,
        paper_id=keys.get("id", ""),
        source=keys.get("source", ""),
        license=keys.get("license", ""),
        attribution=keys.get("attribution", ""),
    )


def _parser() -> MarkdownIt:
    try:
        from markdown_it import MarkdownIt
    except ImportError:
        raise MissingExtra("reading Markdown", "corpus") from None
    parser = MarkdownIt("commonmark").enable("table")
    parser.inline.ruler.before("escape", "math", _math)
    return parser


def _math(state: StateInline, silent: bool) -> bool:
    """Take a formula as one token, so that nothing in it is read as markup."""
    found = _MATH.match(state.src, state.pos) if state.src[state.pos] == "$" else None
    if not found:
        return False
    if not silent:
        state.push("math_inline", "", 0).content = found[0]
    state.pos = found.end()
    return True


def _units(tokens: Sequence[Token]) -> Iterator[Unit]:
    lists = tables = 0
    for place, token in enumerate(tokens):
        lists += _LIST_OPENS.get(token.type, 0) - _LIST_CLOSES.get(token.type, 0)
        tables += (token.type == "table_open") - (token.type == "table_close")
        if token.type == "table_open":
            yield Unit("paragraph", "", reason="table")
        elif token.type in _LEFT_OUT:
            yield Unit("paragraph", token.content, reason=_LEFT_OUT[token.type])
        elif token.type == "inline" and not tables:
            yield _unit(token, tokens[place - 1], lists > 0)


def _unit(inline: Token, opening: Token, listed: bool) -> Unit:
    if _FOOTNOTE.match(inline.content):
        return Unit("paragraph", inline.content, reason="footnote")
    text = _text(inline.children or ())
    if opening.type == "heading_open":
        return Unit("heading", text, int(opening.tag[1:]))
    if not text and any(child.type == "image" for child in inline.children or ()):
        return Unit("paragraph", text, reason="figure")
    if text.startswith("$$") and _MATH.fullmatch(text):
        return Unit("formula", text)
    return Unit("item" if listed else "paragraph", text)


def _text(children: Sequence[Token]) -> str:
    """Join inline tokens; citations and attributes are cut around formulas and code."""
    parts: list[str] = []
    prose = ""
    for child in children:
        if child.type in {"math_inline", "code_inline"}:
            parts += [_plain(prose), child.content]
            prose = ""
        elif child.type == "text":
            prose += child.content
        elif child.type in {"softbreak", "hardbreak"}:
            prose += " "
    return "".join([*parts, _plain(prose)]).strip()


def _plain(prose: str) -> str:
    bare = _ATTRIBUTES.sub("", _CITATION.sub("", prose))
    return _KEY.sub("", _REFERENCE.sub(r"\1", bare))
