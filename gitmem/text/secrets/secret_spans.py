"""Combining the spans of secrets: repeats, merging, replacement."""

from __future__ import annotations

from gitmem.text.secrets.secret_checks import has_letters_and_digits, has_random_case

Span = tuple[int, int, str]

_MOST_REPEATED = 100
_SHORTEST_REPEATED = 12
# Characters around a replaced secret that are searched again: more than any rule reads, but that
# for private keys, which are replaced as a whole.
_AROUND = 4096


def find_repeated_secrets(text: str, spans: list[Span]) -> list[Span]:
    """Return all places of the longer secrets at ``spans`` in a text, as (start, end, kind)."""
    kinds: dict[str, str] = {}
    for start, end, kind in spans:
        if len(kinds) == _MOST_REPEATED:
            break  # spans that overlap may be as many as the text is long, and each as long
        kinds[text[start:end]] = kind
    copies: list[Span] = []
    for secret, kind in kinds.items():
        if len(secret) < _SHORTEST_REPEATED or not (
            has_letters_and_digits(secret) or has_random_case(secret)
        ):
            continue
        at = text.find(secret)
        while at >= 0:
            copies.append((at, at + len(secret), kind))
            at = text.find(secret, at + len(secret))
    return copies


def merge_spans(spans: list[Span]) -> list[Span]:
    """Return places of secrets (start, end, kind) sorted by start, overlapping ones merged.

    A merged one gets the kind that comes first in ``spans``.
    """
    merged: list[Span] = []
    rank: list[int] = []
    for place, (start, end, kind) in sorted(enumerate(spans), key=lambda item: item[1][:2]):
        if merged and start < merged[-1][1]:
            last_start, last_end, last_kind = merged[-1]
            better = kind if (kind and place < rank[-1]) or not last_kind else last_kind
            merged[-1] = (last_start, max(end, last_end), better)
            rank[-1] = min(place, rank[-1])
        else:
            merged.append((start, end, kind))
            rank.append(place)
    return merged


def redact_spans(text: str, spans: list[Span], *, keep_line_ends: bool = False) -> str:
    """Return the text with each of ``spans`` (start, end, kind) replaced by ``[redacted:kind]``.

    Those without a kind are deleted. With ``keep_line_ends`` the line ends inside stay.
    """
    parts: list[str] = []
    at = 0
    for span in spans:
        parts += (text[at : span[0]], _in_place_of(text, span, keep_line_ends))
        at = span[1]
    return "".join([*parts, text[at:]])


def _in_place_of(text: str, span: Span, keep_lines: bool) -> str:
    start, end, kind = span
    ends = text.count("\n", start, end) if keep_lines else 0
    return (f"[redacted:{kind}]" if kind else "") + "\n" * ends


def line_spans_with_redactions(
    original: str, spans: list[Span], redacted: str, *, keep_line_ends: bool = False
) -> list[tuple[int, int]]:
    """Return (start, end) of the parts of ``redacted`` to be searched for secrets again, sorted.

    They are the lines around the secrets at ``spans`` of ``original``, which ``redacted`` has
    replaced. Empty if they are more than half of the text: then all of it is to be searched again.
    """
    parts: list[tuple[int, int]] = []
    grown = total = 0
    for span in spans:
        place = span[0] + grown
        size = len(_in_place_of(original, span, keep_line_ends))
        grown += size - (span[1] - span[0])
        if parts and place + size + _AROUND <= parts[-1][1]:
            continue
        begin = redacted.rfind("\n", 0, max(0, place - _AROUND)) + 1
        stop = redacted.find("\n", place + size + _AROUND)
        stop = len(redacted) if stop < 0 else stop
        if parts and begin <= parts[-1][1]:
            total -= parts[-1][1] - parts[-1][0]
            begin = parts.pop()[0]
        parts.append((begin, stop))
        total += stop - begin
        if 2 * total > len(redacted):
            return []
    return parts
