"""Keeping many memories at once, given as JSON Lines: each line by itself, or all or none."""

from collections.abc import Sequence

from gitmem.app import App
from gitmem.capture import near_duplicates, pipeline
from gitmem.capture.pipeline import LineResult, Prepared, Shared, Wanted
from gitmem.capture.save import compare
from gitmem.errors import GitmemError, InvalidInput
from gitmem.files import repository_path
from gitmem.memory import dedupe, jsonl_input
from gitmem.memory.draft import Draft
from gitmem.model.frozen import dataclass, replace
from gitmem.model.memory import Memory
from gitmem.store.db.connection import Database
from gitmem.store.memory import memories
from gitmem.text import spoken_turn

# Short transactions, so that a long batch never keeps another writer waiting.
BATCH = 250
# How the session of a talk begins that was given as text alone.
_TALK = "talk-"
_EMBEDDED = 512


@dataclass(frozen=True, slots=True)
class Batch:
    """The lines, what holds for those that do not say otherwise, and whether one may fail alone.

    ``duplicates`` is what becomes of a line that says what is there: smart, skip, merge or allow;
    ``strategy`` is how two are merged.
    """

    text: str
    defaults: jsonl_input.Defaults
    layer: str
    session: str
    atomic: bool
    duplicates: str = "smart"
    strategy: str = ""


# The number of a line, and the memory that it gives.
class BatchCandidates:
    """What each line of a batch is compared with, for the lines that go to one store, in order.

    Looked up at once, before the first is stored: a full-text search behind a write makes SQLite
    write out its index first, and most words stand in many lines. So each word is looked up once,
    and lines are held against each other in memory. What another process stores meanwhile is only
    compared word for word.
    """

    def __init__(self, database: Database, said: Sequence[Memory]) -> None:
        """Look up what is stored already, and which lines are like an earlier one."""
        self._database = database
        self._stored: list[int] = []
        known: dict[str, list[int]] = {}
        self._beside = [_alike(database, memory, known) for memory in said]
        self._texts = [near_duplicates.text(memory) for memory in said]
        self._before = dedupe.overlaps(self._texts, near_duplicates.WORDS, near_duplicates.COMPARED)
        self._compared = {at for at, rows in enumerate(self._beside) if rows}
        for at, earlier in enumerate(self._before):
            self._compared.update((at, *earlier) if earlier else ())

    def rows(self) -> list[int]:
        """The row numbers that the next line is to be compared with."""
        at = len(self._stored)
        if at % _EMBEDDED == 0:
            self._embed(at)
        earlier = (self._stored[place] for place in self._before[at])
        return [*dict.fromkeys((*self._beside[at], *earlier))]

    def stored(self, id: str) -> None:
        """Note what became of the next line: the memory that says it now."""
        self._stored.append(memories.row_of(self._database, id) or 0)

    def _embed(self, start: int) -> None:
        """The vectors that the next lines will ask for."""
        wanted: dict[str, None] = {}
        for at in range(start, min(start + _EMBEDDED, len(self._texts))):
            if at in self._compared:
                places = (at, *self._before[at])
                wanted.update(dict.fromkeys(self._texts[place] for place in places))
        near_duplicates.embed_ahead([*wanted])


_Line = tuple[int, Prepared]


def keep_all(app: App, batch: Batch) -> tuple[tuple[LineResult, ...], tuple[str, ...]]:
    """Keep each line; what became of them, and the kinds of secrets that were taken out.

    Raises InvalidInput where all or none are to be kept and one cannot be.
    """
    lines, failed = _prepare(app, batch)
    if batch.atomic and failed:
        raise InvalidInput(
            f"Nothing was saved: line {failed[0].line}: {failed[0].error}",
            f"Fix the {len(failed)} lines that fail, or omit --atomic.",
        )
    size = len(lines) if batch.atomic else BATCH
    kept: list[LineResult] = []
    candidates = {
        scope: BatchCandidates(app.store_for(scope), [line[1].ready.memory for line in some])
        for scope, some in _by_scope(lines).items()
    }
    for start in range(0, len(lines), max(size, 1)):
        kept += _store(app, lines[start : start + size], batch.duplicates, candidates)
    results = sorted([*kept, *failed], key=lambda result: result.line)
    redacted = tuple(secret for _, prepared in lines for secret in prepared.redacted)
    return tuple(results), redacted


def _prepare(app: App, batch: Batch) -> tuple[list[_Line], list[LineResult]]:
    """The memory of each line, and what is to be said of lines that give none."""
    shared = Shared({}, {})
    lines: list[_Line] = []
    drafts, failed = _drafts(app, batch)
    turns = spoken_turn.is_talk([said.content for _, said in drafts if _plain(said)])
    for number, said in drafts:
        talk = turns and _plain(said)
        kind = "conversation" if talk else said.kind
        wanted = Wanted(
            replace(said, kind=kind), batch.layer, batch.session, strategy=batch.strategy
        )
        try:
            prepared = pipeline.prepare(app, wanted, shared)
        except GitmemError as error:
            failed.append(LineResult(number, "", "", error.message))
            continue
        lines.append((number, _said_together(prepared, lines) if talk else prepared))
    return lines, failed


def _drafts(app: App, batch: Batch) -> tuple[list[tuple[int, Draft]], list[LineResult]]:
    drafts: list[tuple[int, Draft]] = []
    failed: list[LineResult] = []
    for number, line in enumerate(batch.text.lstrip("\ufeff").split("\n"), 1):
        if not line.strip():
            continue
        try:
            drafts.append((number, _located(app, jsonl_input.read(line, batch.defaults))))
        except GitmemError as error:
            failed.append(LineResult(number, "", "", error.message))
    return drafts, failed


def _plain(draft: Draft) -> bool:
    """Whether nobody told what a line is: a note is what it is by default."""
    return draft.kind in ("", "note")


def _said_together(prepared: Prepared, before: list[_Line]) -> Prepared:
    """A turn of a talk outside of any session: it belongs to one with those before it."""
    memory = prepared.ready.memory
    if memory.session:
        return prepared
    others = (one.ready.memory for _, one in before)
    talks = (one.session for one in others if one.session.startswith(_TALK))
    session = next(talks, _TALK + memory.id)
    return replace(prepared, ready=replace(prepared.ready, memory=replace(memory, session=session)))


def _located(app: App, draft: Draft) -> Draft:
    """The draft with its paths relative to the root, as ``Operation.located`` has those of one."""
    if not draft.paths:
        return draft
    paths = [repository_path.relative(path, app.worktree, app.start) for path in draft.paths]
    return replace(draft, paths=tuple(paths))


def _store(
    app: App, lines: list[_Line], mode: str, candidates: dict[str, BatchCandidates]
) -> list[LineResult]:
    results = []
    for scope, here in _by_scope(lines).items():
        with app.store_for(scope).write():
            for number, prepared in here:
                # Compared in the transaction: the line before may say the same.
                ready = compare(app, prepared.ready, mode, candidates[scope].rows())
                kept = pipeline.store(app, replace(prepared, ready=ready))
                candidates[scope].stored(kept.id)
                results.append(
                    LineResult(number, kept.id, kept.action, "", kept.duplicate_of, kept.similarity)
                )
    return results


def _by_scope(lines: list[_Line]) -> dict[str, list[_Line]]:
    found: dict[str, list[_Line]] = {}
    for line in lines:
        found.setdefault(line[1].ready.memory.scope, []).append(line)
    return found


def _alike(database: Database, memory: Memory, known: dict[str, list[int]]) -> list[int]:
    try:
        return near_duplicates.alike(database, memory, known)
    except GitmemError:
        # A text without words is like nothing.
        return []
