"""The story of a commit: its purpose, the files and definitions that it changed, and how."""

from collections.abc import Mapping, Sequence

from gitmem.app import App
from gitmem.errors import GitmemError, NotARepository, NotFound
from gitmem.git import diff, head, history
from gitmem.git.diff import DiffSides, PathChange
from gitmem.git.log_output import Commit
from gitmem.history import commit_meaning, commit_symbols, naming_memories
from gitmem.history.commit_meaning import CommitPurpose
from gitmem.history.commit_symbols import SymbolsChangedByCommit
from gitmem.indexing import secret_files
from gitmem.model.frozen import dataclass
from gitmem.model.memory import Memory
from gitmem.text import redact

MAX_LINES_PER_FILE = 120  # lines of its diff


@dataclass(frozen=True, slots=True)
class FileInCommit:
    """A file that a commit changed: status (A, D, M, R or T), line counts, and lines of its diff.

    ``old`` is its earlier name if it was renamed. ``left_out`` says why lines are missing (a secret
    file, binary, cut), empty if none are.
    """

    status: str
    path: str
    old: str
    added: int
    removed: int
    lines: tuple[str, ...]
    left_out: str


@dataclass(frozen=True, slots=True)
class CommitDetails:
    """A commit with its purpose, the definitions that it changed, its files and memories on it.

    ``memories`` name the commit or its issues; each has words on what it names. ``note`` says what
    is missing.
    """

    commit: Commit
    meaning: CommitPurpose
    symbols: SymbolsChangedByCommit
    files: tuple[FileInCommit, ...]
    memories: tuple[tuple[Memory, str], ...]
    note: str


def gather_commit_details(app: App, revision: str, path: str, max_lines: int) -> CommitDetails:
    """Return a commit with its purpose, diff (at most ``max_lines`` lines) and memories on it.

    ``path`` limits it to a file or folder (empty: all). A merge is compared with its first parent.
    Raises NotARepository, and NotFound for an unknown revision or path.
    """
    commit = _commit(app, revision)
    between = DiffSides(
        commit.parents[0] if commit.parents else diff.empty_tree_id(app.layout), commit.sha
    )
    path_changes = diff.changed_paths(app.layout, between)
    selected = [change for change in path_changes if _is_below(change, path)]
    if path and not selected:
        raise NotFound(
            f"Commit {commit.sha[:10]} did not change {path[:120]}.",
            f"gitmem diff {commit.sha[:10]} shows what it changed.",
        )
    meaning = commit_meaning.infer_commit_purpose(
        commit.subject, commit.body, [name for change in path_changes for name in change.paths]
    )
    files, complete = _files(app, between, selected, max_lines)
    symbols = commit_symbols.read_changed_symbols(app, between, selected)
    naming = naming_memories.find_memories_naming_commits(app, [commit.sha], meaning.issues)
    note = _note(app, commit, complete, symbols)
    return CommitDetails(commit, meaning, symbols, files, tuple(naming), note)


def _commit(app: App, revision: str) -> Commit:
    if app.layout.plain:
        raise NotARepository(
            "This is a plain folder: without git there are no commits.",
            "`git init` makes it a repository.",
        )
    sha = history.resolve_commit(app.layout.cwd, revision)
    if sha is None:
        cut = " The clone is shallow: older commits are missing." if _shallow(app) else ""
        raise NotFound(
            f"There is no commit {revision[:80]!r} here.{cut}",
            "git fetch --unshallow fetches the rest." if cut else "Check the name with: git log",
        )
    return next(iter(history.list_commits(app.layout.cwd, until=sha, limit=1)))


def _shallow(app: App) -> bool:
    return head.is_shallow(app.layout)


def _is_below(change: PathChange, path: str) -> bool:
    return not path or any(name == path or name.startswith(f"{path}/") for name in change.paths)


def _files(
    app: App, between: DiffSides, changes: Sequence[PathChange], most_lines: int
) -> tuple[tuple[FileInCommit, ...], bool]:
    counts = diff.changed_line_counts(app.layout, between)
    secret = {
        change for change in changes if any(map(secret_files.secret_file_reason, change.paths))
    }
    readable = [
        change for change in changes if change not in secret and not change.has_same_content
    ]
    each = min(MAX_LINES_PER_FILE, most_lines)
    texts, complete = diff.patch_lines_by_path(app.layout, between, readable, each)
    room = divide_line_budget({path: len(lines) for path, lines in texts.items()}, each, most_lines)
    files = []
    for change in changes:
        path = change.new or change.old
        added, removed = counts.get(path, (0, 0))
        lines = texts.get(path, [])[: room.get(path, 0)]
        left_out = _left_out(
            change, change in secret, path in counts, len(lines), texts.get(path, [])
        )
        text = redact.redact("\n".join(lines), keep_line_ends=True).text
        shown = tuple(text.split("\n")) if lines else ()
        renamed = change.old if change.status == "R" else ""
        files.append(FileInCommit(change.status, path, renamed, added, removed, shown, left_out))
    return tuple(files), complete


def divide_line_budget(
    lines_by_path: Mapping[str, int], max_per_file: int, max_total: int
) -> dict[str, int]:
    """Return for each path how many lines of its diff to show; ``lines_by_path`` has all it has.

    Short files are shown whole, the others get equal shares of the rest: at most ``max_per_file``
    for a file and ``max_total`` in all.
    """
    lines_of: dict[str, int] = {}
    for place, path in enumerate(
        sorted(lines_by_path, key=lambda path: (lines_by_path[path], path))
    ):
        fair = max_total // (len(lines_by_path) - place)
        lines_of[path] = min(lines_by_path[path], max_per_file, fair)
        max_total -= lines_of[path]
    return lines_of


def _left_out(
    change: PathChange, secret: bool, counted: bool, shown: int, lines: Sequence[str]
) -> str:
    if secret:
        return "secret file"
    if change.has_same_content:
        return ""
    if not counted:
        return "binary"
    return "cut" if shown < len(lines) else ""


def _note(app: App, commit: Commit, complete: bool, symbols: SymbolsChangedByCommit) -> str:
    parts = []
    if len(commit.parents) > 1:
        parts.append("A merge: compared with its first parent.")
    if not commit.parents and _shallow(app):
        parts.append("The clone was cut here: all its files look new.")
    if not complete:
        parts.append("git was stopped after its time, or the diff is too long: some is missing.")
    if not symbols.complete:
        parts.append("Not all files were looked at for definitions.")
    return " ".join(parts)


def read_diff_excerpt(
    app: App, sha: str, parents: Sequence[str], paths: Sequence[str], max_lines: int
) -> str:
    """Return the beginning of a commit's diff against its first parent as text, without secrets.

    It covers at most three of the ``paths``, and ``max_lines`` lines in all; empty if git fails.
    """
    between = DiffSides(parents[0] if parents else diff.empty_tree_id(app.layout), sha)
    try:
        selected = [
            change
            for change in diff.changed_paths(app.layout, between)
            if set(change.paths) & set(paths)
        ]
        files, _ = _files(app, between, selected[:3], max_lines)
    except GitmemError:
        return ""
    return "\n".join(
        line for file in files for line in (f"{file.path}:", *file.lines) if file.lines
    )
