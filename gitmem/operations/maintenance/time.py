"""The time, here and in other time zones, and the meaning of a date expression."""

from gitmem.app import App
from gitmem.clock import date_parser, durations, format_iso, time_anchor, time_report
from gitmem.errors import NotARepository
from gitmem.model.frozen import copy_fields, dataclass
from gitmem.operations.registry import READ, Annotated, Arg, Operation, Texts, positional_arg
from gitmem.retrieval import request_filters


@dataclass(frozen=True, slots=True)
class ResolveDateRequest:
    """Arguments of `gitmem time`: a date in words or a revision, and the time zones to show it in.

    ``expression`` is "3 days ago" or v1.2, ``tz`` a zone such as Europe/Berlin (empty: the
    setting), ``also`` are further zones.
    """

    expression: Annotated[
        str, positional_arg("A time: now, yesterday, next friday, 3 days ago, v1.2, last release")
    ] = "now"
    tz: Annotated[str, Arg("The time zone to show it in, such as Europe/Berlin")] = ""
    also: Annotated[Texts, Arg("Another time zone to show")] = ()


@dataclass(frozen=True, slots=True)
class ResolvedDate:
    """A time in many forms, in a time zone and in UTC.

    ``local`` has the zone's offset; the other times are ISO 8601 UTC. Ends are exclusive, and weeks
    begin on Monday. ``anchor`` has the same times in milliseconds, with the names and types of
    Context Fabric.
    """

    expression: str
    utc: str
    local: str
    epoch: int
    timezone: str
    utc_offset: str
    time_of_day: str
    long_date: str
    short_date: str
    weekday: str
    weekend: bool
    iso_week: str
    start_of_day: str
    end_of_day: str
    yesterday: str
    tomorrow: str
    start_of_week: str
    end_of_week: str
    next_week: str
    also: tuple[time_report.WorldTime, ...]
    relative: str
    seconds_from_now: int
    anchor: time_anchor.TimeAnchor


def resolve_date_expression(app: App, request: ResolveDateRequest) -> ResolvedDate:
    """Show the time, or what a date expression means.

    Understands now, today, weekdays, "3 days ago", ISO dates, epoch seconds, and in a repository
    tags, commits and "last release".
    """
    zone = request.tz or app.display_time_zone
    now = app.now
    at = date_parser.resolve_date(
        request.expression,
        now_ms=now,
        zone=zone,
        find_revision_ms=lambda revision: _in_repository(app, revision),
        find_last_release_ms=lambda: _last_release(app),
    )
    anchor = time_report.describe_moment(at, zone, request.also)
    return copy_fields(
        ResolvedDate,
        anchor,
        expression=request.expression,
        utc=format_iso(at),
        local=anchor.iso,
        epoch=at // 1000,
        start_of_day=format_iso(anchor.start_of_day),
        end_of_day=format_iso(anchor.end_of_day),
        yesterday=format_iso(anchor.yesterday),
        tomorrow=format_iso(anchor.tomorrow),
        start_of_week=format_iso(anchor.start_of_week),
        end_of_week=format_iso(anchor.end_of_week),
        next_week=format_iso(anchor.next_week),
        also=anchor.world,
        relative=durations.format_relative_time(at, now, zone),
        seconds_from_now=(at - now) // 1000,
        anchor=time_anchor.make_time_anchor(anchor),
    )


def _in_repository(app: App, revision: str) -> int | None:
    try:
        return request_filters.commit_time_ms(app, revision)
    except NotARepository:
        return None


def _last_release(app: App) -> int | None:
    try:
        return request_filters.last_release_time_ms(app)
    except NotARepository:
        return None


def view(result: ResolvedDate) -> str:
    """Return the text to print: the time in a few lines, and a line for each further time zone."""
    lines = [
        f"{result.long_date}, {result.local[11:16]} {result.timezone} ({result.utc_offset}), "
        f"{result.relative}",
        f"  {result.utc}  {result.iso_week}  {result.time_of_day}  epoch {result.epoch}",
    ]
    lines += [
        f"  {zone.timezone}: {zone.weekday} {zone.iso[:10]} {zone.iso[11:16]} ({zone.utc_offset})"
        for zone in result.also
    ]
    return "\n".join(lines)


TIME = Operation(
    "time", resolve_date_expression, view, READ, '"last release" --also Asia/Tokyo', tool="time"
)
