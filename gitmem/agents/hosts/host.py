"""The record of a host: where it keeps its files, and how it talks to hooks.

Each file beside this one describes one host. A hook imports that file at every prompt, so ``reply``
and ``session``, which hooks need, are plain values; what only setup, doctor or the documentation
need is a function, called on demand.

A place is a template: ``{project}`` is the worktree, ``{main}`` the main one of the same
repository, ``{home}`` the user's home, ``{config}`` the folder for settings on this system,
``{xdg}`` the same by the rules of XDG on any system, ``{local}`` marks a personal file.
``Host.bases`` adds names of a host's own. The content of files is in ``hooks/agents``, at the top
of the repository.
"""

from __future__ import annotations

from gitmem.model.frozen import constant

TYPE_CHECKING = False  # importing typing costs 3 ms; type checkers know this name by itself
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from gitmem.agents.hosts.output import HookOutput
    from gitmem.agents.hosts.scene import SampleSession

    # A tool in a line of a transcript: the id of the call, the tool's name (empty where the line
    # has none), and whether it was answered: None if not known yet.
    ToolStep = tuple[str, str, bool | None]
    # The files of a plugin, by what describes gitmem, the host's template, and a reader of
    # templates by name: relative path and content each.
    PluginFiles = Callable[
        [dict[str, Any], dict[str, Any], Callable[[str], str]], list[tuple[str, Any]]
    ]

PROJECT, USER = "project", "user"
SCOPES = (PROJECT, USER)
MCP, HOOKS, RULES = "mcp", "hooks", "rules"
PARTS = (MCP, HOOKS, RULES)

# The events of `gitmem hook AGENT EVENT`.
EVENTS = (
    "session-start",
    "prompt",
    "post-edit",
    "post-command",
    "post-tool",
    "pre-invocation",
    "pre-compact",
    "stop",
    "session-end",
)

# How the facts about a host are known.
SOURCE, REPORTS, OPEN = "its source or documents", "reports of users", "unverified"
RUN = "what reached its model, captured with version"
RULES_TOO = "The rules file says the same in fewer words, for when the hook is not heard."
# The kinds of values in ``Host.harmless``. OWN: any value, in the user's own files only, where the
# host itself records what its user allowed.
NUMBER, SWITCH, TEXT, TEXTS, EMPTY, OWN = "number", "switch", "text", "texts", "empty", "own"
STDIO = ("stdio",)
UNDOCUMENTED = 4_000  # characters of an output, for a host that does not document its limit


# The names of the event at which an agent is about to end.
_ENDS = ("Stop", "AfterAgent")


def hook_specific_output(event_name: str, text: str, _dialect: str) -> object:
    """The JSON object in which most agent programs expect a hook's ``text``.

    ``event_name`` is the program's name of the event, as in "SessionStart"; at the end of a turn
    the object is a refusal to stop with ``text`` as the reason. ``_dialect`` is not used.
    """
    if event_name in _ENDS:
        return {"decision": "block", "reason": text}
    return {"hookSpecificOutput": {"hookEventName": event_name, "additionalContext": text}}


@constant(frozen=True, slots=True)
class HookReplyFormat:
    """How a hook has to print its answer for one agent program.

    ``heard`` maps gitmem's names of the events at which text reaches the model to the program's
    names; ``heard_in`` limits them for a dialect (form of payload). Text for an event of
    ``heard_later`` waits for the next prompt. ``wrap`` makes the JSON value from the program's
    event name, the text and the dialect; None: plain text is printed. ``silence`` is the empty
    answer, ``own_silence`` that at some events. ``dialect`` finds the dialect from the event's name
    in a payload. At most ``cap`` characters are printed.
    """

    heard: dict[str, str] = {}  # noqa: RUF012 - never written to
    heard_in: dict[str, tuple[str, ...]] = {}  # noqa: RUF012 - never written to
    heard_later: tuple[str, ...] = ()
    wrap: Callable[[str, str, str], object] | None = None
    silence: bytes = b""
    own_silence: dict[str, bytes] = {}  # noqa: RUF012 - never written to
    dialect: Callable[[str], str] = lambda _named: ""
    cap: int = UNDOCUMENTED


@constant(frozen=True, slots=True)
class HostSessionBehaviour:
    """What is special about the sessions of one agent program.

    The orientation is what gitmem tells a session first. ``oriented_at_first_prompt``: it takes no
    text at the start. ``starts_anew_after_compaction``: a start event follows a compaction.
    ``forgets_with_its_process``: a resumed session needs the orientation again.
    ``keeps_text_in_system_prompt``: that text must not change during a session.
    ``repeats_before_prompt``: the (begin, end) marks around hooks' output before the first prompt.
    """

    oriented_at_first_prompt: bool = False
    starts_anew_after_compaction: bool = False
    forgets_with_its_process: bool = False
    keeps_text_in_system_prompt: bool = False
    repeats_before_prompt: tuple[str, str] = ("", "")


@constant(frozen=True, slots=True)
class TranscriptLocation:
    """Where an agent program keeps readable transcripts (``.jsonl``) of its sessions.

    ``named_by_path``: ``folder`` has a folder for each project, named after its path;
    ``folder_is_proof``: the transcripts themselves do not name the project. ``root_file`` in such a
    folder holds the project's path. ``steps`` yields (call id, tool, whether it was answered; None:
    not yet) from a line (a JSON object), or raises KeyError, TypeError or AttributeError.
    """

    folder: str
    named_by_path: bool = False
    folder_is_proof: bool = False
    root_file: str = ""
    steps: Callable[[dict[str, Any]], Iterator[ToolStep]] | None = None


@constant(frozen=True, slots=True)
class HostSimulation:
    """How `gitmem doctor --live` imitates an agent program, and what is known of it.

    ``oriented_at`` is the event at which a session gets gitmem's first text. ``sample`` makes the
    payload of a hook; ``reads`` returns the text in a hook's output that reaches the model, of at
    most ``cap`` characters. ``fires`` tells whether an event runs a hook with some matcher.
    ``environment`` is set for what the program starts (``{project}`` stands for the folder).
    ``why_silent`` says why its model gets nothing by itself, ``reported`` what users report
    although the answer is right.
    """

    oriented_at: str = ""
    sample: Callable[[str, SampleSession], dict[str, Any]] = lambda event, scene: (
        scene.common_payload(event)
    )
    reads: Callable[[str, HookOutput], str] = lambda _event, output: output.text
    cap: int = 10_000
    fires: Callable[[str, str], bool] = lambda _event, _matcher: True
    environment: dict[str, str] = {}  # noqa: RUF012 - never written to
    starts_from_desktop: bool = False
    transcripts: TranscriptLocation | None = None
    why_silent: str = ""
    reported: str = ""


@constant(frozen=True, slots=True)
class FolderEnvironmentVariable:
    """A folder that the environment's ``variable`` names, else the path template ``otherwise``."""

    variable: str
    otherwise: str
    on_windows: str = ""


@constant(frozen=True, slots=True)
class AdditionalHooksFile:
    """A second file, beside the usual one, in which an agent program reads hooks.

    gitmem writes there if it already holds some. ``not_hooks`` are keys below ``hooks`` there that
    are no events.
    """

    name: str
    not_hooks: frozenset[str]


@constant(frozen=True, slots=True)
class HostApprovals:
    """What an agent program's own files say about the approvals of its user; they are only read.

    ``read`` returns the value of the file at a template or path, empty if it cannot be read;
    ``named`` the agents that lines ``gitmem hook AGENT`` in a value name. ``main`` is the main
    worktree's folder if the project is a linked worktree, else empty. ``folder`` is the folder in
    which the program would be started: the project's, or one below it.
    """

    project: str
    read: Callable[[str], Any]
    named: Callable[[Any], frozenset[str]]
    main: str = ""
    folder: str = ""


@constant(frozen=True, slots=True)
class HostPlugin:
    """A folder that an agent program installs as a whole; ``manifest`` is the file naming it."""

    manifest: str
    files: PluginFiles


@constant(frozen=True, slots=True)
class HostDocumentation:
    """Texts about an agent program: how facts are known, what to approve, and its limits."""

    state: str
    approve: str
    limits: tuple[str, ...]


@constant(frozen=True, slots=True)
class Host:
    """A host, a program in which an agent runs (Claude Code ...), its files and its hooks.

    A part is mcp, hooks or rules, a scope project or user; a template is a path such as
    ``{home}/.zed``. ``places`` maps (part, scope) to templates; the first that exists counts, else
    the first. ``also_read`` are further ones that it reads and setup does not write; ``only_there``
    the parts of a project that it reads only if started in that very folder; ``for_user`` those
    that go to the user's own files unless a scope is given. ``skills`` maps scopes to the folder of
    skills (``NAME/SKILL.md``). ``programs`` are searched on the PATH, ``folders`` are templates.
    ``has_cwd``: it starts servers in the project's folder. ``notes`` are shown after a part was
    written. ``mark`` is an environment variable of processes that it starts. ``bases`` are folders
    for its own templates.

    ``timeouts_per_second`` is the unit of a hook's timeout; ``rules_cap`` how many characters of a
    rules file it reads (0: all); ``script_events`` its and gitmem's names of the events of a plugin
    that is a program. ``speaks_for_shared_files``: it is reported for files that several hosts
    read. ``doubts`` gives reasons why it would not run a part in a path.

    ``harmless`` maps a part to the additional keys that an entry of gitmem's may have, with the
    kind of the value or the values themselves. An entry with any other key counts as somebody
    else's, so list nothing that changes which program is started, its environment, or what it may
    do without asking. ``reads_servers_of`` names hosts whose servers of a project it starts too.
    ``named_in`` are files, and keys in them, in which it keeps what its user allowed by name, so
    that a later server called gitmem would run without asking. ``tags`` wrap its own messages to
    its model; ``gitmem.text.host_tags`` breaks them up in all text.
    """

    name: str
    title: str
    programs: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    places: dict[tuple[str, str], tuple[str, ...]] = {}  # noqa: RUF012 - never written to
    only_there: tuple[str, ...] = ()
    for_user: tuple[str, ...] = ()
    also_read: dict[tuple[str, str], tuple[str, ...]] = {}  # noqa: RUF012 - never written to
    skills: dict[str, str] = {}  # noqa: RUF012 - never written to
    has_cwd: bool = True
    notes: dict[tuple[str, str], str] = {}  # noqa: RUF012 - never written to
    bases: dict[str, FolderEnvironmentVariable] = {}  # noqa: RUF012 - never written to
    mark: str = ""
    reply: HookReplyFormat = HookReplyFormat()
    session: HostSessionBehaviour = HostSessionBehaviour()
    live: HostSimulation = HostSimulation()
    hooks_beside: AdditionalHooksFile | None = None
    timeouts_per_second: int = 1
    rules_cap: int = 0
    script_events: tuple[tuple[str, str], ...] = ()
    speaks_for_shared_files: bool = False
    doubts: Callable[[HostApprovals, str, str, str], list[str]] = lambda *_: []
    harmless: dict[str, dict[str, str | tuple[object, ...]]] = {}  # noqa: RUF012 - never written to
    reads_servers_of: tuple[str, ...] = ()
    named_in: tuple[tuple[str, tuple[str, ...]], ...] = ()
    tags: tuple[str, ...] = ()
    plugin: HostPlugin | None = None
    facts: HostDocumentation = HostDocumentation(OPEN, "Nothing that is known.", ())

    @property
    def setup_parts(self) -> tuple[str, ...]:
        """The parts that gitmem can set up for the host, of mcp, hooks and rules, in this order."""
        return tuple(part for part in PARTS if any(named == part for named, _ in self.places))
