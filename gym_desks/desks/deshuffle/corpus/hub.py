"""The pinned public corpus: fetched once, verified, then read offline.

The files stay in the hub client's own cache. A manifest of ours names each with its size and
SHA-256; it is written last, in one step, and only when every file is whole by the publisher's
checksums. Loading believes the manifest alone, and compares again: a half-downloaded or
altered corpus is never used. Loading needs neither the network nor the client.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gym_desks.desks.deshuffle.corpus.jsonl import SUFFIXES, replacing
from gym_desks.desks.deshuffle.corpus.model import folded
from gym_desks.errors import CorpusError, MissingExtra

if TYPE_CHECKING:
    from huggingface_hub import HfApi
    from huggingface_hub.hf_api import RepoSibling

NAME = "papers"
DATASET = "PrimeIntellect/deshuffle-papers-v1-corpus"
REVISION = "dbd5cd49aff9fc1bbdc2579ff6d861ca2c868bfa"

_AGAIN = "run: gym-desks corpus download"


@dataclass(frozen=True, slots=True)
class Verified:
    """A downloaded file and what it held when it was found whole."""

    path: Path
    size: int
    sha256: str

    def check(self) -> None:
        """Raise CorpusError unless the file still holds exactly that."""
        if not self.path.is_file() or self.path.stat().st_size != self.size:
            raise CorpusError(f"the corpus {NAME!r} is no longer whole in the cache; {_AGAIN}")
        if _sha256(self.path) != self.sha256:
            raise CorpusError(f"the corpus {NAME!r} was altered in the cache; {_AGAIN}")


def located() -> tuple[Verified, ...]:
    """Return the files of the manifest, unread. Raises CorpusError where there is none."""
    try:
        manifest = json.loads(_manifest().read_text(encoding="utf-8"))
        if (manifest["dataset"], manifest["revision"]) != (DATASET, REVISION):
            raise CorpusError(f"the manifest of the corpus {NAME!r} is of another one; {_AGAIN}")
        return tuple(_entry(entry) for entry in manifest["files"])
    except FileNotFoundError:
        raise CorpusError(f"the corpus {NAME!r} is not downloaded; {_AGAIN}") from None
    except (KeyError, TypeError, json.JSONDecodeError):
        raise CorpusError(f"the manifest of the corpus {NAME!r} is damaged; {_AGAIN}") from None


def download() -> Path:
    """Fetch the corpus unless it is here and whole; return the path of its manifest."""
    with suppress(CorpusError):
        for file in located():
            file.check()
        return _manifest()
    files = _fetched()
    entries = [{"path": str(f.path), "size": f.size, "sha256": f.sha256} for f in files]
    record = {"dataset": DATASET, "revision": REVISION, "files": entries}
    _manifest().parent.mkdir(parents=True, exist_ok=True)
    with replacing(_manifest()) as stream:
        json.dump(record, stream, indent=1)
    return _manifest()


def _manifest() -> Path:
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(home) / "gym-desks" / f"{NAME}-{REVISION}.json"


def _entry(entry: Mapping[str, Any]) -> Verified:
    return Verified(Path(entry["path"]), int(entry["size"]), str(entry["sha256"]))


def _fetched() -> list[Verified]:
    try:
        from huggingface_hub import HfApi
        from huggingface_hub.errors import HTTPError  # type: ignore[attr-defined]  # its client's
    except ImportError:
        raise MissingExtra(f"the corpus {NAME!r}", "hub") from None
    hub = HfApi(library_name="gym-desks")
    try:
        info = hub.dataset_info(DATASET, revision=REVISION, files_metadata=True)
        if info.sha != REVISION:
            raise CorpusError(f"the hub answered with revision {info.sha}, expected {REVISION}")
        there = sorted(info.siblings or (), key=lambda file: file.rfilename)
        wanted = [file for file in there if file.rfilename.endswith(SUFFIXES)]
        if not wanted:
            names = ", ".join(file.rfilename for file in there[:20])
            raise CorpusError(f"{DATASET} has no JSONL file; its files: {names or 'none'}")
        return [_whole(hub, file) for file in wanted]
    except (OSError, HTTPError) as error:
        raise CorpusError(
            f"{DATASET} could not be fetched whole, and nothing of it is used: {folded(str(error))}"
        ) from None


def _whole(hub: HfApi, file: RepoSibling) -> Verified:
    """Fetch a file until it is what its publisher lists: once more where the cache's is not."""
    for again in (False, True):
        path = Path(
            hub.hf_hub_download(
                DATASET,
                file.rfilename,
                repo_type="dataset",
                revision=REVISION,
                force_download=again,
            )
        )
        found = Verified(path, path.stat().st_size, _sha256(path))
        if _is_listed(found, file):
            return found
    raise CorpusError(
        f"{file.rfilename} of {DATASET} came with {found.size} bytes and another checksum than "
        f"its publisher lists for its {file.size} bytes; nothing of it is used"
    )


def _is_listed(found: Verified, file: RepoSibling) -> bool:
    """Compare with the listed size and checksum: SHA-256, or git's own for a small file."""
    if found.size != file.size:
        return False
    if file.lfs:
        return found.sha256 == file.lfs.sha256
    return _git_id(found) == file.blob_id


def _sha256(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _git_id(file: Verified) -> str:
    digest = hashlib.sha1(b"blob %d\0" % file.size, usedforsecurity=False)
    with file.path.open("rb") as stream:
        return hashlib.file_digest(stream, lambda: digest).hexdigest()
