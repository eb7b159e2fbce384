"""Which memories leave the device: pure rules over a memory and what the user set.

Only what a person wrote or accepted for this project does. ``sync.include`` and ``sync.exclude``
narrow that down, by ``kind:decision``, ``tag:ops`` and ``path:src/**``; exclusion wins.
"""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase

from gitmem.errors import InvalidInput
from gitmem.memory import trust
from gitmem.model import kinds
from gitmem.model.frozen import dataclass
from gitmem.model.memory import Memory

PRIVATE = "private"  # the tag by which a person keeps a memory to themselves
# Why a memory stays, in the words of `gitmem sync status`.
GLOBAL, WORKING, TAGGED = "global", "working", "private"
PROPOSED, UNREVIEWED, ARCHIVED, EXCLUDED = "proposed", "not accepted", "archived", "excluded"
_CONDITIONS = ("kind", "tag", "path")


@dataclass(frozen=True, slots=True)
class SyncRules:
    """The user's rules on which memories to share, as (kind, tag or path; its value) pairs.

    If ``include`` is not empty, only memories that match one of its pairs are shared; those that
    match one in ``exclude`` never are.
    """

    include: tuple[tuple[str, str], ...] = ()
    exclude: tuple[tuple[str, str], ...] = ()


def parse_sync_rules(include: str, exclude: str) -> SyncRules:
    """Return the sharing rules in the settings ``sync.include`` and ``sync.exclude``.

    Each is ``kind:NAME``, ``tag:NAME`` or ``path:GLOB``, joined by commas. Raises InvalidInput for
    anything else.
    """
    return SyncRules(_conditions("sync.include", include), _conditions("sync.exclude", exclude))


def why_not_shared(memory: Memory, rules: SyncRules, *, was_shared: bool) -> str:
    """Return why a memory is not shared, such as ``private``; empty if it is shared.

    ``was_shared``: a version of it was sent before; then archiving it does not keep it back, so
    that the others learn of it.
    """
    if memory.scope != "project":
        return GLOBAL
    if memory.layer:
        return WORKING
    if PRIVATE in memory.tags:
        return TAGGED
    if memory.state == "proposed":
        return PROPOSED
    if not trust.is_accepted_by_person(memory):
        return UNREVIEWED
    if memory.archived_at is not None and not was_shared:
        return ARCHIVED
    if _matches(memory, rules.exclude) or (rules.include and not _matches(memory, rules.include)):
        return EXCLUDED
    return ""


def _conditions(setting: str, text: str) -> tuple[tuple[str, str], ...]:
    pairs = []
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, colon, value = part.partition(":")
        if not (colon and value and name in _CONDITIONS):
            raise InvalidInput(
                f"{setting} cannot be {part[:60]!r}.",
                "Give kind:NAME, tag:NAME or path:GLOB, joined by commas.",
            )
        value = value.strip()
        # A kind that is not there would leave out nothing, and its memories would be shared.
        if name == "kind" and value not in kinds.KINDS:
            raise InvalidInput(
                f"{setting} names no kind of memory: {value[:60]!r}.",
                f"Kinds: {', '.join(kinds.KINDS)}.",
            )
        pairs.append((name, value))
    return tuple(pairs)


def _matches(memory: Memory, conditions: Sequence[tuple[str, str]]) -> bool:
    return any(
        {
            "kind": memory.kind == value,
            "tag": value.lower() in memory.tags,
            "path": any(_in_path(path, value) for path in memory.paths),
        }[name]
        for name, value in conditions
    )


def _in_path(path: str, glob: str) -> bool:
    bare = path.split(":", 1)[0]
    return fnmatchcase(bare, glob) or bare.startswith(glob.rstrip("/") + "/")
