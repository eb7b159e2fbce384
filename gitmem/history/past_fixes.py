"""Finding past fixes of similar errors among commits, by words, files and names."""

import re
from collections.abc import Iterable, Sequence

from gitmem.app import App
from gitmem.capture import known_errors
from gitmem.freshness import anchor_verdict
from gitmem.history import commit_meaning, culprits, trace_files
from gitmem.history.trace_files import CodeNamedByError
from gitmem.model.anchor import CitedCodeVerdict
from gitmem.model.frozen import dataclass
from gitmem.model.memory import Memory
from gitmem.retrieval import citing_memories
from gitmem.search import query
from gitmem.store.code import commit_ends, commits
from gitmem.store.code.commits import IndexedCommit

_BY_WORDS, _BY_FILES = 300, 100  # candidates by message, and for each of the files
_MAX_FILES = 3  # named files whose commits are candidates
_SWEEPING = 40  # a commit with more files is about none of them
# Weights of the evidence, by judgement: the message alone finds a file of the fix nearly as often
# (docs/benchmarks.md).
WEIGHTS = {"message": 0.5, "traced": 0.3, "likely": 0.2}
_MIN_SCORE = 0.1  # score
# A fix of what a checker or a reader minds, not of what the code does.
_COSMETIC = re.compile(
    r"(?i)\b(?:typos?|(?:mis)?spellings?|wording|typing|type[- ](?:hint|error|annotation|check)\w*"
    r"|mypy|pyright|flake8|pylint|ruff|eslint|lint(?:er|ing|s)?|linters)\b"
)


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
    near = sorted(ground.traced, key=lambda path: -ground.traced[path])[:_MAX_FILES]
    numbers = list(words)
    for path in near:
        numbers += [
            number
            for _, number in commit_ends.commits_changing_paths(app.store, [path])[:_BY_FILES]
        ]
    mends_looks = is_cosmetic(error_text)
    commits_by_number = commits.commits_by_row_number(app.store, list(dict.fromkeys(numbers)))
    fixes = [
        _judge(commit, words.get(commit.id, 0.0), ground)
        for commit in commits_by_number.values()
        if is_fix_commit(commit) and (mends_looks or not is_cosmetic(commit.subject))
    ]
    fixes.sort(key=lambda fix: (-fix.score, -fix.commit.at, fix.commit.sha))
    return tuple(fix for fix in fixes if fix.score >= _MIN_SCORE)[:limit], ground


def find_fixes_of_places(app: App, ground: CodeNamedByError) -> list[tuple[Memory, bool]]:
    """The remembered fixes that cite a file that an error names; True: just the lines it names.

    Those come first. Cited lines count where they are now.
    """
    exact = [(part.path, line) for part in ground.stretches for line in part.exact]
    paths = dict.fromkeys(path for path, _ in exact)
    citing = [memory for memory, _ in citing_memories.find_citing_memories(app, list(paths))]
    fixes = [memory for memory in citing if memory.kind == known_errors.FIX]
    if not fixes:
        return []
    verdicts = anchor_verdict.freshness_by_memory(app, app.store, fixes)
    judged = [
        (fix, any(_holds(at, *place) for at in verdicts[fix.id].anchors for place in exact))
        for fix in fixes
    ]
    return sorted(judged, key=lambda pair: not pair[1])


def _holds(verdict: CitedCodeVerdict, path: str, line: int) -> bool:
    first, last = verdict.first_line, verdict.last_line
    return verdict.path == path and first is not None and first <= line <= (last or first)


def is_fix_commit(indexed_commit: IndexedCommit) -> bool:
    """Return whether a commit fixes something, judged by its message and paths."""
    return (
        commit_meaning.infer_commit_purpose(
            indexed_commit.subject, indexed_commit.body, indexed_commit.paths
        ).type
        == "fix"
    )


def is_cosmetic(text: str) -> bool:
    """Whether a text is about spelling, types or a linter rather than about what code does."""
    return _COSMETIC.search(text) is not None


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
