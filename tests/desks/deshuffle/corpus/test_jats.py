"""Articles in JATS: every `<p>` is accounted for, and nothing is fetched or expanded."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gym_desks.errors import CorpusError

pytest.importorskip("lxml")

from gym_desks.desks.deshuffle.corpus.jats import read_jats
from gym_desks.desks.deshuffle.corpus.sections import JOINED, OUTSIDE

NAMESPACES = (
    'xmlns:mml="http://www.w3.org/1998/Math/MathML" xmlns:xlink="http://www.w3.org/1999/xlink"'
)
TEX = r"<tex-math>\documentclass{minimal}\begin{document}$$x^2$$\end{document}</tex-math>"
FRONT = """<front><article-meta>
<article-id pub-id-type="doi">10.1/x</article-id>
<title-group><article-title>On <italic>tides</italic></article-title></title-group>
<contrib-group><contrib contrib-type="author"><name><surname>Moon</surname>
<given-names>A</given-names></name></contrib><contrib contrib-type="editor"><name>
<surname>Sun</surname></name></contrib>
</contrib-group><permissions><license>
<ext-link xlink:href="http://creativecommons.org/licenses/by/4.0/"/></license></permissions></article-meta></front>"""


@pytest.fixture(scope="session")
def read(tmp_path_factory):
    path = tmp_path_factory.mktemp("jats") / "article.xml"

    def from_body(body, doctype=""):
        path.write_text(
            f"{doctype}<article {NAMESPACES}>{FRONT}<body>{body}</body>"
            "<back><ack><p>thanks</p></ack></back>"
            "<sub-article><body><p>a letter</p></body></sub-article></article>",
            encoding="utf-8",
        )
        return read_jats(path)

    return from_body


def units(article):
    return [(unit.kind, unit.text, unit.reason) for unit in article.units]


def test_the_front_says_who_the_article_is(read):
    article = read("<p>Text</p>")
    assert article.title == "On tides"
    assert article.license == "CC-BY-4.0"
    assert article.attribution == "A Moon, On tides, https://doi.org/10.1/x"


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (
            "<p>As <xref>Moon, 2001</xref> said<sup><xref>5</xref></sup>.</p>",
            "As Moon, 2001 said5.",
        ),
        ("<p>One\n  <bold>two</bold><!-- no --> three<?pi?>.</p>", "One two three."),
        ("<p>See<fn><p>a footnote</p></fn> here.</p>", "See here."),
        ("<p>A<fig><label>1</label><caption><p>cap</p></caption></fig>B</p>", "AB"),
        ("<p>Of<list><list-item><p>one</p></list-item></list>and on.</p>", "Of one and on."),
        (
            "<p>So <inline-formula><alternatives><graphic/><mml:math><mml:mi>m</mml:mi></mml:math>"
            + TEX
            + "</alternatives></inline-formula>.</p>",
            "So $$x^2$$.",
        ),
        ("<p>So <mml:math><mml:mi>m</mml:mi><mml:mo>=</mml:mo></mml:math>.</p>", "So m=."),
        ("<p>So <tex-math>y</tex-math>.</p>", "So $y$."),
    ],
)
def test_running_text_keeps_its_order_and_drops_what_is_set_apart(body, text, read):
    assert read(body).units[0].text == text


def test_sections_give_headings_of_their_depth(read):
    article = read(
        "<p>lead</p><sec><label>1</label><title>A</title><p>a</p>"
        "<sec><title>B</title><p>b</p></sec></sec>"
    )
    assert [(u.kind, u.text, u.level) for u in article.units] == [
        ("paragraph", "lead", 0),
        ("heading", "A", 1),
        ("paragraph", "a", 0),
        ("heading", "B", 2),
        ("paragraph", "b", 0),
    ]


SET_APART = {
    "fig": "figure",
    "table-wrap": "table",
    "boxed-text": "box",
    "supplementary-material": "supplement",
    "fn-group": "footnote",
    "ack": OUTSIDE,
}


@pytest.mark.parametrize("tag", SET_APART)
def test_what_is_set_apart_is_counted_under_its_reason(tag, read):
    article = read(f"<p>a</p><{tag}><caption><p>b</p></caption></{tag}><p>c</p>")
    assert units(article) == [
        ("paragraph", "a", ""),
        ("paragraph", "b", SET_APART[tag]),
        ("paragraph", "c", ""),
    ]


def test_lists_quotations_and_formulas_beside_paragraphs(read):
    article = read(
        "<list><list-item><label>1</label><p>one</p></list-item></list>"
        "<disp-quote><p>quoted</p></disp-quote><disp-formula><label>(1)</label>"
        "<tex-math>x</tex-math></disp-formula>"
        "<def-list><def-item><term>t</term><def><p>d</p></def></def-item></def-list>"
    )
    assert units(article) == [
        ("item", "one", ""),
        ("paragraph", "quoted", ""),
        ("formula", "$x$", ""),
        ("item", "t", ""),
        ("item", "d", ""),
    ]


def test_a_section_type_outside_the_body_closes_it(read):
    article = read('<p>a</p><sec sec-type="supplementary-material"><title>S1</title><p>b</p></sec>')
    assert units(article)[1:] == [("heading", "S1", OUTSIDE), ("paragraph", "b", OUTSIDE)]
    assert [u.reason for u in read('<sec sec-type="materials|methods"><p>a</p></sec>').units] == [
        ""
    ]


ELEMENTS = st.recursive(
    st.sampled_from(["<p>text</p>", "text", "<xref>1</xref>", "<disp-formula/>", "<!-- c -->"]),
    lambda inner: st.builds(
        lambda tag, parts: f"<{tag}>{''.join(parts)}</{tag}>",
        st.sampled_from(
            ["p", "sec", "fig", "caption", "list", "list-item", "fn", "sub", "unknown"]
        ),
        st.lists(inner, max_size=3),
    ),
    max_leaves=20,
)


@given(st.lists(ELEMENTS, max_size=5).map("".join))
def test_every_paragraph_of_any_body_is_a_unit_with_or_without_a_reason(read, body):
    article = read(body)
    there = sum(1 for _ in ET.fromstring(f"<body>{body}</body>").iter("p"))
    assert sum(unit.kind in {"paragraph", "item"} for unit in article.units) == there


@given(st.lists(ELEMENTS, max_size=5).map("".join))
def test_no_text_is_told_twice(read, body):
    number = count()
    marked = re.sub("text", lambda _: f"word{next(number)}.", body)
    units = [unit for unit in read(marked).units if unit.reason in {"", "figure", "caption"}]
    words = re.findall(r"word\d+\.", " ".join(unit.text for unit in units))
    assert len(words) == len(set(words))


def test_paragraphs_inside_a_paragraph_are_joined_or_left_out(read):
    article = read("<p>a<list><list-item><p>b</p></list-item></list><fn><p>c</p></fn></p>")
    assert [unit.reason for unit in article.units] == ["", JOINED, "footnote"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("<article><front/></article>", "has no <body>"),
        ("<article><sub-article><body><p>x</p></body></sub-article></article>", "has no <body>"),
        ("<html/>", "holds 0 <article> elements"),
        ("<set><article/><article/></set>", "holds 2 <article> elements"),
        ("<article><body><p>x</body></article>", "not well-formed"),
        ("", "not well-formed"),
        ("<article><body><p>\x00</p></body></article>", "not well-formed"),
        ("<article>" + "<sec>" * 3000, "not well-formed"),
    ],
)
def test_what_is_no_article_is_refused(text, reason, tmp_path):
    path = tmp_path / "bad.xml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(CorpusError, match=reason):
        read_jats(path)


def test_an_article_inside_a_set_and_a_namespace_is_found(tmp_path):
    path = tmp_path / "set.xml"
    path.write_text(
        '\ufeff<set><article xmlns="http://jats.example"><body><p>x</p></body></article></set>',
        encoding="utf-8",
    )
    assert [unit.text for unit in read_jats(path).units] == ["x"]


def test_named_characters_are_known_without_a_dtd(read):
    doctype = '<!DOCTYPE article PUBLIC "x" "http://127.0.0.1:9/jats.dtd">'
    assert read("<p>a&nbsp;&mdash;&#233;</p>", doctype).units[0].text == "a —é"


@pytest.mark.parametrize("place", ["<p>&e;</p>", "<sec><title>&e;</title></sec>", "<fig>&e;</fig>"])
def test_an_external_entity_is_never_opened(place, read, tmp_path):
    secret = tmp_path / "secret.txt"
    secret.write_text("the secret", encoding="utf-8")
    doctype = f'<!DOCTYPE article [<!ENTITY e SYSTEM "{secret.as_uri()}">]>'
    try:
        told = str(read(place, doctype))
    except CorpusError as error:
        told = str(error)
        assert "&e;" in told
    assert "secret" not in told


def test_an_entity_of_the_files_own_is_refused(read):
    with pytest.raises(CorpusError, match="the entity &own; is not a named character"):
        read("<p>&own;</p>", "<!DOCTYPE article [<!ENTITY own 'text'>]>")


def test_a_comment_that_looks_like_an_entity_is_a_comment(read):
    assert read("<p>a<!--&own;-->b</p>").units[0].text == "ab"


def test_entities_are_never_multiplied(read):
    laughs = "".join(f"<!ENTITY l{n} '{f'&l{n - 1};' * 10}'>" for n in range(1, 12))
    with pytest.raises(CorpusError):
        read("<p>&l11;</p>", f"<!DOCTYPE article [<!ENTITY l0 'ha'>{laughs}]>")


def test_entities_are_not_multiplied_in_attributes_either(read):
    laughs = "".join(f"<!ENTITY l{n} '{f'&l{n - 1};' * 10}'>" for n in range(1, 12))
    doctype = f"<!DOCTYPE article [<!ENTITY l0 'ha'>{laughs}]>"
    with pytest.raises(CorpusError, match="not well-formed"):
        read('<sec sec-type="&l11;"><p>x</p></sec>', doctype)
