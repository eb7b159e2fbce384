"""Gathering the evidence for an answer: the steps of a plan are run, and their hits read."""

from collections.abc import Mapping, Sequence
from time import perf_counter

from gitmem.app import App
from gitmem.assembly import code_spans, remembered
from gitmem.assembly.code_spans import AnsweringFile, Lines
from gitmem.errors import InvalidInput
from gitmem.indexing import commit_releases
from gitmem.model.frozen import dataclass, replace
from gitmem.model.memory import Memory
from gitmem.retrieval import explicit_files, hit_view, present_text, repository_search, search_notes
from gitmem.retrieval.edited_file import EDITED
from gitmem.retrieval.hit_view import HitItem
from gitmem.retrieval.question import FileScope, Question
from gitmem.retrieval.symbols import symbol_lookup
from gitmem.search import asked_value, file_kinds
from gitmem.search.cited_sentences import Passage
from gitmem.search.question import parse_question
from gitmem.search.question_plan import QuestionPlan, QuestionPlanStep
from gitmem.search.spans import LineSpan
from gitmem.store.code import chunks, indexed_files
from gitmem.store.code.indexed_files import WorktreeIndexState
from gitmem.text import note_lines
from gitmem.text.fence import make_printable
from gitmem.text.redact import redact

FILES = FileScope(frozenset(("code", "notes")))
# A symbol of at most so many lines is cited whole; of a longer one the lines that answer are.
MAX_LINES = 40
# The score of a file's further chunks relative to its best one.
BESIDE = 0.85
# Hits of a lookup by name that are read: a name used in fifty files says little in each of them.
MAX_NAMED = 4
# Score, relative to the best match, from which a match is the name itself (in another case) and
# not a longer name that begins with it.
_SAME_NAME = 0.9
# Files of settings and documents that are read for a number, and lines of them that are shown.
_VALUE_FILES, _VALUES = 10, 2
# Bonus of such a line over the chunk that the search found, and over other such lines if it is in
# the file where projects usually keep that value.
_TELLS, _USUAL = 0.4, 0.3
# For a question about a decision, a recalled memory ranks before code that says the same.
_DECIDED = 1.3
# Factor of what was said in a session, unless the question is about that.
_TALK = 0.6
_DECISIONS = ("decision", "convention", "preference")


@dataclass(frozen=True, slots=True)
class EvidencePassage:
    """A passage of a file, or a memory or commit, that may answer a question.

    ``item`` is the search hit, ``step`` the number of the search step (from 0) that found it.
    ``exact`` says that it was looked up by name, ``memory`` is set for a memory, ``tells`` is added
    to its value if it holds the number that was asked for.
    """

    passage: Passage
    item: HitItem
    step: int = 0
    exact: bool = False
    memory: Memory | None = None
    tells: float = 0.0

    @property
    def score(self) -> float:
        """How well the passage matches the question, 0 to 1."""
        return self.passage.score


@dataclass(frozen=True, slots=True)
class QuestionEvidence:
    """What was found for a question: ``places`` are passages, best first; ``steps`` the searches.

    ``best`` is the best score, 0 to 1, by source (codebase, decisions, patterns); ``notes`` are
    sentences on what was not searched.
    """

    places: tuple[EvidencePassage, ...]
    question: Question
    steps: tuple[QuestionPlanStep, ...]
    best: Mapping[str, float]
    notes: tuple[str, ...] = ()


def gather_question_evidence(
    app: App, text: str, plan: QuestionPlan, *, open_file: str = "", scope: FileScope = FILES
) -> QuestionEvidence:
    """Run the searches of ``plan`` for the question ``text`` and return what they found.

    ``scope`` limits the files; if it excludes any, commits and memories are left out. Files near
    ``open_file`` rank higher. Raises InvalidInput if ``text`` has no word to search for.
    """
    indexed_state = indexed_files.worktree_index_state(app.store, app.worktree)
    question = repository_search.prepare_question(
        app, text, plan.limit, mode="hybrid", near_path=open_file, embed_new_memories=False
    )
    memories = [] if scope.excludes_files else remembered.recall_memories_for_question(app, text)
    places: list[EvidencePassage] = []
    steps, notes = [], [*search_notes.explain_keyword_only_search([question.lacks])]
    for number, step in enumerate(plan.steps):
        began = perf_counter()
        some: list[EvidencePassage] = []
        # The verb of a form was called already, and does not know the name.
        if step.form or (scope.excludes_files and step.mode == "commits"):
            pass
        elif step.mode == "commits":
            some = [
                _of_commit(score, item)
                for score, item in remembered.find_commits_for_question(app, question)
            ]
        elif step.mode:
            hits, total = _look_up(app, step, scope)
            some = [place for place in _read(app, hits, indexed_state) if _holds_name(step, place)]
            if step.mode == plan.kind and not total:
                notes.append(f"Nothing is found by: {step.command}")
            elif step.mode != "symbol" and total > MAX_NAMED:
                notes.append(f"{MAX_NAMED} of {total} places are looked at; all: {step.command}")
        elif step.verb == "recall":
            some = [
                _of_memory(memory, _DECIDED)
                for memory in memories
                if plan.kind == "memory" or memory.hit.memory.kind in _DECISIONS
            ]
        elif step.runs:
            some = _search(app, question, indexed_state, scope)
            some += [_of_memory(memory, 1.0) for memory in memories]
            if not scope.excludes_files:
                some += _exchanges(app, question)
        places += [replace(place, step=number) for place in some]
        took = round(1000 * (perf_counter() - began), 1)
        steps.append(replace(step, found=len(some), milliseconds=took))
    # Uses that were looked up go before the definition, which may hold the same lines.
    places.sort(
        key=lambda place: (
            not place.exact,
            place.step if place.exact else 0,
            -place.score - place.tells,
        )
    )
    best = _best_by_part(places)
    return QuestionEvidence(tuple(_distinct(places)), question, tuple(steps), best, tuple(notes))


def _look_up(app: App, step: QuestionPlanStep, scope: FileScope) -> tuple[list[HitItem], int]:
    """The first hits of a lookup by name, and the total."""
    try:
        hits = symbol_lookup.look_up_symbols(
            app, step.mode, parse_question(step.argument), scope, ()
        )
    except InvalidInput:  # no such name: a search for the whole question follows
        return [], 0
    if step.mode == "symbol":
        hits = [hit for hit in hits if hit.score >= _SAME_NAME * hits[0].score
                 and hit.why[0] in ("exact name", "case-insensitive match")]  # fmt: skip
    return hits[:MAX_NAMED], len(hits)


def _holds_name(step: QuestionPlanStep, evidence: EvidencePassage) -> bool:
    """Whether a line holds the last two parts of a dotted name: not ``", ".join`` for path.join."""
    parts = step.argument.replace("::", ".").split(".")[-2:]
    text = " ".join(evidence.passage.lines.values())
    return step.mode in ("symbol", "config") or all(part in text for part in parts)


def _search(
    app: App, question: Question, known: WorktreeIndexState | None, scope: FileScope
) -> list[EvidencePassage]:
    """The places found by a search for the whole question."""
    sources = repository_search.SearchSources(
        scope, commits=not scope.excludes_files, memories=False
    )
    best = repository_search.rank_hits(app, question, sources, mode="hybrid", fusion_method="score")
    files = [(hit.score, item) for hit, item in best if item.kind in ("code", "note")]
    answers = code_spans.answering_files_of_hits(app, question, known, files)
    places = [part for answer in answers for part in _of_file(answer)]
    places += _value_lines(app, question, known, files)
    release = commit_releases.make_first_release_lookup(app)
    past = [(hit.score, item) for hit, item in best if item.kind == "commit"]
    return places + [
        _of_commit(score, replace(item, release=release(item.commit))) for score, item in past
    ]


def _value_lines(
    app: App,
    question: Question,
    known: WorktreeIndexState | None,
    files: Sequence[tuple[float, HitItem]],
) -> list[EvidencePassage]:
    """The lines of the found ``files`` that hold the number a question asks for.

    Only settings and documents are read; each line has the score of its file.
    """
    query = question.parsed
    if not asked_value.asks_for_number(query.text):
        return []
    rarity = asked_value.idf_for_number_question(
        repository_search.idf_of_words(app, query.words)[0]
    )
    related = explicit_files.related_code_word_idf(app, query)
    usual = explicit_files.usual_answer_files(app, query)
    shown = chunks.indexed_files_by_path(app.store, app.worktree, [item.path for _, item in files])
    there = []
    for score, item in files:
        file = shown.get(item.path)
        if file is None or not (
            item.kind == "note" or "config" in file_kinds.kinds_of_file(item.path, file.language)
        ):
            continue
        if line := asked_value.best_line_with_number(
            item.path, chunks.line_texts_of_blob(app.store, file.blob), rarity, related
        ):
            at, value = line
            value += _USUAL if item.path in usual else 0.0
            there.append((score, replace(item, start_line=at, end_line=at), value))
        if len(there) == _VALUE_FILES:
            break
    there.sort(key=lambda line: -line[2])
    scores = {item.path: score for score, item, _ in there}
    lines = [item for _, item, _ in there[:_VALUES]]
    return [
        EvidencePassage(
            replace(place.passage, score=scores[place.item.path]), place.item, tells=_TELLS
        )
        for place in _read(app, lines, known)
    ]


def _of_file(answer: AnsweringFile) -> list[EvidencePassage]:
    """The best chunk of a file, and the best spans outside it."""
    item = answer.item
    lead = item.start_line or 1, item.end_line or 1
    inside = [pair for pair in answer.spans if lead[0] <= pair[0].first <= lead[1]]
    beside = [pair for pair in answer.spans if pair not in inside]
    if lead[1] - lead[0] >= MAX_LINES and inside:
        lead = _readable_lines(*inside[0])
    places = [_of_lines(answer, lead, answer.score)]
    places += [_of_lines(answer, _readable_lines(*span), BESIDE * answer.score) for span in beside]
    return places


def _readable_lines(span: LineSpan, wide: Lines) -> Lines:
    """The symbol around a span if that is short enough to be cited whole, else the span."""
    return wide if wide[1] - wide[0] < MAX_LINES else (span.first, span.last)


def _of_lines(answer: AnsweringFile, lines: Lines, score: float) -> EvidencePassage:
    first, last = lines
    text = {line: answer.known[line] for line in range(first, last + 1) if line in answer.known}
    item = replace(answer.item, start_line=first, end_line=last)
    in_code = item.kind == "note" and note_lines.is_in_code(
        _lines_before(answer, first), answer.known.get(first, "")
    )
    return EvidencePassage(Passage(item.kind, text, score, in_code), item)


def _lines_before(answer: AnsweringFile, line: int) -> list[str]:
    """The known lines before a line, the nearest first."""
    lines = []
    while (line := line - 1) in answer.known:
        lines.append(answer.known[line])
    return lines


def _of_commit(score: float, item: HitItem) -> EvidencePassage:
    text = make_printable(redact(item.title).text)
    return EvidencePassage(
        Passage("commit", {1: text}, score), replace(item, title=text, snippet=text)
    )


def _exchanges(app: App, question: Question) -> list[EvidencePassage]:
    """What was said in imported sessions; behind the rest unless sessions are asked about."""
    factor = 1.0 if remembered.asks_about_sessions(question.parsed.text) else _TALK
    return [
        EvidencePassage(
            Passage("session", dict(enumerate(item.snippet.split("\n"), 1)), factor * score),
            replace(item, note=_session_note(item)),
        )
        for score, item in remembered.find_exchanges_for_question(app, question)
    ]


def _session_note(item: HitItem) -> str:
    """The note on what was said: to whom and when, and the commits that came of it."""
    when = f"said to {item.author} on {(item.at or '')[:10]}, not checked"
    return "; ".join([when, *filter(None, item.note.split("\n"))])


def _of_memory(answer: remembered.RecalledMemory, factor: float) -> EvidencePassage:
    memory = answer.hit.memory
    text = make_printable(redact(remembered.memory_full_text(memory)).text)
    item = hit_view.make_memory_hit(memory, text, answer.reasons_to_check)
    score = min(answer.hit.score * factor, 1.0)
    passage = Passage("memory", {1: " ".join(text.split())}, score)
    return EvidencePassage(passage, item, memory=memory)


def evidence_of_hits(app: App, hits: Sequence[HitItem]) -> list[EvidencePassage]:
    """Return the files behind search hits as evidence, with the lines that they have now.

    Hits in files that are not indexed are left out.
    """
    return _read(app, hits, indexed_files.worktree_index_state(app.store, app.worktree))


def _read(
    app: App, hits: Sequence[HitItem], known: WorktreeIndexState | None
) -> list[EvidencePassage]:
    pieces = [piece for hit in hits if (piece := _enclosing_chunk(app, hit)) is not None]
    now = present_text.update_hits_from_files(app, known, [item for item, _ in pieces])
    evidence = []
    for place, (item, (_, lines)) in enumerate(zip(now.items, pieces, strict=True)):
        if item is not None and item.start_line is not None:
            evidence.append(_looked_up(item, lines, 1.0 - 0.02 * place))
    return evidence


def _enclosing_chunk(app: App, hit: HitItem) -> tuple[HitItem, Lines] | None:
    """The indexed chunk around a hit, and the lines of the hit itself."""
    line = hit.start_line or 1
    head = chunks.chunk_at_line(app.store, app.worktree, hit.path, line)
    if head is None:
        return None
    item = replace(
        hit,
        start_line=head.start_line,
        end_line=head.end_line,
        snippet=chunks.chunk_texts(app.store, [head.id])[head.id],
    )
    return item, (line, min(max(hit.end_line or line, line), head.end_line))


def _looked_up(item: HitItem, hit_lines: Lines, score: float) -> EvidencePassage:
    start = item.start_line or 1
    text = make_printable(redact(item.snippet).text)
    text_by_line = dict(enumerate(text.split("\n"), start))
    # In an edited file lines have moved: then the whole chunk is shown.
    first, last = (start, max(text_by_line)) if EDITED in item.why else hit_lines
    last = min(last, first + MAX_LINES - 1)
    lines = {line: text_by_line[line] for line in range(first, last + 1) if line in text_by_line}
    item = replace(item, start_line=first, end_line=last)
    return EvidencePassage(Passage(item.kind, lines, score), item, exact=True)


def _distinct(places: Sequence[EvidencePassage]) -> list[EvidencePassage]:
    """Each place once: of two with common lines, or the same commit or memory, the better."""
    distinct: list[EvidencePassage] = []
    for place in places:
        if place.passage.lines and not any(
            _same_place(place.item, other.item) for other in distinct
        ):
            distinct.append(place)
    return distinct


def _same_place(left: HitItem, right: HitItem) -> bool:
    if left.id or left.commit or right.id or right.commit:
        return (left.id, left.commit) == (right.id, right.commit)
    lines = (left.start_line, left.end_line, right.start_line, right.end_line)
    if left.path != right.path or None in lines:
        return left.path == right.path
    return left.start_line <= right.end_line and right.start_line <= left.end_line  # type: ignore[operator]


def _best_by_part(places: Sequence[EvidencePassage]) -> dict[str, float]:
    """The best score of code, of decisions and of patterns."""
    best: dict[str, float] = {"codebase": 0.0}
    for place in places:
        kind = place.item.context if place.item.kind == "memory" else "codebase"
        part = {"decision": "decisions", "codebase": "codebase"}.get(kind, "patterns")
        best[part] = max(best.get(part, 0.0), place.score)
    return best
