"""Splitting a sentence that asks several questions. Pure.

"Who may publish a release and where is the token kept" is split so that the longer half does not
drown the other. Both halves have to be whole questions: subordinate clauses ("where is it decided
what is kept and what is dropped"), references ("and who may read it"), quotations and code are not
split. ``docs/benchmarks.md`` counts the wrong splits among 2,900 single questions.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from gitmem.text.stop_words import PASSED_OVER

# A text with more questions is a list; a longer text was pasted.
MOST, LONGEST = 5, 400
# Words beside stop words that each part needs: "what is it" is not split off.
_TELLING = 2

_WH = "who|whom|whose|what|which|when|where|why|how"
_AT = "(?:(?:at|by|for|from|in|on|since|to|under|with) )?"
_OPENER = re.compile(
    r"(?:(?:please|so|ok|hey|hi|and|also|then|tell me|show me|explain|do you know|"
    r"(?:can|could) you (?:tell me|explain)|i (?:want|need|would like) to know|i wonder)[,:]?\s+)*"
    rf"{_AT}(?P<word>{_WH}|is|are|was|were|do|does|did|can|could|will|would|should|has|have|may|must)\b",
    re.IGNORECASE,
)
_BETWEEN = re.compile(
    rf"(?<=\?)\s+(?=\S)|\s*;\s+|\s*,?\s+(?:and|or)(?:\s+(?:also|then))?\s+(?={_AT}(?:{_WH})\b)",
    re.IGNORECASE,
)
# Quotations and code are not split.
_WHOLE = re.compile(
    r"\"[^\"\n]*\"|\u201c[^\u201d\n]*\u201d|`[^`\n]*`|(?<!\w)'[^'\n]*'(?!\w)|\([^()\n]*\)|\{[^{}\n]*\}"
)
_REFERS_BACK = re.compile(
    r"\b(?:it|its|itself|they|them|their|theirs|he|him|his|she|her|hers|this|these|those|ones?|"
    r"former|latter|same|such|that(?=\s*(?:$|\?)))\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W_]+")


def split_questions(text: str) -> tuple[str, ...]:
    """The questions in a text as a tuple, in order; the text itself if it is a single one."""
    if len(text) > LONGEST or "\n" in text:
        return (text,)
    masked = _WHOLE.sub(lambda found: "_" * len(found[0]), text)
    cuts = [found.span() for found in _BETWEEN.finditer(masked)]
    found = _part_spans(masked, cuts)
    questions = tuple(text[first:last].strip() for first, last in found)
    return questions if 1 < len(questions) <= MOST else (text,)


def _part_spans(masked: str, cuts: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Start and end of each part; what is not a question of its own stays with the one before."""
    begin, ends = 0, list[tuple[int, int]]()
    for at, (last, first) in enumerate(cuts):
        until = cuts[at + 1][0] if at + 1 < len(cuts) else len(masked)
        if _stands_alone(masked[begin:last]) and _is_separate(
            masked[begin:last], masked[first:until]
        ):
            ends.append((begin, last))
            begin = first
    return [*ends, (begin, len(masked))]


def _stands_alone(part: str) -> bool:

    telling = {word.lower() for word in _WORD.findall(part)} - PASSED_OVER
    return _OPENER.match(part) is not None and len(telling) >= _TELLING


def _is_separate(before: str, part: str) -> bool:
    """Whether a part is a question of its own, not a clause of the one before."""
    opener = _OPENER.match(part)
    if opener is None or not _stands_alone(part) or _REFERS_BACK.search(part):
        return False
    first = _OPENER.match(before)
    rest = before[first.end() if first else 0 :]
    return re.search(rf"\b{opener['word']}\b", rest, re.IGNORECASE) is None
