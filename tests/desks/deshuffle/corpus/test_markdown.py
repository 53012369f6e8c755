"""Articles in Markdown."""

from __future__ import annotations

import pytest

from gym_desks.desks.deshuffle.corpus.markdown import read_markdown


@pytest.fixture
def read(tmp_path):
    def from_text(text):
        path = tmp_path / "article.md"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return read_markdown(path)

    return from_text


def kept(article):
    return [unit.text for unit in article.units if not unit.reason]


def reasons(article):
    return [unit.reason for unit in article.units if unit.reason]


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("Wrapped\nlines *are* __joined__.", "Wrapped lines are joined."),
        ("A [link](http://example.org) and `code`.", "A link and code."),
        ("Tides rise [@moon2001; @sun1999, p. 3].", "Tides rise."),
        ("Tides rise [see @moon2001] twice[^1].", "Tides rise twice."),
        (
            "As @moon2001 shows in Figure \\ref{fig:high_tide}.",
            "As moon2001 shows in Figure high_tide.",
        ),
        ("Of $a_1 * b_2 * c$ and $\\{x\\}$.", "Of $a_1 * b_2 * c$ and $\\{x\\}$."),
        ("It costs $5 and then $6.", "It costs $5 and then $6."),
        ("Escaped \\*stars\\* &amp; dashes", "Escaped *stars* & dashes"),
        ("Line<br>break and <b>bold</b>", "Linebreak and bold"),
        ("In $[@x]$ the brackets stay", "In $[@x]$ the brackets stay"),
        ("> a quotation", "a quotation"),
        ("An interval [0, 1] stays", "An interval [0, 1] stays"),
    ],
)
def test_inline_markup_becomes_its_text(source, text, read):
    assert kept(read(source)) == [text]


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("```\ncode\n```", "code"),
        ("    code", "code"),
        ("![caption](figure.png){width=50%}", "figure"),
        ("| a | b |\n|---|---|\n| 1 | 2 |", "table"),
        ("<div>raw</div>", "raw markup"),
        ("<!-- a note -->", "raw markup"),
        ("[^1]: A footnote of several words.", "footnote"),
    ],
)
def test_what_is_no_running_text_is_left_out_with_a_reason(source, reason, read):
    article = read(source)
    assert reasons(article) == [reason]
    assert kept(article) == []


def test_kinds_of_units(read):
    article = read("## Head {#sec:a}\n\nText:\n\n- one\n- two\n\n$$\na = b\n$$\n\nEnd.")
    assert [(unit.kind, unit.text, unit.level) for unit in article.units] == [
        ("heading", "Head", 2),
        ("paragraph", "Text:", 0),
        ("item", "one", 0),
        ("item", "two", 0),
        ("formula", "$$\na = b\n$$", 0),
        ("paragraph", "End.", 0),
    ]


def test_front_matter_says_who_the_article_is(read):
    article = read(
        "---\ntitle: 'T: u'\nid: x\nlicense: CC0-1.0\nsource: own\n---\n\n# Head\n\nText"
    )
    assert (article.title, article.paper_id, article.license) == ("T: u", "x", "CC0-1.0")
    assert kept(article) == ["Head", "Text"]


def test_a_first_heading_is_the_title_where_nothing_else_is(read):
    article = read("# The title\n\nText")
    assert article.title == "The title"
    assert kept(article) == ["Text"]
    assert reasons(article) == ["title"]


def test_windows_files_are_read(read):
    article = read("\ufeff---\r\ntitle: T\r\n---\r\nOne\r\nline\r\n\r\nTwo\r\n")
    assert (article.title, kept(article)) == ("T", ["One line", "Two"])
