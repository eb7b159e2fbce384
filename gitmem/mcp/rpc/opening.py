"""The first words of a connection, answered without the SDK, whose import takes most of a second.

What a client asks before it works (``initialize``, the lists, ``ping``) has answers that were
frozen when gitmem was made (``python -m docs.generate``). Only lines that are beyond doubt are
answered here; from the first other line on the SDK serves. It is given the opening request again,
so that it knows what was agreed, and the second answer to it is kept back.
"""

from __future__ import annotations

import os

from gitmem import __version__
from gitmem.text.json_reader import loads

TYPE_CHECKING = False  # importing typing costs 3 ms; type checkers know this name by itself
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

FOLDER = os.path.join(os.path.dirname(__file__), "frozen")
# Bytes of a line that may be read here, and of all that may be answered here: a pipe takes as many
# from us even if nobody ever reads it.
LONGEST, ROOM = 1 << 16, 60_000
_DEEPEST = 8
_KEY = "io.modelcontextprotocol/"
_VERSION, _CLIENT, _CAN = f"{_KEY}protocolVersion", f"{_KEY}clientInfo", f"{_KEY}clientCapabilities"
_BIGGEST_ID = 1 << 53
# Revisions whose answers to calls are told as they are, and what a call has there.
CALLING = ("2025-06-18", "2025-11-25")
_CALL = frozenset({"name", "arguments", "_meta"})
_INFO = frozenset({"name", "version", "title", "description", "websiteUrl", "icons"})


class Frozen:
    """The answers of one profile, by method and protocol version, as the SDK would write them."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self.latest: str = data.get("latest", "")
        self._answers: Mapping[str, Mapping[str, int]] = data.get("answers", {})
        self._texts: list[str] = data.get("texts", [])

    def knows(self, version: str) -> bool:
        """Whether this version of the protocol begins with a handshake."""
        return version in self._answers.get("initialize", {})

    def find(self, method: str, version: str) -> str | None:
        """The result of a method as JSON; None where it was not frozen."""
        number = self._answers.get(method, {}).get(version)
        return None if number is None else self._texts[number]


def read_frozen(profile: str, folder: str = FOLDER) -> Frozen:
    """The answers of a profile; none where the file is absent, damaged or of another version."""
    try:
        with open(os.path.join(folder, f"{profile}.json"), encoding="utf-8") as file:
            data = loads(file.read().strip())
        return Frozen(data if data["gitmem"] == __version__ else {})
    except (OSError, ValueError, LookupError, TypeError):
        return Frozen({})


class Opening:
    """A connection before the SDK.

    ``replay`` are the lines that the SDK needs to know too, ``answered`` the ids of those among
    them that the client has had its answer to.
    """

    def __init__(self, frozen: Frozen) -> None:
        self._frozen = frozen
        self._version = ""
        self._room = ROOM
        self.replay: list[bytes] = []
        self.answered: list[int | str] = []

    def answer(self, line: bytes) -> bytes | None:
        """The line to write, empty where nothing is to be said; None: the SDK has to serve it."""
        if not line.strip():
            return b""
        message = _message(line)
        if message is None:
            return None
        if "id" not in message:
            return self._noted(line, message)
        result = self._result(message)
        if result is None:
            return None
        id = message["id"]
        shown = f'"{id}"' if isinstance(id, str) else id
        answer = f'{{"jsonrpc":"2.0","id":{shown},"result":{result}}}\n'.encode()
        self._room -= len(answer)
        if self._room < 0:
            return None
        if not self.replay:
            self._version = _asked_version(message, self._frozen)
            self.replay.append(line)
            self.answered.append(id)
        return answer

    @property
    def calling(self) -> bool:
        """Whether the client has greeted in a revision whose calls need no SDK."""
        return self._version in CALLING

    @property
    def greeting(self) -> dict[str, Any]:
        """The parameters of the handshake, where there was one."""
        params: dict[str, Any] = loads(self.replay[0].decode("utf-8").strip())["params"]
        return params

    def call(self, line: bytes) -> dict[str, Any] | None:
        """The request for a tool, or the notice that one was cancelled; None for anything else."""
        shaken = self.calling and len(self.replay) > 1
        message = _message(line) if shaken else None
        if message is None:
            return None
        method, params = message["method"], message.get("params", {})
        if method == "notifications/cancelled" and "id" not in message:
            return message if _usual_id(params.get("requestId")) else None
        usual = (
            method == "tools/call"
            and "id" in message
            and params.keys() <= _CALL
            and isinstance(params.get("name"), str)
            and isinstance(params.get("arguments", {}), dict)
            and _usual_meta(params.get("_meta", {}))
        )
        return message if usual else None

    def again(self, rest: bytes) -> bytes:
        """What the SDK has to read first: what it needs to know too, and input not yet served."""
        return b"".join(line + b"\n" for line in self.replay) + rest

    def _noted(self, line: bytes, message: dict[str, Any]) -> bytes | None:
        usual = message["method"] == "notifications/initialized" and _bare(message.get("params"))
        if not (usual and self.replay and len(self.replay) < 8):
            return None
        self.replay.append(line)
        return b""

    def _result(self, message: dict[str, Any]) -> str | None:
        method, params = message["method"], message.get("params", {})
        if method == "initialize":
            if self.replay or not _greets(params):
                return None
            return self._frozen.find(method, _asked_version(message, self._frozen))
        version = _enveloped(params)
        if version is None:  # of a handshake's connection
            version = self._version
            if not (version and self._frozen.knows(version) and _bare(params)):
                return None
        elif self.replay and version != self._version:
            return None
        return self._frozen.find(method, version)


def _asked_version(message: dict[str, Any], frozen: Frozen) -> str:
    if message["method"] != "initialize":
        return str(message["params"]["_meta"][_VERSION])
    asked = message["params"]["protocolVersion"]
    return asked if frozen.knows(asked) else frozen.latest


def converse(
    read: Callable[[], bytes], write: Callable[[bytes], None], opening: Opening
) -> bytes | None:
    """Answer until a line needs the SDK; the input that the SDK has to read first.

    None where the input has ended and nothing is left to do.
    """
    rest = b""
    while chunk := read():
        rest += chunk
        while b"\n" in rest:
            line, _, after = rest.partition(b"\n")
            answer = opening.answer(line)
            if answer is None:
                return opening.again(rest)
            if answer:
                write(answer)
            rest = after
        if len(rest) > LONGEST:
            return opening.again(rest)
    return opening.again(rest) if rest else None


# --- what is beyond doubt ------------------------------------------------------------------------


def _message(line: bytes) -> dict[str, Any] | None:
    """The request or notification in a line, if there is nothing unusual about it."""
    if len(line) > LONGEST:
        return None
    try:
        message = loads(line.strip(b" \t\r").decode("utf-8"))
    except (ValueError, RecursionError):
        return None
    if not isinstance(message, dict) or not message.keys() <= {"jsonrpc", "id", "method", "params"}:
        return None
    usual = message.get("jsonrpc") == "2.0" and isinstance(message.get("method"), str)
    params = message.get("params", {})
    if not (usual and isinstance(params, dict) and _plain(params, _DEEPEST)):
        return None
    return message if "id" not in message or _usual_id(message["id"]) else None


def _usual_id(id: object) -> bool:
    """Whether it is written as it was read, without a thought of escapes and rounding."""
    if isinstance(id, str):
        return id.isascii() and id.isprintable() and not {'"', "\\"}.intersection(id)
    return type(id) is int and abs(id) < _BIGGEST_ID


def _plain(value: object, deep: int) -> bool:
    if isinstance(value, str):
        return not any("\ud800" <= letter <= "\udfff" for letter in value)
    if isinstance(value, dict):
        return deep > 0 and all(_plain(one, deep - 1) for both in value.items() for one in both)
    if isinstance(value, list):
        return deep > 0 and all(_plain(one, deep - 1) for one in value)
    # No decimals: some that Python reads are no JSON.
    return value is None or type(value) in (bool, int)


def _bare(params: Any) -> bool:
    """Whether these are parameters that say nothing (a cursor would); None: there are none."""
    return params is None or (params.keys() <= {"_meta"} and _usual_meta(params.get("_meta", {})))


def _usual_meta(meta: Any) -> bool:
    return (
        isinstance(meta, dict)
        and not any(key.startswith(_KEY) for key in meta)
        and ("progressToken" not in meta or _usual_id(meta["progressToken"]))
    )


def _enveloped(params: Any) -> str | None:
    """The version that a request of 2026 names in its envelope; None where it has none."""
    meta = params.get("_meta") if isinstance(params, dict) else None
    if not isinstance(meta, dict) or params.keys() != {"_meta"}:
        return None
    rest = {key: value for key, value in meta.items() if key not in (_VERSION, _CLIENT, _CAN)}
    said = _usual_meta(rest) and _capable(meta.get(_CAN))
    if not said or not (_CLIENT not in meta or _client(meta[_CLIENT])):
        return None
    version = meta.get(_VERSION)
    return version if isinstance(version, str) else None


def _greets(params: Any) -> bool:
    return (
        isinstance(params, dict)
        and params.keys() <= {"protocolVersion", "capabilities", "clientInfo", "_meta"}
        and isinstance(params.get("protocolVersion"), str)
        and _capable(params.get("capabilities"))
        and _client(params.get("clientInfo"))
        and _usual_meta(params.get("_meta", {}))
    )


def _client(info: Any) -> bool:
    if not isinstance(info, dict) or not {"name", "version"} <= info.keys() <= _INFO:
        return False
    texts = all(isinstance(value, str) for name, value in info.items() if name != "icons")
    icons = info.get("icons", [])
    return texts and isinstance(icons, list) and all(map(_icon, icons))


def _icon(value: Any) -> bool:
    if not isinstance(value, dict) or not {"src"} <= value.keys() <= {"src", "mimeType", "sizes"}:
        return False
    sizes = value.get("sizes", [])
    texts = isinstance(value["src"], str) and isinstance(value.get("mimeType", ""), str)
    return texts and isinstance(sizes, list) and all(isinstance(size, str) for size in sizes)


def _capable(capabilities: Any) -> bool:
    """Whether each capability is an object of objects, or of the one switch there is."""
    return isinstance(capabilities, dict) and all(
        isinstance(capability, dict)
        and all(
            isinstance(value, bool if name == "listChanged" else dict)
            for name, value in capability.items()
        )
        for capability in capabilities.values()
    )
