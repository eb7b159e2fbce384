"""Changing a memory; what it said before stays in its history."""

from typing import Annotated

from gitmem.app import App
from gitmem.capture.change import change, renewed
from gitmem.clock.durations import parse_duration
from gitmem.errors import InvalidInput
from gitmem.memory import edit, jsonl_input
from gitmem.memory.edit import Changes
from gitmem.model.frozen import dataclass
from gitmem.operations.registry import WRITE, Arg, Operation
from gitmem.store.memory import anchors, memories, short_ids


@dataclass(frozen=True, slots=True)
class Revise:
    """What to change about a memory."""

    id: Annotated[str, Arg("An id or a unique prefix", positional=True)]
    text: Annotated[
        str, Arg("The new text; - reads it from standard input", positional=True, stdin=True)
    ] = ""
    title: Annotated[str | None, Arg("A new title; empty removes it", short="-t")] = None
    kind: Annotated[str, Arg("A new kind", short="-k")] = ""
    tag: Annotated[tuple[str, ...], Arg("Replace all tags; empty removes them")] = ()
    path: Annotated[tuple[str, ...], Arg("Replace all files; empty removes them")] = ()
    weight: Annotated[int | None, Arg("A new weight", least=1, most=5)] = None
    importance: Annotated[float | None, Arg("A new importance", least=0, most=1)] = None
    status: Annotated[
        str,
        Arg(
            "A decision's new status", choices=("proposed", "accepted", "deprecated", "superseded")
        ),
    ] = ""
    ttl: Annotated[str, Arg("Archive it after this time from now, such as 7d; or never")] = ""
    metadata: Annotated[str, Arg("Metadata to change, as a JSON object; null removes a key")] = ""


@dataclass(frozen=True, slots=True)
class Revised:
    """The memory's id, what was done (``revised`` or ``unchanged``) and its version now."""

    id: str
    action: str
    version: int
    notes: tuple[str, ...] = ()


def revise(app: App, request: Revise) -> Revised:
    """Correct or extend a memory; its history is kept."""
    changes = Changes(
        content=request.text or None,
        title=request.title,
        kind=request.kind or None,
        tags=request.tag or None,
        paths=tuple(filter(None, request.path)) if request.path else None,
        weight=request.weight,
        importance=request.importance,
        status=request.status or None,
        ttl_ms=_length(request.ttl),
        metadata=jsonl_input.json_object(request.metadata) or None,
    )
    if changes == Changes():
        raise InvalidInput(
            "There is nothing to change.", "Give a new text, or options; see --help."
        )
    database, memory = short_ids.find(app.stores(), request.id)
    by_agent = bool(app.agent) or app.source != "user_explicit"
    made = renewed(app, database, memory, changes)
    with database.write():
        current = memories.get(database, memory.id) or memory
        new = edit.revised(
            current,
            changes,
            now=app.now,
            max_bytes=app.settings.number("memory.max_bytes"),
            by_agent=by_agent,
        )
        if new == current:
            return Revised(memory.id, "unchanged", current.version)
        stored = change(app, database, current, new, "revised")
        if made is not None:
            anchors.replace(database, memory.id, made.anchors)
    notes = () if made is None else made.notes
    return Revised(stored.id, "revised", stored.version, notes)


def _length(ttl: str) -> int | None:
    if ttl.strip().lower() == "never":
        return edit.NEVER
    return parse_duration(ttl) if ttl else None


def view(result: Revised) -> str:
    """A line on what was done."""
    done = f"{result.action} {result.id} (version {result.version})"
    return "\n".join([done, *(f"note: {note}" for note in result.notes)])


REVISE = Operation(
    name="revise",
    request=Revise,
    run=revise,
    view=view,
    effect=WRITE,
    example='gitmem revise 01M6ZK3P "Tests need Redis on port 6381" --weight 4',
    tool="revise",
)
