"""The files of a diff before and after it."""

from collections.abc import Iterable

from gitmem.app import App
from gitmem.git import listing
from gitmem.git.touched import Change, Sides
from gitmem.indexing import admission
from gitmem.operations.ground import LARGEST
from gitmem.text import blocks


class Versions:
    """The files of a diff before and after it, each read once."""

    def __init__(self, app: App, between: Sides) -> None:
        self._app = app
        self._between = between
        self._read: dict[str, blocks.Page | None] = {}
        self._disk: dict[str, blocks.Page | None] = {}

    def load(self, changed: Iterable[Change], *, both: bool = False) -> None:
        """Read the old versions of some changes (``both``: the new too) in one go."""
        from gitmem.git import objects  # noqa: PLC0415 - needs subprocess

        wanted = [one.blob for one in changed]
        wanted += [one.new_blob for one in changed] if both else []
        missing = [id for id in dict.fromkeys(wanted) if id and id not in self._read]
        cwd = self._app.layout.cwd
        sized = objects.sizes(cwd, missing) if missing else {}
        small = {id: size for id, size in sized.items() if size <= LARGEST}
        for id, data in objects.contents(cwd, small):
            self._read[id] = _page(data)

    def old(self, change: Change) -> blocks.Page | None:
        """The text before the diff; None where there is none."""
        return self._read.get(change.blob)

    def new(self, change: Change) -> blocks.Page | None:
        """The text after the diff; None where there is none."""
        if self._between.new:
            return self._read.get(change.new_blob)
        worktree = self._app.layout.worktree
        if change.new not in self._disk and worktree:
            data = listing.read_file(worktree, change.new, LARGEST)
            self._disk[change.new] = None if data is None else _page(data)
        return self._disk.get(change.new)


def _page(data: bytes) -> blocks.Page | None:
    if len(data) > LARGEST or (b"\0" in data and not admission.is_utf16(data)):
        return None
    return blocks.Page(admission.decode(data))
