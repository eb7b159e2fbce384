"""``gitmem hook AGENT EVENT``: what a host starts at a moment of its session.

A hook that fails, waits or talks out of turn breaks somebody's work. So this ends within two
seconds whatever happens, with status 0, nothing on standard error, and on standard output what the
host takes for an answer: a text for its model, or its own way of saying nothing. What went wrong
is a line in the log.
"""

from __future__ import annotations

import _thread
import os
import sys
import time
from contextlib import suppress

from gitmem.agents.events import hook_event, responses
from gitmem.errors import GitmemError, InvalidInput, NotARepository, NotInitialized

TYPE_CHECKING = False  # importing typing costs 3 ms; type checkers know this name by itself
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gitmem.agents.events.hook_event import Moment

# Seconds from here; Python's own start and the last line in the log come on top of it.
DEADLINE = 1.5
_LAST_WORDS = 0.2
_CHUNK = 1 << 16
_TRIES = 8
_LARGEST_LOG = 1 << 20


def understood(words: Sequence[str]) -> bool:
    """Whether a host is calling; a person who asks for help is answered by click."""
    return len(words) > 1 and not {"-h", "--help"}.intersection(words)


def run(words: Sequence[str], place: str = "") -> int:
    """Answer a host: ``words`` are hook, agent and event. Always 0.

    ``place`` is the folder to work in; without one (or with ".") the host's payload tells it.
    """
    agent, event = (*words[1:3], "", "")[:2]
    rim = _Rim(agent, event)
    try:
        rim.watch()
        _answer(rim, place)
    except (NotARepository, NotInitialized):
        pass  # a hook for every project is called in those without memories, too
    except GitmemError as error:
        rim.log(error.message)
    except BaseException as error:
        with suppress(BaseException):
            _report(error, rim)
    rim.leave()
    return 0


def _answer(rim: _Rim, place: str) -> None:
    told = _read(rim.agent, rim.event)
    from gitmem.agents.events import dispatch  # noqa: PLC0415
    from gitmem.app import App  # noqa: PLC0415 - not for a hook that is told nonsense
    from gitmem.clock import SystemClock  # noqa: PLC0415
    from gitmem.settings import Settings  # noqa: PLC0415

    app = App(
        Settings.of_process(),
        SystemClock(),
        _folder(told) if place in ("", ".") else place,
        agent=told.agent,
    )
    try:
        output = responses.say(told, dispatch.answer(app, told))
        rim.speak(output, unless=lambda: not dispatch.is_still_mine(app, told))
        dispatch.start_upkeep(app, told)
    finally:
        app.close()


class _Rim:
    """One call of a hook: who called, and that exactly one answer is given, in time."""

    def __init__(self, agent: str, event: str) -> None:
        self.agent, self.event = agent, event
        self._working = _thread.allocate_lock()
        self._voice = _thread.allocate_lock()
        self._working.acquire()
        self._spoken = False
        # Known from the start: at the deadline whatever holds imports up would hold this up, too.
        self._silence = responses.silence(agent, event)
        # Only the answer reaches the host: what anything else prints would spoil it (ML-41).
        self._streams = [_set_aside(number) for number in (1, 2)]

    def watch(self) -> None:
        """From now on the process ends in time."""
        with suppress(RuntimeError):  # no thread to be had: then without
            _thread.start_new_thread(self._watch, ())

    def speak(self, output: bytes, unless: Callable[[], bool] | None = None) -> None:
        """Write the answer, or silence where ``unless`` holds, unless one is written already."""
        if self._voice.acquire(False):
            _write(self._streams[0], self._silence if unless and unless() else output)
            self._spoken = True

    def leave(self) -> None:
        """The work is done; whoever said nothing yet says so, and the deadline is off."""
        self.speak(self._silence)
        if not self._spoken:
            time.sleep(2 * _LAST_WORDS)  # the watch is about to end the process
        self._working.release()
        for number, stream in enumerate((sys.stdout, sys.stderr), 1):
            with suppress(OSError, ValueError, AttributeError):
                stream.flush()
            _put_back(number, self._streams[number - 1])

    def log(self, message: str) -> None:
        """A line in the log, if it can be written."""
        known = self.agent in hook_event.AGENTS and self.event in hook_event.EVENTS
        name = f"{self.agent} {self.event}" if known else "(unknown)"
        with suppress(Exception):
            _log(f"gitmem hook {name}: {message}")

    def _watch(self) -> None:
        if self._working.acquire(True, DEADLINE):
            return
        with suppress(RuntimeError):
            # Whatever holds the others up may hold up the log as well.
            _thread.start_new_thread(_end, (_LAST_WORDS,))
            self.speak(self._silence)
            self.log(f"it had not finished after {DEADLINE:g} seconds and was stopped.")
        os._exit(0)


def _end(seconds: float) -> None:
    time.sleep(seconds)
    os._exit(0)


def _read(agent: str, event: str) -> Moment:
    """The moment told on standard input. Raises InvalidInput.

    Some hosts keep the pipe open after the object; it is read as soon as it is whole. Others fail
    where a pipe is closed before they wrote everything; so what is too much is read, too.
    """
    data, tries = bytearray(), 0
    while chunk := _chunk():
        if len(data) <= hook_event.LARGEST:
            data += chunk
        if tries < _TRIES and chunk.rstrip().endswith(b"}"):
            tries += 1
            with suppress(InvalidInput):
                return hook_event.read(agent, event, bytes(data))
    return hook_event.read(agent, event, bytes(data))


def _chunk() -> bytes:
    """The next piece of standard input; empty at its end, where it is closed, or on a terminal."""
    if sys.stdin is None or os.isatty(0):
        return b""
    with suppress(OSError):
        return os.read(0, _CHUNK)
    return b""


def _folder(moment: Moment) -> str:
    """Where the host works, if that is a folder, else where it started the hook."""
    folder = moment.cwd
    if os.name == "nt" and folder[:1] == "/" and folder[2:3] == ":":
        folder = folder[1:]  # how hosts made of web technology write C:
    return folder if os.path.isabs(folder) and os.path.isdir(folder) else "."


def _set_aside(number: int) -> int:
    """Send a standard stream nowhere; where it went before, -1 if it was closed."""
    kept = -1
    with suppress(OSError):
        kept = os.dup(number)
    with suppress(OSError):
        null = os.open(os.devnull, os.O_WRONLY)
        if null != number:
            os.dup2(null, number)
            os.close(null)
    return kept


def _put_back(number: int, kept: int) -> None:
    if kept >= 0:
        os.dup2(kept, number)
        os.close(kept)


def _write(stream: int, output: bytes) -> None:
    # Not through sys.stdout: its encoding could lose an answer, and it could be None.
    with suppress(OSError):  # the host did not wait
        while output:
            output = output[os.write(stream, output) :]


def _report(error: BaseException, rim: _Rim) -> None:
    if isinstance(error, KeyboardInterrupt):
        rim.log("it was interrupted.")
        return
    from gitmem import crashlog  # noqa: PLC0415 - only for a bug

    crashlog.record(error, [f"hook {rim.agent} {rim.event}"])


def _log(line: str) -> None:
    from gitmem.clock import SystemClock, iso  # noqa: PLC0415 - only where something went wrong
    from gitmem.settings import Settings  # noqa: PLC0415
    from gitmem.text.redact import redact  # noqa: PLC0415

    settings = Settings.of_process(lenient=True)
    path = settings.log_file
    if not path or settings.text("log.level") == "off":
        return
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    if os.path.exists(path) and os.path.getsize(path) > _LARGEST_LOG:
        os.replace(path, path + ".old")
    handle = os.open(path, os.O_APPEND | os.O_CREAT | os.O_WRONLY, 0o600)
    try:
        os.write(
            handle,
            f"== {iso(SystemClock().now())} {redact(line).text}\n".encode("utf-8", "replace"),
        )
    finally:
        os.close(handle)
