"""Finding the paths that a diff touches, and the lines of their old version.

Two git processes, because a patch of everything is long: first the changed paths with their blobs
and renames (``changed_paths``), then the hunks of only the files that matter (``changed_hunks``).
Names come from the NUL-separated list; in a patch they are quoted, so a file's name or content
cannot be taken for a header. The repository's diff drivers, filters and settings are not used;
nothing is fetched.
"""

from __future__ import annotations

import os
from contextlib import nullcontext

from gitmem.errors import InvalidInput, NotFound, Unavailable
from gitmem.git.content_filters import settings_disabling_filters
from gitmem.git.display import decode_path, encode_path
from gitmem.git.head import is_shallow
from gitmem.git.history import resolve_commit
from gitmem.git.lines.patch import WHOLE, Hunk, parse_hunk_lines, parse_numstat, parse_patch_hunks
from gitmem.git.runner import run_git, stream_git
from gitmem.git.work_trees import temporary_index_copy
from gitmem.model.frozen import dataclass

TYPE_CHECKING = False  # importing typing costs 3 ms; type checkers know this name by itself
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from contextlib import AbstractContextManager

    from gitmem.git.layout import RepositoryLayout

# Set explicitly, because settings of the user or the repository may say otherwise.
_PLAIN = (
    "--no-ext-diff",
    "--no-textconv",
    "--no-color",
    "--no-relative",
    "--no-indent-heuristic",
    "--ignore-submodules=dirty",
    "--submodule=short",
    "--diff-algorithm=myers",
    "--find-renames=50%",
    "-l1000",
    "-O/dev/null",
)
_PATCH = ("-U0", "--inter-hunk-context=0", "--src-prefix=a/", "--dst-prefix=b/")
_TEXT = ("-U3", "--inter-hunk-context=0", "--src-prefix=a/", "--dst-prefix=b/")
_MOST_OUTPUT = 256 << 20
_TEXT_SECONDS, _TEXT_BYTES = 5.0, 8 << 20  # limits of a diff that is shown to people
_PATHS_AT_ONCE = 400


@dataclass(frozen=True, slots=True)
class DiffSides:
    """The two states that a diff compares, as arguments for git.

    ``old`` is a commit id, or the id of the empty tree before the first commit. ``new`` is a commit
    id, ":" for the index, empty for the worktree.
    """

    old: str
    new: str = ""


@dataclass(frozen=True, slots=True)
class PathChange:
    """A path that differs between the two states of a diff, and how.

    ``status``: A added, D deleted, M modified, R renamed, T another type, U in conflict. ``old`` is
    the path before (empty where it was added), ``new`` after (empty where it was deleted); ``blob``
    and ``new_blob`` the ids of the contents, empty where there is none or git has not hashed it.
    """

    status: str
    old: str
    new: str
    blob: str = ""
    new_blob: str = ""

    @property
    def paths(self) -> tuple[str, ...]:
        """The old and the new path, as one if they are equal, without an empty one."""
        return tuple(dict.fromkeys(path for path in (self.old, self.new) if path))

    @property
    def has_same_content(self) -> bool:
        """Whether only the name or the mode of the file changed."""
        return bool(self.blob) and self.blob == self.new_blob


def resolve_diff_sides(
    layout: RepositoryLayout, revisions: str = "", *, staged: bool = False
) -> DiffSides:
    """The DiffSides to compare for ``revisions``: ``A..B``, ``A...B``, ``A``, or empty (HEAD).

    A single revision is compared with the worktree, with ``staged`` with the index; in a bare
    repository, which has neither, with its HEAD. Raises InvalidInput and NotFound.
    """
    if layout.plain:
        raise InvalidInput(
            "This is a plain folder: without git there is no diff.",
            "Run `gitmem verify` to see which memories still hold.",
        )
    first, dots, second = _split_range(revisions)
    if dots:
        if staged:
            raise InvalidInput(
                "--staged cannot be combined with a range of revisions.",
                "Give --staged with one revision or none.",
            )
        old, new = _commit(layout, first or "HEAD"), _commit(layout, second or "HEAD")
        return DiffSides(_fork(layout, old, new) if dots == "..." else old, new)
    if layout.worktree is not None:
        return DiffSides(_old(layout, first), ":" if staged else "")
    if staged or not first:
        raise InvalidInput(
            "A bare repository has no worktree and no index to compare.",
            "Give two revisions: gitmem affected v1.0..HEAD.",
        )
    return DiffSides(_commit(layout, first), _commit(layout, "HEAD"))


def _split_range(revisions: str) -> tuple[str, str, str]:
    text = revisions.strip()
    dots = "..." if "..." in text else ".."
    first, separator, second = text.partition(dots)
    return (first, separator, second) if separator else (text, "", "")


def _old(layout: RepositoryLayout, revision: str) -> str:
    if revision:
        return _commit(layout, revision)
    return resolve_commit(layout.cwd, "HEAD") or empty_tree_id(layout)


def _commit(layout: RepositoryLayout, revision: str) -> str:
    commit = resolve_commit(layout.cwd, revision)
    if commit is None:
        cut = " The clone is shallow: older commits are missing." if is_shallow(layout) else ""
        raise NotFound(
            f"There is no commit {revision[:80]!r} here.{cut}",
            "git fetch --unshallow fetches the rest." if cut else "Check the name with: git log",
        )
    return commit


def _fork(layout: RepositoryLayout, old: str, new: str) -> str:
    """The merge base of two commits, as ``git diff A...B`` uses it."""
    out = run_git(["merge-base", old, new], cwd=layout.cwd, allowed_statuses=(0, 1))
    bases = out.decode("ascii", "replace").split()
    if not bases:
        raise NotFound(
            "These two commits have no common ancestor here.",
            "The clone is shallow: git fetch --unshallow fetches the rest."
            if is_shallow(layout)
            else "Compare them directly, with two dots.",
        )
    return bases[0]


def empty_tree_id(layout: RepositoryLayout) -> str:
    """The id of the tree without files: the state before the first commit."""
    args = ["hash-object", "-t", "tree", "--stdin"]
    return run_git(args, cwd=layout.cwd, stdin=b"").decode("ascii").strip()


def changed_paths(layout: RepositoryLayout, sides: DiffSides) -> list[PathChange]:
    """A PathChange for every path that differs, in git's order; untracked files as added.

    Raises Unavailable where git fails, or a partial clone lacks a file to compare.
    """
    args = ["diff", "--raw", "-z", "--no-abbrev", *_PLAIN, *_ends(sides)]
    with _index(layout, sides) as index:
        out = run_git(
            args,
            cwd=layout.cwd,
            timeout=60.0,
            max_bytes=_MOST_OUTPUT,
            config=settings_disabling_filters(layout),
            index_file=index,
        )
    changed = list(parse_raw_diff(out))
    if not sides.new:
        others = ["ls-files", "--others", "--exclude-standard", "-z"]
        names = run_git(others, cwd=layout.cwd, timeout=60.0, max_bytes=_MOST_OUTPUT)
        changed += [PathChange("A", "", decode_path(name)) for name in names.split(b"\0") if name]
    return changed


def parse_raw_diff(git_output: bytes) -> Iterator[PathChange]:
    """Yield the PathChanges in the output of ``git diff --raw -z``, without invalid records."""
    records = iter(git_output.split(b"\0"))
    for record in records:
        fields = record.split(b" ")
        if not record.startswith(b":") or len(fields) != 5:
            continue
        status = fields[4][:1].decode("ascii", "replace")
        path = decode_path(next(records, b""))
        after = decode_path(next(records, b"")) if status in "RC" else path
        blob, new_blob = (_id(field) for field in fields[2:4])
        if status in "AC":  # the source of a copy is unchanged
            yield PathChange("A", "", after, "", new_blob)
        else:
            yield PathChange(status, path, "" if status == "D" else after, blob, new_blob)


def _id(field: bytes) -> str:
    text = field.decode("ascii", "replace")
    return text if text.strip("0") else ""


def changed_hunks(
    layout: RepositoryLayout, sides: DiffSides, changed_files: Iterable[PathChange]
) -> dict[str, tuple[Hunk, ...]]:
    """Path -> the Hunks (line ranges replaced) of a diff in the file, for all of ``changed_files``.

    The path is the old one, for an added file the new one. Files that were only renamed are left
    out; ``patch.WHOLE`` (all lines) stands for a file whose lines git does not compare.
    """
    edited = [change for change in changed_files if not change.has_same_content]
    by_path: dict[str, list[Hunk]] = {}
    # Mostly one call. Both names of a rename go into the same call, else git sees no rename.
    for start in range(0, len(edited), _PATHS_AT_ONCE):
        part = edited[start : start + _PATHS_AT_ONCE]
        for path, hunk in _patch(layout, sides, part):
            by_path.setdefault(path, []).append(hunk)
    return {
        change.old or change.new: tuple(by_path.get(change.old or change.new, ()))
        or _default_hunks(change)
        for change in edited
    }


def _default_hunks(change: PathChange) -> tuple[Hunk, ...]:
    """The hunks of a file that is missing from the patch: git does not compare untracked files."""
    return WHOLE if change.old or change.new_blob else ((Hunk((1, 0), (1, 1 << 31))),)


def _patch(
    layout: RepositoryLayout, between: DiffSides, part: Sequence[PathChange]
) -> Iterator[tuple[str, Hunk]]:
    names = dict.fromkeys(path for change in part for path in change.paths)
    args = ["diff", "-p", *_PATCH, *_PLAIN, *_ends(between)]
    args += [os.fsdecode(encode_path(name)) for name in names]
    config = (("core.quotePath", "false"), *settings_disabling_filters(layout))
    with _index(layout, between) as index:
        yield from parse_patch_hunks(
            stream_git(args, cwd=layout.cwd, config=config, index_file=index)
        )


def _index(layout: RepositoryLayout, between: DiffSides) -> AbstractContextManager[str]:
    """The index to use: a copy that git may refresh where it compares the worktree."""
    return nullcontext("") if between.new else temporary_index_copy(layout)


def _ends(between: DiffSides) -> list[str]:
    cached = ["--cached"] if between.new == ":" else []
    new = [between.new] if between.new not in ("", ":") else []
    return [*cached, "--end-of-options", between.old, *new, "--"]


def changed_line_counts(layout: RepositoryLayout, sides: DiffSides) -> dict[str, tuple[int, int]]:
    """Path -> (lines added, lines removed) of each file in a diff, without binary files.

    The path of a renamed file is the new one.
    """
    args = ["diff", "--numstat", "-z", *_PLAIN, *_ends(sides)]
    with _index(layout, sides) as index:
        out = run_git(
            args,
            cwd=layout.cwd,
            timeout=60.0,
            config=settings_disabling_filters(layout),
            index_file=index,
        )
    return dict(parse_numstat(out))


def patch_lines_by_path(
    layout: RepositoryLayout,
    sides: DiffSides,
    changed_files: Sequence[PathChange],
    max_lines_per_file: int,
) -> tuple[dict[str, list[str]], bool]:
    """Path -> the lines of a file's patch, and whether git finished within 5 seconds and 8 MB.

    The lines are the ``@@`` headings, and changed and context lines with their sign. The path is
    the new one, of a deleted file the old one. Each file has at most ``max_lines_per_file``, and
    one more if it has more; of the files that ``changed_files`` names, at most 400 are read.
    """
    names = [path for change in changed_files for path in change.paths][:_PATHS_AT_ONCE]
    if not names:
        return {}, True
    args = ["diff", "-p", *_TEXT, *_PLAIN, *_ends(sides)]
    args += [os.fsdecode(encode_path(name)) for name in dict.fromkeys(names)]
    config = (("core.quotePath", "false"), *settings_disabling_filters(layout))
    by_path: dict[str, list[str]] = {}
    try:
        with _index(layout, sides) as index:
            chunks = stream_git(
                args, cwd=layout.cwd, timeout=_TEXT_SECONDS, config=config, index_file=index
            )
            for path, line in parse_hunk_lines(_bounded(chunks)):
                lines = by_path.setdefault(path, [])
                if len(lines) <= max_lines_per_file:
                    lines.append(line)
    except Unavailable:
        return by_path, False
    return by_path, len(changed_files) <= _PATHS_AT_ONCE


def _bounded(chunks: Iterable[bytes]) -> Iterator[bytes]:
    size = 0
    for chunk in chunks:
        yield chunk
        size += len(chunk)
        if size > _TEXT_BYTES:
            raise Unavailable("The diff is too long.", "Name one of the changed files.")
