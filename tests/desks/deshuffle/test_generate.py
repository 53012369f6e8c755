from __future__ import annotations

import json
from collections import Counter
from itertools import islice

import gymnasium as gym
import pytest
from pydantic import ValidationError

import gym_desks  # noqa: F401
from gym_desks.core import Streams
from gym_desks.desks.deshuffle import DeshuffleSettings, stream
from gym_desks.desks.deshuffle.corpus import load_corpus
from gym_desks.desks.deshuffle.generate import generate
from gym_desks.errors import ConfigurationError, GenerationError

POOL = len(DeshuffleSettings().pool)


def settings(**chosen):
    return DeshuffleSettings.model_validate(chosen)


def made(seed=0, **chosen):
    given = settings(**chosen)
    return generate(Streams("deshuffle", 1, given.split, seed), given)


def rows(instance):
    return [json.loads(line) for line in instance.task.files["paragraphs.jsonl"].splitlines()]


def write_corpus(path, papers):
    lines = [
        json.dumps(
            {
                "paper_id": f"p{n}",
                "title": f"Paper {n}",
                "source": source,
                "license": "CC0-1.0",
                "attribution": "made for a test",
                "blocks": [{"kind": "heading", "level": 1, "text": "Results"}]
                + [{"kind": "paragraph", "text": text} for text in texts],
            }
        )
        for n, (source, texts) in enumerate(papers)
    ]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(path)


def plain(n, count=6):
    return [f"Paragraph {k} of paper number {n}." for k in range(count)]


@pytest.mark.parametrize("include_headers", [False, True])
@pytest.mark.parametrize("papers", [1, 3])
def test_the_key_restores_the_papers_from_what_the_file_shows(papers, include_headers):
    given = settings(min_papers=papers, max_papers=papers, include_headers=include_headers)
    instance = generate(Streams("deshuffle", 1, "train", 3), given)
    text = {row["label"]: row["text"] for row in rows(instance)}
    assert list(text) == list(range(1, len(text) + 1))
    restored = [tuple(text[label] for label in paper) for paper in instance.key.papers]
    pool = [paper.units(include_headers) for paper in given.pool]
    for paper in restored:
        whole = next(units for units in pool if set(paper) <= set(units))
        assert paper == tuple(unit for unit in whole if unit in paper)
    kept = sum(map(len, restored))
    assert kept == len(text) == instance.task.facts["units"]


def test_consecutive_tasks_cover_the_corpus_and_then_come_round_again():
    tasks = list(islice(stream(), 2 * POOL))
    names = [task.task.facts["name"] for task in tasks]
    assert names[0] == "1-papers:0.0"
    assert names[POOL] == "1-papers:0.1"
    assert len(set(names)) == 2 * POOL
    first = [frozenset(row["text"] for row in rows(task)) for task in tasks]
    assert first[:POOL] == first[POOL:]
    assert len(set(first[:POOL])) == POOL
    assert rows(tasks[0]) != rows(tasks[POOL])


def test_a_task_depends_on_its_stream_and_index_alone():
    walked = list(islice(stream(max_papers=4, start=20), 6))[5]
    alone = made(seed=99, max_papers=4, index=25)
    assert walked == alone
    assert made(max_papers=4, index=25, stream_seed=1) != alone


def test_the_stream_is_lazy_and_ends_only_where_a_count_is_set():
    assert next(stream(start=10**15)).task.facts["index"] == 10**15
    assert len(list(stream(start=3, count=4))) == 4


def test_a_stream_of_one_index_is_asked_for_otherwise():
    with pytest.raises(ConfigurationError, match="start"):
        next(stream(index=5))


def test_a_seed_draws_an_index_within_start_and_count():
    drawn = {made(seed=s, start=100, count=3).task.facts["index"] for s in range(60)}
    assert drawn == {100, 101, 102}
    assert made(seed=8).task.facts["index"] == made(seed=8).task.facts["index"]


def test_the_number_of_papers_is_uniform_and_stated():
    counts = Counter()
    for instance in stream(min_papers=2, max_papers=4, count=600):
        counts[len(instance.key.papers)] += 1
        assert f"of {len(instance.key.papers)} whole research papers" in instance.task.brief
    assert sorted(counts) == [2, 3, 4]
    assert min(counts.values()) > 150


def test_papers_are_drawn_without_replacement():
    instance = made(min_papers=POOL, max_papers=POOL)
    assert len(instance.key.papers) == POOL


def test_the_order_shown_favours_no_place():
    firsts = Counter(instance.key.papers[0][0] for instance in stream(start=0, count=2000))
    share = sum(firsts[label] for label in range(1, 6)) / 2000
    assert 0.2 < share < 0.45


def test_a_source_restricts_the_pool_and_the_anchor_goes_round_in_it():
    for source in ("arxiv", "biorxiv"):
        pool = settings(source=source).pool
        assert {paper.source for paper in pool} == {source}
        (instance,) = stream(source=source, start=len(pool), count=1)
        assert instance.task.facts["name"] == "1-papers:0.1"


def test_a_text_that_occurs_twice_in_a_task_is_left_out_and_counted(tmp_path):
    shared = "This sentence stands in both papers."
    corpus = write_corpus(
        tmp_path / "c.jsonl", [("a", [shared, *plain(0)]), ("b", [*plain(1), shared])]
    )
    two = made(corpus=corpus, min_papers=2, max_papers=2)
    assert shared not in {row["text"] for row in rows(two)}
    assert two.task.facts["left_out"] == 2
    assert shared in {row["text"] for row in rows(made(corpus=corpus, index=0))}


def test_papers_that_repeat_each_other_are_drawn_again(tmp_path):
    corpus = write_corpus(
        tmp_path / "c.jsonl", [("a", plain(0)), ("a", plain(0)[::-1]), ("a", plain(2))]
    )
    for index in range(20):
        texts = rows(made(corpus=corpus, min_papers=2, max_papers=2, index=3 * index))
        assert len(texts) == 12


def test_a_corpus_that_only_repeats_itself_is_an_error_with_the_index(tmp_path):
    corpus = write_corpus(tmp_path / "c.jsonl", [("a", plain(0)), ("a", plain(0)[::-1])])
    with pytest.raises(GenerationError, match="stream seed 5, index 7"):
        made(corpus=corpus, min_papers=2, max_papers=2, stream_seed=5, index=7)


@pytest.mark.parametrize(
    ("chosen", "field"),
    [
        ({"min_papers": 3, "max_papers": 2}, "max_papers"),
        ({"min_papers": 3}, "max_papers"),
        ({"min_papers": 0}, "min_papers"),
        ({"max_papers": POOL + 1}, "max_papers"),
        ({"max_papers": "2"}, "max_papers"),
        ({"source": "nature"}, "source"),
        ({"corpus": "nowhere.jsonl"}, "corpus"),
        ({"corpus": 5}, "corpus"),
        ({"corpus": ""}, "corpus"),
        ({"corpus": "a" * 5000}, "corpus"),
        ({"corpus": "a\0b"}, "corpus"),
        ({"index": 2**63}, "index"),
        ({"start": 2**62}, "start"),
        ({"count": 2**65}, "count"),
        ({"stream_seed": 2**63}, "stream_seed"),
        ({"stream_seed": -1}, "stream_seed"),
        ({"on_error": "ignore"}, "on_error"),
        ({"reward_mode": "half"}, "reward_mode"),
        ({"index": -1}, "index"),
        ({"count": 0}, "count"),
        ({"level": 2}, "level"),
        ({"split": "test"}, "split"),
        ({"papers": 2}, "papers"),
    ],
)
def test_a_wrong_setting_is_an_error_at_construction_that_names_the_field(chosen, field):
    with pytest.raises(ValidationError) as caught:
        gym.make("Desks/deshuffle-v1", **chosen)
    assert field in {error["loc"][0] for error in caught.value.errors()}


def test_a_malformed_line_is_refused_or_skipped_as_the_setting_says(tmp_path):
    path = tmp_path / "c.jsonl"
    write_corpus(path, [("a", plain(n)) for n in range(3)])
    path.write_text(path.read_text() + "{broken\n")
    with pytest.raises(ValidationError, match="line 4"):
        settings(corpus=str(path))
    assert len(settings(corpus=str(path), on_error="skip").pool) == 3


def test_the_facts_name_corpus_revision_and_digest():
    facts = made().task.facts
    assert facts["corpus"] == "builtin"
    assert facts["corpus_revision"]
    assert len(facts["corpus_digest"]) == 64


@pytest.mark.parametrize("papers", [1, 2])
def test_the_brief_says_what_the_answer_is(papers):
    brief = made(min_papers=papers, max_papers=papers).task.brief
    assert "in reading order" in brief
    assert "Every label occurs exactly once" in brief
    assert ("[[3, 1, 4], [7, 2], [5, 8, 6]]" in brief) == (papers == 2)


def test_the_builtin_papers_do_not_move_without_a_new_revision():
    corpus = load_corpus("builtin")
    assert corpus.revision == "1"
    assert corpus.digest == "924833d58d0875efa30ef836daaa519c6d5c5b21ef9e149100076867591e47e4"


def test_there_are_as_many_papers_of_either_manner_each_of_12_to_30_paragraphs():
    papers = load_corpus("builtin").papers
    assert Counter(paper.source for paper in papers) == {"arxiv": 13, "biorxiv": 13}
    assert all(12 <= len(paper.units(include_headers=False)) <= 30 for paper in papers)
    assert all(len(paper.units(True)) > len(paper.units(False)) for paper in papers)


def test_instances_do_not_move_with_a_release():
    ids = [instance.task.instance_id for instance in stream(max_papers=3, count=3)]
    assert ids == ["59e6ccdbe7d323d3", "ee9d9606fc44078c", "b11d72a44ad50040"]
