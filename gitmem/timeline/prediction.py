"""Predicting the files that will be needed after a file, from several sources. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from gitmem.model.frozen import dataclass

WINDOW_MS = 300_000  # views within it belong together
MAX_PREDICTED_FILES = 10
# The most files of each source; of similar questions three, with three files each.
MOST_OF = {"viewed together": 5, "asked alike": 9, "imports": 5, "changed together": 10}
ALIKE, OF_EACH = 3, 3
LEAST_ALIKE = 0.4
# The weight of each source; measured on six histories (docs/benchmarks.md).
WEIGHTS = {"viewed together": 1.0, "asked alike": 0.6, "imports": 0.4, "changed together": 1.0}

View = tuple[str, str, int]  # session, path, milliseconds


@dataclass(frozen=True, slots=True)
class PredictedFile:
    """A file that is probably needed next, a score, and the sources that name it (``why``)."""

    path: str
    score: float
    why: tuple[str, ...]


def rank_predicted_files(
    scores_by_source: Mapping[str, Mapping[str, float]], candidate_paths: Iterable[str]
) -> list[PredictedFile]:
    """At most ten PredictedFiles among ``candidate_paths``, the best score first.

    ``scores_by_source`` maps a source, such as ``imports``, to {path: score from 0 to 1}; the
    scores are weighted by source and added up.
    """
    named = Counter(path for shares in scores_by_source.values() for path in shares)
    scores: dict[str, float] = {}
    why: dict[str, list[str]] = {}
    there = set(candidate_paths)
    for source, shares in scores_by_source.items():
        best = sorted(shares.items(), key=lambda pair: (-pair[1], -named[pair[0]], pair[0]))
        for path, share in [pair for pair in best if pair[0] in there][: MOST_OF[source]]:
            scores[path] = scores.get(path, 0.0) + WEIGHTS[source] * share
            why.setdefault(path, []).append(source)
    ranked = sorted(scores, key=lambda path: (-scores[path], path))[:MAX_PREDICTED_FILES]
    return [PredictedFile(path, round(scores[path], 3), tuple(why[path])) for path in ranked]


def co_view_fractions(path: str, views: Sequence[View]) -> dict[str, float]:
    """{path: fraction, 0 to 1} of files that sessions viewed soon before or after a file.

    It is the fraction of the sessions that viewed ``path``. ``views`` are (session, path, ms since
    1970); soon is within five minutes.
    """
    when = {session: at for session, other, at in views if other == path}
    counts: dict[str, int] = {}
    for session, other, at in views:
        if other != path and session in when and abs(at - when[session]) <= WINDOW_MS:
            counts[other] = counts.get(other, 0) + 1
    return {other: count / len(when) for other, count in counts.items()}


def files_viewed_after_similar_questions(
    question_words: Iterable[str],
    past_questions: Sequence[tuple[str, frozenset[str], int]],
    views: Sequence[View],
) -> dict[str, float]:
    """{path: likeness, 0 to 1} of files viewed within five minutes after a similar question.

    ``past_questions`` are (session, words, ms since 1970), ``views`` are (session, path, ms). The
    likeness is that of the question's words to ``question_words``.
    """
    own = frozenset(question_words)
    alike = sorted(
        (
            (len(own & words_of) / max(len(own | words_of), 1), session, at)
            for session, words_of, at in past_questions
        ),
        reverse=True,
    )
    shares: dict[str, float] = {}
    for share, session, at in alike[:ALIKE]:
        if share < LEAST_ALIKE:
            break
        after = [
            (when, path)
            for own_session, path, when in views
            if own_session == session and 0 <= when - at <= WINDOW_MS
        ]
        for _, path in sorted(after)[:OF_EACH]:
            shares[path] = max(share, shares.get(path, 0.0))
    return shares
