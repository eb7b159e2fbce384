"""Counts of memories, of their use, and of the index."""

import os
from collections.abc import Iterable

from gitmem import audit_log
from gitmem.app import App
from gitmem.audit_log import LoggedHttpWrite
from gitmem.clock import DAY, format_iso
from gitmem.errors import InvalidInput
from gitmem.maintenance.funnel import (
    AgentUsage,
    RecallLatency,
    format_usage,
    recall_latency_by_mode,
    usage_by_agent,
)
from gitmem.model.frozen import dataclass, replace
from gitmem.operations.registry import READ, Annotated, Arg, Operation
from gitmem.retrieval import request_filters
from gitmem.store.code import tree_state
from gitmem.store.code.tree_state import IndexedFileStatistics
from gitmem.store.db.caches import CacheUsage
from gitmem.store.file import backup
from gitmem.store.memory import store_counts
from gitmem.text.fence import one_line
from gitmem.text.quantity import quantity

EARLIEST = "30d"
# First words of names, and writes over HTTP, that are listed.
_VERBS, _WRITES = 10, 100


@dataclass(frozen=True, slots=True)
class StatsRequest:
    """Arguments of `gitmem stats`: what to count instead of memories, if a flag is set.

    ``funnel`` counts use by agents, ``metrics`` durations of recalls, both since ``since`` (empty:
    30 days); ``files`` counts the index, ``audit`` lists writes over HTTP.
    """

    funnel: Annotated[
        bool, Arg("Count usage instead: sessions, injections, recalls, stores", mcp=False)
    ] = False
    since: Annotated[
        str,
        Arg(
            "With --funnel or --metrics: from which day on: 7d, v1.2, all (default: 30d)", mcp=False
        ),
    ] = ""
    metrics: Annotated[
        bool,
        Arg("Show how long recalls took instead, by mode: 50th, 95th, 99th percentile", mcp=False),
    ] = False
    files: Annotated[
        bool, Arg("Count the index instead: files, pieces, and the pieces of each file", mcp=False)
    ] = False
    audit: Annotated[
        bool, Arg("List the newest writes over HTTP instead, the newest first", mcp=False)
    ] = False


@dataclass(frozen=True, slots=True)
class WorktreeIndexCounts:
    """How much of this worktree is indexed; in ``files`` those with the most pieces come first.

    ``at`` is when the index was last updated (ISO 8601 UTC, empty if never). ``functions`` counts
    functions and methods, ``exported`` those of them that other files can use. ``verbs`` are the
    first words of their names, ``purposes`` what they are for, judged by all words; both are
    counts, the largest first.
    """

    verbs: dict[str, int]
    total: int = 0
    pieces: int = 0
    pieces_per_file: float = 0.0
    lines: int = 0
    bytes: int = 0
    at: str = ""
    functions: int = 0
    exported: int = 0
    files: tuple[IndexedFileStatistics, ...] = ()
    purposes: dict[str, int] | None = None


@dataclass(frozen=True, slots=True)
class StatsResult:
    """Counts of memories by state, kind, agent and tag, and the size of the file in bytes.

    ``funnel`` is each agent's use in ``project`` since the day ``since`` (UTC), and
    ``injected_tokens`` are the tokens given to all sessions unasked; ``latencies`` has the number
    and duration of recalls by mode. All of these are empty unless requested, as is ``index``.
    ``caches`` are those of an MCP server since its start; for a command there are none. ``store``
    is the path of the file. ``writes`` are writes over HTTP, by every server of this user.
    """

    total: int
    by_state: dict[str, int]
    by_kind: dict[str, int]
    by_agent: dict[str, int]
    by_tag: dict[str, int]
    pinned: int
    versions: int
    links: int
    sessions: int
    notes: int
    accesses: int
    global_total: int
    file_bytes: int
    backups: int
    funnel: tuple[AgentUsage, ...] = ()
    since: str = ""
    project: str = ""
    injected_tokens: int = 0
    latencies: dict[str, RecallLatency] | None = None
    index: WorktreeIndexCounts | None = None
    caches: tuple[CacheUsage, ...] = ()
    store: str = ""
    writes: tuple[LoggedHttpWrite, ...] | None = None


def collect_store_statistics(app: App, request: StatsRequest) -> StatsResult:
    """Count memories by state, kind, agent and tag.

    With --funnel it counts usage by agent: sessions, text injected into them, queries and how many
    found something, memories stored, and tokens saved by compact answers and by not repeating
    injected text in a session. Tokens are characters / 4. Only numbers are kept, in this store
    only, for 400 days; nothing is sent anywhere, and `gitmem config usage.enabled 0` turns it off.
    --metrics shows how long recalls took. With --files it counts the index of this worktree, and
    lists its files with their pieces; `gitmem index --full` rebuilds the index. --audit lists what
    programs wrote or tried to write over HTTP: when, from where, as which agent, and the status.
    """
    flags = [name for name in ("files", "funnel", "metrics", "audit") if getattr(request, name)]
    if len(flags) > 1:
        two = f"--{flags[0]} and --{flags[1]}"
        raise InvalidInput(f"{two} cannot be combined.", "Omit one of them.")
    if request.since and flags not in (["funnel"], ["metrics"]):
        raise InvalidInput(
            "--since works only with --funnel and --metrics.",
            "Run `gitmem stats --funnel --since 7d`.",
        )
    counts = store_counts.count_store_rows(app.store, app.now)
    shared = app.global_store()
    counted = StatsResult(
        **counts,
        global_total=0
        if shared is None
        else store_counts.count_store_rows(shared, app.now)["total"],
        file_bytes=os.path.getsize(app.store_path),
        backups=len(backup.list_backups(app.store_path)),
        store=app.store_path,
        caches=() if app.store.caches is None else app.store.caches.usage(),
    )
    if request.files:
        return replace(counted, index=_index(app))
    if request.audit:
        return replace(
            counted,
            writes=tuple(audit_log.read_newest_http_writes(app.settings.audit_log, _WRITES)),
        )
    if not flags:
        return counted
    at = _since(app, request.since or EARLIEST)
    day = at // DAY
    since = format_iso(day * DAY)[:10]
    if request.metrics:
        return replace(counted, since=since, latencies=recall_latency_by_mode(app, day))
    caches = usage_by_agent(app, day)
    return replace(
        counted,
        funnel=caches,
        since=since,
        project=os.path.basename(app.layout.cwd),
        injected_tokens=sum(cache.injected_tokens for cache in caches),
    )


def _since(app: App, expression: str) -> int:
    """The time (ms) from which on use is counted; "all" begins where the timeline does."""
    if expression.strip() == "all":
        from gitmem.store.code import commits  # noqa: PLC0415 - for this alone
        from gitmem.store.memory import memories  # noqa: PLC0415 - as above

        return min(
            commits.oldest_commit_time(app.store), memories.oldest_memory_time(app.store), app.now
        )
    at = request_filters.parse_time_ms(app, expression)
    assert at is not None
    return at


def _index(app: App) -> WorktreeIndexCounts:
    """The index of this worktree, counted."""
    from gitmem.store.code import chunks, symbols  # noqa: PLC0415 - most count memories
    from gitmem.text import identifiers, purpose  # noqa: PLC0415 - as above

    functions = symbols.function_names(app.store, app.worktree)
    tree = tree_state.worktree_index_state(app.store, app.worktree)
    files = chunks.indexed_file_statistics(app.store, app.worktree)
    pieces = sum(file.pieces for file in files)
    return WorktreeIndexCounts(
        total=len(files),
        pieces=pieces,
        pieces_per_file=round(pieces / len(files), 1) if files else 0.0,
        lines=sum(file.lines for file in files),
        bytes=sum(file.bytes for file in files),
        at="" if tree is None else format_iso(tree.at),
        functions=len(functions),
        exported=sum(exported for _, exported in functions),
        verbs=_most(
            parts[0] for name, _ in functions if (parts := identifiers.split_identifiers(name))
        ),
        files=tuple(files),
        purposes=_most(purpose.function_purpose(name) for name, _ in functions),
    )


def _most(words: Iterable[str]) -> dict[str, int]:
    """The most frequent words with their counts."""
    from collections import Counter  # noqa: PLC0415 - most count memories

    counts = Counter(words)
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:_VERBS])


def view(result: StatsResult) -> str:
    """Return the text to print: a line for each kind of count, or what else was asked for."""
    if result.index is not None:
        return _file_lines(result.index, result.file_bytes, result.store)
    if result.writes is not None:
        return _write_lines(result.writes)
    if result.latencies is not None:
        return _latency_lines(result.latencies, result.since)
    if result.since:
        return format_usage(result.funnel, result.since, result.project)
    lines = [_memory_line(result)]
    for name, counts in _count_groups(result):
        if counts:
            files = ", ".join(
                f"{one_line(key, 40) or 'person'} {count}" for key, count in counts.items()
            )
            lines.append(f"  {name:<9} {files}")
    return "\n".join([*lines, *_other_lines(result)])


def view_for_terminal(result: StatsResult, width: int) -> str:
    """Return the text for a terminal of ``width`` columns, with bars for counts of memories."""
    if result.index is not None or result.latencies is not None or result.since:
        return view(result)
    from gitmem.text.bars import bar_chart_lines  # noqa: PLC0415 - on a terminal only

    lines = [_memory_line(result)]
    for name, counts in _count_groups(result):
        rows = [(one_line(key, 40) or "person", n, f"{n:,}") for key, n in counts.items()]
        lines += (
            [f"by {name}", *bar_chart_lines(rows, width, max_number=result.total)]
            if len(rows) > 1
            else []
        )
    return "\n".join([*lines, *_other_lines(result)])


def _memory_line(result: StatsResult) -> str:
    count = quantity(result.total, "memory")
    return f"{count}, {result.global_total} global, {result.pinned} pinned"


def _count_groups(result: StatsResult) -> tuple[tuple[str, dict[str, int]], ...]:
    return (
        ("state", result.by_state),
        ("kind", result.by_kind),
        ("agent", result.by_agent),
        ("tag", result.by_tag),
    )


def _other_lines(result: StatsResult) -> list[str]:
    """History, sessions, accesses, caches and the file, a line each."""
    lines = []
    links = quantity(result.links, "link")
    lines.append(f"  history   {quantity(result.versions, 'earlier version')}, {links}")
    lines.append(f"  sessions  {result.sessions}, {quantity(result.notes, 'note')}")
    lines.append(f"  accesses  {result.accesses}")
    lines += [
        f"  cache     {cache.name}: {cache.hits:,} of {cache.hits + cache.misses:,} "
        f"({cache.hit_rate:.0%}), {cache.kept:,} kept of {cache.most:,}, {cache.evicted:,} evicted"
        for cache in result.caches
    ]
    backups = quantity(result.backups, "backup")
    lines.append(f"  file      {result.file_bytes / 1024:,.0f} KiB, {backups}")
    return lines


def _latency_lines(latencies: dict[str, RecallLatency], since: str) -> str:
    """A line for each mode."""
    if not latencies:
        return f"Nothing was recalled since {since}."
    lines = [f"Recalls since {since} (UTC), by mode; 50 %, 95 % and 99 % took at most:"]
    lines += [
        f"  {mode:<9} {latency.count:,}: {latency.p50:,} ms, {latency.p95:,} ms, {latency.p99:,} ms"
        for mode, latency in latencies.items()
    ]
    return "\n".join([*lines, "Times are rounded up to a power of two."])


def _write_lines(writes: tuple[LoggedHttpWrite, ...]) -> str:
    """A line for each write."""
    lines = [
        f"{write.at}  {write.status}  {one_line(write.verb, 40):<16} {one_line(write.agent, 64)} "
        f"from {one_line(write.address, 64)}  {one_line(write.project, 200)}"
        for write in writes
    ]
    return "\n".join(lines) or "Nothing was written over HTTP."


def _file_lines(index: WorktreeIndexCounts, file_bytes: int, store: str) -> str:
    """The counts in a line, then a line for each file."""
    if not index.total:
        return "No file of this worktree is indexed: run `gitmem index`."
    lines = [
        f"{index.total:,} files, {index.pieces:,} pieces, {index.pieces_per_file:g} in each file, "
        f"{index.lines:,} lines, {index.bytes / 1024:,.0f} KiB; the store {file_bytes / 1024:,.0f} "
        f"KiB; indexed {index.at}",
        f"store: {one_line(store, len(store))}",
        f"{index.functions:,} functions, {index.exported:,} of them visible to other files",
    ]
    lines += [
        f"  {file.pieces:>5}  {file.lines:>7,} lines  {one_line(file.path, 200)}"
        for file in index.files
    ]
    return "\n".join(lines)


STATS = Operation(
    "stats",
    collect_store_statistics,
    view,
    READ,
    "--json",
    tool="stats",
    shows_times=True,
    view_for_terminal=view_for_terminal,
)
