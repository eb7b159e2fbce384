"""What changed in a period of time, by area, with the decisions and memories of that time."""

from collections import Counter

from gitmem.app import App
from gitmem.clock import DAY, format_iso
from gitmem.errors import InvalidInput
from gitmem.git import history
from gitmem.indexing import dropped_commits
from gitmem.model.frozen import dataclass, replace
from gitmem.operations import shared_fields as shared
from gitmem.operations.registry import READ, Annotated, Arg, Operation, positional_arg
from gitmem.retrieval import annotate, memory_view, request_filters
from gitmem.retrieval.memory_view import CommitItem, MemoryItem
from gitmem.store.code import commits
from gitmem.store.code.commits import IndexedCommit
from gitmem.store.memory import memories
from gitmem.store.memory.filters import MemoryFilter
from gitmem.text import issues
from gitmem.text.fence import one_line
from gitmem.text.quantity import quantity
from gitmem.timeline import change_areas
from gitmem.timeline.change_areas import ChangedArea

MOST_COMMITS = 10_000
_ALL = 1 << 31
PER_AREA, FILES, AUTHORS, MEMORIES, COUNTED = 5, 5, 3, 20, 20
_WIDTH = 110


@dataclass(frozen=True, slots=True)
class ChangesInPeriodRequest:
    """Arguments of `gitmem changes`, which counts commits by folder.

    ``since`` and ``until`` are times or revisions (empty: 7 days ago, and now); ``revisions``
    (A..B) gives both. ``path`` and ``author`` (a part of a name) narrow it, empty for all.
    """

    revisions: Annotated[str, positional_arg("The same as --since A --until B", metavar="A..B")] = (
        ""
    )
    since: Annotated[str, Arg(f"{shared.NEWER} (default: 7d)")] = ""
    until: shared.Until = ""
    path: Annotated[str, Arg("Only changes of this file or folder", path_kind="path")] = ""
    author: shared.ByAuthor = ""
    limit: Annotated[int, shared.limit_arg(100)] = 10


@dataclass(frozen=True, slots=True)
class ChangedAreaItem:
    """A folder (``area``) in a period: counts, its newest commits, its most changed files."""

    area: str
    commits: int
    files: int
    newest: tuple[CommitItem, ...]
    most_changed: tuple[str, ...]
    authors: tuple[str, ...]
    issues: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ChangesInPeriod:
    """The changes between two times; ``areas`` are the folders with the most commits.

    ``all_areas`` is how many folders changed. ``note`` says why there are no changes, or what is
    missing. ``by_author`` counts the commits of the twenty people with the most commits.
    """

    since: str
    until: str
    commits: int
    files: int
    authors: tuple[str, ...]
    all_areas: int
    areas: tuple[ChangedAreaItem, ...]
    decisions: tuple[MemoryItem, ...]
    memories: tuple[MemoryItem, ...]
    note: str
    by_author: dict[str, int]


def summarize_changes_in_period(app: App, request: ChangesInPeriodRequest) -> ChangesInPeriod:
    """Show what changed, by area, with the decisions and memories of that time.

    Counts the indexed commits; a merge counts with the changes it makes itself. Between tags or
    commits it counts the commits that lead from one to the other, whatever their dates.
    """
    request = _with_ends(request)
    since, old = request_filters.parse_time_or_revision(app, request.since)
    since = app.now - 7 * DAY if since is None else since
    until, new = request_filters.parse_time_or_revision(app, request.until)
    until = app.now if until is None else until
    inside = history.commits_between(app.layout.cwd, old, new) if old or new else None
    # The later of two commits may have the earlier date: clocks differ, a rebase makes new commits.
    if not (old and new and inside):
        request_filters.validate_time_order(since, until)
    path = "" if request.path == "." else request.path.rstrip("/")
    times = (0 if old else since, None if new else until)
    log = _log(app, times, inside, path, request.author)
    areas = change_areas.group_commits_by_area(log, path)
    remembered = _memories_of(app, since, until, path)
    names = {
        name
        for commit in log
        for name in commit.paths
        if not path or change_areas.is_path_inside(name, path)
    }
    everyone = change_areas.group_commits_by_area([replace(commit, paths=(".",)) for commit in log])
    return ChangesInPeriod(
        since=format_iso(since),
        until=format_iso(until),
        commits=len(log),
        files=len(names),
        authors=everyone[0].authors if everyone else (),
        all_areas=len(areas),
        areas=tuple(map(_area, areas[: request.limit])),
        decisions=tuple(item for item in remembered if item.kind == "decision"),
        memories=tuple(item for item in remembered if item.kind != "decision"),
        note=_note(app, len(log)),
        by_author=dict(Counter(commit.author for commit in log).most_common(COUNTED)),
    )


def _with_ends(request: ChangesInPeriodRequest) -> ChangesInPeriodRequest:
    """``A..B`` as the ends of the period. Raises InvalidInput."""
    old, dots, new = request.revisions.partition("..")
    if not request.revisions:
        return request
    if not (old and dots) or new.startswith("."):
        raise InvalidInput(
            f"{request.revisions[:80]!r} is not a range of revisions.", "Write it as v1.2..HEAD."
        )
    if request.since or request.until:
        raise InvalidInput(
            "A range and --since or --until cannot be combined.", "Give only one of them."
        )
    return replace(request, since=old, until=new or "HEAD")


def _log(
    app: App,
    times: tuple[int, int | None],
    inside: frozenset[str] | None,
    path: str,
    author: str,
) -> list[IndexedCommit]:
    """The commits between two times; if revisions were named only those in ``inside``."""
    since, until = times
    most = MOST_COMMITS if inside is None else _ALL
    log = commits.commits_in_period(
        app.store, since_ms=since, until_ms=until, path=path, author=author, limit=most
    )
    if inside is not None:
        return [commit for commit in log if commit.sha in inside][:MOST_COMMITS]
    gone = dropped_commits.find_dropped_commits(app)
    return [commit for commit in log if commit.sha not in gone]


def _area(area: ChangedArea) -> ChangedAreaItem:
    named = (
        issue
        for commit in area.commits
        for issue in issues.issue_references(f"{commit.subject}\n{commit.body}")
    )
    return ChangedAreaItem(
        area.name,
        len(area.commits),
        len(area.files),
        tuple(
            CommitItem(commit.sha, commit.author, format_iso(commit.at), commit.subject)
            for commit in area.commits[:PER_AREA]
        ),
        area.files[:FILES],
        area.authors[:AUTHORS],
        tuple(dict.fromkeys(named))[:PER_AREA],
    )


def _memories_of(app: App, since: int, until: int, path: str) -> list[MemoryItem]:
    """Memories recorded in that period that are visible here; for a path those that cite it."""
    period = MemoryFilter(since=since, until=until + 1, now=app.now, path=path, trusted_only=True)
    visible = request_filters.memory_filter_for_store(app, app.store, period)
    pairs = [
        (memory, app.store)
        for memory in memories.select_memories(app.store, visible, limit=MEMORIES)
    ]
    annotate.record_shown_memories(app, pairs)
    return annotate.make_memory_items(app, pairs)


def _note(app: App, count: int) -> str:
    if count >= MOST_COMMITS:
        return f"Only the newest {MOST_COMMITS:,} commits are counted."
    if not count and not commits.count_commits(app.store):
        return "No commits are indexed yet; `gitmem index` indexes them."
    return "" if count else "No commit of that period matches."


def view(result: ChangesInPeriod) -> str:
    """Return the text to print: folders with their newest commits, then decisions and memories."""
    commits, files = quantity(result.commits, "commit"), quantity(result.files, "file")
    areas = quantity(result.all_areas, "area")
    lines = [f"{result.since[:10]} to {result.until[:10]}: {commits}, {files}, {areas}"]
    lines += [f"  by {one_line(', '.join(result.authors), _WIDTH)}"] if result.authors else []
    lines += [result.note] if result.note else []
    for area in result.areas:
        issues_ = f" ({', '.join(area.issues)})" if area.issues else ""
        name = "(root folder)" if area.area == change_areas.ROOT else area.area
        counts = f"{quantity(area.commits, 'commit')}, {quantity(area.files, 'file')}"
        lines += ["", one_line(f"{name}: {counts}{issues_}", _WIDTH)]
        for item in area.newest:
            text = f"{item.commit[:10]} {item.at[:10]} {item.author}: {item.subject}"
            lines.append(f"  {one_line(text, _WIDTH)}")
        more = area.commits - len(area.newest)
        lines += [f"  … {more} more"] if more > 0 else []
    for title, items in (("Decisions", result.decisions), ("Memories", result.memories)):
        if items:
            lines += [
                "",
                f"{title}:",
                *(memory_view.format_memory_headline(item) for item in items),
            ]
    return "\n".join(lines)


CHANGES = Operation(
    "changes",
    summarize_changes_in_period,
    view,
    READ,
    "--since v1.2 --path src",
    tool="changes",
    shows_times=True,
)
