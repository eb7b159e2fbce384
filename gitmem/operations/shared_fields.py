"""Fields that several requests share, with one wording: ``limit: Limit = 20``.

For other bounds and defaults a verb uses ``at_most`` and ``NEWER``, which have the same wording.
"""

from gitmem import setting_table
from gitmem.operations.registry import Annotated, Arg, Texts, given

NEWER = "Only newer than this: 7d, yesterday, 2026-01-31, v1.2"
STATUSES = ("proposed", "accepted", "deprecated", "superseded")
# As ``memory.layer_router`` and ``search.profiles`` have them, which hot commands do not load.
LAYERS = ("working", "project", "global")
PROFILES = ("default", "benchmark", "code", "temporal", "preference")


def at_most(most: int, help: str = "At most this many") -> Arg:
    """A limit with another maximum than ``Limit``."""
    return Arg(help, short="-n", least=1, most=most)


# Which memory, skill, session or file.
Id = Annotated[str, given("An id or a unique prefix")]
Ids = Annotated[Texts, given("Ids or unique prefixes")]
SkillName = Annotated[str, given("Its name or id", metavar="NAME")]
WhichSession = Annotated[str, Arg("Which session (default: the running one)", metavar="ID")]
HostSession = Annotated[str, Arg("The host's own session id", cli=False, mcp=False)]
WorkingFile = Annotated[str, Arg("The file you are working on", place="path")]
SubProject = Annotated[
    str,
    Arg(
        "The sub-project to use (default: that of the folder); all: the root; upstream: the "
        "original of this fork",
        mcp=False,
    ),
]

# Which of many.
OfKind = Annotated[Texts, Arg("Only this kind", short="-k")]
WithTag = Annotated[Texts, Arg("Only with one of these tags")]
InState = Annotated[Texts, Arg("active, proposed (default: both), superseded, archived or any")]
ByAgent = Annotated[str, Arg("Only what this agent wrote")]
ByAuthor = Annotated[str, Arg("Only commits whose author's name contains this")]
About = Annotated[str, Arg("Only about this file or folder", place="path")]
InLayer = Annotated[
    Texts, Arg("Only of this layer: working, project or global", choices=LAYERS, mcp=False)
]
FromScope = Annotated[str, Arg("Which memories", choices=("all", "project", "global"))]
Since = Annotated[str, Arg(NEWER)]
Until = Annotated[str, Arg("Only older than this")]
AsOf = Annotated[str, Arg("As things stood at a date, commit or tag", mcp=False)]
AllBranches = Annotated[bool, Arg("Also memories from unmerged branches", mcp=False)]
Threshold = Annotated[
    float | None, Arg("Only hits at least this similar in meaning", least=0, most=1, mcp=False)
]

# How many, and how they are found and shown.
Limit = Annotated[int, at_most(1000)]
Offset = Annotated[int, Arg("Skip this many", least=0)]
HitLimit = Annotated[int | None, at_most(100, "At most this many (default: 10)")]
HitOffset = Annotated[int | None, Arg("Skip this many", least=0, most=10_000, mcp=False)]
Fusion = Annotated[
    str,
    Arg(
        "How words and meaning are combined (default: search.fusion)",
        choices=setting_table.CHOICES["search.fusion"],
        mcp=False,
    ),
]
Profile = Annotated[str, Arg("What to rank higher", choices=PROFILES, mcp=False)]
Explain = Annotated[bool, Arg("Show how each score is made up", mcp=False)]

# What is kept.
Tags = Annotated[Texts, Arg("A tag")]
Paths = Annotated[Texts, Arg("A file it is about: src/app.py or src/app.py:40-60", place="path")]
Anchors = Annotated[
    Texts,
    Arg("Code that it depends on: src/app.py#Server or src/app.py:40-60", place="path", mcp=False),
]
Weight = Annotated[int | None, Arg("Weight in the ranking (default: 3)", least=1, most=5)]
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
OutputFile = Annotated[str, given("The file to write (default: standard output)", metavar="FILE")]
OwnFile = Annotated[
    bool, Arg("The file is your own: trust what it says about who said what", mcp=False)
]
WhichStore = Annotated[
    str, Arg("This project's store, or your own for all projects", choices=("project", "global"))
]
Propose = Annotated[bool, Arg("Put them into the inbox; what an agent imports always goes there")]
