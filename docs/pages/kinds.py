"""The vocabulary: kinds of memories and their other names, statuses, relations, sources."""

from __future__ import annotations

from docs.pages.markdown import code, table
from gitmem.model import kinds
from gitmem.retrieval.request_filters import STATES

_OPENING = """\
# Kinds, statuses, relations

## Kinds

A memory has one kind. Wherever a kind is asked for, the names in the last column do as well (case,
dashes and spaces do not matter); what is stored and shown is the kind itself. A name that is
neither is refused on the command line, and becomes a `note` when a file is imported."""
_MEANING = {
    "proposed": "still open; orientation lists it until it is accepted",
    "accepted": "in force",
    "deprecated": "no longer to be followed; nothing replaces it",
    "superseded": "replaced by another decision, which `superseded_by` names",
}
_STATES = {
    "active": "in force",
    "proposed": "a decision that is still open",
    "superseded": "replaced, or deprecated; kept and left out unless asked for",
    "archived": "put away by `gitmem forget`; `gitmem restore` brings it back",
    "any": "all of these",
}
_SOURCES = {
    "user_explicit": "a person said it",
    "ai_inferred": "an agent said it",
    "system_auto": "gitmem itself noted it",
}


def page() -> str:
    """The whole page."""
    return "\n\n".join(
        [
            _OPENING,
            table(("Kind", "Meaning", "Also accepted"), map(_kind, kinds.KINDS)),
            "## Statuses of a decision",
            table(("Status", "Meaning"), [(code(one), _MEANING[one]) for one in kinds.STATUSES]),
            "## States of a memory",
            "What `--state` asks for; `active` and `proposed` if it is not given.",
            table(("State", "Meaning"), [(code(one), _STATES[one]) for one in STATES]),
            "## Relations between memories",
            "`gitmem link A B --as RELATION` reads: A relation B. `SUPERSEDES` also marks B as "
            "superseded.",
            ", ".join(map(code, kinds.RELATIONS)) + ".",
            "## Sources of a memory",
            table(("Source", "Meaning"), [(code(one), _SOURCES[one]) for one in kinds.SOURCES]),
        ]
    )


def _kind(kind: str) -> tuple[str, str, str]:
    others = [alias for alias, meant in kinds.ALIASES.items() if meant == kind]
    return code(kind), kinds.KINDS[kind], ", ".join(map(code, others))
