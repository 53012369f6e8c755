"""Sandboxes as containers of a Docker engine, on this machine or another.

Nothing is mounted, copied or executed into a container: the runner is its process 1 and
everything travels over its attached streams, so remote engines (`DOCKER_HOST`, TLS, ssh) work.
A container is named and labelled with its owner before it exists, it ends when its owner hangs
up, and the engine removes it then.
"""

from __future__ import annotations

import contextlib
import functools
import os
import platform
import secrets
import socket
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from gym_desks.errors import SandboxUnavailable
from gym_desks.sandbox import program
from gym_desks.sandbox.backends import Backend
from gym_desks.sandbox.client import RunnerSandbox
from gym_desks.sandbox.options import SandboxOptions
from gym_desks.sandbox.stream import FramedStream

REPOSITORY = "gym-desks-sandbox"
DEFAULT_IMAGE = f"{REPOSITORY}:latest"
MARK = "gym_desks.sandbox"
OWNER = "gym_desks.owner"
DEFAULT_HOST = "unix:///var/run/docker.sock"
ENGINE_TIMEOUT, REMOVE_TIMEOUT = 120, 10
PATH = "/usr/local/bin:/usr/bin:/bin"
NOBODY = f"{program.NOBODY}:{program.NOBODY}"


class DockerBackend(Backend):
    """The backend where an engine answers."""

    name = "docker"
    isolation = "container"
    start_timeout = 120.0

    def __init__(self, options: SandboxOptions) -> None:
        super().__init__(options)
        self.image = options.image or DEFAULT_IMAGE

    def available(self) -> str | None:
        try:
            with connected(host=self.options.docker_host) as client, translated():
                client.ping()
                if present_image(client, self.image):
                    return None
        except SandboxUnavailable as reason:
            return str(reason)
        how = "run: gym-desks sandbox build" if self.image == DEFAULT_IMAGE else "pull or build it"
        return f"the engine has no image {self.image}; {how}"

    def facts(self) -> dict[str, str]:
        with connected(host=self.options.docker_host) as client, translated():
            version = client.version()["Version"]
            image = client.images.get(self.image).id.removeprefix("sha256:")[:12]
        runtime = self.options.runtime or "runc"
        return {
            "backend": self.name,
            "isolation": f"{self.isolation} ({runtime})",
            "version": version,
            "image": image,
        }

    def start(self) -> RunnerSandbox:
        # All containers on a host share their user, so only the control group counts processes.
        settings = program.settings(
            self.options, variables={"PATH": PATH}, control_group=True, user_processes=None
        )
        payload = program.payload(settings)
        name = f"gym-desks-{secrets.token_hex(8)}"
        release = functools.partial(remove, self.options.docker_host, name)
        with (
            connected(host=self.options.docker_host) as client,
            translated(),
            contextlib.ExitStack() as undo,
        ):
            undo.callback(release)
            self._create(client.api, name, len(payload))
            stream = FramedStream(attached(client.api, name))
            undo.callback(stream.close)
            client.api.start(name)
            undo.pop_all()
        return RunnerSandbox(stream, self.options, release, payload)

    def _create(self, api: Any, name: str, size: int) -> None:
        api.create_container(
            self.image,
            program.command("python3", size),
            name=name,
            stdin_open=True,
            stop_signal="SIGKILL",  # process 1 takes no other: an engine that stops need not wait
            user=NOBODY,
            hostname="desk",
            working_dir=program.WORK,
            environment={"PATH": PATH},
            labels={MARK: "1", OWNER: owner()},
            host_config=self._host_config(api),
            use_config_proxy=False,
        )

    def _host_config(self, api: Any) -> dict[str, Any]:
        memory = self.options.memory_mb * program.MEBIBYTE
        config: dict[str, Any] = api.create_host_config(
            auto_remove=True,
            network_mode="none",
            dns=["127.0.0.1"],
            read_only=True,
            cap_drop=["ALL"],
            security_opt=["no-new-privileges"],
            init=False,
            ipc_mode="none",
            pids_limit=self.options.pids,
            mem_limit=memory,
            memswap_limit=memory,
            nano_cpus=int(self.options.cpus * 1e9),
            log_config={"Type": "none", "Config": {}},
            tmpfs=tmpfs(self.options.workspace_mb),
            ulimits=[{"Name": "core", "Soft": 0, "Hard": 0}],
            runtime=self.options.runtime,
        )
        return config


def tmpfs(workspace_mb: int) -> dict[str, str]:
    """Return the three file systems in memory to which a call can write."""
    mine = f"uid={program.NOBODY},gid={program.NOBODY}"
    common = "rw,nosuid,nodev"
    return {
        program.WORK: f"{common},exec,size={workspace_mb}m,nr_inodes=4096,mode=0700,{mine}",
        "/tmp": f"{common},noexec,size={program.TMP_MB}m,nr_inodes=1024,mode=1777",  # noqa: S108
        "/dev/shm": f"{common},noexec,size={program.SHM_MB}m,nr_inodes=1024,mode=1777",  # noqa: S108
    }


def connect(host: str | None = None, timeout: int = ENGINE_TIMEOUT) -> Any:
    """Return a client of the engine. Raises SandboxUnavailable where there is none."""
    try:
        import docker
    except ImportError:
        raise SandboxUnavailable("the Docker client is not installed: pip install docker") from None
    environment = {**os.environ, **({"DOCKER_HOST": host} if host else {})}
    address = environment.get("DOCKER_HOST") or DEFAULT_HOST
    over_ssh = address.startswith("ssh://")
    if over_ssh and find_spec("paramiko") is None:
        raise SandboxUnavailable(f'{address} needs an optional part: pip install "gym-desks[ssh]"')
    with translated():
        knock(address)
        return docker.from_env(environment=environment, timeout=timeout, use_ssh_client=over_ssh)


def knock(address: str) -> None:
    """Raise OSError where nobody listens on a Unix socket: the client would leave it open."""
    if address.startswith("unix://"):
        with socket.socket(socket.AF_UNIX) as trial:
            trial.settimeout(ENGINE_TIMEOUT)
            if trial.connect_ex(address.removeprefix("unix://")) != 0:
                raise OSError(f"nobody listens at {address}, or this user may not connect")


@contextlib.contextmanager
def connected(
    client: Any = None, host: str | None = None, timeout: int = ENGINE_TIMEOUT
) -> Iterator[Any]:
    """Lend a client: the given one, or one of its own that is closed in the end."""
    if client is not None:
        yield client
        return
    own = connect(host, timeout)
    try:
        yield own
    finally:
        own.close()


@contextlib.contextmanager
def translated() -> Iterator[None]:
    """Turn what the engine and the way to it raise into SandboxUnavailable."""
    import docker
    import requests

    try:
        yield
    except (docker.errors.DockerException, requests.RequestException, OSError) as error:
        raise SandboxUnavailable(
            f"the Docker engine cannot be used: {error} (install and start docker, and let this "
            "user reach it)"
        ) from None


def present_image(client: Any, image: str) -> bool:
    """Say whether the engine has an image."""
    import docker

    try:
        client.images.get(image)
    except docker.errors.ImageNotFound:
        return False
    return True


class Attachment:
    """The attached streams of a container: a socket, and the objects that keep it open."""

    def __init__(self, raw: Any) -> None:
        self._raw = raw
        self._socket = getattr(raw, "_sock", raw)
        self.settimeout = self._socket.settimeout
        self.recv = self._socket.recv
        self.sendall = self._socket.sendall
        self.shutdown = self._socket.shutdown

    def close(self) -> None:
        """Hang up."""
        response = getattr(self._raw, "_response", None)
        for part in (response, self._raw, self._socket):
            if part is not None:
                part.close()


def attached(api: Any, name: str) -> Attachment:
    """Return a connection to the streams of a container that has not started yet."""
    wanted = {"stdin": 1, "stdout": 1, "stderr": 1, "stream": 1}
    return Attachment(api.attach_socket(name, params=wanted))


def owner() -> str:
    """Return what tells this process from every other: machine, boot, number, start time."""
    return f"{platform.node()}:{boot()}:{os.getpid()}:{started(os.getpid())}"


@functools.cache
def boot() -> str:
    """Return a short identity of the time since this machine started."""
    return Path("/proc/sys/kernel/random/boot_id").read_text()[:8]


def started(pid: int) -> str:
    """Return when a process of this machine started, or nothing where there is none."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return ""
    return stat.rpartition(")")[2].split()[19]


def remove(host: str | None, name: str) -> None:
    """Remove a container, where the engine is not about to do it by itself. Never raises."""
    with (
        contextlib.suppress(SandboxUnavailable),
        connected(host=host, timeout=REMOVE_TIMEOUT) as client,
        translated(),
    ):
        client.api.remove_container(name, force=True)


def remove_leftovers(client: Any) -> list[str]:
    """Remove the containers of processes of this machine that have ended."""
    removed = []
    for container in client.containers.list(all=True, filters={"label": MARK}):
        if abandoned(container.labels.get(OWNER, "")):
            container.remove(force=True)
            removed.append(container.name)
    return removed


def abandoned(label: str) -> bool:
    """Say whether an owner is a process of this machine that has ended."""
    node, then, pid, start = label.split(":") if label.count(":") == 3 else ("", "", "", "")
    if node != platform.node() or not pid.isdigit():
        return False
    return then != boot() or started(int(pid)) != start
