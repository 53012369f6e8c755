"""Reading JSONL: what is kept, and what each kind of bad input gets."""

from __future__ import annotations

import gzip
import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gym_desks.desks.deshuffle.corpus import FieldMap, Tally, load_corpus, read_papers
from gym_desks.desks.deshuffle.corpus.jsonl import MAX_LINE, replacing
from gym_desks.desks.deshuffle.corpus.model import folded
from gym_desks.errors import CorpusError


def test_papers_keep_their_order_ids_and_fields(written, record):
    path = written(record("b", license="CC0-1.0", attribution="A. Uthor"), record("a"))
    corpus = load_corpus(str(path))
    first, second = corpus.papers
    assert (first.paper_id, second.paper_id) == ("b", "a")
    assert (first.license, first.attribution, first.source) == ("CC0-1.0", "A. Uthor", "arxiv")
    assert first.units(include_headers=True)[0] == "Results"
    assert first.units(include_headers=False) == tuple(f"b, unit {n}" for n in range(6))
    assert (corpus.name, corpus.revision, corpus.report.kept) == ("own.jsonl", "", 2)


BAD = {
    "broken JSON": (b'{"paper_id": ', "Expecting value"),
    "a list": (b"[1]", "expected an object"),
    "a key twice": (b'{"paper_id": "x", "paper_id": "y", "blocks": []}', "occurs twice"),
    "invalid UTF-8": (b'{"paper_id": "\xff"}', r"byte 15 \(0xff\) is not UTF-8"),
    "a raw NUL": (b'{"paper_id": "x\x00", "blocks": []}', "control character"),
    "deep nesting": (b"[" * 5000, "nested deeper"),
    "a lone surrogate": (b'{"paper_id": "x", "blocks": ["\\ud800"]}', "lone surrogate"),
    "too long a line": (b'{"paper_id": "' + b"x" * MAX_LINE + b'"}', "longer than"),
    "no id": (b'{"paper_id": "", "blocks": []}', "'paper_id' is missing or empty"),
    "an id of another type": (b'{"paper_id": true, "blocks": []}', "expected a string"),
    "no body": (b'{"paper_id": "x"}', "'blocks' is null or missing, expected a list"),
    "a body of another type": (b'{"paper_id": "x", "blocks": "text"}', "of type str"),
    "a unit of another type": (b'{"paper_id": "x", "blocks": ["a", 7]}', "unit 2 is of type int"),
    "a unit without text": (b'{"paper_id": "x", "blocks": [{"txt": "a"}]}', "its fields: txt"),
    "an unknown kind": (
        b'{"paper_id": "x", "blocks": [{"kind": "figure", "text": "a"}]}',
        "'figure', expected heading or paragraph",
    ),
    "a title of another type": (b'{"paper_id": "x", "title": 1, "blocks": []}', "'title' is"),
}


@pytest.mark.parametrize("case", BAD)
def test_a_malformed_line_is_refused_with_its_number_and_reason(case, written, record):
    line, reason = BAD[case]
    path = written(record("a"), b"", line, record("b"))
    with pytest.raises(CorpusError, match=f"own.jsonl, line 3: .*{reason}"):
        load_corpus(str(path))


@pytest.mark.parametrize("case", BAD)
def test_skipping_leaves_out_the_malformed_line_alone(case, written, record):
    line, _ = BAD[case]
    path = written(record("a"), line, record("b"))
    corpus = load_corpus(str(path), on_error="skip")
    assert [paper.paper_id for paper in corpus.papers] == ["a", "b"]
    assert corpus.report.lines == 3
    (reason,) = corpus.report.malformed
    assert "line 2" in reason
    assert len(reason) < 300


def test_an_id_may_occur_once(written, record):
    path = written(record("a"), record("a"))
    with pytest.raises(CorpusError, match="line 2: the id 'a' has occurred before"):
        load_corpus(str(path))
    assert load_corpus(str(path), on_error="skip").report.kept == 1


def test_a_long_line_within_the_bound_is_read(written, record):
    body = ["x" * (MAX_LINE // 8)] * 6
    corpus = load_corpus(str(written({"paper_id": "long", "blocks": body})))
    assert len(corpus.papers[0].blocks[5].text) == MAX_LINE // 8


def test_byte_order_mark_and_carriage_returns_are_no_text(tmp_path, record):
    path = tmp_path / "windows.jsonl"
    lines = [json.dumps(record("a")), json.dumps(record("b"))]
    path.write_bytes(b"\xef\xbb\xbf" + "\r\n".join(lines).encode() + b"\r\n")
    assert load_corpus(str(path)).report.kept == 2


def test_gzip_is_read_like_plain_text(tmp_path, written, record):
    plain = written(record("a"), record("b"))
    packed = tmp_path / "own.jsonl.gz"
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    assert load_corpus(str(packed)).digest == load_corpus(str(plain)).digest


@pytest.mark.parametrize("on_error", ["refuse", "skip"])
@pytest.mark.parametrize("damage", [lambda raw: raw[:-20], lambda raw: b"no archive" + raw])
def test_a_cut_off_archive_is_never_used(damage, on_error, tmp_path, record):
    path = tmp_path / "own.jsonl.gz"
    lines = "\n".join(json.dumps(record(f"p{n}")) for n in range(50))
    path.write_bytes(damage(gzip.compress(lines.encode())))
    with pytest.raises(CorpusError, match="cut off or no gzip archive"):
        load_corpus(str(path), on_error=on_error)


@pytest.mark.parametrize("on_error", ["refuse", "skip"])
def test_an_unknown_schema_shows_the_fields_found(on_error, written):
    path = written({"nr": 1, "abstract": "x", "tables": []})
    with pytest.raises(CorpusError) as caught:
        load_corpus(str(path), on_error=on_error)
    message = str(caught.value)
    assert "nr (int), abstract (str), tables (list)" in message
    assert "paper_id: one of paper_id, id" in message
    assert "body: one of blocks, paragraphs" in message


def test_short_papers_and_empty_units_are_left_out_and_counted(written, record):
    short = record("short", units=2)
    holes = record("holes")
    holes["blocks"][2]["text"] = " \u200a\n"
    corpus = load_corpus(str(written(short, holes)))
    assert [paper.paper_id for paper in corpus.papers] == ["holes"]
    assert (corpus.report.too_short, corpus.report.empty_units) == (1, 1)
    assert len(corpus.papers[0].blocks) == 6


def test_a_corpus_with_no_paper_left_is_refused(written, record):
    with pytest.raises(CorpusError, match="no paper of 5 or more units"):
        load_corpus(str(written(record(units=1))))


TEXTS = ["One.", "Two.", "Three.", "Four.", "Five.", "Six."]
SHAPES = {
    "strings": {"id": "x", "paragraphs": TEXTS},
    "texts": {"id": 7, "units": [{"text": text} for text in TEXTS]},
    "kinds": {
        "doc_id": "x",
        "units": [{"type": "header", "content": "H"}]
        + [{"type": "paragraph", "content": text} for text in TEXTS],
    },
    "flags": {
        "arxiv_id": "x",
        "paragraphs": [{"text": "H", "is_header": True}]
        + [{"text": text, "is_header": False} for text in TEXTS],
    },
    "sections": {
        "doi": "x",
        "sections": [
            {"heading": "H", "paragraphs": TEXTS[:2], "sections": [{"paragraphs": TEXTS[2:4]}]},
            {"title": None, "text": TEXTS[4], "paragraphs": [{"text": TEXTS[5]}]},
        ],
    },
}


@pytest.mark.parametrize("shape", SHAPES)
def test_every_documented_shape_of_a_body_is_read(shape, written):
    corpus = load_corpus(str(written({"title": "T", "source": "bioRxiv", **SHAPES[shape]})))
    (paper,) = corpus.papers
    assert paper.units(include_headers=False) == tuple(TEXTS)
    headings = [block for block in paper.blocks if block.kind == "heading"]
    assert [(one.text, one.level) for one in headings] == (
        [("H", 1)]
        if shape
        in {
            "kinds",
            "flags",
            "sections",
        }
        else []
    )
    assert paper.source == "biorxiv"


def test_headings_of_subsections_are_deeper(written):
    inner = {"heading": "Inner", "paragraphs": TEXTS}
    corpus = load_corpus(
        str(written({"id": 1, "sections": [{"heading": "Outer", "sections": [inner]}]}))
    )
    levels = {block.text: block.level for block in corpus.papers[0].blocks}
    assert (levels["Outer"], levels["Inner"]) == (1, 2)


def test_of_several_names_the_first_that_is_not_null_counts():
    record = {"doi": "10.1/x", "arxiv_id": None, "title": "T", "paragraphs": TEXTS, "blocks": None}
    paper, _ = FieldMap().paper(record)
    assert (paper.paper_id, len(paper.blocks)) == ("10.1/x", 6)
    paper, _ = FieldMap().paper({**record, "paper_id": "own", "blocks": TEXTS[:5]})
    assert (paper.paper_id, len(paper.blocks)) == ("own", 5)


def test_a_map_of_ones_own_reads_a_schema_of_ones_own(written):
    fields = FieldMap(paper_id=("nr",), body=("abschnitte",), text=("inhalt",))
    path = written({"nr": 3, "abschnitte": [{"inhalt": text} for text in TEXTS]})
    (paper,) = read_papers(path, Tally(), fields=fields)
    assert (paper.paper_id, paper.units(include_headers=False)) == ("3", tuple(TEXTS))


@given(st.text())
def test_folded_text_is_stable_and_on_one_line(text):
    try:
        once = folded(text)
    except ValueError:
        assert any("\ud800" <= character <= "\udfff" for character in text)
        return
    assert folded(once) == once
    assert unicodedata.is_normalized("NFC", once)
    assert once == " ".join(once.split())
    assert not any(unicodedata.category(character) == "Cc" for character in once)


@given(st.text(alphabet=st.characters(categories=["L", "N", "P", "S", "M"])))
def test_folding_changes_no_visible_character(text):
    assert folded(text) == unicodedata.normalize("NFC", text)


def test_a_file_is_replaced_in_one_step_or_not_at_all(tmp_path):
    path = tmp_path / "out.jsonl"
    path.write_text("before", encoding="utf-8")
    with pytest.raises(TypeError), replacing(path) as stream:
        json.dump({"half": object()}, stream)
    assert path.read_text(encoding="utf-8") == "before"
    assert list(tmp_path.iterdir()) == [path]
    with replacing(path) as stream:
        stream.write("after")
        assert path.read_text(encoding="utf-8") == "before"
    assert path.read_text(encoding="utf-8") == "after"
    assert list(tmp_path.iterdir()) == [path]
