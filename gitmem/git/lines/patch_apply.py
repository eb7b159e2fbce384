"""Applying a patch that somebody gives as text to the files that it is about. Pure.

Git's own form and that of ``diff -u`` are read. Lines are counted as the headings of hunks say, so
that no line of content is taken for a heading. A hunk may stand a little away from where it says.
"""

from __future__ import annotations

from gitmem.git.lines.patch import Hunk, parse_header_path, parse_hunk_header
from gitmem.model.frozen import dataclass

TYPE_CHECKING = False  # importing typing costs 3 ms; type checkers know this name by itself
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_FARTHEST = 200  # lines that a hunk may have moved
_NO_END = b"\\"


@dataclass(frozen=True, slots=True)
class PatchHunk:
    """A hunk of a patch: ``place`` are the line ranges that its heading gives.

    ``lines`` are its lines with their signs (`` ``, ``-``, ``+``), without line ends.
    """

    place: Hunk
    lines: tuple[bytes, ...]

    @property
    def old_lines(self) -> list[bytes]:
        """The lines that the file must have where the hunk is applied, without signs."""
        return [line[1:] for line in self.lines if line[:1] in (b" ", b"-")]


@dataclass(frozen=True, slots=True)
class FilePatch:
    """What a patch does to a file: its path before and after, and the hunks.

    ``old`` is empty for an added file, ``new`` for a deleted one. ``blob`` is the beginning of the
    git id of the content before, empty where the patch does not say.
    """

    old: str
    new: str
    blob: str
    hunks: tuple[PatchHunk, ...]
    binary: bool = False


def parse_file_patches(patch_text: bytes) -> Iterator[FilePatch]:
    """Yield a FilePatch for each file of a patch, in its order; text around it is skipped.

    ``patch_text`` is in the form of ``git diff`` or ``diff -u``.
    """
    lines = patch_text.split(b"\n")
    at = 0
    heading: dict[str, bytes] = {}
    hunks: list[PatchHunk] = []
    while at < len(lines):
        line = lines[at].removesuffix(b"\r") if hunks == [] else lines[at]
        at += 1
        if line.startswith(b"diff --git "):
            yield from _file(heading, hunks)
            heading, hunks = {"git": line[11:].strip()}, []
        elif line.startswith(b"--- ") and at < len(lines) and lines[at].startswith(b"+++ "):
            if "+++" in heading:  # `diff -u` has no other heading
                yield from _file(heading, hunks)
                heading, hunks = {}, []
            heading["---"], heading["+++"] = line[4:], lines[at][4:].removesuffix(b"\r")
            at += 1
        elif line.startswith(b"@@ -") and "+++" in heading:
            place = parse_hunk_header(line)
            if place is not None:
                at, body = _body(lines, at, place)
                hunks.append(PatchHunk(place, body))
        elif "git" in heading and not hunks:
            _note_heading(heading, line)
    yield from _file(heading, hunks)


def _note_heading(heading: dict[str, bytes], line: bytes) -> None:
    for name in (b"rename from ", b"rename to ", b"index ", b"new file", b"deleted file"):
        if line.startswith(name):
            heading[name.decode().strip()] = line[len(name) :]
    if line.startswith((b"Binary files ", b"GIT binary patch")):
        heading["binary"] = line


def _body(lines: Sequence[bytes], at: int, place: Hunk) -> tuple[int, tuple[bytes, ...]]:
    """The lines of a hunk that begins at ``at``, and where it ends."""
    old, new = (max(0, side[1] - side[0] + 1) for side in (place.old, place.new))
    body: list[bytes] = []
    while at < len(lines) and (old > 0 or new > 0 or lines[at].startswith(_NO_END)):
        line = lines[at]
        sign = line[:1] or b" "  # mail programs cut the space of an empty line
        if sign not in (b" ", b"-", b"+", _NO_END):
            break
        old -= sign in (b" ", b"-")
        new -= sign in (b" ", b"+")
        if sign != _NO_END:
            body.append(line or b" ")
        at += 1
    return at, tuple(body)


def _file(heading: dict[str, bytes], hunks: Sequence[PatchHunk]) -> Iterator[FilePatch]:
    if not heading:
        return
    old, new = (_path(heading.get(key, b"")) for key in ("---", "+++"))
    if "rename from" in heading:
        old, new = (_plain_path(heading.get(key, b"")) for key in ("rename from", "rename to"))
    elif "+++" not in heading:  # an empty or a binary file: both names are equal
        both = heading.get("git", b"")
        half = both[: len(both) // 2]
        old = new = parse_header_path(half) if half else ""
        old = "" if "new file" in heading else old
        new = "" if "deleted file" in heading else new
    if old or new:
        blob = heading.get("index", b"").partition(b"..")[0].decode("ascii", "replace")
        yield FilePatch(old, new, blob.strip("0") and blob, tuple(hunks), "binary" in heading)


def _path(field: bytes) -> str:
    """The path in a heading, without the time that ``diff -u`` puts after it."""
    if field.strip().startswith(b"/dev/null"):
        return ""
    bare = field if field.startswith(b'"') else field.split(b"\t", 1)[0]
    return parse_header_path(bare) or _plain_path(bare)


def _plain_path(field: bytes) -> str:
    return parse_header_path(
        b'"a/' + field[1:] if field.startswith(b'"') else b"a/" + field.rstrip()
    )


def apply_patch(content: bytes, patch: FilePatch) -> tuple[bytes, tuple[Hunk, ...]] | None:
    """(content after a patch, Hunks that it replaced); None where the patch does not fit.

    ``content`` is that before. Line ends ``\\r\\n`` count as ``\\n`` if the patch has none of them.
    """
    lines = content.split(b"\n")
    if content.endswith(b"\n") or not content:
        lines.pop()
    bare = [line.removesuffix(b"\r") for line in lines]
    carriage = any(line.endswith(b"\r") for hunk in patch.hunks for line in hunk.lines)
    compared = lines if carriage else bare
    out: list[bytes] = []
    spans: list[Hunk] = []
    at = shift = 0
    for hunk in patch.hunks:
        start = _find(compared, hunk, at, shift)
        if start is None:
            return None
        shift = start - (hunk.place.old[0] - 1)
        out += lines[at:start]
        at = _replace(lines, start, hunk, out, spans)
    out += lines[at:]
    return (b"\n".join(out) + b"\n" if out else b""), tuple(spans)


def _find(lines: Sequence[bytes], hunk: PatchHunk, least: int, shift: int) -> int | None:
    """Where a hunk fits, nearest to where it says; None where it does not."""
    old = hunk.old_lines
    expected = hunk.place.old[0] - 1 + shift
    if not old:
        return expected if least <= expected <= len(lines) else None
    for away in range(_FARTHEST):
        for start in dict.fromkeys((expected - away, expected + away)):
            if start >= least and lines[start : start + len(old)] == old:
                return start
    return None


def _replace(
    lines: Sequence[bytes], at: int, hunk: PatchHunk, out: list[bytes], spans: list[Hunk]
) -> int:
    """Add the new lines of a hunk to ``out``, and the spans that it replaces; returns the end."""
    old, new = at, len(out)

    def append_changed_hunk() -> None:
        if at > old or len(out) > new:
            spans.append(Hunk((old + 1, at), (new + 1, len(out))))

    for line in hunk.lines:
        if line[:1] == b" ":
            append_changed_hunk()
            out.append(lines[at])
            at += 1
            old, new = at, len(out)
        elif line[:1] == b"+":
            out.append(line[1:])
        else:
            at += 1
    append_changed_hunk()
    return at
