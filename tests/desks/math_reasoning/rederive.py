"""The answer once more, from the text of a brief: a reading and a working of its own.

Imports nothing of the suite. Words are looked at one by one; names are those of the frozen
list; every kind is worked out in the plainest way there is.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import pairwise, product
from pathlib import Path

LIST = Path(__file__).resolve().parents[3] / "gym_desks" / "kit" / "first_names.txt"
NAMES = frozenset(LIST.read_text("utf-8").split())
STOPS = ".,:;?'\""


def rederive(brief):
    """Return the answer as JSON has it."""
    problem = brief.split("\n\n")[0]
    told = sentences(problem)
    words = {plain(word).lower() for word in problem.split()}
    for keys, work in KINDS:
        if keys & words:
            return work(told)
    raise AssertionError(f"no kind: {problem}")


def sentences(text):
    found, current = [], []
    for word in text.split(" "):
        current.append(word)
        if word[-1] in ".?":
            found.append(current)
            current = []
    assert not current
    return found


def plain(word):
    word = word.strip(STOPS)
    return word[:-2] if word.endswith("'s") else word


def plains(sentence):
    return [plain(word) for word in sentence]


def numbers(sentence):
    return [int(word) for word in plains(sentence) if word.isdigit()]


def people(sentence):
    return [word for word in plains(sentence) if word in NAMES]


def has(sentence, *phrases):
    text = f" {' '.join(plains(sentence))} ".lower()
    return any(f" {phrase} " in text for phrase in phrases)


def after(sentence, word):
    """The number behind a word."""
    listed = [w.lower() for w in plains(sentence)]
    return int(listed[listed.index(word) + 1])


def counting(told):
    head = plains(told[0])
    length = int(head[head.index("letters") - 1])
    alphabet = [word for word in head if len(word) == 1 and word in "BCDEFGHJKLMNOPQRSTUVWXYZ"]
    tests = []
    for sentence in told[2:-1]:
        single = [w for w in plains(sentence) if w in alphabet]
        number = [*numbers(sentence), None][0]
        if len(single) == 2:
            pair = "".join(single)
            tests.append(lambda c, pair=pair: pair not in c)
        elif len(single) == 1 and has(sentence, "most", "more than"):
            tests.append(lambda c, x=single[0], n=number: c.count(x) <= n)
        elif len(single) == 1:
            tests.append(lambda c, x=single[0], n=number: c[n - 1] != x)
        elif has(sentence, "equal", "differ", "twice", "different"):
            tests.append(lambda c: all(a != b for a, b in pairwise(c)))
    codes = map("".join, product(alphabet, repeat=length))
    return sum(all(test(code) for test in tests) for code in codes)


def schedules(told):
    """Let a clock run from one end of a part to the next."""
    minutes, waits = {}, {}
    for sentence in told[2:-1]:
        if has(sentence, "minutes"):
            who, *those = people(sentence)
            minutes[who], waits[who] = numbers(sentence)[0], set(those)
    now, done, running = 0, set(), {}
    while len(done) < len(minutes):
        for who in minutes:
            if who not in done and who not in running and waits[who] <= done:
                running[who] = now + minutes[who]
        now = min(running.values())
        ended = {who for who, end in running.items() if end == now}
        done |= ended
        running = {who: end for who, end in running.items() if who not in ended}
    return now


def expected(told):
    """Play every course that the game can take."""
    bags = {}
    for sentence in told[2:-1]:
        if has(sentence, "gold"):
            number = after(sentence, "bag")
            listed = numbers(sentence)
            listed.remove(number)
            few, many = sorted(listed[:2])
            over = has(sentence, "ends", "stops", "closes", "over")
            bags[number] = (Fraction(few, many), listed[2], over)
    courses, total = [(Fraction(1), 0)], Fraction(0)
    for number in sorted(bags):
        chance, points, over = bags[number]
        going = [(p * chance, won + points) for p, won in courses]
        lost = [(p * (1 - chance), won) for p, won in courses]
        if over:
            total += sum(p * won for p, won in lost)
            lost = []
        courses = going + lost
    total += sum(p * won for p, won in courses)
    return f"{total.numerator}/{total.denominator}"


def recurrences(told):
    """Ask for a term, which asks for those before it."""
    first, second = [n for n in numbers(told[0]) if n > 2]
    p = q = c = extra = 0
    every = 10**9
    for sentence in told[1:-1]:
        if has(sentence, "multiple", "divisible"):
            every, extra = numbers(sentence)
        elif has(sentence, "times"):
            p, q, c = numbers(sentence)[-3:]
            c = -c if has(sentence, "minus") else c

    @cache
    def term(n):
        if n < 3:
            return (first, second)[n - 1]
        return p * term(n - 1) + q * term(n - 2) + c + (extra if n % every == 0 else 0)

    return term(numbers(told[-1])[0])


def says(sentence):
    """Who speaks, of whom, and which numbers of knights among those would make it true."""
    who, *others = people(sentence)
    size = len(others)
    cases = [
        (("include exactly one", "finds one"), {1}),
        (("include exactly two", "finds two"), {2}),
        (("odd",), {1, 3}),
        (("same kind", "whatever"), {0, 2}),
        (("different kinds", "pair"), {1}),
        (("both are", "at least"), {1, 2}),
        (("and so is",), {0}),
        (("if", "in case"), {0, 1}),
        (("a knight", "to the knights"), {size}),
        (("knaves", "a knave"), {0}),
    ]
    fits = next(fits for phrases, fits in cases if has(sentence, *phrases))
    return who, others, fits


def knights(told):
    """Try everything."""
    listed = people(told[0])
    speakers = [s for s in told[2:-1] if people(s)[0] in listed]
    said = [says(sentence) for sentence in speakers]
    left = []
    for kinds in product((True, False), repeat=len(listed)):
        is_knight = dict(zip(listed, kinds, strict=True))
        if all((sum(map(is_knight.get, o)) in fits) == is_knight[w] for w, o, fits in said):
            left.append([name for name in listed if is_knight[name]])
    assert len(left) == 1
    return {"knights": left[0]}


def clock(told):
    """Count on without wrapping; what is shown is the rest."""
    head = plains(told[0])
    size = max(numbers(told[0]))
    start = int(head[max(i for i, w in enumerate(head) if w in ("mark", "lamp")) + 1])
    place = start
    for sentence in told[2:-1]:
        if not has(sentence, "turns", "shifts", "shift"):
            continue
        marks = list(numbers(sentence))
        if not marks:
            place += place % size
        elif has(sentence, "back", "down"):
            place -= marks[0]
        else:
            place += marks[0] * (marks[1] if len(marks) > 1 else 1)
    return place % size


def paths(told):
    """Walk every way that passes no house twice."""
    roads = {}
    for sentence in told[2:-1]:
        if has(sentence, "minutes"):
            a, b = people(sentence)
            minutes = numbers(sentence)[0]
            roads.setdefault(a, []).append((b, minutes))
            roads.setdefault(b, []).append((a, minutes))
    start, goal = people(told[-1])

    def ways(here, passed, spent):
        if here == goal:
            yield spent
            return
        for there, minutes in roads[here]:
            if there not in passed:
                yield from ways(there, passed | {there}, spent + minutes)

    return min(ways(start, {start}, 0))


def stacks(told):
    pile, line, noted = (), (), []
    for sentence in told[2:-1]:
        if not has(sentence, "card", "crate"):
            continue
        on_pile, in_line = has(sentence, "pile", "rack"), has(sentence, "line", "belt")
        card = tuple(numbers(sentence))
        if on_pile and in_line:
            pile, line = pile[:-1], line + pile[-1:]
        elif card:
            pile, line = (pile + card, line) if on_pile else (pile, line + card)
        elif on_pile:
            pile, noted = pile[:-1], [*noted, pile[-1]]
        else:
            line, noted = line[1:], [*noted, line[0]]
    return sum(noted)


KINDS = (
    ({"knave", "knaves"}, knights),
    ({"dial", "lamps"}, clock),
    ({"tokens"}, expected),
    ({"fish", "hives"}, recurrences),
    ({"roads", "footpaths"}, paths),
    ({"cards", "crate"}, stacks),
    ({"codes", "sequences"}, counting),
    ({"order", "delivery"}, schedules),
)
