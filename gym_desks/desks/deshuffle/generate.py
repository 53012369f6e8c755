"""From (stream seed, index) to one task: papers mixed, shuffled and labelled.

Task `i` anchors paper `i % N` of the pool, so that `N` tasks in a row cover it; its other
papers are drawn without replacement, and their number uniformly. Nothing is shared
between tasks, so any index can be made at any time.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationInfo, field_validator

from gym_desks.core.desk import Settings
from gym_desks.core.seeding import Draws, Streams
from gym_desks.core.task import Instance, Task
from gym_desks.desks.deshuffle.corpus import Corpus, Paper, load_corpus
from gym_desks.desks.deshuffle.corpus.model import MIN_UNITS
from gym_desks.errors import GenerationError

FILE = "paragraphs.jsonl"
_ATTEMPTS = 200
_INDICES = 1 << 32
_LARGEST = 1 << 62  # start and count together stay below 2**63, so that any index fits an array


class DeshuffleSettings(Settings):
    """What selects a task of this desk.

    `index` names one task of the stream of `stream_seed`; without it the instance seed
    draws one of the `count` indices from `start` on (of 2**32 where `count` is not set).
    `split` changes shuffles and co-papers; both splits hold all papers.
    """

    level: Literal[1] = 1
    on_error: Literal["refuse", "skip"] = "refuse"
    corpus: str = Field(default="builtin", validate_default=True)
    source: str | None = None
    include_headers: bool = False
    min_papers: int = Field(default=1, ge=1)
    max_papers: int = Field(default=1, ge=1, validate_default=True)
    stream_seed: int = Field(default=0, ge=0, lt=_LARGEST)
    start: int = Field(default=0, ge=0, lt=_LARGEST)
    count: int | None = Field(default=None, ge=1, le=_LARGEST)
    index: int | None = Field(default=None, ge=0, lt=2 * _LARGEST)
    reward_mode: Literal["graded", "exact"] = "graded"

    @field_validator("corpus")
    @classmethod
    def _corpus_loads(cls, value: str, info: ValidationInfo) -> str:
        if "on_error" in info.data:
            load_corpus(value, on_error=info.data["on_error"])
        return value

    @field_validator("source")
    @classmethod
    def _source_exists(cls, value: str | None, info: ValidationInfo) -> str | None:
        if value is None or not {"on_error", "corpus"} <= set(info.data):
            return value
        sources = load_corpus(info.data["corpus"], on_error=info.data["on_error"]).sources
        if value not in sources:
            raise ValueError(f"no source {value!r} in this corpus; sources: {', '.join(sources)}")
        return value

    @field_validator("max_papers")
    @classmethod
    def _papers_suffice(cls, value: int, info: ValidationInfo) -> int:
        least = info.data.get("min_papers", 1)
        if value < least:
            raise ValueError(f"max_papers {value} is below min_papers {least}")
        known = {"corpus", "on_error", "source", "include_headers"} <= set(info.data)
        if known and value > (there := len(_pool(info.data))):
            raise ValueError(f"max_papers {value}: the corpus holds {there} papers under these")
        return value

    @property
    def loaded(self) -> Corpus:
        """The corpus, from the process's cache."""
        return load_corpus(self.corpus, on_error=self.on_error)

    @property
    def pool(self) -> Sequence[Paper]:
        """The papers that may be drawn."""
        return _pool(self.__dict__)


def _pool(chosen: dict[str, Any]) -> Sequence[Paper]:
    corpus = load_corpus(chosen["corpus"], on_error=chosen["on_error"])
    return corpus.pool(chosen["source"], chosen["include_headers"])


class DeshuffleKey(BaseModel):
    """The truth: each paper's labels in reading order, and how it is paid."""

    model_config = ConfigDict(frozen=True)

    papers: tuple[tuple[int, ...], ...]
    exact: bool = False


def drawn_index(streams: Streams, settings: DeshuffleSettings) -> int:
    """Return the index that these settings name, or that the instance seed draws."""
    if settings.index is not None:
        return settings.index
    width = _INDICES if settings.count is None else settings.count
    return settings.start + streams.draws("index").below(width)


def generate(streams: Streams, settings: DeshuffleSettings) -> Instance[DeshuffleKey]:
    """Make one task. Raises GenerationError where the drawn papers repeat each other."""
    index = drawn_index(streams, settings)
    own = streams.of(f"{settings.stream_seed}:{index}")
    papers = _drawn_units(own.draws("papers"), settings, index)
    repeated = _repeated(papers)
    kept = [[unit for unit in paper if unit not in repeated] for paper in papers]
    left_out = sum(map(len, papers)) - sum(map(len, kept))
    shown = own.draws("layout").shuffled([(p, u) for p, units in enumerate(kept) for u in units])
    labels = {pair: label for label, pair in enumerate(shown, start=1)}
    key = DeshuffleKey(
        papers=tuple(tuple(labels[p, u] for u in units) for p, units in enumerate(kept)),
        exact=settings.reward_mode == "exact",
    )
    return Instance(task=_task(settings, index, len(papers), shown, left_out), key=key)


def _drawn_units(draws: Draws, settings: DeshuffleSettings, index: int) -> list[tuple[str, ...]]:
    """Draw the papers until each keeps enough units of its own; the anchor comes first."""
    pool = settings.pool
    anchor = index % len(pool)
    others = [place for place in range(len(pool)) if place != anchor]
    count = draws.between(settings.min_papers, settings.max_papers)
    for _ in range(_ATTEMPTS):
        places = [anchor, *draws.sample(others, count - 1)]
        papers = [pool[place].units(settings.include_headers) for place in places]
        repeated = _repeated(papers)
        if all(sum(unit not in repeated for unit in paper) >= MIN_UNITS for paper in papers):
            return papers
    raise GenerationError(
        f"deshuffle, stream seed {settings.stream_seed}, index {index}: no draw of {count} papers "
        f"leaves each {MIN_UNITS} units that occur once; the corpus repeats itself"
    )


def _repeated(papers: Sequence[Sequence[str]]) -> frozenset[str]:
    counts = Counter(unit for paper in papers for unit in paper)
    return frozenset(unit for unit, count in counts.items() if count > 1)


def _task(
    settings: DeshuffleSettings,
    index: int,
    papers: int,
    shown: Sequence[tuple[int, str]],
    left_out: int,
) -> Task:
    lines = [
        json.dumps({"label": label, "text": unit}, ensure_ascii=False)
        for label, (_, unit) in enumerate(shown, start=1)
    ]
    corpus, pool = settings.loaded, len(settings.pool)
    facts: dict[str, str | int | float] = {
        "name": f"{papers}-papers:{index % pool}.{index // pool}",
        "index": index,
        "papers": papers,
        "units": len(shown),
        "left_out": left_out,
        "corpus": corpus.name,
        "corpus_revision": corpus.revision,
        "corpus_digest": corpus.digest,
    }
    return Task(
        brief=brief(papers, len(shown), settings.include_headers),
        files={FILE: "\n".join(lines) + "\n"},
        facts=facts,
    )


def brief(papers: int, units: int, include_headers: bool) -> str:
    """Return the text that states the task."""
    what = "paragraphs and section headings" if include_headers else "paragraphs"
    whole = "1 whole research paper" if papers == 1 else f"{papers} whole research papers"
    where = (
        f"The file {FILE} in the workspace directory holds {units} {what} of {whole}, mixed and "
        f'shuffled. Each line is one JSON object, {{"label": <number>, "text": <string>}}; the '
        f"labels are 1 to {units} in the order of the file, which may already be the right one."
    )
    if papers == 1:
        form = (
            "Restore the paper. The answer is a JSON list of all labels in reading order: first "
            "the label of the unit that stands first in the paper, e.g. [3, 1, 4, 2]."
        )
    else:
        form = (
            f"Tell the {papers} papers apart and restore each. The answer is a JSON list with one "
            "list of labels for each paper, each in reading order (first the label of the unit "
            "that stands first in that paper), e.g. [[3, 1, 4], [7, 2], [5, 8, 6]]. The order of "
            "the papers does not matter."
        )
    return (
        f"{where}\n\n{form} Every label occurs exactly once.\n\nThe score is how well labels are "
        "grouped into papers (B-cubed F1) times how well the order within each paper is restored "
        "(share of pairs in the right order). Submit the answer, or end with a message that "
        "holds it as \\boxed{...}."
    )
