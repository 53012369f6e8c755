"""The overlap script runs alone, in a folder of its own, and always answers with a partition."""

import hashlib
import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from importlib.resources import files
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

SCRIPT = files("gym_desks").joinpath("desks/deshuffle/overlap.py").read_text("utf-8")

BREAD = [
    "Sourdough bread rises because wild yeast in the dough makes gas, and gluten keeps the gas.",
    "The baker kneads the dough until the gluten is elastic and the yeast is spread evenly.",
    "A warm kitchen makes the yeast quick, and the dough doubles before the oven is hot.",
    "Steam in the oven keeps the crust soft while the loaf and its gluten still stretch.",
    "When the crust is brown the loaf leaves the oven, and the baker lets the bread cool.",
    "Flour with little gluten gives a flat loaf, however long the baker kneads the dough.",
]
SAILS = [
    "A sailing boat tacks against the wind, and its keel turns the sideways push into speed.",
    "The helmsman watches the sail, for a loose sail flutters when the boat points to the wind.",
    "Under a strong wind the crew reefs the sail, and the mast carries less of the load.",
    "The keel gives the hull its grip, and without a keel the boat drifts with the wind.",
    "Waves slow the hull, so the helmsman steers the boat around the crest of each of the waves.",
    "At the harbour the crew lowers the sail, ties the hull to the pier and checks the mast.",
]
ARGUMENT = [
    "In recent decades many tidal lagoons have been planned, yet the field lacks a common measure.",
    "In this paper we introduce the basin exchange model (BEM), which aims to compare lagoons.",
    "The BEM divides a lagoon into cells. Let each exchange water through a slot called gatelet.",
    "Each gatelet opens at the turn of the tide. We solve for its mean daily flow (MDF).",
    "Figure 1 shows that the MDF of the BEM lies 3.1 per cent below the flow that was measured.",
    "Figure 2 compares three lagoons, and the MDF was 12.5 per cent higher with narrow slots.",
    "This suggests an explanation by friction, and our findings are consistent with the evidence.",
    "In conclusion, the BEM ranks lagoons. Its limitations are left for future work.",
]
ODD = {
    "empty": [""] * 7,
    "blank": [" ", "\t", "\n", "\u2028", "\u3000", "", "\x85"],
    "identical": ["The same words stand here."] * 7,
    "signs only": ["?!", "...", "---", "$$", "{}", "(1)", "\\"],
    "unspaced": ["潮汐发电", "潮汐模型", "模型的结果", "面包和酵母", "酵母发酵", "面包好", "结论"],
    "non-latin": ["Прилив и лагуна", "Лагуна и модель", "خبز وخميرة", "خميرة", "ψωμί", "נהר", "น้ำ"],
    "ordinary": [*ARGUMENT[:4], *BREAD[:3]],
}


def sort(folder: Path, texts: Sequence[str], papers: int, hash_seed: int = 0) -> Any:
    """Run the script on these texts, labelled from 1, and return the answer it prints last."""
    rows = (json.dumps({"label": i, "text": t}, ensure_ascii=False) for i, t in enumerate(texts, 1))
    (folder / "paragraphs.jsonl").write_bytes("\n".join([*rows, ""]).encode())
    done = subprocess.run(
        [sys.executable, "-W", "error", "-"],
        input=f"PAPERS = {papers}\n{SCRIPT}".encode(),
        cwd=folder,
        env={"PYTHONHASHSEED": str(hash_seed)},
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()
    assert done.stderr == b""
    return json.loads(done.stdout.decode().splitlines()[-1])


def assert_valid(answer: Any, units: int, papers: int) -> None:
    """Hold the answer to the form of its count of papers: every label once, no empty list."""
    groups = [answer] if papers == 1 else answer
    assert len(groups) == min(papers, units)
    assert all(groups)
    labels = [label for group in groups for label in group]
    assert all(type(label) is int for label in labels)
    assert sorted(labels) == list(range(1, units + 1))


def shuffled(texts: Sequence[str], seed: int) -> list[str]:
    """Return the texts in another order."""
    return sorted(texts, key=lambda text: hashlib.sha256(f"{seed}:{text}".encode()).digest())


def concordance(order: Sequence[str], truth: Sequence[str]) -> float:
    """Return the share of pairs that stand as in the truth."""
    pairs = list(combinations([truth.index(text) for text in order], 2))
    return sum(first < second for first, second in pairs) / len(pairs)


@pytest.mark.parametrize("papers", [1, 2, 3, 4])
@pytest.mark.parametrize("kind", ODD)
def test_any_texts_give_a_valid_partition(tmp_path: Path, kind: str, papers: int) -> None:
    assert_valid(sort(tmp_path, ODD[kind], papers), len(ODD[kind]), papers)


@pytest.mark.parametrize(("units", "papers"), [(1, 1), (2, 1), (1, 2), (2, 2), (3, 3), (3, 20)])
def test_few_texts_give_a_valid_partition(tmp_path: Path, units: int, papers: int) -> None:
    assert_valid(sort(tmp_path, ARGUMENT[:units], papers), units, papers)


@settings(max_examples=20, deadline=None)
@given(texts=st.lists(st.text(max_size=60), min_size=1, max_size=9), papers=st.integers(1, 4))
def test_no_text_breaks_the_script(texts: list[str], papers: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        assert_valid(sort(Path(folder), texts, papers), len(texts), papers)


@pytest.mark.parametrize("papers", [1, 2])
def test_the_answer_does_not_depend_on_the_hash_seed(tmp_path: Path, papers: int) -> None:
    texts = shuffled([*ARGUMENT, *BREAD, *SAILS], seed=5)
    answers = [sort(tmp_path, texts, papers, hash_seed) for hash_seed in (0, 1, 4242)]
    assert answers[0] == answers[1] == answers[2]


def test_without_a_count_the_script_sorts_one_paper(tmp_path: Path) -> None:
    rows = (json.dumps({"label": i, "text": text}) for i, text in enumerate(ARGUMENT, 1))
    (tmp_path / "paragraphs.jsonl").write_text("\n".join(rows), "utf-8")
    done = subprocess.run(
        [sys.executable, "-"], input=SCRIPT.encode(), cwd=tmp_path, capture_output=True, check=True
    )
    assert_valid(json.loads(done.stdout), len(ARGUMENT), 1)


@pytest.mark.parametrize("seed", range(3))
def test_two_topics_are_separated(tmp_path: Path, seed: int) -> None:
    texts = shuffled([*BREAD, *SAILS], seed)
    answer = sort(tmp_path, texts, 2)
    groups = sorted(sorted(texts[label - 1] for label in group) for group in answer)
    assert groups == sorted([sorted(BREAD), sorted(SAILS)])


@pytest.mark.parametrize("seed", range(3))
def test_a_paper_is_ordered_by_its_cues(tmp_path: Path, seed: int) -> None:
    texts = shuffled(ARGUMENT, seed)
    order = [texts[label - 1] for label in sort(tmp_path, texts, 1)]
    assert order[-1] == ARGUMENT[-1]
    assert concordance(order, ARGUMENT) >= 0.8


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Water moves by tidal lift (TL).", "Any rise in TL doubles the yield of the lagoon."),
        ("Cells meet at a slot called gatelet.", "In this paper a gatelet is important."),
        ("The yield is drawn in Figure 2.", "The same yield by month is drawn in Figure 10."),
        ("The lagoon is an important source of power.", "In conclusion, the lagoon gives power."),
    ],
    ids=["abbreviation", "named term", "figure numbers", "opening and closing"],
)
def test_one_cue_decides_between_two_texts(tmp_path: Path, first: str, second: str) -> None:
    filler = "Nothing here bears on anything at all; it stands between."
    assert_in_order(sort(tmp_path, [first, filler, second], 1), 1, 3)
    assert_in_order(sort(tmp_path, [second, filler, first], 1), 3, 1)


def assert_in_order(order: Sequence[int], earlier: int, later: int) -> None:
    """Hold one label to a place before another."""
    assert order.index(earlier) < order.index(later)


@pytest.mark.parametrize("swap", [False, True])
def test_a_heading_stands_before_the_text_it_names(tmp_path: Path, swap: bool) -> None:
    texts = ["Gatelet hydraulics", "Gatelet hydraulics is an important field.", *BREAD]
    answer = sort(tmp_path, texts[::-1] if swap else texts, 1)
    heading, body = (len(texts), len(texts) - 1) if swap else (1, 2)
    assert_in_order(answer, heading, body)


def test_the_script_imports_the_standard_library_alone() -> None:
    imported = [
        line.split()[1].split(".")[0]
        for line in SCRIPT.splitlines()
        if line.startswith(("import ", "from "))
    ]
    assert imported
    assert set(imported) <= sys.stdlib_module_names
