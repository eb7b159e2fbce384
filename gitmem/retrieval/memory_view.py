"""Formatting memories as JSON and as text."""

from collections.abc import Sequence

from gitmem.clock import format_iso
from gitmem.memory import trust
from gitmem.model import kinds
from gitmem.model.anchor import STALE, CitedCodeVerdict, Freshness
from gitmem.model.frozen import copy_fields, dataclass
from gitmem.model.memory import Memory
from gitmem.store.db.connection import Database
from gitmem.store.memory import short_ids
from gitmem.text import json_reader
from gitmem.text.fence import join_lines, make_printable, one_line

# Lines of one memory that a terminal shows, and of one in a list.
MOST_LINES, LIST_LINES = 12, 2
# Characters of one memory among others that a program or an agent reads.
LONGEST = 2_000
_PROJECT = 160
NOWHERE = Freshness("none")
# Keys of the metadata that are fields of an item.
SUMMARY, MERGED_FROM = "summary", "merged_from"
OF_METADATA = (SUMMARY, MERGED_FROM, kinds.GIVEN_AS)


@dataclass(frozen=True, slots=True)
class MemoryItem:
    """A memory in a result. Times are ISO 8601 UTC; ``handle`` is the shortest unambiguous id.

    ``freshness`` is fresh, moved, changed, gone, unknown or none, the worst of its ``anchors``;
    ``layer`` is working, project or global; ``visibility`` is here or elsewhere; ``trust`` is
    person, accepted, agent, repository or foreign. ``contradicts`` are handles of memories in force
    that it may contradict; ``author`` is the person who said it, ``metadata`` what its writer
    added. ``expires_at`` is its end after the uses so far (``accesses``), ``ttl_seconds`` the time
    to live that was given; both are null if it has no end. Three fields come from the metadata:
    ``summary``; ``merged_from``, the ids of the memories merged into it; and ``kind_as``, the
    narrower name under which the kind was given (``solution`` for a fix). ``project`` is the
    project it comes from, if several were searched.
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
    confidence: float
    pinned: bool
    source: str
    agent: str
    author: str
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
    anchors: tuple[CitedCodeVerdict, ...]
    layer: str
    visibility: str
    trust: str
    why: tuple[str, ...]
    metadata: dict[str, object]
    contradicts: tuple[str, ...] = ()
    summary: str = ""
    merged_from: tuple[str, ...] = ()
    ttl_seconds: int | None = None
    accesses: int = 0
    kind_as: str = ""
    project: str = ""


@dataclass(frozen=True, slots=True)
class CommitItem:
    """A commit in a result: its id, author, time (ISO 8601) and subject."""

    commit: str
    author: str
    at: str
    subject: str


def make_memory_item(
    database: Database,
    memory: Memory,
    *,
    freshness: Freshness = NOWHERE,
    is_visible_here: bool = True,
    contradicted_ids: Sequence[str] = (),
    access_count: int = 0,
    expires_ms: int | None = None,
) -> MemoryItem:
    """A memory as a MemoryItem, the form in which results show it.

    ``freshness`` says whether its cited code is unchanged, ``is_visible_here`` whether its branch
    is checked out or it belongs to none, ``contradicted_ids`` are memories that it may contradict,
    ``access_count`` is how often it was used; ``expires_ms`` (milliseconds since 1970) is its end,
    None: never.
    """
    facts = parse_memory_metadata(memory)
    return copy_fields(
        MemoryItem,
        memory,
        handle=short_ids.shortest_unique_prefix(database, memory.id),
        score=None,
        similarity=None,
        commit=memory.saved_commit,
        created_at=format_iso(memory.created_at),
        updated_at=format_iso(memory.updated_at),
        expires_at=_time(expires_ms),
        valid_from=_time(memory.valid_from),
        valid_until=_time(memory.valid_until),
        freshness=freshness.freshness,
        anchors=freshness.anchors,
        layer=memory.layer or memory.scope,
        visibility="here" if is_visible_here else "elsewhere",
        project="",
        trust=memory.trust_tier,
        why=(),
        contradicts=tuple(
            short_ids.shortest_unique_prefix(database, id) for id in contradicted_ids
        ),
        metadata=facts,
        summary=_text(facts.get(SUMMARY)),
        merged_from=_texts(facts.get(MERGED_FROM)),
        ttl_seconds=None if memory.ttl_ms is None or expires_ms is None else memory.ttl_ms // 1000,
        accesses=access_count,
        kind_as=_text(facts.get(kinds.GIVEN_AS)),
    )


def special_kind_of_memory(memory: Memory) -> str:
    """The special kind (``solution``) of a memory stored under a more general one; mostly ""."""
    if f'"{kinds.GIVEN_AS}"' not in memory.metadata:
        return ""
    return _text(parse_memory_metadata(memory).get(kinds.GIVEN_AS))


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _texts(value: object) -> tuple[str, ...]:
    return tuple(filter(None, map(_text, value))) if isinstance(value, list) else ()


def _time(ms: int | None) -> str | None:
    return None if ms is None else format_iso(ms)


def format_memory_headline(item: MemoryItem, terminal_width: int = 0) -> str:
    """A line for a memory: its handle, kind, title or text, and marks such as pinned.

    About two lines of ``terminal_width`` columns, if given.
    """
    return _format_line(item, item.title or item.content, terminal_width)


def _format_line(found: MemoryItem, text: str, width: int = 0) -> str:
    marks = memory_status_labels(found)
    tail = f"  [{', '.join(marks)}]" if marks else ""
    shown = shorten_memory_text(text, width, 22 + len(tail))
    return f"{found.handle}  {found.kind:<10} {shown}{tail}"


def shorten_memory_text(text: str, width: int, used_columns: int) -> str:
    """The text of a memory for a list: whole, or what fits in about two lines of a terminal.

    ``width`` is that of the terminal in columns, 0 where there is none; ``used_columns`` columns
    are used already.
    """
    return one_line(text, max(20, width * LIST_LINES - used_columns)) if width else join_lines(text)


def memory_status_labels(item: MemoryItem) -> list[str]:
    """The marks of a memory as words: archived, pinned, ...; empty for an ordinary active one."""
    marks = [mark for mark in (item.state,) if mark != "active"]
    marks += ["pinned"] if item.pinned else []
    marks += [item.layer] if item.layer != "project" else []
    marks += ["elsewhere"] if item.visibility == "elsewhere" else []
    marks += [mark] if (mark := trust.trust_tier_mark(item.trust)) else []
    marks += [mark] if (mark := freshness_label(item.freshness)) else []
    marks += [mark] if (mark := contradiction_label(item.contradicts)) else []
    return marks


def contradiction_label(memory_handles: Sequence[str]) -> str:
    """The mark "may contradict ..." with the ids of these memories; empty without any."""
    return f"may contradict {', '.join(memory_handles)}" if memory_handles else ""


def freshness_label(freshness: str) -> str:
    """The mark for a freshness: "check first: changed", "not checked", or "" if all is well."""
    if freshness in STALE:
        return f"check first: {freshness}"
    return "not checked" if freshness == "unknown" else ""


def format_memory(item: MemoryItem, width: int = 0) -> str:
    """A memory as lines of text: its headline, the rest of its text, and where it belongs.

    A text over 2,000 characters is cut or, on a terminal of ``width`` columns, one over twelve
    lines.
    """
    body = [line.rstrip() for line in make_printable(item.content).split("\n") if line.strip()]
    head = item.title or (body.pop(0) if body else "")
    text = "\n".join([_format_line(item, head), *("    " + line for line in body)])
    text = project_label(item.project) + text
    if width:
        from gitmem.text import wrapping  # noqa: PLC0415 - a pipe reads lines as they are

        rest = f"    … {{n}} more lines: gitmem show {item.handle}"
        text = wrapping.wrap_to_max_lines(text, width, MOST_LINES, rest)
    elif len(text) > LONGEST:
        cut = text.rfind("\n", LONGEST // 2, LONGEST)
        cut = LONGEST if cut < 0 else cut
        text = f"{text[:cut]}\n    … {len(text) - cut:,} more characters: gitmem show {item.handle}"
    why = "; ".join(item.why)
    about = [item.created_at[:10], *(f"#{tag}" for tag in item.tags), *item.paths, why]
    doubts = [
        f"! {format_citation_freshness(anchor)}"
        for anchor in item.anchors
        if anchor.verdict in STALE or anchor.verdict == "moved"
    ]
    return "\n".join([text, *("    " + join_lines(line) for line in ("  ".join(about), *doubts))])


def project_label(project: str) -> str:
    """The text that names a project in front of its hit or memory; "" if ``project`` is ""."""
    return f"{one_line(project, _PROJECT)}: " if project else ""


def format_citation_freshness(verdict: CitedCodeVerdict) -> str:
    """A line on a citation and its freshness: ``src/app.py:40-60 moved to src/main.py:12-32``."""
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


def format_full_memory(item: MemoryItem, metadata: str = "", author: str = "") -> str:
    """Everything about a memory as text: title, content, and a ``name value`` line for each field.

    ``metadata`` is shown as given (JSON); ``author`` is that of the commit the memory came from.
    """
    named = item.status or item.kind_as
    rows = [
        ("id", item.id),
        ("summary", item.summary),
        ("kind", f"{item.kind} ({named})" if named else item.kind),
        ("state", item.state + (", pinned" if item.pinned else "")),
        ("layer", item.layer),
        ("tags", " ".join(item.tags)),
        ("paths", " ".join(item.paths)),
        *(("anchor", format_citation_freshness(anchor)) for anchor in item.anchors),
        ("weight", f"{item.weight}, importance {item.importance:g}"),
        ("visibility", "elsewhere" if item.visibility == "elsewhere" else ""),
        ("said by", f"{_origin(item, author)} ({item.source}), trust: {item.trust}"),
        ("on", f"{item.branch} {item.commit[:12]}".strip()),
        ("created", item.created_at),
        ("updated", f"{item.updated_at} (version {item.version})" if item.version > 1 else ""),
        ("expires", item.expires_at or ""),
        ("merged from", " ".join(item.merged_from)),
        ("valid", _validity(item)),
        ("replaced by", item.superseded_by),
        ("contradicts", f"perhaps {' '.join(item.contradicts)}" if item.contradicts else ""),
        ("metadata", "" if metadata in ("", "{}") else metadata),
    ]
    head = [f"{name:>11}  {join_lines(value)}" for name, value in rows if value]
    title = [join_lines(item.title), ""] if item.title else []
    return "\n".join([*title, make_printable(item.content), "", *head])


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


def parse_memory_metadata(memory: Memory) -> dict[str, object]:
    """The metadata of a memory as a dict, parsed from its JSON."""
    value = json_reader.loads(memory.metadata or "{}")
    assert isinstance(value, dict)
    return value
