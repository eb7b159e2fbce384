"""Reading an event of an agent's session from the payload that its host gives a hook.

Hosts have different names for the same fields (``session_id``, ``sessionId``,
``conversation_id``), change them between versions, and run each other's hook files. So
``parse_hook_payload`` accepts any host's names from any host, compares keys without case and
underscores, and gives one form, ``HookEvent``, to all other code. A payload is not trusted: a value
of another type than expected counts as absent.
"""

from __future__ import annotations

from gitmem.agents.hosts import host, registry
from gitmem.errors import InvalidInput
from gitmem.model.exchange import EDITS
from gitmem.model.frozen import dataclass

TYPE_CHECKING = False  # importing typing costs 3 ms; type checkers know this name by itself
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

LARGEST = 10 << 20  # bytes of a payload
LONGEST_SESSION = 200
LONGEST_PROMPT = 100_000
LONGEST_COMMAND = 20_000
LONGEST_OUTPUT = LONGEST_EDIT = 20_000
LONGEST_MESSAGE = 4_000

AGENTS = frozenset(registry.NAMES)
EVENTS = frozenset(host.EVENTS)
_SHELLS = ("bash", "shell", "terminal", "exec", "command")
LONGEST_PATH = 4096
MOST_FILES = 50
_FILE = ("filepath", "path", "filename", "targetfile", "absolutepath", "notebookpath", "file")
_FILES = ("files", "filepaths", "paths", "edits", "replacements", "filediff")
_PATCH = ("command", "input", "patch", "patchtext")
_PATCH_LINES = ("*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: ")
_ADDED = ("newstring", "newstr", "newtext", "new", "content", "filetext", "newsource")
_REMOVED = ("oldstring", "oldstr", "oldtext", "old")
_CHANGES = ("edit", "edits", "replacements")
_PRINTED = (
    *("stdout", "stderr", "output", "aggregatedoutput", "llmcontent", "textresultforllm"),
    *("text", "content", "message", "error"),
)
_STATUS = ("exitcode", "exit", "returncode", "exitstatus")
_STATUS_WORDS = ("exit code", "exited with code", "exit status")
_DEEPEST = 4


@dataclass(frozen=True, slots=True)
class HookEvent:
    """An event of an agent's session, in one form for all agent programs.

    Every text is empty where the program gave none. ``agent`` is its name (claude-code ...),
    ``event`` one of ``hosts.host.EVENTS``; ``session`` is its own id; ``files`` are absolute or
    relative to ``cwd``; ``failed`` is None where it does not say how a command ended;
    ``added_text`` is the text that an edit wrote, ``removed_text`` the text it replaced; ``reason``
    is why a session ended or was compacted; ``subagent`` is the id of the sub-agent concerned;
    ``dialect`` names the form of the payload, if there are several. ``continued``: a hook made the
    agent go on where it wanted to stop.
    """

    agent: str
    event: str
    session: str = ""
    cwd: str = ""
    source: str = ""
    prompt: str = ""
    tool: str = ""
    files: tuple[str, ...] = ()
    added_text: str = ""
    removed_text: str = ""
    command: str = ""
    output: str = ""
    failed: bool | None = None
    reason: str = ""
    message: str = ""
    transcript: str = ""
    subagent: str = ""
    dialect: str = ""
    continued: bool = False


def parse_hook_payload(agent: str, event: str, payload: bytes) -> HookEvent:
    """The HookEvent that a hook's JSON payload describes. Raises InvalidInput for anything else."""
    if agent not in AGENTS or event not in EVENTS:
        raise InvalidInput(
            f"gitmem has no hook {event[:40]!r} for an agent called {agent[:40]!r}.",
            "`gitmem setup` installs the hooks that exist.",
        )
    fields = PayloadFields(parse_json_object(payload))
    args, info = (
        fields.first_object("toolinput", "toolargs", "args"),
        fields.first_object("toolinfo"),
    )
    roots = fields.first_value("workspaceroots", "workspacepaths")
    root = valid_path_or_empty(roots[0]) if isinstance(roots, list) and roots else ""
    # Some hosts call a session a conversation or a trajectory.
    session = fields.first_text("conversationid", "sessionid", "trajectoryid")
    message = fields.first_text("lastassistantmessage", "promptresponse") or info.first_text(
        "response"
    )
    return HookEvent(
        agent=agent,
        event=event,
        session="".join(filter(str.isprintable, session)).strip()[:LONGEST_SESSION],
        cwd=fields.first_path("cwd")
        or info.first_path("cwd")
        or root
        or fields.first_path("directory"),
        source=fields.first_text("source").lower()[:40],
        prompt=_prompt(agent, fields, info),
        reason=fields.first_text("reason", "trigger", "stopreason", "terminationreason", "status")[
            :200
        ],
        message=message[:LONGEST_MESSAGE],
        transcript=fields.first_path("transcriptpath"),
        subagent=fields.first_text("agentid")[:LONGEST_SESSION],
        dialect=registry.find_host(agent).reply.dialect(fields.first_text("hookeventname")),
        continued=fields.first_value("stophookactive") is True,
        **_tool(event, fields, args, info),
    )


def parse_json_object(payload: bytes) -> dict[str, Any]:
    """The JSON object in a payload. Raises InvalidInput for anything else."""
    if len(payload) > LARGEST:
        raise InvalidInput(
            "The hook's input is larger than 10 MB, so it was not read.",
            "Nothing has to be done: only this event is ignored.",
        )
    import json  # noqa: PLC0415 - not before there is something to read

    try:
        value = json.loads(payload)
    except (ValueError, RecursionError) as error:
        raise InvalidInput(
            "The hook's input is not JSON.", "The agent that runs the hook must send a JSON object."
        ) from (error)
    if not isinstance(value, dict):
        raise InvalidInput(
            "The hook's input is not a JSON object.",
            "The agent that runs the hook must send a JSON object.",
        )
    return value


def _prompt(agent: str, fields: PayloadFields, info: PayloadFields) -> str:
    """The user's prompt, without the output of hooks that some hosts put before it."""
    text = prompt_text(fields.first_value("prompt")) or info.first_text("userprompt")
    begin, end = registry.find_host(agent).session.repeats_before_prompt
    while begin and text.lstrip().startswith(begin) and end in text:
        text = text.partition(end)[2].lstrip()
    return text[:LONGEST_PROMPT]


def _tool(
    event: str, fields: PayloadFields, args: PayloadFields, info: PayloadFields
) -> dict[str, Any]:
    """The fields of a tool event: its name, and either files or a command with its outcome."""
    if event not in ("post-edit", "post-command", "post-tool"):
        return {}
    tool = fields.first_text("toolname", "tool", "agentactionname")[:200]
    kind = event if event != "post-tool" else _tool_kind(tool)
    meta = fields.first_object("metadata")
    if kind == "post-edit":
        # Of edits with metadata, an older version names the file in the title only.
        titled = (
            PayloadFields({"path": fields.first_value("title")})
            if fields.first_value("metadata")
            else PayloadFields(None)
        )
        places = (args, info, fields, meta)
        adds, takes = added_and_removed_text(LONGEST_EDIT, args, info, fields)
        files = edited_files(*places) or edited_files(titled)
        return {"tool": tool, "files": files, "added_text": adds, "removed_text": takes}
    if kind != "post-command":
        return {"tool": tool}
    result = fields.first_value(
        *("toolresponse", "tooloutput", "toolresult", "result", "output", "error", "errormessage")
    )
    output = tool_output(result, LONGEST_OUTPUT) or meta.first_text("output")[-LONGEST_OUTPUT:]
    return {
        "tool": tool,
        "command": _command(fields, args, info)[:LONGEST_COMMAND],
        "output": output,
        "failed": command_failed((PayloadFields(result), meta, fields), output),
    }


def _tool_kind(tool: str) -> str:
    """The event of a tool that runs commands or changes files, by its name; empty for others."""
    name = tool.lower()
    if any(word in name for word in _SHELLS):
        return "post-command"
    return "post-edit" if any(word in name for word in EDITS) else ""


def _command(fields: PayloadFields, args: PayloadFields, info: PayloadFields) -> str:
    listed = args.first_value("command", "cmd")
    if isinstance(listed, list):
        return without_surrogates(" ".join(part for part in listed if isinstance(part, str)))
    return (
        args.first_text("command", "cmd")
        or fields.first_text("command")
        or info.first_text("commandline")
    )


class PayloadFields:
    """A JSON object in a hook's payload, whose keys are looked up under several possible names.

    Give names in lower case, without underscores and hyphens: agent programs differ in these.
    """

    def __init__(self, value: object) -> None:
        items: dict[str, Any] = {}
        if isinstance(value, dict):
            items = {
                key.replace("_", "").replace("-", "").lower(): item
                for key, item in value.items()
                if isinstance(key, str)
            }
        self.known = items

    def first_value(self, *key_names: str) -> Any:
        """The first value under these keys that is not null, or None."""
        for name in key_names:
            value = self.known.get(name)
            if value is not None:
                return value
        return None

    def first_text(self, *key_names: str) -> str:
        """The first value under these keys that is a non-empty text, as valid Unicode; else ""."""
        for name in key_names:
            value = self.known.get(name)
            if isinstance(value, str) and value:
                return without_surrogates(value)
        return ""

    def first_object(self, *key_names: str) -> PayloadFields:
        """The first value under these keys, if it is an object or one in a string of JSON.

        Without one, PayloadFields that hold nothing.
        """
        value = self.first_value(*key_names)
        if isinstance(value, str) and value.lstrip().startswith("{"):
            import json  # noqa: PLC0415 - loaded already for the payload

            try:
                value = json.loads(value)
            except (ValueError, RecursionError):
                return PayloadFields(None)
        return PayloadFields(value)

    def first_path(self, *key_names: str) -> str:
        """The first value under these keys that ``valid_path_or_empty`` accepts; else ""."""
        return next(
            (path for name in key_names if (path := valid_path_or_empty(self.known.get(name)))), ""
        )


def without_surrogates(text: str) -> str:
    """The text with each lone surrogate (from an escape in JSON) replaced by "?"."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def valid_path_or_empty(json_value: object) -> str:
    """The value if it can be a path: a text of 1 to 4,096 characters, no control ones; else ""."""
    if not isinstance(json_value, str) or not 0 < len(json_value) <= LONGEST_PATH:
        return ""
    return "" if any(char < " " for char in json_value) else without_surrogates(json_value)


def prompt_text(json_value: object) -> str:
    """The text of a prompt, given as a text or as a JSON list of parts; empty for other values."""
    if isinstance(json_value, str):
        return without_surrogates(json_value)
    if isinstance(json_value, list):
        parts = (
            part if isinstance(part, str) else PayloadFields(part).first_text("text")
            for part in json_value
        )
        return without_surrogates("\n".join(part for part in parts if part))
    return ""


def edited_files(*payloads: PayloadFields) -> tuple[str, ...]:
    """The paths of at most 50 files that an edit's payload names, without repeats, in its order."""
    files: dict[str, None] = {}
    for place in payloads:
        for path in _paths(place, 0):
            files.setdefault(path)
            if len(files) == MOST_FILES:
                return tuple(files)
    return tuple(files)


def added_and_removed_text(max_chars: int, *payloads: PayloadFields) -> tuple[str, str]:
    """The text that an edit wrote and the text it replaced, each cut to ``max_chars`` characters.

    A file written whole replaces nothing that is known here; the context lines of a patch count as
    replaced.
    """
    added: list[str] = []
    removed: list[str] = []
    for place in payloads:
        for new, old in _changes(place, max_chars, 0):
            added.append(new)
            removed.append(old)
    new, old = ("\n".join(filter(None, parts))[:max_chars] for parts in (added, removed))
    return without_surrogates(new), without_surrogates(old)


def _changes(place: PayloadFields, most: int, depth: int) -> Iterator[tuple[str, str]]:
    """(written, replaced) of each change in an object or in the objects inside it."""
    yield place.first_text(*_ADDED), place.first_text(*_REMOVED)
    for part in _patches(place):
        lines = part[: 2 * most].splitlines()
        yield (
            "\n".join(line[1:] for line in lines if line.startswith("+")),
            "\n".join(line[1:] for line in lines if line.startswith(("-", " "))),
        )
    for name in _CHANGES:
        value = place.known.get(name)
        for item in value[:MOST_FILES] if isinstance(value, list) else [value]:
            if isinstance(item, dict) and depth < _DEEPEST:
                yield from _changes(PayloadFields(item), most, depth + 1)


def _paths(place: PayloadFields, depth: int) -> Iterator[str]:
    yield from filter(None, (valid_path_or_empty(place.known.get(name)) for name in _FILE))
    for part in _patches(place):
        for line in part.splitlines():
            for start in _PATCH_LINES:
                if line.startswith(start):
                    yield from filter(None, (valid_path_or_empty(line[len(start) :].strip()),))
    for name in _FILES:
        value = place.known.get(name)
        for item in value if isinstance(value, list) else [value]:
            if isinstance(item, str):
                yield from filter(None, (valid_path_or_empty(item),))
            elif isinstance(item, dict) and depth < _DEEPEST:
                yield from _paths(PayloadFields(item), depth + 1)


def _patches(place: PayloadFields) -> Iterator[str]:
    """The patches of an ``apply_patch`` tool."""
    for name in _PATCH:
        value = place.known.get(name)
        for part in value if isinstance(value, list) else [value]:
            if isinstance(part, str) and "*** Begin Patch" in part:
                yield part


def tool_output(json_value: object, max_chars: int, depth: int = 0) -> str:
    """The last ``max_chars`` characters of a tool's output, from whatever JSON the agent gives.

    ``depth`` counts the levels above ``json_value``; leave it at 0.
    """
    if isinstance(json_value, str):
        return without_surrogates(json_value[-max_chars:])
    if depth == _DEEPEST:
        return ""
    if isinstance(json_value, list):
        parts: Iterable[object] = json_value
    else:
        fields = PayloadFields(json_value).known
        parts = [fields[name] for name in _PRINTED if name in fields]
    texts = [text for part in parts if (text := tool_output(part, max_chars, depth + 1))]
    return "\n".join(texts)[-max_chars:]


def command_failed(payloads: Iterable[PayloadFields], output: str) -> bool | None:
    """Whether a command failed, by its status in a payload or its output; None if neither says."""
    good: bool | None = None
    for place in payloads:
        status = place.first_value(*_STATUS)
        if isinstance(status, int) and not isinstance(status, bool):
            return status != 0
        if place.first_value("iserror", "interrupted") is True or place.first_value(
            "error", "errormessage"
        ):
            return True
        outcome = place.first_text("resulttype", "outcome").lower()
        if place.first_value("success") is False or outcome in ("failure", "error", "denied"):
            return True
        if place.first_value("success") is True or outcome == "success":
            good = False
    status = _printed_status(output)
    return good if status is None else status != 0


def _printed_status(output: str) -> int | None:
    """The exit status that some hosts write above or below a command's output, or None."""
    lines = output.strip().splitlines()
    for line in (*lines[:3], *lines[:-4:-1]):
        low = line[:200].lower()
        for words in _STATUS_WORDS:
            _, separator, rest = low.partition(words)
            number = rest.lstrip(": ").split(" ")[0].strip(".>)]")
            if separator and number.isdecimal() and len(number) < 10:
                return int(number)
    return None
