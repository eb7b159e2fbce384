"""The versions of a memory and what each changed."""

from gitmem.app import App
from gitmem.clock import format_iso
from gitmem.model.frozen import dataclass
from gitmem.model.memory import Memory
from gitmem.operations import shared_fields as shared
from gitmem.operations.registry import READ, Operation
from gitmem.store.memory import memories, short_ids
from gitmem.text.fence import join_lines, one_line

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
_TEXTS = ("title", "content")
# Texts of up to _SHORT characters are shown whole, before and after; longer ones are compared word
# by word, unless they are less alike than _ALIKE. _BESIDE words are shown around a change.
_SHORT, _ALIKE, _BESIDE = 60, 0.3, 6
_TIMES = ("expires_at", "archived_at", "valid_from", "valid_until")


@dataclass(frozen=True, slots=True)
class MemoryHistoryRequest:
    """Arguments of `gitmem history`: the id of a memory, or a unique beginning of it."""

    id: shared.Id


@dataclass(frozen=True, slots=True)
class FieldChange:
    """A field that an edit of a memory changed: its name, and its value before and after (text)."""

    field: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class VersionItem:
    """A version of a memory: its number, time (``at``), action, agent, and what it changed."""

    version: int
    at: str
    action: str
    agent: str
    changes: tuple[FieldChange, ...]


@dataclass(frozen=True, slots=True)
class MemoryHistory:
    """The versions of a memory, oldest first."""

    id: str
    versions: tuple[VersionItem, ...]


def show_memory_history(app: App, request: MemoryHistoryRequest) -> MemoryHistory:
    """Show how a memory changed, version by version.

    The result has the versions, oldest first, each with when, by whom and what changed.
    """
    database, memory = short_ids.find_memory(app.stores(), request.id)
    earlier = memories.earlier_versions(database, memory.id)
    states = [version.memory for version in earlier] + [memory]
    first = states[0]
    steps = [VersionItem(first.version, format_iso(first.created_at), "added", first.agent, ())]
    for old, before, after in zip(earlier, states, states[1:], strict=False):
        changes = changed_fields(before, after)
        steps.append(VersionItem(after.version, format_iso(old.at), old.action, old.agent, changes))
    return MemoryHistory(memory.id, tuple(steps))


def changed_fields(before: Memory, after: Memory) -> tuple[FieldChange, ...]:
    """Return a ``FieldChange`` for each field in which two versions of a memory differ."""
    changes = []
    for name in _COMPARED:
        old, new = getattr(before, name), getattr(after, name)
        if old != new:
            changes.append(FieldChange(name, _text(name, old), _text(name, new)))
    return tuple(changes)


def _text(name: str, value: object) -> str:
    if value is None:
        return ""
    if name in _TIMES and isinstance(value, int):
        return format_iso(value)
    return ", ".join(value) if isinstance(value, tuple) else str(value)


def view(result: MemoryHistory) -> str:
    """Return the text to print: a line for each version, changed words as [-old-] {+new+}."""
    return _format(result, elide=False)


def view_for_terminal(result: MemoryHistory, _width: int) -> str:
    """Return the text for a terminal: of a long text only the words around a change."""
    return _format(result, elide=True)


def _format(result: MemoryHistory, *, elide: bool) -> str:
    lines = []
    for step in result.versions:
        lines.append(
            f"{step.version:>3}  {step.at}  {step.action} by {one_line(step.agent, 40) or 'person'}"
        )
        lines += ["       " + _change(change, elide=elide) for change in step.changes]
    return "\n".join(lines)


def _change(change: FieldChange, *, elide: bool) -> str:
    before, after = join_lines(change.before), join_lines(change.after)
    if change.field in _TEXTS and before and after and max(len(before), len(after)) > _SHORT:
        return f"{change.field}: {mark_changed_words(before, after, elide_unchanged=elide)}"
    return f"{change.field}: {before or '(none)'} -> {after or '(none)'}"


def mark_changed_words(before: str, after: str, *, elide_unchanged: bool = False) -> str:
    """Return two texts merged: removed words as ``[-old-]``, added words as ``{+new+}``.

    If they have hardly a word in common, the whole texts follow each other. With
    ``elide_unchanged`` only a few words around each change are shown, "…" for the others.
    """
    from difflib import SequenceMatcher  # noqa: PLC0415 - only for long texts

    old, new = before.split(), after.split()
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    parts = []
    steps = [("replace", 0, len(old), 0, len(new))]
    if matcher.ratio() >= _ALIKE:
        steps = list(matcher.get_opcodes())
    for place, (what, first, last, start, end) in enumerate(steps):
        words = old[first:last]
        if what == "equal":
            head, tail = place > 0, place < len(steps) - 1
            parts.append(
                " ".join(_nearest_words(words, head=head, tail=tail) if elide_unchanged else words)
            )
            continue
        parts += [f"[-{' '.join(words)}-]"] if words else []
        parts += [f"{{+{' '.join(new[start:end])}+}}"] if end > start else []
    return " ".join(parts)


def _nearest_words(words: list[str], *, head: bool, tail: bool) -> list[str]:
    """Of unchanged words those next to a change before (``head``) or after them (``tail``)."""
    shown = _BESIDE * (head + tail)
    if len(words) <= shown + 1:
        return words
    return [*(words[:_BESIDE] if head else []), "…", *(words[-_BESIDE:] if tail else [])]


HISTORY = Operation(
    "history",
    show_memory_history,
    view,
    READ,
    "01M6ZK3P",
    view_for_terminal=view_for_terminal,
    tool="history",
    shows_times=True,
)
