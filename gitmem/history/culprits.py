"""Which of the newest commits broke something, from the text of an error, a trace or failing tests.

Gathers what speaks against each commit; ``timeline.culprit_score`` weighs it. Bounded: so many
commits, so many bytes of each, so many questions to git.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence

from gitmem import languages
from gitmem.app import App
from gitmem.errors import GitmemError, InvalidInput
from gitmem.git import history, line_history
from gitmem.git.line_history import ChangedLines
from gitmem.git.log_output import Commit
from gitmem.history import trace_files
from gitmem.history.trace_files import Ground
from gitmem.model.frozen import dataclass
from gitmem.search import file_kinds, query
from gitmem.store.code import code_search, commits
from gitmem.text import identifiers
from gitmem.text.stop_words import PASSED_OVER
from gitmem.timeline import co_change, culprit_score, trace_places
from gitmem.timeline.culprit_score import Evidence

LONGEST = 100_000  # characters of a text that are read
_WORDS_FROM = 1_500  # characters of a text whose words are looked up
_MOST_BLAMED = 10
_BLAME_SECONDS = 0.5
_TOGETHER = 8
_MESSAGES = 60
_NO_SOURCE = ("test", "docs", "markup", "config", "changelog", "example")


@dataclass(frozen=True, slots=True)
class Gathered:
    """The commits that were looked at, newest first, what speaks against each, and the ground.

    ``complete`` is false where git had to be stopped.
    """

    commits: tuple[Commit, ...]
    evidence: tuple[Evidence, ...]
    ground: Ground
    complete: bool


def gather(app: App, text: str, most: int, place: tuple[str, int] | None = None) -> Gathered:
    """What speaks against each of the newest ``most`` commits of HEAD that are no merges.

    ``place`` is a file and a line (0: none) where the error was raised, as if its trace named them.
    Raises InvalidInput for a text without words.
    """
    if len(text) > LONGEST:
        text = f"{text[: LONGEST // 2]}\n{text[-LONGEST // 2 :]}"
    terms = query.parse(telling(text))
    log = list(history.log(app.layout.cwd, limit=most, paths=True, merges=False))
    ground = trace_files.find(app, text, terms, place)
    changed, complete = line_history.newest_changes(app.layout.cwd, most) if log else ([], True)
    lines = {one.sha: one for one in changed}
    wrote, exact = _wrote(app, ground, {one.sha for one in log})
    message = _messages(app, terms, {one.sha for one in log})
    words = _words(identifiers.terms(telling(text)), lines)
    symbol = _names(ground.names, lines)
    beside = _beside(ground, log)
    evidence = []
    for rank, one in enumerate(log):
        parts = {
            "line": exact.get(one.sha, 0.0),
            "wrote": wrote.get(one.sha, 0.0),
            "place": max((ground.traced.get(path, 0.0) for path in one.paths), default=0.0),
            "symbol": symbol.get(one.sha, 0.0),
            "words": words.get(one.sha, 0.0),
            "message": message.get(one.sha, 0.0),
            "files": max((ground.likely.get(path, 0.0) for path in one.paths), default=0.0),
            "together": max((beside.get(path, 0.0) for path in one.paths), default=0.0),
            "size": culprit_score.sized(lines[one.sha].count) if one.sha in lines else 0.0,
            "recent": culprit_score.recent(rank),
        }
        evidence.append(Evidence(one.sha, rank, is_source(one.paths), parts))
    return Gathered(tuple(log), tuple(evidence), ground, complete)


def is_source(paths: Iterable[str]) -> bool:
    """Whether any of some paths is source, and no test, document or setting."""
    return any(
        not set(file_kinds.kinds(path, languages.language(path))).intersection(_NO_SOURCE)
        for path in paths
    )


def telling(text: str) -> str:
    """Of a long output the first and the last part: a message stands at one of its ends."""
    text = trace_places.without_libraries(text) or text
    if len(text) <= _WORDS_FROM:
        return text
    return f"{text[: _WORDS_FROM // 2]}\n{text[-_WORDS_FROM // 2 :]}"


def _wrote(
    app: App, ground: Ground, among: Collection[str]
) -> tuple[dict[str, float], dict[str, float]]:
    """Commit -> how much it wrote where the text leads to, and -> of the lines that it names."""
    amounts: dict[str, float] = {}
    exact: dict[str, float] = {}
    for stretch in ground.stretches[:_MOST_BLAMED]:
        span = (stretch.first, stretch.last)
        try:
            found, _ = line_history.wrote(app.layout, stretch.path, span, seconds=_BLAME_SECONDS)
        except GitmemError:
            continue
        whole = sum(one.lines for one in found) or 1
        for one in found:
            if one.sha in among:
                if any(one.first <= line <= one.last for line in stretch.exact):
                    exact[one.sha] = max(exact.get(one.sha, 0.0), stretch.weight)
                share = (one.lines / whole) ** 0.5 * stretch.weight
                amounts[one.sha] = amounts.get(one.sha, 0.0) + share
    return {sha: culprit_score.saturated(amount) for sha, amount in amounts.items()}, exact


def _messages(app: App, terms: Sequence[query.Term], among: Collection[str]) -> dict[str, float]:
    if not app.has_store:
        return {}
    expression = " OR ".join(term.expression for term in terms)
    best = code_search.match(app.store, "message", expression, _MESSAGES)
    known = commits.by_number(app.store, [number for number, _ in best])
    top = max((score for _, score in best), default=0.0) or 1.0
    found = {known[number].sha: score / top for number, score in best if number in known}
    return {sha: score for sha, score in found.items() if sha in among}


def _words(asked: Sequence[str], lines: Mapping[str, ChangedLines]) -> dict[str, float]:
    """Commit -> how much of the rare words its changed lines hold, a long change less for each."""
    wanted = {word for word in asked if len(word) > 2 and word not in PASSED_OVER}
    held = {sha: _held(wanted, one.text) for sha, one in lines.items()}
    among = Counter(word for counts in held.values() for word in counts)
    rarity = {word: query.rarity(count, len(held)) for word, count in among.items()}
    scores = {
        sha: sum(rarity[word] * count / (count + 1.5) for word, count in counts.items())
        for sha, counts in held.items()
    }
    top = max(scores.values(), default=0.0)
    return {sha: score / top for sha, score in scores.items()} if top > 0 else {}


def _held(wanted: Collection[str], text: str) -> Counter[str]:
    return Counter(word for word in identifiers.split(text) if word in wanted)


def _names(names: Sequence[str], lines: Mapping[str, ChangedLines]) -> dict[str, float]:
    """Commit -> how many of the names its changed lines, or the heads above them, hold."""
    found = {}
    for sha, one in lines.items():
        held = sum(name in one.text for name in names)
        if held:
            found[sha] = held / len(names)
    return found


def _beside(ground: Ground, log: Sequence[Commit]) -> dict[str, float]:
    """Path -> how often it changed with the files that the text leads to most."""
    best = sorted(ground.traced, key=lambda path: -ground.traced[path])[:2]
    found: dict[str, float] = {}
    for path in best:
        for one in co_change.together(path, (commit.paths for commit in log), _TOGETHER):
            if one.path not in ground.traced:
                found[one.path] = max(found.get(one.path, 0.0), one.share)
    return found


def check(text: str) -> None:
    """Raise InvalidInput for a text that says nothing."""
    if not text.strip():
        raise InvalidInput(
            "There is no error to look for.",
            "Give the message, a trace or the names of failing tests, or pipe them: ... | gitmem "
            "why-broke -",
        )
