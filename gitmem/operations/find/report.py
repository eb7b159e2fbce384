"""A report on the project: what happened, what needs a look, where it changes; also as a page."""

import os

from gitmem.app import App
from gitmem.assembly import code_map
from gitmem.assembly import report as facts
from gitmem.clock import format_iso
from gitmem.memory import trust
from gitmem.model.frozen import dataclass
from gitmem.operations import shared_fields as shared
from gitmem.operations.registry import READ, Annotated, Arg, Operation
from gitmem.retrieval import memory_view
from gitmem.text.fence import join_lines, one_line
from gitmem.text.quantity import quantity

_WIDTH = 110
_FILES = 10


@dataclass(frozen=True, slots=True)
class PeriodReportRequest:
    """Arguments of `gitmem report`: the period, and the file of a page, if one is wanted.

    ``since`` and ``until`` are times or revisions (empty: 30 days ago, and now). ``html`` is the
    path of the page, empty for text; ``force`` overwrites it.
    """

    html: Annotated[str, Arg("Write a page with pictures into this file", metavar="FILE")] = ""
    since: Annotated[
        str, Arg("Only newer than this: 7d, 2026-01-31, v1.2; all: everything (default: 30d)")
    ] = ""
    until: shared.Until = ""
    force: shared.Overwrite = False


@dataclass(frozen=True, slots=True)
class StaleMemoryItem:
    """A memory that cites code which changed or is gone; ``citations`` say which, and by what."""

    id: str
    kind: str
    title: str
    citations: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DecisionItem:
    """A decision of the period: its id, time, title, state, who made it, and its tier of trust."""

    id: str
    at: str
    title: str
    state: str
    who: str
    trust: str


@dataclass(frozen=True, slots=True)
class SessionItem:
    """A session of the period: its start, agent, and its summary, or its goal if it has none."""

    id: str
    at: str
    agent: str
    text: str


@dataclass(frozen=True, slots=True)
class ChangedFileItem:
    """A file that changed often in the last year: its lines, commits, memories and main author."""

    path: str
    lines: int
    commits: int
    memories: int
    owner: str


@dataclass(frozen=True, slots=True)
class PeriodReport:
    """A report on a period: counts of what happened, and the newest of each list.

    ``happened`` is ``counts`` in words; ``stale_total`` counts the memories to check, ``waiting``
    the suggestions in the inbox. ``path`` is the file that was written, empty without one, and
    ``bytes`` its size.
    """

    project: str
    branch: str
    commit: str
    since: str
    until: str
    happened: str
    counts: dict[str, int]
    stale_total: int
    waiting: int
    stale: tuple[StaleMemoryItem, ...]
    decisions: tuple[DecisionItem, ...]
    sessions: tuple[SessionItem, ...]
    files: tuple[ChangedFileItem, ...]
    path: str = ""
    bytes: int = 0


def report_on_period(app: App, request: PeriodReportRequest) -> PeriodReport:
    """Report on the project: what happened, what needs a look, where it changes.

    With --html as one file with pictures, to mail or to attach to a build: nothing in it is loaded
    from elsewhere. Without, as text.
    """
    gathered = facts.gather_report_facts(app, request.since, request.until)
    path, size = "", 0
    if request.html:
        from gitmem.assembly import report_page  # noqa: PLC0415 - for a page only
        from gitmem.maintenance import export_file  # noqa: PLC0415 - as above

        page = report_page.render_report_html(gathered).encode("utf-8", "replace")
        path, size = os.path.abspath(os.path.join(app.start, request.html)), len(page)
        export_file.write_export_file(path, page, force=request.force)
    happened = gathered.happened
    return PeriodReport(
        project=gathered.name,
        branch=gathered.branch,
        commit=gathered.commit,
        since=format_iso(happened.since),
        until=format_iso(happened.until),
        happened=facts.describe_counts_of_period(happened),
        counts={row.name: row.total for row in happened.rows},
        stale_total=gathered.stale_total,
        waiting=gathered.waiting,
        stale=tuple(
            StaleMemoryItem(
                each.id,
                each.kind,
                each.title,
                tuple(map(memory_view.format_citation_freshness, each.anchors)),
            )
            for each in gathered.stale
        ),
        decisions=tuple(
            DecisionItem(
                each.id,
                format_iso(each.created_at),
                each.headline,
                each.state,
                each.agent or each.author,
                each.trust_tier,
            )
            for each in gathered.decisions
        ),
        sessions=tuple(
            SessionItem(each.id, format_iso(each.started_at), each.agent, each.summary or each.goal)
            for each in gathered.sessions
        ),
        files=tuple(
            ChangedFileItem(each.path, each.lines, each.commits, each.memories, each.owner)
            for each in code_map.top_files_by_metric(gathered.files, "hot", _FILES)
            if each.commits
        ),
        path=path,
        bytes=size,
    )


def view(result: PeriodReport) -> str:
    """Return the text to print: what happened, then the lists; for a page only where it is."""
    if result.path:
        return f"Wrote {join_lines(result.path)} ({result.bytes / 1024:,.0f} KB)."
    return "\n".join(_lines(result, [_file_line(each) for each in result.files]))


def view_for_terminal(result: PeriodReport, width: int) -> str:
    """Return the text for a terminal of ``width`` columns, with bars for the changed files."""
    from gitmem.text.bars import bar_chart_lines  # noqa: PLC0415 - on a terminal only

    rows = [(each.path, each.commits, f"{each.commits:,}") for each in result.files]
    return view(result) if result.path else "\n".join(_lines(result, bar_chart_lines(rows, width)))


def _lines(result: PeriodReport, files: list[str]) -> list[str]:
    lines = [
        one_line(
            f"{result.project}, {result.branch or 'no branch'} @ {result.commit[:10]}", _WIDTH
        ),
        f"{result.since[:10]} to {result.until[:10]}: {result.happened}",
    ]
    if result.stale_total:
        cite = quantity(result.stale_total, "memory cites", "memories cite")
        lines.append(f"Check first: {cite} code that changed (gitmem verify)")
    for stale in result.stale:
        lines.append("  " + one_line(f"{stale.id[:12]}  {stale.title}", _WIDTH))
        lines += ["      " + one_line(citation, _WIDTH) for citation in stale.citations]
    if result.waiting:
        waits = quantity(result.waiting, "suggestion waits", "suggestions wait")
        lines.append(f"{waits}: gitmem inbox")
    lines += ["Decided:"] if result.decisions else []
    for each in result.decisions:
        marks = trust.state_and_trust_marks(each.state, each.trust)
        tail = f"  [{', '.join(marks)}]" if marks else ""
        lines.append("  " + one_line(f"{each.at[:10]}  {each.title}", _WIDTH) + tail)
    lines += ["Worked on:"] if result.sessions else []
    lines += [
        "  " + one_line(f"{each.at[:10]}  {each.agent or 'a person'}: {each.text}", _WIDTH)
        for each in result.sessions
        if each.text
    ]
    return [*lines, "Changed most in a year (commits):", *files] if files else lines


def _file_line(file: ChangedFileItem) -> str:
    return f"  {file.commits:>5}  {one_line(file.path, _WIDTH)}"


REPORT = Operation(
    "report",
    report_on_period,
    view,
    READ,
    "--html report.html --since 30d",
    view_for_terminal=view_for_terminal,
    shows_times=True,
)
