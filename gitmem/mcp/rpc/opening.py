"""The first requests of a connection, answered without the SDK, which takes long to import.

``initialize``, the lists and ``ping`` have answers that are generated at release
(``python -m docs.generate``). Only lines without anything unusual are answered here; from the first
other line on the SDK serves. It gets the opening request again, to know what was agreed, and its
second answer to it is dropped.
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
# Bytes of a line that is read here, and of all answers given here: a pipe takes as many even if the
# client never reads.
LONGEST, ROOM = 1 << 16, 60_000
_DEEPEST = 8
_KEY = "io.modelcontextprotocol/"
_VERSION, _CLIENT, _CAN = f"{_KEY}protocolVersion", f"{_KEY}clientInfo", f"{_KEY}clientCapabilities"
_BIGGEST_ID = 1 << 53
# Revisions in which calls can be answered without the SDK, and the keys of a call there.
CALLING = ("2025-06-18", "2025-11-25")
_CALL = frozenset({"name", "arguments", "_meta"})
_INFO = frozenset({"name", "version", "title", "description", "websiteUrl", "icons"})


class PregeneratedAnswers:
    """JSON answers to a connection's first requests, generated at release by protocol version."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self.latest: str = data.get("latest", "")
        self._answers: Mapping[str, Mapping[str, int]] = data.get("answers", {})
        self._texts: list[str] = data.get("texts", [])

    def supports_protocol_version(self, protocol_version: str) -> bool:
        """Whether there is an answer to ``initialize`` for this protocol version, a date."""
        return protocol_version in self._answers.get("initialize", {})

    def find_answer(self, method: str, protocol_version: str) -> str | None:
        """The result of a method as JSON text; None if none was generated for the version."""
        number = self._answers.get(method, {}).get(protocol_version)
        return None if number is None else self._texts[number]


def read_pregenerated_answers(profile: str, folder: str = FOLDER) -> PregeneratedAnswers:
    """Read the answers that were generated for a profile (set of tools) from its file.

    They are empty if the file is missing, damaged or of another version of gitmem.
    """
    try:
        with open(os.path.join(folder, f"{profile}.json"), encoding="utf-8") as file:
            data = loads(file.read().strip())
        return PregeneratedAnswers(data if data["gitmem"] == __version__ else {})
    except (OSError, ValueError, LookupError, TypeError):
        return PregeneratedAnswers({})


class Handshake:
    """Answers a connection's first messages without the MCP SDK, which is slow to import.

    ``replay`` are the lines that the SDK has to read as well, ``answered`` the ids of the requests
    among them that are answered already.
    """

    def __init__(self, frozen: PregeneratedAnswers) -> None:
        self._frozen = frozen
        self._version = ""
        self._room = ROOM
        self.replay: list[bytes] = []
        self.answered: list[int | str] = []

    def answer_line(self, line: bytes) -> bytes | None:
        """The answer to a line of input, as a line to write; empty if it needs no answer.

        None if only the MCP SDK can answer it.
        """
        if not line.strip():
            return b""
        message = _message(line)
        if message is None:
            return None
        if "id" not in message:
            return self._note(line, message)
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
            self._version = _requested_version(message, self._frozen)
            self.replay.append(line)
            self.answered.append(id)
        return answer

    @property
    def can_answer_tool_calls(self) -> bool:
        """Whether tool calls can be answered without the SDK in the agreed protocol version."""
        return self._version in CALLING

    @property
    def client_parameters(self) -> dict[str, Any]:
        """The ``params`` of the client's ``initialize`` request, which was answered before."""
        params: dict[str, Any] = loads(self.replay[0].decode("utf-8").strip())["params"]
        return params

    def parse_tool_call(self, line: bytes) -> dict[str, Any] | None:
        """The JSON-RPC message in a line, if it calls a tool or cancels a call; else None."""
        shaken = self.can_answer_tool_calls and len(self.replay) > 1
        message = _message(line) if shaken else None
        if message is None:
            return None
        method, params = message["method"], message.get("params", {})
        if method == "notifications/cancelled" and "id" not in message:
            return message if _is_plain_id(params.get("requestId")) else None
        usual = (
            method == "tools/call"
            and "id" in message
            and params.keys() <= _CALL
            and isinstance(params.get("name"), str)
            and isinstance(params.get("arguments", {}), dict)
            and _is_plain_meta(params.get("_meta", {}))
        )
        return message if usual else None

    def prepend_replayed_lines(self, unread_input: bytes) -> bytes:
        """The input for the MCP SDK: the lines in ``replay``, then ``unread_input``."""
        return b"".join(line + b"\n" for line in self.replay) + unread_input

    def _note(self, line: bytes, message: dict[str, Any]) -> bytes | None:
        usual = message["method"] == "notifications/initialized" and _says_nothing(
            message.get("params")
        )
        if not (usual and self.replay and len(self.replay) < 8):
            return None
        self.replay.append(line)
        return b""

    def _result(self, message: dict[str, Any]) -> str | None:
        method, params = message["method"], message.get("params", {})
        if method == "initialize":
            if self.replay or not _is_greeting(params):
                return None
            return self._frozen.find_answer(method, _requested_version(message, self._frozen))
        version = _envelope_version(params)
        if version is None:  # the connection began with a handshake
            version = self._version
            if not (
                version
                and self._frozen.supports_protocol_version(version)
                and _says_nothing(params)
            ):
                return None
        elif self.replay and version != self._version:
            return None
        return self._frozen.find_answer(method, version)


def _requested_version(message: dict[str, Any], frozen: PregeneratedAnswers) -> str:
    if message["method"] != "initialize":
        return str(message["params"]["_meta"][_VERSION])
    version = message["params"]["protocolVersion"]
    return version if frozen.supports_protocol_version(version) else frozen.latest


def answer_handshake(
    read: Callable[[], bytes], write: Callable[[bytes], None], handshake: Handshake
) -> bytes | None:
    """Answer requests until one needs the MCP SDK; returns the input that the SDK reads first.

    ``read`` returns more input (empty at its end), ``write`` sends an answer. Returns None if the
    input has ended and all is answered.
    """
    rest = b""
    while chunk := read():
        rest += chunk
        while b"\n" in rest:
            line, _, after = rest.partition(b"\n")
            answer = handshake.answer_line(line)
            if answer is None:
                return handshake.prepend_replayed_lines(rest)
            if answer:
                write(answer)
            rest = after
        if len(rest) > LONGEST:
            return handshake.prepend_replayed_lines(rest)
    return handshake.prepend_replayed_lines(rest) if rest else None


# --- messages without anything unusual -----------------------------------------------------------


def _message(line: bytes) -> dict[str, Any] | None:
    """The request or notification in a line, if it has nothing unusual, else None."""
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
    if not (usual and isinstance(params, dict) and _is_plain(params, _DEEPEST)):
        return None
    return message if "id" not in message or _is_plain_id(message["id"]) else None


def _is_plain_id(id: object) -> bool:
    """Whether the id can be written back without escapes or rounding."""
    if isinstance(id, str):
        return id.isascii() and id.isprintable() and not {'"', "\\"}.intersection(id)
    return type(id) is int and abs(id) < _BIGGEST_ID


def _is_plain(value: object, deep: int) -> bool:
    if isinstance(value, str):
        return not any("\ud800" <= letter <= "\udfff" for letter in value)
    if isinstance(value, dict):
        return deep > 0 and all(
            _is_plain(item, deep - 1) for both in value.items() for item in both
        )
    if isinstance(value, list):
        return deep > 0 and all(_is_plain(item, deep - 1) for item in value)
    # No decimals: Python reads some that are no JSON.
    return value is None or type(value) in (bool, int)


def _says_nothing(params: Any) -> bool:
    """Whether the parameters are absent or only an ordinary ``_meta`` (no cursor)."""
    return params is None or (
        params.keys() <= {"_meta"} and _is_plain_meta(params.get("_meta", {}))
    )


def _is_plain_meta(meta: Any) -> bool:
    return (
        isinstance(meta, dict)
        and not any(key.startswith(_KEY) for key in meta)
        and ("progressToken" not in meta or _is_plain_id(meta["progressToken"]))
    )


def _envelope_version(params: Any) -> str | None:
    """The version in the ``_meta`` of a request of a 2026 revision; None if there is none."""
    meta = params.get("_meta") if isinstance(params, dict) else None
    if not isinstance(meta, dict) or params.keys() != {"_meta"}:
        return None
    rest = {key: value for key, value in meta.items() if key not in (_VERSION, _CLIENT, _CAN)}
    usual = _is_plain_meta(rest) and _are_capabilities(meta.get(_CAN))
    if not usual or not (_CLIENT not in meta or _is_client_info(meta[_CLIENT])):
        return None
    version = meta.get(_VERSION)
    return version if isinstance(version, str) else None


def _is_greeting(params: Any) -> bool:
    return (
        isinstance(params, dict)
        and params.keys() <= {"protocolVersion", "capabilities", "clientInfo", "_meta"}
        and isinstance(params.get("protocolVersion"), str)
        and _are_capabilities(params.get("capabilities"))
        and _is_client_info(params.get("clientInfo"))
        and _is_plain_meta(params.get("_meta", {}))
    )


def _is_client_info(info: Any) -> bool:
    if not isinstance(info, dict) or not {"name", "version"} <= info.keys() <= _INFO:
        return False
    texts = all(isinstance(value, str) for name, value in info.items() if name != "icons")
    icons = info.get("icons", [])
    return texts and isinstance(icons, list) and all(map(_is_icon, icons))


def _is_icon(value: Any) -> bool:
    if not isinstance(value, dict) or not {"src"} <= value.keys() <= {"src", "mimeType", "sizes"}:
        return False
    sizes = value.get("sizes", [])
    texts = isinstance(value["src"], str) and isinstance(value.get("mimeType", ""), str)
    return texts and isinstance(sizes, list) and all(isinstance(size, str) for size in sizes)


def _are_capabilities(capabilities: Any) -> bool:
    """Whether each capability is an object of objects, or of the switch ``listChanged``."""
    return isinstance(capabilities, dict) and all(
        isinstance(capability, dict)
        and all(
            isinstance(value, bool if name == "listChanged" else dict)
            for name, value in capability.items()
        )
        for capability in capabilities.values()
    )
