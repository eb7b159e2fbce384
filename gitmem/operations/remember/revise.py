"""Changing a memory, whose earlier versions stay in its history."""

from functools import partial

from gitmem.app import App
from gitmem.capture import change
from gitmem.clock.durations import parse_duration
from gitmem.errors import Conflict, InvalidInput
from gitmem.memory import draft, edit, jsonl_input
from gitmem.memory.edit import MemoryChanges
from gitmem.model.frozen import dataclass, replace
from gitmem.model.memory import Memory
from gitmem.operations import shared_fields as shared
from gitmem.operations.registry import WRITE, Annotated, Arg, Operation, Texts, positional_arg
from gitmem.store.db.connection import Database
from gitmem.store.memory import anchors, short_ids

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.freshness.anchoring import AnchoringResult


@dataclass(frozen=True, slots=True)
class ReviseRequest:
    """Arguments of `gitmem revise`: the id of a memory, and the fields to change.

    An empty text or None leaves a field as it is; ``tag`` and ``path`` replace all. ``version``
    refuses the change if the memory is no longer at this version.
    """

    id: shared.Id
    text: Annotated[str, positional_arg("The new text", max_stdin_mb=1)] = ""
    title: Annotated[str | None, Arg("A new title; empty removes it", short="-t")] = None
    kind: Annotated[str, Arg("A new kind", short="-k")] = ""
    tag: Annotated[Texts, Arg("Replace all tags; empty removes them")] = ()
    path: Annotated[Texts, Arg("Replace all files; empty removes them", path_kind="path")] = ()
    weight: Annotated[int | None, Arg("A new weight", minimum=1, maximum=5)] = None
    importance: Annotated[float | None, Arg("A new importance", minimum=0, maximum=1)] = None
    confidence: Annotated[
        float | None, Arg("A new confidence", minimum=0, maximum=1, mcp=False)
    ] = None
    pin: Annotated[bool | None, Arg("Pin it, or unpin it", cli=False, mcp=False)] = None
    status: Annotated[str, Arg("A decision's new status", choices=shared.STATUSES)] = ""
    ttl: Annotated[str, Arg("Archive it after this time from now, used or not: 7d; or never")] = ""
    metadata: Annotated[str, Arg("Metadata to change, as a JSON object; null removes a key")] = ""
    version: Annotated[
        int | None, Arg("Refuse if it is no longer at this version", minimum=1, mcp=False)
    ] = None


@dataclass(frozen=True, slots=True)
class ReviseResult:
    """The memory's id, what was done (``revised`` or ``unchanged``) and its version now."""

    id: str
    action: str
    version: int
    notes: tuple[str, ...] = ()


def revise_memory(app: App, request: ReviseRequest) -> ReviseResult:
    """Correct or extend a memory; its history is kept.

    The result has the id, whether anything changed, and the new version number.
    """
    changes = MemoryChanges(
        content=request.text or None,
        title=request.title,
        kind=request.kind or None,
        tags=request.tag or None,
        paths=tuple(filter(None, request.path)) if request.path else None,
        weight=request.weight,
        importance=request.importance,
        confidence=request.confidence,
        pinned=request.pin,
        status=request.status or None,
        ttl_ms=_parse_ttl(request.ttl),
        metadata=jsonl_input.parse_json_object(request.metadata) or None,
    )
    if changes == MemoryChanges():
        raise InvalidInput(
            "There is nothing to change.", "Give a new text, or options; see --help."
        )
    database, memory = short_ids.find_memory(app.stores(), request.id)
    made = _anchors(app, database, memory, changes)
    revised = partial(
        edit.revise_memory,
        changes=changes,
        now_ms=app.now,
        max_bytes=app.settings.number("memory.max_bytes"),
        by_agent=bool(app.agent) or app.source != "user_explicit",
    )

    def apply_revision(current_memory: Memory) -> Memory:
        if request.version not in (None, current_memory.version):
            raise Conflict(
                f"Memory {memory.id} was changed and is now at version {current_memory.version}.",
                f"See the new version, then try again: gitmem show {memory.id[:12]}",
            )
        return revised(current_memory)

    with database.write():
        old, new = change.edit_memory(app, database, memory, apply_revision, "revised")
        if new is old:
            return ReviseResult(memory.id, "unchanged", old.version)
        if made is not None:
            anchors.replace_anchors(database, memory.id, made.anchors)
    notes = () if made is None else made.notes
    return ReviseResult(new.id, "revised", new.version, notes)


def _anchors(
    app: App, database: Database, memory: Memory, changes: MemoryChanges
) -> "AnchoringResult | None":
    """Anchors for the new citations of a memory; those of unchanged citations are kept.

    None if its citations do not change. Raises InvalidInput.
    """
    if changes.paths is None:
        return None
    from gitmem.freshness import anchoring  # noqa: PLC0415 - only for new citations

    citing = replace(memory, paths=draft.check_paths(changes.paths))
    existing = anchors.anchors_by_memory(database, [memory.id]).get(memory.id, [])
    return anchoring.make_code_anchors(app, citing, existing_anchors=existing)


def _parse_ttl(ttl: str) -> int | None:
    if ttl.strip().lower() == "never":
        return edit.NEVER
    return parse_duration(ttl) if ttl else None


def view(result: ReviseResult) -> str:
    """Return the text to print: a line that says what was changed."""
    done = f"{result.action} {result.id} (version {result.version})"
    return "\n".join([done, *(f"note: {note}" for note in result.notes)])


REVISE = Operation(
    "revise",
    revise_memory,
    view,
    WRITE,
    '01M6ZK3P "Tests need Redis on port 6381" --weight 4',
    tool="revise",
)
