"""Finding indexed passages again in files that were edited since.

Indexed lines are compared with the file, redacted as a whole like the index. What is shown is
always the present text of the given lines.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence

from gitmem import languages
from gitmem.app import App
from gitmem.git import listing
from gitmem.indexing import file_filter
from gitmem.model.frozen import replace
from gitmem.retrieval.hit_view import HitItem, escape_path
from gitmem.store.code import chunks, indexed_files
from gitmem.store.code.redacted_source import redact_source

# With more changed lines a passage is only searched for as a whole.
MOST_LINES = 4_000
# The share of its lines that a passage has to keep, and how many lines beyond double it may have.
LEAST_LEFT = 0.5
GROWN = 10
# Lines of a definition that are shown where its signature may have changed.
HEAD = 4
# Lines above a definition in which its comment may stand.
ABOVE = 30
EDITED = "edited since the index"


def relocate_hits(
    app: App, items: Sequence[HitItem], content_by_path: Mapping[str, bytes | None]
) -> tuple[tuple[HitItem | None, ...], int]:
    """(the hits at their present lines, the number of files edited since they were indexed).

    A hit whose lines are gone becomes None. ``content_by_path`` maps the displayed paths of files
    that may be edited to their content, None where it cannot be read.
    """
    files = {path: _file(app, path, data) for path, data in content_by_path.items()}
    edited = sum(file is not None for file in files.values())
    found = tuple(
        _relocate(item, file)
        if item.kind in ("code", "note") and (file := files.get(item.path)) is not None
        else item
        for item in items
    )
    return found, edited


def _relocate(item: HitItem, file: EditedFile) -> HitItem | None:

    if item.start_line is None or item.end_line is None:
        return item
    span = item.start_line, item.end_line
    part = item.kind == "note" and file.find_line_containing(item.snippet, span[0])
    if part:
        return replace(item, start_line=part, end_line=part)
    text = item.snippet.split("\n")
    whole = len(text) == span[1] - span[0] + 1
    at = file.exact_current_span(span) or (file.find_block(text, span[0]) if whole else None)
    if at is not None and (not whole or file.current_text(at) == item.snippet):
        shown = item.snippet if whole else file.surviving_signature(text, at)
        also = file.exact_current_spans(item.also)
        return replace(item, start_line=at[0], end_line=at[1], snippet=shown, also=also)
    at = file.approximate_current_span(span)
    if at is None or (
        not whole and item.symbol not in file.current_text((at[0], at[0] + HEAD - 1))
    ):
        return None
    shown = file.current_text(at if whole else (at[0], min(at[1], at[0] + HEAD - 1)))
    return replace(
        item,
        start_line=at[0],
        end_line=at[1],
        snippet=shown,
        symbol=" ".join(name for name in item.symbol.split() if name in shown),
        context=item.context if item.kind == "note" or not whole else "",
        why=(*item.why, EDITED),
        also=file.exact_current_spans(item.also),
    )


class EditedFile:
    """A file's lines as they were indexed and as they are now, to find the former in the latter.

    Lines count from 1; a span is (first, last), both included.
    """

    def __init__(self, old: dict[int, str], new: Sequence[str]) -> None:
        self._new = new
        # Lines that no piece has are blank.
        before = [old.get(line, "") for line in range(1, max(old, default=0) + 1)]
        self._moved = dict(_pairs(before, new))
        self._old = before

    def current_text(self, present_span: tuple[int, int]) -> str:
        """The present text of a span of present lines."""
        return "\n".join(self._new[present_span[0] - 1 : present_span[1]])

    def exact_current_span(self, indexed_span: tuple[int, int]) -> tuple[int, int] | None:
        """The (first, last) line where an indexed span is now; None if any of it changed."""
        first = self._moved.get(indexed_span[0])
        if first is None:
            return None
        by = first - indexed_span[0]
        same = all(
            self._moved.get(line) == line + by
            for line in range(indexed_span[0], indexed_span[1] + 1)
        )
        return (first, indexed_span[1] + by) if same else None

    def find_block(self, block_lines: Sequence[str], near_line: int) -> tuple[int, int] | None:
        """The first and last line where ``block_lines`` are now; None if the file lacks them.

        Of several places, the one nearest to line ``near_line``.
        """
        size = len(block_lines)
        found = [
            index + 1
            for index, line in enumerate(self._new)
            if line == block_lines[0] and list(self._new[index : index + size]) == list(block_lines)
        ]
        first = min(found, key=lambda line: abs(line - near_line), default=None)
        return (
            None
            if first is None or not any(map(str.strip, block_lines))
            else (first, first + size - 1)
        )

    def find_line_containing(self, text: str, near_line: int) -> int:
        """The number of the line nearest to ``near_line`` that contains ``text``, or 0."""
        lines = [number for number, line in enumerate(self._new, 1) if text in line]
        return min(lines, key=lambda line: abs(line - near_line), default=0) if text.strip() else 0

    def surviving_signature(self, lines: Sequence[str], definition_span: tuple[int, int]) -> str:
        """A text: the signature of a definition, and those lines of its comment still in the file.

        ``lines`` are the signature and the comment as indexed, ``definition_span`` the lines of the
        definition now.
        """
        near = self._new[max(definition_span[0] - 1 - ABOVE, 0) : definition_span[1]]
        return "\n".join(
            [lines[0], *(line for line in lines[1:] if any(line in other for other in near))]
        )

    def approximate_current_span(self, indexed_span: tuple[int, int]) -> tuple[int, int] | None:
        """Where an indexed span is now, from its first surviving line to the last.

        None if too few lines survive.
        """
        filled = [
            line for line in range(indexed_span[0], indexed_span[1] + 1) if self._has_text(line)
        ]
        there = [self._moved[line] for line in filled if line in self._moved]
        if not there or len(there) < LEAST_LEFT * len(filled):
            return None
        first, last = there[0], there[-1]
        size = indexed_span[1] - indexed_span[0] + 1
        return (first, last) if last - first < 2 * size + GROWN else None

    def exact_current_spans(self, indexed_span_texts: Iterable[str]) -> tuple[str, ...]:
        """The present lines of several indexed spans; both are texts such as ``3`` or ``3-7``.

        Spans that were changed are left out.
        """
        found = []
        for span in indexed_span_texts:
            first, _, last = span.partition("-")
            at = self.exact_current_span((int(first), int(last or first)))
            if at is not None:
                found.append(f"{at[0]}-{at[1]}" if last else str(at[0]))
        return tuple(found)

    def _has_text(self, line: int) -> bool:
        return line <= len(self._old) and bool(self._old[line - 1].strip())


def _pairs(old: Sequence[str], new: Sequence[str]) -> Iterable[tuple[int, int]]:
    """(old line, new line) of unchanged lines."""
    first = 0
    most = min(len(old), len(new))
    while first < most and old[first] == new[first]:
        first += 1
    last = 0
    while last < most - first and old[-1 - last] == new[-1 - last]:
        last += 1
    yield from ((line, line) for line in range(1, first + 1))
    yield from ((len(old) - back, len(new) - back) for back in range(last))
    before, after = old[first : len(old) - last], new[first : len(new) - last]
    if max(len(before), len(after)) <= MOST_LINES:
        matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
        for a, b, size in matcher.get_matching_blocks():
            yield from ((first + a + n + 1, first + b + n + 1) for n in range(size))


def _file(app: App, path: str, data: bytes | None) -> EditedFile | None:
    """The file, or None if it is as it was indexed."""
    shown = chunks.blob_row_number_and_id(app.store, app.worktree, path)
    if shown is None:
        path = _unreadable(app, path)
        shown = chunks.blob_row_number_and_id(app.store, app.worktree, path)
        data = listing.read_worktree_file(app.worktree, path, file_filter.LARGEST_EVER)
    prose = languages.is_prose(path)
    if (
        shown is None
        or data is None
        or file_filter.content_refusal_reason(data, file_filter.LARGEST_EVER, is_prose=prose)
    ):
        return EditedFile({}, [])
    number, oid = shown
    if listing.content_has_blob_id(data, oid):
        return None
    old = chunks.line_texts_of_blob(app.store, number)
    new = redact_source(file_filter.decode_text(data)).decode().split("\n")
    # Line ends may differ from those that git keeps: that is no edit.
    size = max(old, default=0)
    same = all(old.get(line, "") == text for line, text in enumerate(new[:size], 1))
    return None if same and len(new) >= size and not any(new[size:]) else EditedFile(old, new)


def _unreadable(app: App, shown: str) -> str:
    """The path of which a hit shows an escaped form."""
    known = indexed_files.blob_ids_and_chunkers_by_path(app.store, app.worktree)
    return next((path for path in known if escape_path(path) == shown), shown)
