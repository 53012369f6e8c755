"""`gym-desks corpus`: download the pinned papers, build your own, look at what one holds."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from gym_desks.desks.deshuffle.corpus import build as build_corpus
from gym_desks.desks.deshuffle.corpus import download as download_corpus
from gym_desks.desks.deshuffle.corpus import load_corpus

commands = typer.Typer(help="Papers for the deshuffle desk.", no_args_is_help=True)

OnError = Annotated[str, typer.Option(help="What a bad article or line does: refuse or skip.")]


@commands.command()
def download() -> None:
    """Fetch the pinned public corpus once; it is then used offline."""
    Console().print(f"ready: {download_corpus()}", highlight=False, soft_wrap=True)


@commands.command()
def build(
    source: Annotated[Path, typer.Argument(help="A folder of .md, .tex or .xml articles.")],
    out: Annotated[Path, typer.Argument(help="The JSONL file to write.")],
    name: Annotated[str, typer.Option(help="The papers' source, as `source=` selects it.")] = "own",
    licence: Annotated[str, typer.Option("--license", help="SPDX name of their licence.")] = "",
    on_error: OnError = "refuse",
) -> None:
    """Turn a folder of articles into a corpus, and count what was kept and left out."""
    report = build_corpus(source, out, source=name, license=licence, on_error=on_error)
    table = Table("article", "units in", "units out", "left out")
    for article in report.articles:
        reasons = article.problem or ", ".join(
            f"{count} {why}" for why, count in sorted(article.left_out.items())
        )
        table.add_row(article.name, str(article.units_in), str(article.units_out), reasons)
    Console().print(table)
    Console().print(f"wrote {report.papers} papers to {out}", highlight=False, soft_wrap=True)


@commands.command()
def show(
    corpus: Annotated[str, typer.Argument(help="builtin, papers, or a path.")] = "builtin",
    on_error: OnError = "refuse",
) -> None:
    """Print what a corpus holds, its revision and its digest."""
    loaded = load_corpus(corpus, on_error=on_error)
    table = Table("source", "papers", "paragraphs", "headings")
    for source in loaded.sources:
        papers = [paper for paper in loaded.papers if paper.source == source]
        paragraphs = sum(len(paper.units(include_headers=False)) for paper in papers)
        units = sum(len(paper.units(include_headers=True)) for paper in papers)
        table.add_row(source, str(len(papers)), str(paragraphs), str(units - paragraphs))
    console = Console()
    console.print(table)
    console.print(f"revision {loaded.revision}\ndigest {loaded.digest}", highlight=False)
    console.print(f"lines {loaded.report}", highlight=False)
