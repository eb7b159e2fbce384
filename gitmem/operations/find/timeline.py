"""What happened, in order: in the whole project, or to a file, commit, memory or person."""

from collections.abc import Callable
from itertools import islice

from gitmem.app import App
from gitmem.branches import subprojects
from gitmem.clock import DAY, format_iso, local_zone
from gitmem.errors import InvalidInput
from gitmem.git import history
from gitmem.memory import trust
from gitmem.model.entity import MEMORY_KINDS, split_entity_key
from gitmem.model.frozen import copy_fields, dataclass
from gitmem.model.kinds import require_one_of
from gitmem.operations import shared_fields as shared
from gitmem.operations.registry import READ, Annotated, Arg, Operation, Texts, positional_arg
from gitmem.retrieval import memory_view, request_filters
from gitmem.store.memory import memories
from gitmem.store.memory.filters import MemoryFilter
from gitmem.store.session import sessions
from gitmem.text.fence import one_line
from gitmem.text.quantity import quantity
from gitmem.timeline import entries
from gitmem.timeline.entries import TimelineSummaryLine

# The most entries of each source that a summary looks at, or a picture; and a list without --limit.
MOST = 5000
FEW = 50
SOURCES = ("commits", "memories", "sessions", "notes")


@dataclass(frozen=True, slots=True)
class TimelineRequest:
    """Arguments of `gitmem timeline`: the period, and one thing whose history to show (``target``).

    ``target`` is a path, id, commit or kind:name, empty for the whole project. ``since`` and
    ``until`` are times or revisions (empty: 7 days ago, for a target all; and now). ``only`` is
    some of commits, memories, sessions, notes; ``summary`` asks for a summary instead of events.
    """

    target: Annotated[
        str,
        positional_arg(
            "Only what happened to this: a path, an id, a commit, #12, a name; or kind:name, as "
            "in author:Ada"
        ),
    ] = ""
    since: Annotated[str, Arg(f"{shared.NEWER} (default: 7d; of a target all)")] = ""
    until: shared.Until = ""
    only: Annotated[Texts, Arg("Only commits, memories, sessions or notes")] = ()
    author: shared.ByAuthor = ""
    project: shared.SubProject = ""
    timezone: Annotated[
        str, Arg("Time zone of days and times, such as Asia/Tokyo (default: the setting, or UTC)")
    ] = ""
    limit: Annotated[
        int | None,
        shared.limit_arg(1000, "At most this many, the newest (default: 50; with --graph all)"),
    ] = None
    summary: Annotated[
        bool, Arg("Show a summary instead: counts, what was decided, done, noted, left to do")
    ] = False
    graph: Annotated[bool, Arg("On a terminal: draw them over one axis", mcp=False)] = False


@dataclass(frozen=True, slots=True)
class TimelineEvent:
    """An event; ``ref`` is the id of the commit, memory or session.

    In the timeline of a target, ``type`` is what was done to the target, and ``ref``
    (``kind:name``) is what did it; it is empty for an event of the target alone, such as an edit.
    ``at`` is ISO 8601 UTC, ``local`` the same time in the requested or configured time zone, empty
    if there is none or it is UTC.
    """

    at: str
    type: str
    ref: str
    who: str
    text: str
    local: str


@dataclass(frozen=True, slots=True)
class TimelineResult:
    """The events, oldest first, and with --summary their summary.

    ``target`` is the target of the timeline, as ``kind:name``; ``note`` says what is missing.
    """

    since: str
    entries: tuple[TimelineEvent, ...]
    summary: tuple[TimelineSummaryLine, ...] = ()
    target: str = ""
    note: str = ""


def list_timeline_events(app: App, request: TimelineRequest) -> TimelineResult:
    """Show what happened: commits, sessions, notes, memories.

    With --summary a few lines on all of it, each with the ids of its sources. For a target
    everything that happened to it: a file is followed through its renames, a definition through
    changes of its lines.
    """
    app.requested_time_zone = local_zone.validate_zone_name(request.timezone)
    local = _local_time(app.configured_time_zone)
    if request.target:
        return _of_target(app, request, local)
    now = app.now
    since = request_filters.parse_time_ms(app, request.since)
    since = now - 7 * DAY if since is None else since
    until = request_filters.parse_time_ms(app, request.until)
    until = now if until is None else until
    request_filters.validate_time_order(since, until)
    sources = tuple(require_one_of("--only", source, SOURCES) for source in request.only) or SOURCES
    limit = request.limit or (MOST if request.graph else FEW)
    most = MOST if request.summary else limit
    events: list[entries.TimelineEntry] = []
    if "commits" in sources and app.git_head.commit:
        # Not limited by git: a period that ended long ago lies below any number of newer commits.
        log = history.list_commits(
            app.layout.cwd, since_seconds=since // 1000, author=request.author or None
        )
        inside = (commit for commit in log if commit.committed_time * 1000 <= until)
        events += entries.entries_of_commits(islice(inside, most * 4))
    if app.has_store:
        events += _stored_events(app, sources, since, until, most)
    summed = entries.summarise_timeline_entries(entries.newest_entries(events, since, until, most))
    chosen = entries.newest_entries(events, since, until, limit)
    return TimelineResult(
        format_iso(since),
        tuple(
            copy_fields(TimelineEvent, entry, at=format_iso(entry.at), local=local(entry.at))
            for entry in chosen
        ),
        tuple(summed) if request.summary else (),
    )


def _of_target(app: App, request: TimelineRequest, local: Callable[[int], str]) -> TimelineResult:
    from gitmem.history import entity_names, entity_timeline  # noqa: PLC0415 - only for a target

    if request.only or request.author or request.summary:
        raise InvalidInput(
            "--only, --author and --summary work only without a target.", "Omit them."
        )
    since = request_filters.parse_time_ms(app, request.since)
    until = request_filters.parse_time_ms(app, request.until)
    request_filters.validate_time_order(since, until)
    start = entity_names.resolve_entity_key(app, request.target)
    past = entity_timeline.read_entity_timeline(app, start, since, until)
    shown = past.moments[: request.limit or (MOST if request.graph else FEW)][::-1]
    texts = past.titles_by_key({moment.other for moment in shown if moment.other})
    rest = len(past.moments) - len(shown)
    left = quantity(rest, "earlier event is", "earlier events are")
    more = [f"{left} left out: --limit {len(past.moments)}."] if rest else []
    return TimelineResult(
        "" if since is None else format_iso(since),
        tuple(
            TimelineEvent(format_iso(at), what, other, "", texts.get(other) or text, local(at))
            for at, what, other, text in ((m.at, m.what, m.other, m.text) for m in shown)
        ),
        target=start,
        note=" ".join([*past.notes, *more]),
    )


def _local_time(zone: str) -> Callable[[int], str]:
    """Formats a time in a zone; "" for UTC."""
    if zone in ("", "UTC"):
        return lambda _at: ""
    from gitmem.clock import zones  # noqa: PLC0415 - loads zoneinfo

    place = zones.load_time_zone(zone)
    return lambda at: zones.to_local_datetime(at, place).isoformat(timespec="seconds")


def _stored_events(
    app: App, sources: tuple[str, ...], since: int, until: int, limit: int
) -> list[entries.TimelineEntry]:
    events: list[entries.TimelineEntry] = []
    part = subprojects.current_subproject_name(app)
    if "memories" in sources:
        beside = subprojects.visible_memory_sql_conditions(app, app.store)
        period = MemoryFilter(
            states=(),
            without_proposals=True,
            since=since,
            until=until + 1,
            extra_conditions=beside,
        )
        events += entries.entries_of_memories(
            memories.select_memories(app.store, period, limit=limit), trust.headline_with_marks
        )
    if "sessions" in sources:
        events += entries.entries_of_sessions(
            sessions.sessions_in_period(app.store, since, until, limit, part)
        )
    if "notes" in sources:
        events += entries.entries_of_events(
            # Oldest first: notes of the same second stay in their order.
            reversed(
                sessions.events_in_period(
                    app.store, since_ms=since, until_ms=until, limit=limit, subproject=part
                )
            )
        )
    return events


def view(result: TimelineResult, width: int = 0) -> str:
    """Return the text to print: days and events, each on a line, or two if ``width`` is set."""
    if result.summary:
        return "\n".join(_line(line, width) for line in result.summary)
    lines = [one_line(result.target, 150)] if result.target else []
    lines += [f"  {result.note}"] if result.note else []
    day = ""
    for entry in result.entries:
        when = entry.local or entry.at
        if when[:10] != day:
            day = when[:10]
            lines.append(day)
        who = f" {one_line(entry.who, 24)}:" if entry.who else ""
        head = f"  {when[11:16]} {entry.type:<13} {_ref(entry.ref)}{who} "
        lines.append(head + memory_view.shorten_memory_text(entry.text, width, len(head) + 16))
    if result.target and not result.entries:
        lines.append("Nothing is known to have happened to it.")
    return "\n".join(lines) or f"Nothing happened since {result.since[:10]}."


def draw_timeline(result: TimelineResult, width: int) -> str:
    """Return the events drawn over one time axis, ``width`` columns wide, as text.

    Empty for a summary, and if there are no events.
    """
    from gitmem.timeline import picture  # noqa: PLC0415 - for a picture only

    if result.summary:
        return ""
    note = [result.note] if result.note else []
    drawn = picture.draw_timeline(result.entries, result.since, width)
    return "\n".join([*note, *drawn]) if drawn else ""


def _ref(ref: str) -> str:
    """A reference for people: ids shortened, ``kind:name`` with a space."""
    kind, name = split_entity_key(ref)
    if not name:
        return ref[:12]
    cut = kind in (*MEMORY_KINDS, "commit")
    return one_line(f"{kind} {name[:12] if cut else name}", 100)


def _line(line: TimelineSummaryLine, width: int) -> str:
    refs = ", ".join(ref[:12] for ref in line.refs[:3])
    refs += f" and {len(line.refs) - 3} more" if len(line.refs) > 3 else ""
    label = "" if line.label == "all" else f"{line.label:<10} "
    text = label + memory_view.shorten_memory_text(line.text, width, len(refs) + 16)
    return f"{text} [{refs}]" if refs else text


TIMELINE = Operation(
    "timeline",
    list_timeline_events,
    view,
    READ,
    "--since v1.2 --only commits",
    view_for_terminal=view,
    tool="timeline",
    drawings={"graph": draw_timeline},
)
