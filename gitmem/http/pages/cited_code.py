"""The code that a memory cites: as it was when it was written, and as it is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gitmem.app import App
from gitmem.freshness.worktree import WorktreeFiles
from gitmem.git import blobs
from gitmem.http.pages import differences
from gitmem.model.anchor import CodeAnchor
from gitmem.store.db.connection import Database
from gitmem.store.memory import anchors
from gitmem.text.redact import redact

# Citations that are shown with their code, lines of each, bytes of a file.
_MOST, _LINES, _LARGEST = 6, 60, 2 << 20
# Lines shown around the cited ones.
_AROUND = 2


def cited_code_then_and_now(
    app: App, database: Database, memory_id: str, anchor_verdicts: list[dict[str, Any]]
) -> list[dict[str, Any]]:
    """The code that a memory cites, as it was when cited and as it is now.

    Returns the dicts ``anchor_verdicts``, which say whether each cited place changed, with keys
    added: ``then`` and ``now`` are lists of lines (dicts: number, mark, parts), ``at`` is the
    commit of the former. ``then`` is empty for unchanged code; where both are empty, ``note`` says
    why.
    """
    anchor_by_number = {
        a.number: a for a in anchors.anchors_by_memory(database, [memory_id]).get(memory_id, [])
    }
    former = _former(app, list(anchor_by_number.values())[:_MOST])
    view = WorktreeFiles(app)
    return [
        {**verdict, **_sides(view, anchor_by_number.get(verdict["number"]), verdict, former)}
        for verdict in anchor_verdicts
    ]


def _former(app: App, cited: list[CodeAnchor]) -> Mapping[str, str]:
    """The text of each cited file, by blob, as it was."""
    if app.layout.worktree is None:
        return {}
    names = sorted({anchor.blob for anchor in cited if anchor.blob})
    sizes = blobs.blob_sizes(app.layout.cwd, names).items()
    small = {blob: size for blob, size in sizes if size <= _LARGEST}
    return {blob: _text(data) for blob, data in blobs.read_blobs(app.layout.cwd, small)}


def _text(data: bytes) -> str:
    return redact(data.decode("utf-8", "replace")).text


def _sides(
    view: WorktreeFiles,
    anchor: CodeAnchor | None,
    verdict: dict[str, Any],
    former: Mapping[str, str],
) -> dict[str, Any]:
    data = view.file_content(verdict["path"] or (anchor.path if anchor else "")).data
    now = _text(data).splitlines() if data is not None and len(data) <= _LARGEST else []
    old = former.get(anchor.blob, "").splitlines() if anchor else []
    if anchor is None or not (old or now):
        return {"then": [], "now": [], "at": "", "note": _why_none(verdict)}
    base = {"at": anchor.commit[:10], "note": ""}
    if verdict["verdict"] in ("fresh", "moved"):
        lines = _window(now, verdict["first_line"], verdict["last_line"])
        return {**base, "then": [], "now": lines}
    if not old:
        lines = _window(now, verdict["first_line"], verdict["last_line"])
        return {**base, "then": [], "now": lines, "note": "The former text is not in git."}
    first, last = _around(anchor.first_line, anchor.last_line, len(old))
    start, end = _around(verdict["first_line"], verdict["last_line"], len(now))
    if anchor.first_line is not None and verdict["first_line"] is None:
        start, end = differences.replacing_line_range(old, now, first, last)
    then, after = differences.diff_lines(
        old[first - 1 : last], now[start - 1 : end], first, start, _LINES
    )
    return {**base, "then": then, "now": after}


def _why_none(verdict: dict[str, Any]) -> str:
    if verdict["verdict"] == "gone":
        return "The file is gone."
    if verdict["verdict"] == "unknown":
        return ""
    return "The code is not shown: no text, or too large."


def _around(first: int | None, last: int | None, count: int) -> tuple[int, int]:
    if first is None:
        return 1, count
    return max(1, first - _AROUND), min(count, (last or first) + _AROUND)


def _window(lines: list[str], first: int | None, last: int | None) -> list[dict[str, Any]]:
    """The cited lines, marked, with some around; nothing for a whole file."""
    if first is None:
        return []
    start, end = _around(first, last, len(lines))
    return [
        differences.code_line(
            number, lines[number - 1], "cited" if first <= number <= (last or first) else "same"
        )
        for number in range(start, min(end, start + _LINES) + 1)
    ]
