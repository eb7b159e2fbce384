"""Ways of reading syntax that go wrong as C code does; worker processes load them by name."""

from __future__ import annotations

import ctypes
import os
import time

from gitmem.indexing.syntax.values import Definition, ParsedFile


def parse(language: str, path: str, data: bytes) -> ParsedFile | None:
    """Does what the file says; else finds one definition, as long as the file."""
    word = data.split()[0] if data.split() else b""
    if word == b"HANG":
        time.sleep(600)
    elif word == b"SPIN":
        while True:
            pass
    elif word == b"PAUSE":
        ctypes.PyDLL(None).pause()  # holds the interpreter's lock and never comes back
    elif word == b"CRASH":
        ctypes.string_at(0)
    elif word == b"LEAVE":
        os._exit(0)
    elif word == b"EAT":
        held = [bytearray(64 << 20) for _ in range(400)]
        del held
    elif word == b"RAISE":
        raise RuntimeError("a bug")
    elif word == b"PRINT":
        print("noise", flush=True)
        os.write(1, b"noise")
    lines = data.count(b"\n") + 1
    known = Definition("found", "function", "", "", "", 1, lines, True, 1)
    return ParsedFile((known,), (), (), False)


def slow(language: str, path: str, data: bytes) -> ParsedFile | None:
    """Takes its time, so that somebody can stop in the middle."""
    time.sleep(0.05)
    return parse(language, path, data)
