"""Real papers, from the folder that `GYM_DESKS_TEST_CORPORA` names."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET

import pytest

from gym_desks.desks.deshuffle.corpus import build, load_corpus
from gym_desks.desks.deshuffle.corpus.sections import is_body, poor

JATS = {"PMC11784394": (12, 12), "elife-02833": (55, 37), "elife-06003": (18, 16)}
LATEX = {
    "broman2020": "[Rp] Reproducibility report: Identifying essential genes by mutagenesis",
    "dansereau2020": "[Re] Chaos in a Three-Species Food Chain",
    "hinsen2020": "[Rp] Structural flexibility in proteins - impact of the crystal environment",
}


def test_all_joss_papers_load(real_corpora):
    corpus = load_corpus(str(real_corpora / "joss-papers.jsonl"))
    assert (corpus.report.lines, corpus.report.kept, corpus.sources) == (32, 32, ("joss",))
    paragraphs = sum(len(paper.units(include_headers=False)) for paper in corpus.papers)
    units = sum(len(paper.units(include_headers=True)) for paper in corpus.papers)
    assert (paragraphs, units - paragraphs) == (474, 174)
    assert len(corpus.pool("joss", include_headers=False)) == 32


def test_joss_papers_come_through_as_they_are_written(real_corpora):
    path = real_corpora / "joss-papers.jsonl"
    corpus = load_corpus(str(path))
    for line, paper in zip(
        path.read_text(encoding="utf-8").splitlines(), corpus.papers, strict=True
    ):
        record = json.loads(line)
        assert paper.paper_id == record["paper_id"]
        assert paper.attribution == record["attribution"]
        assert paper.units(include_headers=True) == tuple(one["text"] for one in record["blocks"])


def test_no_joss_paper_is_taken_for_poor_or_outside(real_corpora):
    for paper in load_corpus(str(real_corpora / "joss-papers.jsonl")).papers:
        assert not poor(paper.blocks)
        assert all(is_body(block.text) for block in paper.blocks if block.kind == "heading")


@pytest.fixture(scope="module")
def jats(real_corpora, tmp_path_factory):
    pytest.importorskip("lxml")
    out = tmp_path_factory.mktemp("jats") / "jats.jsonl"
    report = build(real_corpora / "jats", out, source="jats")
    return {one.name.removesuffix(".xml"): one for one in report.articles}, load_corpus(str(out))


@pytest.mark.parametrize("name", JATS)
def test_every_paragraph_of_a_jats_body_is_accounted_for(name, jats, real_corpora):
    reports, corpus = jats
    body = ET.parse(real_corpora / "jats" / f"{name}.xml").getroot().find("body")
    there, headings = len(list(body.iter("p"))), len(body.findall(".//sec/title"))
    report = reports[name]
    paper = next(one for one in corpus.papers if one.paper_id == name)
    assert report.units_in == there + headings
    assert report.units_in == report.units_out + sum(report.left_out.values())
    assert (there, len(paper.units(include_headers=False))) == JATS[name]
    assert report.units_out - JATS[name][1] == headings
    assert paper.license.startswith("CC")
    assert "https://doi.org/10." in paper.attribution


def test_jats_paragraphs_are_in_the_order_of_the_file(jats, real_corpora):
    _, corpus = jats
    for paper in corpus.papers:
        body = ET.parse(real_corpora / "jats" / f"{paper.paper_id}.xml").getroot().find("body")
        order = ["".join("".join(p.itertext()).split()) for p in body.iter("p")]
        places = [
            next(n for n, text in enumerate(order) if text.startswith("".join(unit.split())[:40]))
            for unit in paper.units(include_headers=False)
        ]
        assert places == sorted(places)


def test_latex_articles_become_papers(real_corpora, tmp_path):
    pytest.importorskip("pypandoc")
    out = tmp_path / "latex.jsonl"
    report = build(real_corpora / "latex", out, source="rescience", license="CC-BY-4.0")
    corpus = load_corpus(str(out))
    assert {one.paper_id.removesuffix("-article"): one.title for one in corpus.papers} == LATEX
    for one, paper in zip(report.articles, corpus.papers, strict=True):
        assert one.units_in == one.units_out + sum(one.left_out.values())
        assert len(paper.units(include_headers=False)) >= 20
        text = " ".join(paper.units(include_headers=True))
        assert "Acknowledg" not in text
        assert "\\cite" not in text
