"""Streams of bytes as text of a log: packed ones unpacked, cut ones read as far as they go, what is no log refused."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import select
import stat
from pathlib import Path
from typing import BinaryIO, cast
from zlib import error as ZlibError

MAGIC_BYTES = 8
WAIT_S = 10.0
"""How long a pipe may say nothing before and between its bytes."""
_SIGNS = ((b"\x1f\x8b", "gzip"), (b"BZh", "bzip2"), (b"\xfd7zXZ\x00", "xz"), (b"\x28\xb5\x2f\xfd", "zstd"))
_REFUSED = ((b"PK\x03\x04", "a zip archive"), (b"7z\xbc\xaf", "a 7z archive"), (b"\x04\x22\x4d\x18", "an lz4 file"))
CUT_ERRORS: tuple[type[Exception], ...] = (EOFError, OSError, ZlibError, lzma.LZMAError)
"""What a packed stream raises that ends early or is damaged."""
SAMPLE_BYTES = 1 << 16
_BINARY = bytes(n for n in range(32) if n not in (7, 8, 9, 10, 12, 13, 27)) + b"\x7f"


class NotALog(OSError):
    """A file that is no log; its text says what it is."""


def packing(head: bytes) -> str | None:
    """How a stream that begins with ``head`` is packed. Raises NotALog for archives that are not read."""
    for sign, what in _REFUSED:
        if head.startswith(sign):
            raise NotALog(f"{what}, which is not read; unpack it first")
    return next((name for sign, name in _SIGNS if head.startswith(sign)), None)


def unpacked(stream: BinaryIO) -> BinaryIO:
    """The stream as bytes of text, whatever of gzip, bzip2, xz and zstd it is packed with. Raises NotALog."""
    buffered = stream if isinstance(stream, io.BufferedReader) else io.BufferedReader(cast("io.RawIOBase", stream))
    kind = packing(buffered.peek(MAGIC_BYTES)[:MAGIC_BYTES])
    if kind == "gzip":
        return cast("BinaryIO", gzip.open(buffered))
    if kind == "bzip2":
        return cast("BinaryIO", bz2.open(buffered))
    if kind == "xz":
        return cast("BinaryIO", lzma.open(buffered))
    return _zstd(buffered) if kind == "zstd" else cast("BinaryIO", buffered)


def _zstd(stream: io.BufferedReader) -> BinaryIO:
    try:
        import zstandard  # optional: an extra of the distribution
    except ModuleNotFoundError as error:
        raise NotALog("zstd, which needs the package zstandard; or unpack it with zstd -d") from error
    return cast("BinaryIO", zstandard.ZstdDecompressor().stream_reader(stream, read_across_frames=True))


def cut_errors() -> tuple[type[Exception], ...]:
    """Errors of a packed stream that ends early or is damaged."""
    try:
        import zstandard  # optional
    except ModuleNotFoundError:
        return CUT_ERRORS
    return (*CUT_ERRORS, zstandard.ZstdError)


def opened(path: str) -> BinaryIO:
    """A file or pipe for reading. Raises OSError; NotALog for devices, sockets and pipes that say nothing."""
    mode = os.stat(path).st_mode
    if stat.S_ISFIFO(mode):
        return _pipe(path)
    if not stat.S_ISREG(mode):
        raise NotALog("a folder" if stat.S_ISDIR(mode) else "a device or socket, not a file")
    return Path(path).open("rb")


def _pipe(path: str) -> BinaryIO:
    number = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    stream = io.BufferedReader(_Waiting(number))
    try:
        if not select.select([number], [], [], WAIT_S)[0] or not stream.peek(1):
            raise NotALog(f"a pipe into which nothing was written for {WAIT_S:.0f} s")
    except BaseException:
        stream.close()
        raise
    return cast("BinaryIO", stream)


class _Waiting(io.RawIOBase):
    """A pipe that is read without waiting for ever: silence is taken for its end."""

    def __init__(self, number: int) -> None:
        self._number = number

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        view = memoryview(cast("bytearray", buffer))
        if not select.select([self._number], [], [], WAIT_S)[0]:
            raise EOFError(f"nothing more was written for {WAIT_S:.0f} s")
        try:
            data = os.read(self._number, len(view))
        except BlockingIOError:
            return 0
        view[: len(data)] = data
        return len(data)

    def close(self) -> None:
        if not self.closed:
            os.close(self._number)
        super().close()


def is_text(sample: bytes) -> bool:
    """Whether bytes may be a log's: in no encoding is one in twenty a control sign.

    UTF-16 is text too: it was turned into UTF-8 before, or its zeros are left out here.
    """
    rest = sample.replace(b"\0", b"") if sample.count(b"\0") * 5 < len(sample) * 3 else sample
    return len(rest.translate(None, _BINARY)) >= 0.95 * len(rest)
