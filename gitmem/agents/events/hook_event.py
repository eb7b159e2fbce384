"""One moment in a session of an agent, as its host tells it to a hook.

Every host has its own words for the same moments, changes them between versions, and two read each
other's files. So ``read`` takes any host's words from any host; all that works with a moment sees
the fields below and nothing of the payload.

Hosts write the same things as ``session_id``, ``sessionId`` or ``conversation_id``, and change
their minds between versions. So keys are compared without case and underscores, and each field
knows all its names. Nothing here trusts a payload: what is not of the expected kind is not there.
"""

from __future__ import annotations

from gitmem.agents.hosts import host, registry
from gitmem.errors import InvalidInput
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
_EDITS = ("edit", "write", "create", "replace", "patch", "insert", "delete", "rename")
_SHELLS = ("bash", "shell", "terminal", "exec", "command")
LONGEST_PATH = 4096
MOST_FILES = 50
_FILE = ("filepath", "path", "filename", "targetfile", "absolutepath", "notebookpath", "file")
_FILES = ("files", "filepaths", "paths", "edits", "replacements", "filediff")
_PATCH = ("command", "input", "patch", "patchtext")
_PATCH_LINES = ("*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: ")
_ADDED = ("newstring", "newstr", "newtext", "new", "content", "filetext", "newsource")
_TAKEN = ("oldstring", "oldstr", "oldtext", "old")
_CHANGES = ("edit", "edits", "replacements")
_PRINTED = (
    *("stdout", "stderr", "output", "aggregatedoutput", "llmcontent", "textresultforllm"),
    *("text", "content", "message", "error"),
)
_STATUS = ("exitcode", "exit", "returncode", "exitstatus")
_SAID_STATUS = ("exit code", "exited with code", "exit status")
_DEEPEST = 4


@dataclass(frozen=True, slots=True)
class Moment:
    """What a hook was told. Every text is empty where the host did not tell.

    ``agent`` and ``event`` are as in ``gitmem.agents.hosts``; ``session`` is the host's own
    id; ``files`` are as the host gave them, absolute or relative to ``cwd``; ``failed`` is None
    where the host does not say how a command ended; ``adds`` and ``takes`` are what an edit wrote
    and what stood in its place; ``reason`` is why a session ended or was compacted; ``subagent``
    names the sub-agent that this is about; ``dialect`` is which of its host's ways of speaking
    this is.
    """

    agent: str
    event: str
    session: str = ""
    cwd: str = ""
    source: str = ""
    prompt: str = ""
    tool: str = ""
    files: tuple[str, ...] = ()
    adds: str = ""
    takes: str = ""
    command: str = ""
    output: str = ""
    failed: bool | None = None
    reason: str = ""
    message: str = ""
    transcript: str = ""
    subagent: str = ""
    dialect: str = ""


def read(agent: str, event: str, data: bytes) -> Moment:
    """The moment that a payload tells of. Raises InvalidInput for what is no payload."""
    if agent not in AGENTS or event not in EVENTS:
        raise InvalidInput(
            f"There is no hook {event[:40]!r} of an agent {agent[:40]!r}.",
            "`gitmem setup` installs the hooks that exist.",
        )
    told = Fields(parsed(data))
    args, info = told.inner("toolinput", "toolargs", "args"), told.inner("toolinfo")
    roots = told.get("workspaceroots", "workspacepaths")
    root = a_path(roots[0]) if isinstance(roots, list) and roots else ""
    # A conversation or a trajectory is what other hosts call a session.
    session = told.text("conversationid", "sessionid", "trajectoryid")
    message = told.text("lastassistantmessage", "promptresponse") or info.text("response")
    return Moment(
        agent=agent,
        event=event,
        session="".join(filter(str.isprintable, session)).strip()[:LONGEST_SESSION],
        cwd=told.path("cwd") or info.path("cwd") or root or told.path("directory"),
        source=told.text("source").lower()[:40],
        prompt=_prompt(agent, told, info),
        reason=told.text("reason", "trigger", "stopreason", "terminationreason", "status")[:200],
        message=message[:LONGEST_MESSAGE],
        transcript=told.path("transcriptpath"),
        subagent=told.text("agentid")[:LONGEST_SESSION],
        dialect=registry.find(agent).reply.dialect(told.text("hookeventname")),
        **_tool(event, told, args, info),
    )


def parsed(data: bytes) -> dict[str, Any]:
    """The object that a payload is. Raises InvalidInput for anything else."""
    if len(data) > LARGEST:
        raise InvalidInput("The hook received more than 10 MB.", "Nothing of it was read.")
    import json  # noqa: PLC0415 - not before there is something to read

    try:
        value = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise InvalidInput("The hook's input is not JSON.", "Hosts send one JSON object.") from (
            error
        )
    if not isinstance(value, dict):
        raise InvalidInput("The hook's input is not a JSON object.", "Hosts send one JSON object.")
    return value


def _prompt(agent: str, told: Fields, info: Fields) -> str:
    """What the user asked, without what hooks said where the host puts it before."""
    text = joined(told.get("prompt")) or info.text("userprompt")
    begin, end = registry.find(agent).session.repeats_before_prompt
    while begin and text.lstrip().startswith(begin) and end in text:
        text = text.partition(end)[2].lstrip()
    return text[:LONGEST_PROMPT]


def _tool(event: str, told: Fields, args: Fields, info: Fields) -> dict[str, Any]:
    """What is told of a tool: its name, and either files or a command with its outcome."""
    if event not in ("post-edit", "post-command", "post-tool"):
        return {}
    tool = told.text("toolname", "tool", "agentactionname")[:200]
    kind = event if event != "post-tool" else _kind(tool)
    meta = told.inner("metadata")
    if kind == "post-edit":
        # Where an edit comes with metadata, an older version may name the file in the title only.
        titled = Fields({"path": told.get("title")}) if told.get("metadata") else Fields(None)
        places = (args, info, told, meta)
        adds, takes = changed(LONGEST_EDIT, args, info, told)
        files = files_of(*places) or files_of(titled)
        return {"tool": tool, "files": files, "adds": adds, "takes": takes}
    if kind != "post-command":
        return {"tool": tool}
    result = told.get(
        *("toolresponse", "tooloutput", "toolresult", "result", "output", "error", "errormessage")
    )
    output = printed(result, LONGEST_OUTPUT) or meta.text("output")[-LONGEST_OUTPUT:]
    return {
        "tool": tool,
        "command": _command(told, args, info)[:LONGEST_COMMAND],
        "output": output,
        "failed": failed((Fields(result), meta, told), output),
    }


def _kind(tool: str) -> str:
    """Whether a tool changes files or runs commands, by its name; readers do neither."""
    name = tool.lower()
    if any(word in name for word in _SHELLS):
        return "post-command"
    return "post-edit" if any(word in name for word in _EDITS) else ""


def _command(told: Fields, args: Fields, info: Fields) -> str:
    listed = args.get("command", "cmd")
    if isinstance(listed, list):
        return whole(" ".join(part for part in listed if isinstance(part, str)))
    return args.text("command", "cmd") or told.text("command") or info.text("commandline")


class Fields:
    """One object of a payload; every look-up gives the first name that holds something."""

    def __init__(self, value: object) -> None:
        known: dict[str, Any] = {}
        if isinstance(value, dict):
            known = {
                key.replace("_", "").replace("-", "").lower(): item
                for key, item in value.items()
                if isinstance(key, str)
            }
        self.known = known

    def get(self, *names: str) -> Any:
        """The first of these that is there and not null; None where none is."""
        for name in names:
            value = self.known.get(name)
            if value is not None:
                return value
        return None

    def text(self, *names: str) -> str:
        """The first of these that is a text with something in it, fit to be written as UTF-8."""
        for name in names:
            value = self.known.get(name)
            if isinstance(value, str) and value:
                return whole(value)
        return ""

    def inner(self, *names: str) -> Fields:
        """An object inside this one; some hosts give it as a text of JSON."""
        value = self.get(*names)
        if isinstance(value, str) and value.lstrip().startswith("{"):
            import json  # noqa: PLC0415 - loaded already by whoever read the payload

            try:
                value = json.loads(value)
            except (ValueError, RecursionError):
                return Fields(None)
        return Fields(value)

    def path(self, *names: str) -> str:
        """The first of these that can be a path."""
        return next((one for name in names if (one := a_path(self.known.get(name)))), "")


def whole(text: str) -> str:
    """The text without halves of characters, which JSON escapes can bring in."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def a_path(value: object) -> str:
    """The value if it can be a path, else the empty text."""
    if not isinstance(value, str) or not 0 < len(value) <= LONGEST_PATH:
        return ""
    return "" if any(char < " " for char in value) else whole(value)


def joined(value: object) -> str:
    """A prompt as text: some hosts give a list of parts."""
    if isinstance(value, str):
        return whole(value)
    if isinstance(value, list):
        parts = (part if isinstance(part, str) else Fields(part).text("text") for part in value)
        return whole("\n".join(part for part in parts if part))
    return ""


def files_of(*places: Fields) -> tuple[str, ...]:
    """The files that an edit was about, in the order told, each once; ``MOST_FILES`` at most."""
    found: dict[str, None] = {}
    for place in places:
        for path in _paths(place, 0):
            found.setdefault(path)
            if len(found) == MOST_FILES:
                return tuple(found)
    return tuple(found)


def changed(most: int, *places: Fields) -> tuple[str, str]:
    """What an edit wrote and what stood there; of each the first ``most`` characters.

    A file that was written whole replaces nothing that is known here, and what a patch shows around
    a change stood there before.
    """
    added: list[str] = []
    taken: list[str] = []
    for place in places:
        for new, old in _changes(place, most, 0):
            added.append(new)
            taken.append(old)
    new, old = ("\n".join(filter(None, parts))[:most] for parts in (added, taken))
    return whole(new), whole(old)


def _changes(place: Fields, most: int, depth: int) -> Iterator[tuple[str, str]]:
    """(written, replaced) of each change that is told at a place or inside it."""
    yield place.text(*_ADDED), place.text(*_TAKEN)
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
                yield from _changes(Fields(item), most, depth + 1)


def _paths(place: Fields, depth: int) -> Iterator[str]:
    yield from filter(None, (a_path(place.known.get(name)) for name in _FILE))
    for part in _patches(place):
        for line in part.splitlines():
            for start in _PATCH_LINES:
                if line.startswith(start):
                    yield from filter(None, (a_path(line[len(start) :].strip()),))
    for name in _FILES:
        value = place.known.get(name)
        for item in value if isinstance(value, list) else [value]:
            if isinstance(item, str):
                yield from filter(None, (a_path(item),))
            elif isinstance(item, dict) and depth < _DEEPEST:
                yield from _paths(Fields(item), depth + 1)


def _patches(place: Fields) -> Iterator[str]:
    """The patches of an ``apply_patch`` tool."""
    for name in _PATCH:
        value = place.known.get(name)
        for part in value if isinstance(value, list) else [value]:
            if isinstance(part, str) and "*** Begin Patch" in part:
                yield part


def printed(value: object, most: int, depth: int = 0) -> str:
    """What a tool printed; of a long text the last ``most`` characters."""
    if isinstance(value, str):
        return whole(value[-most:])
    if depth == _DEEPEST:
        return ""
    if isinstance(value, list):
        parts: Iterable[object] = value
    else:
        known = Fields(value).known
        parts = [known[name] for name in _PRINTED if name in known]
    told = [text for part in parts if (text := printed(part, most, depth + 1))]
    return "\n".join(told)[-most:]


def failed(places: Iterable[Fields], output: str) -> bool | None:
    """Whether a command failed; None where neither a status nor the text tells."""
    good: bool | None = None
    for place in places:
        status = place.get(*_STATUS)
        if isinstance(status, int) and not isinstance(status, bool):
            return status != 0
        if place.get("iserror", "interrupted") is True or place.get("error", "errormessage"):
            return True
        outcome = place.text("resulttype", "outcome").lower()
        if place.get("success") is False or outcome in ("failure", "error", "denied"):
            return True
        if place.get("success") is True or outcome == "success":
            good = False
    said = _said_status(output)
    return good if said is None else said != 0


def _said_status(output: str) -> int | None:
    """The exit status that a host writes above or below what a command printed."""
    lines = output.strip().splitlines()
    for line in (*lines[:3], *lines[:-4:-1]):
        low = line[:200].lower()
        for words in _SAID_STATUS:
            _, found, rest = low.partition(words)
            number = rest.lstrip(": ").split(" ")[0].strip(".>)]")
            if found and number.isdecimal() and len(number) < 10:
                return int(number)
    return None
