"""One moment in a session of an agent, as its host tells it to a hook.

Every host has its own words for the same moments, changes them between versions, and two read each
other's files. So ``read`` takes any host's words from any host; all that works with a moment sees
the fields below and nothing of the payload.
"""

from __future__ import annotations

from gitmem.agents.events import payload
from gitmem.agents.events.payload import Fields
from gitmem.agents.hosts import host, registry
from gitmem.errors import InvalidInput
from gitmem.model.frozen import dataclass

TYPE_CHECKING = False  # importing typing costs 3 ms; type checkers know this name by itself
if TYPE_CHECKING:
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
    root = payload.a_path(roots[0]) if isinstance(roots, list) and roots else ""
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
    text = payload.joined(told.get("prompt")) or info.text("userprompt")
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
        adds, takes = payload.changed(LONGEST_EDIT, args, info, told)
        files = payload.files_of(*places) or payload.files_of(titled)
        return {"tool": tool, "files": files, "adds": adds, "takes": takes}
    if kind != "post-command":
        return {"tool": tool}
    result = told.get(
        *("toolresponse", "tooloutput", "toolresult", "result", "output", "error", "errormessage")
    )
    output = payload.printed(result, LONGEST_OUTPUT) or meta.text("output")[-LONGEST_OUTPUT:]
    return {
        "tool": tool,
        "command": _command(told, args, info)[:LONGEST_COMMAND],
        "output": output,
        "failed": payload.failed((Fields(result), meta, told), output),
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
        return payload.whole(" ".join(part for part in listed if isinstance(part, str)))
    return args.text("command", "cmd") or told.text("command") or info.text("commandline")
