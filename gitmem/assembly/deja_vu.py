"""What of before is like a question or an error: past questions, solutions, fixes (ML-27).

Words propose, and the built-in model compares, whatever model the settings name: it is there
without a network, and the bounds were set for its cosines.
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
from gitmem.timeline.seen_before import Past

KINDS = ("fix", "decision", "workflow", "explanation", "convention", "note")
LONGEST = 4_000
_MOST_MEMORIES, _MOST_QUERIES = 20, 200
_OFTEN = 5  # uses that make anything useful
# What came of a question: files were opened after it, or nothing is known.
_LED_SOMEWHERE, _LED_NOWHERE = 0.5, 0.2


def find(app: App, text: str) -> list[tuple[float, Past]]:
    """What was like this before with its scores, the best first. Raises InvalidInput."""
    if not text.strip():
        raise InvalidInput("There is nothing to compare.", "Give a question or an error.")
    of_error = command_output.failed(text) or bool(command_output.errors(text))
    found = [*_fixes(app, text)] if of_error else []
    told = {one.id for one in found}
    found += [one for one in _alike(app, text) if one.id not in told]
    return seen_before.choose(found, app.now, of_error=of_error)


def _fixes(app: App, text: str) -> list[Past]:
    """How the very same error was mended."""
    signature = error_signature.read(text)
    if signature is None:
        return []
    seen = event_intake.seen_here(app, app.store)
    fix = known_errors.fix_of(app.store, signature, seen)
    return [] if fix is None else [_past(app.store, fix, 1.0)]


def _alike(app: App, text: str) -> list[Past]:
    """Memories and questions that share words with the text, with their cosines."""
    try:
        terms = query.parse(text[:LONGEST])
    except InvalidInput:
        return []  # nothing in it that could be looked up
    expression = " OR ".join(term.expression for term in terms)
    wanted = event_intake.seen_here(app, app.store)
    hits = memory_search.match(app.store, expression, wanted, _MOST_MEMORIES)
    numbers = [number for number, _ in hits]
    known = memories.by_seq(app.store, numbers, wanted) if numbers else []
    known = [one for one in known if one.kind in KINDS]
    asked = _asked(app, {term.label.lower() for term in terms})
    texts = [derived_rows.embedded(one.title, one.content) for one in known]
    cosines = _cosines(text[:LONGEST], [*texts, *(one.text for one in asked)])
    found = [_past(app.store, one, cosine) for one, cosine in zip(known, cosines, strict=False)]
    rest = zip(asked, cosines[len(known) :], strict=True)
    return found + [replace(one, similarity=cosine) for one, cosine in rest]


def _asked(app: App, words: set[str]) -> list[Past]:
    """The questions of earlier sessions that share a word with this one."""
    running = current_session(app)
    since = app.now - seen_before.DAYS * DAY
    events = sessions.events(app.store, since=since, types=(QUERY,), limit=_MOST_QUERIES)
    earlier = [event for event in events if running is None or event.session != running.id]
    alike = [one for one in earlier if words & set(one.text.lower().split())]
    whole = {id_.id: id_ for id_ in sessions.of_ids(app.store, [one.session for one in alike])}
    found = []
    for one in alike:
        session = whole.get(one.session)
        led = session is not None and bool(session.files)
        commit = session.head_end if session is not None else ""
        useful = _LED_SOMEWHERE if led else _LED_NOWHERE
        found.append(Past(seen_before.QUERY, one.text, one.at, 0.0, useful, commit=commit))
    return found


def _past(database: Database, memory: Memory, similarity: float) -> Past:
    uses, _ = memories.usage(database, memory.id)
    type = seen_before.FIX if memory.kind == "fix" else seen_before.SOLUTION
    useful = max(memory.importance, min(uses / _OFTEN, 1.0))
    text = ": ".join(part for part in (memory.title, memory.content) if part)
    commit, sure = known_errors.fixed_by(memory), known_errors.tells_commit(memory)
    return Past(type, text, memory.updated_at, similarity, useful, memory.id, commit, sure)


def _cosines(text: str, others: list[str]) -> list[float]:
    if not others:
        return []
    from gitmem.embedding import base  # noqa: PLC0415 - only where words are shared
    from gitmem.embedding.builtin import Builtin  # noqa: PLC0415 - as above

    asked, *vectors = Builtin().embed([text, *others])
    return [round(base.cosine(asked, vector), 4) for vector in vectors]
