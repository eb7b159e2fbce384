"""Gathering the evidence against recent commits, from an error, a trace or failing tests.

``timeline.culprit_score`` weighs it. The number of commits, the bytes of each and the calls of git
are bounded.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence

from gitmem import languages
from gitmem.app import App
from gitmem.errors import GitmemError, InvalidInput
from gitmem.git import history
from gitmem.git.lines import line_history
from gitmem.git.lines.line_history import CommitLineChanges
from gitmem.git.log_output import Commit
from gitmem.history import trace_files
from gitmem.history.trace_files import CodeNamedByError
from gitmem.model.frozen import dataclass
from gitmem.search import file_kinds, query
from gitmem.store.code import code_search, commits
from gitmem.text import identifiers
from gitmem.text.stop_words import PASSED_OVER
from gitmem.timeline import co_change, culprit_score, trace_places
from gitmem.timeline.culprit_score import SuspectCommitEvidence

MAX_CHARACTERS = 100_000  # characters of a text that are read
_WORDS_FROM = 1_500  # characters of a text, half from each end, whose words are looked up
_MAX_BLAMED = 10
_BLAME_SECONDS = 0.5
_TOGETHER = 8
_MESSAGES = 60
_NO_SOURCE = ("test", "docs", "markup", "config", "changelog", "example")


@dataclass(frozen=True, slots=True)
class CulpritEvidence:
    """The commits that may have caused an error, newest first, and what speaks against each.

    ``ground`` is the code that the error is about. ``complete`` is false if git had to be stopped.
    """

    commits: tuple[Commit, ...]
    evidence: tuple[SuspectCommitEvidence, ...]
    ground: CodeNamedByError
    complete: bool


def gather_culprit_evidence(
    app: App, error_text: str, max_commits: int, path_and_line: tuple[str, int] | None = None
) -> CulpritEvidence:
    """Return the evidence for each of the newest ``max_commits`` commits that it caused an error.

    ``error_text`` is the error's message or trace, ``path_and_line`` a file and a line (0: none)
    where it was raised, in addition. Merges are left out. Raises InvalidInput for a text without
    words.
    """
    if len(error_text) > MAX_CHARACTERS:
        error_text = f"{error_text[: MAX_CHARACTERS // 2]}\n{error_text[-MAX_CHARACTERS // 2 :]}"
    terms = query.parse_terms(shorten_error_output(error_text))
    log = list(
        history.list_commits(app.layout.cwd, limit=max_commits, with_paths=True, merges=False)
    )
    ground = trace_files.find_code_of_error(app, error_text, terms, path_and_line)
    changed, complete = (
        line_history.line_changes_of_newest_commits(app.layout.cwd, max_commits)
        if log
        else ([], True)
    )
    lines = {change.sha: change for change in changed}
    wrote, exact = _blame(app, ground, {commit.sha for commit in log})
    message = _score_messages(app, terms, {commit.sha for commit in log})
    words = _score_words(
        identifiers.words_and_identifier_parts(shorten_error_output(error_text)), lines
    )
    symbol = _score_names(ground.names, lines)
    beside = _strengths_beside(ground, log)
    evidence = []
    for rank, commit in enumerate(log):
        parts = {
            "line": exact.get(commit.sha, 0.0),
            "wrote": wrote.get(commit.sha, 0.0),
            "place": max((ground.traced.get(path, 0.0) for path in commit.paths), default=0.0),
            "symbol": symbol.get(commit.sha, 0.0),
            "words": words.get(commit.sha, 0.0),
            "message": message.get(commit.sha, 0.0),
            "files": max((ground.likely.get(path, 0.0) for path in commit.paths), default=0.0),
            "together": max((beside.get(path, 0.0) for path in commit.paths), default=0.0),
            "size": culprit_score.suspicion_by_size(lines[commit.sha].count)
            if commit.sha in lines
            else 0.0,
            "recent": culprit_score.recency_score(rank),
        }
        evidence.append(
            SuspectCommitEvidence(commit.sha, rank, has_source_file(commit.paths), parts)
        )
    return CulpritEvidence(tuple(log), tuple(evidence), ground, complete)


def has_source_file(paths: Iterable[str]) -> bool:
    """Return whether any of the paths is source code, and no test, document or setting."""
    return any(
        not set(file_kinds.kinds_of_file(path, languages.language(path))).intersection(_NO_SOURCE)
        for path in paths
    )


def shorten_error_output(output: str) -> str:
    """Return the beginning and end of a long error output, without frames of libraries."""
    output = trace_places.remove_library_frames(output) or output
    if len(output) <= _WORDS_FROM:
        return output
    return f"{output[: _WORDS_FROM // 2]}\n{output[-_WORDS_FROM // 2 :]}"


def _blame(
    app: App, ground: CodeNamedByError, among: Collection[str]
) -> tuple[dict[str, float], dict[str, float]]:
    """Commit -> how much of the code that the text leads to it wrote, and of the named lines."""
    amounts: dict[str, float] = {}
    exact: dict[str, float] = {}
    for stretch in ground.stretches[:_MAX_BLAMED]:
        span = (stretch.first, stretch.last)
        try:
            written, _ = line_history.commits_of_lines(
                app.layout, stretch.path, span, timeout=_BLAME_SECONDS
            )
        except GitmemError:
            continue
        whole = sum(part.line_count for part in written) or 1
        for stretch_written in written:
            if stretch_written.sha in among:
                if any(
                    stretch_written.first <= line <= stretch_written.last for line in stretch.exact
                ):
                    exact[stretch_written.sha] = max(
                        exact.get(stretch_written.sha, 0.0), stretch.weight
                    )
                share = (stretch_written.line_count / whole) ** 0.5 * stretch.weight
                amounts[stretch_written.sha] = amounts.get(stretch_written.sha, 0.0) + share
    return {
        sha: culprit_score.map_to_unit_interval(amount) for sha, amount in amounts.items()
    }, exact


def _score_messages(
    app: App, terms: Sequence[query.QueryTerm], among: Collection[str]
) -> dict[str, float]:
    if not app.has_store:
        return {}
    scores = score_commit_messages(app, " OR ".join(term.expression for term in terms), _MESSAGES)
    rows = commits.commits_by_row_number(app.store, list(scores)).items()
    return {commit.sha: scores[number] for number, commit in rows if commit.sha in among}


def score_commit_messages(app: App, fts_expression: str, limit: int) -> dict[int, float]:
    """Return row number in the store -> score (0 to 1, the best has 1) of matching commits.

    Their messages match ``fts_expression`` (of SQLite FTS5); at most ``limit`` commits.
    """
    best = code_search.best_matching_rows(app.store, "message", fts_expression, limit)
    top = max((score for _, score in best), default=0.0) or 1.0
    return {number: score / top for number, score in best}


def _score_words(words: Sequence[str], lines: Mapping[str, CommitLineChanges]) -> dict[str, float]:
    """Commit -> how many of the rare words its changed lines have, repeats counting less."""
    rare = {word for word in words if len(word) > 2 and word not in PASSED_OVER}
    held = {
        sha: Counter(word for word in identifiers.split_identifiers(change.text) if word in rare)
        for sha, change in lines.items()
    }
    among = Counter(word for counts in held.values() for word in counts)
    rarity = {
        word: query.inverse_document_frequency(count, len(held)) for word, count in among.items()
    }
    scores = {
        sha: sum(rarity[word] * count / (count + 1.5) for word, count in counts.items())
        for sha, counts in held.items()
    }
    top = max(scores.values(), default=0.0)
    return {sha: score / top for sha, score in scores.items()} if top > 0 else {}


def _score_names(names: Sequence[str], lines: Mapping[str, CommitLineChanges]) -> dict[str, float]:
    """Commit -> the share of the names in its changed lines or the hunk headers above them."""
    shares = {}
    for sha, change in lines.items():
        held = sum(name in change.text for name in names)
        if held:
            shares[sha] = held / len(names)
    return shares


def _strengths_beside(ground: CodeNamedByError, log: Sequence[Commit]) -> dict[str, float]:
    """Path -> how often it changed with the two files that the text most surely names."""
    best = sorted(ground.traced, key=lambda path: -ground.traced[path])[:2]
    strengths: dict[str, float] = {}
    for path in best:
        for other in co_change.files_changed_together(
            path, (commit.paths for commit in log), _TOGETHER
        ):
            if other.path not in ground.traced:
                strengths[other.path] = max(strengths.get(other.path, 0.0), other.share)
    return strengths


def check_text_not_empty(text: str) -> None:
    """Raise InvalidInput if the text is empty or only white space."""
    if not text.strip():
        raise InvalidInput(
            "There is no error to look for.",
            "Give the message, a trace or the names of failing tests, or pipe them: ... | gitmem "
            "why-broke -",
        )
