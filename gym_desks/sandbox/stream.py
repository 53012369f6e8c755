"""A duplex byte stream to process 1 of a sandbox, and messages over it.

What comes back is data of a hostile peer: lengths are bounded before anything is read, and
whatever does not fit ends the sandbox. Waiting is by poll, inside socket timeouts, so
descriptors above 1,023 are fine.
"""

from __future__ import annotations

import contextlib
import json
import socket
import struct
import time
from collections.abc import Callable
from typing import Any, Protocol

from gym_desks.errors import SandboxDied

MAX_MESSAGE = 1 << 16
MAX_RAW = 256 << 20
SEND_TIMEOUT = 60.0


class Connection(Protocol):
    """What a stream needs of a socket."""

    def settimeout(self, value: float | None, /) -> None: ...

    def recv(self, size: int, /) -> bytes: ...

    def sendall(self, data: bytes, /) -> None: ...

    def shutdown(self, how: int, /) -> None: ...

    def close(self) -> None: ...


class Stream:
    """Bytes to and from process 1. `ended` says what the backend knows about its end."""

    def __init__(self, connection: Connection, ended: Callable[[], str]) -> None:
        self._connection = connection
        self._ended = ended

    def send(self, data: bytes) -> None:
        """Write all of it, or raise SandboxDied."""
        try:
            self._connection.settimeout(SEND_TIMEOUT)
            self._connection.sendall(data)
        except (OSError, ValueError) as error:
            raise self._died(f"cannot be written to ({error})") from None

    def receive(self, size: int, deadline: float) -> bytes:
        """Read this many bytes before a monotonic deadline, or raise SandboxDied."""
        pieces, left = [], size
        while left:
            piece = self._receive_some(left, deadline)
            pieces.append(piece)
            left -= len(piece)
        return b"".join(pieces)

    def _receive_some(self, most: int, deadline: float) -> bytes:
        piece = self._raw(min(most, 1 << 20), deadline)
        if not piece:
            raise self._died("ended")
        return piece

    def _raw(self, most: int, deadline: float) -> bytes:
        left = deadline - time.monotonic()
        try:
            self._connection.settimeout(max(left, 0.001))
            return self._connection.recv(most)
        except TimeoutError:
            raise self._died("did not answer in time") from None
        except (OSError, ValueError) as error:
            raise self._died(f"cannot be read from ({error})") from None

    def _died(self, what: str) -> SandboxDied:
        known = self._ended()
        return SandboxDied(f"the sandbox {what}" + (f": {known}" if known else ""))

    def finish(self, patience: float) -> None:
        """Say that nothing more will come, and wait until the other side has gone.

        A thread that waits for an answer wakes up, with an error.
        """
        deadline = time.monotonic() + patience
        with contextlib.suppress(OSError, ValueError, SandboxDied):
            self._connection.shutdown(socket.SHUT_WR)
            while self._raw(1 << 16, deadline):
                pass
        with contextlib.suppress(OSError, ValueError):
            self._connection.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Let go of this process's end."""
        with contextlib.suppress(OSError, ValueError):
            self._connection.close()


class FramedStream(Stream):
    """The engine's way to send two outputs in one stream: frames with a head of 8 bytes."""

    def __init__(self, connection: Connection) -> None:
        super().__init__(connection, lambda: self._errors.decode("utf-8", "replace").strip())
        self._left = 0
        self._errors = b""

    def _receive_some(self, most: int, deadline: float) -> bytes:
        while self._left == 0:
            kind, size = struct.unpack(">BxxxI", self._exactly(8, deadline))
            if kind == 1:
                self._left = size
            else:
                self._errors = (self._errors + self._exactly(size, deadline))[-4_000:]
        piece = super()._receive_some(min(most, self._left), deadline)
        self._left -= len(piece)
        return piece

    def _exactly(self, size: int, deadline: float) -> bytes:
        data = b""
        while len(data) < size:
            data += super()._receive_some(size - len(data), deadline)
        return data


def send_message(stream: Stream, message: dict[str, Any], raw: bytes = b"") -> None:
    """Write one message with its raw bytes."""
    text = json.dumps(message).encode()
    stream.send(struct.pack(">I", len(text)) + text + raw)


def receive_message(stream: Stream, deadline: float) -> dict[str, Any]:
    """Read the JSON of one message: an object of bounded length."""
    (size,) = struct.unpack(">I", stream.receive(4, deadline))
    if size > MAX_MESSAGE:
        raise SandboxDied(f"the sandbox announced a message of {size} bytes")
    try:
        message = json.loads(stream.receive(size, deadline))
    except (ValueError, RecursionError):
        raise SandboxDied("the sandbox sent something that is not JSON") from None
    if not isinstance(message, dict):
        raise SandboxDied("the sandbox sent JSON that is not an object")
    return message
