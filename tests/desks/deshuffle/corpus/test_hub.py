"""The pinned download against a small hub on the loopback interface."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

import gym_desks
from gym_desks.desks.deshuffle.corpus import hub

pytest.importorskip("huggingface_hub")

FIRST, SECOND = "data/arxiv.jsonl", "data/biorxiv.jsonl"
ROOT = Path(gym_desks.__file__).parents[1]
SHOW = """
import json
from gym_desks.desks.deshuffle.corpus import load_corpus
corpus = load_corpus("papers")
print(json.dumps([corpus.name, corpus.revision, [p.paper_id for p in corpus.papers]]))
"""
DOWNLOAD = """
from gym_desks.desks.deshuffle.corpus import download
print(download())
"""


class Hub(ThreadingHTTPServer):
    """Serves one dataset as the hub's API does; the attributes are its misdeeds."""

    def __init__(self, files):
        super().__init__(("127.0.0.1", 0), Answer)
        self.files = files
        self.sha = hub.REVISION
        self.sent = dict(files)
        self.requests = []

    @property
    def address(self):
        return f"http://127.0.0.1:{self.server_port}"


class Answer(BaseHTTPRequestHandler):
    server: Hub

    def do_HEAD(self):
        self.answer(with_body=False)

    def do_GET(self):
        self.answer(with_body=True)

    def answer(self, with_body):
        path = self.path.partition("?")[0]
        self.server.requests.append((self.command, path))
        if path == f"/api/datasets/{hub.DATASET}/revision/{hub.REVISION}":
            return self.send(json.dumps(self.listing()).encode(), with_body, {})
        name = path.removeprefix(f"/datasets/{hub.DATASET}/resolve/{hub.REVISION}/")
        if name not in self.server.files:
            return self.send_error(404)
        listed = self.server.files[name]
        headers = {"X-Repo-Commit": hub.REVISION, "ETag": f'"{identity(name, listed)}"'}
        return self.send(self.server.sent[name] if with_body else listed, with_body, headers)

    def listing(self):
        siblings = [
            {"rfilename": name, "size": len(content), **checksums(name, content)}
            for name, content in self.server.files.items()
        ]
        return {"id": hub.DATASET, "sha": self.server.sha, "siblings": siblings}

    def send(self, content, with_body, headers):
        self.send_response(200)
        for key, value in {"Content-Length": str(len(content)), **headers}.items():
            self.send_header(key, value)
        self.end_headers()
        if with_body:
            self.wfile.write(content)

    def log_message(self, *_):
        """Say nothing."""


def identity(name, content):
    """Large files go by their SHA-256, small ones by git's checksum."""
    if name == FIRST:
        return hashlib.sha256(content).hexdigest()
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()


def checksums(name, content):
    if name != FIRST:
        return {"blobId": identity(name, content)}
    lfs = {"size": len(content), "sha256": identity(name, content), "pointerSize": 130}
    return {"blobId": "0" * 40, "lfs": lfs}


@pytest.fixture
def server():
    def lines(source):
        papers = [
            {"id": f"{source}-{n}", "source": source, "paragraphs": [f"{n}, {k}" for k in range(6)]}
            for n in range(20)
        ]
        return "".join(json.dumps(paper) + "\n" for paper in papers).encode()

    served = Hub({"README.md": b"# Papers", FIRST: lines("arxiv"), SECOND: lines("biorxiv")})
    thread = threading.Thread(target=served.serve_forever, daemon=True)
    thread.start()
    yield served
    served.shutdown()
    served.server_close()
    thread.join()


@pytest.fixture
def run(server, tmp_path):
    """Run a script in a process of its own, whose hub is `server` and whose caches are new."""

    def start(script, **environment):
        kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
        done = subprocess.run(
            [sys.executable, "-c", script],
            env={
                **kept,
                "PYTHONPATH": str(ROOT),
                "HOME": str(tmp_path),
                "XDG_CACHE_HOME": str(tmp_path / "cache"),
                "HF_HOME": str(tmp_path / "hf"),
                "HF_ENDPOINT": server.address,
                "HF_HUB_DISABLE_TELEMETRY": "1",
                "HF_HUB_DISABLE_XET": "1",
                **environment,
            },
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        return done.returncode, done.stdout.strip(), done.stderr.strip().rpartition("\n")[2]

    return start


def test_a_whole_download_is_used_offline_ever_after(run, server, tmp_path):
    code, manifest, error = run(DOWNLOAD)
    assert (code, Path(manifest).parent) == (0, tmp_path / "cache" / "gym-desks"), error
    server.requests.clear()
    code, shown, error = run(SHOW, HF_HUB_OFFLINE="1")
    assert code == 0, error
    name, revision, ids = json.loads(shown)
    assert (name, revision) == ("papers", hub.REVISION)
    assert ids == [f"{source}-{n}" for source in ("arxiv", "biorxiv") for n in range(20)]
    assert run(DOWNLOAD, HF_HUB_OFFLINE="1")[:2] == (0, manifest)
    assert server.requests == []


def test_without_a_download_the_command_is_named(run):
    code, _, error = run(SHOW)
    assert code == 1
    assert "CorpusError" in error
    assert "not downloaded; run: gym-desks corpus download" in error


def refused(run, because):
    code, _, error = run(DOWNLOAD)
    assert code == 1
    assert "CorpusError" in error
    assert because in error
    code, _, error = run(SHOW)
    assert code == 1
    assert "run: gym-desks corpus download" in error


def test_a_cut_off_transfer_is_never_used_and_can_be_made_good(run, server):
    whole = server.files[SECOND]
    server.sent[SECOND] = whole[: whole.rindex(b"\n", 0, -1) + 1]
    refused(run, "could not be fetched whole")
    server.sent[SECOND] = whole
    assert run(DOWNLOAD)[0] == 0
    assert run(SHOW)[0] == 0


@pytest.mark.parametrize("name", [FIRST, SECOND])
def test_a_file_with_another_checksum_is_never_used(name, run, server):
    server.sent[name] = server.files[name].replace(b"3, 4", b"4, 3")
    refused(run, "another checksum")


def test_another_revision_is_refused(run, server):
    server.sha = "f" * 40
    refused(run, f"revision {'f' * 40}, expected {hub.REVISION}")


def test_a_dataset_without_jsonl_shows_its_files(run, server):
    server.files = {"README.md": b"# Papers", "papers.parquet": b"PAR1"}
    refused(run, "no JSONL file; its files: README.md, papers.parquet")


def test_without_a_network_the_error_is_the_corpuss(run):
    refused_by = run(DOWNLOAD, HF_ENDPOINT="http://127.0.0.1:9")
    assert refused_by[0] == 1
    assert "CorpusError" in refused_by[2]
    assert "could not be fetched whole" in refused_by[2]


@pytest.mark.parametrize(
    ("damage", "because"),
    [
        (lambda raw: raw[: len(raw) // 2], "no longer whole"),
        (lambda raw: raw.replace(b"3, 4", b"4, 3"), "was altered"),
    ],
)
def test_a_cache_that_changed_is_not_used_and_is_fetched_again(damage, because, run):
    manifest = json.loads(Path(run(DOWNLOAD)[1]).read_text(encoding="utf-8"))
    path = Path(manifest["files"][0]["path"])
    path.write_bytes(damage(path.read_bytes()))
    code, _, error = run(SHOW)
    assert code == 1
    assert because in error
    assert run(DOWNLOAD)[0] == 0
    assert run(SHOW)[0] == 0


@pytest.mark.parametrize(
    ("text", "because"),
    [
        ("{", "is damaged"),
        ("[]", "is damaged"),
        ('{"dataset": "x", "revision": "y"}', "another one"),
    ],
)
def test_a_manifest_that_is_none_is_refused(text, because, run):
    manifest = Path(run(DOWNLOAD)[1])
    manifest.write_text(text, encoding="utf-8")
    code, _, error = run(SHOW)
    assert code == 1
    assert because in error


def test_the_extra_is_named_where_the_client_is_missing(run):
    blocked = f"import sys; sys.modules['huggingface_hub'] = None\n{DOWNLOAD}"
    code, _, error = run(blocked)
    assert code == 1
    assert (
        "MissingExtra: the corpus 'papers' needs an optional part: pip install \"gym-desks[hub]\""
        in error.replace("gym_desks.errors.", "")
    )
