"""Files that a question names: by a quoted phrase, a path, a usual place, or related words."""

from collections.abc import Mapping
from functools import partial

from gitmem.app import App
from gitmem.retrieval import keyword
from gitmem.search import query
from gitmem.search.files import matches_any_path
from gitmem.search.question import ParsedQuestion
from gitmem.store.code import chunks, code_search, indexed_files
from gitmem.store.code.chunks import ChunkMetadata

MOST_NAMED = 100
# Up to this many files of a name each count fully.
FEW = 3
# Pieces that are scored for a task.
MOST_TELLING = 60
# Rows that are scored for related words.
MOST_MEANT = 3_000
# How surely a question has to ask for documents or configuration.
LIKELY = 0.5


def quoted_phrase_share_by_path(
    app: App, parsed: ParsedQuestion, chunk_headers: Mapping[int, ChunkMetadata]
) -> dict[str, float]:
    """Path -> the share (0 to 1) of the question's quoted phrases that the file contains."""
    if not parsed.phrases or not chunk_headers:
        return {}
    labels = {phrase: query.phrase_fts_expression(phrase) for phrase in parsed.phrases}
    held: dict[str, set[str]] = {}
    for number, there in code_search.matching_expression_labels_by_row(
        app.store, "chunk", labels, list(chunk_headers)
    ).items():
        if there:
            held.setdefault(chunk_headers[number].path, set()).update(there)
    return {path: len(there) / len(labels) for path, there in held.items()}


def files_named_in_question(app: App, parsed: ParsedQuestion) -> dict[str, float]:
    """Path -> how surely (0 to 1) the question names this file.

    Less surely if many files have that name.
    """
    if not parsed.paths:
        return {}
    there = chunks.paths_with_suffixes(app.store, app.worktree, parsed.paths, MOST_NAMED)
    share: dict[str, float] = {}
    for name in parsed.paths:
        found = [path for path in there if matches_any_path(path, (name,))]
        for path in found:
            sure = 1.0 if len(found) <= FEW else 1 / len(found)
            share[path] = max(sure, share.get(path, 0.0))
    return share


def usual_answer_files(app: App, parsed: ParsedQuestion) -> frozenset[str]:
    """The indexed paths that usually answer a question on configuration, documentation or a task.

    Such as ``pyproject.toml``, ``README.md`` or a ``Makefile``; empty for other questions.
    """
    if (
        max(parsed.requested_kinds.get("config", 0.0), parsed.requested_kinds.get("docs", 0.0))
        < LIKELY
    ):
        return frozenset()
    # Imported here: its patterns are for these questions.
    from gitmem.search.usual_places import usual_answer_paths  # noqa: PLC0415

    paths = usual_answer_paths(parsed.text) if parsed.task is None else parsed.task.paths.split()
    return frozenset(chunks.paths_matching_patterns(app.store, app.worktree, paths))


def match_common_task_chunks(
    app: App, parsed: ParsedQuestion, idf: Mapping[str, float]
) -> list[tuple[int, float]]:
    """The pieces that match a question about a common task, best first: (row number, BM25 score).

    Only pieces of files that usually describe the task, such as ``README.md``. Words whose value in
    ``idf`` is 0 do not count. Empty if the question is about no common task.
    """
    if parsed.task is None:
        return []
    words = [word for word in (*parsed.words, *parsed.task.words) if idf.get(word, 1.0)]
    there = usual_answer_files(app, parsed)
    within = indexed_files.paths_and_languages_by_chunk(
        app.store, app.worktree, lambda path, _: path in there
    )
    expression = " OR ".join(query.quote_fts_term(word) for word in dict.fromkeys(words))
    return code_search.best_matching_rows(app.store, "chunk", expression, MOST_TELLING, within)


def match_related_code_words(
    app: App, parsed: ParsedQuestion, max_chunks: int
) -> tuple[dict[str, float], dict[int, float]]:
    """(word of code related to the question's -> rarity, row number of a piece with such -> BM25).

    At most ``max_chunks`` pieces of files, those with the best BM25 scores.
    """
    rarity = related_code_word_idf(app, parsed)
    if not rarity:
        return {}, {}
    expression = " OR ".join(map(query.quote_fts_term, rarity))
    return rarity, dict(code_search.best_matching_rows(app.store, "chunk", expression, max_chunks))


def related_code_word_idf(app: App, parsed: ParsedQuestion) -> dict[str, float]:
    """Word that code uses for an everyday word of the question -> its inverse document frequency.

    Only words that are in some but few pieces of files.
    """
    if parsed.is_single_name:
        return {}
    # Imported here: its table is for questions in words.
    from gitmem.search.related_words import related_code_words  # noqa: PLC0415

    counts = keyword.count_rows_per_word(
        related_code_words(parsed.text),
        partial(code_search.count_full_text_matches, app.store, "chunk"),
    )
    total = chunks.approximate_chunk_count(app.store)
    telling = query.rarest_words(counts, keyword.COMMON, MOST_MEANT)
    return {
        word: query.inverse_document_frequency(counts[word], total)
        for word in counts
        if word in telling
    }
