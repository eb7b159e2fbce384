"""Why code is as it is: the commits that wrote it, and the memories about it."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from gitmem.app import App
from gitmem.errors import Unavailable
from gitmem.freshness import line_mapping
from gitmem.git import blobs, head, listing
from gitmem.git.lines import first_definition, line_history
from gitmem.git.log_output import Commit
from gitmem.history import naming_memories
from gitmem.history.target import CodeTarget
from gitmem.memory import citations
from gitmem.model.frozen import dataclass
from gitmem.model.memory import Memory
from gitmem.retrieval import citing_memories
from gitmem.store.code import commits
from gitmem.store.db.connection import Database
from gitmem.text import issues
from gitmem.text.fence import one_line
from gitmem.text.redact import redact

LOOKED_AT = 200  # commits that changed it, at most
_LINE = 160  # characters of a removed line
_AROUND = 3  # lines by which a citation may miss the target


@dataclass(frozen=True, slots=True)
class ExplainingCommit:
    """A commit that explains a piece of code, with the reasons for showing it, in words.

    ``lines`` counts its lines that are still there. ``path`` is the file's name at the time.
    """

    commit: Commit
    lines: int
    path: str
    issues: tuple[str, ...]
    why: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CodeExplanation:
    """The commits and memories that explain a file, lines or a definition.

    ``changes`` counts the commits that changed it, up to 200; ``complete`` is false if git had to
    be stopped, ``shallow`` true if older commits are missing; ``uncommitted`` counts lines without
    a commit. Each memory has its store and the reason for showing it.
    """

    commits: tuple[ExplainingCommit, ...]
    changes: int
    uncommitted: int
    complete: bool
    shallow: bool
    memories: tuple[tuple[Memory, Database, str], ...]


def explain_code(app: App, target: CodeTarget, max_commits: int) -> CodeExplanation:
    """Return the commits that explain a file, lines or a definition, and the memories about it.

    At most ``max_commits`` commits are returned, newest first.
    """
    blob = line_history.blob_id_at_head(app.layout.cwd, target.path) if app.git_head.commit else ""
    known_there = target.there and bool(blob)  # else git cannot blame its lines
    written, finished = (
        line_history.commits_of_lines(app.layout, target.path, target.lines)
        if known_there
        else ([], True)
    )
    changes, whole = _changes(app, target, blob)
    if not whole and not changes and target.lines is None:
        changes = _indexed_commits(app, target.path)
    amounts = Counter[str]()
    for part in written:
        amounts[part.sha] += part.line_count
    uncommitted = amounts.pop("", 0)
    by_id = {change.sha: change for change in changes}
    missing = [sha for sha, _ in amounts.most_common() if sha not in by_id]
    by_id |= line_history.read_commits(app.layout.cwd, missing)
    oldest = changes[-1].sha if changes and whole and len(changes) < LOOKED_AT else ""
    if oldest and target.symbol and target.lines:
        oldest, whole = _find_first(app, target)
        by_id |= line_history.read_commits(app.layout.cwd, [oldest] if oldest else [])
        changes = _cut_before(changes, by_id.get(oldest))
    ranked = _choose(by_id, changes, amounts, oldest, max_commits)
    names = {change.sha: change.paths[-1] for change in changes if change.paths}
    names |= {part.sha: part.path for part in written if part.path}
    total = sum(amounts.values()) + uncommitted
    shallow = head.is_shallow(app.layout)
    commits = tuple(
        ExplainingCommit(
            by_id[sha],
            amounts[sha],
            names.get(sha, target.path),
            issues.issue_references(f"{by_id[sha].subject}\n{by_id[sha].body}"),
            _why(by_id[sha], amounts[sha], total, changes, "" if shallow else oldest, target),
        )
        for sha in ranked
    )
    count = count_commits_of_target([change.sha for change in changes], amounts, whole_file=whole)
    return CodeExplanation(
        commits, count, uncommitted, finished and whole, shallow, _memories(app, target, commits)
    )


def count_commits_of_target(
    file_commits: Sequence[str], line_commits: Iterable[str], *, whole_file: bool
) -> int:
    """Return how many commits changed a file, or lines in it; the least number if git was stopped.

    ``file_commits`` are ids of commits that changed the target by git's log, ``line_commits`` by
    git's blame. With ``whole_file`` only the first count.
    """
    return len(file_commits) if whole_file else len({*file_commits, *line_commits})


def _changes(app: App, target: CodeTarget, blob: str) -> tuple[list[Commit], bool]:
    """The commits that changed it, newest first, and whether git could finish."""
    if not app.git_head.commit:
        return [], True
    cwd = app.layout.cwd
    if target.removed is not None:
        return list(line_history.read_commits(cwd, [target.removed.sha]).values()), True
    if target.lines is None or not target.there:
        return line_history.commits_changing_path(cwd, target.path, LOOKED_AT)
    span = _lines_at_head(app, target, blob)
    if span is None:
        return [], True  # not committed yet
    return line_history.commits_changing_lines(cwd, target.path, span, LOOKED_AT)


def _find_first(app: App, target: CodeTarget) -> tuple[str, bool]:
    """The commit that introduced a definition ("" if unclear), and whether git could finish.

    git follows lines into what was in their place before, so its oldest commit may be too old; it
    does not follow code that came from another file.
    """
    tree, lines = app.layout.worktree, target.lines
    text = (listing.read_worktree_file(tree, target.path) or b"") if tree and lines else b""
    name = citations.symbol_parts(target.symbol)[-1]
    first = lines[0] - 1 if lines else 0
    body = text.decode("utf-8", "replace").split("\n")[first : lines[1] if lines else 0]
    head_line = next((line for line in body if name in line), "")
    if not head_line:
        return "", True
    return first_definition.first_commit_of_definition(app.layout.cwd, target.path, head_line, name)


def _cut_before(changes: list[Commit], first: Commit | None) -> list[Commit]:
    """The changes of a definition, without those of what was in its place before."""
    if first is None:
        return changes
    shas = [change.sha for change in changes]
    if first.sha in shas:
        return changes[: shas.index(first.sha) + 1]
    return [*(change for change in changes if change.committed_time >= first.committed_time), first]


def _indexed_commits(app: App, path: str) -> list[Commit]:
    """The newest indexed commits of a path, for when git was too slow."""
    if not app.has_store:
        return []
    shas = [
        commit.sha
        for commit in commits.commits_of_path(app.store, path, line_history.MOST_DESCRIBED)
    ]
    described = line_history.read_commits(app.layout.cwd, shas)
    return [described[sha] for sha in shas if sha in described]


def _lines_at_head(app: App, target: CodeTarget, blob: str) -> tuple[int, int] | None:
    """The lines in HEAD's version, which uncommitted changes may have moved; None if absent."""
    tree = app.layout.worktree
    data = listing.read_worktree_file(tree, target.path) if tree and blob else None
    if not blob or target.lines is None:
        return None
    if data is None or listing.content_has_blob_id(data, blob):
        return target.lines
    try:
        sized = blobs.blob_sizes(app.layout.cwd, [blob])
        old = next((content for _, content in blobs.read_blobs(app.layout.cwd, sized)), b"")
    except Unavailable:
        return None
    return line_mapping.map_line_range(_split(data), _split(old), target.lines)


def _split(data: bytes) -> list[bytes]:
    return [b"".join(line.split()) for line in data.split(b"\n")]


def _choose(
    known: Mapping[str, Commit],
    changes: Sequence[Commit],
    amounts: Counter[str],
    oldest: str,
    limit: int,
) -> list[str]:
    """Choose commits: half by their lines that are still there, the first one, the newest ones."""
    newest = [change.sha for change in changes]
    at = {sha: commit.committed_time for sha, commit in known.items()}
    standing = sorted(
        (sha for sha in amounts if sha in known), key=lambda sha: (-amounts[sha], -at[sha])
    )
    room = max((limit + 1) // 2, limit - len(newest))
    order = [*standing[:room], *([oldest] if oldest else []), *newest, *standing[room:]]
    chosen = list(dict.fromkeys(order))[:limit]
    place = {sha: number for number, sha in enumerate(newest)}
    return sorted(chosen, key=lambda sha: (-at[sha], place.get(sha, 0)))


def _why(
    commit: Commit,
    lines: int,
    total: int,
    changes: Sequence[Commit],
    oldest: str,
    target: CodeTarget,
) -> tuple[str, ...]:
    reasons = []
    sha = commit.sha
    in_changes = any(change.sha == sha for change in changes)
    if lines:
        # Newer than the newest change that git finds behind it: it moved or copied the lines.
        moved = changes and not in_changes and commit.committed_time > changes[0].committed_time
        did = "moved" if moved else "wrote"
        reasons.append(f"{did} {lines} of {total} lines" if total > 1 else f"{did} the line")
    if not target.there and changes and sha == changes[0].sha:
        reasons.append("took it away, or was the last to change it")
        if target.removed is not None:
            reasons = [f"took it away: {one_line(redact(target.removed.line).text, _LINE)}"]
    elif changes and sha == changes[0].sha:
        reasons.append("changed it last")
    if sha == oldest and target.removed is None:
        reasons.append("first version")
    if not reasons:
        reasons.append("changed it" if in_changes else "moved it here")
    return tuple(reasons)


def _memories(
    app: App, target: CodeTarget, commits: Sequence[ExplainingCommit]
) -> tuple[tuple[Memory, Database, str], ...]:
    """The memories that cite the target, then those that name its commits or issues; each once."""
    paths = dict.fromkeys([target.path, *(commit.path for commit in commits if commit.path)])
    anchored = [
        (memory, database, why)
        for memory, database in citing_memories.find_citing_memories(app, list(paths))
        if (why := _why_cited(memory, target, paths))
    ]
    issue_names = {issue: None for commit in commits for issue in commit.issues}
    anchored_ids = {memory.id for memory, _, _ in anchored}
    naming = naming_memories.find_memories_naming_commits(
        app, [commit.commit.sha for commit in commits], list(issue_names)
    )
    rest = [(memory, app.store, why) for memory, why in naming if memory.id not in anchored_ids]
    return (*anchored, *rest)


def _why_cited(memory: Memory, target: CodeTarget, paths: Iterable[str]) -> str:
    """Why a memory that cites the file is about the target; empty if it cites other lines."""
    best = ""
    for text in memory.paths:
        cited = citations.parse_citation(text)
        if not any(path == cited.path or path.startswith(f"{cited.path}/") for path in paths):
            continue
        if cited.is_whole_file or target.lines is None:
            best = best or f"about {text}"
        elif cited.symbol:
            own = citations.symbol_parts(target.symbol)[-1:]
            if own and own == citations.symbol_parts(cited.symbol)[-1:]:
                return f"about {text}"
        elif cited.first_line is not None and cited.last_line is not None:
            low, high = target.lines
            if cited.first_line <= high + _AROUND and low - _AROUND <= cited.last_line:
                return f"about {text}"
    return best
