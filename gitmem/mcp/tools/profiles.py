"""Which tools a server offers: four lists, as data.

A tool list is paid for in every session, so the default one is short. Which operations are tools at
all says the table of operations; here stands what each profile makes of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gitmem.errors import InvalidInput
from gitmem.model.frozen import dataclass

READONLY = "readonly"
NAMES = ("default", "full", READONLY, "compat")
# What an agent needs to begin, to find, to keep and to check.
DEFAULT = (
    "orient",
    "recall",
    "search",
    "remember",
    "decide",
    "show",
    "verify",
    "affected",
    "session_note",
    "batch",
)
# Of the connection, not of the repository: the tools that are no operations.
BATCH, DEFAULTS = "batch", "session_defaults"

# Arguments that the command line has and a short tool list does not tell: accepted in every
# profile, listed in full and compat.
MORE: dict[str, tuple[str, ...]] = {
    "orient": ("project",),
    "recall": (
        *("as_of", "all_branches", "project", "match", "fusion", "threshold", "offset"),
        "weight",
    ),
    "list_memories": ("as_of", "all_branches", "project"),
    "search": (
        *("kind", "profile", "explain", "queries", "not_path", "ext", "case", "threshold"),
        *("per_path", "per_source", "context_lines", "include_content", "offset", "fusion"),
        "project",
    ),
    "timeline": ("project",),
    "remember": (
        *("layer", "fixed", "valid_from", "valid_until", "session", "project"),
        *("origin", "author", "supersedes"),
    ),
    "decide": ("session", "valid_from", "valid_until", "project"),
}

# What the default list tells of its tools: the arguments that agents give, and what each is, empty
# where its name says it. All others are taken there too, and listed in full.
USUAL: dict[str, dict[str, str]] = {
    "orient": {"budget": "Tokens"},
    "remember": {
        "text": "What to remember",
        "title": "",
        "kind": "note (default), convention, fix, problem, workflow, ...",
        "tag": "",
        "path": "Files it is about: src/app.py or src/app.py:40-60",
        "ttl": "Archive it after this time: 7d",
        "pin": "It stays on top and never fades",
        "scope": "",
    },
    "decide": {
        "title": "What was decided, in one line",
        "why": "The reasons, and the alternatives rejected",
        "path": "Files it is about",
        "tag": "",
        "status": "",
        "supersedes": "Id of the decision that it replaces",
        "scope": "",
    },
    "recall": {
        "query": 'Words or "a phrase"; * lists all',
        "kind": "",
        "tag": "",
        "path": "About this file or folder",
        "state": "active, proposed, superseded, archived or any",
        "since": "7d, yesterday, v1.2",
        "limit": "",
    },
    "search": {
        "query": 'Words, "a phrase" or a name',
        "sources": "code, notes, commits, memories",
        "mode": "Match words, meaning or both; or look up a name",
        "path": "src/**/*.py",
        "since": "Commits since 7d, v1.2",
        "limit": "",
    },
    "show": {"id": "An id or a unique prefix"},
    "verify": {
        "id": "Default: all",
        "changed": "Only those whose code changed or is gone",
        "accept": "Still true: anchor them to the code as it is now",
        "re_anchor": "Cite this instead: src/app.py:40-60, src/app.py::Server.start",
        "correct": "Of any memory: the corrected text",
        "retire": "Archive them: wrong, or of no use",
    },
    "affected": {"revisions": "v1.2..HEAD, main...feature; default: HEAD", "staged": ""},
    "session_note": {
        "text": "",
        "file": "Files viewed or worked on",
        "goal": "",
        "end": "End it; text sums it up",
    },
    "batch": {"calls": '{"tool": "recall", "arguments": {"query": "redis"}}'},
}


@dataclass(frozen=True, slots=True)
class Cut:
    """An operation with fewer arguments: ``only`` these, and the ``fixed`` ones have one value.

    ``reads``: so cut it changes nothing.
    """

    only: tuple[str, ...]
    fixed: Mapping[str, Any]
    reads: bool = True


# What fades is settled by age, what is damaged mended by a person: an agent may look.
EVERYWHERE: dict[str, Cut] = {
    "decay": Cut(("explain",), {"dry_run": True}),
    "doctor": Cut((), {}),
}
READING: dict[str, Cut] = {
    **EVERYWHERE,
    "verify": Cut(("id", "changed", "all"), {}),
    "index": Cut((), {"dry_run": True}),
}


def check(profile: str) -> str:
    """The profile, if there is one with this name. Raises InvalidInput."""
    if profile not in NAMES:
        raise InvalidInput(
            f"There is no profile {profile[:40]!r}.", f"Profiles: {', '.join(NAMES)}."
        )
    return profile


def cuts(profile: str) -> Mapping[str, Cut]:
    """Tool -> what this profile leaves of it; the others are whole."""
    return READING if profile == READONLY else EVERYWHERE
