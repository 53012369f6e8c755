"""From a folder of articles to a corpus file."""

from __future__ import annotations

import json
import sys

import pytest

from gym_desks.desks.deshuffle.corpus import build, load_corpus
from gym_desks.errors import ConfigurationError, CorpusError, MissingExtra

pytest.importorskip("lxml")


@pytest.fixture
def folder(tmp_path, paragraphs):
    articles = tmp_path / "articles"
    (articles / "deep").mkdir(parents=True)
    text = "\n\n".join(paragraphs(6))
    (articles / "b.md").write_text(
        f"---\nid: own-id\ntitle: Bé\nlicense: CC0-1.0\n---\n\n# 1. Intro\n\n{text}\n\n"
        "# References\n\nGone.",
        encoding="utf-8",
    )
    body = "".join(f"<p>{text}</p>" for text in paragraphs(5))
    (articles / "deep" / "a.xml").write_text(
        f"<article><body>{body}<fig><p>cap</p></fig></body></article>", encoding="utf-8"
    )
    (articles / "notes.txt").write_text("no article", encoding="utf-8")
    (articles / "part.tex").write_text("no main file", encoding="utf-8")
    return articles


def test_a_folder_becomes_a_corpus_that_loads(folder, tmp_path):
    out = tmp_path / "out.jsonl"
    report = build(folder, out, source="tidal", license="CC-BY-4.0")
    assert report.papers == 2
    corpus = load_corpus(str(out))
    first, second = corpus.papers
    assert (first.paper_id, first.title, first.license) == ("own-id", "Bé", "CC0-1.0")
    assert (second.paper_id, second.title, second.license) == ("deep-a", "deep/a", "CC-BY-4.0")
    assert corpus.sources == ("tidal",)
    assert first.units(include_headers=True)[0] == "Intro"
    assert len(second.units(include_headers=True)) == 5


def test_the_account_of_every_article_adds_up(folder, tmp_path):
    report = build(folder, tmp_path / "out.jsonl")
    accounts = {
        one.name: (one.units_in, one.units_out, dict(one.left_out)) for one in report.articles
    }
    assert accounts == {
        "b.md": (9, 7, {"outside the body": 2}),
        "deep/a.xml": (6, 5, {"figure": 1}),
    }


def test_the_file_is_in_the_suites_own_schema(folder, tmp_path):
    out = tmp_path / "out.jsonl"
    build(folder, out)
    record = json.loads(out.read_text(encoding="utf-8").splitlines()[0])
    assert set(record) == {"paper_id", "title", "source", "license", "attribution", "blocks"}
    assert record["blocks"][0] == {"kind": "heading", "text": "Intro", "level": 1}
    assert set(record["blocks"][1]) == {"kind", "text"}


def test_building_again_gives_the_same_bytes(folder, tmp_path):
    build(folder, tmp_path / "one.jsonl")
    build(folder, tmp_path / "two.jsonl")
    assert (tmp_path / "one.jsonl").read_bytes() == (tmp_path / "two.jsonl").read_bytes()


def test_one_file_is_a_corpus_too(folder, tmp_path):
    assert build(folder / "b.md", tmp_path / "out.jsonl").articles[0].name == "b.md"


BAD = {
    "c.xml": (b"<article><front/></article>", "has no <body>"),
    "c.md": (b"Text \xff", "byte 6 is not UTF-8"),
    "d.md": (b"---\nid: own-id\n---\n\n" + b"\n\n".join([b"A tide comes in " * 9] * 6), "before"),
}


@pytest.mark.parametrize("name", BAD)
def test_an_unreadable_article_is_refused_or_passed_over(name, folder, tmp_path):
    content, reason = BAD[name]
    (folder / name).write_bytes(content)
    out = tmp_path / "out.jsonl"
    with pytest.raises(CorpusError, match=f"{name}: .*{reason}"):
        build(folder, out)
    assert not out.exists()
    report = build(folder, out, on_error="skip")
    assert report.papers == 2
    (problem,) = [one for one in report.articles if one.problem]
    assert problem.name == name
    assert reason in problem.problem
    assert (problem.units_in, problem.units_out) == (0, 0)


def test_a_poor_article_is_left_out_and_accounted_for(folder, tmp_path):
    (folder / "poor.md").write_text("# Notes\n\nToo short by far.", encoding="utf-8")
    report = build(folder, tmp_path / "out.jsonl")
    poor = next(one for one in report.articles if one.name == "poor.md")
    assert (poor.units_in, poor.units_out, sum(poor.left_out.values())) == (2, 0, 2)
    assert report.papers == 2


def test_a_folder_without_articles_is_refused_and_nothing_is_written(tmp_path):
    (tmp_path / "empty").mkdir()
    with pytest.raises(CorpusError, match=r"no \.md, \.xml or main \.tex file"):
        build(tmp_path / "empty", tmp_path / "out.jsonl")
    with pytest.raises(CorpusError, match="no folder or file"):
        build(tmp_path / "absent", tmp_path / "out.jsonl")
    assert [path.name for path in tmp_path.iterdir()] == ["empty"]


def test_the_folder_to_write_to_must_be_there(folder, tmp_path):
    with pytest.raises(CorpusError, match=r"no folder .* to write out\.jsonl to"):
        build(folder, tmp_path / "absent" / "out.jsonl")


def test_a_missing_extra_is_said_even_where_bad_articles_are_skipped(folder, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "lxml", None)
    with pytest.raises(MissingExtra, match=r"gym-desks\[corpus\]"):
        build(folder, tmp_path / "out.jsonl", on_error="skip")


def test_on_error_is_one_of_two(folder, tmp_path):
    with pytest.raises(ConfigurationError, match="on_error"):
        build(folder, tmp_path / "out.jsonl", on_error="raise")
