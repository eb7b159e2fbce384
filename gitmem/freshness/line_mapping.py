"""Mapping cited lines of a file to their present lines, after they were changed."""

import difflib

from gitmem.app import App
from gitmem.git import blobs, listing
from gitmem.model.anchor import CodeAnchor

_MOST_LINES = 20_000


def current_lines_of_citation(
    app: App, anchor: CodeAnchor, current_path: str
) -> tuple[int, int] | None:
    """The (first, last) line where the lines that a memory cites are now, after edits.

    ``anchor`` is the cited code as it was, ``current_path`` the file's present path. None where the
    lines were removed, or git lacks the old file.
    """
    if anchor.first_line is None or anchor.last_line is None or app.layout.worktree is None:
        return None
    new = listing.read_worktree_file(app.layout.worktree, current_path)
    sized = blobs.blob_sizes(app.layout.cwd, [anchor.blob])
    old = next((data for _, data in blobs.read_blobs(app.layout.cwd, sized)), None)
    if new is None or old is None or max(len(old), len(new)) > listing.LARGEST:
        return None
    return map_line_range(_lines(old), _lines(new), (anchor.first_line, anchor.last_line))


def map_line_range(
    old_lines: list[bytes], new_lines: list[bytes], line_range: tuple[int, int]
) -> tuple[int, int] | None:
    """The (first, last) line in ``new_lines`` of a span of ``old_lines``; lines count from 1.

    A replaced part corresponds to all that replaced it. None where nothing is left of the span, or
    a file has over 20,000 lines.
    """
    if max(len(old_lines), len(new_lines)) > _MOST_LINES:
        return None
    low, high = line_range[0] - 1, line_range[1]
    stretches: list[tuple[int, int]] = []
    matcher = difflib.SequenceMatcher(None, old_lines, new_lines, autojunk=False)
    for tag, a, b, c, d in matcher.get_opcodes():
        if tag == "equal":
            first, last = max(a, low), min(b, high)
            if first < last:
                stretches.append((c + first - a, c + last - a))
        elif c < d and (a < high and low < b if a < b else low < a < high):
            stretches.append((c, d))
    return (stretches[0][0] + 1, stretches[-1][1]) if stretches else None


def _lines(data: bytes) -> list[bytes]:
    # White space is ignored: a re-indented line is the same.
    return [b"".join(line.split()) for line in data.split(b"\n")]
