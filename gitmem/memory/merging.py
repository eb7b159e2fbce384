"""Merging two memories that say the same, by a strategy. Pure.

``smart_merge`` keeps each sentence once, ``latest_wins`` the newer text, ``append`` both texts with
the date between them. In each, tags and paths are joined, the larger numbers win, and the metadata
lists the merged memories. The caller keeps the earlier versions, so nothing is lost.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from gitmem.memory import dedupe
from gitmem.model.memory import Memory

SMART, LATEST, APPEND = "smart_merge", "latest_wins", "append"
STRATEGIES = (SMART, LATEST, APPEND)
MERGED_FROM = "merged_from"
# Ids in the metadata; the log of merges has all of them.
MOST_SOURCES = 50
_FENCE = "```"
# A sentence ends before a capital or a quotation: "e.g. this" and "v1. 2" go on.
_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z\"'`(\u201c])")


def merge_by_strategy(old: Memory, new: Memory, strategy: str, new_date: str) -> Memory:
    """``old`` merged with ``new``; not stored. ``new_date`` is the day of ``new``, YYYY-MM-DD.

    ``strategy`` is ``smart_merge`` (each sentence once), ``latest_wins`` (the text of ``new``) or
    ``append`` (both texts with the date between them). Tags, paths and metadata are joined.
    """
    title, content = _text(old, new, strategy, new_date)
    earlier = (dedupe.parse_metadata(memory).get(MERGED_FROM) for memory in (old, new))
    ids = [
        id
        for source_ids in earlier
        if isinstance(source_ids, list)
        for id in source_ids
        if isinstance(id, str)
    ]
    sources = [*dict.fromkeys(id for id in ids if id != new.id), new.id][-MOST_SOURCES:]
    return dedupe.merge_into(old, new, title, content, {MERGED_FROM: sources})


def merge_sentences(old: str, new: str) -> str:
    """The text of ``old`` with those sentences of ``new`` added that say something new.

    Of two sentences of which one says all that the other says, the fuller one stays. A block of
    fenced code counts as one sentence.
    """
    known_pieces = _PieceIndex(_split_pieces(old))
    added: list[str] = []
    for piece in _split_pieces(new):
        words = dedupe.read_content_words(piece).words
        if known_pieces.index_of_containing_sentence(piece) is not None or (
            not words and piece in known_pieces.pieces
        ):
            continue
        wider = known_pieces.index_of_contained_sentence(piece)
        if wider is None:
            added.append(piece)
        else:
            known_pieces.replace_sentence(wider, piece)
    return "\n".join(_join_lines(known_pieces.pieces, old) + _join_lines(added, new))


class _PieceIndex:
    """An index of pieces by their words: only pieces that share the right words are compared."""

    def __init__(self, pieces: list[str]) -> None:
        self.pieces = pieces
        self._holding: dict[str, set[int]] = {}
        for at, piece in enumerate(pieces):
            self._note(at, piece)
        # If a new piece says everything that a known one says, it has that one's rarest word.
        self._rarest: dict[str, list[int]] = {}
        for at, piece in enumerate(pieces):
            words = dedupe.read_content_words(piece).words
            if words:
                rarest = min(words, key=lambda word: (len(self._holding[word]), word))
                self._rarest.setdefault(rarest, []).append(at)

    def _note(self, at: int, piece: str) -> None:
        for word in dedupe.read_content_words(piece).words:
            self._holding.setdefault(word, set()).add(at)

    def index_of_containing_sentence(self, sentence: str) -> int | None:
        """The index of the first known sentence that says all that ``sentence`` says, or None."""
        holding = (
            self._holding.get(word, set()) for word in dedupe.read_content_words(sentence).words
        )
        may = min(holding, key=len, default=set[int]())
        return next(
            (at for at in sorted(may) if dedupe.contains_text(self.pieces[at], sentence)), None
        )

    def index_of_contained_sentence(self, sentence: str) -> int | None:
        """The index of the first known sentence all of which ``sentence`` says, too, or None."""
        words = set(dedupe.read_content_words(sentence).words)
        may = sorted({at for word in words for at in self._rarest.get(word, ())})
        return next((at for at in may if dedupe.contains_text(sentence, self.pieces[at])), None)

    def replace_sentence(self, sentence_index: int, sentence: str) -> None:
        """Put the fuller ``sentence`` in place of the known one at ``sentence_index``."""
        self.pieces[sentence_index] = sentence
        self._note(sentence_index, sentence)


def _text(old: Memory, new: Memory, strategy: str, date: str) -> tuple[str, str]:
    if strategy == LATEST:
        return new.title or old.title, new.content
    title = old.title or new.title
    if strategy == APPEND:
        return title, f"{old.content}\n\n[{date}]\n{new.content}".strip()
    new_text, old_text = (f"{memory.title}\n{memory.content}" for memory in (new, old))
    if dedupe.contains_text(old_text, new_text):
        return old.title, old.content
    if dedupe.contains_text(new_text, old_text):
        return new.title or old.title, new.content
    return title, merge_sentences(old.content, new.content)


def _split_pieces(text: str) -> list[str]:
    """The sentences and lines of a text; a fenced block is one piece."""
    pieces: list[str] = []
    block: list[str] = []
    for line in text.splitlines():
        if block or line.lstrip().startswith(_FENCE):
            closing = bool(block) and line.lstrip().startswith(_FENCE)
            block.append(line)
            if closing:
                pieces.append("\n".join(block))
                block = []
        elif line.strip():
            pieces += [part for part in _END.split(line.rstrip()) if part]
    return pieces + (["\n".join(block)] if block else [])


def _join_lines(pieces: Sequence[str], text: str) -> list[str]:
    """The pieces as lines; neighbours on one line of ``text`` stay on one line."""
    lines: list[str] = []
    for piece in pieces:
        if lines and f"{lines[-1]} {piece}" in text:
            lines[-1] = f"{lines[-1]} {piece}"
        else:
            lines.append(piece)
    return lines
