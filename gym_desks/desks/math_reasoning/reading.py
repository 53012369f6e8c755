"""From a brief to a problem, by reading its text alone.

Knows nothing of how briefs are made: a sentence is recognised by its words, and one that
is recognised by none is left out.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

_SENTENCE_END = re.compile(r"(?<=[.?]) (?=[A-Z0-9])")
_NAME = re.compile(r"\b[A-Z][a-z]+\b")
_OTHER_CAPITALS = frozenset(
    [
        "A",
        "According",
        "Between",
        "From",
        "How",
        "In",
        "On",
        "Out",
        "Starting",
        "The",
        "Walking",
        "What",
        "Which",
        "With",
    ]
)
_UNIT = re.compile(r"(?:bag|day|week) (\d+)", re.IGNORECASE)
_SPEECH = re.compile(
    r"(?:According to (\w+),|(\w+) (?:says that|tells the others that|maintains:)) (.+)\."
)
_CLAIMS = (
    ("odd", r"\bodd\b"),
    ("count", r"include exactly|no more and no fewer"),
    ("same", r"same kind|whatever"),
    ("differ", r"different kinds|one knight and one knave"),
    ("none", r"^both .* knaves|and so is"),
    ("either", r"at least one|or both are"),
    ("not both", r"^if |in case"),
    ("all", r"is a knight$|to the knights$"),
    ("none", r"is a knave$|to the knaves$"),
)


@dataclass(frozen=True)
class Codes:
    """A code and its rules, each a word with letters and a number."""

    length: int
    letters: str
    rules: tuple[tuple[str, str, int], ...]


@dataclass(frozen=True)
class Plan:
    """For each person the minutes, and whom the part waits for."""

    parts: dict[str, tuple[int, tuple[str, ...]]]


@dataclass(frozen=True)
class Bags:
    """Each bag as tokens, gold, points, and whether another token ends the game."""

    bags: tuple[tuple[int, int, int, bool], ...]


@dataclass(frozen=True)
class Sequence:
    """Two terms, the factors of a rule, an extra at multiples, and the term asked for."""

    start: tuple[int, int]
    factors: tuple[int, int, int]
    multiple: int
    extra: int
    asked: int


@dataclass(frozen=True)
class Island:
    """People and their claims: speaker, kind of claim, the others named, a number."""

    people: tuple[str, ...]
    claims: tuple[tuple[str, str, tuple[str, ...], int], ...]
    asked: str = "knights"


@dataclass(frozen=True)
class Dial:
    """A dial and its turns: a word, and by how much."""

    size: int
    start: int
    turns: tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class Roads:
    """Roads as (house, house, minutes), the trip, and what a road costs beside its time."""

    roads: tuple[tuple[str, str, int], ...]
    trip: tuple[str, str]
    toll: int = 0


@dataclass(frozen=True)
class Cards:
    """What is done, and which card the pile gives: the newest."""

    deeds: tuple[tuple[str, int], ...]
    pile_gives: str = "newest"


Problem = Codes | Plan | Bags | Sequence | Island | Dial | Roads | Cards


def problem_in(opening: str) -> Problem:
    """Return the problem that the first paragraph states."""
    text = opening.split("\n\n", 1)[0]
    for word, read in _READERS:
        if re.search(word, text):
            return read(_SENTENCE_END.split(text))
    raise ValueError("this opening states no problem of a known kind")


def _numbers(sentence: str) -> list[int]:
    return [int(digits) for digits in re.findall(r"\d+", sentence)]


def _names(sentence: str) -> tuple[str, ...]:
    return tuple(n for n in _NAME.findall(sentence) if n not in _OTHER_CAPITALS)


def _found(pattern: str, text: str) -> int:
    found = re.search(pattern, text)
    if found is None:
        raise ValueError(f"nothing like {pattern!r} in {text!r}")
    return int(found.group(1))


def _codes(sentences: list[str]) -> Codes:
    first = sentences[0]
    listed = re.search(r"(?:[A-Z], )*[A-Z] and [A-Z]\b", first)
    letters = "".join(re.findall(r"\b[A-Z]\b", listed.group())) if listed else ""
    rules = [_code_rule(sentence, letters) for sentence in sentences[2:-1]]
    return Codes(_found(r"(\d+) letters", first), letters, tuple(filter(None, rules)))


def _code_rule(sentence: str, letters: str) -> tuple[str, str, int] | None:
    named = "".join(re.findall(rf"\b[{letters}]\b", sentence))
    if len(named) == 2:
        return "follow", named, 0
    if not named:
        close = re.search("neighbouring|next to|in a row|Adjacent", sentence)
        return ("neighbours", "", 0) if close else None
    word = "most" if re.search("[Aa]t most|no more than", sentence) else "place"
    return word, named, _numbers(sentence)[0]


def _plan(sentences: list[str]) -> Plan:
    parts = {}
    for sentence in sentences[2:-1]:
        if "minutes" in sentence:
            who, *those = _names(sentence)
            parts[who] = (_numbers(sentence)[0], tuple(those))
    return Plan(parts)


def _bags(sentences: list[str]) -> Bags:
    bags = {}
    for sentence in sentences[2:-1]:
        if "gold" in sentence:
            number = _found(r"bag (\d+)", sentence.lower())
            *two, points = _numbers(_UNIT.sub("", sentence))
            over = re.search("(?:ends|stops|closes) the game|game is over", sentence)
            bags[number] = (max(two), min(two), points, over is not None)
    return Bags(tuple(bags[number] for number in sorted(bags)))


def _sequence(sentences: list[str]) -> Sequence:
    first, second = _numbers(_UNIT.sub("", sentences[0]))
    factors, multiple, extra = (0, 0, 0), 0, 0
    for sentence in sentences[1:-1]:
        if re.search("multiple of|divisible by", sentence):
            multiple, extra = _numbers(sentence)
        elif " times " in sentence:
            p, q, c = _numbers(_UNIT.sub("", sentence))
            factors = (p, q, -c if "minus" in sentence else c)
    asked = _found(_UNIT.pattern, sentences[-1])
    return Sequence((first, second), factors, multiple, extra, asked)


def _island(sentences: list[str]) -> Island:
    claims = []
    for sentence in sentences[2:-1]:
        if said := _SPEECH.fullmatch(sentence):
            claim = said.group(3)
            word = next(word for word, pattern in _CLAIMS if re.search(pattern, claim))
            number = 2 if re.search(r"\btwo\b", claim) else 1
            claims.append((said.group(1) or said.group(2), word, _names(claim), number))
    return Island(_names(sentences[0]), tuple(claims))


def _dial(sentences: list[str]) -> Dial:
    size = _found(r"(\d+) (?:marks|lamps)", sentences[0])
    start = _found(r"(?:mark|lamp) (\d+)", sentences[0])
    turns = [_turn(s) for s in sentences[2:-1] if re.search(r"\bturns\b|\bshift", s)]
    return Dial(size, start, tuple(turns))


def _turn(sentence: str) -> tuple[str, int]:
    if re.search("number it shows|own current number", sentence):
        return "double", 0
    marks = _found(r"(\d+) (?:marks|lamps)", sentence)
    if re.search(r"\bback\b|\bdown\b", sentence):
        return "back", marks
    times = _found(r"(\d+) times", sentence) if " times" in sentence else 1
    return "forward", marks * times


def _roads(sentences: list[str]) -> Roads:
    told = [sentence for sentence in sentences[2:-1] if "minutes" in sentence]
    roads = []
    for sentence in told:
        here, there = _names(sentence)
        roads.append((here, there, _numbers(sentence)[0]))
    start, goal = _names(sentences[-1])
    return Roads(tuple(roads), (start, goal))


def _cards(sentences: list[str]) -> Cards:
    told = [s for s in sentences[2:-1] if re.search(r"\b(?:card|crate)\b", s, re.IGNORECASE)]
    return Cards(tuple(_deed(sentence) for sentence in told))


def _deed(sentence: str) -> tuple[str, int]:
    pile = re.search(r"\b(?:pile|rack)\b", sentence) is not None
    line = re.search(r"\b(?:line|belt)\b", sentence) is not None
    if pile and line:
        return "move", 0
    place = "pile" if pile else "line"
    numbers = _numbers(sentence)
    return (f"put {place}", numbers[0]) if numbers else (f"take {place}", 0)


_READERS: tuple[tuple[str, Callable[[list[str]], Problem]], ...] = (
    (r"\bknaves?\b", _island),
    (r"\bdial\b|\blamps\b", _dial),
    (r"\btokens?\b", _bags),
    (r"\bfish\b|\bhives\b", _sequence),
    (r"\broads?\b|\bfootpaths?\b", _roads),
    (r"\bcards\b|\bcrate\b", _cards),
    (r"\b[A-Z] and [A-Z]\b", _codes),
    (r"\bminutes\b", _plan),
)
