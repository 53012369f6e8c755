"""The image of the docker backend: built here, because there may be no registry to pull from.

Any image with python3 (3.9 or newer), bash, coreutils, find and grep will do. `build_image`
makes one of 60 MB from Debian packages, takes a base image, or copies this machine's own files.
"""

from __future__ import annotations

import hashlib
import io
import tarfile
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

from gym_desks.errors import ConfigurationError, SandboxUnavailable
from gym_desks.sandbox import archive
from gym_desks.sandbox.backends import docker as engine

REPOSITORY = engine.REPOSITORY
SOURCES = ("debs", "base", "host")
INSTRUCTIONS = (
    "USER 65534:65534",
    "WORKDIR /desk",
    'CMD ["python3"]',
    'LABEL org.opencontainers.image.title="gym-desks-sandbox"',
    'LABEL org.opencontainers.image.licenses="Apache-2.0"',
)


def ensure_image(client: Any) -> str:
    """Return the tag of the suite's image, building it where it is absent."""
    present = engine.present_image(client, engine.DEFAULT_IMAGE)
    return engine.DEFAULT_IMAGE if present else build_image(client=client)


def build_image(source: str = "debs", base_image: str | None = None, client: Any = None) -> str:
    """Make the image and return its tag, `gym-desks-sandbox:<digest of what went in>`.

    `source` is `debs` (Debian packages, by apt), `base` (a base image that is named, or is on
    the engine) or `host` (this machine's own files). Raises SandboxUnavailable.
    """
    if source not in SOURCES:
        raise ConfigurationError(f"source {source!r}: expected one of {', '.join(SOURCES)}")
    if (base_image is None) == (source == "base"):
        raise ConfigurationError("base_image is given if and only if source is 'base'")
    with engine.connected(client) as connection, engine.translated():
        if base_image is not None:
            return _built(connection.api, base_image)
        return _imported(connection.api, _from_debs if source == "debs" else archive.from_host)


def prune(client: Any = None) -> list[str]:
    """Remove containers whose owner is a process of this machine that has ended."""
    with engine.connected(client) as connection, engine.translated():
        return engine.remove_leftovers(connection)


def _from_debs(file: IO[bytes]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        archive.from_packages(archive.download(Path(folder)), file)


def _imported(api: Any, write: Callable[[IO[bytes]], None]) -> str:
    with tempfile.TemporaryFile() as file:
        write(file)
        file.seek(0)
        recipe = hashlib.file_digest(file, "sha256")
        recipe.update("\n".join(INSTRUCTIONS).encode())
        tag = recipe.hexdigest()[:12]
        file.seek(0)
        api.import_image_from_stream(
            iter(lambda: file.read(1 << 20), b""),  # chunks: the client announces no length
            repository=REPOSITORY,
            tag=tag,
            changes=list(INSTRUCTIONS),
        )
    return _tagged(api, f"{REPOSITORY}:{tag}")


def _built(api: Any, base_image: str) -> str:
    dockerfile = "\n".join(["ARG BASE_IMAGE", "FROM ${BASE_IMAGE} AS sandbox", *INSTRUCTIONS])
    identity = api.inspect_image(base_image)["Id"]
    tag = hashlib.sha256(f"{identity}\n{dockerfile}".encode()).hexdigest()[:12]
    steps = api.build(
        fileobj=_context(dockerfile.encode()),
        custom_context=True,
        buildargs={"BASE_IMAGE": base_image},
        network_mode="none",
        tag=f"{REPOSITORY}:{tag}",
        rm=True,
        decode=True,
    )
    for step in steps:
        if "error" in step:
            raise SandboxUnavailable(f"the engine could not build the image: {step['error']}")
    return _tagged(api, f"{REPOSITORY}:{tag}")


def _context(dockerfile: bytes) -> IO[bytes]:
    context = io.BytesIO()
    with tarfile.open(fileobj=context, mode="w") as tar:
        entry = tarfile.TarInfo("Dockerfile")
        entry.size = len(dockerfile)
        tar.addfile(entry, io.BytesIO(dockerfile))
    context.seek(0)
    return context


def _tagged(api: Any, tag: str) -> str:
    api.tag(tag, REPOSITORY, "latest")
    return tag
