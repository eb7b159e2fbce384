"""Remembering which files differ from the indexed commit, so that the next run looks only there.

All other files are as in that commit, and git says what changed since. The list is valid only with
the tree state and the rules it was written for; whoever writes rows of a worktree without a whole
run adds to it.
"""

from __future__ import annotations

from collections.abc import Iterable

from gitmem import __version__
from gitmem.app import App
from gitmem.errors import GitmemError
from gitmem.git import listing
from gitmem.git.listing import DifferingFiles, FileListing
from gitmem.git.mtimes import index_file_stamp
from gitmem.indexing import chunkers, file_filter, pipeline
from gitmem.indexing.index_settings import IndexSettings, index_settings
from gitmem.indexing.pipeline import FilesReport
from gitmem.store.code import tree_state
from gitmem.store.code.indexed_files import decode_path_from_database, encode_path_for_database
from gitmem.store.db.content_hash import hash_text

# With more files than this to look at, all are looked at.
MOST = 500
_APART = "//"  # git knows no path that holds it
# What was not read is missing among the rows, and is looked for again.
_UNREAD = frozenset(["changed while read", "content not here"])


def list_differing_files(app: App, settings: IndexSettings) -> DifferingFiles | None:
    """The files that may differ from the index, or None if all files may and must be compared.

    ``settings`` are the current settings of the index. All files but these are surely as indexed.
    None if the index is not complete, was made by other rules, or over 500 files may differ.
    """
    known = tree_state.worktree_index_state(app.store, app.worktree)
    layout, head = app.layout, app.git_head.commit
    noted = tree_state.read_changed_files_list(app.store, app.worktree)
    if known is None or known.state != "whole" or not (known.head and head and noted):
        return None
    basis, _, *paths = noted.split(_APART)
    if basis != _basis(known.stamp, app, settings):
        return None
    also = frozenset(map(decode_path_from_database, filter(None, paths)))
    try:
        return listing.find_differing_files(
            layout,
            settings.refusal_reason,
            known.head,
            head,
            also,
            ignore_file=pipeline.name_of_ignore_file(app.layout),
            max_bytes=settings.largest,
            limit=MOST,
        )
    except GitmemError:
        return None  # the indexed commit is gone, or a partial clone lacks its trees


def serialise_differing_files(
    app: App,
    index_run_stamp: str,
    file_listing: FileListing,
    compared_files: DifferingFiles | None,
    files_report: FilesReport,
) -> str:
    """The list of files that differ from the indexed commit, as text for the store.

    For the end of an index run: ``index_run_stamp`` is its ``IndexPlan.stamp``, ``file_listing``
    the files it saw, ``compared_files`` the files it compared (None: all), ``files_report`` what it
    did. "" if over 500 files differ or git cannot say; then the next run compares all files.
    """
    head, layout = app.git_head.commit, app.layout
    if not head or layout.worktree is None or layout.plain:
        return ""
    if pipeline.TOO_MANY in files_report.left_out.values():
        return ""
    try:
        staged = compared_files.staged if compared_files else listing.staged_paths(layout, head)
    except GitmemError:
        return ""
    if not compared_files and index_file_stamp(layout) != index_run_stamp.partition("@")[0]:
        return ""  # git's index changed meanwhile
    unread = {path for path, why in files_report.left_out.items() if why in _UNREAD}
    paths = staged | file_listing.changed | file_listing.read_from_disk | unread
    if len(paths) > MOST:
        return ""
    names = (
        encode_path_for_database(path)
        for path in sorted(paths)
        if not file_filter.path_contains_secret(path)
    )
    return _APART.join([_basis(index_run_stamp, app, index_settings(app.settings)), "0", *names])


def add_differing_paths(app: App, paths: Iterable[str]) -> None:
    """Add paths to the stored list of files that may differ from the indexed commit.

    To be called before these files are indexed alone, outside a run over all files. A run that is
    under way sees that the list changed and does not replace it.
    """
    basis, number, *known = (
        tree_state.read_changed_files_list(app.store, app.worktree) or "//0"
    ).split(_APART)
    more = [
        encode_path_for_database(path)
        for path in paths
        if not file_filter.path_contains_secret(path)
    ]
    names = dict.fromkeys([*known, *more])
    if len(names) > MOST:
        basis, names = "", {}  # the next run looks at all
    text = _APART.join([basis, str(int(number) + 1), *names])
    with app.store.write():
        tree_state.save_changed_files_list(app.store, app.worktree, text)


def _basis(stamp: str, app: App, settings: IndexSettings) -> str:
    """What a note is valid for: the run's stamp, and a hash of the rules by which files are chosen
    and split."""
    data = listing.read_worktree_file(app.worktree, pipeline.name_of_ignore_file(app.layout))
    rules = f"{file_filter.filter_rules_fingerprint()} {chunkers.chunking_rules_fingerprint()}"
    rules = f"{__version__} {settings} {rules} {data!r}"
    return f"{stamp} {hash_text(rules).hex()}"
