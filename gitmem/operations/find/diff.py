"""What one commit did: its goal, type and issues, the definitions it touched, and its diff."""

from gitmem.app import App
from gitmem.clock import format_iso
from gitmem.history import commit_story
from gitmem.history.commit_story import CommitDetails
from gitmem.model.frozen import copy_fields, dataclass, replace
from gitmem.operations.registry import READ, Annotated, Arg, Operation, positional_arg
from gitmem.retrieval import annotate, memory_view
from gitmem.retrieval.memory_view import MemoryItem
from gitmem.text.fence import make_printable, one_line
from gitmem.text.quantity import quantity

MOST_MEMORIES = 5
_WIDTH = 120
_FILES, _SYMBOLS = 6, 8  # files, and definitions of each, that are shown on a screen


@dataclass(frozen=True, slots=True)
class CommitDiffRequest:
    """Arguments of `gitmem diff`: a commit, a path (empty: all), the most diff lines (0: none)."""

    commit: Annotated[str, positional_arg("The commit: an id, HEAD~2, a tag (default: HEAD)")] = (
        "HEAD"
    )
    path: Annotated[str, Arg("Only this file or folder", path_kind="path")] = ""
    lines: Annotated[
        int, Arg("At most so many lines of the diff; 0: none", minimum=0, maximum=5000)
    ] = 300


@dataclass(frozen=True, slots=True)
class ChangedFileDiff:
    """A changed file; ``status`` is A, D, M, R or T, ``old`` its name before a rename.

    ``patch`` is the start of its diff, secrets redacted; ``left_out`` says why it is not complete:
    binary, secret file, cut.
    """

    status: str
    path: str
    old: str
    added: int
    removed: int
    patch: str
    left_out: str


@dataclass(frozen=True, slots=True)
class CommitDiff:
    """A commit: its message, what can be read from it without a model, and what it changed.

    ``type`` is feat, fix, docs, test, refactor, perf, build, ci, chore, style or revert; ``judged``
    means that the type was guessed, since the message does not state it. Symbols are
    ``path::Outer.name``.
    """

    commit: str
    author: str
    at: str
    subject: str
    body: str
    goal: str
    type: str
    judged: bool
    scope: str
    breaking: bool
    issues: tuple[str, ...]
    tags: tuple[str, ...]
    added_symbols: tuple[str, ...]
    removed_symbols: tuple[str, ...]
    changed_symbols: tuple[str, ...]
    files: tuple[ChangedFileDiff, ...]
    added: int
    removed: int
    memories: tuple[MemoryItem, ...]
    note: str


def show_commit_diff(app: App, request: CommitDiffRequest) -> CommitDiff:
    """Show what a commit did: its goal, what it touched, its diff.

    Type, scope and tags are read from message and paths, definitions from the syntax of both
    versions. The diff is cut after --lines and redacted; of files that usually hold secrets only
    the names are shown.
    """
    path = "" if request.path == "." else request.path.rstrip("/")
    story = commit_story.gather_commit_details(app, request.commit, path, request.lines)
    memories = story.memories[:MOST_MEMORIES]
    pairs = [(memory, app.store) for memory, _ in memories]
    items = [
        replace(item, why=(reason,))
        for item, (_, reason) in zip(annotate.make_memory_items(app, pairs), memories, strict=True)
    ]
    return _item(story, tuple(items))


def _item(story: CommitDetails, memories: tuple[MemoryItem, ...]) -> CommitDiff:
    commit, meaning, symbols = story.commit, story.meaning, story.symbols
    return copy_fields(
        CommitDiff,
        meaning,
        commit=commit.sha,
        author=commit.author,
        at=format_iso(commit.committed_time * 1000),
        subject=commit.subject,
        body=commit.body,
        judged=bool(meaning.type) and not meaning.stated,
        added_symbols=symbols.added,
        removed_symbols=symbols.removed,
        changed_symbols=symbols.changed,
        files=tuple(
            copy_fields(ChangedFileDiff, file, patch="\n".join(file.lines)) for file in story.files
        ),
        added=sum(file.added for file in story.files),
        removed=sum(file.removed for file in story.files),
        memories=memories,
        note=story.note,
    )


def view(result: CommitDiff) -> str:
    """Return the text to print: the commit and its goal, what it touched, its diff file by file."""
    lines = [
        one_line(f"{result.commit[:10]} {result.at[:10]} {result.author}", _WIDTH),
        f"  {one_line(result.goal, 3 * _WIDTH)}",
    ]
    kind = f"{result.type}{'?' if result.judged else ''}"
    named = ", ".join(filter(None, [kind, *result.tags[bool(result.type) :], *result.issues]))
    lines += [f"  {one_line(named, _WIDTH)}"] if named else []
    lines += [f"  {result.note}"] if result.note else []
    for word, names in (
        ("adds", result.added_symbols),
        ("removes", result.removed_symbols),
        ("changes", result.changed_symbols),
    ):
        lines += _symbol_lines(word, names)
    lines += [memory_view.format_memory_headline(memory) for memory in result.memories]
    lines += ["", f"{quantity(len(result.files), 'file')}, +{result.added} -{result.removed}"]
    for file in result.files:
        before = f"{file.old} -> " if file.old else ""
        why = f"  ({file.left_out})" if file.left_out else ""
        head = f"{file.status} {before}{file.path}  +{file.added} -{file.removed}"
        lines.append(one_line(head, 2 * _WIDTH) + why)
        lines += [f"    {make_printable(line)}" for line in file.patch.split("\n") if file.patch]
    return "\n".join(lines)


def _symbol_lines(word: str, names: tuple[str, ...]) -> list[str]:
    """A line for each of the first files whose definitions were touched."""
    files: dict[str, list[str]] = {}
    for path, _, name in (name.partition("::") for name in names):
        files.setdefault(path, []).append(name)
    lines = []
    for path, inside in list(files.items())[:_FILES]:
        more = f", … {len(inside) - _SYMBOLS} more" if len(inside) > _SYMBOLS else ""
        text = f"{word} in {path}: {', '.join(inside[:_SYMBOLS])}"
        lines.append(f"  {one_line(text, 3 * _WIDTH)}{more}")
    if len(files) > _FILES:
        lines.append(f"  … {word} in {quantity(len(files) - _FILES, 'more file')}")
    return lines


DIFF = Operation(
    "diff", show_commit_diff, view, READ, "HEAD~2 --path src", tool="commit_diff", shows_times=True
)
