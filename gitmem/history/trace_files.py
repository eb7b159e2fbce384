"""Where in this repository an error leads: files of its trace, names in it, code like its words."""

from collections.abc import Iterable, Sequence

from gitmem.app import App
from gitmem.model.frozen import dataclass
from gitmem.search import commit_affinity, file_kinds
from gitmem.search.query import Term
from gitmem.store.code import chunks, code_search, commits, symbols
from gitmem.store.code.symbols import Symbol
from gitmem.timeline import trace_places
from gitmem.timeline.trace_places import TracePlace

_AROUND = 3  # lines around one that a trace names
_LESS = 0.7  # what the next frame counts of the one before
_FEW = 3  # files that a name without folders may mean
_DEFINED, _MOST_DEFINED = 0.6, 6  # what a named definition counts, and how many are looked at
_ALIKE, _MOST_ALIKE, _CHUNKS = 0.5, 5, 40
_MESSAGES = 60
_LONGEST = 200  # lines of a definition that are looked at


@dataclass(frozen=True, slots=True)
class Stretch:
    """Lines of a file that the error leads to, how surely (0 to 1), and those it names itself."""

    path: str
    first: int
    last: int
    weight: float
    exact: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Ground:
    """Where an error leads.

    ``traced`` are files that it names and ``likely`` those that its words lead to, each with how
    surely (0 to 1); ``names`` are defined here, and it holds them. ``stretches`` come the surest
    first.
    """

    traced: dict[str, float]
    likely: dict[str, float]
    names: tuple[str, ...]
    stretches: tuple[Stretch, ...]

    @property
    def known(self) -> bool:
        """Whether it names anything of this repository."""
        return bool(self.traced or self.names)


def find(
    app: App, text: str, terms: Sequence[Term], place: tuple[str, int] | None = None
) -> Ground:
    """Where a text, and the ``place`` (file and line) it was raised at, lead, as far as the index
    knows; nowhere without a store."""
    if not app.has_store:
        return Ground({}, {}, (), ())
    traced: dict[str, float] = {}
    stretches: list[Stretch] = []
    weight = 1.0
    given = [TracePlace(place[0], place[1], "", False)] if place else []
    for named in (*given, *trace_places.read(text)):
        paths = _paths(app, named)
        for path in paths:
            sure = weight / len(paths)
            part = 0.5 if file_kinds.is_test(path) else 1.0
            traced[path] = max(traced.get(path, 0.0), sure * part)
            if named.line:
                low, high = max(1, named.line - _AROUND), named.line + _AROUND
                # Who wrote the line of a test that fails did not break what it tests.
                exact = () if file_kinds.is_test(path) else (named.line,)
                stretches.append(Stretch(path, low, high, traced[path], exact))
        weight *= _LESS if paths else 1.0
    defined = _defined(app, text, traced)
    for one in defined[:_MOST_DEFINED]:
        last = min(one.end_line, one.start_line + _LONGEST)
        stretches.append(Stretch(one.path, one.start_line, last, _DEFINED))
    alike, likely = _alike(app, terms)
    stretches += alike
    names = tuple(dict.fromkeys(one.name for one in defined))
    stretches.sort(key=lambda one: -one.weight)
    return Ground(traced, likely, names, tuple(stretches))


def _paths(app: App, place: TracePlace) -> list[str]:
    """The files of this repository that a place may mean; of a library's only one surely meant."""
    found = chunks.ending(app.store, app.worktree, [place.file], 4 * _FEW)
    found.sort(key=lambda path: -len(path))
    if not found:
        return []
    longest = [one for one in found if place.file.endswith(one)][:1]
    if place.foreign or place.file.startswith("/"):
        # A copy that is installed leads to where it was made, and decoder.py of a library nowhere.
        return [one for one in longest if "/" in one or not place.foreign]
    return longest or (found if len(found) <= _FEW else [])


def _defined(app: App, text: str, traced: Iterable[str]) -> list[Symbol]:
    """Definitions that the text names, those in files of the trace first; no tests."""
    places = [one.name for one in trace_places.read(text) if one.name and not one.foreign]
    own = trace_places.without_libraries(text)
    named = list(dict.fromkeys([*places, *trace_places.names(own)]))
    if not named:
        return []
    found = symbols.by_keys(app.store, app.worktree, named, 8 * _MOST_DEFINED)
    exact = [one for one in found if one.name in named and not file_kinds.is_test(one.path)]
    order = {name: number for number, name in enumerate(named)}
    inside = set(traced)
    return sorted(exact, key=lambda one: (one.path not in inside, order[one.name], one.path))


def _alike(app: App, terms: Sequence[Term]) -> tuple[list[Stretch], dict[str, float]]:
    """Code that holds the words of the text, and the files that they lead to."""
    expression = " OR ".join(term.expression for term in terms)
    best = code_search.match(app.store, "chunk", expression, _CHUNKS)
    heads = chunks.heads(app.store, app.worktree, [number for number, _ in best])
    top = max((score for _, score in best), default=0.0) or 1.0
    likely: dict[str, float] = {}
    stretches = list[Stretch]()
    for number, score in best:
        head = heads.get(number)
        if head is None or file_kinds.kinds(head.path, head.language):
            continue
        worth = score / top
        likely[head.path] = max(likely.get(head.path, 0.0), worth)
        if len(stretches) < _MOST_ALIKE:
            stretches.append(Stretch(head.path, head.start_line, head.end_line, _ALIKE * worth**2))
    past = _past(app, expression)
    for path, worth in past.items():
        likely[path] = 0.5 * likely.get(path, 0.0) + 0.5 * worth
    return stretches, likely


def _past(app: App, expression: str) -> dict[str, float]:
    """The files that past commits with a message like the text changed."""
    best = code_search.match(app.store, "message", expression, _MESSAGES)
    rows = commits.changed(app.store, [number for number, _ in best])
    changed = {number: (at, paths) for number, at, paths in rows}
    found = [(score, *changed[number]) for number, score in best if number in changed]
    return commit_affinity.files(found, commits.newest_at(app.store))
