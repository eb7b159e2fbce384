"""Verdicts on whether cited code is unchanged, from evidence that the caller collects. Pure.

``fresh``: the code is still in its file, on whatever lines. ``moved``: it is unchanged in another
place. ``changed``: it is nowhere, but its file or symbol exists. ``gone``: neither exists.
``unknown``: it cannot be read.
"""

from __future__ import annotations

from gitmem.model.anchor import VERDICTS, CitedCodeVerdict, CodeAnchor, Freshness
from gitmem.model.frozen import dataclass, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from gitmem.text.code_fingerprint import Fingerprint, SearchableText

# The share of lines that a changed file must keep to be the same file.
SAME_FILE = 0.5
NOT_LOOKED = "not checked yet"
NO_FILE_THEN = "the file did not exist when it was cited"


@dataclass(frozen=True, slots=True)
class CitedCodeState:
    """What is known today of the code that an anchor (a memory's citation of code) points to.

    ``page`` is the cited file's text and ``blob`` its id in git; ``gone``: there is no file.
    ``unreadable`` says why the file cannot be read, else empty. ``elsewhere`` is the path of
    another file with the same code, ``lines`` where in it (first, last); ``defined`` is (path,
    first line, last line) of the definition of the cited symbol.
    """

    page: SearchableText | None = None
    blob: str = ""
    gone: bool = False
    unreadable: str = ""
    elsewhere: str = ""
    lines: tuple[int, int] | None = None
    defined: tuple[str, int, int] | None = None


def worst_anchor_verdict_name(verdict_names: Iterable[str]) -> str:
    """The worst of some verdicts on cited code, such as ``gone`` before ``fresh``, or ``none``."""
    ranks = {verdict: rank for rank, verdict in enumerate(VERDICTS)}
    return max(
        verdict_names, key=lambda verdict: ranks.get(verdict, ranks["unknown"]), default="none"
    )


def combine_anchor_verdicts(verdicts: Iterable[CitedCodeVerdict]) -> Freshness:
    """The Freshness of a memory: the worst verdict on the code that it cites, and all of them."""
    ordered = tuple(sorted(verdicts, key=lambda anchor: anchor.number))
    return Freshness(worst_anchor_verdict_name(anchor.verdict for anchor in ordered), ordered)


def judge_anchor_in_cited_file(
    anchor: CodeAnchor, fingerprint: Fingerprint, code_state: CitedCodeState
) -> CitedCodeVerdict | None:
    """The CitedCodeVerdict if the cited file alone decides; None if other files must be searched.

    ``fingerprint`` holds hashes of the cited code as it was. Of several copies in the file, the one
    nearest to the cited lines counts.
    """
    from gitmem.text import code_fingerprint  # noqa: PLC0415 - not needed where verdicts are cached

    if not anchor.blob:
        return make_anchor_verdict(anchor, "unknown", reason=NO_FILE_THEN)
    if code_state.blob and code_state.blob == anchor.blob:
        return make_anchor_verdict(anchor, "fresh", anchor.path, _lines(anchor))
    if code_state.page is not None:
        if (
            fingerprint.is_whole_file
            and code_fingerprint.fraction_retained(fingerprint, code_state.page) >= SAME_FILE
        ):
            return make_anchor_verdict(anchor, "fresh", anchor.path)
        spans = code_fingerprint.find_block(fingerprint, code_state.page)
        if spans:
            return make_anchor_verdict(
                anchor,
                "fresh",
                anchor.path,
                code_fingerprint.nearest_occurrence(spans, anchor.first_line),
            )
    if code_state.unreadable:
        return make_anchor_verdict(anchor, "unknown", anchor.path, reason=code_state.unreadable)
    return None


def judge_anchor_freshness(
    anchor: CodeAnchor, fingerprint: Fingerprint, code_state: CitedCodeState
) -> CitedCodeVerdict:
    """The CitedCodeVerdict on cited code: is it fresh, moved, changed, gone or unknown?

    ``anchor`` is the citation, ``fingerprint`` holds hashes of the cited code as it was,
    ``code_state`` is what is known of it today.
    """
    here = judge_anchor_in_cited_file(anchor, fingerprint, code_state)
    if here is not None:
        return here
    if code_state.elsewhere:
        return make_anchor_verdict(anchor, "moved", code_state.elsewhere, code_state.lines)
    if code_state.defined is not None:
        path, first, last = code_state.defined
        return make_anchor_verdict(anchor, "changed", path, (first, last))
    if code_state.gone:
        return make_anchor_verdict(anchor, "gone")
    from gitmem.text import code_fingerprint  # noqa: PLC0415 - as above

    rest = (
        code_fingerprint.find_remaining_lines(fingerprint, code_state.page)
        if code_state.page and not fingerprint.is_whole_file
        else None
    )
    return make_anchor_verdict(anchor, "changed", anchor.path, rest)


def make_anchor_verdict(
    anchor: CodeAnchor,
    verdict_name: str,
    path: str = "",
    lines: tuple[int, int] | None = None,
    reason: str = "",
) -> CitedCodeVerdict:
    """Return a CitedCodeVerdict: fresh, moved, unknown, changed or gone, as ``verdict_name`` says.

    ``path`` and ``lines`` (first, last) are where the code is now. Without ``reason`` it gets the
    usual explanation.
    """
    verdict = CitedCodeVerdict(
        anchor.number, anchor.cited, verdict_name, path, *(lines or (None, None))
    )
    return replace(verdict, reason=reason or explain_anchor_verdict(anchor, verdict))


def explain_anchor_verdict(anchor: CodeAnchor, verdict: CitedCodeVerdict) -> str:
    """The explanation of a verdict on cited code; empty if the code is unchanged and in place."""
    lines = _span(verdict.first_line, verdict.last_line)
    if verdict.verdict == "fresh":
        moved = anchor.first_line is not None and verdict.first_line != anchor.first_line
        return f"now in {lines}" if moved and lines else ""
    if verdict.verdict == "moved":
        return f"now in {verdict.path}" + (f", {lines}" if lines else "")
    if verdict.verdict == "gone":
        return f"neither {anchor.path} nor the code that was there exists any more"
    if verdict.verdict == "changed":
        return _describe_change(anchor, verdict, lines)
    return NO_FILE_THEN if not anchor.blob else "it cannot be read"


def _describe_change(anchor: CodeAnchor, verdict: CitedCodeVerdict, lines: str) -> str:
    if anchor.symbol and lines:
        where = "" if verdict.path == anchor.path else f"{verdict.path}, "
        return f"{anchor.symbol} is in {where}{lines} now, but has changed"
    what = f"what {anchor.symbol or 'the cited lines'} said"
    if anchor.first_line is None:
        what = "most of the file"
    return f"{what} is no longer there" + (f"; what is left is in {lines}" if lines else "")


def _lines(anchor: CodeAnchor) -> tuple[int, int] | None:
    if anchor.first_line is None or anchor.last_line is None:
        return None
    return anchor.first_line, anchor.last_line


def _span(first: int | None, last: int | None) -> str:
    if first is None:
        return ""
    return f"line {first}" if last in (None, first) else f"lines {first}-{last}"
