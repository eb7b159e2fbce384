"""Our marked lines in a text that agents read, such as AGENTS.md: put in, replaced, taken out.

The lines go to the end, below a blank line. A file that is all ours has a head before them (what
its host wants at the top); others' text gets the lines alone. Taking them out gives back the rest.
"""

from __future__ import annotations

from gitmem.errors import InvalidInput

BEGIN, END = ">>> gitmem >>>", "<<< gitmem <<<"


def holds(text: str) -> bool:
    """Whether our lines are in the text. Raises InvalidInput where their marks were damaged."""
    return _span(text) is not None


def put(text: str, lines: str, head: str) -> str:
    """The text with our lines in it once; ``head`` goes before them where there is no text."""
    new = "\r\n" if "\r\n" in text else "\n"
    told = lines.replace("\n", new)
    if span := _span(text):
        start, end = span
        bare = end == len(text) and not text.endswith("\n")
        return text[:start] + (told.rstrip("\r\n") if bare else told) + text[end:]
    if not text:
        return (head + lines).replace("\n", new)
    if head:
        raise InvalidInput("a file that gitmem did not write is in its place")
    if text.endswith("\n"):
        return text + new + told
    return text + new + new + told.removesuffix(new)


def take(text: str, head: str) -> str:
    """The text without our lines and the blank line before them, or without our head too."""
    span = _span(text)
    if span is None:
        return text
    start, end = span
    before, after = text[:start], text[end:]
    bare = not after and not text.endswith("\n")
    if head and before.replace("\r\n", "\n") == head:
        before = ""
    for blank in ("\n\r\n", "\n\n"):
        if before.endswith(blank):
            before = before[: 1 - len(blank)]
    if bare:
        before = before.removesuffix("\n").removesuffix("\r")
    return before + after


def _span(text: str) -> tuple[int, int] | None:
    """Where the line with the first mark begins and the line with the last ends."""
    begins, ends = text.count(BEGIN), text.count(END)
    if not begins and not ends:
        return None
    first, last = text.find(BEGIN), text.find(END)
    if (begins, ends) != (1, 1) or first > last:
        raise InvalidInput("the marks around gitmem's lines were damaged; delete those lines")
    start = text.rfind("\n", 0, first) + 1
    end = text.find("\n", last) + 1
    return start, end or len(text)
