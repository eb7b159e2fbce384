"""Keeping many memories at once, given as JSON Lines: each line by itself, or all or none."""

from gitmem.app import App
from gitmem.capture import layer_choice, near_duplicates
from gitmem.capture.provenance import origin
from gitmem.capture.save import Ground, LineResult, ground, keep
from gitmem.errors import GitmemError, InvalidInput
from gitmem.memory import draft, jsonl_input
from gitmem.memory.draft import Draft, Origin
from gitmem.model.frozen import dataclass, replace
from gitmem.store.db.connection import Database

# Short transactions, so that a long batch never keeps another writer waiting.
BATCH = 100


@dataclass(frozen=True, slots=True)
class Batch:
    """The lines, what holds for those that do not say otherwise, and whether one may fail alone.

    ``duplicates`` is what becomes of a line that says what is there: skip, merge or allow.
    """

    text: str
    defaults: jsonl_input.Defaults
    layer: str
    session: str
    atomic: bool
    duplicates: str = "skip"


def keep_all(app: App, said: Batch) -> tuple[tuple[LineResult, ...], tuple[str, ...]]:
    """Keep each line; what became of them, and the kinds of secrets that were taken out.

    Raises InvalidInput where all or none are to be kept and one cannot be.
    """
    ready, failed = _prepared(app, said)
    if said.atomic and failed:
        raise InvalidInput(
            f"Nothing was saved: line {failed[0].line}: {failed[0].error}",
            f"Fix the {len(failed)} lines that fail, or omit --atomic.",
        )
    size = len(ready) if said.atomic else BATCH
    kept: list[LineResult] = []
    for start in range(0, len(ready), max(size, 1)):
        kept += _keep_lines(app, ready[start : start + size], said.duplicates)
    results = sorted([*kept, *failed], key=lambda one: one.line)
    redacted = tuple(secret for one in ready for secret in one.prepared.redacted)
    return tuple(results), redacted


@dataclass(frozen=True, slots=True)
class _Line:
    """The memory of one line, ready to be stored."""

    number: int
    prepared: draft.Prepared
    ground: Ground


def _prepared(app: App, said: Batch) -> tuple[list[_Line], list[LineResult]]:
    """The memory of each line, and what is to be said of lines that give none."""
    templates: dict[str, Origin] = {}
    ready: list[_Line] = []
    failed: list[LineResult] = []
    for number, line in enumerate(said.text.lstrip("\ufeff").split("\n"), 1):
        if not line.strip():
            continue
        try:
            given = jsonl_input.read(line, said.defaults)
            layer = "global" if given.scope == "global" else said.layer
            given, place = layer_choice.place(app, given, layer, said.session)
            if given.scope not in templates:
                templates[given.scope] = origin(app, given.scope, said.session)
            prepared = _prepare_line(app, given, templates[given.scope])
            memory = layer_choice.settled(app, prepared.memory, given, place)
            stands = ground(app, app.store_for(memory.scope), memory)
            ready.append(_Line(number, replace(prepared, memory=memory), stands))
        except GitmemError as error:
            failed.append(LineResult(number, "", "", error.message))
    return ready, failed


def _keep_lines(app: App, ready: list[_Line], mode: str) -> list[LineResult]:
    results = []
    for scope in dict.fromkeys(one.prepared.memory.scope for one in ready):
        with app.store_for(scope).write() as database:
            for one in ready:
                if one.prepared.memory.scope == scope:
                    results.append(_keep_line(app, database, one, mode))
    return results


def _keep_line(app: App, database: Database, line: _Line, mode: str) -> LineResult:
    # Looked for in the transaction: the line before may say the same.
    near = near_duplicates.near(app, database, line.prepared.memory, line.ground.hidden)
    id, action = keep(database, line.prepared, app, replace(line.ground, near=near, mode=mode))
    return LineResult(line.number, id, action, "", *near_duplicates.answer(near, id, action))


def _prepare_line(app: App, given: Draft, template: Origin) -> draft.Prepared:
    own = replace(template, id=app.new_id())
    return draft.prepare(given, own, max_bytes=app.settings.number("memory.max_bytes"))
