"""What one commit did: what it is for, which files and definitions it changed, and how."""

from collections.abc import Mapping, Sequence

from gitmem.app import App
from gitmem.errors import GitmemError, NotARepository, NotFound
from gitmem.git import diff, head, history
from gitmem.git.diff import Change, Sides
from gitmem.git.log_output import Commit
from gitmem.history import commit_meaning, commit_symbols, naming_memories
from gitmem.history.commit_meaning import Meaning
from gitmem.history.commit_symbols import Symbols
from gitmem.indexing import secret_files
from gitmem.model.frozen import dataclass
from gitmem.model.memory import Memory
from gitmem.text import redact

MOST_OF_A_FILE = 120  # lines of its diff


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """A file of a commit: what happened to it (A, D, M, R, T), its lines, its hunks.

    ``old`` is its name before where it was renamed. ``left_out`` says why its text is not told:
    binary, secret, or how many bounds it ran into.
    """

    status: str
    path: str
    old: str
    added: int
    removed: int
    lines: tuple[str, ...]
    left_out: str


@dataclass(frozen=True, slots=True)
class CommitStory:
    """A commit, what it means, and its files in git's order.

    ``memories`` name it or its issues. ``note`` says what is missing.
    """

    commit: Commit
    meaning: Meaning
    symbols: Symbols
    files: tuple[ChangedFile, ...]
    memories: tuple[tuple[Memory, str], ...]
    note: str


def gather(app: App, revision: str, path: str, most_lines: int) -> CommitStory:
    """The story of a commit, with at most so many lines of its diff; of ``path`` only, if given.

    A merge is compared with its first parent. Raises NotARepository and NotFound.
    """
    commit = _commit(app, revision)
    between = Sides(
        commit.parents[0] if commit.parents else diff.empty_tree(app.layout), commit.sha
    )
    every = diff.changes(app.layout, between)
    wanted = [one for one in every if _below(one, path)]
    if path and not wanted:
        raise NotFound(
            f"Commit {commit.sha[:10]} did not change {path[:120]}.",
            f"gitmem diff {commit.sha[:10]} shows what it changed.",
        )
    meaning = commit_meaning.read(
        commit.subject, commit.body, [name for one in every for name in one.paths]
    )
    files, complete = _files(app, between, wanted, most_lines)
    symbols = commit_symbols.read(app, between, wanted)
    named = naming_memories.naming(app, [commit.sha], meaning.issues)
    note = _note(app, commit, complete, symbols)
    return CommitStory(commit, meaning, symbols, files, tuple(named), note)


def _commit(app: App, revision: str) -> Commit:
    if app.layout.plain:
        raise NotARepository(
            "This is a plain folder: without git there are no commits.", "git init"
        )
    sha = history.resolve_commit(app.layout.cwd, revision)
    if sha is None:
        cut = " The clone is shallow: older commits are missing." if _shallow(app) else ""
        raise NotFound(
            f"There is no commit {revision[:80]!r} here.{cut}",
            "git fetch --unshallow fetches the rest." if cut else "Check the name with: git log",
        )
    return next(iter(history.log(app.layout.cwd, until=sha, limit=1)))


def _shallow(app: App) -> bool:
    return head.is_shallow(app.layout)


def _below(change: Change, path: str) -> bool:
    return not path or any(one == path or one.startswith(f"{path}/") for one in change.paths)


def _files(
    app: App, between: Sides, wanted: Sequence[Change], most_lines: int
) -> tuple[tuple[ChangedFile, ...], bool]:
    counts = diff.counts(app.layout, between)
    secret = {one for one in wanted if any(map(secret_files.refuse, one.paths))}
    readable = [one for one in wanted if one not in secret and not one.same_content]
    each = min(MOST_OF_A_FILE, most_lines)
    texts, complete = diff.texts(app.layout, between, readable, each)
    room = shares({path: len(lines) for path, lines in texts.items()}, each, most_lines)
    found = []
    for one in wanted:
        path = one.new or one.old
        added, removed = counts.get(path, (0, 0))
        lines = texts.get(path, [])[: room.get(path, 0)]
        left_out = _left_out(one, one in secret, path in counts, len(lines), texts.get(path, []))
        text = redact.redact("\n".join(lines), keep_lines=True).text
        told = tuple(text.split("\n")) if lines else ()
        renamed = one.old if one.status == "R" else ""
        found.append(ChangedFile(one.status, path, renamed, added, removed, told, left_out))
    return tuple(found), complete


def shares(sizes: Mapping[str, int], each: int, most: int) -> dict[str, int]:
    """How many lines of each file are told: of short ones all, of the others as many as is left.

    At most ``each`` of one and ``most`` in all. Pure.
    """
    found: dict[str, int] = {}
    for place, path in enumerate(sorted(sizes, key=lambda path: (sizes[path], path))):
        fair = most // (len(sizes) - place)
        found[path] = min(sizes[path], each, fair)
        most -= found[path]
    return found


def _left_out(change: Change, secret: bool, counted: bool, shown: int, lines: Sequence[str]) -> str:
    if secret:
        return "secret file"
    if change.same_content:
        return ""
    if not counted:
        return "binary"
    return "cut" if shown < len(lines) else ""


def _note(app: App, commit: Commit, complete: bool, symbols: Symbols) -> str:
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


def excerpt(app: App, sha: str, parents: Sequence[str], paths: Sequence[str], most: int) -> str:
    """The start of what a commit changed in some files, redacted; empty where git cannot tell."""
    between = Sides(parents[0] if parents else diff.empty_tree(app.layout), sha)
    try:
        wanted = [
            change for change in diff.changes(app.layout, between) if set(change.paths) & set(paths)
        ]
        files, _ = _files(app, between, wanted[:3], most)
    except GitmemError:
        return ""
    return "\n".join(
        line for file in files for line in (f"{file.path}:", *file.lines) if file.lines
    )
