r"""Articles in LaTeX, read through pandoc: its parser, our rules.

A main file is one with `\begin{document}`; the files that it takes in with `\input` and
`\include` are read here, inside its own folder, each at most once, and a missing one is
passed over, so that pandoc runs sandboxed and opens nothing. A `metadata.tex` beside the main file
is read first: journal classes take title macros from there.

Figures, tables, code and footnotes are left out; parenthetical citations go, a citation that
is part of a sentence becomes its key, a reference the last part of its label; formulas stay
as TeX between dollars.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from gym_desks.core import strict_json
from gym_desks.desks.deshuffle.corpus.sections import Article, Unit
from gym_desks.errors import CorpusError, MissingExtra

TIMEOUT = 120
MAX_DEPTH = 400
_MEMORY = "-M512M"

_COMMENT = re.compile(r"(?<!\\)(?:\\\\)*%")
_INPUT = re.compile(r"\\(?:input|include|subfile)(?:\s*\{([^{}]+)\}|[ \t]+([\w./-]+))")
_LABEL = re.compile(r"\\label\{[^{}]*\}\s*")
_GAP = re.compile(r"\s+([.,;:)])")
_LEFT_OUT = {
    "Figure": "figure",
    "Table": "table",
    "CodeBlock": "code",
    "RawBlock": "raw markup",
}
_NESTED = {"BlockQuote": 0, "Div": 1}
_SPACES = frozenset({"Space", "SoftBreak", "LineBreak"})
_WRAPPED = {
    **dict.fromkeys(
        ("Emph", "Strong", "Strikeout", "Superscript", "Subscript", "SmallCaps", "Underline"), None
    ),
    "Span": 1,
}

Node = Mapping[str, Any]


def is_main(path: Path) -> bool:
    """Whether a LaTeX file is an article and not a part of one."""
    return b"\\begin{document}" in path.read_bytes()


def read_latex(path: Path) -> Article:
    """Return the article whose main file this is."""
    seen: set[Path] = set()
    text = _with_inputs(path, path.parent, seen)
    document = _parsed(path, f"{_input('metadata', path.parent, seen)}\n{text}")
    title = document["meta"].get("title", {"c": []})
    return Article(units=tuple(_units(document["blocks"], "paragraph")), title=_text(title["c"]))


def _with_inputs(path: Path, folder: Path, seen: set[Path]) -> str:
    seen.add(path.resolve())
    text = path.read_text(encoding="utf-8")

    def taken_in(found: re.Match[str]) -> str:
        before = text[text.rfind("\n", 0, found.start()) + 1 : found.start()]
        name = (found[1] or found[2]).strip()
        return found[0] if _COMMENT.search(before) else _input(name, folder, seen)

    return _INPUT.sub(taken_in, text)


def _input(name: str, folder: Path, seen: set[Path]) -> str:
    for candidate in (folder / name, folder / f"{name}.tex"):
        inside = candidate.resolve().is_relative_to(folder.resolve())
        if inside and candidate.is_file() and candidate.resolve() not in seen:
            return _with_inputs(candidate, folder, seen)
    return ""


def _parsed(path: Path, text: str) -> Node:
    command = [_pandoc(), "+RTS", _MEMORY, "-RTS", "--sandbox", "-f", "latex", "-t", "json"]
    try:
        done = subprocess.run(
            command, input=text.encode(), capture_output=True, timeout=TIMEOUT, check=True
        )
    except subprocess.TimeoutExpired:
        raise CorpusError(f"{path.name}: pandoc took more than {TIMEOUT} seconds") from None
    except subprocess.CalledProcessError as error:
        reason = " ".join(error.stderr.decode(errors="replace").split())[:300]
        raise CorpusError(f"{path.name} is no LaTeX that pandoc can read: {reason}") from None
    document: Node = strict_json.parse(done.stdout.decode(), MAX_DEPTH)
    return document


def _pandoc() -> str:
    try:
        import pypandoc
    except ImportError:
        if found := shutil.which("pandoc"):
            return found
        raise MissingExtra("reading LaTeX", "corpus") from None
    return str(pypandoc.get_pandoc_path())


def _units(blocks: Sequence[Node], kind: str) -> Iterator[Unit]:
    for block in blocks:
        tag = block["t"]
        content: Any = block.get("c")
        if tag == "Header":
            yield Unit("heading", _text(content[2]), content[0])
        elif tag in {"Para", "Plain"}:
            yield _unit(content, kind)
        elif tag == "LineBlock":
            yield _unit([{"t": "Space"}, *(one for line in content for one in line)], kind)
        elif tag in _NESTED:
            yield from _units(content[1] if tag == "Div" else content, kind)
        elif tag in {"BulletList", "OrderedList"}:
            for item in content if tag == "BulletList" else content[1]:
                yield from _units(item, "item")
        elif tag == "DefinitionList":
            yield from _definitions(content)
        elif tag in _LEFT_OUT:
            yield Unit("paragraph", "", reason=_LEFT_OUT[tag])


def _definitions(entries: Sequence[Any]) -> Iterator[Unit]:
    for term, meanings in entries:
        yield Unit("item", _text(term))
        for meaning in meanings:
            yield from _units(meaning, "item")


def _unit(inlines: Sequence[Node], kind: str) -> Unit:
    tags = {one["t"] for one in inlines} - _SPACES
    text = _text(inlines)
    if not text and "Image" in tags:
        return Unit("paragraph", "", reason="figure")
    if tags == {"Math"} and text.startswith("$$"):
        return Unit("formula", text)
    return Unit("item" if kind == "item" else "paragraph", text)


def _text(inlines: Sequence[Node]) -> str:
    return _GAP.sub(r"\1", "".join(map(_piece, inlines))).strip()


def _piece(inline: Node) -> str:
    tag = inline["t"]
    content: Any = inline.get("c")
    if tag in _SPACES:
        return " "
    if tag == "Str":
        return str(content)
    if tag in _WRAPPED:
        place = _WRAPPED[tag]
        return "".join(map(_piece, content if place is None else content[place]))
    return _special(tag, content)


def _special(tag: str, content: Any) -> str:
    match tag, content:
        case "Quoted", [_, inlines]:
            return f"“{_text(inlines)}”"
        case "Math", [{"t": "DisplayMath"}, str(tex)]:
            return f" $${_LABEL.sub('', tex)}$$ "
        case "Math", [_, str(tex)]:
            return f"${tex}$"
        case "Code", [_, str(code)]:
            return code
        case "Link", [[_, _, attributes], inlines, _]:
            reference = dict(attributes).get("reference", "")
            return reference.rpartition(":")[2] or "".join(map(_piece, inlines))
        case "Cite", [citations, _]:
            named = (one for one in citations if one["citationMode"]["t"] == "AuthorInText")
            return ", ".join(str(one["citationId"]) for one in named)
    return ""
