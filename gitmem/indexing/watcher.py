"""Waiting for changes on the disk that concern the index.

``may_change_index`` decides by the path alone. The watching is done by watchfiles (Rust), which is
loaded only then.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress

from gitmem.errors import GitmemError, Unavailable
from gitmem.git import listing
from gitmem.git.display import decode_path
from gitmem.git.layout import RepositoryLayout
from gitmem.git.runner import run_git
from gitmem.indexing import file_filter
from gitmem.indexing.pipeline import name_of_ignore_file
from gitmem.model.frozen import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from threading import Event

# Milliseconds without a change before a group of changes is handed on, the longest
# that a group grows under constant change, and the time between two signs of life without any.
QUIET, LONGEST, PULSE = 500, 2_000, 500
# Milliseconds without a change where the drain waits for quiet besides, and until a stop is seen.
STEP = 200
# More paths than this are not checked one by one.
MOST_CHECKED = 100
_STORE_FOLDER = ".gitmem"


@dataclass(frozen=True, slots=True)
class WatchedPaths:
    """The absolute paths that a watch needs, all with ``/``: worktree, git's folders, store.

    ``worktree`` is empty for a bare repository; ``common_dir`` is the git folder that all worktrees
    share, ``store`` the memory database.
    """

    worktree: str
    git_dir: str
    common_dir: str
    store: str


def watched_paths(layout: RepositoryLayout, store_path: str) -> WatchedPaths:
    """The absolute paths of a repository's folders and its store, as a WatchedPaths."""
    named = (layout.worktree or "", layout.git_dir, layout.common_dir, store_path)
    return WatchedPaths(*(_slashes(path) for path in named))


def folders_to_watch(watched: WatchedPaths) -> tuple[str, ...]:
    """The absolute folders to watch, as a tuple; none of them is inside another."""
    folders = [path for path in (watched.worktree, watched.git_dir, watched.common_dir) if path]
    outer = [path for path in folders if not any(_below(path, other) for other in folders)]
    return tuple(dict.fromkeys(outer))


def may_change_index(path: str, watched: WatchedPaths) -> bool:
    """Whether a change of this path may change the index, by its name alone.

    In git's folders only HEAD, the branches and git's index count; in the work tree every file that
    is not excluded by its name.
    """
    path = _slashes(path)
    # The journal's files stand beside the store and are named after it.
    if path.startswith(watched.store):
        return False
    if inside := _below(path, watched.git_dir):
        if inside in ("HEAD", "index"):
            return True
        if watched.git_dir != watched.common_dir:
            return False
    if inside := _below(path, watched.common_dir):
        branch = inside.startswith(("refs/heads/", "reftable/")) or inside == "packed-refs"
        return branch and not inside.endswith(".lock")
    inside = _below(path, watched.worktree) if watched.worktree else ""
    if not inside or inside.split("/")[0] in (".git", _STORE_FOLDER):
        return False
    return not file_filter.name_refusal_reason(inside)


def has_indexable_path(
    layout: RepositoryLayout, watched: WatchedPaths, paths: Sequence[str]
) -> bool:
    """Whether the rules of git and .gitmemignore let any of the changed ``paths`` be indexed."""
    if not paths:
        return False
    inner = [_below(_slashes(path), watched.worktree) for path in paths] if watched.worktree else []
    files = [path for path in inner if path and path.split("/")[0] != ".git"]
    if len(files) < len(paths) or len(files) > MOST_CHECKED:
        return True
    return not _ignored(layout, files) >= set(files)


def watch_change_batches(watched: WatchedPaths, quiet_ms: int = QUIET) -> Iterator[tuple[str, ...]]:
    """Yield tuples of changed absolute paths, without end.

    A tuple comes when nothing changed for ``quiet_ms`` milliseconds. The first, which may be empty,
    says that the watch has begun; further empty ones come now and then. Raises Unavailable if
    watchfiles cannot be loaded or the system refuses to watch so much, and KeyboardInterrupt at
    Ctrl-C.
    """
    try:
        from watchfiles import watch  # noqa: PLC0415 - 70 ms of CPU
    except ImportError as error:
        raise Unavailable(
            "Watching needs the package watchfiles, which cannot be loaded.",
            "Install it: pip install watchfiles. Without it, git hooks and `gitmem index` keep the "
            "index up to date.",
        ) from error
    found = watch(
        *folders_to_watch(watched),
        watch_filter=lambda _change, path: may_change_index(path, watched),
        debounce=max(LONGEST, quiet_ms),
        step=quiet_ms,
        rust_timeout=PULSE,
        yield_on_timeout=True,
        ignore_permission_denied=True,
    )
    try:
        for changes in found:
            yield tuple(sorted(path for _change, path in changes))
    except OSError as error:
        raise Unavailable(
            f"The system does not let gitmem watch these folders: {error}.",
            "On Linux raise fs.inotify.max_user_watches, or set WATCHFILES_FORCE_POLLING=1.",
        ) from error


def watch_direct_changes(
    folders: Iterable[str], watched: WatchedPaths, stop_event: Event
) -> Iterator[tuple[str, ...]]:
    """Yield tuples of paths changed directly in some folders, until ``stop_event`` is set.

    Folders below them are not watched. Raises Unavailable if watchfiles cannot be loaded, OSError
    if the system refuses to watch so much.
    """
    try:
        from watchfiles import watch  # noqa: PLC0415 - 70 ms of CPU
    except ImportError as error:
        raise Unavailable(
            "The package watchfiles cannot be loaded.", "Install it: pip install watchfiles"
        ) from error
    found = watch(
        *folders,
        watch_filter=lambda _change, path: may_change_index(path, watched),
        debounce=LONGEST,
        step=STEP,
        stop_event=stop_event,
        rust_timeout=0,
        raise_interrupt=False,
        recursive=False,
        # Polling would cost more than looking when somebody asks.
        force_polling=False,
        ignore_permission_denied=True,
    )
    for changes in found:
        yield tuple(sorted(path for _change, path in changes))


def unignored_paths(
    layout: RepositoryLayout, watched: WatchedPaths, paths: Sequence[str]
) -> list[str]:
    """The changed paths, relative to the worktree, that neither git nor .gitmemignore ignores."""
    inner = [_below(_slashes(path), watched.worktree) for path in paths]
    files = [path for path in inner if path and path.split("/")[0] != ".git"]
    if not 0 < len(files) <= MOST_CHECKED:
        return files
    folders = [path for path in files if os.path.isdir(os.path.join(watched.worktree, path))]
    hidden = _ignored(layout, files) | (_ignored_folders(layout, folders) if folders else set())
    return [path for path in files if path not in hidden]


def _ignored_folders(layout: RepositoryLayout, folders: Sequence[str]) -> set[str]:
    """Those of some folders that git ignores with all their content."""
    options = ["--others", "--ignored", "--exclude-standard", "--directory"]
    args = [*listing.ls_files_options(layout), "ls-files", "-z", *options, "--", *folders]
    with suppress(GitmemError):
        out = run_git(args, cwd=listing.listed_files_root(layout), allowed_statuses=(0, 128))
        return {decode_path(name).rstrip("/") for name in out.split(b"\0") if name}
    return set()


def _ignored(layout: RepositoryLayout, files: Sequence[str]) -> set[str]:
    root, where = listing.listed_files_root(layout), listing.ls_files_options(layout)
    options = [["--others", "--exclude-standard"]]
    if os.path.isfile(os.path.join(root, ignored := name_of_ignore_file(layout))):
        options.append(["--cached", "--others", f"--exclude-from={ignored}"])
    found: set[str] = set()
    for which in options:
        # 128: a path inside a submodule. It is then not ignored, and the refresh finds no news.
        args = [*where, "ls-files", "-z", "--ignored", *which, "--", *files]
        # Where git fails for another reason, the refresh will tell.
        with suppress(GitmemError):
            out = run_git(args, cwd=root, allowed_statuses=(0, 128))
            found |= {decode_path(name) for name in out.split(b"\0") if name}
    return found


def _below(path: str, folder: str) -> str:
    """The path inside a folder, empty where it is not inside."""
    return path[len(folder) + 1 :] if path.startswith(folder + "/") else ""


def _slashes(path: str) -> str:
    return path.replace(os.sep, "/")
