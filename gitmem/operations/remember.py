"""Keeping a memory, or many of them given as JSON Lines."""

from typing import Annotated

from gitmem.app import App
from gitmem.clock.durations import parse_duration
from gitmem.errors import GitmemError, InvalidInput
from gitmem.memory import draft, edit, lines
from gitmem.memory.draft import Draft, Origin
from gitmem.model.value import dataclass, replace
from gitmem.operations.actor import origin
from gitmem.operations.registry import WRITE, Arg, Operation
from gitmem.store import memories, revisions
from gitmem.store.connection import Database

BATCH = 200


@dataclass(frozen=True, slots=True)
class Remember:
    """A request to keep something."""

    text: Annotated[
        str,
        Arg(
            "What to remember; - reads it from standard input.",
            positional=True,
            words=True,
            stdin=True,
        ),
    ]
    title: Annotated[str, Arg("A short title.", short="-t")] = ""
    kind: Annotated[
        str, Arg("What it is: note, convention, fix, problem, workflow, ...", short="-k")
    ] = "note"
    tag: Annotated[tuple[str, ...], Arg("A tag; may be repeated.")] = ()
    path: Annotated[
        tuple[str, ...], Arg("A file it is about: src/app.py or src/app.py:40-60; may be repeated.")
    ] = ()
    weight: Annotated[int | None, Arg("How much it counts (3 if not given).", least=1, most=5)] = (
        None
    )
    importance: Annotated[
        float | None, Arg("How long it deserves to live (0.5 if not given).", least=0, most=1)
    ] = None
    ttl: Annotated[str, Arg("Forget it after this time, such as 7d; never if not given.")] = ""
    pin: Annotated[bool, Arg("Keep it on top and never let it fade.")] = False
    scope: Annotated[
        str, Arg("Whether it holds here or in every project.", choices=("project", "global"))
    ] = "project"
    session: Annotated[
        str, Arg("The session it belongs to; the running one if not given.", mcp=False)
    ] = ""
    metadata: Annotated[str, Arg("More facts about it, as a JSON object.")] = ""
    atomic: Annotated[bool, Arg("Keep all lines of a batch or none.", mcp=False)] = False
    piped: Annotated[bool, Arg("", cli=False, mcp=False)] = False


@dataclass(frozen=True, slots=True)
class LineResult:
    """What became of one line of a batch: an id and an action, or an error."""

    line: int
    id: str
    action: str
    error: str


@dataclass(frozen=True, slots=True)
class Remembered:
    """What became of a memory: ``action`` is ``added`` or ``reinforced``.

    For a batch ``id`` is empty, ``action`` is ``batch`` and ``items`` tells of each line.
    ``redacted`` names the kinds of secrets that were taken out before anything was stored.
    """

    id: str
    action: str
    redacted: tuple[str, ...] = ()
    items: tuple[LineResult, ...] = ()
    failed: int = 0


def remember(app: App, request: Remember) -> Remembered:
    """Keep a fact, convention, fix or anything worth knowing.

    Saying the same again strengthens what is there. What you remember stays until you forget it,
    unless you give --ttl. Secrets are replaced by visible placeholders before anything is stored.
    With - and JSON Lines on standard input ({"content": ..., "kind": ..., "tags": [...]}), each
    line becomes a memory; lines that cannot be kept are reported and the others stored, unless
    --atomic is given.
    """
    if request.piped and lines.is_batch(request.text):
        return _batch(app, request)
    given = Draft(
        content=request.text,
        title=request.title,
        kind=request.kind,
        tags=request.tag,
        paths=request.path,
        weight=request.weight,
        importance=request.importance,
        pinned=request.pin,
        scope=request.scope,
        ttl_ms=parse_duration(request.ttl) if request.ttl else None,
        metadata=lines.json_object(request.metadata),
    )
    database = app.store_for(request.scope)
    provenance = origin(app, request.scope, request.session)
    prepared = draft.prepare(given, provenance, max_bytes=app.settings.number("memory.max_bytes"))
    with database.write():
        id, action = keep(database, prepared, app)
    return Remembered(id, action, prepared.redacted)


def keep(database: Database, prepared: draft.Prepared, app: App) -> tuple[str, str]:
    """Store a prepared memory, or strengthen the one that says the same. In a transaction."""
    known = memories.same(database, prepared.digest)
    if known is None:
        return revisions.insert(database, prepared.memory, prepared.digest).id, "added"
    stronger = edit.reinforced(known, prepared.memory)
    if stronger != known:
        revisions.revise(
            database,
            known,
            stronger,
            prepared.digest,
            at=app.now,
            action="reinforced",
            agent=app.agent,
        )
    return known.id, "reinforced"


def _batch(app: App, request: Remember) -> Remembered:
    ready, failed = _prepared(app, request)
    if request.atomic and failed:
        raise InvalidInput(
            f"Nothing was kept: line {failed[0].line}: {failed[0].error}",
            f"Mend the {len(failed)} lines that fail, or leave out --atomic.",
        )
    # Short transactions, so that a long batch never keeps another writer waiting.
    size = len(ready) if request.atomic else BATCH
    kept: list[LineResult] = []
    for start in range(0, len(ready), max(size, 1)):
        kept += _keep_lines(app, ready[start : start + size])
    results = sorted([*kept, *failed], key=lambda one: one.line)
    redacted = tuple(secret for _, prepared in ready for secret in prepared.redacted)
    return Remembered("", "batch", redacted, tuple(results), len(failed))


def _prepared(
    app: App, request: Remember
) -> tuple[list[tuple[int, draft.Prepared]], list[LineResult]]:
    """Each line's number with its memory, and what is to be said of lines that give none."""
    defaults = lines.Defaults(
        title=request.title,
        kind=request.kind,
        tags=request.tag,
        paths=request.path,
        weight=request.weight,
        importance=request.importance,
        pinned=request.pin,
        scope=request.scope,
        ttl=request.ttl,
    )
    templates: dict[str, Origin] = {}
    ready: list[tuple[int, draft.Prepared]] = []
    failed: list[LineResult] = []
    for number, line in enumerate(request.text.lstrip("\ufeff").split("\n"), 1):
        if not line.strip():
            continue
        try:
            given = lines.read(line, defaults)
            if given.scope not in templates:
                templates[given.scope] = origin(app, given.scope, request.session)
            ready.append((number, _prepare_line(app, given, templates[given.scope])))
        except GitmemError as error:
            failed.append(LineResult(number, "", "", error.message))
    return ready, failed


def _keep_lines(app: App, ready: list[tuple[int, draft.Prepared]]) -> list[LineResult]:
    results = []
    for scope in dict.fromkeys(prepared.memory.scope for _, prepared in ready):
        with app.store_for(scope).write() as database:
            for number, prepared in ready:
                if prepared.memory.scope == scope:
                    id, action = keep(database, prepared, app)
                    results.append(LineResult(number, id, action, ""))
    return results


def _prepare_line(app: App, given: Draft, template: Origin) -> draft.Prepared:
    own = replace(template, id=app.new_id())
    return draft.prepare(given, own, max_bytes=app.settings.number("memory.max_bytes"))


def view(result: Remembered) -> str:
    """A line on what was done; for a batch the counts and each failure."""
    out = []
    if result.items:
        done: dict[str, int] = {}
        for one in result.items:
            done[one.action or "failed"] = done.get(one.action or "failed", 0) + 1
        out.append(", ".join(f"{count} {action}" for action, count in sorted(done.items())))
        out += [f"line {one.line}: {one.error}" for one in result.items if one.error]
    else:
        out.append(f"{result.action} {result.id}")
    if result.redacted:
        kinds = ", ".join(sorted(set(result.redacted)))
        out.append(f"secrets taken out before storing: {kinds}")
    return "\n".join(out)


REMEMBER = Operation(
    name="remember",
    request=Remember,
    run=remember,
    view=view,
    effect=WRITE,
    example='gitmem remember "Tests need Redis on port 6380" --kind convention',
    tool="remember",
    failures=lambda result: result.failed,
)
