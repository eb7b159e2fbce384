"""Finding the commit that removed the code a memory cites, and the names missing since."""

from gitmem.app import App
from gitmem.freshness.worktree import WorktreeFiles
from gitmem.git import blobs, changed_files
from gitmem.indexing import file_filter
from gitmem.memory.freshness import SAME_FILE
from gitmem.model.anchor import CitedCodeVerdict, CodeAnchor
from gitmem.text import code_fingerprint
from gitmem.text.code_fingerprint import Fingerprint

MOST = 50


def first_commit_without_code(repository_folder: str, anchor: CodeAnchor) -> str:
    """The id of the first commit in which the cited file no longer had the cited code, or "".

    ``anchor`` is the cited code with its path. Only the last 50 commits of the file are read.
    """
    changes = changed_files.versions_of_path(
        repository_folder, anchor.path, since=anchor.commit, limit=MOST
    )
    having = _blobs_with(repository_folder, anchor, {blob for _, blob in changes if blob})
    after = ""
    for commit, blob in changes:
        if blob in having:
            return after
        after = commit
    # None has it: the oldest one removed it, if it was the first after the anchor was made.
    known = bool(anchor.commit) and len(changes) < MOST
    return after if known and _was_in_commit(repository_folder, anchor) else ""


def missing_cited_names(
    app: App, anchor: CodeAnchor, verdict: CitedCodeVerdict, max_names: int = 3
) -> tuple[str, ...]:
    """At most ``max_names`` names in the cited code that its file no longer has, longest first.

    ``anchor`` is the cited code, read by ``anchors.anchors_by_memory``, ``verdict`` says where it
    is.
    """
    page = WorktreeFiles(app).searchable_text(verdict.path or anchor.path)
    print = code_fingerprint.from_json(anchor.print)
    return code_fingerprint.missing_names(print, page.text)[:max_names] if page else ()


def _was_in_commit(cwd: str, anchor: CodeAnchor) -> bool:
    """Whether the commit of the anchor still exists, and had the cited code."""
    before = changed_files.versions_of_path(cwd, anchor.path, until=anchor.commit, limit=1)
    return any(blob in _blobs_with(cwd, anchor, {blob}) for _, blob in before)


def _blobs_with(cwd: str, anchor: CodeAnchor, candidates: set[str]) -> set[str]:
    """Which of some blobs have the block, or most of the file."""
    print = code_fingerprint.from_json(anchor.print)
    sized = blobs.blob_sizes(cwd, sorted(candidates))
    fitting = {blob: size for blob, size in sized.items() if size <= file_filter.LARGEST}
    return {
        blob
        for blob, data in blobs.read_blobs(cwd, fitting)
        if blob == anchor.blob or _has_block(print, data)
    }


def _has_block(print: Fingerprint, data: bytes) -> bool:
    text = file_filter.decode_text(data)
    if print.is_whole_file:
        return code_fingerprint.fraction_retained(print, text) >= SAME_FILE
    return bool(code_fingerprint.find_block(print, text))
