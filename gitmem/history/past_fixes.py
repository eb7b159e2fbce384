"""Finding past fixes of similar errors among commits, by words, files and names."""

from collections.abc import Iterable, Sequence

from gitmem.app import App
from gitmem.history import commit_meaning, culprits, trace_files
from gitmem.history.trace_files import CodeNamedByError
from gitmem.model.frozen import dataclass
from gitmem.search import query
from gitmem.store.code import commit_ends, commits
from gitmem.store.code.commits import IndexedCommit

_BY_WORDS, _BY_FILES = 300, 100  # candidates by message, and for each of the files
_MOST_FILES = 3  # named files whose commits are candidates
_SWEEPING = 40  # a commit with more files is about none of them
# Weights of the evidence, by judgement: the message alone finds a file of the fix nearly as often
# (docs/benchmarks.md).
WEIGHTS = {"message": 0.5, "traced": 0.3, "likely": 0.2}
_LEAST = 0.1  # score


@dataclass(frozen=True, slots=True)
class PastFix:
    """A commit that fixed an error like the present one, how similar (0 to 1), and why.

    ``paths`` are its source files, those first that the error leads to.
    """

    commit: IndexedCommit
    score: float
    paths: tuple[str, ...]
    why: tuple[str, ...]


def find_past_fixes(
    app: App, error_text: str, limit: int
) -> tuple[tuple[PastFix, ...], CodeNamedByError]:
    """Return the past fixes most similar to an error, best first, and the code that it names.

    ``error_text`` is the error's message or trace. Raises InvalidInput for a text without words.
    """
    telling = culprits.shorten_error_output(error_text)
    terms = query.parse_terms(telling)
    ground = trace_files.find_code_of_error(app, error_text, terms)
    if not app.has_store:
        return (), ground
    expression = " OR ".join(term.expression for term in terms)
    words = culprits.score_commit_messages(app, expression, _BY_WORDS)
    near = sorted(ground.traced, key=lambda path: -ground.traced[path])[:_MOST_FILES]
    numbers = list(words)
    for path in near:
        numbers += [
            number
            for _, number in commit_ends.commits_changing_paths(app.store, [path])[:_BY_FILES]
        ]
    commits_by_number = commits.commits_by_row_number(app.store, list(dict.fromkeys(numbers)))
    fixes = [
        _judge(commit, words.get(commit.id, 0.0), ground)
        for commit in commits_by_number.values()
        if is_fix_commit(commit)
    ]
    fixes.sort(key=lambda fix: (-fix.score, -fix.commit.at, fix.commit.sha))
    return tuple(fix for fix in fixes if fix.score >= _LEAST)[:limit], ground


def is_fix_commit(indexed_commit: IndexedCommit) -> bool:
    """Return whether a commit fixes something, judged by its message and paths."""
    return (
        commit_meaning.infer_commit_purpose(
            indexed_commit.subject, indexed_commit.body, indexed_commit.paths
        ).type
        == "fix"
    )


def _judge(indexed_commit: IndexedCommit, message: float, ground: CodeNamedByError) -> PastFix:
    source = [path for path in indexed_commit.paths if culprits.has_source_file([path])]
    about = source if len(source) <= _SWEEPING else []
    traced = _most(ground.traced, about)
    likely = _most(ground.likely, about)
    parts = {"message": message, "traced": traced, "likely": likely}
    score = sum(WEIGHTS[name] * worth for name, worth in parts.items())
    why = []
    if message > 0:
        why.append("its message is alike" if message >= 0.5 else "its message shares words")
    if traced:
        why.append("changed a file that the text names")
    elif likely >= 0.5:
        why.append("changed code like the text")
    led = [path for path in source if path in ground.traced or path in ground.likely]
    led.sort(key=lambda path: -max(ground.traced.get(path, 0.0), ground.likely.get(path, 0.0)))
    return PastFix(indexed_commit, score, tuple(dict.fromkeys([*led, *source])), tuple(why))


def _most(worth: dict[str, float], paths: Sequence[str] | Iterable[str]) -> float:
    return max((worth.get(path, 0.0) for path in paths), default=0.0)
