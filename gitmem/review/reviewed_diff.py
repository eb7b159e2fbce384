"""The diff under review: its files before and after, and the lines that it changes.

It is read once and given to every check. What cannot be read is said in ``notes``; the rest of the
review goes on without it.
"""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence

from gitmem import languages
from gitmem.app import App
from gitmem.errors import InvalidInput, NotFound
from gitmem.freshness.diff_files import DiffFileVersions
from gitmem.git import blobs, diff, history, listing
from gitmem.git.diff import DiffSides, PathChange
from gitmem.git.display import display_path
from gitmem.git.head import is_shallow
from gitmem.git.lines import patch_apply
from gitmem.git.lines.patch import WHOLE, Hunk, Range
from gitmem.git.lines.patch_apply import FilePatch
from gitmem.indexing import file_filter
from gitmem.indexing.syntax import extract, grammars
from gitmem.indexing.syntax.values import ParsedFile
from gitmem.model.frozen import dataclass
from gitmem.search import file_kinds
from gitmem.text.quantity import quantity

MAX_SIZE = 1 << 20  # bytes of a file that are read
_MAX_FILES, _MAX_BYTES, _MAX_PATCHED = 2_000, 48 << 20, 400
_NAMED = 3  # files named in a note
PATCH = "patch"  # the new side of a diff that was given as text

_NOTHING = ParsedFile((), (), (), False)
_Contents = Callable[[PathChange], tuple[bytes | None, bytes | None]]


class ReviewedFile:
    """A file of a diff; ``old`` and ``new`` are its content before and after, None if missing.

    They are also None if the file was not read; ``unread`` says why. ``path`` is the new path, or
    the old one of a deleted file.
    """

    __slots__ = (
        *("_lines", "_parsed", "change", "hunks", "language", "new", "old", "path", "unread"),
    )

    def __init__(
        self,
        change: PathChange,
        hunks: Sequence[Hunk],
        old: bytes | None,
        new: bytes | None,
        unread: str = "",
    ) -> None:
        self.change = change
        self.path = change.new or change.old
        self.language = languages.language(self.path)
        self.hunks = tuple(hunks)
        self.old, self.new = old, new
        self.unread = unread
        self._lines: list[str] | None = None
        self._parsed: dict[bool, ParsedFile | None] = {}

    @property
    def new_lines(self) -> list[str]:
        """The lines of the file after the diff."""
        if self._lines is None:
            text = "" if self.new is None else file_filter.decode_text(self.new)
            self._lines = text.split("\n")
            if self._lines[-1:] == [""]:
                self._lines.pop()
        return self._lines

    @property
    def added_ranges(self) -> list[Range]:
        """The lines that the diff adds or changes, as (first, last) pairs of new line numbers."""
        last = len(self.new_lines)
        spans = ((hunk.new[0], min(hunk.new[1], last)) for hunk in self.hunks)
        return [span for span in spans if span[0] <= span[1]]

    @property
    def numbered_added_lines(self) -> Iterator[tuple[int, str]]:
        """The (number, text) of each line that the diff adds or changes."""
        for first, last in self.added_ranges:
            yield from enumerate(self.new_lines[first - 1 : last], first)

    @property
    def is_source(self) -> bool:
        """Whether the file is code that can be parsed, and no test, example or generated file."""
        shown = file_kinds.main_kind_of_file(self.path, self.language)
        return shown in ("code", "declaration") and bool(
            grammars.grammar_name(self.path, self.language)
        )

    def definitions_and_imports(self, *, after_diff: bool = True) -> ParsedFile:
        """Return the definitions and imports after (or before) the diff; none if unparsable."""
        if after_diff not in self._parsed:
            data, path = (self.new, self.path) if after_diff else (self.old, self.change.old)
            self._parsed[after_diff] = (
                extract.parse_source_file(self.language, path, data) if data else None
            )
        return self._parsed[after_diff] or _NOTHING

    def is_added_line(self, line: int) -> bool:
        """Return whether the diff adds or changes this line of the new version (from 1)."""
        return any(first <= line <= last for first, last in self.added_ranges)


@dataclass(frozen=True, slots=True)
class ReviewedDiff:
    """A diff with the content of its files, and ``notes`` on what could not be read.

    ``sides`` are the two revisions compared; ``sides.new`` is empty for the worktree, ``:`` for the
    index, ``PATCH`` for a diff given as text.
    """

    sides: DiffSides
    files: tuple[ReviewedFile, ...]
    versions: DiffFileVersions
    notes: tuple[str, ...] = ()

    @property
    def path_changes(self) -> tuple[PathChange, ...]:
        """How git describes the change of each file: status, old and new path."""
        return tuple(file.change for file in self.files)

    @property
    def paths(self) -> frozenset[str]:
        """The old and new paths of all files in the diff."""
        return frozenset(path for change in self.path_changes for path in change.paths)

    @property
    def hunks_by_path(self) -> Mapping[str, tuple[Hunk, ...]]:
        """The changed line ranges of each file, by its old path (of a new file by its new one)."""
        return {file.change.old or file.path: file.hunks for file in self.files}

    @property
    def _revision(self) -> str:
        return "HEAD" if self.sides.new in ("", PATCH) else self.sides.new

    def unchanged_path_exists(self, app: App, path: str) -> bool:
        """Return whether a path that is not in the diff exists beside it."""
        if self.sides.new in ("", PATCH) and app.layout.worktree:
            return os.path.lexists(os.path.join(app.layout.worktree, path))
        return blobs.path_exists_at_revision(app.layout.cwd, self._revision, path)

    def unchanged_text(self, app: App, path: str) -> str:
        """Return the text of a file that is not in the diff; empty if there is none."""
        if self.sides.new in ("", PATCH) and app.layout.worktree:
            data = listing.read_worktree_file(listing.listed_files_root(app.layout), path, MAX_SIZE)
        else:
            data = blobs.read_file_at_revision(
                app.layout.cwd, self._revision, path, max_bytes=MAX_SIZE
            )
        return file_filter.decode_text(data) if data else ""


def read_git_diff(app: App, revision_range: str = "", *, staged: bool = False) -> ReviewedDiff:
    """Return the diff of ``revision_range`` (``A..B``), of what is staged, or of the worktree.

    Raises InvalidInput, or NotFound for an unknown revision. If a shallow clone lacks the base, it
    reads what there is and adds a note.
    """
    notes: list[str] = []
    between = _sides(app, revision_range, staged, notes)
    changed = diff.changed_paths(app.layout, between)
    if len(changed) > _MAX_FILES:
        left = quantity(len(changed) - _MAX_FILES, "file")
        notes.append(f"The diff is long: {left} of {len(changed):,} were not read.")
    changed = changed[:_MAX_FILES]
    hunks = diff.changed_hunks(app.layout, between, changed)
    contents = _contents(app, between, changed)
    files = [
        _file(change, hunks.get(change.old or change.new, ()), *contents(change))
        for change in changed
    ]
    return make_reviewed_diff(app, between, files, notes)


def diff_of_patch(app: App, data: bytes) -> ReviewedDiff:
    """Return the diff in a patch file's content, applied in memory to HEAD, else the worktree.

    A file to which it does not apply is named in ``notes``. Raises InvalidInput if it is no patch.
    """
    patches = list(patch_apply.parse_file_patches(data))
    if data.strip() and not patches:
        raise InvalidInput(
            "This is not a patch.",
            "Give the output of `git diff`: git diff | gitmem review --diff - (a file: - < FILE)",
        )
    notes = []
    if len(patches) > _MAX_PATCHED:
        left = quantity(len(patches) - _MAX_PATCHED, "file")
        notes.append(f"The patch is long: {left} of {len(patches):,} were not read.")
    head = app.git_head.commit or ""
    files = [_patched(app, head, patch) for patch in patches[:_MAX_PATCHED]]
    return make_reviewed_diff(app, DiffSides(head, PATCH), files, notes)


def diff_of_code(app: App, code: str, path: str) -> ReviewedDiff:
    """Return the diff of adding a piece of code to the file at ``path`` in the worktree.

    Definitions in ``code`` replace those of the same name in the file; all of ``code`` comes at the
    end. A file that does not exist is new.
    """
    old = listing.read_worktree_file(listing.listed_files_root(app.layout), path, MAX_SIZE)
    lines = file_filter.decode_text(old or b"").split("\n")
    language = languages.language(path)
    piece = extract.parse_source_file(language, path, code.encode("utf-8", "replace"))
    parsed_file = extract.parse_source_file(language, path, old) if old else None
    same = {symbol.name for symbol in (piece or _NOTHING).definitions if not symbol.container}
    taken = [symbol for symbol in (parsed_file or _NOTHING).definitions if symbol.name in same]
    rest = lines[:-1] if lines[-1:] == [""] else lines
    for symbol in sorted(taken, key=lambda each: -each.start_line):
        if not symbol.container:
            del rest[symbol.start_line - 1 : symbol.end_line]
    new = "\n".join([*rest, *code.rstrip("\n").split("\n"), ""])
    hunks = [Hunk((each.start_line, each.end_line), (1, 0)) for each in taken if not each.container]
    written = Hunk((len(lines), len(lines) - 1), (len(rest) + 1, new.count("\n")))
    blob = (
        listing.compute_blob_id(old, listing.hash_algorithm_of(app.git_head.commit or ""))
        if old
        else ""
    )
    change = PathChange("M" if old is not None else "A", path if old else "", path, blob, PATCH)
    sides = DiffSides(app.git_head.commit or "", PATCH)
    return make_reviewed_diff(app, sides, [_file(change, [*hunks, written], old, new.encode())], ())


def _patched(app: App, head: str, patch: FilePatch) -> ReviewedFile:
    old = None
    for old in _bases(app, patch.old) if patch.old else (b"",):
        applied = patch_apply.apply_patch(old, patch)
        if applied is not None:
            break
    else:
        applied = None
    status = "R" if patch.old != patch.new else "M"
    status = "A" if not patch.old else "D" if not patch.new else status
    known = old if patch.old else None
    blob = (
        listing.compute_blob_id(known, listing.hash_algorithm_of(head)) if known is not None else ""
    )
    change = PathChange(
        status, patch.old, patch.new, blob, f"{PATCH}:{patch.new}" if patch.new else ""
    )
    if patch.binary or applied is None:
        why = "binary" if patch.binary else "not here as the patch expects"
        return ReviewedFile(change, WHOLE, known, None, why)
    new, hunks = applied
    return _file(change, hunks, known, new if patch.new else None)


def _bases(app: App, path: str) -> Iterator[bytes]:
    """What a patch of a file may be made for: its content in HEAD, in the worktree."""
    committed = blobs.read_file_at_revision(app.layout.cwd, "HEAD", path, max_bytes=MAX_SIZE)
    if committed:
        yield committed
    data = (
        listing.read_worktree_file(app.layout.worktree, path, MAX_SIZE)
        if app.layout.worktree
        else None
    )
    if data is not None:
        yield data


def make_reviewed_diff(
    app: App, diff_sides: DiffSides, files: Sequence[ReviewedFile], notes: Sequence[str]
) -> ReviewedDiff:
    """Return a ``ReviewedDiff`` of these files, with notes on files that could not be read."""
    versions = DiffFileVersions(app, diff_sides)
    for file in files:
        for id, data in ((file.change.blob, file.old), (file.change.new_blob, file.new)):
            if id and data is not None:
                versions.add_blob_content(id, data)
    unread: dict[str, list[str]] = {}
    for file in files:
        if file.unread:
            unread.setdefault(file.unread, []).append(display_path(file.path))
    more = [f"{_listed(paths)} {'is' if len(paths) == 1 else 'are'} {why}; only the "
            f"{'name was' if len(paths) == 1 else 'names were'} compared."
            for why, paths in unread.items()]  # fmt: skip
    return ReviewedDiff(diff_sides, tuple(files), versions, (*notes, *more))


def _listed(paths: Sequence[str]) -> str:
    rest = len(paths) - _NAMED
    return ", ".join(paths[:_NAMED]) + (f" and {rest} more" if rest > 0 else "")


def _sides(app: App, revisions: str, staged: bool, notes: list[str]) -> DiffSides:
    try:
        return diff.resolve_diff_sides(app.layout, revisions, staged=staged)
    except NotFound:
        if not is_shallow(app.layout) or ".." not in revisions:
            raise
    first, _, last = revisions.partition("..")
    try:  # both ends are here, their common ancestor is not
        between = diff.resolve_diff_sides(app.layout, f"{first}..{last.lstrip('.')}")
        notes.append(
            "The common ancestor is missing from this shallow clone, so the two ends were compared "
            "as they are: git fetch --unshallow fetches the rest."
        )
        return between
    except NotFound:
        end = diff.resolve_diff_sides(app.layout, f"..{last.lstrip('.')}").new
    parent = history.resolve_commit(app.layout.cwd, f"{end}^")
    notes.append(
        f"The base {first[:80]!r} is missing from this shallow clone, so "
        + ("only the last commit" if parent else "nothing")
        + " was reviewed: git fetch --unshallow fetches the rest."
    )
    return DiffSides(parent or end, end)


def _file(
    change: PathChange, hunks: Sequence[Hunk], old: bytes | None, new: bytes | None
) -> ReviewedFile:
    for data in (old, new):
        if data is not None and len(data) > MAX_SIZE:
            return ReviewedFile(change, WHOLE, None, None, f"larger than {MAX_SIZE >> 20} MB")
        if data is not None and b"\0" in data[:8192] and not file_filter.is_utf16(data):
            return ReviewedFile(change, WHOLE, None, None, "binary")
    if change.new and new is None and not change.has_same_content:
        return ReviewedFile(change, hunks, old, None, "no regular file, or cannot be read")
    return ReviewedFile(change, hunks, old, new)


def _contents(app: App, between: DiffSides, changed: Sequence[PathChange]) -> _Contents:
    """A function from a change to the content before and after it."""
    ids = [change.blob for change in changed]
    ids += [change.new_blob for change in changed] if between.new else []
    sized = blobs.blob_sizes(app.layout.cwd, [*dict.fromkeys(filter(None, ids))])
    room, small = _MAX_BYTES, {}
    for id, size in sized.items():
        if size <= MAX_SIZE and size <= room:
            small[id], room = size, room - size
    stored = dict(blobs.read_blobs(app.layout.cwd, small))

    def old_and_new_content(change: PathChange) -> tuple[bytes | None, bytes | None]:
        new = stored.get(change.new_blob)
        if not between.new and change.new:
            new = listing.read_worktree_file(
                listing.listed_files_root(app.layout), change.new, MAX_SIZE
            )
        return stored.get(change.blob), new

    return old_and_new_content
