"""Names, paths, the cache, the digest and the pools."""

from __future__ import annotations

import hashlib
import json
import time
from dataclasses import FrozenInstanceError

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gym_desks.desks.deshuffle.corpus import Block, Paper, Tally, load_corpus
from gym_desks.desks.deshuffle.corpus.builtin import front_matter, paper_of
from gym_desks.desks.deshuffle.corpus.model import Digest, gather
from gym_desks.desks.deshuffle.corpus.sections import is_body, poor
from gym_desks.errors import ConfigurationError, CorpusError


def test_the_builtin_corpus_loads_whole():
    corpus = load_corpus("builtin")
    assert corpus.report.kept == corpus.report.lines == len(corpus.papers) >= 24
    assert corpus.sources == ("arxiv", "biorxiv")
    ids = [paper.paper_id for paper in corpus.papers]
    assert ids == sorted(ids)
    assert (corpus.name, corpus.revision) == ("builtin", "1")
    assert corpus.too_short(None, include_headers=False) == 0
    assert all(paper.license and paper.attribution and paper.title for paper in corpus.papers)


@pytest.mark.parametrize("paper", load_corpus("builtin").papers, ids=lambda paper: paper.paper_id)
def test_a_builtin_paper_is_plain_body_text(paper):
    assert not poor(paper.blocks)
    headings = [block for block in paper.blocks if block.kind == "heading"]
    assert headings
    assert all(is_body(block.text) for block in headings)
    assert not any(block.text.startswith("#") for block in paper.blocks)
    assert len(set(paper.units(include_headers=False))) == len(paper.units(include_headers=False))


def test_a_corpus_is_loaded_once_until_its_file_changes(written, record):
    path = written(record("a"))
    first = load_corpus(str(path))
    assert load_corpus(str(path)) is first
    assert load_corpus("builtin") is load_corpus("builtin", on_error="skip")
    written(record("a"), record("b"))
    assert load_corpus(str(path)).report.kept == 2


def test_a_folder_is_told_how_to_become_a_file(tmp_path):
    with pytest.raises(CorpusError, match="gym-desks corpus build"):
        load_corpus(str(tmp_path))


@pytest.mark.parametrize("name", ["no-such-corpus", "/dev/null", ""])
def test_what_is_no_corpus_is_refused(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(CorpusError, match="corpus"):
        load_corpus(name)


def test_a_file_of_another_type_is_refused(tmp_path):
    (tmp_path / "papers.csv").write_text("a,b", encoding="utf-8")
    with pytest.raises(CorpusError, match=r"expected a file named \*.jsonl or \*.jsonl.gz"):
        load_corpus(str(tmp_path / "papers.csv"))


def test_on_error_is_one_of_two():
    with pytest.raises(ConfigurationError, match="'ignore', expected one of refuse, skip"):
        load_corpus("builtin", on_error="ignore")


def test_an_unknown_source_names_the_field_and_the_sources():
    with pytest.raises(CorpusError, match=r"source 'medrxiv' .* arxiv, biorxiv"):
        load_corpus("builtin").pool("medrxiv", include_headers=False)


def test_pools_part_the_corpus_by_source():
    corpus = load_corpus("builtin")
    pools = [corpus.pool(source, include_headers=False) for source in corpus.sources]
    assert all(paper.source == "arxiv" for paper in pools[0])
    assert sorted(map(id, pools[0] + pools[1])) == sorted(map(id, corpus.pool(None, False)))


def test_a_pool_holds_papers_of_five_units_under_its_setting(written, record):
    corpus = load_corpus(str(written(record("four", units=4), record("five", units=5))))
    ids = [paper.paper_id for paper in corpus.pool("arxiv", include_headers=False)]
    assert ids == ["five"]
    assert corpus.too_short("arxiv", include_headers=False) == 1
    assert corpus.too_short(None, include_headers=True) == 0


def test_data_are_frozen():
    paper = load_corpus("builtin").papers[0]
    for thing, name in [(paper, "title"), (paper.blocks[0], "text")]:
        with pytest.raises(FrozenInstanceError):
            setattr(thing, name, "x")


BLOCKS = st.builds(
    Block, st.sampled_from(["heading", "paragraph"]), st.text('ab "\\é', min_size=1), st.just(0)
)
PAPERS = st.lists(
    st.builds(
        Paper,
        st.text("ab,", min_size=1),
        st.just("T"),
        st.just("s"),
        st.lists(BLOCKS, min_size=5, max_size=7).map(tuple),
    ),
    min_size=1,
    max_size=3,
)


def digest(papers):
    return gather("x", "", papers, Tally()).digest


@given(PAPERS, PAPERS)
def test_the_digest_tells_corpora_apart_by_ids_and_blocks(one, other):
    same = [(p.paper_id, p.blocks) for p in one] == [(p.paper_id, p.blocks) for p in other]
    assert (digest(one) == digest(other)) == same


def test_the_digest_is_that_of_lines_of_json():
    paper = Paper("é", "T", "s", (Block("heading", "H", 2), Block("paragraph", "a")))
    counted = Digest()
    counted.add(paper)
    line = '["é",[["heading",2,"H"],["paragraph",0,"a"]]]\n'
    assert counted.hex() == hashlib.sha256(line.encode()).hexdigest()


def test_front_matter_is_simple_keys():
    keys, body = front_matter(
        "\ufeff---\r\nTitle: 'A: b'\nauthors:\n  - name: x\n---\r\n\r\nText\r\n"
    )
    assert keys == {"title": "A: b", "authors": ""}
    assert body.strip() == "Text"


@pytest.mark.parametrize("text", ["", "Text\n---\nmore", "---\nid: x\nno end"])
def test_without_a_closed_front_matter_all_is_text(text):
    keys, body = front_matter(text)
    assert keys == {}
    assert body == text


def test_a_builtin_file_without_its_keys_is_refused():
    with pytest.raises(CorpusError, match=r"x\.md: the front matter has no title, license"):
        paper_of("x.md", "---\nid: x\nsource: arxiv\n---\nText")


@pytest.mark.slow
def test_a_thousand_papers_load_quickly(tmp_path, paragraphs):
    """A bound wide enough for a busy machine, and far below what quadratic work would take."""
    blocks = [{"kind": "paragraph", "text": text} for text in paragraphs(60)]
    path = tmp_path / "many.jsonl"
    with path.open("w", encoding="utf-8") as stream:
        for n in range(1000):
            stream.write(json.dumps({"paper_id": str(n), "source": "x", "blocks": blocks}) + "\n")
    begin = time.perf_counter()
    assert load_corpus(str(path)).report.kept == 1000
    assert time.perf_counter() - begin < 20
