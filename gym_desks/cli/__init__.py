"""The command `gym-desks`. Every command prints what it did, or one line that says why not."""

from __future__ import annotations

import sys

import typer
from rich.console import Console

from gym_desks.cli import corpus, demo, sandbox
from gym_desks.errors import GymDesksError

cli = typer.Typer(
    help="Text environments in which an agent reads a brief, calls tools and submits an answer.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)
cli.command("list")(demo.list_ids)
cli.command("demo")(demo.demo)
cli.add_typer(sandbox.commands, name="sandbox")
cli.add_typer(corpus.commands, name="corpus")


def app() -> None:
    """Run the command. An error of the suite is one line and exit code 1."""
    try:
        cli()
    except GymDesksError as error:
        Console(stderr=True).print(f"error: {error}", style="red", markup=False)
        sys.exit(1)
