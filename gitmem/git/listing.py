"""Listing the files that git tracks or would track, with the blob id of their content.

The id of an unchanged file is the one in git's index; a changed or untracked file is read and
hashed as git would, without running its filters. Links are not followed.
"""

# pathlib would cost every run 10 ms:

from __future__ import annotations

import os
import stat

from gitmem.git import plain_config
from gitmem.git.content_filters import settings_disabling_filters
from gitmem.git.display import decode_path, encode_path
from gitmem.git.runner import run_git
from gitmem.model.frozen import dataclass

TYPE_CHECKING = False  # importing typing costs 3 ms; type checkers know this name by itself
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from gitmem.git.layout import RepositoryLayout

LARGEST = 1 << 20
_LINK, _SUBMODULE, _FOLDER, _GONE = "120000", "160000", "040000", "000000"
_UNMERGED = "U"
# In place of a mode: of these the raw difference does not tell what is there.
_UNTOLD = (_FOLDER, _UNMERGED)
_UNTRACKED = ["ls-files", "--others", "--exclude-standard"]
_MOST_OUTPUT = 256 << 20


@dataclass(frozen=True, slots=True)
class FileListing:
    """The files of a worktree, with the git ids of their contents, and why others are left out.

    ``blobs`` maps the path of every regular file to its blob id. ``read_from_disk`` are the paths
    whose content was read from the disk. ``skipped`` maps a path to the reason why it is not in
    ``blobs``: link, submodule, ignored, too large, unreadable, nested repository, or what the
    caller of ``list_files`` gave. ``changed`` are tracked files that differ on the disk or are
    gone.
    """

    blobs: dict[str, str]
    read_from_disk: frozenset[str]
    skipped: dict[str, str]
    changed: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class DifferingFiles:
    """The files that may differ from an earlier commit.

    ``paths`` are all paths that may differ, ``listing`` those that exist now. ``staged`` are the
    files whose content in git's index is not that of HEAD.
    """

    listing: FileListing
    paths: frozenset[str]
    staged: frozenset[str]


def list_files(
    layout: RepositoryLayout,
    explain_refusal: Callable[[str, bool], str],
    *,
    ignore_file: str = "",
    max_bytes: int = LARGEST,
    only_paths: Sequence[str] = (),
) -> FileListing:
    """The FileListing of this worktree; with ``only_paths``, just of these files and folders.

    ``explain_refusal(path, is_tracked)`` returns why a path is to be skipped, or an empty text,
    before the file is read. ``ignore_file`` is a file of further ignore patterns. In a bare
    repository HEAD is listed, in a plain folder (one without git) all files as untracked. Files
    that git has not hashed and that are larger than ``max_bytes`` bytes are skipped. Raises
    GitmemError if git fails.
    """
    if layout.worktree is None:
        return _of_head(layout, explain_refusal)
    ignored = _ignored(layout, ignore_file, only_paths)
    changed = _changed(layout, only_paths)
    untracked = _names(layout, _UNTRACKED, (), only_paths)
    return _listed(
        layout,
        explain_refusal,
        _tracked(layout, only_paths),
        changed,
        untracked,
        ignored,
        max_bytes,
    )


def find_differing_files(
    layout: RepositoryLayout,
    explain_refusal: Callable[[str, bool], str],
    commit: str,
    head_commit: str,
    extra_paths: Collection[str],
    *,
    ignore_file: str = "",
    max_bytes: int = LARGEST,
    limit: int,
) -> DifferingFiles | None:
    """The DifferingFiles, which may differ from an earlier ``commit``, listed as by ``list_files``.

    Those are the files that ``head_commit`` or git's index has otherwise, those that changed on the
    disk, untracked files, and ``extra_paths``. None where there are more than ``limit``, or a merge
    conflict is open. Raises GitmemError if git fails, also if ``commit`` is gone.
    """
    untracked = [*_names(layout, _UNTRACKED, (), ())]
    changed = _changed(layout, ())
    tree = ["-r", "-z", "--no-renames", "--ignore-submodules=none"]
    staged = _raw(
        run_git(["diff-index", "--cached", *tree, head_commit, "--"], cwd=listed_files_root(layout))
    )
    moved = {}
    if commit != head_commit:
        moved = _raw(
            run_git(["diff-tree", *tree, commit, head_commit, "--"], cwd=listed_files_root(layout))
        )
    paths = {*untracked, *changed, *staged, *moved, *extra_paths}
    if len(paths) > limit or any(mode in _UNTOLD for mode, _ in staged.values()):
        return None
    tracked = moved | staged
    if unlisted := sorted((changed | set(extra_paths)) - tracked.keys()):
        whole = _limited_to(["ls-tree", "-r", "-z", "--full-tree", head_commit], unlisted)
        tracked |= {path: (mode, blob) for mode, blob, path in _in_tree(layout, whole)}
    ignored = _ignored(layout, ignore_file, sorted(paths)) if paths else frozenset[str]()
    present = ((mode, blob, path) for path, (mode, blob) in tracked.items() if mode != _GONE)
    listing = _listed(layout, explain_refusal, present, changed, untracked, ignored, max_bytes)
    return DifferingFiles(listing, frozenset(paths), frozenset(staged))


def staged_paths(layout: RepositoryLayout, head_commit: str) -> frozenset[str]:
    """The paths whose content in git's index differs from that in the commit ``head_commit``."""
    args = ["diff-index", "--cached", "--name-only", "--no-renames", "--ignore-submodules=none"]
    return frozenset(_names(layout, [*args, head_commit], (), ()))


def _listed(
    layout: RepositoryLayout,
    refuse: Callable[[str, bool], str],
    tracked: Iterable[tuple[str, str, str]],
    changed: frozenset[str],
    untracked: Iterable[str],
    ignored: frozenset[str],
    max_bytes: int,
) -> FileListing:
    """What is there of tracked files (mode, blob id, path) and untracked ones."""
    blobs: dict[str, str] = {}
    skipped: dict[str, str] = {}
    for mode, blob, path in tracked:
        reason = "ignored" if path in ignored else _by_mode(mode) or refuse(path, True)
        if reason:
            skipped[path] = reason
        else:
            blobs[path] = blob
    loose = {path for path in changed if path in blobs}
    for path in untracked:
        reason = "ignored" if path in ignored else refuse(path, False)
        if reason:
            skipped[path] = reason
        elif path.endswith("/"):
            skipped[path] = "nested repository"
        else:
            loose.add(path)
    algorithm = _algorithm(layout, blobs)
    for path in sorted(loose):
        blob, reason = _hash(listed_files_root(layout), path, algorithm, max_bytes)
        if blob:
            blobs[path] = blob
        else:
            blobs.pop(path, None)
            if reason != "gone":
                skipped[path] = reason
    return FileListing(blobs, frozenset(path for path in loose if path in blobs), skipped, changed)


def files_with_name(layout: RepositoryLayout, name: str) -> list[str]:
    """The paths of all files called ``name``, tracked or not, that git does not ignore."""
    if layout.worktree is None:
        return []
    paths = _names(layout, ["ls-files", "--cached", "--others", "--exclude-standard"], (), ())
    return sorted({path for path in paths if path.rpartition("/")[2] == name})


def file_modes_and_blob_ids(
    layout: RepositoryLayout, commit: str = ""
) -> dict[str, tuple[str, str]]:
    """Path -> (mode, blob id) of the files of a commit; without one, of git's index."""
    args = ["ls-tree", "-r", "-z", "--full-tree", commit]
    listed = _in_tree(layout, args) if commit else _tracked(layout, ())
    return {path: (mode, blob) for mode, blob, path in listed}


def ignored_by_git(layout: RepositoryLayout, paths: Sequence[str]) -> frozenset[str]:
    """Which of ``paths`` the ignore rules match, whether they exist or are tracked or not."""
    if layout.worktree is None or not paths:
        return frozenset()
    done = run_git(
        ["--no-literal-pathspecs", "check-ignore", "--no-index", "-z", "--stdin"],
        cwd=layout.worktree,
        stdin=b"\0".join(encode_path(path) for path in paths),
        allowed_statuses=(0, 1),
    )
    return frozenset(filter(None, decode_path(done).split("\0")))


def read_worktree_file(worktree: str, path: str, max_bytes: int = LARGEST) -> bytes | None:
    """At most ``max_bytes`` + 1 bytes of a regular file of the worktree; None for anything else.

    Also None where a link leads to the file.
    """
    root, name = os.fsencode(worktree), encode_path(path)
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    try:
        if _behind_link(root, name):
            return None
        handle = os.open(os.path.join(root, name), flags)
    except (OSError, ValueError):
        return None
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        return None
    with os.fdopen(handle, "rb") as file:
        return file.read(max_bytes + 1)


def compute_blob_id(content: bytes, algorithm: str = "sha1") -> str:
    """The id (hex) that git gives to a file's content; ``algorithm`` is sha1 or sha256."""
    # Imported here: only files that git has not hashed.
    from gitmem.text import digest  # noqa: PLC0415

    hashed = digest.sha256 if algorithm == "sha256" else digest.sha1
    return hashed(b"blob %d\0" % len(content) + content).hexdigest()


def hash_algorithm_of(object_id: str) -> str:
    """sha1 or sha256: the hash algorithm of an object id, by its length."""
    return "sha256" if len(object_id) == 64 else "sha1"


def content_has_blob_id(content: bytes, blob_id: str) -> bool:
    """Whether content has the given blob id."""
    return compute_blob_id(content, hash_algorithm_of(blob_id)) == blob_id


def _tracked(layout: RepositoryLayout, only: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    """(mode, blob id, path) of the index; of a conflict our side."""
    args = _limited_to(["ls-files", "--stage", "-z"], only)
    out = run_git(args, cwd=layout.cwd, max_bytes=_MOST_OUTPUT)
    for record in decode_path(out).split("\0"):
        if record:
            meta, _, path = record.partition("\t")
            mode, blob, stage = meta.split(" ")
            if stage in ("0", "2"):
                yield mode, blob, path


def _of_head(layout: RepositoryLayout, refuse: Callable[[str, bool], str]) -> FileListing:
    args = ["ls-tree", "-r", "-z", "--full-tree", "HEAD"]
    tracked = _in_tree(layout, args, (0, 128))  # there may be no commit yet
    return _listed(layout, refuse, tracked, frozenset(), (), frozenset(), LARGEST)


def _in_tree(
    layout: RepositoryLayout, args: Sequence[str], ok: tuple[int, ...] = (0,)
) -> Iterator[tuple[str, str, str]]:
    """Mode, blob id and path of the files that ``git ls-tree`` lists."""
    out = run_git(args, cwd=layout.cwd, max_bytes=_MOST_OUTPUT, allowed_statuses=ok)
    for record in decode_path(out).split("\0"):
        if record:
            meta, _, path = record.partition("\t")
            mode, _, blob = meta.split(" ")
            yield mode, blob, path


def _changed(layout: RepositoryLayout, only: Sequence[str]) -> frozenset[str]:
    """The tracked files that differ on the disk, those that are gone included."""
    args = ["diff-files", "--name-only", "--ignore-submodules=all"]
    return frozenset(_names(layout, args, settings_disabling_filters(layout), only))


def _raw(out: bytes) -> dict[str, tuple[str, str]]:
    """Path -> mode and blob id on the newer side of a raw difference; ``U`` for a conflict."""
    fields = decode_path(out).split("\0")
    mode_and_blob = {}
    for meta, path in zip(fields[::2], fields[1::2], strict=False):
        _, mode, _, blob, status = meta.split(" ")
        mode_and_blob[path] = (_UNMERGED if status == _UNMERGED else mode, blob)
    return mode_and_blob


def _by_mode(mode: str) -> str:
    if mode == _LINK:
        return "link"
    return "submodule" if mode == _SUBMODULE else ""


def listed_files_root(layout: RepositoryLayout) -> str:
    """The folder that the paths of listed files are relative to: the worktree's, else git's own."""
    return layout.worktree or layout.cwd


def ls_files_options(layout: RepositoryLayout) -> list[str]:
    """git's options to put before ``ls-files``; empty but in a plain folder (one without git)."""
    # git would not find the empty git directory of a plain folder.
    return (
        ["--git-dir", layout.git_dir, "--work-tree", listed_files_root(layout)]
        if layout.plain
        else []
    )


def _limited_to(args: Sequence[str], only: Sequence[str]) -> list[str]:
    """The arguments, limited to some paths, taken literally."""
    return ["--literal-pathspecs", *args, "--", *only] if only else [*args]


def _names(
    layout: RepositoryLayout,
    args: list[str],
    config: tuple[tuple[str, str], ...],
    only: Sequence[str],
) -> Iterator[str]:
    command = _limited_to([*ls_files_options(layout), *args, "-z"], only)
    out = run_git(
        command, cwd=listed_files_root(layout), config=config, max_bytes=_MOST_OUTPUT, timeout=60.0
    )
    yield from filter(None, decode_path(out).split("\0"))


def _ignored(layout: RepositoryLayout, ignore_file: str, only: Sequence[str]) -> frozenset[str]:
    """Paths, tracked or not, that the further ignore patterns match."""
    place = os.path.join(listed_files_root(layout), ignore_file)
    if not ignore_file or not os.path.isfile(place) or os.path.islink(place):
        return frozenset()
    args = ["ls-files", "--cached", "--others", "--ignored", f"--exclude-from={ignore_file}"]
    return frozenset(_names(layout, args, (), only))


def _hash(worktree: str, path: str, algorithm: str, max_bytes: int) -> tuple[str, str]:
    """Blob id of a file's content on the disk, or the reason why it has none."""
    data = read_worktree_file(worktree, path, max_bytes)
    if data is None:
        return "", _why_not(worktree, path)
    if len(data) > max_bytes:
        return "", "too large"
    return compute_blob_id(data, algorithm), ""


def _why_not(worktree: str, path: str) -> str:
    root, name = os.fsencode(worktree), encode_path(path)
    try:
        mode = os.lstat(os.path.join(root, name)).st_mode
    except (OSError, ValueError):
        return "gone"
    if stat.S_ISLNK(mode) or _behind_link(root, name):
        return "link"
    return "unreadable" if stat.S_ISREG(mode) else "not a regular file"


def _behind_link(root: bytes, path: bytes) -> bool:
    """Whether a folder on the way from the worktree's root to a file is a link."""
    at = path.find(b"/")
    while at > 0:
        if os.path.islink(os.path.join(root, path[:at])):
            return True
        at = path.find(b"/", at + 1)
    return False


def _algorithm(layout: RepositoryLayout, blobs: dict[str, str]) -> str:
    """The repository's hash algorithm, by any of its ids, or by git's configuration."""
    if blobs:
        return hash_algorithm_of(next(iter(blobs.values())))
    config = plain_config.read_config_text(os.path.join(layout.common_dir, "config"))
    return "sha256" if "sha256" in config.lower() else "sha1"
