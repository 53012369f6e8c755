"""What counts as body, what joins what, and that no unit gets lost."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gym_desks.desks.deshuffle.corpus.sections import (
    BARE,
    EMPTY,
    OUTSIDE,
    SHORT_ITEM,
    WORDLESS,
    Unit,
    is_body,
    poor,
    selected,
)


@pytest.mark.parametrize(
    "heading",
    [
        "References",
        "References and notes",
        "7. References",
        "VII. REFERENCES",
        "Bibliography",
        "Literature Cited",
        "Acknowledgements",
        "Acknowledgment",
        "Acknowledgements and funding",
        "Funding",
        "Funding statement:",
        "Financial disclosure",
        "Author contributions",
        "Authors’ contributions",
        "Author Contributions Statement",
        "CRediT authorship contribution statement",
        "Competing interests",
        "Conflict of interest",
        "Declaration of competing interest",
        "Declaration of Conflicting Interests",
        "Declarations",
        "Disclosures",
        "Supplementary material",
        "Supplemental Figures",
        "Supporting Information",
        "Additional files",
        "Data availability",
        "Data and code availability statement",
        "Code Availability",
        "Availability of data and materials",
        "Accession numbers",
        "Ethics statement",
        "Consent for publication",
        "Appendix",
        "Appendix A: Proofs",
        "Appendices",
        "Abstract",
        "Keywords",
        "Abbreviations",
        "License",
        "COI statement",
        "Funding and acknowledgements",
        "Consent to participate",
    ],
)
def test_sections_around_the_body(heading):
    assert not is_body(heading)


@pytest.mark.parametrize(
    "heading",
    [
        "",
        "Introduction",
        "1 Introduction",
        "Summary",
        "Our contributions",
        "Reference materials",
        "A funding bias in trials",
        "Data",
        "Limits of data availability",
        "Software",
        "Additional experiments",
        "Supplementation with zinc",
        "Ethical dilemmas",
        "Methods and materials",
        "Seasonal availability of prey",
        "Declarative models",
        "Interests that compete",
        "Availability of prey",
        "Supporting cells of the cochlea",
        "Funding cycles of medieval guilds",
        "License plates at night",
        "COI barcoding",
        "Consent to treatment",
        "Data availability in the tropics",
    ],
)
def test_sections_of_the_body(heading):
    assert is_body(heading)


def texts(units):
    blocks, _ = selected(units)
    return [block.text for block in blocks]


@pytest.fixture
def body(paragraphs):
    return [Unit("paragraph", text) for text in paragraphs(6)]


def test_a_closed_section_ends_at_the_next_heading_of_its_level(body):
    back = [
        Unit("heading", "Supplementary material", 2),
        Unit("paragraph", "gone"),
        Unit("heading", "Details", 3),
        Unit("paragraph", "gone too"),
        Unit("heading", "Discussion", 2),
    ]
    blocks, left = selected([*body[:3], *back, *body[3:]])
    assert [block.text for block in blocks] == [
        *(unit.text for unit in body[:3]),
        "Discussion",
        *(unit.text for unit in body[3:]),
    ]
    assert left == {OUTSIDE: 4}


def test_a_formula_and_what_goes_on_after_it_join_the_paragraph_before(body):
    formula = Unit("formula", "$$a = b$$")
    going_on = Unit("paragraph", "where b is the height of the tide")
    kept = texts([body[0], formula, going_on, *body[1:]])
    assert kept[0] == f"{body[0].text} $$a = b$$ where b is the height of the tide"
    assert kept[1:] == [unit.text for unit in body[1:]]
    assert texts([body[0], formula, *body[1:]])[1] == body[1].text


def test_short_lists_join_their_lead_in_and_long_items_stand_alone(body):
    short = [Unit("item", "a first small thing"), Unit("item", "a second small thing")]
    kept = texts([*body, *short])
    assert kept[-1] == f"{body[-1].text} a first small thing a second small thing"
    long = [Unit("item", "a long thing " * (SHORT_ITEM // 10)) for _ in range(2)]
    assert len(texts([*body, *long])) == 8


def test_numbers_in_front_of_headings_go_and_levels_start_at_one(body):
    numbered = [
        Unit("heading", "2.1 Sites", 3),
        body[0],
        Unit("heading", "IV. Tides", 2),
        body[1],
        Unit("heading", "B. Moon", 2),
        body[2],
        Unit("heading", "3D maps of a flat", 2),
        body[3],
        Unit("heading", "A price that moves", 2),
        body[4],
        Unit("heading", "E. coli and 2 Hz", 2),
        body[5],
    ]
    blocks, _ = selected(numbered)
    headings = [(block.text, block.level) for block in blocks if block.kind == "heading"]
    assert headings == [
        ("Sites", 2),
        ("Tides", 1),
        ("Moon", 1),
        ("3D maps of a flat", 1),
        ("A price that moves", 1),
        ("E. coli and 2 Hz", 1),
    ]


def test_headings_with_nothing_under_them_go(body):
    units = [
        Unit("heading", "Results", 1),
        Unit("heading", "Empty", 2),
        Unit("heading", "Full", 2),
        *body,
        Unit("heading", "Outlook", 1),
    ]
    blocks, left = selected(units)
    assert [block.text for block in blocks][:2] == ["Results", "Full"]
    assert left == {BARE: 2}


def test_each_reason_is_counted(body):
    extra = [
        Unit("paragraph", " "),
        Unit("paragraph", "* * *"),
        Unit("paragraph", "a caption", reason="figure"),
        Unit("heading", "Funding", 1),
    ]
    _, left = selected([*body, *extra])
    assert left == {EMPTY: 1, WORDLESS: 1, "figure": 1, OUTSIDE: 1}


POOR = {
    "fewer than 5 paragraphs": lambda texts: texts[:4],
    "characters on average": lambda texts: [text[:60] for text in texts],
    "letters": lambda texts: [f"{text} {'0.13 | ' * 40}" for text in texts],
    "markup": lambda texts: [*texts[:-1], rf"{texts[-1]} \begin{{tabular}} and \cite{{x}}"],
}


@pytest.mark.parametrize("fault", POOR)
def test_a_poor_extraction_goes_as_a_whole_and_says_why(fault, paragraphs):
    units = [Unit("paragraph", text) for text in POOR[fault](paragraphs(6))]
    blocks, left = selected(units)
    assert blocks == ()
    (reason,) = left
    assert fault in reason
    assert left[reason] == len(units)


def test_formulas_are_no_stray_markup(paragraphs):
    math = r"$$\begin{aligned} a &= b \end{aligned}$$ and $x<p>y$"
    blocks, _ = selected([Unit("paragraph", f"{text} {math}") for text in paragraphs(6)])
    assert not poor(blocks)
    assert len(blocks) == 6


UNITS = st.builds(
    Unit,
    st.sampled_from(["heading", "paragraph", "item", "formula"]),
    st.sampled_from(["", " ", "References", "Results", "a small thing", "$$x$$", "long " * 60]),
    st.integers(1, 4),
    st.sampled_from(["", "", "", "figure"]),
)


@given(st.lists(UNITS, max_size=30))
def test_units_in_are_units_out_and_reasons(units):
    blocks, left = selected(units)
    assert len(units) == len(blocks) + left.total()
    assert all(block.text for block in blocks)
    assert not blocks or blocks[-1].kind == "paragraph"
