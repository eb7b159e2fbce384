"""How a memory came to say what it says."""

from gitmem.app import App
from gitmem.clock import iso
from gitmem.model.frozen import dataclass
from gitmem.model.memory import Memory
from gitmem.operations.registry import READ, Annotated, Arg, Operation
from gitmem.store.memory import memories, short_ids
from gitmem.text.fence import one_line

_COMPARED = (
    "title",
    "content",
    "kind",
    "tags",
    "paths",
    "weight",
    "importance",
    "confidence",
    "pinned",
    "status",
    "superseded_by",
    "metadata",
    "scope",
    "layer",
    "trust",
    "valid_from",
    "valid_until",
    "expires_at",
    "archived_at",
)
_TIMES = ("expires_at", "archived_at", "valid_from", "valid_until")


@dataclass(frozen=True, slots=True)
class History:
    """Which memory's history."""

    id: Annotated[str, Arg("An id or a unique prefix", positional=True)]


@dataclass(frozen=True, slots=True)
class Change:
    """One field that an edit changed, before and after, as text."""

    field: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Step:
    """One version: when it came to be, by which action and agent, and what it changed."""

    version: int
    at: str
    action: str
    agent: str
    changes: tuple[Change, ...]


@dataclass(frozen=True, slots=True)
class MemoryHistory:
    """The versions of a memory, oldest first."""

    id: str
    versions: tuple[Step, ...]


def history(app: App, request: History) -> MemoryHistory:
    """Show how a memory changed, version by version."""
    database, memory = short_ids.find(app.stores(), request.id)
    earlier = memories.history(database, memory.id)
    states = [version.memory for version in earlier] + [memory]
    first = states[0]
    steps = [Step(first.version, iso(first.created_at), "added", first.agent, ())]
    for version, before, after in zip(earlier, states, states[1:], strict=False):
        changes = compare(before, after)
        steps.append(Step(after.version, iso(version.at), version.action, version.agent, changes))
    return MemoryHistory(memory.id, tuple(steps))


def compare(before: Memory, after: Memory) -> tuple[Change, ...]:
    """The fields in which two versions differ."""
    found = []
    for name in _COMPARED:
        old, new = getattr(before, name), getattr(after, name)
        if old != new:
            found.append(Change(name, _text(name, old), _text(name, new)))
    return tuple(found)


def _text(name: str, value: object) -> str:
    if value is None:
        return ""
    if name in _TIMES and isinstance(value, int):
        return iso(value)
    return ", ".join(value) if isinstance(value, tuple) else str(value)


def view(result: MemoryHistory) -> str:
    """A line for each version and one for each change."""
    lines = []
    for step in result.versions:
        lines.append(
            f"{step.version:>3}  {step.at}  {step.action} by {one_line(step.agent, 40) or 'person'}"
        )
        lines += [
            f"       {one.field}: {one_line(one.before, 40) or '(none)'} -> "
            f"{one_line(one.after, 40) or '(none)'}"
            for one in step.changes
        ]
    return "\n".join(lines)


HISTORY = Operation(
    name="history",
    request=History,
    run=history,
    view=view,
    effect=READ,
    example="gitmem history 01M6ZK3P",
    tool="history",
)
