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
    "recall": ("as_of", "all_branches"),
    "list_memories": ("as_of", "all_branches"),
    "search": ("kind", "profile", "explain"),
    "remember": ("layer", "valid_from", "valid_until", "session"),
    "decide": ("session", "valid_from", "valid_until"),
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
