"""Listing memories, newest first."""

from gitmem.app import App
from gitmem.model.frozen import dataclass, replace
from gitmem.operations import shared_fields as shared
from gitmem.operations.registry import READ, Annotated, Arg, Operation
from gitmem.retrieval import annotate, memory_view, request_filters
from gitmem.store.memory import memories
from gitmem.store.memory.filters import TIERS


@dataclass(frozen=True, slots=True)
class ListMemoriesRequest:
    """Arguments of `gitmem list`: filters (empty: none), order and page of a list of memories.

    ``state`` are active, proposed, superseded, archived or any; ``since`` and ``until`` are times
    or revisions, ``as_of`` one at which to look. ``order`` is newest or uses.
    """

    kind: shared.OfKind = ()
    tag: shared.WithTag = ()
    state: shared.InState = ()
    agent: shared.ByAgent = ""
    path: shared.About = ""
    pinned: Annotated[bool, Arg("Only pinned ones")] = False
    scope: shared.FromScope = "all"
    layer: shared.InLayer = ()
    trust: Annotated[str, Arg("Only of this trust", choices=TIERS, mcp=False)] = ""
    project: shared.SubProject = ""
    since: shared.Since = ""
    until: shared.Until = ""
    as_of: shared.AsOf = ""
    all_branches: shared.AllBranches = False
    order: Annotated[
        str, Arg("The newest first, or the most used", choices=("newest", "uses"), mcp=False)
    ] = "newest"
    limit: shared.Limit = 20
    offset: shared.Offset = 0


@dataclass(frozen=True, slots=True)
class MemoryList:
    """The memories of one page; ``total`` counts all memories that match.

    If none matches, ``notes`` say which filters no memory passes.
    """

    memories: tuple[memory_view.MemoryItem, ...]
    total: int
    offset: int
    notes: tuple[str, ...] = ()


def list_memories(app: App, request: ListMemoriesRequest) -> MemoryList:
    """List memories and decisions, newest first.

    Archived and superseded ones are left out unless --state asks for them, and those recorded
    on a branch that is not merged here unless --all-branches does. Each says whether the code it
    cites has changed.
    """
    filters = request_filters.build_memory_filter(
        app,
        kind=request.kind,
        tag=request.tag,
        agent=request.agent,
        path=request.path,
        state=request.state,
        pinned=request.pinned,
        since=request.since,
        until=request.until,
        as_of=request.as_of,
        layer=request.layer,
    )
    filters = replace(filters, trust=request.trust)
    views = request_filters.memory_filters_by_store(
        app, request.scope, filters, all_branches=request.all_branches
    )
    by_use = request.order == "uses"
    ordered = request_filters.most_used_memories if by_use else request_filters.newest_memories
    page = ordered(views, request.limit + request.offset)[request.offset :]
    total = sum(
        memories.count_filtered_memories(database, view) for database, view in views.items()
    )
    items = tuple(annotate.make_memory_items(app, page, as_of_ms=filters.as_of))
    notes = () if total else request_filters.describe_filters_without_memories(views, filters)
    return MemoryList(items, total, request.offset, notes)


def view(result: MemoryList, width: int = 0) -> str:
    """Return the text to print: a line for each memory, two on a terminal of ``width`` columns."""
    if result.notes:
        return "\n".join(result.notes)
    if not result.memories:
        return 'No memories yet. Add one: gitmem remember "..."' if not result.total else ""
    lines = [memory_view.format_memory_headline(memory, width) for memory in result.memories]
    rest = result.total - result.offset - len(result.memories)
    if rest > 0:
        shown = result.offset + len(result.memories)
        lines.append(f"… {rest} more: --offset {shown}")
    return "\n".join(lines)


LIST = Operation(
    "list",
    list_memories,
    view,
    READ,
    "--kind decision --since 30d",
    view_for_terminal=view,
    tool="list_memories",
)
