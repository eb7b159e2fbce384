"""Storing many memories given as JSON Lines: each line by itself, or all or none."""

from collections.abc import Sequence

from gitmem.app import App
from gitmem.capture import near_duplicates, pipeline
from gitmem.capture.pipeline import (
    BatchLineResult,
    BatchSharedContext,
    PreparedMemory,
    SaveMemoryRequest,
)
from gitmem.capture.save import add_near_duplicate
from gitmem.errors import GitmemError, InvalidInput
from gitmem.files import repository_path
from gitmem.memory import dedupe, jsonl_input
from gitmem.memory.draft import MemoryDraft
from gitmem.model.frozen import copy_fields, dataclass, replace
from gitmem.model.memory import Memory
from gitmem.store.db.connection import Database
from gitmem.store.memory import memories
from gitmem.text import spoken_turn
from gitmem.text.quantity import quantity

# Lines of a transaction; short ones, so that other writers do not wait.
BATCH = 250
# The prefix of a session id made for a conversation that came without a session.
_TALK = "talk-"
_EMBEDDED = 512


@dataclass(frozen=True, slots=True)
class MemoryBatch:
    """A batch of memories to store: ``text`` has a JSON object on each line.

    ``atomic``: all or none are stored. ``duplicates`` is what to do with a line that repeats a
    memory: smart (merge, skip or ask), skip, merge or allow; ``strategy`` is how two texts are
    merged, empty: as the settings say. ``layer`` and ``session`` are those of all lines, or empty.
    """

    text: str
    defaults: jsonl_input.DraftDefaults
    layer: str
    session: str
    atomic: bool
    duplicates: str = "smart"
    strategy: str = ""


class BatchDuplicateCandidates:
    """The memories that each line of a batch may repeat, in one store; ask for the lines in order.

    They are looked up at once, before the first line is stored. What another process stores
    meanwhile is not among them.
    """

    def __init__(self, database: Database, lines: Sequence[Memory]) -> None:
        """Look up similar memories in the store and similar earlier lines."""
        self._database = database
        self._stored: list[int] = []
        rows_by_word: dict[str, list[int]] = {}
        self._similar = [_find_similar(database, memory, rows_by_word) for memory in lines]
        self._texts = [near_duplicates.text_for_comparison(memory) for memory in lines]
        self._earlier = dedupe.indices_of_earlier_similar_texts(
            self._texts, near_duplicates.WORDS, near_duplicates.COMPARED
        )
        self._compared = {at for at, rows in enumerate(self._similar) if rows}
        for at, earlier in enumerate(self._earlier):
            self._compared.update((at, *earlier) if earlier else ())

    def next_candidate_rows(self) -> list[int]:
        """The row numbers of the memories that the next line may repeat.

        Call ``add_stored_memory`` before asking for the line after it.
        """
        at = len(self._stored)
        if at % _EMBEDDED == 0:
            self._embed(at)
        earlier = (self._stored[place] for place in self._earlier[at])
        return [*dict.fromkeys((*self._similar[at], *earlier))]

    def add_stored_memory(self, memory_id: str) -> None:
        """Tell that the next line was stored as ``memory_id``; later lines may repeat it, too."""
        self._stored.append(memories.row_number_of_memory(self._database, memory_id) or 0)

    def _embed(self, start: int) -> None:
        texts: dict[str, None] = {}
        for at in range(start, min(start + _EMBEDDED, len(self._texts))):
            if at in self._compared:
                places = (at, *self._earlier[at])
                texts.update(dict.fromkeys(self._texts[place] for place in places))
        near_duplicates.embed_texts_at_once([*texts])


_Line = tuple[int, PreparedMemory]


def save_memory_batch(
    app: App, batch: MemoryBatch
) -> tuple[tuple[BatchLineResult, ...], tuple[str, ...]]:
    """Store a batch; returns (a BatchLineResult for each line, the kinds of secrets masked).

    Raises InvalidInput if the batch is atomic and a line fails.
    """
    lines, failed = _prepare(app, batch)
    if batch.atomic and failed:
        raise InvalidInput(
            f"Nothing was saved: line {failed[0].line}: {failed[0].error}",
            f"Fix {quantity(len(failed), 'line that fails', 'lines that fail')}, or omit --atomic.",
        )
    size = len(lines) if batch.atomic else BATCH
    stored: list[BatchLineResult] = []
    candidates = {
        scope: BatchDuplicateCandidates(
            app.store_for_scope(scope), [line[1].ready.memory for line in scope_lines]
        )
        for scope, scope_lines in _by_scope(lines).items()
    }
    for start in range(0, len(lines), max(size, 1)):
        stored += _store(app, lines[start : start + size], batch.duplicates, candidates)
    results = sorted([*stored, *failed], key=lambda result: result.line)
    redacted = tuple(secret for _, prepared in lines for secret in prepared.redacted)
    return tuple(results), redacted


def _prepare(app: App, batch: MemoryBatch) -> tuple[list[_Line], list[BatchLineResult]]:
    """The memory of each line, and the results of lines that fail."""
    shared = BatchSharedContext({}, {})
    lines: list[_Line] = []
    drafts, failed = _drafts(app, batch)
    turns = spoken_turn.is_conversation(
        [draft.content for _, draft in drafts if _has_no_kind(draft)]
    )
    for number, draft in drafts:
        talk = turns and _has_no_kind(draft)
        kind = "conversation" if talk else draft.kind
        request = SaveMemoryRequest(
            replace(draft, kind=kind), batch.layer, batch.session, strategy=batch.strategy
        )
        try:
            prepared = pipeline.prepare_memory(app, request, shared)
        except GitmemError as error:
            failed.append(BatchLineResult(number, "", "", error.as_sentences()))
            continue
        lines.append((number, _join_talk(prepared, lines) if talk else prepared))
    return lines, failed


def _drafts(
    app: App, batch: MemoryBatch
) -> tuple[list[tuple[int, MemoryDraft]], list[BatchLineResult]]:
    drafts: list[tuple[int, MemoryDraft]] = []
    failed: list[BatchLineResult] = []
    for number, line in enumerate(batch.text.lstrip("\ufeff").split("\n"), 1):
        if not line.strip():
            continue
        try:
            drafts.append(
                (number, _resolve_paths(app, jsonl_input.parse_draft(line, batch.defaults)))
            )
        except GitmemError as error:
            failed.append(BatchLineResult(number, "", "", error.as_sentences()))
    return drafts, failed


def _has_no_kind(draft: MemoryDraft) -> bool:
    return draft.kind in ("", "note")


def _join_talk(prepared: PreparedMemory, before: list[_Line]) -> PreparedMemory:
    """Put a turn of a conversation without a session into one session with the earlier turns."""
    memory = prepared.ready.memory
    if memory.session:
        return prepared
    others = (line.ready.memory for _, line in before)
    talks = (memory.session for memory in others if memory.session.startswith(_TALK))
    session = next(talks, _TALK + memory.id)
    return replace(prepared, ready=replace(prepared.ready, memory=replace(memory, session=session)))


def _resolve_paths(app: App, draft: MemoryDraft) -> MemoryDraft:
    if not draft.paths:
        return draft
    paths = [
        repository_path.to_repository_path(path, app.worktree, app.start) for path in draft.paths
    ]
    return replace(draft, paths=tuple(paths))


def _store(
    app: App, lines: list[_Line], mode: str, candidates: dict[str, BatchDuplicateCandidates]
) -> list[BatchLineResult]:
    results = []
    for scope, here in _by_scope(lines).items():
        with app.store_for_scope(scope).write():
            for number, prepared in here:
                # Compared in the transaction, as the line before may say the same.
                ready = add_near_duplicate(
                    app, prepared.ready, mode, candidates[scope].next_candidate_rows()
                )
                saved = pipeline.store_prepared_memory(app, replace(prepared, ready=ready))
                candidates[scope].add_stored_memory(saved.id)
                layer = saved.choice.layer
                results.append(
                    copy_fields(BatchLineResult, saved, line=number, error="", layer=layer)
                )
    return results


def _by_scope(lines: list[_Line]) -> dict[str, list[_Line]]:
    by_scope: dict[str, list[_Line]] = {}
    for line in lines:
        by_scope.setdefault(line[1].ready.memory.scope, []).append(line)
    return by_scope


def _find_similar(
    database: Database, memory: Memory, rows_by_word: dict[str, list[int]]
) -> list[int]:
    try:
        return near_duplicates.candidate_rows_by_rare_words(database, memory, rows_by_word)
    except GitmemError:
        return []  # a text without words
