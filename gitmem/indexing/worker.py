"""Splitting one file, and the main function of processes that split many.

Parsing runs C code on untrusted files: it may hang, crash or use up all memory. So it happens in
processes of their own, which have no access to the store and write nothing. A process reads tasks
from standard input and writes results to standard output, as length-prefixed ``marshal`` frames; it
ends with its input.
"""

from __future__ import annotations

import faulthandler
import marshal
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from itertools import islice

from gitmem.indexing import chunkers, code_chunker, file_filter, line_chunker, prose_chunker
from gitmem.indexing.line_chunker import Chunk
from gitmem.store.code.embedded_text import chunk_text_to_embed
from gitmem.store.db.content_hash import hash_text

TYPE_CHECKING = False  # importing typing costs each process 4 ms
if TYPE_CHECKING:
    from typing import Any, BinaryIO

    from gitmem.indexing.syntax.values import Definition, ParsedFile

    # What came out: why it was not cut, whether its syntax could not be read, pieces (start line,
    # end line, context, symbol, text, hash), definitions, mentions and imports as
    # ``store.symbols`` takes them, and what the code graph is made of.
    Result = tuple[
        str,
        bool,
        list[tuple[Any, ...]],
        list[tuple[Any, ...]],
        list[tuple[Any, ...]],
        list[tuple[Any, ...]],
        list[tuple[Any, ...]],
    ]
    Parse = Callable[[str, str, bytes], ParsedFile | None]

# A file to cut, as plain values: blob id, name of the way of cutting, language, path, content.
Task = tuple[str, str, str, str, bytes]
# What is stored of a signature and of a doc comment, in characters, and of the lines of a mention.
_SIGNATURE, _DOC, _MENTIONS = 400, 1_000, 200
# What is stored of one file at most. The largest of 950 sources of gitmem has 74 pieces and 120
# definitions; more pieces than this are made on purpose, and the file is left out.
PIECES, DEFINITIONS, NAMES, IMPORTS = 3_000, 5_000, 10_000, 2_000
# Bytes that a process may hold besides its libraries: parsing 400 KB takes up to 30 MB, of text
# made to cost much any number. One large file is read at a time, so that all stays below 250 MB.
_HELD = 176 << 20
# Seconds for a process to begin: a machine under load needs a few.
_START = 60.0


def split_file(task: Task, parse_file: Parse | None) -> Result:
    """A Result tuple with what is indexed of a file: its pieces, definitions, imports and uses.

    ``task`` has its content. ``parse_file`` reads the syntax; without it, or if it fails, the file
    is split by lines. Its first value is the reason why a file is not indexed, mostly "".
    """
    _, cutter, language, path, data = task
    how = chunkers.split_method_of_chunker(cutter)
    reason = file_filter.content_refusal_reason(
        data, file_filter.LARGEST_EVER, is_prose=how == "note"
    )
    if reason:
        return reason, False, [], [], [], [], []
    text = file_filter.decode_text(data)
    if how == "note":
        words, overlap = map(int, cutter.split("/")[2:])
        return _result(prose_chunker.split_prose(text, words_per_chunk=words, word_overlap=overlap))
    lines, shared = chunkers.lines_and_overlap_of_chunker(cutter)
    by_lines = partial(
        line_chunker.split_into_line_chunks, text, max_lines=lines, line_overlap=shared
    )
    if how == "script":
        how = "syntax" if language else "lines"
    if how == "lines" or parse_file is None:
        return _result(by_lines(), gave_up=how != "lines")
    try:
        # As it was decoded, so that lines and columns are those of the text.
        found = parse_file(language, path, text.encode("utf-8", "replace"))
    except Exception:
        return _result(by_lines(), gave_up=True)
    if found is None:
        return _result(by_lines())
    return _result(
        code_chunker.split_code(
            text, found.definitions, lines_per_chunk=lines, line_overlap=shared
        ),
        found,
    )


def _result(
    cut: Iterator[Chunk], parsed: ParsedFile | None = None, gave_up: bool = False
) -> Result:
    pieces = [
        (
            chunk.start_line,
            chunk.end_line,
            chunk.context,
            chunk.symbol,
            chunk.text,
            hash_text(chunk_text_to_embed(chunk.context, chunk.symbol, chunk.text)),
        )
        for chunk in islice(cut, PIECES + 1)
    ]
    if len(pieces) > PIECES:
        return "too many pieces", gave_up, [], [], [], [], []
    reason = "" if pieces else "empty"
    if parsed is None:
        return reason, gave_up, pieces, [], [], [], []
    defined = [_defined(definition) for definition in parsed.definitions[:DEFINITIONS]]
    imported = [
        (chunk.module, " ".join(chunk.names), chunk.line) for chunk in parsed.imports[:IMPORTS]
    ]
    return reason, gave_up, pieces, defined, _mentioned(parsed), imported, list(parsed.uses)


def _defined(definition: Definition) -> tuple[Any, ...]:
    return (
        definition.name,
        definition.kind,
        definition.signature[:_SIGNATURE],
        definition.doc[:_DOC],
        definition.container,
        definition.start_line,
        definition.end_line,
        bool(definition.exported),
    )


def _mentioned(parsed: ParsedFile) -> list[tuple[Any, ...]]:
    lines: dict[tuple[str, str], dict[int, None]] = {}
    for reference in parsed.references:
        lines.setdefault((reference.name, reference.kind), {})[reference.line] = None
    return [
        (name, kind, ",".join(map(str, sorted(where)[:_MENTIONS])))
        for (name, kind), where in islice(lines.items(), NAMES)
    ]


# --- the process --------------------------------------------------------------------------------


def run_worker(parser_name: str, max_cpu_seconds: float, max_memory_bytes: int) -> None:
    """Read tasks (files to split) from standard input, and write results until the input ends.

    ``parser_name`` names the function that reads syntax. The process ends if a file takes more than
    ``max_cpu_seconds`` of processor time or six times as long by the clock, or if it needs more
    than ``max_memory_bytes`` bytes, where the system can limit that.
    """
    _limit(max_memory_bytes)
    alarm = _alarm()
    # Whatever a library prints must not be taken for an answer.
    coming, going = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    with open(os.devnull, "w", encoding="ascii") as nowhere:
        os.dup2(nowhere.fileno(), 1)
        faulthandler.dump_traceback_later(_START, exit=True, file=nowhere)
        function = _function(parser_name)
        send_frame(going, ("ready",))
        for tasks in receive_frames(coming):
            for task in tasks:
                # Neither needs Python: they end the process though a grammar never comes back.
                alarm(max_cpu_seconds)
                faulthandler.dump_traceback_later(max_cpu_seconds * 6, exit=True, file=nowhere)
                result = split_file(task, function)
                faulthandler.cancel_dump_traceback_later()
                alarm(0)
                send_frame(going, result)


def _function(name: str) -> Parse:
    module, _, attribute = name.partition(":")
    __import__(module)
    found: Parse = getattr(sys.modules[module], attribute)
    return found


def _alarm() -> Callable[[float], object]:
    """What ends the process after some seconds of processor time; 0 stops the watch."""
    import signal  # noqa: PLC0415 - see below

    if not hasattr(signal, "setitimer"):  # Windows
        return lambda _seconds: None
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    return lambda seconds: signal.setitimer(signal.ITIMER_PROF, seconds)


def _limit(memory: int) -> None:
    import signal  # noqa: PLC0415 - only a process of its own may change these

    with suppress(ValueError, OSError):
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's affair
    try:
        import resource  # noqa: PLC0415 - Windows has none
    except ImportError:
        return
    held = min(memory, _HELD)
    for name, most in (("RLIMIT_AS", memory), ("RLIMIT_DATA", held), ("RLIMIT_CORE", 0)):
        with suppress(ValueError, OSError, AttributeError):
            resource.setrlimit(getattr(resource, name), (most, most))


def send_frame(stream: BinaryIO, value: Any) -> None:
    """Write a value as one frame: its length in eight bytes, then its marshal data."""
    data = marshal.dumps(value)
    stream.write(len(data).to_bytes(8, "little") + data)
    stream.flush()


def receive_frames(stream: BinaryIO) -> Iterator[Any]:
    """Yield the values of all frames until the stream ends; an incomplete last frame is ignored."""
    while len(head := stream.read(8)) == 8:
        size = int.from_bytes(head, "little")
        data = stream.read(size)
        if len(data) < size:
            return
        yield marshal.loads(data)
