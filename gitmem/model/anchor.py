"""Anchors, the places in code that a memory cites, and verdicts on whether they are unchanged."""

from __future__ import annotations

from gitmem.model.frozen import dataclass

# From best to worst; a memory has the worst verdict of its anchors, ``none`` without any.
VERDICTS = ("fresh", "moved", "unknown", "changed", "gone")
STALE = frozenset(("changed", "gone"))


@dataclass(frozen=True, slots=True)
class CodeAnchor:
    """A place in the code that a memory cites, with the code as it was when it was last confirmed.

    ``cited`` is the citation: ``src/app.py``, ``src/app.py:40-60`` or ``src/app.py::Server.start``.
    Lines count from 1, both ends included, None for a whole file. ``blob`` is the id of the file's
    content then, empty if there was no file; ``commit`` is HEAD then, only a hint. ``print`` is the
    fingerprint of the lines (``text.code_fingerprint``) as JSON.
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
class CitedCodeVerdict:
    """Whether a worktree still has the code that a memory cites in one place.

    ``verdict`` is one of ``VERDICTS``: fresh, moved, unknown, changed or gone. ``path`` and lines
    are where the code is now; for changed, where it was looked for. ``commit`` is the one that
    changed the code, if known; ``reason`` explains the verdict in words.
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
    """Whether the code that a memory cites is unchanged: the worst verdict on its places.

    ``freshness`` is fresh, moved, unknown, changed or gone, or none if the memory cites no code.
    """

    freshness: str
    anchors: tuple[CitedCodeVerdict, ...] = ()

    @property
    def is_stale(self) -> bool:
        """Whether cited code has changed or is gone, so that the memory needs checking."""
        return self.freshness in STALE
