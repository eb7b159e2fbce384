"""Finding the cited lines that a diff changes."""

from collections.abc import Iterator, Mapping, Sequence

from gitmem.app import App
from gitmem.freshness.diff_citations import AffectedCitation
from gitmem.freshness.diff_files import DiffFileVersions
from gitmem.git import diff
from gitmem.git.diff import DiffSides, PathChange
from gitmem.git.display import display_path
from gitmem.git.lines.patch import WHOLE, Hunk, Range, range_overlaps
from gitmem.memory.citations import Citation
from gitmem.model.anchor import CodeAnchor
from gitmem.text import code_fingerprint

_WORDS = {
    "A": "added",
    "D": "deleted",
    "M": "modified",
    "T": "replaced by something that is not a regular file",
    "U": "in conflict",
}

# (citation, path to sort by, its lines, the reason why it is listed)
Judged = tuple[AffectedCitation, str, str, str]


def citations_touched_by_diff(
    app: App,
    diff_sides: DiffSides,
    citations: Sequence[AffectedCitation],
    file_versions: DiffFileVersions,
    hunks_by_path: Mapping[str, Sequence[Hunk]] | None = None,
) -> Iterator[Judged]:
    """Yield (citation, path, lines, what happened) for citations whose own lines a diff changes.

    Citations of whole files and folders always count; their lines are "". ``citations`` come from
    ``find_citations_in_diff``; ``hunks_by_path`` are the changed parts of the files, by path, if
    they are known already.
    """
    exact = {hit.change: None for hit in citations if _needs_lines(hit)}
    if hunks_by_path is None:
        hunks_by_path = diff.changed_hunks(app.layout, diff_sides, exact) if exact else {}
    file_versions.load_files(exact, include_new=True)
    for hit in citations:
        change = hit.change
        path = change.old or change.new
        if not _needs_lines(hit):
            yield hit, path, "", _describe_file(hit)
            continue
        outcome = _judge_lines(hit, hunks_by_path.get(path, WHOLE), file_versions)
        if outcome is not None:
            yield hit, path, *outcome


def _needs_lines(hit: AffectedCitation) -> bool:
    """Whether the citation is of a part of a file that changed in part."""
    part = not hit.citation.is_whole_file
    return part and not hit.folder and hit.change.status in "MR" and not hit.change.has_same_content


def _describe_file(hit: AffectedCitation) -> str:
    """What happened to the cited file as a whole."""
    change = hit.change
    text = _WORDS.get(change.status, "modified")
    if change.status == "R":
        text = ("" if change.has_same_content else "modified, ") + _describe_rename(change)
    elif change.has_same_content:
        text = "executable bit changed"
    if hit.folder:
        return f"holds {display_path(change.old or change.new)}, which is {text}"
    return text


def _describe_rename(change: PathChange) -> str:
    return f"renamed to {display_path(change.new)}" if change.status == "R" else ""


def _judge_lines(
    hit: AffectedCitation, hunks: Sequence[Hunk], versions: DiffFileVersions
) -> tuple[str, str] | None:
    """The cited lines and what happened to them; None where they are untouched."""
    if tuple(hunks) == WHOLE:
        return "", _join_parts(
            _describe_rename(hit.change), "modified, but its lines cannot be compared"
        )
    span, side = _span(hit, versions)
    if span is None:
        return "", _join_parts(_describe_rename(hit.change), "modified")
    sided = [hunk.old if side == "old" else hunk.new for hunk in hunks]
    over = [lines for lines in sided if range_overlaps(span, lines)]
    why = _join_parts(_describe_rename(hit.change), _describe_lines(over, side) if over else "")
    return (_range(span), why) if why else None


def _join_parts(*parts: str) -> str:
    return ", ".join(filter(None, parts))


def _span(hit: AffectedCitation, versions: DiffFileVersions) -> tuple[Range | None, str]:
    """The cited lines before the diff, else after it, else as they were cited."""
    anchor = hit.anchor
    cited = _cited_lines(hit)
    if anchor is None or not anchor.blob or anchor.blob == hit.change.blob:
        return cited, "old"
    print = code_fingerprint.from_json(anchor.print)
    for side, text in (("old", versions.old_text), ("new", versions.new_text)):
        page = text(hit.change)
        if page is not None and (places := code_fingerprint.find_block(print, page)):
            return code_fingerprint.nearest_occurrence(places, anchor.first_line), side
    # Changed before this diff: the place with most of the block.
    before = versions.old_text(hit.change)
    left = code_fingerprint.find_remaining_lines(print, before) if before is not None else None
    return left or cited, "old"


def _cited_lines(hit: AffectedCitation) -> Range | None:
    of: CodeAnchor | Citation = hit.anchor or hit.citation
    if of.first_line is None:
        return None
    return of.first_line, of.last_line or of.first_line


def _describe_lines(over: Sequence[Range], side: str) -> str:
    if side == "new":
        return f"{_plural(over[0])} written"
    replaced = [lines for lines in over if lines[0] <= lines[1]]
    if replaced:
        first, last = replaced[0][0], replaced[-1][1]
        return f"{_plural((first, last))} changed"
    return f"lines were inserted after line {over[0][1]}"


def _plural(lines: Range) -> str:
    return f"line {lines[0]}" if lines[0] == lines[1] else f"lines {_range(lines)}"


def _range(lines: Range) -> str:
    return str(lines[0]) if lines[0] == lines[1] else f"{lines[0]}-{lines[1]}"
