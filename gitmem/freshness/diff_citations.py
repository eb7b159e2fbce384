"""Finding the citations that a diff touches: paths, folders, or where cited code had moved."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence

from gitmem.app import App
from gitmem.errors import InvalidInput
from gitmem.freshness.diff_files import DiffFileVersions
from gitmem.git.diff import PathChange
from gitmem.git.display import encode_path
from gitmem.memory import citations
from gitmem.memory.citations import Citation
from gitmem.memory.freshness import SAME_FILE
from gitmem.model.anchor import CodeAnchor
from gitmem.model.frozen import dataclass
from gitmem.store.db.connection import Database
from gitmem.store.memory import anchors, cited_by
from gitmem.text import code_fingerprint

# Comparisons of code moved before the diff with the files it changes: a second or two.
_MOST_LOOKS = 20_000
_NOTHING = PathChange("", "", "")


@dataclass(frozen=True, slots=True)
class AffectedCitation:
    """A place in the code that a memory cites, and that a diff may change.

    ``memory`` is the memory's id, ``cited`` the citation as written, ``citation`` its parts,
    ``change`` the changed file. ``folder``: the memory cites a folder above that file. ``anchor``
    is the cited code as it was when the memory was confirmed, None if it was not recorded.
    """

    memory: str
    cited: str
    citation: Citation
    change: PathChange
    folder: bool
    anchor: CodeAnchor | None = None


def find_citations_in_diff(
    app: App,
    database: Database,
    path_changes: Sequence[PathChange],
    file_versions: DiffFileVersions,
) -> list[AffectedCitation]:
    """The citations, by any memory, of a file that a diff changes or of a folder above it.

    ``path_changes`` are the changed files; ``file_versions`` reads their old content.
    """
    # Old paths take precedence: two files may have swapped names.
    by_path = {change.old: change for change in path_changes if change.old}
    for change in path_changes:
        by_path.setdefault(change.new, change)
    by_path.pop("", None)
    folders = _folders(by_path)
    hits, apart = [], []
    for memory, cited in cited_by.all_citations(database) if by_path else ():
        for text in cited:
            # A file may be called ``a:1``.
            citation = Citation(text) if text in by_path else _parsed(text)
            path = citation.path.rstrip("/")
            if path in by_path:
                hits.append(AffectedCitation(memory, text, citation, by_path[path], False))
            elif path in folders and citation.is_whole_file:
                hits.append(AffectedCitation(memory, text, citation, by_path[folders[path]], True))
            else:
                apart.append((memory, text, citation))
    known = anchors.anchors_by_memory(database, {hit.memory for hit in hits})
    taken = [_with_anchor(hit, known.get(hit.memory, ())) for hit in hits]
    return taken + _moved(app, database, apart, by_path, file_versions)


def _folders(paths: Mapping[str, PathChange]) -> dict[str, str]:
    """Every folder above a changed path -> the first such path."""
    folders: dict[str, str] = {}
    for path in paths:
        above = path.rpartition("/")[0]
        while above and above not in folders:
            folders[above] = path
            above = above.rpartition("/")[0]
    return folders


def _parsed(cited: str) -> Citation:
    try:
        return citations.parse_citation(cited)
    except InvalidInput:
        return Citation(cited)


def _exists(worktree: str, path: str) -> bool:
    try:
        return os.path.lexists(os.path.join(os.fsencode(worktree), encode_path(path)))
    except ValueError:
        return False


def _with_anchor(hit: AffectedCitation, known: Sequence[CodeAnchor]) -> AffectedCitation:
    own = next((anchor for anchor in known if anchor.cited == hit.cited), None)
    return AffectedCitation(hit.memory, hit.cited, hit.citation, hit.change, hit.folder, own)


def _moved(
    app: App,
    database: Database,
    apart: Sequence[tuple[str, str, Citation]],
    by_path: Mapping[str, PathChange],
    versions: DiffFileVersions,
) -> list[AffectedCitation]:
    """Citations whose code had moved, before the diff, into a file that it changes.

    Candidates are those whose own file is gone, and those last found in such a file.
    """
    sought = list(_moved_candidates(app, database, apart, by_path))
    if not sought:
        return []
    before = {change.old: change for change in by_path.values() if change.blob}
    versions.load_files(before.values())
    own = anchors.anchors_by_memory(database, {memory for memory, _, _ in sought})
    hits = []
    for memory, text, citation in sought[: max(_MOST_LOOKS // max(len(before), 1), 1)]:
        hit = _with_anchor(
            AffectedCitation(memory, text, citation, _NOTHING, False), own.get(memory, ())
        )
        change = _file_with_code(hit.anchor, before.values(), versions)
        if change is not None:
            hits.append(AffectedCitation(memory, text, citation, change, False, hit.anchor))
    return hits


def _moved_candidates(
    app: App,
    database: Database,
    apart: Sequence[tuple[str, str, Citation]],
    by_path: Mapping[str, PathChange],
) -> Iterator[tuple[str, str, Citation]]:
    root = app.layout.worktree
    rows = anchors.cached_anchor_verdicts(
        database, app.worktree, dict.fromkeys(entry[0] for entry in apart)
    )
    for memory, text, citation in apart:
        row = next(
            (candidate for candidate in rows.get(memory, ()) if candidate.anchor.cited == text),
            None,
        )
        moved_to = row.verdict.path if row and row.verdict else ""
        if row and (moved_to in by_path or (root and not _exists(root, row.anchor.path))):
            yield memory, text, citation


def _file_with_code(
    anchor: CodeAnchor | None, changed: Iterable[PathChange], versions: DiffFileVersions
) -> PathChange | None:
    """The changed file that had the code of an anchor before the diff."""
    if anchor is None or not anchor.blob:
        return None
    print = code_fingerprint.from_json(anchor.print)
    for change in changed:
        page = versions.old_text(change)
        if change.blob == anchor.blob or (page is not None and _has_block(print, page)):
            return change
    return None


def _has_block(print: code_fingerprint.Fingerprint, page: code_fingerprint.SearchableText) -> bool:
    if print.is_whole_file:
        return code_fingerprint.fraction_retained(print, page) >= SAME_FILE
    return bool(code_fingerprint.find_block(print, page))
