"""Candidates for a search from indexed commits: by message, meaning, and the issue they name."""

import re
from collections.abc import Collection, Mapping
from functools import partial
from itertools import chain

from gitmem.app import App
from gitmem.clock import format_iso
from gitmem.indexing import dropped_commits
from gitmem.model.frozen import replace
from gitmem.retrieval.hit_view import HitItem
from gitmem.retrieval.keyword import score_rows_by_keywords
from gitmem.retrieval.question import Candidates, FileScope, Question, Within
from gitmem.search import commit_affinity, file_kinds, fusion
from gitmem.search.profiles import age_rank_factor
from gitmem.search.question import ParsedQuestion
from gitmem.store.code import code_search, commits
from gitmem.store.db.connection import Database
from gitmem.text import issues

OVERFETCH = 4
# Factor of commits unless the history is asked for. Of 140 everyday questions 110 have the right
# place in the first three; with 0.7 it is 108.
PAST = 0.6
# Fewer words may equal the subject of a commit by chance ("Fix tests").
_FEWEST_WORDS = 3
# The number of the pull request that a forge adds to a subject.
_MERGED = re.compile(r"\s*\(#[0-9]+\)$")


def find_commit_candidates(
    app: App,
    question: Question,
    *,
    since: int | None,
    until: int | None,
    author: str,
    scope: FileScope,
) -> Candidates:
    """The commits that match a question, unranked, as (candidate for ranking, hit to show).

    Only commits from ``since`` to ``until`` (milliseconds since 1970; None: any) by authors with
    ``author`` in their name; if the scope has a path, only commits that changed it.
    """
    within = _row_numbers_within(app, since, until, author, scope)
    scores, labels = _lexical(app.store, question, within)
    issues_named = issues.issue_references(question.parsed.text)
    called = _commits_by_id(app.store, question.parsed, within)
    members = _members(app.store, question, scores, issues_named, within)
    keys = dict.fromkeys((*called, *scores, *chain.from_iterable(members.values())))
    cosines = question.similar("commit", list(keys), within)
    share = app.settings.float_number("search.meaning") if question.meaning else 0.0
    scores, issue = commit_affinity.raise_scores_by_issue(
        scores, members, issues_named, cosines, share
    )
    scores |= dict.fromkeys(called, 1.0)
    sure = question.parsed.requested_kinds.get("history", 0.0)
    past = _past_factor(question, sure)
    done = commit_affinity.change_kinds_in_text(question.parsed.text) if sure else frozenset()
    found: Candidates = []
    # Other commits would have a score of 0.
    near = [number for number, cosine in cosines.items() if cosine >= fusion.LEAST_ALIKE]
    known = commits.commits_by_row_number(app.store, list({**scores, **dict.fromkeys(near)}))
    gone = dropped_commits.find_dropped_commits(app) if known else frozenset[str]()
    for number, commit in known.items():
        if commit.sha in gone:
            continue
        notes = [f"names {issue[number]}, like a matching memory"] if number in issue else []
        named = number in called or _quotes(question.parsed.text, commit.subject)
        if named:
            notes.insert(0, "named in the question")
        factors = {
            "past": past,
            "verb": commit_affinity.change_kind_factor(done, commit.subject),
            "age": age_rank_factor(commit.at, app.now, question.ranking_profile),
        }
        candidate = question.make_candidate(
            ("commit", number),
            scores.get(number, 0.0),
            cosines.get(number),
            labels.get(number, ()),
            {"past": 1.0} if named else factors,
            (*notes,),
        )
        found.append((replace(candidate, explicit=candidate.explicit or named), _hit(commit)))
    return found


def _row_numbers_within(
    app: App, since: int | None, until: int | None, author: str, scope: FileScope
) -> set[int] | None:
    """The row numbers of the commits that the filters leave; None: they leave out none."""
    if since is until is None and not author and not scope.path:
        return None
    within = commits.commit_row_numbers_in_period(app.store, since or 0, author, until)
    return _touching(app.store, within, scope) if scope.path else within


def _past_factor(question: Question, sure: float) -> float:
    """The factor for commits beside code; ``sure``: how surely (0 to 1) the past is asked about."""
    beside = 1 if sure else 1 - file_kinds.BESIDE * question.parsed.outside_source
    return float(PAST ** (1 - sure) * beside)


def _touching(database: Database, among: Collection[int], scope: FileScope) -> set[int]:
    rows = commits.changed_paths_of_commits(database, among)
    return {number for number, paths in rows if any(map(scope.matches_path, paths))}


def _commits_by_id(database: Database, parsed: ParsedQuestion, within: Within) -> list[int]:

    numbers = commits.commit_row_numbers_by_prefix(database, parsed.possible_commit_ids)
    return [number for number in numbers if within is None or number in within]


def _quotes(text: str, subject: str) -> bool:
    """Whether a question is the subject of a commit, word for word."""
    words = _MERGED.sub("", subject).casefold().split()
    return len(words) >= _FEWEST_WORDS and _MERGED.sub("", text).casefold().split() == words


def _hit(commit: commits.IndexedCommit) -> HitItem:
    return HitItem(
        kind="commit",
        commit=commit.sha,
        title=commit.subject,
        author=commit.author,
        at=format_iso(commit.at),
        snippet=commit.body,
    )


def _lexical(
    database: Database, question: Question, within: Within
) -> tuple[dict[int, float], dict[int, list[str]]]:
    """Row number -> how well words answer, and -> labels matched."""
    if not question.lexical:
        return {}, {}
    limit = question.limit * OVERFETCH
    return score_rows_by_keywords(
        question.terms,
        partial(code_search.count_full_text_matches, database, "message"),
        lambda expression: code_search.best_matching_rows(
            database, "message", expression, limit, within
        ),
        partial(code_search.matching_expression_labels_by_row, database, "message"),
    )


def _members(
    database: Database,
    question: Question,
    scores: Mapping[int, float],
    named: Collection[str],
    within: Within,
) -> dict[str, list[int]]:
    """The commits of each issue that is asked for, or named by one of the best."""
    if not question.lexical or "issues" in question.without:
        return {}
    followed = {
        *named,
        *commits.issues_of_commits(database, commit_affinity.best_scored_commit_rows(scores)),
    }
    members = commits.commit_row_numbers_by_issue(database, sorted(followed), commit_affinity.MOST)
    if within is None:
        return members
    return {
        issue: [number for number in some if number in within] for issue, some in members.items()
    }
