"""What a change would affect: dependants, tests, memories and history, with its risk."""

import os
from collections import Counter
from collections.abc import Sequence
from itertools import islice
from re import compile

from gitmem.app import App
from gitmem.clock import DAY
from gitmem.code_relations import by_name, graph_target, index_note
from gitmem.code_relations.by_name import NameOccurrences, UnknownUses
from gitmem.git import diff
from gitmem.git.diff import PathChange
from gitmem.git.lines.patch import WHOLE
from gitmem.graph import impact_score, risk
from gitmem.graph.impact_score import FileDependencyLink
from gitmem.graph.risk import ChangeRiskScore
from gitmem.impact import dependants
from gitmem.impact.dependants import DependantFile
from gitmem.languages import language
from gitmem.languages.index import RESOLVED
from gitmem.model.frozen import dataclass, replace
from gitmem.model.memory import Memory
from gitmem.retrieval import citing_memories
from gitmem.search import file_kinds
from gitmem.store.code import commits, graph_reads, symbols
from gitmem.store.code.graph_reads import GraphNode
from gitmem.store.code.symbols import Symbol
from gitmem.store.db.connection import Database
from gitmem.timeline import co_change
from gitmem.timeline.co_change import MIN_COMMON_COMMITS, SWEEPING, CoChangedFile

# Commits whose paths are compared, and the files shown of them.
MOST_COMMITS, MOST_TOGETHER, MOST_LIKELY = 2_000, 10, 10
# Files whose memories are looked up, the nearest first.
MOST_CITED = 50
# Names and files of a diff that are looked for by their names.
MOST_NAMED = 20
# What nearly every change touches, or a tool writes, is nothing to look at first.
_IDLE = frozenset({"changelog", "generated", "vendor"})
_MANUAL = compile(r"\.[1-9]$|(?:^|/)man/")
_RECENT_MS = 180 * DAY


@dataclass(frozen=True, slots=True)
class ImpactAssessment:
    """What a change would affect: files that depend on it, tests, memories about them; its risk.

    ``target`` is what changes, ``kind`` is file, symbol or diff. ``together`` are files that mostly
    changed in the same commits. ``scores`` are (path, score) by dependence and history together,
    the highest first; ``likely`` are the first paths that still exist. ``memories`` are pairs with
    the database of each. ``unknown`` counts uses that could not be resolved.
    """

    target: str
    kind: str
    paths: tuple[str, ...]
    names: tuple[str, ...]
    dependants: tuple[DependantFile, ...]
    tests: tuple[str, ...]
    together: tuple[CoChangedFile, ...]
    scores: tuple[tuple[str, float], ...]
    likely: tuple[str, ...]
    memories: tuple[tuple[Memory, Database], ...]
    unknown: UnknownUses
    note: str
    risk: ChangeRiskScore


@dataclass(frozen=True, slots=True)
class _Subject:
    """The target of a change: whole ``files``, and definitions (``symbols``)."""

    kind: str
    paths: tuple[str, ...]
    names: tuple[str, ...]
    nodes: tuple[GraphNode, ...]
    symbols: tuple[Symbol, ...]
    files: tuple[str, ...]
    note: str


def assess_impact(app: App, target_text: str, max_depth: int) -> ImpactAssessment:
    """Find what a change of a file or definition, or of a range of commits, would affect.

    ``target_text`` is a path, a name, or a range such as ``main..HEAD``; ``max_depth`` is how many
    steps of dependence (uses, imports) to follow. Raises InvalidInput for an empty text, NotFound
    if nothing has that name.
    """
    about = _subject(app, target_text)
    affected, places = _users(app, about, max_depth)
    unknown = by_name.count_possible_uses(places, _unresolved(about))
    tests = tuple(dependant.path for dependant in affected if dependant.test)
    past = _history(app, about.paths)
    users = {
        dependant.path: FileDependencyLink(dependant.depth, dependant.confidence)
        for dependant in affected
    }
    users |= dependants.links_of_neighbour_files(app, about.nodes, incoming_links=True)
    used = dependants.links_of_neighbour_files(app, about.nodes, incoming_links=False)
    scores = impact_score.rank_affected_files(users, used, past.strengths)
    together = (together for together in past.together if _there(app, together.path))
    likely = (path for path, _ in scores if past.is_worth_showing(path) and _there(app, path))
    near = [*about.paths, *(dependant.path for dependant in affected[:MOST_CITED])]
    memories = tuple(citing_memories.find_citing_memories(app, near))
    return ImpactAssessment(
        target=target_text,
        kind=about.kind,
        paths=about.paths,
        names=about.names,
        dependants=tuple(affected),
        tests=tests,
        together=tuple(islice(together, MOST_TOGETHER)),
        scores=tuple(scores),
        likely=tuple(islice(likely, MOST_LIKELY)),
        memories=memories,
        unknown=unknown,
        note=about.note,
        risk=risk.score_change_risk(
            replace(
                _facts(
                    app, about, affected, tests, [memory for memory, _ in memories], past.recent
                ),
                hidden=_hidden(unknown, about),
            )
        ),
    )


def _users(app: App, about: _Subject, depth: int) -> tuple[list[DependantFile], NameOccurrences]:
    """The files that depend on the target, and the places that name it."""
    affected = dependants.find_dependant_files(
        app, about.nodes, depth, whole_files=about.kind == "file"
    )
    if about.kind == "diff":
        affected = [dependant for dependant in affected if dependant.path not in about.paths]
    near = {dependant.path for dependant in affected if dependant.depth == 1}
    places = by_name.find_name_occurrences(app, about.symbols[:MOST_NAMED])
    for path in about.files[:MOST_NAMED]:
        places = places.combined_with(by_name.find_occurrences_of_file_names(app, path, near))
    named = dependants.find_files_naming_symbols(places, about.symbols)
    affected = [
        *affected,
        *(
            dependant
            for dependant in named
            if dependant.path not in {other.path for other in affected}
        ),
    ]
    return sorted(
        affected, key=lambda dependant: (dependant.depth, -dependant.confidence, dependant.path)
    ), places


def _unresolved(about: _Subject) -> tuple[str, ...]:
    # Beside definitions that changed, a lock file or a picture hides nothing.
    named = language if about.symbols else index_note.language_or_file_ending
    spoken = {named(path) for path in about.files}
    return index_note.names_of_unresolved_languages(
        spoken | {symbol.language for symbol in about.symbols}
    )


def _hidden(unknown: UnknownUses, about: _Subject) -> str:
    """The possible uses of the target, in a sentence; "" where there are none."""
    lack = (
        index_note.describe_unresolved_languages(unknown.unresolved)
        if about.files and unknown.unresolved
        else ""
    )
    return "; ".join(filter(None, (by_name.describe_possible_uses(unknown), lack)))


def _subject(app: App, query: str) -> _Subject:
    if ".." in query and "/.." not in query and not query.startswith(".."):
        changed = read_code_changed_by_diff(app, query)
        unread = [] if changed.symbols else [path for path in changed.paths if not language(path)]
        spoken = {language(path) for path in changed.paths}
        spoken |= {index_note.language_or_file_ending(path) for path in unread}
        return _Subject(
            "diff",
            changed.paths,
            changed.names,
            changed.nodes,
            changed.symbols,
            tuple(dict.fromkeys((*changed.files, *unread))),
            index_note.describe_language_gaps(app, spoken),
        )
    meant = graph_target.find_graph_target(app, query)
    note = index_note.describe_index_gaps(app, meant)
    if meant.path:
        only = (meant.path,)
        return _Subject("file", only, only, meant.nodes, (), only, note)
    nodes = graph_nodes_of_symbols(app, list(meant.symbols))
    paths = tuple(dict.fromkeys(symbol.path for symbol in meant.symbols))
    names = tuple(
        f"{symbol.path}:{graph_target.qualified_symbol_name(symbol)}" for symbol in meant.symbols
    )
    return _Subject("symbol", paths, names, tuple(nodes), meant.symbols, (), note)


@dataclass(frozen=True, slots=True)
class _Past:
    """Files that changed in the same commits, how strongly, and the number of recent commits."""

    counts: Counter[str]
    together: list[CoChangedFile]
    strengths: dict[str, float]
    recent: int

    def is_worth_showing(self, path: str) -> bool:
        """Whether a file is worth a look: no changelog or generated file, no text changed once."""
        if _IDLE.intersection(file_kinds.kinds_of_file(path, "")) or _MANUAL.search(path):
            return False
        code = language(path) in RESOLVED
        return code or self.counts.get(path, MIN_COMMON_COMMITS) >= MIN_COMMON_COMMITS


def _history(app: App, paths: Sequence[str]) -> _Past:
    counts: Counter[str] = Counter()
    strong: dict[str, float] = {}
    own = recent = 0
    for path in paths[:5]:
        log = commits.commits_in_period(app.store, path=path, limit=MOST_COMMITS)
        recent += sum(commit.at >= app.now - _RECENT_MS for commit in log)
        for other, weight in co_change.co_change_strengths(
            path, [commit.paths for commit in log]
        ).items():
            if other not in paths:
                strong[other] = strong.get(other, 0.0) + weight
        for commit in log:
            if len(commit.paths) <= SWEEPING:
                own += 1
                counts.update(set(commit.paths) - set(paths))
    changed = [
        CoChangedFile(path, count, round(count / own, 2))
        for path, count in counts.items()
        if count >= MIN_COMMON_COMMITS
    ]
    return _Past(
        counts, sorted(changed, key=lambda other: (-other.commits, other.path)), strong, recent
    )


def _there(app: App, path: str) -> bool:
    """Whether a file still exists; always true in a bare repository."""
    root = app.layout.worktree
    return not root or os.path.lexists(os.path.join(root, path))


def _facts(
    app: App,
    about: _Subject,
    found: Sequence[DependantFile],
    tests: Sequence[str],
    memories: Sequence[Memory],
    recent: int,
) -> risk.ChangeRiskCounts:
    # A file may hold both, code that uses it and tests of it.
    code = [
        dependant
        for dependant in found
        if "test" not in file_kinds.kinds_of_file(dependant.path, "")
    ]
    decided = sum(memory.kind == "decision" for memory in memories)
    return risk.ChangeRiskCounts(
        direct=sum(dependant.depth == 1 for dependant in code),
        dependants=len(code),
        tests=len(tests),
        decisions=decided,
        memories=len(memories) - decided,
        commits=recent,
        cyclic=any(dependants.is_in_import_cycle(app, path, found) for path in about.paths[:5]),
        folders=len({dependant.path.rpartition("/")[0] for dependant in code}),
    )


@dataclass(frozen=True, slots=True)
class CodeChangedByDiff:
    """What a diff changes: paths, definitions (symbols and names), nodes of the code graph.

    A node is a file or definition in the graph of calls and imports. ``files`` are the paths that
    changed as a whole.
    """

    paths: tuple[str, ...]
    names: tuple[str, ...]
    nodes: tuple[GraphNode, ...]
    symbols: tuple[Symbol, ...]
    files: tuple[str, ...]


def read_code_changed_by_diff(app: App, revision_range: str) -> CodeChangedByDiff:
    """Read what a diff, given as a range of commits such as ``main..HEAD``, changes.

    Raises NotFound or InvalidInput if the range names no commits.
    """
    between = diff.resolve_diff_sides(app.layout, revision_range)
    changes = diff.changed_paths(app.layout, between)
    hunks = diff.changed_hunks(
        app.layout, between, {change: None for change in changes if change.status in "MR"}
    )
    nodes: list[GraphNode] = []
    names: list[str] = []
    defined: list[Symbol] = []
    files: list[str] = []
    for change in changes:
        path = change.new or change.old
        spans = hunks.get(change.old or change.new, WHOLE)
        touched = _touched(app, path, change, spans)
        if touched is None:
            nodes += graph_target.graph_nodes_of_file(app, path)
            names.append(path)
            files.append(path)
            continue
        defined += touched
        names += [f"{path}:{graph_target.qualified_symbol_name(symbol)}" for symbol in touched]
        nodes += graph_target.graph_nodes_of_definitions(app, touched)
    paths = tuple(dict.fromkeys(path for change in changes for path in change.paths))
    names, nodes = list(dict.fromkeys(names)), list(dict.fromkeys(nodes))
    return CodeChangedByDiff(paths, tuple(names), tuple(nodes), tuple(defined), tuple(files))


def _touched(app: App, path: str, change: PathChange, spans: object) -> list[Symbol] | None:
    """The innermost definitions that changed; None where the whole file counts as changed."""
    if change.status not in "MR" or spans == WHOLE or not isinstance(spans, (list, tuple)):
        return None
    defined = symbols.symbols_of_path(app.store, app.worktree, path)
    found: dict[int, Symbol] = {}
    for hunk in spans:
        first, last = hunk.new[0], max(hunk.new[0], hunk.new[1])
        over = [
            symbol for symbol in defined if symbol.start_line <= last and first <= symbol.end_line
        ]
        if not over:
            continue  # imports, comments, values at the top
        inner = min(over, key=lambda symbol: (symbol.end_line - symbol.start_line, symbol.id))
        found[inner.id] = inner
    return list(found.values())


def graph_nodes_of_symbols(app: App, symbols: list[Symbol]) -> list[GraphNode]:
    """The nodes of some definitions and those inside them, in the graph of calls and imports."""
    nodes = graph_target.graph_nodes_of_definitions(app, symbols)
    for symbol in symbols:
        inside = graph_target.qualified_symbol_name(symbol) + "."
        there = graph_reads.nodes_of_file(app.store, app.worktree, symbol.path)
        nodes += [node for node in there if node.name.startswith(inside)]
    return list(dict.fromkeys(nodes))
