"""The client against a peer that lies: SandboxDied in bounded time, and nothing else."""

from __future__ import annotations

import json
import socket
import struct
import time
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gym_desks.errors import SandboxDied, WorkspaceError
from gym_desks.sandbox import RunnerSandbox, SandboxOptions, client, stream
from gym_desks.sandbox.stream import FramedStream, Stream

GOOD = {"exit": 0, "stopped": "", "seconds": 0.1, "sizes": [2, 0], "kept": [2, 0, 0, 0]}
OPERATIONS = {
    "python": lambda box: box.python("1", 0.05),
    "bash": lambda box: box.bash("1", 0.05),
    "read": lambda box: box.read("a"),
    "write": lambda box: box.write("a", "text"),
    "paths": lambda box: box.paths(),
    "reset": lambda box: box.reset({"a": "text"}),
    "greet": lambda box: box.greet(0.05),
}


def message(value, raw: bytes = b"") -> bytes:
    text = value if isinstance(value, bytes) else json.dumps(value).encode()
    return struct.pack(">I", len(text)) + text + raw


def without(key: str) -> dict:
    return {name: value for name, value in GOOD.items() if name != key}


class Peer:
    """The other end of a box: what it will say is said before it is asked."""

    def __init__(self, says: bytes, *, framed: bool = False, hangs_up: bool = True) -> None:
        near, self.far = socket.socketpair()
        self.released = 0
        way = FramedStream(near) if framed else Stream(near, lambda: "")
        options = SandboxOptions(call_timeout=1.0)
        self.box = RunnerSandbox(way, options, self._release, b"payload")
        self.far.sendall(says)
        if hangs_up:
            self.far.shutdown(socket.SHUT_WR)

    def _release(self) -> None:
        self.released += 1

    def __enter__(self) -> Peer:
        return self

    def __exit__(self, *_: object) -> None:
        self.box.close()
        self.far.close()


@pytest.fixture(autouse=True)
def _little_patience(monkeypatch):
    monkeypatch.setattr(client, "GRACE", 0.2)
    monkeypatch.setattr(client, "PATIENCE", 0.2)
    monkeypatch.setattr(stream, "SEND_TIMEOUT", 0.3)


def test_a_peer_that_keeps_to_the_protocol_is_believed():
    with Peer(message(GOOD, b"42")) as peer:
        run = peer.box.python("1")
        assert (run.exit_code, run.stdout, run.stdout_bytes) == (0, "42", 2)


LIES = {
    "longest-length": b"\xff\xff\xff\xff",
    "long-length": struct.pack(">I", stream.MAX_MESSAGE + 1) + b"{" * (stream.MAX_MESSAGE + 1),
    "no-length": b"\0\0\0\0",
    "half-a-length": b"\0\0",
    "half-a-message": message(GOOD)[:-5],
    "half-the-output": message(GOOD, b"4"),
    "no-output": message(GOOD),
    "no-json": message(b"{"),
    "no-utf-8": message(b"\xff\xfe{}"),
    "utf-16": message(json.dumps(GOOD).encode("utf-16")[:-1]),
    "null": message(None),
    "a-list": message([GOOD]),
    "a-word": message("ok"),
    "deep": message(b'{"exit":' + b"[" * 60_000),
    "deep-object": message(b'{"a":' * 10_000),
    "huge-number": message(json.dumps(GOOD).replace("0.1", "9" * 5_000).encode()),
    "nan": message(GOOD | {"seconds": float("nan")}, b"42"),
    "infinity": message(json.dumps(GOOD).replace("0.1", "1e999").encode(), b"42"),
    "negative-time": message(GOOD | {"seconds": -1.0}, b"42"),
    "text-for-number": message(GOOD | {"exit": "0"}, b"42"),
    "truth-for-number": message(GOOD | {"exit": False}, b"42"),
    "fraction-for-number": message(GOOD | {"exit": 0.5}, b"42"),
    "wild-exit": message(GOOD | {"exit": 10**9}, b"42"),
    "unknown-reason": message(GOOD | {"stopped": "because"}, b"42"),
    "lone-surrogate": message(GOOD | {"stopped": "\ud800"}, b"42"),
    "extra-key": message(GOOD | {"reward": 1.0}, b"42"),
    "missing-key": message(without("kept"), b"42"),
    "missing-exit": message(without("exit"), b"42"),
    "negative-length": message(GOOD | {"kept": [-2, 4, 0, 0]}, b"42"),
    "more-than-kept": message(GOOD | {"kept": [1 << 27, 0, 0, 0], "sizes": [1 << 27, 0]}),
    "more-than-anything": message(GOOD | {"kept": [1 << 62, 0, 0, 0]}),
    "wrong-number-of-parts": message(GOOD | {"kept": [2]}, b"42"),
    "kept-more-than-there-was": message(GOOD | {"sizes": [1, 0]}, b"42"),
    "a-reply-to-another-question": message({"dirty": []}),
    "nothing": b"",
}


@pytest.mark.parametrize("lie", LIES)
@pytest.mark.parametrize("operation", ["python", "read"])
def test_a_lie_ends_the_box(lie, operation):
    with Peer(LIES[lie]) as peer:
        began = time.monotonic()
        with pytest.raises(SandboxDied):
            OPERATIONS[operation](peer.box)
        assert time.monotonic() - began < 2
        for other in OPERATIONS.values():
            with pytest.raises(SandboxDied):
                other(peer.box)
        assert peer.released == 1


@pytest.mark.parametrize("framed", [False, True])
def test_a_silent_peer_ends_the_box_at_its_deadline(framed):
    with Peer(b"", framed=framed, hangs_up=False) as peer:
        began = time.monotonic()
        with pytest.raises(SandboxDied):
            peer.box.python("1", 0.1)
        assert 0.2 < time.monotonic() - began < 2


def test_a_peer_that_trickles_gets_no_more_time():
    with Peer(struct.pack(">I", 1000), hangs_up=False) as peer:
        began = time.monotonic()
        with pytest.raises(SandboxDied):
            peer.box.python("1", 0.1)
        assert time.monotonic() - began < 2


def test_a_peer_that_does_not_read_ends_the_box():
    with Peer(b"", hangs_up=False) as peer:
        began = time.monotonic()
        with pytest.raises(SandboxDied):
            peer.box.write("a", "x" * 4_000_000)
        assert time.monotonic() - began < 3


@pytest.mark.parametrize(
    "hello",
    [
        {"version": 10**6},
        {"sha256": "0" * 64},
        {"sha256": None},
        {"python": "<script>"},
        {"python": "3.11.2\nroot"},
        {"uid": "0"},
        {"extra": 1},
    ],
    ids=json.dumps,
)
def test_a_runner_that_is_not_ours_is_sent_away(hello):
    good = {
        "version": client.program.PROTOCOL_VERSION,
        "sha256": client.program.digest(),
        "python": "3.11.2",
        "machine": "x86_64",
        "uid": 65534,
    }
    with Peer(message(good)) as peer:
        assert peer.box.greet(1.0).uid == 65534
    with Peer(message(good | hello)) as peer, pytest.raises(SandboxDied):
        peer.box.greet(1.0)


def listing(text: bytes) -> bytes:
    size = len(text)
    return message(GOOD | {"sizes": [size, 0], "kept": [size, 0, 0, 0]}, text)


@pytest.mark.parametrize(
    "names",
    [
        *(b"", b"null", b"{}", b"[1]", b'[["a"]]', b'"a"', b"[" * 100_000, b'["a"', b"\xff"),
        *(b'["/etc/passwd"]', b'["../up"]', b'["a/../../b"]', b'[""]', b'["a\\u0000b"]'),
    ],
    ids=lambda names: repr(names[:20]),
)
def test_a_listing_that_is_none_ends_the_box(names):
    with Peer(listing(names)) as peer:
        with pytest.raises(SandboxDied):
            peer.box.paths()
        assert peer.box.closed


@pytest.mark.parametrize("proof", [["/tmp"], "clean", None, [1], {}])
def test_a_reset_without_proof_ends_the_box(proof):
    wiped = message(GOOD | {"sizes": [0, 0], "kept": [0, 0, 0, 0]})
    with Peer(wiped + message({"dirty": proof})) as peer:
        with pytest.raises(SandboxDied):
            peer.box.reset({})
        assert peer.box.closed


def test_a_file_that_is_not_text_is_the_agents_fault():
    with Peer(message(GOOD, b"\xff\xfe")) as peer:
        with pytest.raises(WorkspaceError, match="UTF-8"):
            peer.box.read("a")
        assert not peer.box.closed


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=10,
)
NEARLY = st.fixed_dictionaries({}, optional={key: JSON | st.just(GOOD[key]) for key in GOOD})


@settings(max_examples=150, deadline=2_000, database=None)
@given(
    says=st.binary(max_size=200)
    | st.builds(message, NEARLY | JSON, st.binary(max_size=20))
    | st.lists(st.builds(message, NEARLY), max_size=3).map(b"".join),
    operation=st.sampled_from(sorted(OPERATIONS)),
    framed=st.booleans(),
)
def test_whatever_a_peer_says_is_a_result_or_a_typed_error(says, operation, framed):
    with Peer(says, framed=framed) as peer:
        try:
            OPERATIONS[operation](peer.box)
        except SandboxDied:
            assert peer.box.closed
            assert peer.released == 1
        except WorkspaceError:
            assert not peer.box.closed


def test_closing_twice_releases_once_and_never_raises():
    with Peer(b"") as peer:
        peer.far.close()
        peer.box.close()
        peer.box.close()
        with suppress(SandboxDied):
            peer.box.python("1")
        assert peer.released == 1
