"""Spans of secrets: their repeats, their union, their replacement. Loaded with the first secret."""

from __future__ import annotations

from gitmem.text.secrets.secret_checks import lettered, mixed_case

Span = tuple[int, int, str]

_MOST_REPEATED = 100
_SHORTEST_REPEATED = 12


def repeated(text: str, spans: list[Span]) -> list[Span]:
    """The same secrets at their other places in the text, where nothing else tells them."""
    kinds = {text[start:end]: kind for start, end, kind in spans}
    found: list[Span] = []
    for secret, kind in list(kinds.items())[:_MOST_REPEATED]:
        if len(secret) < _SHORTEST_REPEATED or not (lettered(secret) or mixed_case(secret)):
            continue
        at = text.find(secret)
        while at >= 0:
            found.append((at, at + len(secret), kind))
            at = text.find(secret, at + len(secret))
    return found


def merged(spans: list[Span]) -> list[Span]:
    """Sorted by place; overlapping ones become one span, of the kind that was listed first."""
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


def replaced(text: str, spans: list[Span], *, keep_lines: bool = False) -> str:
    """The text with every span replaced by its kind; one of no kind is dropped.

    With ``keep_lines`` the line ends inside a span stay.
    """
    parts: list[str] = []
    at = 0
    for start, end, kind in spans:
        ends = text.count("\n", start, end) if keep_lines else 0
        parts += (text[at:start], f"[redacted:{kind}]" if kind else "", "\n" * ends)
        at = end
    return "".join([*parts, text[at:]])
