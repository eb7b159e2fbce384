"""Taking down what a memory stands on: the cited files of the work tree, as they are now.

Called before the transaction that stores the memory, so that a citation that cannot be leaves
nothing half-written. Files are only read: inside the work tree, and following no link.
"""

import os
from collections.abc import Sequence

from gitmem.app import App
from gitmem.errors import InvalidInput
from gitmem.freshness.worktree import Ground, Look
from gitmem.git.display import encode_path
from gitmem.indexing import file_filter
from gitmem.memory import citations
from gitmem.memory.citations import Citation
from gitmem.model.anchor import Anchor
from gitmem.model.frozen import dataclass, replace
from gitmem.model.memory import Memory
from gitmem.text import code_fingerprint
from gitmem.text.code_fingerprint import Print

# Lines on either side that tell whether what is cited is part of a secret.
_AROUND = 200
_OURS = (".git", ".gitmem")
# Of what cannot be read, or is no text.
_NO_PRINT = Print(0, "", "", "", (), (), (), 0)


@dataclass(frozen=True, slots=True)
class Made:
    """The anchors of a memory, and what its writer should know about them, in sentences."""

    anchors: tuple[Anchor, ...]
    notes: tuple[str, ...] = ()


def made(app: App, memory: Memory, *, kept: Sequence[Anchor] = ()) -> Made:
    """The anchors for what a memory cites, as the work tree is now.

    A citation that one of the ``kept`` anchors has already keeps that one: editing a memory does
    not say that its place still holds. Raises InvalidInput for lines beyond the end of a file,
    lines of a binary file and symbols that are not defined.
    """
    if memory.scope == "global":
        return Made(())
    ground = Ground(app)
    before = {one.cited: one for one in kept}
    found: list[Anchor] = []
    notes: list[str] = []
    for cited in memory.paths:
        anchor, note = before.get(cited), ""
        if anchor is None:
            anchor, note = _anchor(ground, cited)
        if anchor is not None:
            found.append(replace(anchor, number=len(found) + 1))
        if note:
            notes.append(note)
    return Made(tuple(found), tuple(notes))


def _anchor(ground: Ground, cited: str) -> tuple[Anchor | None, str]:
    """The anchor for a citation, None for a folder; and what to tell of it."""
    place = _place(ground, cited)
    bare = _bare(ground, place, cited)
    look = ground.look(place.path)
    why = _unread(ground, place, look)
    if not why and look.data is None:
        if not place.whole:
            raise InvalidInput(
                f"{place.path} is a folder.", "Cite a file in it, or only the folder."
            )
        return None, ""
    if why:
        return bare, f"{place.path} {why}, so gitmem cannot check later whether this still holds."
    print, lines = _taken(ground, place, look)
    first, last = lines or (None, None)
    blob = ground.blob(place.path)
    stored = code_fingerprint.to_json(print)
    return replace(bare, first_line=first, last_line=last, blob=blob, print=stored), ""


def _place(ground: Ground, cited: str) -> Citation:
    """The citation as it is meant: a file may be called ``a:1`` or ``a::b``."""
    whole = Citation(cited.rstrip("/") or cited)
    if ":" not in cited or ground.look(whole.path).data is not None:
        return whole
    return citations.parse(cited)


def _bare(ground: Ground, place: Citation, cited: str) -> Anchor:
    """An anchor by which nothing can be told."""
    app = ground.app
    return Anchor(
        number=1,
        cited=cited,
        path=place.path,
        first_line=place.first_line,
        last_line=place.last_line,
        symbol=place.symbol,
        blob="",
        commit=app.head.commit or "",
        print=code_fingerprint.to_json(_NO_PRINT),
        at=app.now,
    )


def _unread(ground: Ground, place: Citation, look: Look) -> str:
    """Why what is cited is not taken down, in words; empty where it is, and for a folder."""
    folders = place.path.split("/")
    if folders[0] in _OURS:
        return "belongs to git or gitmem and is never read"
    if _in_repository(ground, folders):
        return "is in a submodule, whose files have a history of their own"
    if file_filter.refuse_name(place.path, True) == "secret":
        return "has a name that suggests secrets and is never read"
    if look.large:
        return "is larger than 8 MB and is not read completely"
    if look.gone:
        at = os.path.join(os.fsencode(ground.root), encode_path(place.path))
        return "" if os.path.isdir(at) else "is not in this worktree"
    return f"is not read ({look.problem})" if look.problem else ""


def _in_repository(ground: Ground, folders: Sequence[str]) -> bool:
    """Whether a path is, or is in, a folder with a repository of its own."""
    root = os.fsencode(ground.root)
    for depth in range(1, len(folders) + 1):
        at = encode_path("/".join([*folders[:depth], ".git"]))
        if os.path.lexists(os.path.join(root, at)):
            return True
    return False


def _taken(ground: Ground, place: Citation, look: Look) -> tuple[Print, tuple[int, int] | None]:
    """The fingerprint of what is cited, and its lines. Raises InvalidInput."""
    page = ground.page(place.path)
    if page is None:
        if place.whole:
            return _NO_PRINT, None
        raise InvalidInput(
            f"{place.path} is a binary file: it has no lines.", "Cite the whole file."
        )
    if place.whole:
        return code_fingerprint.of_file(page.text), None
    lines = page.text.removesuffix("\n").split("\n")
    first, last = _span(ground, place, lines, look)
    around = "\n".join(lines[max(first - _AROUND, 0) : last + _AROUND])
    print = code_fingerprint.of_block(lines[first - 1 : last], around)
    if not print.size:
        raise InvalidInput(
            f"There is only whitespace in {citations.format(place)}.",
            "Cite lines with content.",
        )
    while not lines[first - 1].strip():
        first += 1
    while not lines[last - 1].strip():
        last -= 1
    return print, (first, last)


def _span(ground: Ground, place: Citation, lines: Sequence[str], look: Look) -> tuple[int, int]:
    """The lines that are cited. Raises InvalidInput where they are not there."""
    if place.symbol:
        # Imported here: most citations name no symbol.
        from gitmem.freshness import definitions  # noqa: PLC0415

        first, last = definitions.lines(ground, place, look)
        return first, min(last, len(lines))
    assert place.first_line is not None and place.last_line is not None
    if place.last_line > len(lines):
        count = "1 line" if len(lines) == 1 else f"{len(lines)} lines"
        raise InvalidInput(
            f"{place.path} has {count}; {citations.format(place)} is past its end.",
            "Look at the file, and cite lines that it has.",
        )
    return place.first_line, place.last_line
