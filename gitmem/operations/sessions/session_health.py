"""The health of a session: how full its context is, how far it drifted, and what to keep."""

from collections.abc import Sequence
from contextlib import suppress

from gitmem.app import App
from gitmem.clock import format_iso
from gitmem.errors import GitmemError
from gitmem.memory import conflict, contradiction, plan, session_health
from gitmem.memory.conflict import RULES
from gitmem.memory.session_health import GoalDrift
from gitmem.model.frozen import copy_fields, dataclass, replace
from gitmem.model.session import HEALTH, Event, Session
from gitmem.operations.registry import READ, Annotated, Arg, Operation, positional_arg
from gitmem.retrieval import request_filters
from gitmem.sessions import context_usage, injection, session_entries
from gitmem.sessions.context_usage import ContextUsage
from gitmem.store.memory import memories
from gitmem.store.memory.filters import MemoryFilter
from gitmem.store.session import sessions
from gitmem.text.fence import one_line

RULES_LOOKED_AT = 1000
HISTORY = 20
# The state of a session is recorded when it changes, and again after this time.
AGAIN_MS = 600_000


@dataclass(frozen=True, slots=True)
class SessionHealthRequest:
    """Arguments of `gitmem session health`: ``id`` of a session (empty: the running or last one).

    ``transcript`` is the path of its record (empty: the one its agent reported), ``strategy`` how
    much to keep: summarise, selective or aggressive (empty: by how full it is).
    """

    id: Annotated[
        str,
        positional_arg("An id or a unique prefix (default: the running session, else the last)"),
    ] = ""
    transcript: Annotated[
        str, Arg("The host's transcript in your home folder (default: the reported one)", mcp=False)
    ] = ""
    strategy: Annotated[
        str,
        Arg(
            "How much to keep: 60, 50 or 40 % (default: by how full it is)",
            choices=("summarise", "selective", "aggressive"),
        ),
    ] = ""


@dataclass(frozen=True, slots=True)
class SessionEntryItem:
    """A note or memory of the session, its ``relevance`` (0 to 1), and whether to ``keep`` it."""

    id: str
    at: str
    text: str
    relevance: float
    critical: bool
    keep: bool


@dataclass(frozen=True, slots=True)
class SessionCheckpoint:
    """A checkpoint of the session: when it was made, and a text about the session's state then."""

    at: str
    text: str


@dataclass(frozen=True, slots=True)
class SessionHealth:
    """How full a session's context is (``fill``), and how far it went from its goal (``drift``).

    ``strategy`` is how to compact it, empty if that is not needed; ``compacted`` is that of `gitmem
    session compact`, empty if it was not run.
    """

    session: str
    goal: str
    fill: ContextUsage
    drift: GoalDrift
    strategy: str
    entries: tuple[SessionEntryItem, ...]
    history: tuple[SessionCheckpoint, ...]
    compacted: str = ""


def assess_session_health(app: App, request: SessionHealthRequest) -> SessionHealth:
    """Show how full a session is, how far it drifted from its goal, and what to keep.

    The tokens are those that the host notes in its transcript, if the host tells where that is
    (Claude Code, Codex). Otherwise they are estimated: a quarter of the transcript's bytes, plus
    the text that gitmem gave the agent in this session. The limit is session.context_tokens. What
    cannot be measured is shown as unknown.
    """
    session = session_entries.session_by_prefix_or_last(app, request.id)
    limit = app.settings.number("session.context_tokens")
    fill = context_usage.measure_context_usage(app, session, request.transcript, limit)
    notes = session_entries.notes_of_session(app, session)
    against = tuple(_conflicts(app, notes))
    texts = [note.text for note in notes]
    drift = session_health.measure_goal_drift(session.goal, texts, session.files, len(against))
    strategy = request.strategy or session_health.compaction_strategy(
        fill.level, fill.tokens, limit
    )
    if strategy:
        session_entries.check_compaction_strategy(strategy)
    entries = session_health.rank_session_entries(
        [*session_entries.entries_of_session(app, session, notes)], strategy
    )
    before = sessions.events_in_period(
        app.store, session=session.id, types=(HEALTH,), limit=HISTORY
    )
    _record(app, session, before, fill, drift)
    parts = {name: getattr(drift, name) for name in ("requirements", "contradictions", "topic")}
    rounded = {name: round(part, 4) for name, part in parts.items() if part is not None}
    return SessionHealth(
        session.id,
        session.goal,
        fill,
        replace(drift, against=against, **rounded),
        strategy,
        tuple(
            copy_fields(
                SessionEntryItem,
                entry.entry,
                at=format_iso(entry.entry.at),
                relevance=entry.relevance,
                keep=entry.keep,
            )
            for entry in entries
        ),
        tuple(SessionCheckpoint(format_iso(event.at), event.text) for event in before),
        injection.limits_for_session(app.store, session).strategy,
    )


def _conflicts(app: App, notes: Sequence[Event]) -> list[str]:
    """A line for each note that conflicts with an active rule."""
    if not notes:
        return []
    plain = MemoryFilter(kinds=RULES, now=app.now, states=("active",), trusted_only=True)
    filters = request_filters.memory_filter_for_store(app, app.store, plain)
    rules = memories.select_memories(app.store, filters, limit=RULES_LOOKED_AT)
    stances = [(rule, conflict.read_text_stance(plan.title_and_content(rule))) for rule in rules]
    lines = []
    for note in notes:
        clashes = (
            (
                rule,
                contradiction.find_memory_conflict(
                    statement, rule, stance, is_known_same_topic=False
                ),
            )
            for statement in plan.split_plan_statements(note.text)
            for rule, stance in stances
        )
        rule, clash = next(((rule, clash) for rule, clash in clashes if clash), (None, None))
        if rule is not None and clash is not None:
            lines.append(f"{one_line(note.text, 60)}: {clash.why} ({one_line(rule.headline, 60)})")
    return lines


# --- its history --------------------------------------------------------------------------------


def _record(
    app: App,
    session: Session,
    before: Sequence[Event],
    fill: ContextUsage,
    drift: GoalDrift,
) -> None:
    """Record the state as an event of a running session. Best effort, and not too often."""
    text = f"context {fill.level}, drift {drift.band}"
    last = before[0] if before else None
    soon = last is not None and app.now - last.at < AGAIN_MS
    same = last is not None and last.text.startswith(text)
    if session.ended_at is not None or app.store.read_only or (soon and same):
        return
    about = "" if fill.tokens is None else f" ({fill.tokens:,} of {fill.limit:,} tokens)"
    event = Event(
        id=app.new_id(),
        at=app.now,
        type=HEALTH,
        session=session.id,
        agent=session.agent,
        branch=session.branch,
        commit="",
        subject="",
        text=text + about,
    )
    store = app.store
    with suppress(GitmemError), store.lock_timeout(0, sync_commits=False), store.write():
        sessions.add_event(store, event)


# --- what is shown ------------------------------------------------------------------------------


def view(result: SessionHealth) -> str:
    """Return the text to print: how full the session is, how far it drifted, what to drop."""
    fill, drift = result.fill, result.drift
    if fill.tokens is None:
        lines = [f"context  unknown: {fill.why}"]
    else:
        share = 100 * fill.tokens / fill.limit
        by_host = fill.counted_by == context_usage.HOST
        about, counted = ("", ", counted by the host") if by_host else ("about ", "")
        lines = [
            f"context  {fill.level}: {about}{fill.tokens:,} of {fill.limit:,} tokens "
            f"({share:.0f} %{counted})"
        ]
    lines.append(f"drift    {drift.band}" + ("" if drift.score is None else f": {drift.score:.2f}"))
    if drift.absent:
        lines.append(
            "    words of the goal not seen lately: " + one_line(", ".join(drift.absent), 60)
        )
    lines += [
        "    conflicts with a rule: " + one_line(conflict_, 90) for conflict_ in drift.against
    ]
    gone = [entry for entry in result.entries if not entry.keep]
    if result.strategy:
        share = session_health.STRATEGIES[result.strategy]
        lines.append(
            f"compact  {result.strategy} (keep {share:.0%}): "
            f"{len(gone)} of {len(result.entries)} may go"
        )
        lines += [f"    {entry.relevance:.2f}  {one_line(entry.text, 84)}" for entry in gone]
    return "\n".join(lines)


def view_for_terminal(result: SessionHealth, width: int) -> str:
    """Return the text for a terminal of ``width`` columns, below bars for fullness and drift."""
    from gitmem.text.bars import bar_chart_lines  # noqa: PLC0415 - on a terminal only

    fill, drift = result.fill, result.drift
    shares = [] if fill.tokens is None else [("context", fill.tokens / fill.limit)]
    shares += [] if drift.score is None else [("drift", drift.score)]
    return "\n".join(
        [
            *bar_chart_lines(
                [(name, share, f"{share:.0%}") for name, share in shares], width, max_number=1
            ),
            view(result),
        ]
    )


HEALTH_OF = Operation(
    "session health",
    assess_session_health,
    view,
    READ,
    tool="session_health",
    view_for_terminal=view_for_terminal,
)
