"""The lines of the files found that tell the number a question asks for."""

from collections.abc import Sequence

from gitmem.app import App
from gitmem.model.frozen import replace
from gitmem.retrieval import explicit_files, repository_search
from gitmem.retrieval.hit_view import HitItem
from gitmem.retrieval.question import Question
from gitmem.search import asked_value, file_kinds
from gitmem.store.code import chunks

# Files of settings and documents that are read for it, and lines that are told.
MOST_FILES, MOST = 10, 2
# What such a line counts more than the piece of its file that the search found, and what it does
# beside others where projects keep what is asked.
TELLS, USUAL = 0.4, 0.3


def found(
    app: App, question: Question, files: Sequence[tuple[float, HitItem]]
) -> list[tuple[float, HitItem]]:
    """Those lines as hits with the score of their file, the best first.

    None where no number is asked for. ``files`` are the files found, each with its score.
    """
    asked = question.asked
    if not asked_value.is_asked(asked.text):
        return []
    rarity = asked_value.subject(repository_search.rarity(app, asked.words)[0])
    related = explicit_files.other_words(app, asked)
    usual = explicit_files.usual(app, asked)
    shown = chunks.shown(app.store, app.worktree, [item.path for _, item in files])
    there = []
    for score, item in files:
        file = shown.get(item.path)
        if file is None or not _tells_settings(item, file.language):
            continue
        if line := asked_value.best_line(
            item.path, chunks.lines_of(app.store, file.blob), rarity, related
        ):
            at, value = line
            value += USUAL if item.path in usual else 0.0
            there.append((score, replace(item, start_line=at, end_line=at), value))
        if len(there) == MOST_FILES:
            break
    there.sort(key=lambda one: -one[2])
    return [(score, item) for score, item, _ in there[:MOST]]


def _tells_settings(item: HitItem, language: str) -> bool:
    return item.kind == "note" or "config" in file_kinds.kinds(item.path, language)
