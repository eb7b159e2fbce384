"""Whether what a memory stands on still stands. Pure: the evidence is an argument.

The place is looked at first, then everywhere else: what stands at its place is fresh, however its
lines moved; what stands whole elsewhere has moved. What stands nowhere has changed where its place
is there still, and else is gone. What cannot be read is unknown, never fresh.
"""

from __future__ import annotations

from gitmem.model.anchor import VERDICTS, Anchor, Freshness, Verdict
from gitmem.model.frozen import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from gitmem.text.code_fingerprint import Page, Print

# The share of a file's lines that makes it the same file.
SAME_FILE = 0.5
NOT_LOOKED = "not checked yet"
NO_FILE_THEN = "the file did not exist when it was cited"


@dataclass(frozen=True, slots=True)
class Evidence:
    """What was found for one anchor.

    ``page`` is the file at its path today and ``blob`` that file's id; ``gone``: nothing is there.
    ``unreadable`` says why it cannot be read. ``elsewhere`` is the path of a file that
    has the block (or the file), ``lines`` where in it; ``defined`` is where its symbol is defined
    now, as path and lines.
    """

    page: Page | None = None
    blob: str = ""
    gone: bool = False
    unreadable: str = ""
    elsewhere: str = ""
    lines: tuple[int, int] | None = None
    defined: tuple[str, int, int] | None = None


def worst(verdicts: Iterable[str]) -> str:
    """The worst of some verdicts; ``none`` where there are none."""
    return max(verdicts, key=_rank, default="none")


def _rank(verdict: str) -> int:
    return VERDICTS.index(verdict) if verdict in VERDICTS else VERDICTS.index("unknown")


def freshness(anchors: Iterable[Verdict]) -> Freshness:
    """A memory's freshness from the verdicts on its anchors, in their order."""
    ordered = tuple(sorted(anchors, key=lambda one: one.number))
    return Freshness(worst(one.verdict for one in ordered), ordered)


def at_place(anchor: Anchor, print: Print, evidence: Evidence) -> Verdict | None:
    """The verdict as far as the cited place tells it; None where one has to look elsewhere.

    A block that stands more than once is the one nearest to where it was.
    """
    # Imported here: whoever finds all verdicts kept compares no text.
    from gitmem.text import code_fingerprint  # noqa: PLC0415

    if not anchor.blob:
        return verdict(anchor, "unknown", reason=NO_FILE_THEN)
    if evidence.blob and evidence.blob == anchor.blob:
        return verdict(anchor, "fresh", anchor.path, _lines(anchor))
    if evidence.page is not None:
        if print.whole and code_fingerprint.retained(print, evidence.page) >= SAME_FILE:
            return verdict(anchor, "fresh", anchor.path)
        found = code_fingerprint.find(print, evidence.page)
        if found:
            return verdict(
                anchor, "fresh", anchor.path, code_fingerprint.nearest(found, anchor.first_line)
            )
    if evidence.unreadable:
        return verdict(anchor, "unknown", anchor.path, reason=evidence.unreadable)
    return None


def judge(anchor: Anchor, print: Print, evidence: Evidence) -> Verdict:
    """The verdict on an anchor from all that was found, here and elsewhere."""
    here = at_place(anchor, print, evidence)
    if here is not None:
        return here
    if evidence.elsewhere:
        return verdict(anchor, "moved", evidence.elsewhere, evidence.lines)
    if evidence.defined is not None:
        path, first, last = evidence.defined
        return verdict(anchor, "changed", path, (first, last))
    if evidence.gone:
        return verdict(anchor, "gone")
    from gitmem.text import code_fingerprint  # noqa: PLC0415 - as above

    rest = (
        code_fingerprint.remains(print, evidence.page)
        if evidence.page and not print.whole
        else None
    )
    return verdict(anchor, "changed", anchor.path, rest)


def verdict(
    anchor: Anchor,
    word: str,
    path: str = "",
    lines: tuple[int, int] | None = None,
    reason: str = "",
) -> Verdict:
    """A verdict on an anchor, with its reason in words where none is given."""
    first, last = lines or (None, None)
    made = Verdict(anchor.number, anchor.cited, word, path, first, last)
    return Verdict(
        anchor.number,
        anchor.cited,
        word,
        path,
        first,
        last,
        reason=reason or explanation(anchor, made),
    )


def explanation(anchor: Anchor, verdict: Verdict) -> str:
    """A verdict's reason in words; what the verdict and the anchor say by themselves."""
    lines = _span(verdict.first_line, verdict.last_line)
    if verdict.verdict == "fresh":
        moved = anchor.first_line is not None and verdict.first_line != anchor.first_line
        return f"now in {lines}" if moved and lines else ""
    if verdict.verdict == "moved":
        return f"now in {verdict.path}" + (f", {lines}" if lines else "")
    if verdict.verdict == "gone":
        return f"neither {anchor.path} nor the code that was there exists any more"
    if verdict.verdict == "changed":
        return _changed(anchor, verdict, lines)
    return NO_FILE_THEN if not anchor.blob else "it cannot be read"


def _changed(anchor: Anchor, verdict: Verdict, lines: str) -> str:
    if anchor.symbol and lines:
        where = "" if verdict.path == anchor.path else f"{verdict.path}, "
        return f"{anchor.symbol} is in {where}{lines} now, but has changed"
    what = f"what {anchor.symbol or 'the cited lines'} said"
    if anchor.first_line is None:
        what = "most of the file"
    return f"{what} is no longer there" + (f"; what is left is in {lines}" if lines else "")


def _lines(anchor: Anchor) -> tuple[int, int] | None:
    if anchor.first_line is None or anchor.last_line is None:
        return None
    return anchor.first_line, anchor.last_line


def _span(first: int | None, last: int | None) -> str:
    if first is None:
        return ""
    return f"line {first}" if last in (None, first) else f"lines {first}-{last}"
