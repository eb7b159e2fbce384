"""How a request is described, and the fields that several requests share.

A request is a frozen dataclass whose fields are ``Annotated[type, Arg(...)]``; the command line,
the MCP tool and the reference page are made from it. Modules with requests do without ``from
__future__ import annotations``, since their annotations are read as objects on every start, and
import ``Annotated`` from ``registry``, which for type checkers is that of ``typing``.

What several requests have is below, with one wording: ``limit: Limit = 20``. For other bounds and
defaults a verb uses ``limit_arg`` and ``NEWER``, which have the same wording.
"""

from __future__ import annotations

from gitmem import setting_table
from gitmem.model.frozen import dataclass

TYPE_CHECKING = False  # importing typing costs 3 ms; type checkers know this name by itself
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Annotated as Annotated
    from typing import Any
else:

    class Annotated:
        """A quick stand-in for ``typing.Annotated``; ``__args__`` is the type and its ``Arg``."""

        __class_getitem__ = classmethod(type(list[str]))


Texts = tuple[str, ...]


class Arg:
    """How one field of a request is given on a command line and in an MCP tool.

    ``positional`` fields are given in order (with ``words``, several words need no quotes); others
    are options (``--name``, or ``flag``; with ``short`` also ``-n``). ``choices`` are the allowed
    words, ``resolve_synonym`` returns that for another word; ``minimum`` and ``maximum`` bound
    numbers. With ``max_stdin_mb``, ``-`` reads standard input, at most so many megabytes; ``raw``:
    its bytes that are not UTF-8 become surrogates. ``path_kind`` says that the field is a ``path``
    in the repository or a ``glob`` over its paths. ``cli`` and ``mcp``: whether a command or a tool
    offers the field.
    """

    __slots__ = (
        "choices",
        "cli",
        "flag",
        "help",
        "max_stdin_mb",
        "maximum",
        "mcp",
        "metavar",
        "minimum",
        "path_kind",
        "positional",
        "raw",
        "resolve_synonym",
        "short",
        "words",
    )

    def __init__(
        self,
        help: str,
        *,
        positional: bool = False,
        words: bool = False,
        short: str = "",
        flag: str = "",
        metavar: str = "",
        choices: tuple[str, ...] = (),
        resolve_synonym: Callable[[str], str] | None = None,
        minimum: float | None = None,
        maximum: float | None = None,
        max_stdin_mb: int = 0,
        path_kind: str = "",
        raw: bool = False,
        cli: bool = True,
        mcp: bool = True,
    ) -> None:
        self.help = help
        self.positional = positional
        self.words = words
        self.short = short
        self.flag = flag
        self.metavar = metavar
        self.choices = choices
        self.resolve_synonym = resolve_synonym
        self.minimum = minimum
        self.maximum = maximum
        self.max_stdin_mb = max_stdin_mb
        self.path_kind = path_kind
        self.raw = raw
        self.cli = cli
        self.mcp = mcp


def positional_arg(help: str, **arg_properties: Any) -> Arg:
    """Return an ``Arg`` given by its position; ``arg_properties`` are its other properties."""
    return Arg(help, positional=True, **arg_properties)


def unquoted_words_arg(help: str, *, max_stdin_mb: int = 0) -> Arg:
    """Return an ``Arg`` given by its position, whose words need no quotes.

    It may be read from standard input, at most ``max_stdin_mb`` megabytes (0: it may not).
    """
    return Arg(help, positional=True, words=True, max_stdin_mb=max_stdin_mb)


@dataclass(frozen=True, slots=True)
class RequestField:
    """A field of a request, read from its annotation.

    ``type`` is str, int, float or bool; ``many`` says that it may be given more than once,
    ``required`` that it has no default.
    """

    name: str
    type: type
    many: bool
    required: bool
    default: Any
    arg: Arg

    @property
    def help(self) -> str:
        """The help text of the field: what it means, and how it is given on a command line."""
        often = "; may be repeated" if self.many and not self.arg.positional else ""
        return self.arg.help + often + ("; - reads standard input" if self.arg.max_stdin_mb else "")

    @property
    def option_name(self) -> str:
        """The long option that gives the field, such as ``--since``."""
        return self.arg.flag or "--" + self.name.replace("_", "-")


def request_fields(request: type) -> list[RequestField]:
    """Return the fields of a request class in order, as a list of ``RequestField``."""
    described = []
    # Values with a default come last, so their defaults are those of the initialiser.
    defaults: tuple[Any, ...] = request.__init__.__defaults__ or ()  # type: ignore[misc]
    required = len(request.__annotations__) - len(defaults)
    for place, (name, annotation) in enumerate(request.__annotations__.items()):
        type_of_field, arg = annotation.__args__
        plain, many = _scalar_type(type_of_field)
        default = None if place < required else defaults[place - required]
        described.append(RequestField(name, plain, many, place < required, default, arg))
    return described


def fields_by_option(fields: Sequence[RequestField]) -> dict[str, RequestField]:
    """Return the fields that are options, by long and by short name (``--limit``, ``-n``)."""
    options = {}
    for field in fields:
        if not field.arg.positional:
            options[field.option_name] = field
            if field.arg.short:
                options[field.arg.short] = field
    return options


def _scalar_type(annotation: Any) -> tuple[type, bool]:
    """The scalar type inside ``X``, ``X | None`` or ``tuple[X, ...]``."""
    arguments = getattr(annotation, "__args__", ())
    if not arguments:
        return annotation, False
    if getattr(annotation, "__origin__", None) is tuple:
        return arguments[0], True
    return next(item for item in arguments if item is not type(None)), False


NEWER = "Only newer than this: 7d, yesterday, 2026-01-31, v1.2"
STATUSES = ("proposed", "accepted", "deprecated", "superseded")
# As ``memory.layer_router`` and ``search.profiles`` have them, which hot commands do not load.
LAYERS = ("working", "project", "global")
PROFILES = ("default", "benchmark", "code", "temporal", "preference")


def limit_arg(max_limit: int, help: str = "At most this many") -> Arg:
    """Return an option ``-n`` for the number of results, from 1 to ``max_limit``."""
    return Arg(help, short="-n", minimum=1, maximum=max_limit)


# Which memory, skill, session or file.
Id = Annotated[str, positional_arg("An id or a unique prefix")]
Ids = Annotated[Texts, positional_arg("Ids or unique prefixes")]
SkillName = Annotated[str, positional_arg("Its name or id", metavar="NAME")]
WhichSession = Annotated[str, Arg("Which session (default: the running one)", metavar="ID")]
HostSession = Annotated[str, Arg("The host's own session id", cli=False, mcp=False)]
WorkingFile = Annotated[str, Arg("The file you are working on", path_kind="path")]
SubProject = Annotated[
    str,
    Arg(
        "The sub-project to use (default: that of the folder); all: the root; upstream: the "
        "original of this fork",
        mcp=False,
    ),
]
OfProjects = Annotated[
    Texts,
    Arg(
        "Ask these of your projects, by name, key or folder; all: each. At most five hits of each",
        flag="--projects",
    ),
]

# Which of many.
OfKind = Annotated[Texts, Arg("Only this kind", short="-k")]
WithTag = Annotated[Texts, Arg("Only with one of these tags")]
InState = Annotated[Texts, Arg("active, proposed (default: both), superseded, archived or any")]
ByAgent = Annotated[str, Arg("Only what this agent wrote")]
ByAuthor = Annotated[str, Arg("Only commits whose author's name contains this")]
About = Annotated[str, Arg("Only about this file or folder", path_kind="path")]
InLayer = Annotated[
    Texts, Arg("Only of this layer: working, project or global", choices=LAYERS, mcp=False)
]
FromScope = Annotated[str, Arg("Which memories", choices=("all", "project", "global"))]
Since = Annotated[str, Arg(NEWER)]
Until = Annotated[str, Arg("Only older than this")]
AsOf = Annotated[str, Arg("As things stood at a date, commit or tag", mcp=False)]
AllBranches = Annotated[bool, Arg("Also memories from unmerged branches", mcp=False)]
Threshold = Annotated[
    float | None, Arg("Only hits at least this similar in meaning", minimum=0, maximum=1, mcp=False)
]

# How many, and how they are found and shown.
Limit = Annotated[int, limit_arg(1000)]
Offset = Annotated[int, Arg("Skip this many", minimum=0)]
HitLimit = Annotated[int | None, limit_arg(100, "At most this many (default: 10)")]
HitOffset = Annotated[int | None, Arg("Skip this many", minimum=0, maximum=10_000, mcp=False)]
Fusion = Annotated[
    str,
    Arg(
        "How words and meaning are combined (default: search.fusion)",
        choices=setting_table.CHOICES["search.fusion"],
        mcp=False,
    ),
]
Profile = Annotated[str, Arg("What to rank higher", choices=PROFILES, mcp=False)]
DiagramFormat = Annotated[
    str,
    Arg(
        "Text, or a diagram for Mermaid or graphviz", choices=("text", "mermaid", "dot"), mcp=False
    ),
]
Explain = Annotated[bool, Arg("Show how each score is made up", mcp=False)]

# What is kept.
Tags = Annotated[Texts, Arg("A tag")]
Paths = Annotated[
    Texts, Arg("A file it is about: src/app.py or src/app.py:40-60", path_kind="path")
]
Anchors = Annotated[
    Texts,
    Arg(
        "Code that it depends on: src/app.py#Server or src/app.py:40-60",
        path_kind="path",
        mcp=False,
    ),
]
Weight = Annotated[int | None, Arg("Weight in the ranking (default: 3)", minimum=1, maximum=5)]
AppliesTo = Annotated[
    str, Arg("Whether it applies to this project or to all", choices=("project", "global"))
]
ItsSession = Annotated[str, Arg("The session it belongs to (default: the running one)", mcp=False)]
ValidFrom = Annotated[str, Arg("Valid from this time on: 2026-01-31, v1.2", mcp=False)]
ValidUntil = Annotated[str, Arg("Valid until this time", mcp=False)]
Piped = Annotated[bool, Arg("", cli=False, mcp=False)]

# What is written, and where.
DryRun = Annotated[bool, Arg("Show what would be done, and do nothing")]
Overwrite = Annotated[bool, Arg("Overwrite the file", short="-f")]
OutputFile = Annotated[
    str, positional_arg("The file to write (default: standard output)", metavar="FILE")
]
OwnFile = Annotated[
    bool, Arg("The file is your own: trust what it says about who said what", mcp=False)
]
WhichStore = Annotated[
    str, Arg("This project's store, or your own for all projects", choices=("project", "global"))
]
Propose = Annotated[bool, Arg("Put them into the inbox; what an agent imports always goes there")]
