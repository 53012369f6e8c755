"""What the documents say exists: commands, names, environments and settings."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from typer.main import get_command
from typer.testing import CliRunner

import gym_desks
from gym_desks.cli import cli
from gym_desks.desks.deshuffle import DeshuffleSettings
from gym_desks.sandbox import SandboxOptions

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
DOCUMENTS = [README, CONTRIBUTING, *(p.read_text("utf-8") for p in (ROOT / "docs").glob("*.md"))]


def commands(group=None, prefix=()):
    group = group or get_command(cli)
    for name, command in getattr(group, "commands", {}).items():
        if hasattr(command, "commands"):
            yield from commands(command, (*prefix, name))
        else:
            yield (*prefix, name)


@pytest.mark.parametrize("command", list(commands()), ids=" ".join)
def test_every_command_has_help(command):
    shown = CliRunner().invoke(cli, [*command, "--help"])
    assert shown.exit_code == 0
    assert len(shown.output.split("\n")) > 5


@pytest.mark.parametrize("command", [c for c in commands() if c != ("list",)], ids=" ".join)
def test_every_command_stands_in_the_readme(command):
    assert f"gym-desks {' '.join(command)}" in README or f"make {' '.join(command)}" in README


def test_every_command_in_the_documents_exists():
    known = set(commands())
    for document in DOCUMENTS:
        for line in re.findall(r"gym-desks ((?:[a-z]+ ?){1,2})", document):
            words = tuple(shlex.split(line))
            if words[0] in {"demo", "list", "sandbox", "corpus"}:
                assert words in known or words[:1] in known, line


def test_every_make_target_in_the_documents_exists():
    makefile = (ROOT / "Makefile").read_text()
    for target in set(re.findall(r"(?:`|\$ )make ([a-z]+)", README + CONTRIBUTING)):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target


def test_every_environment_stands_in_the_readme():
    own = [i for i in gym_desks.registered_ids() if "toy" not in i]
    assert all(f"`{env_id}`" in README for env_id in own)


def test_every_public_name_is_there_and_has_a_docstring():
    for name in gym_desks.__all__:
        assert getattr(gym_desks, name, None) is not None
        assert name in ("__version__", "Policy") or getattr(gym_desks, name).__doc__


def test_every_sandbox_option_stands_in_the_readme():
    assert all(f"`{name}`" in README for name in SandboxOptions.model_fields)


def test_the_settings_in_the_readme_exist():
    block = README.split("## Deshuffle")[1].split("```python")[1].split("```")[0]
    named = re.findall(r"(\w+)=", block)
    assert set(named) <= set(DeshuffleSettings.model_fields)
    assert set(DeshuffleSettings.model_fields) - set(named) <= {
        "level", "split", "on_error", "start", "count",
    }  # fmt: skip


@pytest.mark.usefixtures("best_sandbox")
def test_the_first_example_of_the_readme_runs():
    code = README.split("```python")[1].split("```")[0]
    exec(compile(code, "README.md", "exec"), {})


def test_links_lead_somewhere():
    for target in re.findall(r"\]\((?!http)([^)#]+)\)", README + CONTRIBUTING):
        assert (ROOT / target).exists(), target
