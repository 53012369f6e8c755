"""Sort shuffled paragraphs back into papers by shared words and by cues of the prose.

This file is a script: it is read as text, one line `PAPERS = <count>` is put before it, and it
runs where `paragraphs.jsonl` lies. Its last printed line is the answer in JSON: a flat list of
labels for one paper, a list of lists for several.

Texts that share rare words go together; within a paper wording, definitions, numbered figures
and likeness to the neighbours say who comes first. The script knows how research papers are
usually written and holds no text of any.

Rules: the standard library alone, Python 3.9 or later, and no randomness: the same paragraphs
give the same answer everywhere.
"""

# ruff: noqa: B905 -- zip() knows no `strict` before Python 3.10

import json
import math
import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

PAPERS: int = globals().get("PAPERS", 1)

Table = list[list[float]]
Cues = list[tuple[float, re.Pattern[str]]]

HEADING_WORDS = 9  # a longer text is a paragraph, whatever its last character
NEIGHBOURS = 5  # how many of the nearest texts are blended into each before grouping
STARTS, ROUNDS = 6, 15  # of k-means, and rounds of moves: more of them changes almost nothing
FIRM = 2.0  # a definition or a figure's number outweighs any wording, which counts 1 at most
PULL = 2.0  # likeness of neighbours against precedence: it settles close calls only


def compiled(*cues: tuple[float, str]) -> Cues:
    """Compile weighted patterns; case never matters."""
    return [(weight, re.compile(pattern, re.IGNORECASE)) for weight, pattern in cues]


# How strongly a phrase speaks for an early (+) or a late (-) place, twice at most in one text.
# The sizes are coarse on purpose: 1 is a habit of most papers, less is a leaning.
CUES = compiled(
    # what the paper is about, and why
    (1.0, r"\bin this (paper|article|work|study)|\b(we|here,? we) (present|introduce|propose)\b"),
    (0.8, r"^[^.]{0,90}\b(is|are) (an?|the|one|widely|often|usually|typically|important)\b"),
    (0.6, r"\b(recent|recently|decades?|years|centur(y|ies)|increasingly|rapidly|growing)\b"),
    (0.4, r"\b(field|community|researchers|scientists|important|essential|crucial|widely)\b"),
    (0.3, r"\b(usual|usually|many|most|often|common|commonly|typically|natural|known)\b"),
    (0.3, r"\b(despite|lacks?|gap|existing|unknown|unclear|challeng\w+|motivat\w+)\b|\?"),
    (0.4, r"\b(aims?|goals?|purpose|provides?|enables?|designed to)\b"),
    # how it was done, and what came out
    (0.3, r"\b(is|are)\b"),
    (0.2, r"\b(let|suppose|consider|denotes?|defined?|called|assume[sd]?|consists? of)\b"),
    (-0.3, r"\b(figures?|fig|tables?|shown|results?|example|compar\w+|performance)\b"),
    (-0.3, r"\d\.\d|%|\bper ?cent\b"),
    # what it means, and what is left
    (-0.4, r"\b(suggests?|explanations?|evidence|interpret\w+|implications?|consistent with)\b"),
    (-0.4, r"\b(our (results|findings)|rival|alternative explanation|ablations?|controls?)\b"),
    (-0.5, r"\b(limit(ation)?s?|restrictions?|caveats?|caution|future|further work|beyond)\b"),
    (-1.0, r"\b(in conclusion|to conclude|(we|i) (conclude|close)|in summary|taken together)\b"),
    (-0.8, r"\b(licen[cs]e\w*|available (at|on|from|under)|github|installed|acknowledge\w*)\b"),
    # an opening that leans on the text before
    (-0.4, r"^(this|these|those|such|it|they|both|another|also|moreover|furthermore|finally)\b"),
    (-0.4, r"^(in addition|additionally|similarly|second|third|then|next|lastly|however)\b"),
    (-0.4, r"^(thus|therefore|hence|as a result|in contrast|for (example|instance)|a last)\b"),
)
SECTIONS = compiled(
    (3.0, r"\b(summary|abstract|overview|introduction|background|motivation)\b"),
    (2.0, r"\b(need|related|state of the|previous|prior)\b"),
    (0.5, r"\b(methods?|materials|theory|model|approach|design|implementation|features)\b"),
    (-0.5, r"\b(results?|experiments?|evaluation|examples?|usage|performance|applications?)\b"),
    (-2.0, r"\b(discussion|limitations|future|outlook|availability|impact|research)\b"),
    (-3.0, r"\b(conclu\w+|acknowledge?ments?|appendix|references)\b"),
)
WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
PLURAL = re.compile(r"(?<=\w\w[^\Ws])s$")
UNSPACED = re.compile(r"[\u2e80-\u9fff]")
NUMBERED = re.compile(r"\b(fig|table|eq|section|algorithm|theorem)\w*\.?\s*\(?(\d{1,4})\b", re.I)
SHORTENED = re.compile(r"\(([A-Za-z][\w-]*[A-Z][\w-]*?)s?\)")
CALLED = re.compile(
    r"\b(?:call(?:ed)?|named|termed|dubbed|known as|refer(?:red)? to as)\b"
    r"(?: it| this| these| them| the| an?)*[ “\"'‘`{$]+(\w[\w-]+)"
)


class Signs(NamedTuple):
    """What one text shows about its place in a paper."""

    early: float
    numbers: dict[str, int]
    terms: set[str]
    words: set[str]


def words(text: str) -> list[str]:
    """Return the words, lower case and without plural s; unspaced scripts as pairs of signs."""
    found: list[str] = []
    for word in WORD.findall(text.lower()):
        if UNSPACED.search(word):
            found += [word[i : i + 2] for i in range(max(1, len(word) - 1))]
        else:
            found.append(PLURAL.sub("", word))
    return found


def similarities(texts: Sequence[str]) -> Table:
    """Return the cosines between all texts, each word weighted by how rare it is."""
    counts = [Counter(words(text)) for text in texts]
    spread = Counter(word for count in counts for word in count)
    holders = defaultdict(list)
    for i, count in enumerate(counts):
        weights = {
            word: (1 + math.log(times)) * math.log(len(texts) / spread[word])
            for word, times in count.items()
            if 1 < spread[word] < len(texts)
        }
        norm = math.sqrt(sum(weight * weight for weight in weights.values()))
        for word, weight in weights.items():
            holders[word].append((i, weight / norm))
    table = [[0.0] * len(texts) for _ in texts]
    for entries in holders.values():
        for i, a in entries:
            row = table[i]
            for j, b in entries:
                row[j] += a * b
    return table


def blended(table: Table) -> Table:
    """Return the cosines after each text took in its nearest: a topic chains, it seldom repeats."""
    size = range(len(table))
    mixes = []
    for i, row in enumerate(table):
        near = sorted((j for j in size if j != i), key=lambda j: (-table[i][j], j))[:NEIGHBOURS]
        mixes.append([(i, 1.0)] + [(j, 1.5 * row[j]) for j in near])
    half = [[sum(a * row[k] for k, a in mix) for row in table] for mix in mixes]
    full = [[sum(a * row[k] for k, a in mix) for mix in mixes] for row in half]
    norms = [math.sqrt(full[i][i]) or 1.0 for i in size]
    return [[full[i][j] / (norms[i] * norms[j]) for j in size] for i in size]


def seeds(table: Table, first: int, count: int) -> list[int]:
    """Choose texts that are central and yet unlike each other, starting with `first`."""
    central = [sum(row) for row in table]
    nearest = list(table[first])
    chosen = [first]
    while len(chosen) < count:
        rest = [i for i in range(len(table)) if i not in chosen]
        chosen.append(max(rest, key=lambda i: central[i] * max(0.0, 1 - nearest[i]) ** 4))
        nearest = [max(pair) for pair in zip(nearest, table[chosen[-1]])]
    return chosen


def settle(table: Table, chosen: list[int]) -> tuple[float, list[list[int]]]:
    """Run k-means from these seeds; return how well the groups fit, and the groups."""
    groups = [[seed] for seed in chosen]
    fit = 0.0
    for _ in range(ROUNDS):
        pulls = []
        for group in groups:
            sums = [sum([row[j] for j in group]) for row in table]
            norm = math.sqrt(sum(sums[i] for i in group)) or 1.0
            pulls.append([total / norm for total in sums])
        fit = sum(map(max, zip(*pulls)))
        settled, groups = groups, [[] for _ in groups]
        for i, forces in enumerate(zip(*pulls)):
            groups[forces.index(max(forces))].append(i)
        if groups == settled:
            break
    return fit, groups


def cluster(texts: Sequence[str], count: int) -> list[list[int]]:
    """Split the texts' indices into `count` groups, or fewer when there are fewer texts."""
    count = min(count, len(texts))
    if count < 2:
        return [list(range(len(texts)))]
    table = blended(blended(similarities(texts)))
    starts = sorted(range(len(texts)), key=lambda i: (-sum(table[i]), i))[:STARTS]
    trials = [settle(table, seeds(table, start, count)) for start in starts]
    groups = max(trials, key=lambda trial: (all(trial[1]), trial[0]))[1]
    for group in groups:
        if not group:
            group.append(max(groups, key=len).pop())
    return groups


def is_heading(text: str) -> bool:
    """Tell a heading from a paragraph: it is short and ends without a stop."""
    return 0 < len(text.split()) <= HEADING_WORDS and text.rstrip()[-1] not in ".:;!"


def earliness(text: str) -> float:
    """Return how strongly the wording alone speaks for an early place."""
    if is_heading(text):
        return sum(weight for weight, name in SECTIONS if name.search(text))
    cues = sum(weight * min(2, len(cue.findall(text))) for weight, cue in CUES)
    return cues + 0.7 * math.log(len(text) + 50)  # papers open at length and end on short notes


def lowest_numbers(text: str) -> dict[str, int]:
    """Return the first figure, table, equation and so on that a text points to."""
    lowest: dict[str, int] = {}
    for kind, number in NUMBERED.findall(text):
        lowest[kind.lower()] = min(int(number), lowest.get(kind.lower(), int(number)))
    return lowest


def signs(texts: Sequence[str]) -> list[Signs]:
    """Read the signs of all texts; earliness counts from the mean of headings or paragraphs."""
    early = [earliness(text) for text in texts]
    kinds = [is_heading(text) for text in texts]
    means = {
        kind: sum(e for e, k in zip(early, kinds) if k == kind) / kinds.count(kind)
        for kind in (False, True)
        if kind in kinds
    }
    return [
        Signs(
            early=value - means[kind],
            numbers=lowest_numbers(text),
            terms=set(words(" ".join(SHORTENED.findall(text) + CALLED.findall(text)))),
            words=set(words(text)),
        )
        for text, kind, value in zip(texts, kinds, early)
    ]


def lead(one: Signs, other: Signs) -> float:
    """Return what speaks for `one` standing before `other`."""
    value = math.tanh((one.early - other.early) / 2) / 2
    for kind, number in one.numbers.items():
        value += FIRM * (number < other.numbers.get(kind, number))
    if one.terms:
        value += FIRM * (not one.terms.isdisjoint(other.words - other.terms))
    return value


def precedences(texts: Sequence[str]) -> Table:
    """Return for all pairs how strongly the first ought to stand before the second."""
    shown = signs(texts)
    leads = [[lead(one, other) for other in shown] for one in shown]
    return [[x - back[i] for x, back in zip(row, leads)] for i, row in enumerate(leads)]


def links(texts: Sequence[str], table: Table) -> Table:
    """Return for all pairs how well the second follows directly; a heading follows on nothing."""
    pulls = [0.0 if is_heading(text) else PULL for text in texts]
    return [[pull * likeness for pull, likeness in zip(pulls, row)] for row in table]


def best_spot(item: int, rest: list[int], before: Table, link: Table) -> int:
    """Return where in `rest` an item fits best."""
    lean, into, out = before[item], [row[item] for row in link], link[item]
    gain = sum([lean[other] for other in rest])
    best, spot, left = gain + out[rest[0]], 0, rest[0]
    for at, right in enumerate([*rest[1:], -1], start=1):
        gain -= 2 * lean[left]
        joins = into[left] + (out[right] - link[left][right] if right >= 0 else 0.0)
        if gain + joins > best + 1e-9:
            best, spot = gain + joins, at
        left = right
    return spot


def reading_order(texts: Sequence[str]) -> list[int]:
    """Return the indices of one paper's texts, moved singly until no move helps."""
    before, link = precedences(texts), links(texts, similarities(texts))
    order = sorted(range(len(texts)), key=lambda i: (-sum(before[i]), i))
    for _ in range(ROUNDS if len(order) > 1 else 0):
        earlier = list(order)
        for item in earlier:
            order.remove(item)
            order.insert(best_spot(item, order, before, link), item)
        if order == earlier:
            break
    return order


def answer(lines: list[str], papers: int) -> str:
    """Return the labels in reading order as JSON, one list a paper when there are several."""
    units = [json.loads(line) for line in lines if line.strip()]
    groups = cluster([unit["text"] for unit in units], papers)
    ordered = []
    for group in groups:
        order = reading_order([units[i]["text"] for i in group])
        ordered.append([units[group[i]]["label"] for i in order])
    return json.dumps(ordered if papers > 1 else ordered[0])


print(answer(Path("paragraphs.jsonl").read_text("utf-8").split("\n"), PAPERS))
