"""Making the anchors of a memory from the cited files, as they are in the worktree now.

Called before the transaction that stores the memory, so that an invalid citation leaves nothing
half-written. Files are only read: inside the worktree, without following links.
"""

import os
from collections.abc import Sequence

from gitmem.app import App
from gitmem.errors import InvalidInput
from gitmem.freshness.worktree import FileContent, WorktreeFiles
from gitmem.git.display import encode_path
from gitmem.indexing import file_filter
from gitmem.memory import citations
from gitmem.memory.citations import Citation
from gitmem.model.anchor import CodeAnchor
from gitmem.model.frozen import dataclass, replace
from gitmem.model.memory import Memory
from gitmem.text import code_fingerprint
from gitmem.text.code_fingerprint import Fingerprint
from gitmem.text.quantity import quantity

# Lines on either side that may show that the cited lines are part of a secret.
_AROUND = 200
_OURS = (".git", ".gitmem")
# The fingerprint of files that cannot be read or are not text.
_NO_PRINT = Fingerprint(0, "", "", "", (), (), (), 0)


@dataclass(frozen=True, slots=True)
class AnchoringResult:
    """The places in code that a memory cites (``anchors``), with the code as it is now.

    ``notes`` are sentences for its author, such as on a file that does not exist.
    """

    anchors: tuple[CodeAnchor, ...]
    notes: tuple[str, ...] = ()


def make_code_anchors(
    app: App, memory: Memory, *, existing_anchors: Sequence[CodeAnchor] = ()
) -> AnchoringResult:
    """Read the code that a memory cites, as it is now, for later comparison.

    There is an anchor for each path, lines or symbol cited. Citations with an anchor in
    ``existing_anchors`` keep it: editing a memory does not confirm its code. Raises InvalidInput
    for lines beyond the end of a file, lines of a binary file and symbols that are not defined.
    """
    if memory.scope == "global":
        return AnchoringResult(())
    view = WorktreeFiles(app)
    before = {anchor.cited: anchor for anchor in existing_anchors}
    renewed: list[CodeAnchor] = []
    notes: list[str] = []
    for cited in memory.paths:
        anchor, note = before.get(cited), ""
        if anchor is None:
            anchor, note = _anchor(view, cited)
        if anchor is not None:
            renewed.append(replace(anchor, number=len(renewed) + 1))
        if note:
            notes.append(note)
    return AnchoringResult(tuple(renewed), tuple(notes))


def _anchor(view: WorktreeFiles, cited: str) -> tuple[CodeAnchor | None, str]:
    """The anchor for a citation, None for a folder; and a note about it."""
    citation = _citation(view, cited)
    bare = _anchor_without_print(view, citation, cited)
    read = view.file_content(citation.path)
    why = _why_unread(view, citation, read)
    if not why and read.data is None:
        if not citation.is_whole_file:
            raise InvalidInput(
                f"{citation.path} is a folder.", "Cite a file in it, or only the folder."
            )
        return None, ""
    if why:
        return (
            bare,
            f"{citation.path} {why}, so gitmem cannot check later whether this still holds.",
        )
    print, lines = _fingerprint(view, citation, read)
    first, last = lines or (None, None)
    blob = view.blob_id(citation.path)
    stored = code_fingerprint.to_json(print)
    return replace(bare, first_line=first, last_line=last, blob=blob, print=stored), ""


def _citation(view: WorktreeFiles, cited: str) -> Citation:
    """The parsed citation; a file may really be called ``a:1`` or ``a::b``."""
    whole = Citation(cited.rstrip("/") or cited)
    if ":" not in cited or view.file_content(whole.path).data is not None:
        return whole
    return citations.parse_citation(cited)


def _anchor_without_print(view: WorktreeFiles, citation: Citation, cited: str) -> CodeAnchor:
    """An anchor without a fingerprint, which cannot be judged."""
    app = view.app
    return CodeAnchor(
        number=1,
        cited=cited,
        path=citation.path,
        first_line=citation.first_line,
        last_line=citation.last_line,
        symbol=citation.symbol,
        blob="",
        commit=app.git_head.commit or "",
        print=code_fingerprint.to_json(_NO_PRINT),
        at=app.now,
    )


def _why_unread(view: WorktreeFiles, citation: Citation, read: FileContent) -> str:
    """Why cited code gets no fingerprint, in words; empty where it does, and for a folder."""
    folders = citation.path.split("/")
    if folders[0] in _OURS:
        return "belongs to git or gitmem and is never read"
    if _in_repository(view, folders):
        return "is in a submodule, whose files have a history of their own"
    if file_filter.name_refusal_reason(citation.path, True) == "secret":
        return "has a name that suggests secrets and is never read"
    if read.is_too_large:
        return "is larger than 8 MB and is not read completely"
    if read.gone:
        at = os.path.join(os.fsencode(view.root), encode_path(citation.path))
        return "" if os.path.isdir(at) else "is not in this worktree"
    return f"is not read ({read.problem})" if read.problem else ""


def _in_repository(view: WorktreeFiles, folders: Sequence[str]) -> bool:
    """Whether any of these folders is a repository of its own."""
    root = os.fsencode(view.root)
    for depth in range(1, len(folders) + 1):
        at = encode_path("/".join([*folders[:depth], ".git"]))
        if os.path.lexists(os.path.join(root, at)):
            return True
    return False


def _fingerprint(
    view: WorktreeFiles, citation: Citation, read: FileContent
) -> tuple[Fingerprint, tuple[int, int] | None]:
    """The fingerprint of the cited code, and its lines. Raises InvalidInput."""
    page = view.searchable_text(citation.path)
    if page is None:
        if citation.is_whole_file:
            return _NO_PRINT, None
        raise InvalidInput(
            f"{citation.path} is a binary file: it has no lines.", "Cite the whole file."
        )
    if citation.is_whole_file:
        return code_fingerprint.fingerprint_of_file(page.text), None
    lines = page.text.removesuffix("\n").split("\n")
    first, last = _span(view, citation, lines, read)
    around = "\n".join(lines[max(first - _AROUND, 0) : last + _AROUND])
    print = code_fingerprint.fingerprint_of_block(lines[first - 1 : last], around)
    if not print.size:
        raise InvalidInput(
            f"There is only whitespace in {citations.format_citation(citation)}.",
            "Cite lines with content.",
        )
    while not lines[first - 1].strip():
        first += 1
    while not lines[last - 1].strip():
        last -= 1
    return print, (first, last)


def _span(
    view: WorktreeFiles, citation: Citation, lines: Sequence[str], read: FileContent
) -> tuple[int, int]:
    """The cited lines. Raises InvalidInput where they do not exist."""
    if citation.symbol:
        # Imported here: most citations name no symbol.
        from gitmem.freshness import definitions  # noqa: PLC0415

        first, last = definitions.lines_of_cited_definition(view, citation, read)
        return first, min(last, len(lines))
    assert citation.first_line is not None and citation.last_line is not None
    if citation.last_line > len(lines):
        raise InvalidInput(
            f"{citation.path} has {quantity(len(lines), 'line')}; "
            f"{citations.format_citation(citation)} is beyond its end.",
            "Look at the file, and cite lines that it has.",
        )
    return citation.first_line, citation.last_line
