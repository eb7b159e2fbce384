"""``gitmem hook AGENT EVENT``, which hosts start at events of their sessions.

A hook that fails, hangs or prints the wrong thing disturbs somebody's work. So this always ends
within two seconds, with status 0, nothing on standard error, and on standard output an answer that
the host accepts: text for its model, or the host's empty answer. Errors go to the log.
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

    from gitmem.agents.events.hook_event import HookEvent

# Seconds from here; Python's start and the last line in the log take additional time.
DEADLINE = 1.5
_LAST_WORDS = 0.2
_CHUNK = 1 << 16
_TRIES = 8
_LARGEST_LOG = 1 << 20


def is_call_by_agent_host(arguments: Sequence[str]) -> bool:
    """Return whether an agent's program calls the hook, and not a person who asks for help.

    ``arguments`` are the words of the command line, ``hook`` first.
    """
    return len(arguments) > 1 and not {"-h", "--help"}.intersection(arguments)


def run(arguments: Sequence[str], folder: str = "") -> int:
    """Answer the program of an agent (Claude Code, Codex ...) that runs a hook; always return 0.

    ``arguments`` are the words ``hook``, agent and event; the event's data come on standard input.
    ``folder`` is where to work; if empty or ".", the data name it. Errors go to the log.
    """
    agent, event = (*arguments[1:3], "", "")[:2]
    hook_call = _HookCall(agent, event)
    try:
        hook_call.start_deadline()
        _answer(hook_call, folder)
    except (NotARepository, NotInitialized):
        pass  # a user's hook also runs in projects without gitmem
    except GitmemError as error:
        hook_call.log(error.message)
    except BaseException as error:
        with suppress(BaseException):
            _report(error, hook_call)
    hook_call.finish_call()
    return 0


def _answer(hook_call: _HookCall, place: str) -> None:
    moment = _read(hook_call.agent, hook_call.event)
    from gitmem.agents.events import dispatch  # noqa: PLC0415
    from gitmem.app import App  # noqa: PLC0415 - not for an invalid payload
    from gitmem.clock import SystemClock  # noqa: PLC0415
    from gitmem.settings import Settings  # noqa: PLC0415

    app = App(
        Settings.of_process(),
        SystemClock(),
        _folder(moment) if place in ("", ".") else place,
        agent=moment.agent,
    )
    try:
        output = responses.format_answer(moment, dispatch.answer_event(app, moment))
        hook_call.write_answer(
            output, is_answer_unwanted=lambda: not dispatch.may_print_answer(app, moment)
        )
        dispatch.start_due_maintenance(app, moment)
    finally:
        app.close()


class _HookCall:
    """One call of a hook, which gives exactly one answer, in time."""

    def __init__(self, agent: str, event: str) -> None:
        self.agent, self.event = agent, event
        self._working = _thread.allocate_lock()
        self._answering = _thread.allocate_lock()
        self._working.acquire()
        self._answered = False
        # Loaded now: at the deadline, whatever blocks an import would block this one too.
        self._silence = responses.empty_answer(agent, event)
        # Only the answer may reach the host: anything else that prints would spoil it.
        self._streams = [_set_aside(number) for number in (1, 2)]

    def start_deadline(self) -> None:
        """Start a thread that answers and ends the process 1.5 seconds (``DEADLINE``) from now."""
        with suppress(RuntimeError):  # no thread can be started: go on without
            _thread.start_new_thread(self._watch, ())

    def write_answer(
        self, output: bytes, is_answer_unwanted: Callable[[], bool] | None = None
    ) -> None:
        """Write the answer to standard output, if none is written yet.

        If ``is_answer_unwanted()`` is true, the empty answer is written instead.
        """
        if self._answering.acquire(False):
            _write(
                self._streams[0],
                self._silence if is_answer_unwanted and is_answer_unwanted() else output,
            )
            self._answered = True

    def finish_call(self) -> None:
        """End the call: write the empty answer if none was written, and stop the deadline."""
        self.write_answer(self._silence)
        if not self._answered:
            time.sleep(2 * _LAST_WORDS)  # the watch is about to end the process
        self._working.release()
        for number, stream in enumerate((sys.stdout, sys.stderr), 1):
            with suppress(OSError, ValueError, AttributeError):
                stream.flush()
            _restore(number, self._streams[number - 1])

    def log(self, message: str) -> None:
        """Write a line about this call to the log of errors, if that is possible; never raise."""
        is_known = self.agent in hook_event.AGENTS and self.event in hook_event.EVENTS
        name = f"{self.agent} {self.event}" if is_known else "(unknown)"
        with suppress(Exception):
            _log(f"gitmem hook {name}: {message}")

    def _watch(self) -> None:
        if self._working.acquire(True, DEADLINE):
            return
        with suppress(RuntimeError):
            # Whatever blocks the other threads may block the log as well.
            _thread.start_new_thread(_exit_after, (_LAST_WORDS,))
            self.write_answer(self._silence)
            self.log(f"it had not finished after {DEADLINE:g} seconds and was stopped.")
        os._exit(0)


def _exit_after(seconds: float) -> None:
    time.sleep(seconds)
    os._exit(0)


def _read(agent: str, event: str) -> HookEvent:
    """The event on standard input. Raises InvalidInput.

    Some hosts keep the pipe open after the JSON object, so parse it as soon as it may be complete.
    Others fail if the pipe is closed while they write, so read even what is too large.
    """
    data, tries = bytearray(), 0
    while chunk := _read_chunk():
        if len(data) <= hook_event.LARGEST:
            data += chunk
        if tries < _TRIES and chunk.rstrip().endswith(b"}"):
            tries += 1
            with suppress(InvalidInput):
                return hook_event.parse_hook_payload(agent, event, bytes(data))
    return hook_event.parse_hook_payload(agent, event, bytes(data))


def _read_chunk() -> bytes:
    """The next piece of standard input; empty at its end, if it is closed, or on a terminal."""
    if sys.stdin is None or os.isatty(0):
        return b""
    with suppress(OSError):
        return os.read(0, _CHUNK)
    return b""


def _folder(moment: HookEvent) -> str:
    """The host's working folder if it exists, else the one in which it started the hook."""
    folder = moment.cwd
    if os.name == "nt" and folder[:1] == "/" and folder[2:3] == ":":
        folder = folder[1:]  # "/C:/..." of hosts built on web technology
    return folder if os.path.isabs(folder) and os.path.isdir(folder) else "."


def _set_aside(number: int) -> int:
    """Redirect a standard stream to the null device; returns a copy of it, -1 if it was closed."""
    copy = -1
    with suppress(OSError):
        copy = os.dup(number)
    with suppress(OSError):
        null = os.open(os.devnull, os.O_WRONLY)
        if null != number:
            os.dup2(null, number)
            os.close(null)
    return copy


def _restore(number: int, copy: int) -> None:
    if copy >= 0:
        os.dup2(copy, number)
        os.close(copy)


def _write(stream: int, output: bytes) -> None:
    # Not through sys.stdout, which may lack characters or be None.
    with suppress(OSError):  # the host did not wait
        while output:
            output = output[os.write(stream, output) :]


def _report(error: BaseException, hook_call: _HookCall) -> None:
    if isinstance(error, KeyboardInterrupt):
        hook_call.log("it was interrupted.")
        return
    from gitmem import crashlog  # noqa: PLC0415 - only for a bug

    crashlog.record_crash(error, [f"hook {hook_call.agent} {hook_call.event}"])


def _log(line: str) -> None:
    from gitmem.clock import SystemClock, format_iso  # noqa: PLC0415 - only where something went wrong
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
            f"== {format_iso(SystemClock().now())} {redact(line).text}\n".encode(
                "utf-8", "replace"
            ),
        )
    finally:
        os.close(handle)
