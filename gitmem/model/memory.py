"""A memory: one thing worth knowing, with who said it, where, and how much it weighs."""

from __future__ import annotations

from gitmem.model.frozen import dataclass

# Begins the birth of what was said on a branch before its first commit: "+<commit below>+<its id>".
# It is no commit's id, so it is in nobody's history until that commit takes its place.
WAITING = "+"


@dataclass(frozen=True, slots=True)
class Memory:
    """One memory at one version. Times are milliseconds since the epoch, UTC.

    ``title`` may be empty except for decisions; ``content`` is the memory itself (for a decision,
    why). ``paths`` are repository-relative, optionally ``path:first-last``. ``metadata`` is JSON
    text of an object. ``seq`` is the row number in its store, 0 before it is stored.

    ``commit`` is where it was born, or what waits for that (``WAITING``); ``written_at`` is the
    commit that stood under it. ``layer`` is ``working`` for what belongs to one session only, else
    empty: the layer is that of its scope. ``trust`` is empty where provenance alone says how far to
    believe it (``tier``). ``valid_from`` and ``valid_until`` bound when it held, None: since it was
    said, and until now.
    """

    id: str
    scope: str
    project: str
    kind: str
    title: str
    content: str
    tags: tuple[str, ...]
    paths: tuple[str, ...]
    weight: int
    importance: float
    confidence: float
    pinned: bool
    source: str
    agent: str
    author: str
    session: str
    branch: str
    commit: str
    status: str
    metadata: str
    ttl_ms: int | None
    expires_at: int | None
    archived_at: int | None
    superseded_by: str
    created_at: int
    updated_at: int
    version: int
    layer: str = ""
    trust: str = ""
    valid_from: int | None = None
    valid_until: int | None = None
    seq: int = 0

    @property
    def tier(self) -> str:
        """How far it is trusted: ``person``, ``accepted``, ``agent``, ``repository``, ``foreign``.

        What an agent wrote is nobody's word yet; what was captured by itself is the repository's.
        What holds in every project is the repository's in none: there it is foreign.
        """
        if self.trust:
            tier = self.trust
        elif self.agent or self.source == "ai_inferred":
            tier = "agent"
        else:
            tier = "repository" if self.source == "system_auto" else "person"
        return "foreign" if tier == "repository" and self.scope == "global" else tier

    @property
    def state(self) -> str:
        """``active``, ``archived``, ``superseded`` or ``proposed``.

        A deprecated decision counts as superseded: nobody is to follow it any more.
        """
        if self.archived_at is not None:
            return "archived"
        if self.superseded_by or self.status in ("superseded", "deprecated"):
            return "superseded"
        return "proposed" if self.status == "proposed" else "active"

    @property
    def written_at(self) -> str:
        """The commit at which it was said; empty where there was none."""
        return self.commit.removeprefix(WAITING).partition(WAITING)[0]

    @property
    def begins(self) -> int:
        """From when on it is in force, in milliseconds."""
        return self.created_at if self.valid_from is None else self.valid_from

    @property
    def headline(self) -> str:
        """The title, or the first line of the content."""
        return self.title or self.content.strip().split("\n", 1)[0]


@dataclass(frozen=True, slots=True)
class Version:
    """An earlier version of a memory and the edit that replaced it at ``at``."""

    memory: Memory
    at: int
    action: str
    agent: str


@dataclass(frozen=True, slots=True)
class Link:
    """A typed, directed relationship between two memories (CT-12)."""

    id: str
    source: str
    target: str
    relation: str
    strength: float
    context: str
    created_at: int
