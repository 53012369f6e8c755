"""The command, run as a user runs it."""

from __future__ import annotations

import subprocess
import sys

import pytest
from typer.testing import CliRunner

from gym_desks.cli import cli


def run(*words):
    return CliRunner().invoke(cli, list(words))


def as_program(*words):
    code = "from gym_desks.cli import app; app()"
    return subprocess.run(
        [sys.executable, "-c", code, *words], capture_output=True, text=True, check=False
    )


def test_list_shows_every_environment():
    shown = run("list")
    assert shown.exit_code == 0
    assert "Desks/deshuffle-v1" in shown.output


@pytest.mark.usefixtures("best_sandbox")
def test_the_demo_plays_every_desk_and_prints_what_it_scored():
    shown = run("demo", "--seed", "3")
    assert shown.exit_code == 0
    rows = [line for line in shown.output.split("\n") if "deshuffle" in line]
    assert ["reference" in rows[0], "overlap" in rows[1], "missed" in rows[2]] == [True] * 3
    assert "1.000" in rows[0]
    assert "1.000" not in rows[2]


def test_the_demo_on_one_backend(backend_name):
    shown = run("demo", "--sandbox", backend_name)
    assert shown.exit_code == 0
    assert shown.output.count(backend_name) == 3


def test_the_self_test_is_a_table_of_every_backend(best_sandbox):
    shown = run("sandbox", "check")
    assert shown.exit_code == 0
    assert "docker" in shown.output
    assert "bwrap" in shown.output
    assert "yes" in shown.output


@pytest.mark.usefixtures("docker_engine")
def test_prune_says_how_many_it_removed():
    assert "removed" in run("sandbox", "prune").output


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["demo", "--sandbox", "subprocess"], "subprocess"),
        (["demo", "--sandbox", "nope"], "nope"),
        (["sandbox", "build", "--source", "nope"], "debs"),
        (["corpus", "show", "nowhere.jsonl"], "nowhere.jsonl"),
        (["corpus", "build", "nowhere", "out.jsonl"], "nowhere"),
    ],
)
def test_a_wrong_argument_is_one_line_and_exit_code_one(words, said):
    done = as_program(*words)
    assert done.returncode == 1
    assert done.stderr.startswith("error: ")
    assert said in done.stderr
    assert "Traceback" not in done.stderr + done.stdout
