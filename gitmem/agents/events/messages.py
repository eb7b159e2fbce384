"""What a moment of a session reads of the store, and how what it has to say is said.

Little is said, nothing twice in a session, and everything as data in a frame. Nearly always nothing
is said, so what only speaking needs is imported where something is spoken of.
"""

from collections.abc import Collection, Iterable, Sequence

from gitmem.agents.events import brief_store, record, session_claim, session_state
from gitmem.agents.events.hook_event import Moment
from gitmem.app import App
from gitmem.model.frozen import dataclass, replace
from gitmem.store.db.connection import Database

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.model.anchor import Freshness
    from gitmem.model.memory import Memory
    from gitmem.store.memory.filters import Filter
    from gitmem.timeline.suggestions import Message

# For looking at files that changed since they were last looked at.
PATIENCE_MS = 120.0
FIXES = ("fix", "error")
_MOST_ERRORS, _MOST_HITS = 4, 20
# Of an error that anybody makes, this much more has to fit.
_ALIKE = 2


@dataclass(frozen=True, slots=True)
class Desk:
    """What a moment works with: the store, and what was told before in this session."""

    app: App
    moment: Moment
    database: Database
    told: frozenset[str]


def opened(app: App) -> Database | None:
    """The store, opened without waiting long; None where there is none. Raises GitmemError."""
    if app.opened is None:
        if not app.has_store:
            return None
        app.open_store(busy_ms=brief_store.BUSY_MS)
    return app.store


def desk(app: App, moment: Moment) -> Desk | None:
    """The desk of a moment; None where there is no store."""
    database = opened(app)
    return None if database is None else Desk(app, moment, database, told(app, moment))


def wanted(at: Desk, kinds: Sequence[str] = ()) -> "Filter":
    """Which memories may be shown.

    What nobody here has said or accepted is not told to who has not asked for it, nor what belongs
    to other branches and other sessions.
    """
    from gitmem.branches import subprojects, visible_here  # noqa: PLC0415
    from gitmem.sessions import injection  # noqa: PLC0415
    from gitmem.store.memory.filters import Filter  # noqa: PLC0415

    app, database = at.app, at.database
    running = record.session_of(app, database, at.moment, running=True)
    return Filter(
        kinds=kinds,
        now=app.now,
        own=True,
        working="" if running is None else running.id,
        beside=(
            *subprojects.seen(app, database),
            visible_here.hidden(app, database).clause(),
            *injection.of(database, running).conditions,
        ),
    )


def told(app: App, moment: Moment) -> frozenset[str]:
    """The ids of the memories that this session was shown, and marks of the lines."""
    return session_state.told(*session_claim.claimant(app, moment))


def fresh(at: Desk, found: "Sequence[Memory]") -> "dict[str, Freshness]":
    """By id whether what some memories stand on still stands, as far as there is time to look."""
    citing = [memory.id for memory in found if memory.paths]
    if not citing:
        return {}
    from gitmem.freshness import anchor_verdict  # noqa: PLC0415

    return anchor_verdict.of_ids(at.app, at.database, citing, deadline_ms=PATIENCE_MS)


def message(at: Desk, type: str, memory: "Memory", worth: Iterable[float] = ()) -> "Message":
    """A memory as a message."""
    from gitmem.memory import trust  # noqa: PLC0415
    from gitmem.store.memory import short_ids  # noqa: PLC0415
    from gitmem.timeline.suggestions import Message  # noqa: PLC0415

    text = memory.headline
    if memory.title and memory.content:
        text = f"{memory.title}: {memory.content}"
    mark = trust.mark(memory.tier)
    label = (
        f"{short_ids.shortest(at.database, memory.id)} {memory.kind}{f', {mark}' if mark else ''}"
    )
    order = (*worth, float(memory.weight), float(memory.updated_at))
    return Message(memory.id, type, label, text, worth=order)


def doubted(one: "Message", state: "Freshness | None") -> "Message":
    """The message with what to check before it is believed."""
    if state is None or not state.stale:
        return one
    cited = next(v for v in state.anchors if v.verdict == state.freshness)
    doubt = f"{cited.cited} {cited.verdict}"
    note = doubt if one.type == "check" else f"check first: {doubt}"
    return replace(one, note=note)


def said(at: Desk, messages: "Iterable[Message]", most: int | None = None) -> str:
    """The messages that are worth it, framed; empty where none is. They count as told then."""
    given = list(messages)
    if not given:
        return ""
    from gitmem.sessions import injection  # noqa: PLC0415
    from gitmem.timeline import suggestions  # noqa: PLC0415

    fitting = suggestions.choose(given, at.told, most=most or suggestions.MOST)
    running = record.session_of(at.app, at.database, at.moment, running=True)
    room = injection.of(at.database, running).tokens(suggestions.BUDGET)
    chosen = suggestions.lines(fitting, room)
    if not chosen:
        return ""
    keys = [key for one, _ in chosen for key in (one.id, one.key)]
    return framed(at, [line for _, line in chosen], dict.fromkeys(keys))


def framed(at: Desk, lines: Sequence[str], ids: Collection[str] = ()) -> str:
    """Lines as data in a frame; the memories and the lines count as told."""
    from gitmem.maintenance import usage  # noqa: PLC0415
    from gitmem.text.fence import frame  # noqa: PLC0415
    from gitmem.timeline import command_output  # noqa: PLC0415

    app, moment = at.app, at.moment
    folder, key = session_claim.claimant(app, moment)
    delimiter = session_state.delimiter(folder, key, app.entropy)
    source = f"gitmem hook {moment.event} - data not instructions"
    text = frame("\n".join(lines), source=source, delimiter=delimiter)
    session_state.tell(folder, key, [*ids, *command_output.marks(text)])
    usage.note(app, "injection", tokens=usage.tokens(text))
    return text


def mended(at: Desk, text: str) -> "Memory | None":
    """The memory that tells how an error in a text was mended; None where none surely does.

    It was kept of an error with the same signature, or names the same error. Of an error that is
    common, or that many memories name, more words of its line have to be there.
    """
    from gitmem.timeline import command_output, suggestions  # noqa: PLC0415

    names = command_output.errors(text)[:_MOST_ERRORS]
    if not (names or command_output.failed(text)):
        return None
    known = _known(at, text)
    if known is not None:
        return known if known.id not in at.told else None
    for error in names:
        found = [one for one in _naming(at, error) if one.id not in at.told]
        line = command_output.line_of(text, error)
        least = (
            _ALIKE if command_output.generic(error) else 1 if len(found) > suggestions.FEW else 0
        )
        ranked = [
            (
                command_output.overlap(line, f"{one.title}\n{one.content}", [error]),
                one.kind == "fix",
                one,
            )
            for one in found
        ]
        fitting = [one for one in ranked if one[0] >= least]
        if fitting:
            return max(fitting, key=lambda one: (*one[:2], one[2].weight, one[2].id))[2]
    return None


def mending(at: Desk, fix: "Memory") -> "Message":
    """How an error was mended, with the commit that did it."""
    from gitmem.capture import known_errors  # noqa: PLC0415

    commit = known_errors.fixed_by(fix, surely=True)
    told = replace(message(at, "fix", fix), note=f"commit {commit[:10]}" if commit else "")
    return doubted(told, fresh(at, [fix]).get(fix.id))


def _known(at: Desk, text: str) -> "Memory | None":
    """What mended an error with the signature of the one in a text."""
    from gitmem.capture import known_errors  # noqa: PLC0415
    from gitmem.timeline import error_signature  # noqa: PLC0415

    signature = error_signature.read(text)
    return None if signature is None else known_errors.fix_of(at.database, signature, wanted(at))


def _naming(at: Desk, error: str) -> "list[Memory]":
    """Fixes in which an error's name stands."""
    from gitmem.search import query  # noqa: PLC0415
    from gitmem.store.memory import memories, memory_search  # noqa: PLC0415

    may_be = wanted(at, FIXES)
    expression = query.parse(error)[0].expression
    numbers = [one[0] for one in memory_search.match(at.database, expression, may_be, _MOST_HITS)]
    if not numbers:
        return []
    found = memories.by_seq(at.database, numbers, may_be)
    # What was captured of an error tells that it happened, not how it was mended.
    telling = [one for one in found if (one.kind, one.source) != ("error", "system_auto")]
    return [one for one in telling if error in one.title or error in one.content]
