"""The passages of a session's files that bear on what it is about.

Nothing of them is stored: of each viewed file the piece that holds most words of the session's goal
and last question, with its present lines.
"""

from __future__ import annotations

from collections.abc import Sequence

from gitmem.app import App
from gitmem.model.frozen import dataclass
from gitmem.model.session import Session
from gitmem.retrieval import hit_view, present_text
from gitmem.retrieval.hit_view import HitItem, escape_path
from gitmem.search.matched_words import words_in_text
from gitmem.search.question import parse_question
from gitmem.search.snippet import LINES, choose_snippet
from gitmem.sessions import viewed_files
from gitmem.store.code import chunks, indexed_files

# Passages of a session.
MOST = 10


@dataclass(frozen=True, slots=True)
class SnippetItem:
    """Some lines of a file that an agent viewed; lines count from 1, both ends included."""

    path: str
    start_line: int
    end_line: int
    text: str


def viewed_snippets(app: App, session: Session) -> list[SnippetItem]:
    """At most ten passages of a session's viewed files that match its goal, last viewed first."""
    words = parse_question(
        f"{session.goal} {viewed_files.last_session_question(app, session)}"
    ).words
    hits = [_best(app, path, words) for path in session.files[:MOST]]
    known = indexed_files.worktree_index_state(app.store, app.worktree)
    now = present_text.update_hits_from_files(app, known, [hit for hit in hits if hit is not None])
    return [_cut(hit_view.mask_secrets_in_hit(hit), words) for hit in now.items if hit is not None]


def _best(app: App, path: str, words: Sequence[str]) -> HitItem | None:
    """The piece of a file that holds most of the words, else the first that defines something."""
    pieces = chunks.chunks_of_file(app.store, app.worktree, path)
    if not pieces:
        return None
    first, last, _, text = max(
        pieces, key=lambda piece: (len(words_in_text(words, piece[3])), bool(piece[2]), -piece[0])
    )
    return HitItem("code", escape_path(path), first, last, snippet=text)


def _cut(hit: HitItem, words: Sequence[str]) -> SnippetItem:
    lines = [line.rstrip() for line in hit.snippet.split("\n")]
    text = choose_snippet(hit.snippet, words)
    shown = text.split("\n")
    starts = range(len(lines) - len(shown) + 1)
    at = next((start for start in starts if lines[start : start + len(shown)] == shown), 0)
    start = (hit.start_line or 1) + at
    return SnippetItem(hit.path, start, start + min(len(shown), LINES) - 1, text)
