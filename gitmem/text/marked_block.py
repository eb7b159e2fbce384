"""A block of gitmem's lines between marks in another program's file: adding and removing it.

In a shell script it goes right below the ``#!`` line. There it runs even where the script ends in
``exec`` or ``exit``, as those of pre-commit and git-lfs do, and leaves the exit status alone. In
any other text it goes to the end, below a blank line; a file of ours alone may have a head before
it. Removing the block restores every other byte.
"""

from __future__ import annotations

from gitmem.model.frozen import dataclass

_LF, _CRLF = b"\n", b"\r\n"


@dataclass(frozen=True, slots=True)
class BlockMarkers:
    """The texts that mark the first and the last line of gitmem's block in somebody's file.

    ``script``: it is a shell script, where the block goes below the first line.
    """

    begin: bytes
    end: bytes
    script: bool = False


def has_block(content: bytes, marks: BlockMarkers) -> bool:
    """Return whether a file's content has gitmem's block."""
    return _span(content, marks) is not None


def is_block_damaged(content: bytes, marks: BlockMarkers) -> bool:
    """Return whether a file's content has marks without a block between them, or too many."""
    begins, ends = content.count(marks.begin), content.count(marks.end)
    most = begins if marks.script else 1  # in git's hooks all blocks are replaced
    return begins != ends or begins > most or (begins > 0 and not has_block(content, marks))


def extract_block(content: bytes, marks: BlockMarkers) -> bytes:
    """Return gitmem's block in a file's content, with its last line end; empty without one."""
    span = _span(content, marks)
    return content[slice(*span)].strip(_LF) + _LF if span else b""


def put_block(
    content: bytes, block_lines: bytes, marks: BlockMarkers, header_of_new_file: bytes = b""
) -> bytes:
    """Return the content with ``block_lines`` (marks included) in place of an older block.

    Without one it is added; ``header_of_new_file`` goes before it if the content is empty.
    """
    if marks.script:
        return _insert_below_first(remove_block(content, marks), block_lines)
    new = _CRLF if _CRLF in content else _LF
    block = block_lines.replace(_LF, new)
    if span := _span(content, marks):
        start, end = span
        bare = not content[:end].endswith(_LF)
        return content[:start] + (block.removesuffix(new) if bare else block) + content[end:]
    if not content:
        return header_of_new_file + block_lines
    if content.endswith(_LF):
        return content + new + block
    # A missing last line end is remembered by leaving it out after our block as well.
    return content + new + new + block.removesuffix(new)


def remove_block(content: bytes, marks: BlockMarkers, header_of_new_file: bytes = b"") -> bytes:
    """Return the content without gitmem's block, byte for byte as before ``put_block``."""
    while span := _span(content, marks):
        before, lines, after = content[: span[0]], content[slice(*span)], content[span[1] :]
        if header_of_new_file and before.replace(_CRLF, _LF) == header_of_new_file:
            before = b""
        if not marks.script:
            before = _without_blank_line(before)
        if not lines.endswith(_LF):
            before = before.removesuffix(_CRLF if _CRLF in lines else _LF)
        content = before + after
    return content


def _insert_below_first(content: bytes, lines: bytes) -> bytes:
    first, end, rest = content.partition(_LF)
    return first + end + lines + rest if end else first + _LF + lines.removesuffix(_LF)


def _without_blank_line(before: bytes) -> bytes:
    for blank in (_CRLF, _LF):
        if before.endswith(_LF + blank):
            return before.removesuffix(blank)
    return before


def _span(content: bytes, marks: BlockMarkers) -> tuple[int, int] | None:
    """Start and end of our block, whole lines; None where there is none."""
    if not marks.script:
        first = content.find(marks.begin)
    elif not content.startswith(marks.begin):
        first = content.find(_LF + marks.begin)
        first += first >= 0
    else:
        first = 0
    last = content.find(marks.end, first)
    if first < 0 or last < 0:
        return None
    return content.rfind(_LF, 0, first) + 1, content.find(_LF, last) + 1 or len(content)
