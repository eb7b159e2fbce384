"""What an answer may be drawn from: the steps of a plan carried out, each hit with its lines."""

from collections.abc import Mapping, Sequence
from time import perf_counter

from gitmem.app import App
from gitmem.assembly import code_spans, remembered
from gitmem.assembly.code_spans import Answer, Lines
from gitmem.errors import InvalidInput
from gitmem.indexing import commit_releases
from gitmem.model.frozen import dataclass, replace
from gitmem.model.memory import Memory
from gitmem.retrieval import (
    explicit_files,
    hit_view,
    present_text,
    repository_search,
    search_notes,
    symbol_lookup,
)
from gitmem.retrieval.edited_file import EDITED
from gitmem.retrieval.hit_view import HitItem
from gitmem.retrieval.question import Question, Scope
from gitmem.search import asked_value, file_kinds
from gitmem.search.cited_sentences import Passage
from gitmem.search.question import read
from gitmem.search.question_plan import QuestionPlan, Step
from gitmem.search.spans import Span
from gitmem.store.code import chunks, indexed_files
from gitmem.store.code.indexed_files import TreeState
from gitmem.text import note_lines
from gitmem.text.fence import neutralise
from gitmem.text.redact import redact

FILES = Scope(frozenset(("code", "notes")))
# A symbol that is cited whole has at most so many lines; of a longer one those that answer are.
MOST_LINES = 40
# How well another piece of a file answers than the one that stands for it.
BESIDE = 0.85
# Hits of a lookup by name that are read: a name that fifty files use says little in each of them.
MOST_NAMED = 4
# A name that is written otherwise is still the name; one that only begins so is another.
_SAME_NAME = 0.9
# Files of settings and documents that are read for a number, and lines that are told of them.
_VALUE_FILES, _VALUES = 10, 2
# What such a line counts more than the piece of its file that the search found, and what it does
# beside others where projects keep what is asked.
_TELLS, _USUAL = 0.4, 0.3
# What recall brings for a question about a decision stands before code that says the same.
_DECIDED = 1.3
_DECISIONS = ("decision", "convention", "preference")


@dataclass(frozen=True, slots=True)
class Evidence:
    """A place that may answer: its lines, the hit it is from, the step that found it.

    ``exact`` says that a name was looked up, so nobody has to judge how like it is. ``memory`` is
    there where it is one. ``tells`` is what it counts that it tells a number asked for.
    """

    passage: Passage
    item: HitItem
    step: int = 0
    exact: bool = False
    memory: Memory | None = None
    tells: float = 0.0

    @property
    def score(self) -> float:
        """How well it answers, 0 to 1."""
        return self.passage.score


@dataclass(frozen=True, slots=True)
class Gathered:
    """The places, the best first, and the steps that were run.

    ``best`` has by part of a repository how well its best answers, as confidence is judged.
    ``notes`` say what was not looked at.
    """

    places: tuple[Evidence, ...]
    question: Question
    steps: tuple[Step, ...]
    best: Mapping[str, float]
    notes: tuple[str, ...] = ()


def gather(app: App, text: str, plan: QuestionPlan, *, near: str = "") -> Gathered:
    """Carry out the steps of a plan that run. Raises InvalidInput for a question without a word."""
    known = indexed_files.state(app.store, app.worktree)
    question = repository_search.question(
        app, text, plan.limit, mode="hybrid", near=near, memories=False
    )
    memories = remembered.about(app, text)
    places: list[Evidence] = []
    steps, notes = [], [*search_notes.by_words_alone([question.lacks])]
    for number, step in enumerate(plan.steps):
        began = perf_counter()
        some: list[Evidence] = []
        if step.form:  # it was asked, and does not know the name
            pass
        elif step.mode == "commits":
            some = [_commit(score, item) for score, item in remembered.commits(app, question)]
        elif step.mode:
            hits, total = _named(app, step)
            some = [one for one in _read(app, hits, known) if _holds(step, one)]
            if step.mode == plan.kind and not total:
                notes.append(f"Nothing is found by: {step.command}")
            elif step.mode != "symbol" and total > MOST_NAMED:
                notes.append(f"{MOST_NAMED} of {total} places are looked at; all: {step.command}")
        elif step.verb == "recall":
            some = [
                _memory(memory, _DECIDED)
                for memory in memories
                if memory.hit.memory.kind in _DECISIONS
            ]
        elif step.runs:
            some = _whole(app, question, known)
            some += [_memory(memory, 1.0) for memory in memories]
        places += [replace(one, step=number) for one in some]
        took = round(1000 * (perf_counter() - began), 1)
        steps.append(replace(step, found=len(some), milliseconds=took))
    # What a name was looked up for goes before its definition, which may hold the same lines.
    places.sort(
        key=lambda one: (not one.exact, one.step if one.exact else 0, -one.score - one.tells)
    )
    best = _best(places)
    return Gathered(tuple(_each(places)), question, tuple(steps), best, tuple(notes))


def _named(app: App, step: Step) -> tuple[list[HitItem], int]:
    """The first hits of a lookup of a name, and how many there are."""
    try:
        found = symbol_lookup.find(app, step.mode, read(step.argument), FILES, ())
    except InvalidInput:  # no such name: the search for the whole question follows
        return [], 0
    if step.mode == "symbol":
        found = [one for one in found if one.score >= _SAME_NAME * found[0].score
                 and one.why[0] in ("exact name", "case-insensitive match")]  # fmt: skip
    return found[:MOST_NAMED], len(found)


def _holds(step: Step, evidence: Evidence) -> bool:
    """Whether a line that uses a dotted name has what the name stands in: not ``", ".join``."""
    parts = step.argument.replace("::", ".").split(".")[-2:]
    text = " ".join(evidence.passage.lines.values())
    return step.mode in ("symbol", "config") or all(part in text for part in parts)


def _whole(app: App, question: Question, known: TreeState | None) -> list[Evidence]:
    """What the search for the whole question brings."""
    sources = repository_search.Sources(FILES, commits=True, memories=False)
    best = repository_search.ranked(app, question, sources, mode="hybrid", method="score")
    files = [(hit.score, item) for hit, item in best if item.kind in ("code", "note")]
    answers = code_spans.of_hits(app, question, known, files)
    found = [part for answer in answers for part in _file(answer)]
    found += _values(app, question, known, files)
    release = commit_releases.of(app)
    past = [(hit.score, item) for hit, item in best if item.kind == "commit"]
    return found + [
        _commit(score, replace(item, release=release(item.commit))) for score, item in past
    ]


def _values(
    app: App,
    question: Question,
    known: TreeState | None,
    files: Sequence[tuple[float, HitItem]],
) -> list[Evidence]:
    """The lines of settings and documents that tell the number a question asks for.

    Each with the score of its file; ``files`` are those found.
    """
    asked = question.asked
    if not asked_value.is_asked(asked.text):
        return []
    rarity = asked_value.subject(repository_search.rarity(app, asked.words)[0])
    related = explicit_files.other_words(app, asked)
    usual = explicit_files.usual(app, asked)
    shown = chunks.shown(app.store, app.worktree, [item.path for _, item in files])
    there = []
    for score, item in files:
        file = shown.get(item.path)
        if file is None or not (
            item.kind == "note" or "config" in file_kinds.kinds(item.path, file.language)
        ):
            continue
        if line := asked_value.best_line(
            item.path, chunks.lines_of(app.store, file.blob), rarity, related
        ):
            at, value = line
            value += _USUAL if item.path in usual else 0.0
            there.append((score, replace(item, start_line=at, end_line=at), value))
        if len(there) == _VALUE_FILES:
            break
    there.sort(key=lambda one: -one[2])
    scores = {item.path: score for score, item, _ in there}
    lines = [item for _, item, _ in there[:_VALUES]]
    return [
        Evidence(replace(one.passage, score=scores[one.item.path]), one.item, tells=_TELLS)
        for one in _read(app, lines, known)
    ]


def _file(answer: Answer) -> list[Evidence]:
    """The piece that stands for a file, and the best span of another of its pieces."""
    item = answer.item
    lead = item.start_line or 1, item.end_line or 1
    inside = [pair for pair in answer.spans if lead[0] <= pair[0].first <= lead[1]]
    beside = [pair for pair in answer.spans if pair not in inside]
    if lead[1] - lead[0] >= MOST_LINES and inside:
        lead = _readable(*inside[0])
    found = [_stretch(answer, lead, answer.score)]
    found += [_stretch(answer, _readable(*one), BESIDE * answer.score) for one in beside]
    return found


def _readable(span: Span, wide: Lines) -> Lines:
    """The symbol around a span where that is short enough to be read, else the span."""
    return wide if wide[1] - wide[0] < MOST_LINES else (span.first, span.last)


def _stretch(answer: Answer, lines: Lines, score: float) -> Evidence:
    first, last = lines
    text = {line: answer.known[line] for line in range(first, last + 1) if line in answer.known}
    item = replace(answer.item, start_line=first, end_line=last)
    in_code = item.kind == "note" and note_lines.opens_code(
        _before(answer, first), answer.known.get(first, "")
    )
    return Evidence(Passage(item.kind, text, score, in_code), item)


def _before(answer: Answer, line: int) -> list[str]:
    """The known lines that lead up to a line, from the last on."""
    lines = []
    while (line := line - 1) in answer.known:
        lines.append(answer.known[line])
    return lines


def _commit(score: float, item: HitItem) -> Evidence:
    text = neutralise(redact(item.title).text)
    return Evidence(Passage("commit", {1: text}, score), replace(item, title=text, snippet=text))


def _memory(one: remembered.Remembered, factor: float) -> Evidence:
    memory = one.hit.memory
    text = neutralise(redact(remembered.said(memory)).text)
    item = hit_view.of_memory(memory, text, one.doubts)
    score = min(one.hit.score * factor, 1.0)
    passage = Passage("memory", {1: " ".join(text.split())}, score)
    return Evidence(passage, item, memory=memory)


def read_places(app: App, hits: Sequence[HitItem]) -> list[Evidence]:
    """The lines of some places as they stand now; what is not indexed is left out."""
    return _read(app, hits, indexed_files.state(app.store, app.worktree))


def _read(app: App, hits: Sequence[HitItem], known: TreeState | None) -> list[Evidence]:
    """What was looked up, read as it stands now."""
    pieces = [piece for hit in hits if (piece := _piece(app, hit)) is not None]
    now = present_text.present(app, known, [item for item, _ in pieces])
    evidence = []
    for place, (item, (_, wanted)) in enumerate(zip(now.items, pieces, strict=True)):
        if item is not None and item.start_line is not None:
            evidence.append(_lines(item, wanted, 1.0 - 0.02 * place))
    return evidence


def _piece(app: App, hit: HitItem) -> tuple[HitItem, tuple[int, int]] | None:
    """The indexed piece that a hit stands in, and the lines of the hit in it."""
    line = hit.start_line or 1
    head = chunks.at_line(app.store, app.worktree, hit.path, line)
    if head is None:
        return None
    item = replace(
        hit,
        start_line=head.start_line,
        end_line=head.end_line,
        snippet=chunks.texts(app.store, [head.id])[head.id],
    )
    return item, (line, min(max(hit.end_line or line, line), head.end_line))


def _lines(item: HitItem, wanted: tuple[int, int], score: float) -> Evidence:
    start = item.start_line or 1
    text = neutralise(redact(item.snippet).text)
    known = dict(enumerate(text.split("\n"), start))
    # The lines of a file that was edited have moved; then all that was read is shown.
    first, last = (start, max(known)) if EDITED in item.why else wanted
    last = min(last, first + MOST_LINES - 1)
    lines = {line: known[line] for line in range(first, last + 1) if line in known}
    item = replace(item, start_line=first, end_line=last)
    return Evidence(Passage(item.kind, lines, score), item, exact=True)


def _each(places: Sequence[Evidence]) -> list[Evidence]:
    """Each place once: of two that share lines, a commit or a memory, the better."""
    kept: list[Evidence] = []
    for place in places:
        if place.passage.lines and not any(_same(place.item, other.item) for other in kept):
            kept.append(place)
    return kept


def _same(hit_item: HitItem, other: HitItem) -> bool:
    if hit_item.id or hit_item.commit or other.id or other.commit:
        return (hit_item.id, hit_item.commit) == (other.id, other.commit)
    lines = (hit_item.start_line, hit_item.end_line, other.start_line, other.end_line)
    if hit_item.path != other.path or None in lines:
        return hit_item.path == other.path
    return hit_item.start_line <= other.end_line and other.start_line <= hit_item.end_line  # type: ignore[operator]


def _best(places: Sequence[Evidence]) -> dict[str, float]:
    """How well the best of code, decisions and patterns answers."""
    best: dict[str, float] = {"codebase": 0.0}
    for place in places:
        kind = place.item.context if place.item.kind == "memory" else "codebase"
        part = {"decision": "decisions", "codebase": "codebase"}.get(kind, "patterns")
        best[part] = max(best.get(part, 0.0), place.score)
    return best
