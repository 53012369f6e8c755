"""`gym-desks sandbox`: check what isolates an agent here, build its image, remove leftovers."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from gym_desks.errors import SandboxError
from gym_desks.sandbox import BACKENDS, Check, SandboxOptions, backend_named, self_test
from gym_desks.sandbox.image import build_image
from gym_desks.sandbox.image import prune as prune_containers

commands = typer.Typer(help="Check, build and clean up sandboxes.", no_args_is_help=True)


@commands.command()
def check(
    image: Annotated[str | None, typer.Option(help="Image of the docker backend.")] = None,
) -> None:
    """Run the live self-test of every backend and print it as a table."""
    options = SandboxOptions(image=image)
    results = {name: _tested(name, options) for name in BACKENDS}
    table = Table("check", *results)
    for row in dict.fromkeys(c.name for checks in results.values() for c in checks):
        table.add_row(row, *(_cell(checks, row) for checks in results.values()))
    Console().print(table)
    if not any(checks and all(c.passed for c in checks) for checks in results.values()):
        raise typer.Exit(1)


@commands.command()
def build(
    source: Annotated[str, typer.Option(help="debs, base or host.")] = "debs",
    base_image: Annotated[str | None, typer.Option(help="Base image of source base.")] = None,
) -> None:
    """Make the image of the docker backend."""
    tag = build_image(source=source, base_image=base_image)
    Console().print(f"built {tag}", highlight=False)


@commands.command()
def prune() -> None:
    """Remove containers that an ended process left behind."""
    removed = prune_containers()
    Console().print(f"removed {len(removed)} containers", highlight=False)


def _tested(name: str, options: SandboxOptions) -> list[Check]:
    try:
        return self_test(backend_named(name, options))
    except SandboxError as error:
        return [Check("opens", passed=False, detail=str(error))]


def _cell(checks: list[Check], row: str) -> str:
    found = next((c for c in checks if c.name == row), None)
    if found is None:
        return "-"
    return f"[green]yes[/] {found.detail}" if found.passed else f"[red]no[/] {found.detail}"
