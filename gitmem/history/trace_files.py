"""Finding the code that an error is about: files in its trace, names in it, code with its words."""

from collections.abc import Iterable, Sequence

from gitmem.app import App
from gitmem.model.frozen import dataclass
from gitmem.search import commit_affinity, file_kinds
from gitmem.search.query import QueryTerm
from gitmem.store.code import chunks, code_search, commits, symbols
from gitmem.store.code.symbols import Symbol
from gitmem.timeline import trace_places
from gitmem.timeline.trace_places import StackFrame

_AROUND = 3  # lines around one that a trace names
_LESS = 0.7  # the factor from one frame to the next
_MAX_MATCHES = 3  # files that a name without folders may stand for
_DEFINED, _MAX_DEFINED = 0.6, 6  # the weight of a named definition, and the most of them
_ALIKE, _MAX_ALIKE, _CHUNKS = 0.5, 5, 40
_MESSAGES = 60
_MAX_DEFINITION_LINES = 200  # lines of a definition


@dataclass(frozen=True, slots=True)
class WeightedLineRange:
    """The lines ``first`` to ``last`` of a file that an error leads to.

    ``weight`` (0 to 1) says how surely; ``exact`` are the lines that the error itself names.
    """

    path: str
    first: int
    last: int
    weight: float
    exact: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class CodeNamedByError:
    """The files and names that an error is about.

    ``traced`` maps files that the error names, ``likely`` files that have its words, to weights (0
    to 1); ``names`` are its names that are defined here. ``stretches`` are line ranges to read, the
    surest first.
    """

    traced: dict[str, float]
    likely: dict[str, float]
    names: tuple[str, ...]
    stretches: tuple[WeightedLineRange, ...]

    @property
    def names_any_code(self) -> bool:
        """Whether the error names any file or definition of this repository."""
        return bool(self.traced or self.names)


def find_code_of_error(
    app: App,
    error_text: str,
    terms: Sequence[QueryTerm],
    path_and_line: tuple[str, int] | None = None,
) -> CodeNamedByError:
    """Return the files, lines and names in this repository that an error is about.

    ``error_text`` is its message or trace, ``terms`` are its words, ``path_and_line`` is one more
    place to count. Empty without a store, since it reads the index.
    """
    if not app.has_store:
        return CodeNamedByError({}, {}, (), ())
    traced: dict[str, float] = {}
    stretches: list[WeightedLineRange] = []
    weight = 1.0
    given = [StackFrame(path_and_line[0], path_and_line[1], "", False)] if path_and_line else []
    for named in (*given, *trace_places.read_stack_frames(error_text)):
        paths = _paths(app, named)
        for path in paths:
            sure = weight / len(paths)
            part = 0.5 if file_kinds.is_test_path(path) else 1.0
            traced[path] = max(traced.get(path, 0.0), sure * part)
            if named.line:
                low, high = max(1, named.line - _AROUND), named.line + _AROUND
                # The author of a failing test's line did not break the tested code.
                exact = () if file_kinds.is_test_path(path) else (named.line,)
                stretches.append(WeightedLineRange(path, low, high, traced[path], exact))
        weight *= _LESS if paths else 1.0
    defined = _named_definitions(app, error_text, traced)
    for symbol in defined[:_MAX_DEFINED]:
        last = min(symbol.end_line, symbol.start_line + _MAX_DEFINITION_LINES)
        stretches.append(WeightedLineRange(symbol.path, symbol.start_line, last, _DEFINED))
    alike, likely = _similar_code(app, terms)
    stretches += alike
    names = tuple(dict.fromkeys(symbol.name for symbol in defined))
    stretches.sort(key=lambda stretch: -stretch.weight)
    return CodeNamedByError(traced, likely, names, tuple(stretches))


def _paths(app: App, place: StackFrame) -> list[str]:
    """The files of this repository that a place may stand for; for a library's only a sure one."""
    paths = chunks.paths_with_suffixes(app.store, app.worktree, [place.file], 4 * _MAX_MATCHES)
    paths.sort(key=lambda path: -len(path))
    if not paths:
        return []
    longest = [path for path in paths if place.file.endswith(path)][:1]
    if place.foreign or place.file.startswith("/"):
        # An installed copy leads to its source, but the bare file name of a library to nothing.
        return [path for path in longest if "/" in path or not place.foreign]
    return longest or (paths if len(paths) <= _MAX_MATCHES else [])


def _named_definitions(app: App, text: str, traced: Iterable[str]) -> list[Symbol]:
    """The definitions that the text names, without tests; those in files of the trace first."""
    places = [
        place.name
        for place in trace_places.read_stack_frames(text)
        if place.name and not place.foreign
    ]
    own = trace_places.remove_library_frames(text)
    names = list(dict.fromkeys([*places, *trace_places.find_code_like_words(own)]))
    if not names:
        return []
    candidates = symbols.definitions_of_names(app.store, app.worktree, names, 8 * _MAX_DEFINED)
    exact = [
        symbol
        for symbol in candidates
        if symbol.name in names and not file_kinds.is_test_path(symbol.path)
    ]
    order = {name: number for number, name in enumerate(names)}
    inside = set(traced)
    return sorted(
        exact, key=lambda symbol: (symbol.path not in inside, order[symbol.name], symbol.path)
    )


def _similar_code(
    app: App, terms: Sequence[QueryTerm]
) -> tuple[list[WeightedLineRange], dict[str, float]]:
    """Code with the words of the text, and the files that they lead to."""
    expression = " OR ".join(term.expression for term in terms)
    best = code_search.best_matching_rows(app.store, "chunk", expression, _CHUNKS)
    heads = chunks.chunk_metadata_by_row_number(
        app.store, app.worktree, [number for number, _ in best]
    )
    top = max((score for _, score in best), default=0.0) or 1.0
    likely: dict[str, float] = {}
    stretches = list[WeightedLineRange]()
    for number, score in best:
        head = heads.get(number)
        if head is None or file_kinds.kinds_of_file(head.path, head.language):
            continue
        worth = score / top
        likely[head.path] = max(likely.get(head.path, 0.0), worth)
        if len(stretches) < _MAX_ALIKE:
            stretches.append(
                WeightedLineRange(head.path, head.start_line, head.end_line, _ALIKE * worth**2)
            )
    past = _files_of_similar_commits(app, expression)
    for path, worth in past.items():
        likely[path] = 0.5 * likely.get(path, 0.0) + 0.5 * worth
    return stretches, likely


def _files_of_similar_commits(app: App, expression: str) -> dict[str, float]:
    """File -> weight by past commits with a message similar to the text."""
    best = code_search.best_matching_rows(app.store, "message", expression, _MESSAGES)
    rows = commits.times_and_changed_paths_of_commits(app.store, [number for number, _ in best])
    changed = {number: (at, paths) for number, at, paths in rows}
    scored = [(score, *changed[number]) for number, score in best if number in changed]
    return commit_affinity.score_files_by_commits(scored, commits.newest_commit_time(app.store))
