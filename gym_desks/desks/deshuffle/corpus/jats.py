"""Articles in JATS XML: a walk over the article's own `<body>` in document order.

Every `<p>` of that body becomes a unit or is part of one, and has a reason where it is left
out. So that none is lost:
- `<sub-article>` and `<response>` have bodies of their own and are not part of the paper;
- figures, tables, captions, footnotes, boxes, supplements and quoted code are left out, as
  are sections whose `sec-type` is none of a body;
- a list, quotation or formula inside a `<p>` stays in its text, in place; beside a `<p>`, list
  items are items and quotations are paragraphs;
- of `<alternatives>` one is taken: TeX, then MathML, then any text;
- the text of citations and cross-references stays; labels of sections go.

No DTD, entity or network address is ever opened. Characters by name (`&nbsp;`) are known, any
other entity refuses the file, and so does the lack of a `<body>`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.entities import html5
from pathlib import Path
from typing import TYPE_CHECKING

from gym_desks.desks.deshuffle.corpus.sections import JOINED, OUTSIDE, Article, Unit, is_body
from gym_desks.errors import CorpusError, MissingExtra

if TYPE_CHECKING:
    from lxml.etree import _Element

_LEFT_OUT = {
    "fig": "figure",
    "fig-group": "figure",
    "table-wrap": "table",
    "table-wrap-group": "table",
    "table-wrap-foot": "table",
    "caption": "caption",
    "fn": "footnote",
    "fn-group": "footnote",
    "boxed-text": "box",
    "supplementary-material": "supplement",
    "media": "supplement",
    "code": "code",
    "preformat": "code",
    "ref-list": OUTSIDE,
    "ack": OUTSIDE,
    "glossary": OUTSIDE,
}
_FORMULAS = frozenset({"disp-formula", "disp-formula-group"})
_MUTE = frozenset(
    {"label", "annotation", "annotation-xml", "graphic", "inline-graphic", "object-id"}
)
_TEX = re.compile(r"\\begin\{document\}(.*)\\end\{document\}", re.DOTALL)
_LICENSE = re.compile(r"creativecommons\.org/licenses/([a-z-]+)/(\d\.\d)")


def read_jats(path: Path) -> Article:
    """Return the article in a JATS file. Raises CorpusError where there is no body."""
    article = _article(path)
    body = next((child for child in article if _tag(child) == "body"), None)
    if body is None:
        raise CorpusError(f"{path.name} has no <body>: it is a record of a paper, not its text")
    meta = _first(article, "article-meta")
    title = _content(meta, "article-title")
    return Article(
        units=tuple(_walk(body, "", "paragraph", 1)),
        title=title,
        license=_license(meta),
        attribution=_attribution(meta, title),
    )


def _article(path: Path) -> _Element:
    try:
        from lxml import etree
    except ImportError:
        raise MissingExtra("reading JATS", "corpus") from None
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False
    )
    try:
        root = etree.fromstring(path.read_bytes(), parser)
    except etree.XMLSyntaxError as error:
        raise CorpusError(f"{path.name} is not well-formed XML: {error.msg}") from None
    articles = [element for element in root.iter() if _tag(element) == "article"]
    if len(articles) != 1:
        raise CorpusError(f"{path.name} holds {len(articles)} <article> elements, expected one")
    return articles[0]


def _walk(parent: _Element, reason: str, kind: str, level: int) -> Iterator[Unit]:
    for element in parent:
        tag = _tag(element)
        if tag in {"p", "term"}:
            yield _paragraph(element, reason, kind)
            yield from _inside(element, "")
        elif tag == "title" and _tag(parent) == "sec":
            yield Unit("heading", _text(element), level, reason)
        elif tag == "sec":
            deeper = level + (_tag(parent) == "sec")
            yield from _walk(element, reason or _closed(element), kind, deeper)
        elif tag in _FORMULAS:
            yield Unit("formula", _text(element), reason=reason)
        elif tag not in _MUTE:
            inner = "item" if tag in {"list", "def-list"} else kind
            yield from _walk(element, reason or _LEFT_OUT.get(tag, ""), inner, level)


def _paragraph(element: _Element, reason: str, kind: str) -> Unit:
    return Unit("item" if kind == "item" else "paragraph", _text(element), reason=reason)


def _inside(paragraph: _Element, reason: str) -> Iterator[Unit]:
    """Account for the `<p>` elements within a `<p>`: they are in its text, or left out."""
    for element in paragraph:
        why = reason or _LEFT_OUT.get(_tag(element), "")
        if _tag(element) == "p":
            yield Unit("paragraph", _text(element), reason=why or JOINED)
            why = ""  # the text of what is deeper has just been told
        yield from _inside(element, why)


def _closed(section: _Element) -> str:
    kinds = section.get("sec-type", "").replace("-", " ").split("|")
    return "" if all(map(is_body, kinds)) else OUTSIDE


def _text(element: _Element) -> str:
    """Return the running text of an element, without what is left out inside it."""
    return " ".join("".join(_pieces(element)).split())


def _pieces(element: _Element) -> Iterator[str]:
    yield element.text or ""
    for child in element:
        yield from _piece(child)
        yield child.tail or ""


def _piece(child: _Element) -> Iterator[str]:
    tag = _tag(child)
    if tag.startswith("&"):
        yield _character(tag)
    elif tag == "tex-math":
        yield _tex("".join(_pieces(child)))
    elif tag == "alternatives":
        yield from _piece(_preferred(child)) if len(child) else ()
    elif tag in {"p", "list-item", "disp-formula", "break", "disp-quote"}:
        yield " "
        yield from _pieces(child)
        yield " "
    elif tag and tag not in _MUTE and tag not in _LEFT_OUT:
        yield from _pieces(child)


def _tag(element: _Element) -> str:
    """Return the local name, `&name;` for an entity, nothing for comments and the like."""
    if isinstance(element.tag, str):
        return element.tag.rpartition("}")[2]
    return (element.text or "") if type(element).__name__ == "_Entity" else ""


def _character(entity: str) -> str:
    if (character := html5.get(entity[1:])) is None:
        raise CorpusError(f"the entity {entity[:40]} is not a named character; none is resolved")
    return character


def _preferred(alternatives: _Element) -> _Element:
    order = ["tex-math", "math", "textual-form"]
    return min(alternatives, key=lambda one: [*order, _tag(one)].index(_tag(one)))


def _tex(source: str) -> str:
    inner = _TEX.search(source)
    tex = (inner[1] if inner else source).strip()
    return tex if tex.startswith("$") else f"${tex}$"


def _first(element: _Element | None, name: str) -> _Element | None:
    found = () if element is None else element.iter()
    return next((one for one in found if _tag(one) == name), None)


def _content(element: _Element | None, name: str) -> str:
    found = _first(element, name)
    return "" if found is None else _text(found)


def _license(meta: _Element | None) -> str:
    """Return the SPDX name of a Creative Commons licence that the front of the file links."""
    links = [value for one in (meta if meta is not None else ()) for value in _links(one)]
    for link in links:
        if "creativecommons.org/publicdomain/zero" in link:
            return "CC0-1.0"
        if found := _LICENSE.search(link):
            return f"CC-{found[1].upper()}-{found[2]}"
    return ""


def _links(element: _Element) -> Iterator[str]:
    if _tag(element) == "permissions":
        for one in element.iter():
            yield from (value for value in one.attrib.values() if isinstance(value, str))
            yield one.text or ""


def _attribution(meta: _Element | None, title: str) -> str:
    names = [
        f"{_content(one, 'given-names')} {_content(one, 'surname')}".strip()
        for one in (meta.iter() if meta is not None else ())
        if _tag(one) == "contrib" and one.get("contrib-type", "author") == "author"
    ]
    doi = [
        f"https://doi.org/{_text(one)}"
        for one in (meta if meta is not None else ())
        if _tag(one) == "article-id" and one.get("pub-id-type") == "doi"
    ]
    return ", ".join(part for part in (", ".join(filter(None, names)), title, *doi) if part)
