"""Firing a hook and starting a server as a host does, where nothing of the user's can be touched.

The place is a repository and a data folder made for it: there a memory with a canary phrase waits,
and what comes back shows whether it would reach the model. Which calls may be made at all,
``installed_commands`` decides.
"""

from __future__ import annotations

import json
import os
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from gitmem.agents.hosts import host_paths
from gitmem.agents.hosts.host import Host
from gitmem.agents.hosts.output import Output
from gitmem.agents.hosts.scene import Scene
from gitmem.errors import InvalidInput
from gitmem.model.frozen import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping
    from subprocess import Popen  # noqa: TID251 - its name only

    from gitmem.agents.hosts.host import Host
    from gitmem.agents.wiring.installed_commands import Call

LIMIT = 20.0  # seconds, where the host's file sets none
SERVER_LIMIT = 30.0
_FAREWELL = 2.0
_LARGEST = 4 << 20  # bytes of an answer
_SHELL = "/bin/sh"
# What programs started from a desktop find on their PATH; a terminal's is much longer.
_DESKTOP = {host_paths.MAC: "/usr/bin:/bin:/usr/sbin:/sbin"}
_DESKTOP_PATH = "/usr/local/bin:/usr/bin:/bin"
_KEPT = frozenset(
    {
        *("HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "TMPDIR", "TZ", "SHELL"),
        *("USERPROFILE", "APPDATA", "LOCALAPPDATA", "SYSTEMROOT", "TEMP", "TMP", "PATHEXT"),
        *("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"),
    }
)


@dataclass(frozen=True, slots=True)
class Place:
    """Where calls are made: a repository, gitmem's data folder for it, and the canary phrase."""

    folder: str
    data: str
    phrase: str


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of a call: ``trouble`` tells why it is no good, empty where it is.

    ``text`` is what would reach the model, ``size`` the characters of the whole output, ``tools``
    how many a server offers, ``seconds`` how long it took.
    """

    trouble: str
    seconds: float
    text: str = ""
    size: int = 0
    tools: int = 0


def environment(
    given: Mapping[str, str], place: Place, host: Host, *, desktop: str = ""
) -> dict[str, str]:
    """What a host gives what it starts; ``desktop`` names the system if it came from there.

    gitmem's own variables are left out, so that nothing leads to a store of the user's.
    """
    kept = {k: v for k, v in given.items() if not k.startswith(("GIT_", "GITMEM_"))}
    if desktop:
        kept = {k: v for k, v in kept.items() if k in _KEPT}
        own_path = _DESKTOP.get(desktop, _DESKTOP_PATH)
        # Windows has one for all.
        kept["PATH"] = given.get("PATH", "") if desktop == host_paths.WINDOWS else own_path
    own = host.live.environment
    theirs = {name: value.replace("{project}", place.folder) for name, value in own.items()}
    return kept | theirs | {"GITMEM_HOME": place.data}


def fire(call: Call, host: Host, place: Place, env: Mapping[str, str], session: str) -> Answer:
    """Run a hook with what its host would tell it; ``session`` is the host's id of the session."""
    scene = Scene(place.folder, session, os.path.join(place.folder, "README.md"))
    given = json.dumps(host.live.sample(call.event, scene)).encode()
    words = [_SHELL, "-c", call.line] if call.line and os.name == "posix" else list(call.words)
    begin, logged = time.monotonic(), _logged(place)
    try:
        status, out, err = _run(words, env, place.folder, given, call.seconds or LIMIT)
    except InvalidInput as error:
        return Answer(error.message, time.monotonic() - begin)
    seconds = time.monotonic() - begin
    if status:
        return Answer(f"it exited with status {status}{_said(err)}", seconds)
    if err.strip():
        return Answer(f"it wrote to standard error{_said(err)}", seconds)
    if fresh := _logged(place)[len(logged) :]:
        return Answer(f"it wrote to its log{_said(fresh)}", seconds)
    return _judged(call, host, place, out, seconds)


def _judged(call: Call, host: Host, place: Place, out: bytes, seconds: float) -> Answer:
    try:
        text = reached(host, call.event, out)
    except InvalidInput as error:
        return Answer(error.message, seconds)
    size = len(out.decode("utf-8", "replace"))
    cap = host.live.cap
    if size > cap:
        return Answer(f"its output has {size:,} characters, and the host accepts {cap:,}", seconds)
    if host.live.told_at == call.event and place.phrase not in text:
        told = "its output does not contain the saved memory" if text else "it printed nothing"
        return Answer(told, seconds, text, size)
    return Answer("", seconds, text, size)


def reached(host: Host, event: str, output: bytes) -> str:
    """The text that reaches the model, empty for none. Raises InvalidInput where it is refused."""
    try:
        told = output.decode("utf-8").strip()
    except UnicodeDecodeError as error:
        raise InvalidInput("its output is not UTF-8") from error
    return host.live.reads(event, Output(told)) if told else ""


def _logged(place: Place) -> bytes:
    """gitmem's log of errors there, to which hooks write what they may not say aloud."""
    try:
        with open(os.path.join(place.data, "errors.log"), "rb") as file:
            return file.read(_LARGEST)
    except OSError:
        return b""


def _said(err: bytes) -> str:
    """The last line of an error, where there is one."""
    lines = err.decode("utf-8", "replace").strip().splitlines()
    return f": {lines[-1].strip()[:160]}" if lines else ""


def _run(
    words: list[str], env: Mapping[str, str], cwd: str, given: bytes, seconds: float
) -> tuple[int, bytes, bytes]:
    """Status and both outputs. Raises InvalidInput, telling why there are none."""
    import subprocess  # noqa: PLC0415, TID251 - it stands for a host, which starts its hooks

    with _started(words, env, cwd) as child:
        try:
            out, err = child.communicate(given, timeout=seconds)
        except subprocess.TimeoutExpired:
            raise InvalidInput(f"it did not exit within {seconds:g} seconds") from None
        finally:
            _end(child)
    return child.returncode, out[:_LARGEST], err[:_LARGEST]


def _started(words: list[str], env: Mapping[str, str], cwd: str) -> Popen[bytes]:
    import subprocess  # noqa: PLC0415, TID251 - as above

    try:
        return subprocess.Popen(
            words,
            env=dict(env),
            cwd=cwd,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,  # so that all of it can be ended
        )
    except (OSError, ValueError) as error:
        told = (
            error.strerror
            if isinstance(error, OSError)
            else "its arguments cannot be split into words"
        )
        raise InvalidInput(f"it cannot be started: {told}") from error


def _end(child: Popen[bytes]) -> None:
    """End it with all that it started and did not detach; nothing where it has ended."""
    # What it never read is still in the pipe's buffer, and would be an error wherever it is closed.
    if child.stdin is not None:
        with suppress(OSError):
            child.stdin.close()
    if child.poll() is not None:
        return
    with suppress(OSError):
        if os.name == "posix":
            os.killpg(child.pid, 9)
        else:
            child.kill()


def serve(call: Call, place: Place, env: Mapping[str, str]) -> Answer:
    """Start a server, ask it to initialize and for its tools, and end it."""
    begin = time.monotonic()
    try:
        with _started(list(call.words), env, place.folder) as child:
            try:
                tools = _asked(child, begin + SERVER_LIMIT)
                seconds = time.monotonic() - begin
                _leave(child)
            finally:
                _end(child)
    except InvalidInput as error:
        return Answer(error.message, time.monotonic() - begin)
    return Answer("" if tools else "it offers no tools", seconds, tools=tools)


def _leave(child: Popen[bytes]) -> None:
    """Close its input, as clients do, and give it a moment to end by itself."""
    import subprocess  # noqa: PLC0415, TID251 - for one exception

    assert child.stdin is not None
    with suppress(OSError, subprocess.TimeoutExpired):
        child.stdin.close()
        child.wait(_FAREWELL)


def _asked(child: Popen[bytes], end: float) -> int:
    """How many tools a server offers. Raises InvalidInput where it does not answer rightly."""
    import queue  # noqa: PLC0415 - only here is somebody waited for
    import threading  # noqa: PLC0415

    lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    errors: list[bytes] = []

    def listen() -> None:
        assert child.stdout is not None
        # The pipes are closed under these threads when the last answer was wrong.
        with suppress(OSError, ValueError):
            while line := child.stdout.readline(_LARGEST):
                lines.put(line)
        lines.put(b"")

    def drain() -> None:
        assert child.stderr is not None
        with suppress(OSError, ValueError):
            while line := child.stderr.readline(_LARGEST):
                errors[:] = [line] if line.strip() else errors

    threading.Thread(target=listen, daemon=True).start()
    drained = threading.Thread(target=drain, daemon=True)
    drained.start()

    def answer(number: int) -> dict[str, Any]:
        while True:
            try:
                line = lines.get(timeout=max(0.0, end - time.monotonic()))
            except queue.Empty:
                raise InvalidInput(f"it did not answer within {SERVER_LIMIT:g} seconds") from None
            if not line:
                drained.join(1)  # its last words come through the other pipe
                raise InvalidInput(f"it exited before it answered{_said(b''.join(errors))}")
            told = _message(line)
            if told.get("id") == number:
                return told

    _tell(child, 1, "initialize", _HELLO)
    _result(answer(1), "serverInfo")
    _tell(child, 0, "notifications/initialized", None)
    _tell(child, 2, "tools/list", {})
    tools = _result(answer(2), "tools")
    return len(tools) if isinstance(tools, list) else 0


_HELLO = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "gitmem-doctor", "version": "1"},
}


def _tell(child: Popen[bytes], number: int, method: str, params: dict[str, Any] | None) -> None:
    told: dict[str, Any] = {"jsonrpc": "2.0", "method": method}
    if number:
        told["id"] = number
    if params is not None:
        told["params"] = params
    assert child.stdin is not None
    with suppress(OSError):  # it ended: what it answered, or not, is told below
        child.stdin.write(json.dumps(told).encode() + b"\n")
        child.stdin.flush()


def _message(line: bytes) -> dict[str, Any]:
    try:
        told = json.loads(line)
    except (ValueError, RecursionError):
        raise InvalidInput("it writes something other than messages to its output") from None
    return told if isinstance(told, dict) else {}


def _result(told: dict[str, Any], key: str) -> Any:
    result = told.get("result")
    if not isinstance(result, dict) or key not in result:
        raise InvalidInput("it answers with an error")
    return result[key]
