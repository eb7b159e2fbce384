"""Memories as JSON and as text."""

from collections.abc import Sequence

from gitmem.clock import iso
from gitmem.memory import trust
from gitmem.model.anchor import STALE, Freshness, Verdict
from gitmem.model.frozen import dataclass, like
from gitmem.model.memory import Memory
from gitmem.store.db.connection import Database
from gitmem.store.memory import short_ids
from gitmem.text import json_reader
from gitmem.text.fence import neutralise, one_line, whole_line

# Lines of one memory that a terminal shows, and of one in a list.
MOST_LINES, LIST_LINES = 12, 2
# Characters of one memory among others that a program or an agent reads.
LONGEST = 2_000
NOWHERE = Freshness("none")


@dataclass(frozen=True, slots=True)
class MemoryItem:
    """A memory in a result. Times are ISO 8601 UTC; ``handle`` is a short id that is enough.

    ``freshness`` is fresh, moved, changed, gone, unknown or none, the worst of its ``anchors``;
    ``layer`` working, project or global; ``visibility`` here or elsewhere; ``trust`` person,
    accepted, agent, repository or foreign. ``contradicts`` are handles of those in force that it
    may contradict.
    """

    id: str
    handle: str
    kind: str
    title: str
    content: str
    tags: tuple[str, ...]
    paths: tuple[str, ...]
    score: float | None
    similarity: float | None
    state: str
    status: str
    scope: str
    weight: int
    importance: float
    pinned: bool
    source: str
    agent: str
    branch: str
    commit: str
    session: str
    created_at: str
    updated_at: str
    expires_at: str | None
    valid_from: str | None
    valid_until: str | None
    superseded_by: str
    version: int
    freshness: str
    anchors: tuple[Verdict, ...]
    layer: str
    visibility: str
    trust: str
    why: tuple[str, ...]
    contradicts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CommitItem:
    """A commit in a result."""

    commit: str
    author: str
    at: str
    subject: str


def item(
    database: Database,
    memory: Memory,
    *,
    standing: Freshness = NOWHERE,
    here: bool = True,
    against: Sequence[str] = (),
) -> MemoryItem:
    """The memory as an item of a result, with its freshness (``standing``).

    ``against`` are the ids of memories that it may contradict.
    """
    return like(
        MemoryItem,
        memory,
        handle=short_ids.shortest(database, memory.id),
        score=None,
        similarity=None,
        commit=memory.written_at,
        created_at=iso(memory.created_at),
        updated_at=iso(memory.updated_at),
        expires_at=_time(memory.expires_at),
        valid_from=_time(memory.valid_from),
        valid_until=_time(memory.valid_until),
        freshness=standing.freshness,
        anchors=standing.anchors,
        layer=memory.layer or memory.scope,
        visibility="here" if here else "elsewhere",
        trust=memory.tier,
        why=(),
        contradicts=tuple(short_ids.shortest(database, id) for id in against),
    )


def _time(ms: int | None) -> str | None:
    return None if ms is None else iso(ms)


def headline(found: MemoryItem, width: int = 0) -> str:
    """Handle, kind, title or text, and marks; about two lines of ``width`` columns, if given."""
    return _format_line(found, found.title or found.content, width)


def _format_line(found: MemoryItem, text: str, width: int = 0) -> str:
    marks = unusual(found)
    tail = f"  [{', '.join(marks)}]" if marks else ""
    shown = short_of(text, width, 22 + len(tail))
    return f"{found.handle}  {found.kind:<10} {shown}{tail}"


def short_of(text: str, width: int, taken: int) -> str:
    """The text of an item in a list: whole, or about two lines of a terminal, less what is taken.

    ``width`` is that of the terminal in columns, 0 where there is none.
    """
    return one_line(text, max(20, width * LIST_LINES - taken)) if width else whole_line(text)


def unusual(found: MemoryItem) -> list[str]:
    """The marks of a memory that is not an ordinary active one."""
    marks = [mark for mark in (found.state,) if mark != "active"]
    marks += ["pinned"] if found.pinned else []
    marks += [found.layer] if found.layer != "project" else []
    marks += ["elsewhere"] if found.visibility == "elsewhere" else []
    marks += [mark] if (mark := trust.mark(found.trust)) else []
    marks += [mark] if (mark := doubt(found.freshness)) else []
    marks += [mark] if (mark := opposes(found.contradicts)) else []
    return marks


def opposes(handles: Sequence[str]) -> str:
    """The mark of a memory that may contradict others."""
    return f"may contradict {', '.join(handles)}" if handles else ""


def doubt(freshness: str) -> str:
    """The mark for a freshness; empty if there is no doubt."""
    if freshness in STALE:
        return f"check first: {freshness}"
    return "not checked" if freshness == "unknown" else ""


def paragraph(found: MemoryItem, width: int = 0) -> str:
    """The headline, then the rest of the text, and where it belongs.

    Of a long one the beginning: ``LONGEST`` characters, or twelve lines on a terminal of ``width``
    columns.
    """
    body = [line.rstrip() for line in neutralise(found.content).split("\n") if line.strip()]
    head = found.title or (body.pop(0) if body else "")
    text = "\n".join([_format_line(found, head), *("    " + line for line in body)])
    if width:
        from gitmem.text import wrapping  # noqa: PLC0415 - a pipe reads lines as they are

        rest = f"    … {{n}} more lines: gitmem show {found.handle}"
        text = wrapping.folded(text, width, MOST_LINES, rest)
    elif len(text) > LONGEST:
        cut = text.rfind("\n", LONGEST // 2, LONGEST)
        cut = LONGEST if cut < 0 else cut
        text = (
            f"{text[:cut]}\n    … {len(text) - cut:,} more characters: gitmem show {found.handle}"
        )
    why = "; ".join(found.why)
    about = [found.created_at[:10], *(f"#{tag}" for tag in found.tags), *found.paths, why]
    doubts = [
        f"! {anchor_line(anchor)}"
        for anchor in found.anchors
        if anchor.verdict in STALE or anchor.verdict == "moved"
    ]
    return "\n".join([text, *("    " + whole_line(line) for line in ("  ".join(about), *doubts))])


def anchor_line(verdict: Verdict) -> str:
    """An anchor and its verdict in words: ``src/app.py:40-60 moved to src/main.py:12-32``."""
    place = verdict.path
    if verdict.first_line is not None:
        place += f":{verdict.first_line}-{verdict.last_line}"
    if verdict.verdict in ("fresh", "moved"):
        joint = " to " if verdict.verdict == "moved" else ", now "
        where = f"{joint}{place}" if place and place != verdict.cited else ""
        return f"{verdict.cited} {verdict.verdict}{where}"
    by = f" by {verdict.commit[:10]}" if verdict.commit else ""
    because = f" ({verdict.reason})" if verdict.reason else ""
    return f"{verdict.cited} {verdict.verdict}{by}{because}"


def whole(found: MemoryItem, metadata: str = "", author: str = "") -> str:
    """Everything about a memory; ``author`` is the author of the commit it was captured from."""
    rows = [
        ("id", found.id),
        ("kind", f"{found.kind} ({found.status})" if found.status else found.kind),
        ("state", found.state + (", pinned" if found.pinned else "")),
        ("layer", found.layer),
        ("tags", " ".join(found.tags)),
        ("paths", " ".join(found.paths)),
        *(("anchor", anchor_line(anchor)) for anchor in found.anchors),
        ("weight", f"{found.weight}, importance {found.importance:g}"),
        ("visibility", "elsewhere" if found.visibility == "elsewhere" else ""),
        ("said by", f"{_origin(found, author)} ({found.source}), trust: {found.trust}"),
        ("on", f"{found.branch} {found.commit[:12]}".strip()),
        ("created", found.created_at),
        ("updated", f"{found.updated_at} (version {found.version})" if found.version > 1 else ""),
        ("expires", found.expires_at or ""),
        ("valid", _validity(found)),
        ("replaced by", found.superseded_by),
        ("contradicts", f"perhaps {' '.join(found.contradicts)}" if found.contradicts else ""),
        ("metadata", "" if metadata in ("", "{}") else metadata),
    ]
    head = [f"{name:>11}  {whole_line(value)}" for name, value in rows if value]
    title = [whole_line(found.title), ""] if found.title else []
    return "\n".join([*title, neutralise(found.content), "", *head])


def _origin(found: MemoryItem, author: str) -> str:

    if found.source == "system_auto" and not found.agent:
        return f"nobody here, captured from a commit by {author}" if author else "nobody, captured"
    if found.trust == "repository":
        return "nobody here, read from a file"
    claimed = ", as it says itself" if found.trust == "foreign" else ""
    return f"{found.agent or 'person'}{claimed}"


def _validity(found: MemoryItem) -> str:
    since = f"from {found.valid_from}" if found.valid_from else ""
    until = f"until {found.valid_until}" if found.valid_until else ""
    return f"{since} {until}".strip()


def metadata_of(memory: Memory) -> dict[str, object]:
    """The memory's metadata as an object."""
    value = json_reader.loads(memory.metadata or "{}")
    assert isinstance(value, dict)
    return value
