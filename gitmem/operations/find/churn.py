"""Where the code changes most: hotspots, owners and bus factor, files that change together."""

import os

from gitmem import languages
from gitmem.app import App
from gitmem.history import entity_lineage
from gitmem.indexing import index_state
from gitmem.model.frozen import dataclass
from gitmem.operations import shared_fields as shared
from gitmem.operations.registry import READ, Annotated, Arg, Operation, positional_arg
from gitmem.retrieval import request_filters
from gitmem.search import file_kinds
from gitmem.store.code import chunks, commits
from gitmem.store.code.commits import IndexedCommit
from gitmem.text.fence import one_line
from gitmem.text.quantity import quantity
from gitmem.timeline import change_areas, churn_counts, co_change
from gitmem.timeline.churn_counts import CoChangedFiles, Hotspot
from gitmem.timeline.co_change import FileOwner

MOST_COMMITS = 10_000
OWNERS = 5
_AT_ONCE = 500
# Kinds of files that change with everything and say nothing about the code.
_NOT_CODE = frozenset(("docs", "changelog", "config", "generated"))
_WIDTH = 110


@dataclass(frozen=True, slots=True)
class CodeChurnRequest:
    """Arguments of `gitmem churn`: a file or folder (empty: all), and the earliest time."""

    path: Annotated[str, positional_arg("A file or folder (default: all)", path_kind="path")] = ""
    since: shared.Since = ""
    limit: Annotated[int, shared.limit_arg(200, "At most this many of each")] = 10
    all: Annotated[bool, Arg("Also documents, changelogs, settings and generated files")] = False


@dataclass(frozen=True, slots=True)
class CodeChurnResult:
    """Which files change most in a part of the code, who changes them, and which change together.

    ``commits`` is how many commits were counted, ``bus_factor`` the smallest number of people who
    together made more than half of them. ``note`` says what is missing.
    """

    path: str
    commits: int
    hotspots: tuple[Hotspot, ...]
    owners: tuple[FileOwner, ...]
    bus_factor: int
    pairs: tuple[CoChangedFiles, ...]
    note: str


def measure_code_churn(app: App, request: CodeChurnRequest) -> CodeChurnResult:
    """Show where the code changes most: hotspots, owners, what changes together.

    Counts the newest ten thousand indexed commits; for a single file also those under its earlier
    names. Deleted files do not count; documents, changelogs and settings only with --all or if
    there is nothing else. The bus factor is the smallest number of people who together made more
    than half of the commits.
    """
    path = "" if request.path == "." else request.path.rstrip("/")
    since = request_filters.parse_time_ms(app, request.since) or 0
    log = commits.commits_in_period(app.store, since_ms=since, limit=MOST_COMMITS)
    log = _under_present_name(app, log, path)
    counted = log
    if path:
        counted = [
            each
            for each in log
            if any(change_areas.is_path_inside(name, path) for name in each.paths)
        ]
    line_counts = _existing_files(app, {name for commit in log for name in commit.paths})
    inside = {name for name in line_counts if not path or change_areas.is_path_inside(name, path)}
    code = set() if request.all else {name for name in inside if _is_code(name)}
    inside = code or inside
    line_counts = {name: lines for name, lines in line_counts.items() if not code or _is_code(name)}
    changed = [[name for name in commit.paths if name in line_counts] for commit in log]
    return CodeChurnResult(
        path=path,
        commits=len(counted),
        hotspots=tuple(
            churn_counts.find_hotspots(
                changed, {name: line_counts[name] for name in inside}, request.limit
            )
        ),
        owners=tuple(
            co_change.rank_file_owners(((commit.author, commit.at) for commit in counted), OWNERS)
        ),
        bus_factor=churn_counts.bus_factor(commit.author for commit in counted),
        pairs=tuple(churn_counts.find_co_changed_files(changed, request.limit, inside)),
        note=_note(app, len(log), len(counted)),
    )


def _under_present_name(app: App, log: list[IndexedCommit], path: str) -> list[IndexedCommit]:
    """The commits with a file's earlier names replaced by its present one."""
    if not (path and app.layout.worktree and os.path.isfile(f"{app.layout.worktree}/{path}")):
        return log
    return entity_lineage.rename_path_in_commits(
        log, path, entity_lineage.earlier_names_by_commit(app, path)
    )


def _is_code(path: str) -> bool:
    return _NOT_CODE.isdisjoint(file_kinds.kinds_of_file(path, languages.language(path)))


def _existing_files(app: App, paths: set[str]) -> dict[str, int]:
    """The number of lines of each path that is an indexed file and still exists."""
    names = sorted(paths)
    shown: dict[str, int] = {}
    for start in range(0, len(names), _AT_ONCE):
        part = chunks.indexed_files_by_path(
            app.store, app.worktree, names[start : start + _AT_ONCE]
        )
        shown |= {path: file.lines for path, file in part.items()}
    tree = app.layout.worktree
    return {
        path: lines
        for path, lines in shown.items()
        if tree is None or os.path.lexists(os.path.join(tree, path))
    }


def _note(app: App, commits: int, own: int) -> str:
    if not commits:
        return "No commits are indexed in that time; `gitmem index` indexes them."
    if not own:
        return "No commit changed it in that time."
    behind = index_state.index_state(app)
    return f"The index is {behind}." if behind == "stale" else ""


def view(result: CodeChurnResult) -> str:
    """Return the text to print: what changes most, who changes it, what changes together."""
    lines = _head(result)
    if result.hotspots:
        lines.append("Hotspots (commits, lines):")
    lines += [
        f"  {hotspot.score:.2f}  {hotspot.commits:>5} {hotspot.lines:>6}  "
        + one_line(hotspot.path, _WIDTH)
        for hotspot in result.hotspots
    ]
    if result.owners:
        owners = ", ".join(f"{owner.name} {owner.share:.0%}" for owner in result.owners)
        lines.append(f"Owners: {one_line(owners, 2 * _WIDTH)}")
    return "\n".join([*lines, *_pairs(result)])


def view_for_terminal(result: CodeChurnResult, width: int) -> str:
    """Return the text for a terminal of ``width`` columns, with bars for scores and shares."""
    from gitmem.text.bars import bar_chart_lines  # noqa: PLC0415 - on a terminal only

    hotspots = [
        (hotspot.path, hotspot.score, f"{hotspot.commits:>5} {hotspot.lines:>6}")
        for hotspot in result.hotspots
    ]
    owners = [(owner.name, owner.share, f"{owner.share:.0%}") for owner in result.owners]
    lines = _head(result)
    lines += ["Hotspots (commits, lines):"] if hotspots else []
    lines += bar_chart_lines(hotspots, width)
    lines += ["Owners:"] if owners else []
    return "\n".join([*lines, *bar_chart_lines(owners, width, max_number=1), *_pairs(result)])


def _head(result: CodeChurnResult) -> list[str]:
    commits = quantity(result.commits, "commit")
    head = f"{result.path or 'All'}: {commits}, bus factor {result.bus_factor}"
    return [head, result.note] if result.note else [head]


def _pairs(result: CodeChurnResult) -> list[str]:
    if not result.pairs:
        return []
    return [
        "Changed together (commits, support, confidence, lift):",
        *(
            f"  {pair.commits:>5} {pair.support:>6.1%} {pair.confidence:>4.0%} {pair.lift:>7.1f}  "
            f"{one_line(f'{pair.first} + {pair.second}', 2 * _WIDTH)}"
            for pair in result.pairs
        ),
    ]


CHURN = Operation(
    "churn",
    measure_code_churn,
    view,
    READ,
    "src --since 180d",
    tool="churn",
    view_for_terminal=view_for_terminal,
)
