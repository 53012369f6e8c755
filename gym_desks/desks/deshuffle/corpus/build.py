"""From a folder of articles to a corpus file, with an account of every unit.

`.md`, `.xml` (JATS) and `.tex` (main files) are read in the order of their paths. The file is
written in one step when all is done, so that a failed build leaves nothing behind.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

from gym_desks.desks.deshuffle.corpus.jats import read_jats
from gym_desks.desks.deshuffle.corpus.jsonl import replacing
from gym_desks.desks.deshuffle.corpus.latex import is_main, read_latex
from gym_desks.desks.deshuffle.corpus.markdown import read_markdown
from gym_desks.desks.deshuffle.corpus.model import Block, Paper, check_on_error, folded
from gym_desks.desks.deshuffle.corpus.sections import Article, selected
from gym_desks.errors import CorpusError, MissingExtra

READERS: Mapping[str, Callable[[Path], Article]] = {
    ".md": read_markdown,
    ".xml": read_jats,
    ".tex": read_latex,
}


@dataclass(frozen=True, slots=True)
class ArticleReport:
    """One article's account: `units_in` is `units_out` plus all counts of `left_out`.

    `problem` says why a file could not be read; then nothing of it was counted.
    """

    name: str
    units_in: int = 0
    units_out: int = 0
    left_out: Mapping[str, int] = field(default_factory=dict)
    problem: str = ""


@dataclass(frozen=True, slots=True)
class BuildReport:
    """The accounts of all articles, and how many became papers."""

    articles: tuple[ArticleReport, ...]

    @property
    def papers(self) -> int:
        """How many papers the file holds."""
        return sum(article.units_out > 0 for article in self.articles)


def build(
    articles: Path,
    out: Path,
    source: str = "own",
    license: str = "",  # noqa: A002 (the field of a paper)
    on_error: str = "refuse",
) -> BuildReport:
    """Write the papers found under a folder, or in one file, to the JSONL file `out`.

    `source` and `license` are for articles that state none. A file that cannot be read raises
    CorpusError, or with `on_error="skip"` is left out and reported; an article that is too
    poor is always left out and reported.
    """
    check_on_error(on_error)
    if not out.parent.is_dir():
        raise CorpusError(f"there is no folder {str(out.parent)!r} to write {out.name} to")
    reports: list[ArticleReport] = []
    with replacing(out) as stream:
        for report, paper in _read(articles, source, license, on_error):
            reports.append(report)
            if paper:
                stream.write(_line(paper))
        result = BuildReport(tuple(reports))
        if not result.papers:
            raise CorpusError(f"no article under {articles} gave a paper: {_reasons(result)}")
    return result


def _read(
    articles: Path, source: str, licence: str, on_error: str
) -> Iterator[tuple[ArticleReport, Paper | None]]:
    ids: set[str] = set()
    for name, path in _found(articles):
        try:
            report, paper = _paper(name, path, source, licence)
            if paper and paper.paper_id in ids:
                raise CorpusError(f"the id {paper.paper_id!r} has occurred before")
        except CorpusError as error:
            if on_error == "refuse":
                raise CorpusError(f'{name}: {error} (on_error="skip" passes over it)') from None
            yield ArticleReport(name, problem=str(error)), None
            continue
        if paper:
            ids.add(paper.paper_id)
        yield report, paper


def _found(articles: Path) -> Iterator[tuple[str, Path]]:
    """Walk the articles with their names: paths relative to the folder."""
    if articles.is_file():
        files, root = [articles], articles.parent
    elif articles.is_dir():
        files, root = sorted(path for path in articles.rglob("*") if path.is_file()), articles
    else:
        raise CorpusError(f"no folder or file {str(articles)!r}")
    for path in files:
        suffix = path.suffix.lower()
        if suffix in READERS and (suffix != ".tex" or is_main(path)):
            yield path.relative_to(root).as_posix(), path


def _paper(name: str, path: Path, source: str, licence: str) -> tuple[ArticleReport, Paper | None]:
    try:
        article = READERS[path.suffix.lower()](path)
        blocks, left = selected(article.units)
    except MissingExtra:
        raise
    except UnicodeDecodeError as error:
        raise CorpusError(f"byte {error.start + 1} is not UTF-8") from None
    except (ValueError, OSError) as error:
        raise CorpusError(str(error)) from None
    report = ArticleReport(name, len(article.units), len(blocks), dict(left))
    if not blocks:
        return report, None
    return report, _made(name, article, blocks, source, licence)


def _made(
    name: str, article: Article, blocks: tuple[Block, ...], source: str, licence: str
) -> Paper:
    stem = name.rpartition(".")[0]
    return Paper(
        paper_id=article.paper_id or stem.replace("/", "-"),
        title=folded(article.title) or stem,
        source=article.source or source,
        blocks=blocks,
        license=article.license or licence,
        attribution=folded(article.attribution),
    )


def _line(paper: Paper) -> str:
    record = asdict(paper)
    for block in record["blocks"]:
        if block["kind"] == "paragraph":
            del block["level"]
    return json.dumps(record, ensure_ascii=False) + "\n"


def _reasons(result: BuildReport) -> str:
    reasons = (
        f"{article.name}: {article.problem or ', '.join(article.left_out) or 'empty'}"
        for article in result.articles[:5]
    )
    return "; ".join(reasons) or "there is no .md, .xml or main .tex file"
