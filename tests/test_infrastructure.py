"""A sandbox that is lost under an environment: never a score, and no harm to the next episode."""

from __future__ import annotations

import json
import os
import signal
import threading
import time
from pathlib import Path

import gymnasium as gym
import pytest

from gym_desks import Action, submit
from gym_desks.desks.deshuffle import DeshuffleDesk
from gym_desks.env import DeskEnv
from gym_desks.errors import ConfigurationError, SandboxUnavailable
from gym_desks.sandbox import provider

ENV_ID = "Desks/deshuffle-v1"


def python(code):
    return str(Action("python", {"code": code}))


def output(observation):
    return json.loads(observation)["output"]


def descendants(pid):
    """Return the processes below one, from /proc."""
    parents = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                stat = (entry / "stat").read_text()
            except (FileNotFoundError, ProcessLookupError):
                continue
            parents[int(entry.name)] = int(stat.rpartition(")")[2].split()[1])
    found = [pid]
    for one in found:
        found += [child for child, parent in parents.items() if parent == one]
    return found[1:]


def wait_for_end(pids):
    """Return when none of these processes runs any more."""
    deadline = time.monotonic() + 5
    while any(running(pid) for pid in pids):
        assert time.monotonic() < deadline
        time.sleep(0.01)


def running(pid):
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


def lose_sandbox(backend):
    """End the open sandbox of this process from outside."""
    if backend == "docker":
        import docker

        client = docker.from_env()
        for container in client.containers.list(filters={"label": "gym_desks.sandbox"}):
            if f":{os.getpid()}:" in container.labels.get("gym_desks.owner", ""):
                container.kill()
        client.close()
        return
    for pid in descendants(os.getpid()):
        if b"bwrap" in Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")[0]:
            box = [pid, *descendants(pid)]
            for process in box:
                os.kill(process, signal.SIGKILL)
            wait_for_end(box)


def test_a_lost_sandbox_truncates_and_the_next_episode_gets_a_new_one(backend_name):
    env = gym.make(ENV_ID, sandbox=backend_name)
    env.reset(seed=1)
    assert output(env.step(python("print(1)"))[0]) == "1"
    lose_sandbox(backend_name)
    _, reward, terminated, truncated, info = env.step(python("print(2)"))
    assert (reward, terminated, truncated) == (0.0, False, True)
    assert (info["end"], info["error"]) == ("infrastructure", "infrastructure")
    assert info["metrics"] == {}
    env.reset(seed=1)
    assert output(env.step(python("print(3)"))[0]) == "3"
    env.close()


def test_a_lost_sandbox_does_not_matter_to_an_answer(backend_name):
    env = gym.make(ENV_ID, sandbox=backend_name)
    env.reset(seed=1)
    env.step(python("print(1)"))
    lose_sandbox(backend_name)
    *_, terminated, truncated, info = env.step(str(submit([1])))
    assert (terminated, truncated, info["end"]) == (True, False, "submitted")
    env.close()


class Bulky(DeshuffleDesk):
    """A desk whose task has one file of that many bytes."""

    size = 0

    def generate(self, streams, settings):
        instance = super().generate(streams, settings)
        files = {"paragraphs.jsonl": "x" * self.size}
        return instance.model_copy(
            update={"task": instance.task.model_copy(update={"files": files})}
        )


class Large(Bulky):
    size = 6 << 20


class TooLarge(Bulky):
    size = (1 << 20) + 1


def test_a_large_task_arrives_whole(backend_name):
    env = DeskEnv("test_infrastructure:Large", sandbox=backend_name)
    env.reset(seed=1)
    seen, *_ = env.step(str(Action("bash", {"command": "wc -c < paragraphs.jsonl"})))
    assert output(seen) == str(Large.size)
    env.close()


def test_a_task_that_does_not_fit_is_an_error_of_the_reset(backend_name):
    options = {"workspace_mb": 1}
    env = DeskEnv("test_infrastructure:TooLarge", sandbox=backend_name, sandbox_options=options)
    with pytest.raises(ConfigurationError, match="workspace_mb"):
        env.reset(seed=1)
    env.close()


def test_a_task_that_cannot_be_laid_out_is_never_scored(backend_name, monkeypatch):
    monkeypatch.setattr(provider, "check_fit", lambda *_: None)
    options = {"workspace_mb": 1}
    env = DeskEnv("test_infrastructure:TooLarge", sandbox=backend_name, sandbox_options=options)
    env.reset(seed=1)
    _, reward, terminated, truncated, info = env.step(python("print(1)"))
    assert (reward, terminated, truncated, info["end"]) == (0.0, False, True, "infrastructure")
    env.close()


def test_two_threads_on_one_environment_are_served_one_after_the_other(backend_name):
    env = gym.make(ENV_ID, sandbox=backend_name, budget=50).unwrapped
    env.reset(seed=1)
    seen = {}

    def work(name):
        seen[name] = [output(env.step(python(f"print({name} + {n})"))[0]) for n in range(8)]

    threads = [threading.Thread(target=work, args=(name,)) for name in (100, 200)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == {name: [str(name + n) for n in range(8)] for name in (100, 200)}
    assert json.loads(env.step("nonsense")[0])["steps_left"] == 50 - 17
    env.close()


def test_a_reset_where_no_sandbox_can_be_had_says_what_was_tried_and_what_to_install():
    env = gym.make(ENV_ID, sandbox="docker", sandbox_options={"docker_host": "tcp://127.0.0.1:1"})
    with pytest.raises(SandboxUnavailable, match="docker"):
        env.reset(seed=1)
    env.close()


@pytest.mark.parametrize(
    "options", [{"memory_mb": -1}, {"nope": 1}, {"pids": "many"}, {"call_timeout": 0}]
)
def test_options_out_of_range_are_errors_at_construction_that_name_the_field(options):
    with pytest.raises(ValueError, match=next(iter(options))):
        gym.make(ENV_ID, sandbox_options=options)
