"""What in the code a memory stands on, and whether that still stands."""

from __future__ import annotations

from gitmem.model.frozen import dataclass

# From the best to the worst; a memory is the worst of its anchors, ``none`` without any.
VERDICTS = ("fresh", "moved", "unknown", "changed", "gone")
STALE = frozenset(("changed", "gone"))


@dataclass(frozen=True, slots=True)
class Anchor:
    """One place that a memory cites, and what stood there when it was last taken for true.

    ``cited`` is what the memory says: ``src/app.py``, ``src/app.py:40-60``,
    ``src/app.py::Server.start``. Lines count from 1, both ends included, None for a whole file.
    ``blob`` is git's id of the file's content then, empty where there was no file; ``commit`` is
    HEAD then, a hint only. ``print`` is the fingerprint of the lines (``text.code_fingerprint``) as
    JSON.
    """

    number: int
    cited: str
    path: str
    first_line: int | None
    last_line: int | None
    symbol: str
    blob: str
    commit: str
    print: str
    at: int


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether an anchor still stands in a worktree: one of ``VERDICTS``.

    ``path`` and lines say where it stands now (for ``changed`` where it was looked for), ``commit``
    which commit changed it, as far as known, ``reason`` the same in words.
    """

    number: int
    cited: str
    verdict: str
    path: str = ""
    first_line: int | None = None
    last_line: int | None = None
    commit: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Freshness:
    """What a memory is worth in a worktree: the worst of its anchors, ``none`` without any."""

    freshness: str
    anchors: tuple[Verdict, ...] = ()

    @property
    def stale(self) -> bool:
        """Whether something it stands on has changed or gone: to be checked first."""
        return self.freshness in STALE
