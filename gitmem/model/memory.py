"""A memory: something worth knowing, with its origin, its place and its weight."""

from __future__ import annotations

from gitmem.model.frozen import dataclass

# Starts the placeholder commit of a memory saved on a branch before its first commit:
# "+<commit below>+<memory id>". No history contains it until the first commit replaces it.
WAITING = "+"


@dataclass(frozen=True, slots=True)
class Memory:
    """A version of a memory, a stored note or decision. Times are milliseconds since 1970.

    ``title`` may be empty except for decisions; ``content`` is what is remembered (for a decision,
    its reasons). ``paths`` are repository-relative, optionally ``path:first-last``. ``metadata`` is
    the JSON text of an object. ``seq`` is the row number in its store, 0 before it is stored.

    ``commit`` is the commit at which the memory was saved, or a placeholder (``WAITING``) followed
    by that commit; see ``saved_commit``. ``layer`` is ``working`` for a memory of one session only,
    else empty: then its scope tells its layer. ``trust`` is empty if who wrote it decides alone
    (see ``trust_tier``). ``valid_from`` and ``valid_until`` bound when it holds; None: since it was
    saved, and for ever.
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
    def trust_tier(self) -> str:
        """How far the memory is trusted: person, accepted, agent, repository or foreign.

        It is ``trust``, if that is not empty. Otherwise a memory of an agent is ``agent``, one that
        gitmem captured by itself ``repository``, any other ``person``. A global memory that would
        be ``repository`` is ``foreign``.
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
        """The state of the memory: active, archived, superseded or proposed.

        A deprecated decision counts as superseded, since it is no longer to be followed.
        """
        if self.archived_at is not None:
            return "archived"
        if self.superseded_by or self.status in ("superseded", "deprecated"):
            return "superseded"
        return "proposed" if self.status == "proposed" else "active"

    @property
    def is_unaccepted_proposal(self) -> bool:
        """Whether gitmem proposed it and nobody accepted it: it waits, or was rejected."""
        return self.status == "proposed" and self.source == "system_auto"

    @property
    def saved_commit(self) -> str:
        """The commit at which the memory was saved; empty if there was no commit yet."""
        return self.commit.removeprefix(WAITING).partition(WAITING)[0]

    @property
    def in_force_since_ms(self) -> int:
        """When the memory came into force (``valid_from``, else when it was saved), in ms."""
        return self.created_at if self.valid_from is None else self.valid_from

    @property
    def headline(self) -> str:
        """The title, or the first line of the content if there is none."""
        return self.title or self.content.strip().split("\n", 1)[0]

    @property
    def title_and_content(self) -> str:
        """The title and the content as one text; without a title the first line of the content."""
        return join_title(self.title, self.content) if self.title else self.headline


def join_title(title: str, content: str) -> str:
    """Return ``title: content``, or the content alone if it begins with the title."""
    if content.startswith(title.rstrip(".")):
        return content
    return f"{title.rstrip('.')}: {content}" if content else title


@dataclass(frozen=True, slots=True)
class EarlierMemoryVersion:
    """A version of a memory that an edit replaced, and that edit: its time, action and agent.

    ``at`` is milliseconds since 1970.
    """

    memory: Memory
    at: int
    action: str
    agent: str


@dataclass(frozen=True, slots=True)
class Link:
    """A relationship from the memory ``source`` to the memory ``target``, both by id.

    ``relation`` is a word such as SOLVES, ``strength`` 0 to 1, ``context`` a comment,
    ``created_at`` milliseconds since 1970. With IMPLEMENTED_BY the target is ``commit:`` and a
    commit.
    """

    id: str
    source: str
    target: str
    relation: str
    strength: float
    context: str
    created_at: int
