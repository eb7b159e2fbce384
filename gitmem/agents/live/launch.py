"""Running hooks and servers as a host does, in a temporary repository.

One memory there holds a canary phrase: the output shows whether it would reach the model. Which
calls may be made is decided in ``installed_commands``.
"""

from __future__ import annotations

import json
import os
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from gitmem.agents.hosts import host_paths
from gitmem.agents.hosts.host import Host
from gitmem.agents.hosts.output import HookOutput
from gitmem.agents.hosts.scene import SampleSession
from gitmem.errors import InvalidInput
from gitmem.model.frozen import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping
    from subprocess import Popen  # noqa: TID251 - its name only

    from gitmem.agents.hosts.host import Host
    from gitmem.agents.wiring.installed_commands import InstalledCommand

LIMIT = 20.0  # seconds, if the host's file sets none
SERVER_LIMIT = 30.0
_FAREWELL = 2.0
_LARGEST = 4 << 20  # bytes of an answer
_SHELL = "/bin/sh"
# The PATH of programs started from a desktop; a terminal's is much longer.
_DESKTOP = {host_paths.MAC: "/usr/bin:/bin:/usr/sbin:/sbin"}
_DESKTOP_PATH = "/usr/local/bin:/usr/bin:/bin"
_PASSED_ON = frozenset(
    {
        *("HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "TMPDIR", "TZ", "SHELL"),
        *("USERPROFILE", "APPDATA", "LOCALAPPDATA", "SYSTEMROOT", "TEMP", "TMP", "PATHEXT"),
        *("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"),
    }
)


@dataclass(frozen=True, slots=True)
class Sandbox:
    """A temporary repository in which hooks and servers are tried, and its data folder.

    ``phrase`` is in a memory there: seen in an output, it shows that memories reach the model.
    """

    folder: str
    data: str
    phrase: str


@dataclass(frozen=True, slots=True)
class LaunchResult:
    """What came of running a hook or a server; ``trouble`` is what went wrong, else empty.

    ``text`` is what would reach the model, ``size`` the characters of the whole output, ``tools``
    the number of tools that a server offers, ``seconds`` the time it took.
    """

    trouble: str
    seconds: float
    text: str = ""
    size: int = 0
    tools: int = 0


def host_environment(
    base_environment: Mapping[str, str], sandbox: Sandbox, host: Host, *, desktop_system: str = ""
) -> dict[str, str]:
    """The environment variables with which an agent program (``host``) starts hooks and servers.

    ``desktop_system`` is the system (as in ``sys.platform``) if the program was started from a
    desktop, empty if from a shell. None of the user's variables for git and gitmem are in it.
    """
    variables = {k: v for k, v in base_environment.items() if not k.startswith(("GIT_", "GITMEM_"))}
    if desktop_system:
        variables = {k: v for k, v in variables.items() if k in _PASSED_ON}
        own_path = _DESKTOP.get(desktop_system, _DESKTOP_PATH)
        # Windows has the same PATH everywhere.
        variables["PATH"] = (
            base_environment.get("PATH", "") if desktop_system == host_paths.WINDOWS else own_path
        )
    templates = host.live.environment
    own = {name: value.replace("{project}", sandbox.folder) for name, value in templates.items()}
    return variables | own | {"GITMEM_HOME": sandbox.data}


def run_hook(
    installed: InstalledCommand,
    host: Host,
    sandbox: Sandbox,
    environment: Mapping[str, str],
    session_id: str,
) -> LaunchResult:
    """Run an installed hook for a made-up event as its agent program would; returns a LaunchResult.

    It runs in ``sandbox`` with ``environment``; ``session_id`` is that of the made-up session. The
    result has a ``trouble`` if the hook fails or its text would not reach the model.
    """
    scene = SampleSession(sandbox.folder, session_id, os.path.join(sandbox.folder, "README.md"))
    payload = json.dumps(host.live.sample(installed.event, scene)).encode()
    words = (
        [_SHELL, "-c", installed.line]
        if installed.line and os.name == "posix"
        else list(installed.words)
    )
    begin, logged = time.monotonic(), _read_log(sandbox)
    try:
        status, out, err = _run(
            words, environment, sandbox.folder, payload, installed.seconds or LIMIT
        )
    except InvalidInput as error:
        return LaunchResult(error.message, time.monotonic() - begin)
    seconds = time.monotonic() - begin
    if status:
        return LaunchResult(f"it exited with status {status}{_last_line(err)}", seconds)
    if err.strip():
        return LaunchResult(f"it wrote to standard error{_last_line(err)}", seconds)
    if fresh := _read_log(sandbox)[len(logged) :]:
        return LaunchResult(f"it wrote to its log{_last_line(fresh)}", seconds)
    return _judge(installed, host, sandbox, out, seconds)


def _judge(
    installed: InstalledCommand, host: Host, sandbox: Sandbox, out: bytes, seconds: float
) -> LaunchResult:
    try:
        text = text_reaching_model(host, installed.event, out)
    except InvalidInput as error:
        return LaunchResult(error.message, seconds)
    size = len(out.decode("utf-8", "replace"))
    cap = host.live.cap
    if size > cap:
        return LaunchResult(
            f"its output has {size:,} characters, and the host accepts {cap:,}", seconds
        )
    if host.live.oriented_at == installed.event and sandbox.phrase not in text:
        trouble = "its output does not contain the saved memory" if text else "it printed nothing"
        return LaunchResult(trouble, seconds, text, size)
    return LaunchResult("", seconds, text, size)


def text_reaching_model(host: Host, event: str, output: bytes) -> str:
    """The text in a hook's output that would reach the model; empty if none does.

    ``host`` is the agent program. Raises InvalidInput if it would refuse the output.
    """
    try:
        text = output.decode("utf-8").strip()
    except UnicodeDecodeError as error:
        raise InvalidInput("the hook's output is not UTF-8") from error
    return host.live.reads(event, HookOutput(text)) if text else ""


def _read_log(sandbox: Sandbox) -> bytes:
    """gitmem's error log in the place, to which hooks write what they may not print."""
    try:
        with open(os.path.join(sandbox.data, "errors.log"), "rb") as file:
            return file.read(_LARGEST)
    except OSError:
        return b""


def _last_line(err: bytes) -> str:
    """The last line of an error output after a colon; empty if there is none."""
    lines = err.decode("utf-8", "replace").strip().splitlines()
    return f": {lines[-1].strip()[:160]}" if lines else ""


def _run(
    words: list[str], env: Mapping[str, str], cwd: str, given: bytes, seconds: float
) -> tuple[int, bytes, bytes]:
    """Exit status, output and error output. Raises InvalidInput if it cannot run to its end."""
    import subprocess  # noqa: PLC0415, TID251 - it stands for a host, which starts its hooks

    with _start(words, env, cwd) as child:
        try:
            out, err = child.communicate(given, timeout=seconds)
        except subprocess.TimeoutExpired:
            raise InvalidInput(f"the program did not exit within {seconds:g} seconds") from None
        finally:
            _end(child)
    return child.returncode, out[:_LARGEST], err[:_LARGEST]


def _start(words: list[str], env: Mapping[str, str], cwd: str) -> Popen[bytes]:
    import subprocess  # noqa: PLC0415, TID251 - as above

    try:
        return subprocess.Popen(
            words,
            env=dict(env),
            cwd=cwd,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,  # so that its children can be killed as well
        )
    except (OSError, ValueError) as error:
        reason = (
            error.strerror
            if isinstance(error, OSError)
            else "its command line cannot be split into words"
        )
        raise InvalidInput(f"the program cannot be started: {reason}") from error


def _end(child: Popen[bytes]) -> None:
    """Kill a process with its children, if it still runs."""
    # Unread input is still in the pipe's buffer, and would raise wherever the pipe is closed.
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


def run_server(
    installed: InstalledCommand, sandbox: Sandbox, environment: Mapping[str, str]
) -> LaunchResult:
    """Start an installed MCP server in ``sandbox``, count its tools and end it.

    Returns a LaunchResult with the number of tools and the seconds, or the ``trouble``.
    """
    begin = time.monotonic()
    try:
        with _start(list(installed.words), environment, sandbox.folder) as child:
            try:
                tools = _count_tools(child, begin + SERVER_LIMIT)
                seconds = time.monotonic() - begin
                _close(child)
            finally:
                _end(child)
    except InvalidInput as error:
        return LaunchResult(error.message, time.monotonic() - begin)
    return LaunchResult("" if tools else "the server offers no tools", seconds, tools=tools)


def _close(child: Popen[bytes]) -> None:
    """Close the server's input, as clients do, and give it a moment to end."""
    import subprocess  # noqa: PLC0415, TID251 - for one exception

    assert child.stdin is not None
    with suppress(OSError, subprocess.TimeoutExpired):
        child.stdin.close()
        child.wait(_FAREWELL)


def _count_tools(child: Popen[bytes], end: float) -> int:
    """The number of tools that a server offers. Raises InvalidInput for a wrong or no answer."""
    import queue  # noqa: PLC0415 - for `doctor --live` only
    import threading  # noqa: PLC0415

    lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    errors: list[bytes] = []

    def queue_output_lines() -> None:
        assert child.stdout is not None
        # After a wrong answer the pipes are closed while these threads still read.
        with suppress(OSError, ValueError):
            while line := child.stdout.readline(_LARGEST):
                lines.put(line)
        lines.put(b"")

    def keep_last_error_line() -> None:
        assert child.stderr is not None
        with suppress(OSError, ValueError):
            while line := child.stderr.readline(_LARGEST):
                errors[:] = [line] if line.strip() else errors

    threading.Thread(target=queue_output_lines, daemon=True).start()
    drained = threading.Thread(target=keep_last_error_line, daemon=True)
    drained.start()

    def wait_for_answer(request_number: int) -> dict[str, Any]:
        while True:
            try:
                line = lines.get(timeout=max(0.0, end - time.monotonic()))
            except queue.Empty:
                late = f"the server did not answer within {SERVER_LIMIT:g} seconds"
                raise InvalidInput(late) from None
            if not line:
                drained.join(1)  # the reason comes through the other pipe
                last = _last_line(b"".join(errors))
                raise InvalidInput(f"the server exited before it answered{last}")
            message = _message(line)
            if message.get("id") == request_number:
                return message

    _send(child, 1, "initialize", _HELLO)
    _result(wait_for_answer(1), "serverInfo")
    _send(child, 0, "notifications/initialized", None)
    _send(child, 2, "tools/list", {})
    tools = _result(wait_for_answer(2), "tools")
    return len(tools) if isinstance(tools, list) else 0


_HELLO = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "gitmem-doctor", "version": "1"},
}


def _send(child: Popen[bytes], number: int, method: str, params: dict[str, Any] | None) -> None:
    message: dict[str, Any] = {"jsonrpc": "2.0", "method": method}
    if number:
        message["id"] = number
    if params is not None:
        message["params"] = params
    assert child.stdin is not None
    with suppress(OSError):  # it has exited: waiting for its answer will say so
        child.stdin.write(json.dumps(message).encode() + b"\n")
        child.stdin.flush()


def _message(line: bytes) -> dict[str, Any]:
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        raise InvalidInput("the server's output contains lines that are not JSON") from None
    return message if isinstance(message, dict) else {}


def _result(message: dict[str, Any], key: str) -> Any:
    result = message.get("result")
    if not isinstance(result, dict) or key not in result:
        raise InvalidInput("the server answered with an error")
    return result[key]
