"""Compacting a session: gitmem gives it less context unasked, but all that is critical."""

from gitmem.app import App
from gitmem.errors import Conflict
from gitmem.memory import session_health
from gitmem.memory.session_health import STRATEGIES, RankedSessionEntry
from gitmem.model.frozen import dataclass
from gitmem.model.session import Session
from gitmem.operations.registry import WRITE, Annotated, Arg, Operation, positional_arg
from gitmem.sessions import context_usage, injection, session_entries
from gitmem.sessions.injection import SessionInjectionLimits
from gitmem.text.fence import one_line

NONE = "none"


@dataclass(frozen=True, slots=True)
class CompactSessionRequest:
    """Arguments of `gitmem session compact`: a session, and how much of its context to keep.

    ``id`` is its id (empty: the running one). ``strategy`` is summarise (60 %), selective (50),
    aggressive (40) or none (all again); empty is chosen by how full it is.
    """

    id: Annotated[
        str, positional_arg("An id or a unique prefix (default: the running session)")
    ] = ""
    strategy: Annotated[
        str,
        Arg(
            "How much to keep: 60, 50 or 40 % (default: by how full it is), or none: all again",
            choices=(*STRATEGIES, NONE),
        ),
    ] = ""


@dataclass(frozen=True, slots=True)
class WithheldSessionEntry:
    """A note or memory that the session no longer gets unasked; ``relevance`` is 0 to 1."""

    id: str
    text: str
    relevance: float


@dataclass(frozen=True, slots=True)
class CompactSessionResult:
    """How a session was compacted: to which ``share`` of the usual budget.

    ``critical`` is how many entries stay since they are critical. ``strategy`` is empty if
    everything is shown again. ``before`` and ``after`` are the tokens of the session's notes and
    memories.
    """

    session: str
    strategy: str
    share: float
    kept: int
    critical: int
    dropped: tuple[WithheldSessionEntry, ...]
    before: int
    after: int


def compact_session(app: App, request: CompactSessionRequest) -> CompactSessionResult:
    """Give a session less context by itself; what is critical stays.

    Its orientation, hooks and context are shortened: the most relevant 60 % (summarise), 50 %
    (selective) or 40 % (aggressive) of its notes and memories, the ten newest and all critical ones
    stay (pinned, decisions, conventions, notes that begin with "critical:"); the others are shown
    only on request, and nothing is deleted. Budgets shrink by the same share. It lasts until the
    session ends or --strategy none.
    """
    session = session_entries.session_by_prefix_or_last(app, request.id)
    if session.ended_at is not None:
        raise Conflict(
            f"Session {session.id} has already ended.", "Only a running session can be compacted."
        )
    strategy = request.strategy or _choose_strategy(app, session)
    if strategy != NONE:
        session_entries.check_compaction_strategy(strategy)
    with app.store.write():
        entries = [
            *session_entries.entries_of_session(
                app, session, session_entries.notes_of_session(app, session)
            )
        ]
        weighed = session_health.rank_session_entries(entries, strategy)
        gone = [entry for entry in weighed if not entry.keep]
        share = STRATEGIES.get(strategy, 1.0)
        out = tuple(entry.entry.id for entry in gone)
        cut = SessionInjectionLimits("" if strategy == NONE else strategy, share, out)
        injection.save_limits(app, session, cut)
    return CompactSessionResult(
        session.id,
        cut.strategy,
        share,
        len(weighed) - len(gone),
        sum(entry.entry.critical for entry in weighed),
        tuple(
            WithheldSessionEntry(entry.entry.id, entry.entry.text, entry.relevance)
            for entry in gone
        ),
        _tokens(weighed),
        _tokens([entry for entry in weighed if entry.keep]),
    )


def _choose_strategy(app: App, session: Session) -> str:
    """The strategy by how full the session is; the mildest if that is unknown."""
    limit = app.settings.number("session.context_tokens")
    fill = context_usage.measure_context_usage(app, session, "", limit)
    return session_health.compaction_strategy(fill.level, fill.tokens, limit) or next(
        iter(STRATEGIES)
    )


def _tokens(entries: list[RankedSessionEntry]) -> int:
    return sum(session_health.estimate_tokens(len(entry.entry.text)) for entry in entries)


def view(result: CompactSessionResult) -> str:
    """Return the text to print: what the session still gets unasked, and what it no longer gets."""
    if not result.strategy:
        return f"session {result.session} is shown everything again"
    lines = [
        f"compacted  {result.strategy}: {result.kept} of {result.kept + len(result.dropped)} notes "
        f"and memories stay ({result.critical} critical), budgets are cut to {result.share:.0%}"
    ]
    lines += [f"    {entry.relevance:.2f}  {one_line(entry.text, 84)}" for entry in result.dropped]
    return "\n".join(lines)


COMPACT = Operation(
    "session compact", compact_session, view, WRITE, "--strategy selective", tool="session_compact"
)
