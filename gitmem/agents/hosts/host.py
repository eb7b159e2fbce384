"""What a host of agents is to gitmem: one value, which the shared machinery asks.

Each file beside this one describes one host. A hook imports that file at every prompt, so what
only setup, doctor or the documents want is a function there, called on demand; what hooks need
(``reply`` and ``session``) are plain values.

A place is a template: ``{project}`` is the worktree, ``{main}`` the main one of the same
repository (the same where there is no other), ``{home}`` the user's home, ``{config}``
where programs of this system keep settings, ``{xdg}`` the same by the rules of XDG on any system,
``{local}`` what tells a personal file from the team's. ``Host.bases`` adds names of a host's own.
What is written there lies as JSON and text in the top-level folder ``hooks/agents``.
"""

from __future__ import annotations

from gitmem.model.frozen import constant

TYPE_CHECKING = False  # importing typing costs 3 ms; type checkers know this name by itself
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from gitmem.agents.hosts.output import Output
    from gitmem.agents.hosts.scene import Scene

    # A tool in a line of a transcript: the id of the call, the tool's name (empty where the line
    # has none), and whether it was answered: None where that is not told yet.
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

# What `gitmem hook AGENT EVENT` is asked for by the files that are written.
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

# How what is known of a host is known.
SOURCE, REPORTS, OPEN = "its source or documents", "reports of users", "unverified"
RUN = "what reached its model, captured with version"
RULES_TOO = "The rules file says the same in fewer words, for when the hook is not heard."
# What a user may put beside gitmem's words in an entry, as ``Host.harmless`` has it.
# OWN: anything, in the user's own files alone, where the host itself notes what its user allowed.
NUMBER, SWITCH, TEXT, TEXTS, EMPTY, OWN = "number", "switch", "text", "texts", "empty", "own"
STDIO = ("stdio",)
UNDOCUMENTED = 4_000  # characters of an output, where a host has told nobody how many it takes


def _same(_named: str) -> str:
    return ""


def specific(name: str, text: str, _dialect: str) -> object:
    """The answer that most hosts read; Codex refuses an object with any other key."""
    return {"hookSpecificOutput": {"hookEventName": name, "additionalContext": text}}


@constant(frozen=True, slots=True)
class Reply:
    """How a host wants to be answered, and how much of an answer it takes.

    ``heard`` maps the events at which text reaches the model to the host's names for them; in a
    dialect of ``heard_in`` only the events listed there. What is said at those of ``heard_later``
    waits for the next prompt. ``wrap`` makes the JSON value of a name, a
    text and a dialect; without it the text is printed as it is. ``silence`` says nothing, at some
    events in the words of ``own_silence``. ``dialect`` tells ways of speaking apart by the event's
    name in a payload. ``cap`` is safely under what the host takes of an output.
    """

    heard: dict[str, str] = {}  # noqa: RUF012 - never written to
    heard_in: dict[str, tuple[str, ...]] = {}  # noqa: RUF012 - never written to
    heard_later: tuple[str, ...] = ()
    wrap: Callable[[str, str, str], object] | None = None
    silence: bytes = b""
    own_silence: dict[str, bytes] = {}  # noqa: RUF012 - never written to
    dialect: Callable[[str], str] = _same
    cap: int = UNDOCUMENTED


@constant(frozen=True, slots=True)
class Session:
    """What is special about a host's sessions.

    ``oriented_at_first_prompt``: its start takes no text. ``starts_anew_after_compaction``: it says
    so with an event. ``forgets_with_its_process``: what it was told is told again in the next.
    ``keeps_text_in_system_prompt``: the same bytes all through a session keep its cache.
    ``repeats_before_prompt`` are the marks around what hooks said at the start, where the first
    prompt's text begins with it.
    """

    oriented_at_first_prompt: bool = False
    starts_anew_after_compaction: bool = False
    forgets_with_its_process: bool = False
    keeps_text_in_system_prompt: bool = False
    repeats_before_prompt: tuple[str, str] = ("", "")


@constant(frozen=True, slots=True)
class Transcripts:
    """Where a host keeps readable transcripts.

    ``named_by_path``: below ``folder`` is a folder for each project, named after its path;
    ``folder_is_proof``: the transcripts themselves do not name the project. ``root_file`` in such a
    folder holds the project's path. ``steps`` reads the tools off a line, which is a JSON object;
    without it nobody knows how they are written. It may raise KeyError, TypeError, AttributeError.
    """

    folder: str
    named_by_path: bool = False
    folder_is_proof: bool = False
    root_file: str = ""
    steps: Callable[[dict[str, Any]], Iterator[ToolStep]] | None = None


def _sample(event: str, scene: Scene) -> dict[str, Any]:
    return scene.common(event)


def _always(_event: str, _matcher: str) -> bool:
    return True


def _plain(_event: str, output: Output) -> str:
    return output.text


@constant(frozen=True, slots=True)
class Live:
    """How `gitmem doctor --live` plays the host, and what it knows of it.

    ``told_at`` is the event that takes a session's orientation. ``sample`` is what the host gives a
    hook; ``reads`` what it makes of the output, of which it takes ``cap`` characters: on purpose
    not what ``Reply`` says, for what is checked against itself is always right. ``fires`` tells
    whether an event fires a hook under a matcher at all. ``environment`` is
    set for what it starts (``{project}`` stands for the folder). ``untold`` says why its model
    hears nothing by itself, ``reported`` what users tell of a host that was answered rightly.
    """

    told_at: str = ""
    sample: Callable[[str, Scene], dict[str, Any]] = _sample
    reads: Callable[[str, Output], str] = _plain
    cap: int = 10_000
    fires: Callable[[str, str], bool] = _always
    environment: dict[str, str] = {}  # noqa: RUF012 - never written to
    starts_from_desktop: bool = False
    transcripts: Transcripts | None = None
    untold: str = ""
    reported: str = ""


@constant(frozen=True, slots=True)
class Base:
    """A name for templates: what ``variable`` holds, else the place in ``otherwise``."""

    variable: str
    otherwise: str
    on_windows: str = ""


@constant(frozen=True, slots=True)
class Beside:
    """Another file beside the one for hooks in which a host reads hooks; all go where some are.

    ``not_hooks`` are keys below ``hooks`` there that are no events.
    """

    name: str
    not_hooks: frozenset[str]


@constant(frozen=True, slots=True)
class Approvals:
    """What a host's own files tell of approvals, to be read only.

    ``read`` gives what a template or a path holds, nothing where it cannot be read; ``named`` the
    agents that the hook lines in a value name. ``main`` is the main worktree's folder where the
    project is a linked worktree, else empty. ``folder`` is where the host would be started: the
    project's, or one below it.
    """

    project: str
    read: Callable[[str], Any]
    named: Callable[[Any], frozenset[str]]
    main: str = ""
    folder: str = ""


def _none(_approvals: Approvals, _part: str, _scope: str, _path: str) -> list[str]:
    return []


@constant(frozen=True, slots=True)
class Plugin:
    """A folder that the host installs whole; ``manifest`` is the file that names it."""

    manifest: str
    files: PluginFiles


@constant(frozen=True, slots=True)
class Facts:
    """What its page says beyond the data: how it is known, what to approve, limits one a line."""

    state: str
    approve: str
    limits: tuple[str, ...]


def _nothing_known() -> Facts:
    return Facts(OPEN, "Nothing that is known.", ())


@constant(frozen=True, slots=True)
class Host:
    """One host: how it is found, where its parts lie, how it speaks.

    ``places`` maps (part, scope) to templates; of several the first that exists is meant, else the
    first. ``also_read`` are further ones that it reads, where setup does not write; ``only_there``
    the parts of a project that it reads when it is started in that very folder, and from no folder
    below; ``for_user`` those that go to the user's own files unless a scope is asked for.
    ``skills`` maps scopes to the folder in which it reads skills (``NAME/SKILL.md``), which
    are written on request only. ``programs`` are looked for on the PATH, ``folders`` as they are.
    ``has_cwd``: it starts servers in the project's folder. ``notes`` are told where a part is
    written in a scope. ``mark`` is the variable by which it says that it started a process
    (``settings.AGENT_MARKS``).
    ``timeouts_per_second`` is the unit of a hook's limit; ``rules_cap`` how many characters of a
    rules file it reads (0: all); ``script_events`` its and our names of the events of a plugin that
    is a program. ``speaks_for_shared_files``: it is told of where files that several read are
    nobody's. ``doubts`` tells why it would not run a part that stands in a path.

    ``harmless`` maps a part to what may stand in an entry of gitmem's beside gitmem's own words: a
    key, with the kind of its value or the values themselves. With any other it is somebody else's
    entry, so nothing belongs here that changes what is started, with what environment, or what it
    may do unasked. ``reads_servers_of`` names hosts whose servers of a project it starts as well.
    ``named_in`` are files, and keys in them (``{project}``: its folder), in which it keeps what its
    user allowed by name, so that a later server called gitmem would run or work unasked. ``tags``
    are those in which it wraps what it says to its model, by its requests or its source;
    ``gitmem.text.host_tags`` breaks them up in all text.
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
    bases: dict[str, Base] = {}  # noqa: RUF012 - never written to
    mark: str = ""
    reply: Reply = Reply()
    session: Session = Session()
    live: Live = Live()
    hooks_beside: Beside | None = None
    timeouts_per_second: int = 1
    rules_cap: int = 0
    script_events: tuple[tuple[str, str], ...] = ()
    speaks_for_shared_files: bool = False
    doubts: Callable[[Approvals, str, str, str], list[str]] = _none
    harmless: dict[str, dict[str, str | tuple[object, ...]]] = {}  # noqa: RUF012 - never written to
    reads_servers_of: tuple[str, ...] = ()
    named_in: tuple[tuple[str, tuple[str, ...]], ...] = ()
    tags: tuple[str, ...] = ()
    plugin: Plugin | None = None
    facts: Callable[[], Facts] = _nothing_known

    @property
    def parts(self) -> tuple[str, ...]:
        """The parts that it has in any scope, in the order of ``PARTS``."""
        return tuple(part for part in PARTS if any(known == part for known, _ in self.places))
