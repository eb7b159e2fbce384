"""Showing memories in full, with their links."""

from gitmem.app import App
from gitmem.clock import format_iso
from gitmem.memory import relations
from gitmem.model.frozen import copy_fields, dataclass
from gitmem.model.memory import Memory
from gitmem.operations.outcomes import MemoryIdsRequest
from gitmem.operations.registry import READ, Operation
from gitmem.retrieval import annotate, memory_view
from gitmem.store.db.connection import Database
from gitmem.store.memory import memories, short_ids
from gitmem.text.fence import join_lines
from gitmem.text.quantity import quantity

# Upkeep may be writing; a memory that is named by its id is meant, so its use should count.
_PATIENCE_MS = 500
_ORIGIN = "provenance"  # key of the metadata that says where a memory is from
_DEVICE = "sync"  # key of the metadata that says which device a memory came from
_SHOWN_APART = (_ORIGIN, _DEVICE, *memory_view.OF_METADATA)


@dataclass(frozen=True, slots=True)
class LinkItem:
    """A link of a memory to another (``id``): ``direction`` is out, to that one, or in, from it."""

    relation: str
    direction: str
    id: str
    title: str
    strength: float
    context: str


@dataclass(frozen=True, slots=True)
class ShownMemory:
    """A memory with its metadata, how often it was used, its links, and who said it."""

    memory: memory_view.MemoryItem
    metadata: dict[str, object]
    accesses: int
    last_access: str | None
    links: tuple[LinkItem, ...]
    author: str = ""


@dataclass(frozen=True, slots=True)
class ShownMemories:
    """The first of the memories to show, in full; ``others`` are the rest in the given order.

    ``author`` is who wrote the memory: the person that git names, unless another was given; empty
    if an agent wrote it.
    """

    memory: memory_view.MemoryItem
    metadata: dict[str, object]
    accesses: int
    last_access: str | None
    links: tuple[LinkItem, ...]
    others: tuple[ShownMemory, ...] = ()
    author: str = ""


def show_memories(app: App, request: MemoryIdsRequest) -> ShownMemories:
    """Show memories or decisions in full, with their links.

    The result has the memories in the given order. An unknown id is an error (NotFound).
    """
    shown = show_without_counting_uses(app, request)
    items = [shown.memory, *(item.memory for item in shown.others)]
    for database in app.stores():
        own_ids = [item.id for item in items if item.scope == database.scope]
        annotate.record_memory_access(app, database, own_ids, _PATIENCE_MS)
    return shown


def show_without_counting_uses(app: App, request: MemoryIdsRequest) -> ShownMemories:
    """Return what ``show_memories`` returns, without counting the memories as used."""
    located = (short_ids.find_memory(app.stores(), id) for id in request.id)
    pairs = {memory.id: (memory, database) for database, memory in located}
    first, *others = [_show(app, *pair) for pair in pairs.values()]
    return copy_fields(ShownMemories, first, others=tuple(others))


def _show(app: App, memory: Memory, database: Database) -> ShownMemory:
    links = []
    for link in memories.links_of_memory(database, memory.id):
        way, end = ("out", link.target) if link.source == memory.id else ("in", link.source)
        if (target := _target(database, end)) is not None:
            links.append(LinkItem(link.relation, way, *target, link.strength, link.context))
    count, last = memories.access_count_and_time(database, memory.id)
    return ShownMemory(
        annotate.make_explained_memory_item(app, memory, database),
        memory_view.parse_memory_metadata(memory),
        count,
        None if last is None else format_iso(last),
        tuple(links),
        memory.author,
    )


def _target(database: Database, end: str) -> tuple[str, str] | None:
    """Id and title of the other end of a link: a memory, or the commit that implements one."""
    if end.startswith(relations.COMMIT):
        return end.removeprefix(relations.COMMIT), "commit"
    other = memories.get_undamaged_memory(database, end)
    return None if other is None else (other.id, other.headline)


def view(result: ShownMemories) -> str:
    """Return the text to print: each memory, its text first, then what is known about it."""
    return "\n\n".join([_text(result), *map(_text, result.others)])


def _text(result: ShownMemories | ShownMemory) -> str:
    facts = {name: fact for name, fact in result.metadata.items() if name not in _SHOWN_APART}
    lines = [memory_view.format_full_memory(result.memory, str(facts or ""), result.author)]
    named = (("author", result.author), ("from", _origin(result)), ("device", _device(result)))
    for name, text in named:
        lines += [f"{name:>11}  {join_lines(text)}"] if text else []
    if result.accesses:
        lines.append(
            f"{'used':>11}  {quantity(result.accesses, 'time')}, last {result.last_access}"
        )
    for link in result.links:
        arrow = f"{link.relation} ->" if link.direction == "out" else f"<- {link.relation}"
        lines.append(f"{arrow:>14} {link.id} {join_lines(link.title)}")
    return "\n".join(lines)


def _origin(result: ShownMemories | ShownMemory) -> str:
    if _ORIGIN not in result.metadata:
        return ""
    from gitmem.memory import provenance_facts  # noqa: PLC0415 - few memories have an origin

    return provenance_facts.describe_provenance(result.metadata[_ORIGIN])


def _device(result: ShownMemories | ShownMemory) -> str:
    """The device that a memory came from, as it calls itself; empty for one made here."""
    facts = result.metadata.get(_DEVICE)
    if not isinstance(facts, dict):
        return ""
    return f"{str(facts.get('device'))[:8]} of {facts.get('author')}, by {facts.get('remote')}"


SHOW = Operation(
    "show",
    show_memories,
    view,
    READ,
    "01M6ZK3P",
    tool="show",
    shows_times=True,
    run_uncounted=show_without_counting_uses,
)
