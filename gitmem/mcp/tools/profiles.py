"""The profiles of the server: which tools and arguments each offers, as data.

A tool list costs tokens in every session, so the default one is short and without resources and
prompts. Which operations are tools at all is in the table of operations.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gitmem.errors import InvalidInput
from gitmem.model.frozen import dataclass

SHORT, READONLY = "default", "readonly"
NAMES = (SHORT, "full", READONLY, "compat")
# Chosen by what their answers name of later changes, per token (search, context, why, impact:
# docs/benchmarks.md); for what no diff shows (orient, recall, check); to write (the last three).
DEFAULT = (
    "orient",
    "recall",
    "search",
    "context",
    "why",
    "check",
    "impact",
    "remember",
    "decide",
    "verify",
)
# The tools that are no operations, but belong to the connection.
BATCH, DEFAULTS = "batch", "session_defaults"

# Arguments of the command line that tools accept in every profile, but that only full and compat
# list.
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

# The arguments that the default list names, with descriptions (empty if the name is enough). All
# others are accepted there too, and listed in full.
USUAL: dict[str, dict[str, str]] = {
    "orient": {},
    "recall": {
        "query": "* lists all",
        "kind": "",
        "path": "File or folder",
        "since": "7d, v1.2",
        "limit": "",
    },
    "search": {
        "query": 'Words, "a phrase" or a name',
        "sources": "code, notes, commits, memories",
        "mode": "",
        "path": "src/**/*.py",
        "limit": "",
    },
    "context": {
        "query": "Task or question",
        "file": "",
        "max_tokens": "1500 often does; default 6000",
    },
    "why": {"target": "src/app.py:40-60, a path or a name"},
    "check": {"plan": "What you are about to do", "file": ""},
    "impact": {"target": "Path, name or main..HEAD"},
    "remember": {
        "text": "",
        "kind": "note, convention, fix, ...",
        "tag": "",
        "path": "About src/app.py:40-60",
        "scope": "",
    },
    "decide": {
        "title": "What was decided, in a line",
        "why": "Reasons, alternatives rejected",
        "path": "",
        "supersedes": "Id of the one it replaces",
    },
    "verify": {
        "id": "Default: all",
        "changed": "Only if their code changed",
        "accept": "Still true: anchor them anew",
        "correct": "New text",
        "retire": "Archive them",
    },
}


@dataclass(frozen=True, slots=True)
class RestrictedTool:
    """A tool that a profile (a named set of tools) offers with fewer arguments: those in ``only``.

    Arguments in ``fixed`` always have that value. ``reads``: so restricted, it changes nothing.
    """

    only: tuple[str, ...]
    fixed: Mapping[str, Any]
    reads: bool = True


# Agents may only look at these: age decides what fades, and a person repairs what is damaged.
EVERYWHERE: dict[str, RestrictedTool] = {
    "decay": RestrictedTool(("explain",), {"dry_run": True}),
    "doctor": RestrictedTool((), {}),
}
READING: dict[str, RestrictedTool] = {
    **EVERYWHERE,
    "verify": RestrictedTool(("id", "changed", "all"), {}),
    "index": RestrictedTool((), {"dry_run": True}),
}


def check_profile(profile: str) -> str:
    """Return ``profile`` if it is the name of a set of tools, else raise InvalidInput."""
    if profile not in NAMES:
        raise InvalidInput(
            f"There is no profile {profile[:40]!r}.", f"Profiles: {', '.join(NAMES)}."
        )
    return profile


def restricted_tools(profile: str) -> Mapping[str, RestrictedTool]:
    """The tools that a profile (a named set) offers with fewer arguments, as a dict by name."""
    return READING if profile == READONLY else EVERYWHERE
