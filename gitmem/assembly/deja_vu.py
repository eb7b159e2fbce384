"""Past questions, solutions and fixes that are similar to a question or an error.

Candidates are found by words and compared by the built-in model, whatever model the settings name:
it needs no network, and the thresholds were set for its cosines.
"""

from gitmem.app import App
from gitmem.capture import event_intake, known_errors
from gitmem.clock import DAY
from gitmem.errors import InvalidInput
from gitmem.model.frozen import replace
from gitmem.model.memory import Memory
from gitmem.model.session import QUERY
from gitmem.search import query
from gitmem.sessions.current_session import current_session
from gitmem.store.db.connection import Database
from gitmem.store.memory import derived_rows, memories, memory_search
from gitmem.store.session import sessions
from gitmem.timeline import command_output, error_signature, seen_before
from gitmem.timeline.seen_before import SimilarPastItem

KINDS = ("fix", "decision", "workflow", "explanation", "convention", "note")
MAX_CHARACTERS = 4_000
_MAX_MEMORIES, _MAX_QUERIES = 20, 200
_FULL_USES = 5  # uses from which a memory counts as fully useful
# Usefulness of a past question: its session opened files, or it did not.
_LED_SOMEWHERE, _LED_NOWHERE = 0.5, 0.2


def find_similar_past_items(app: App, text: str) -> list[tuple[float, SimilarPastItem]]:
    """Return earlier questions, solutions and fixes like ``text``, as (score 0 to 1, item) pairs.

    The best come first. Raises InvalidInput for an empty text.
    """
    if not text.strip():
        raise InvalidInput(
            "No question or error was given.", 'Give one: gitmem similar-bugs "TEXT"'
        )
    of_error = command_output.is_failure_output(text) or bool(
        command_output.error_names_in_text(text)
    )
    past = [*_known_fixes(app, text)] if of_error else []
    fix_ids = {item.id for item in past}
    past += [item for item in _similar(app, text) if item.id not in fix_ids]
    return seen_before.choose_past_items(past, app.now, is_about_error=of_error)


def _known_fixes(app: App, text: str) -> list[SimilarPastItem]:
    """The recorded fix of exactly this error; at most one."""
    signature = error_signature.read_error_signature(text)
    if signature is None:
        return []
    visible = event_intake.visible_memory_filter(app, app.store)
    fix = known_errors.find_fix_of_error(app.store, signature, visible)
    return [] if fix is None else [_past_memory(app.store, fix, 1.0)]


def _similar(app: App, text: str) -> list[SimilarPastItem]:
    """Memories and past questions that share words with the text, with their cosines."""
    try:
        terms = query.parse_terms(text[:MAX_CHARACTERS])
    except InvalidInput:
        return []  # no word to look up
    expression = " OR ".join(term.expression for term in terms)
    visible = event_intake.visible_memory_filter(app, app.store)
    hits = memory_search.best_matching_memories(app.store, expression, visible, _MAX_MEMORIES)
    numbers = [number for number, _ in hits]
    known = memories.memories_by_row_number(app.store, numbers, visible) if numbers else []
    known = [memory for memory in known if memory.kind in KINDS]
    queries = _past_questions(app, {term.label.lower() for term in terms})
    texts = [derived_rows.memory_text_to_embed(memory.title, memory.content) for memory in known]
    cosines = _cosines(text[:MAX_CHARACTERS], [*texts, *(past.text for past in queries)])
    past_memories = [
        _past_memory(app.store, memory, cosine)
        for memory, cosine in zip(known, cosines, strict=False)
    ]
    rest = zip(queries, cosines[len(known) :], strict=True)
    return past_memories + [replace(past, similarity=cosine) for past, cosine in rest]


def _past_questions(app: App, words: set[str]) -> list[SimilarPastItem]:
    """Questions of earlier sessions that share a word with the text."""
    running = current_session(app)
    since = app.now - seen_before.MAX_AGE_DAYS * DAY
    events = sessions.events_in_period(
        app.store, since_ms=since, types=(QUERY,), limit=_MAX_QUERIES
    )
    earlier = [event for event in events if running is None or event.session != running.id]
    alike = [event for event in earlier if words & set(event.text.lower().split())]
    whole = {
        id_.id: id_
        for id_ in sessions.sessions_by_ids(app.store, [event.session for event in alike])
    }
    queries = []
    for event in alike:
        session = whole.get(event.session)
        led = session is not None and bool(session.files)
        commit = session.head_end if session is not None else ""
        useful = _LED_SOMEWHERE if led else _LED_NOWHERE
        queries.append(
            SimilarPastItem(seen_before.QUERY, event.text, event.at, 0.0, useful, commit=commit)
        )
    return queries


def _past_memory(database: Database, memory: Memory, similarity: float) -> SimilarPastItem:
    uses, _ = memories.access_count_and_time(database, memory.id)
    type = seen_before.FIX if memory.kind == "fix" else seen_before.SOLUTION
    useful = max(memory.importance, min(uses / _FULL_USES, 1.0))
    text = ": ".join(part for part in (memory.title, memory.content) if part)
    commit, sure = (
        known_errors.fixing_commit_of_memory(memory),
        known_errors.metadata_names_fixing_commit(memory),
    )
    return SimilarPastItem(
        type, text, memory.updated_at, similarity, useful, memory.id, commit, sure
    )


def _cosines(text: str, others: list[str]) -> list[float]:
    if not others:
        return []
    from gitmem.embedding import base  # noqa: PLC0415 - only where words are shared
    from gitmem.embedding.builtin import BuiltinEmbedder  # noqa: PLC0415 - as above

    own, *vectors = BuiltinEmbedder().embed([text, *others])
    return [round(base.cosine(own, vector), 4) for vector in vectors]
