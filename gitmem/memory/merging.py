"""What two memories that say the same become: one text, and what both know about it (CT-11). Pure.

``smart_merge`` keeps each sentence once, ``latest_wins`` the newer text, ``append`` both with the
date between them. Whatever the strategy, tags and paths join, the larger numbers win, and the
metadata says what was taken in. The caller keeps the versions before, so nothing is lost.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from gitmem.memory import dedupe, edit, trust
from gitmem.model.frozen import replace
from gitmem.model.memory import Memory

SMART, LATEST, APPEND = "smart_merge", "latest_wins", "append"
STRATEGIES = (SMART, LATEST, APPEND)
MERGED_FROM = "merged_from"
# What a memory remembers of what it took in; the log of merges has all of it.
MOST_SOURCES = 50
_FENCE = "```"
# A sentence ends before a capital or a quotation: "e.g. this" and "v1. 2" go on.
_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z\"'`(\u201c])")


def combined(old: Memory, new: Memory, strategy: str, date: str) -> Memory:
    """``old`` with what ``new`` says too; ``date`` (2026-01-31) is when that was said."""
    joined = edit.reinforced(old, new)
    title, content = _text(old, new, strategy, date)
    facts = {**_facts(old), **_facts(new)}
    earlier = facts.get(MERGED_FROM)
    sources = [*(earlier if isinstance(earlier, list) else []), new.id][-MOST_SOURCES:]
    facts[MERGED_FROM] = sources
    metadata = json.dumps(facts, ensure_ascii=False, sort_keys=True)
    told = replace(joined, title=title, content=content, metadata=metadata)
    if (title, content) == (old.title, old.content):
        return told
    return replace(told, trust=trust.after_edit(joined, by_agent=new.tier != "person"))


def union(old: str, new: str) -> str:
    """Each sentence of two texts once: where one says what another does and more, that one.

    The order is that of ``old``, then what ``new`` adds. Code between fences stays in one piece.
    """
    known = _Known(_pieces(old))
    added: list[str] = []
    for piece in _pieces(new):
        words = dedupe.read(piece).words
        if known.fuller(piece) is not None or (not words and piece in known.pieces):
            continue
        wider = known.shorter(piece)
        if wider is None:
            added.append(piece)
        else:
            known.widen(wider, piece)
    return "\n".join(_joined(known.pieces, old) + _joined(added, new))


class _Known:
    """Pieces of a text by their words: each is compared with the few that may say the same."""

    def __init__(self, pieces: list[str]) -> None:
        self.pieces = pieces
        self._holding: dict[str, set[int]] = {}
        for at, piece in enumerate(pieces):
            self._note(at, piece)
        # What says no more than a piece has its rarest word in that piece.
        self._rarest: dict[str, list[int]] = {}
        for at, piece in enumerate(pieces):
            words = dedupe.read(piece).words
            if words:
                rarest = min(words, key=lambda word: (len(self._holding[word]), word))
                self._rarest.setdefault(rarest, []).append(at)

    def _note(self, at: int, piece: str) -> None:
        for word in dedupe.read(piece).words:
            self._holding.setdefault(word, set()).add(at)

    def fuller(self, piece: str) -> int | None:
        """The first that says all that a piece says."""
        holding = (self._holding.get(word, set()) for word in dedupe.read(piece).words)
        may = min(holding, key=len, default=set[int]())
        return next((at for at in sorted(may) if dedupe.says(self.pieces[at], piece)), None)

    def shorter(self, piece: str) -> int | None:
        """The first that a piece says all of."""
        words = set(dedupe.read(piece).words)
        may = sorted({at for word in words for at in self._rarest.get(word, ())})
        return next((at for at in may if dedupe.says(piece, self.pieces[at])), None)

    def widen(self, at: int, piece: str) -> None:
        """Put a piece in the place of one that it says all of."""
        self.pieces[at] = piece
        self._note(at, piece)


def _text(old: Memory, new: Memory, strategy: str, date: str) -> tuple[str, str]:
    if strategy == LATEST:
        return new.title or old.title, new.content
    title = old.title or new.title
    if strategy == APPEND:
        return title, f"{old.content}\n\n[{date}]\n{new.content}".strip()
    said, known = (f"{one.title}\n{one.content}" for one in (new, old))
    if dedupe.says(known, said):
        return old.title, old.content
    if dedupe.says(said, known):
        return new.title or old.title, new.content
    return title, union(old.content, new.content)


def _pieces(text: str) -> list[str]:
    """Sentences and lines; a fenced block is one piece."""
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


def _joined(pieces: Sequence[str], text: str) -> list[str]:
    """The pieces as lines; what stood on one line of ``text`` stays on one."""
    lines: list[str] = []
    for piece in pieces:
        if lines and f"{lines[-1]} {piece}" in text:
            lines[-1] = f"{lines[-1]} {piece}"
        else:
            lines.append(piece)
    return lines


def _facts(memory: Memory) -> dict[str, object]:
    found = json.loads(memory.metadata or "{}")
    return found if isinstance(found, dict) else {}
