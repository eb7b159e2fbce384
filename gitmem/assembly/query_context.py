"""The context for a question within a token budget: session, code, memories, commits, archive."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache

from gitmem.app import App
from gitmem.assembly import answer_confidence, code_spans, remembered, token_budget
from gitmem.assembly.answer_confidence import UNJUDGED, AnswerConfidence
from gitmem.assembly.code_spans import AnsweringFile, ShownFileLines
from gitmem.assembly.remembered import RecalledMemory
from gitmem.maintenance import index_request
from gitmem.model.frozen import dataclass, replace
from gitmem.model.memory import Memory
from gitmem.model.section import AnswerSection
from gitmem.model.session import Session
from gitmem.retrieval import annotate, repository_search, request_filters, search_notes
from gitmem.retrieval.hit_view import HitItem
from gitmem.retrieval.memory_view import MemoryItem
from gitmem.retrieval.question import Question
from gitmem.search import pages, query, question_forms
from gitmem.sessions import feature_context
from gitmem.store.code import indexed_files
from gitmem.store.memory import memories
from gitmem.store.memory.filters import MemoryFilter
from gitmem.text.fence import one_line
from gitmem.text.token_ceiling import max_token_count
from gitmem.timeline.current_scores import NextStepSuggestion

TYPE_CHECKING = False  # most questions have no form: what answers those is not loaded for them
if TYPE_CHECKING:
    from gitmem.assembly.cited_answer import CitedAnswer, FormAnswerer
    from gitmem.search.question_forms import KnownQuestion

Count = Callable[[str], int]

# How 6,000 tokens are shared. What a section does not need goes to the next ones, in this order.
SHARES = {
    "answer": 1000,
    "code": 3200,
    "decisions": 500,
    "notes": 500,
    "working": 1000,
    "commits": 300,
    "sessions": 300,
    "archive": 500,
}
HEADINGS = {
    "answer": "Answer",
    "working": "Working Context",
    "code": "Codebase Context",
    "notes": "Notes",
    "decisions": "Relevant Decisions",
    "commits": "Related Commits",
    "sessions": "Said in Past Sessions (unchecked)",
    "archive": "From the Archive",
}
# For a question about the past, commits come before code.
_PAST_SHARES = {"answer": 1500, "commits": 1500, "sessions": 600} | {
    name: share for name, share in SHARES.items() if name not in ("answer", "commits", "sessions")
}
# The archive is searched only when more tokens than this are left.
LEFT_FOR_ARCHIVE = 200
ESTIMATE = "estimate"
NOTHING_FITS = "Nothing fits into the budget: raise --max-tokens."
# Memories read for "most important": more, of at least so many tokens each, fit in no budget.
MAX_MEMORIES, _MIN_TOKENS = 5_000, 8
_WIDTH = 300
PATTERNS = ("pattern", "convention", "workflow")


@dataclass(frozen=True, slots=True)
class ContextSource:
    """A file, memory, commit or session that a part of a context comes from, with its score.

    ``kind`` is code, note, memory, decision, commit or session; ``lines`` is a range such as 3-9.
    """

    kind: str
    path: str = ""
    lines: str = ""
    id: str = ""
    commit: str = ""
    score: float = 0.0


@dataclass(frozen=True, slots=True)
class RelevantMemoryItem:
    """A memory that matters for the present work, its score, and the reasons for that in words."""

    memory: MemoryItem
    score: float
    why: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class GhostMessage:
    """A message that a hook may add to an agent's conversation without showing it to the person.

    ``trigger`` says when, ``memory`` is the id of the memory that it is made of.
    """

    trigger: str
    content: str
    memory: str
    role: str = "system"
    visible: bool = False


@dataclass(frozen=True, slots=True)
class ContextSection:
    """A section of a context: lines of text, and a priority (the highest gets room first)."""

    name: str
    priority: int
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CurrentContext:
    """What matters for the present work, when no question was asked; each list is best first.

    ``working`` are the session's own memories; ``related`` are ids of memories that cite the active
    file, ``active_symbol`` is its main definition. ``queries`` are the session's last questions,
    ``error`` the last error, ``blocker`` what probably stopped it.
    """

    working: tuple[MemoryItem, ...]
    relevant: tuple[RelevantMemoryItem, ...]
    patterns: tuple[MemoryItem, ...]
    suggestions: tuple[NextStepSuggestion, ...]
    ghost_messages: tuple[GhostMessage, ...]
    active_file: str
    active_symbol: str
    related: tuple[str, ...]
    queries: tuple[str, ...]
    error: str
    blocker: str
    sections: tuple[ContextSection, ...] = ()


@dataclass(frozen=True, slots=True)
class AssembledContext:
    """A context as Markdown text, its sources, and what it costs in tokens.

    ``token_count`` is at most ``max_tokens``; ``counted_by`` names the tokenizer, or is
    ``estimate``. ``left_out`` is the number of parts that did not fit, ``notes`` say what the index
    lacks; ``now`` is set only if there was no question.
    """

    context: str
    sources: tuple[ContextSource, ...]
    token_count: int
    max_tokens: int
    counted_by: str
    decisions: tuple[MemoryItem, ...]
    confidence: AnswerConfidence
    left_out: int
    notes: tuple[str, ...] = ()
    now: CurrentContext | None = None


@dataclass(frozen=True, slots=True)
class _Parts:
    """Everything found for a question, before the budget cuts it."""

    files: list[AnsweringFile]
    decisions: list[RecalledMemory]
    notes: list[RecalledMemory]
    commits: list[tuple[float, HitItem]]
    exchanges: list[tuple[float, HitItem]]
    confidence: AnswerConfidence


def assemble_context(
    app: App,
    question: str,
    answer_by_form: FormAnswerer,
    *,
    open_file: str = "",
    max_tokens: int,
    session: Session | None = None,
) -> AssembledContext:
    """Return code, memories and commits on a question, as Markdown within ``max_tokens`` tokens.

    ``answer_by_form`` answers questions of a known form by a command (None if it cannot); that
    comes first. Files near ``open_file`` rank higher. Raises InvalidInput for a question without a
    word, Unavailable if the tokenizer that the settings name cannot be read.
    """
    plain, counted_by = configured_token_counter(app)
    count = _count_once(plain)
    state = indexed_files.worktree_index_state(app.store, app.worktree)
    feature = feature_context.current_feature(app)
    viewed = frozenset(() if feature.is_idle(app.now) else feature.files)
    split = query.split_text_into_questions(question)
    questions = [(part, _question(app, part, open_file, viewed)) for part in split]
    parts = _interleave([_find_parts(app, part, question, state) for part, question in questions])
    forms = list(filter(None, map(question_forms.match_known_question, split)))
    answers = [answer for form in forms if (answer := answer_by_form(app, form)) is not None]
    past = _is_about_past(question, [question for _, question in questions], forms)
    shares = _PAST_SHARES if past else SHARES
    lines = {
        "answer": _answer_lines(answers),
        "working": remembered.current_session_as_lines(session, feature),
        **_found_lines(parts),
    }
    needs = {name: _cost(name, lines[name], count) for name in lines}
    room = _allot({**needs, "code": max_tokens, "archive": 0}, max_tokens, shares)["code"]
    shown = code_spans.fit_lines_to_budget(parts.files, room - count(HEADINGS["code"]) - 8, count)
    lines["code"] = [lines_of_file.as_markdown for lines_of_file in shown]
    needs["code"] = _cost("code", lines["code"], count)
    if max_tokens - sum(needs.values()) > LEFT_FOR_ARCHIVE:
        words = dict.fromkeys(word for _, each in questions for word in each.parsed.words)
        lines["archive"] = remembered.archived_items_as_lines(app, question, tuple(words))
    needs["archive"] = _cost("archive", lines.get("archive", []), count)
    order = tuple(_PAST_SHARES) if past else tuple(HEADINGS)
    fitted = _fit_sections(lines, _allot(needs, max_tokens, shares), order, count)
    packed = token_budget.pack_sections(
        list(fitted.values()), max_tokens, markdown=True, count_tokens=count
    )
    shown_counts = {cost.name: cost.shown for cost in packed.costs}
    question = packed.text.strip("\n")
    left_out = _count_left_out(parts, lines, shown, shown_counts)
    quoted = _sources(parts, shown, shown_counts, past=past)
    return AssembledContext(
        context=question,
        sources=(*_answer_sources(answers, shown_counts["answer"]), *quoted),
        token_count=count(question),
        max_tokens=max_tokens,
        counted_by=counted_by,
        decisions=_count_as_used(app, parts, shown_counts),
        confidence=parts.confidence,
        left_out=left_out,
        notes=_notes(app, question, left_out, questions[0][1].lacks),
    )


def _is_about_past(
    text: str, questions: Iterable[Question], forms: Iterable[KnownQuestion]
) -> bool:
    """Whether a text, by its questions or their forms, asks what was done or said before."""
    return (
        any(question.parsed.is_about_past for question in questions)
        or any(form.is_about_past for form in forms)
        or remembered.asks_about_sessions(text)
    )


def _found_lines(parts: _Parts) -> dict[str, list[str]]:
    return {
        "decisions": [decision.as_line for decision in parts.decisions],
        "notes": [note.as_line for note in parts.notes],
        "commits": [remembered.commit_as_line(item) for _, item in parts.commits],
        "sessions": [remembered.exchange_as_lines(item) for _, item in parts.exchanges],
    }


def _count_left_out(
    parts: _Parts,
    lines: Mapping[str, Sequence[str]],
    shown: Sequence[ShownFileLines],
    there: Mapping[str, int],
) -> int:
    """How many files, and lines of the other sections, are not ``there``."""
    files = {part.answer.item.path for part in shown[: there["code"]]}
    others = sum(len(lines[name]) - there[name] for name in lines if name != "code")
    return len(parts.files) - len(files) + others


def _count_as_used(app: App, parts: _Parts, there: Mapping[str, int]) -> tuple[MemoryItem, ...]:
    """The decisions that are shown. They and the notes shown with them count as used."""
    decisions = parts.decisions[: there["decisions"]]
    pairs = [(decision.hit.memory, decision.store) for decision in decisions]
    noted = [(note.hit.memory, note.store) for note in parts.notes[: there["notes"]]]
    annotate.record_shown_memories(app, [*pairs, *noted])
    standing = {decision.hit.memory.id: decision.standing for decision in decisions}
    return tuple(annotate.make_memory_items(app, pairs, known_freshness=standing))


def _notes(app: App, text: str, left_out: int, lacks: str) -> tuple[str, ...]:
    notes = []
    if not text:
        notes.append(
            NOTHING_FITS
            if left_out
            else "Nothing is known about this: neither code nor memories answer."
        )
    return (
        *search_notes.explain_keyword_only_search([lacks]),
        *notes,
        *index_request.describe_stale_index(app),
    )


def context_by_importance(app: App, max_tokens: int) -> AssembledContext:
    """Return the most important memories as Markdown of at most ``max_tokens`` tokens.

    The order is by importance, then the newest, whatever is worked on.
    """
    count, counted_by = configured_token_counter(app)
    views = request_filters.memory_filters_by_store(
        app, "all", MemoryFilter(now=app.now, trusted_only=True)
    )
    ranked = request_filters.most_important_memories(
        views, min(MAX_MEMORIES, max_tokens // _MIN_TOKENS + 1)
    )
    lines = tuple(memory_as_scored_line(memory, memory.importance) for memory, _ in ranked)
    section = AnswerSection("important", "Most Important", lines, 100)
    packed = token_budget.pack_sections([section], max_tokens, markdown=True, count_tokens=count)
    shown = ranked[: packed.costs[0].shown if packed.costs else 0]
    text = packed.text.strip("\n")
    total = sum(
        memories.count_filtered_memories(database, filters) for database, filters in views.items()
    )
    left_out = total - len(shown)
    annotate.record_shown_memories(app, shown)
    items = annotate.make_memory_items(app, shown)
    return AssembledContext(
        context=text,
        sources=tuple(context_source_of_memory(memory, memory.importance) for memory, _ in shown),
        token_count=count(text),
        max_tokens=max_tokens,
        counted_by=counted_by,
        decisions=tuple(item for item in items if item.kind == "decision"),
        confidence=UNJUDGED,
        left_out=left_out,
        notes=() if shown else (NOTHING_FITS if left_out else "There are no memories.",),
    )


def memory_as_scored_line(memory: Memory | MemoryItem, score: float) -> str:
    """Return a memory as one line of Markdown, with its kind and score."""
    return f"- [{memory.kind} {score:.2f}] {one_line(remembered.memory_full_text(memory), _WIDTH)}"


def context_source_of_memory(memory: Memory | MemoryItem, score: float) -> ContextSource:
    """Return a memory with its score as an entry in the list of a context's sources."""
    kind = "decision" if memory.kind == "decision" else "memory"
    return ContextSource(kind, " ".join(memory.paths), id=memory.id, score=score)


def _question(app: App, text: str, near: str, viewed: frozenset[str]) -> Question:
    most = code_spans.MAX_FILES
    prepared = repository_search.prepare_question(
        app, text, most, mode="hybrid", near_path=near, embed_new_memories=False
    )
    return replace(prepared, viewed=viewed) if viewed else prepared


def configured_token_counter(app: App) -> tuple[Count, str]:
    """Return the function that counts a text's tokens, and the tokenizer's file name.

    Without one in the settings, it is an estimate that errs high, named ``estimate``.
    """
    path = app.settings.text("context.tokenizer")
    if not path:
        return max_token_count, ESTIMATE
    from gitmem.embedding import tokenizer_file  # noqa: PLC0415 - only if one is set

    return tokenizer_file.make_token_counter(path), path.replace("\\", "/").rpartition("/")[2]


def _count_once(count: Count) -> Count:
    """The same counter with a cache: a line is counted for its share, its section and the whole.

    Empty lines at both ends do not count: the context is shown without them.
    """
    cached = cache(count)
    return lambda text: cached(text.strip("\n"))


def _find_parts(
    app: App, text: str, question: Question, known: indexed_files.WorktreeIndexState | None
) -> _Parts:
    files, sure = code_spans.find_answering_files(app, question, known)
    memories_of = remembered.recall_memories_for_question(app, text)
    decisions = [memory for memory in memories_of if memory.hit.memory.kind == "decision"]
    notes = [memory for memory in memories_of if memory.hit.memory.kind != "decision"]
    best = {"codebase": files[0].score if files else 0.0}
    if decisions:
        best["decisions"] = decisions[0].hit.score
    patterns = [note.hit.score for note in notes if note.hit.memory.kind in PATTERNS]
    if patterns:
        best["patterns"] = patterns[0]
    return _Parts(
        files,
        decisions[: remembered.DECISIONS],
        notes[: remembered.NOTES],
        remembered.find_commits_for_question(app, question),
        remembered.find_exchanges_for_question(app, question),
        answer_confidence.confidence_of_context(best, code_is_relevant=sure),
    )


def _interleave(parts: Sequence[_Parts]) -> _Parts:
    """The parts found for several questions, taken in turns; the lowest confidence of them."""
    if len(parts) == 1:
        return parts[0]

    files = pages.merge_hit_lists([part.files for part in parts], lambda file: file.item.path)
    decisions = pages.merge_hit_lists([part.decisions for part in parts], _memory_id)
    notes = pages.merge_hit_lists([part.notes for part in parts], _memory_id)
    commits = pages.merge_hit_lists([part.commits for part in parts], lambda pair: pair[1].commit)
    exchanges = pages.merge_hit_lists([part.exchanges for part in parts], lambda pair: pair[1].id)
    return _Parts(
        [file for file, _ in files[: code_spans.MAX_FILES]],
        [decision for decision, _ in decisions[: remembered.DECISIONS]],
        [note for note, _ in notes[: remembered.NOTES]],
        [commit for commit, _ in commits[: remembered.PAST_COMMITS]],
        [exchange for exchange, _ in exchanges[: remembered.EXCHANGES]],
        min((part.confidence for part in parts), key=lambda sure: sure.score),
    )


def _memory_id(remembered: RecalledMemory) -> str:
    return remembered.hit.memory.id


def _cost(name: str, lines: Sequence[str], count: Count) -> int:
    if not lines:
        return 0
    return sum(count(line) + 1 for line in lines) + count(f"## {HEADINGS[name]}") + 2


def _allot(needs: dict[str, int], budget: int, shares: dict[str, int]) -> dict[str, int]:
    given = token_budget.divide_token_budget(
        [needs[share] for share in shares], list(shares.values()), budget
    )
    return dict(zip(shares, given, strict=True))


def _fit_sections(
    lines: dict[str, list[str]], given: dict[str, int], order: Sequence[str], count: Count
) -> dict[str, AnswerSection]:
    """The sections in reading order, each cut to its share."""
    fitted = {}
    for name in order:
        rank = 100 - list(given).index(name)
        whole = AnswerSection(name, HEADINGS[name], tuple(lines.get(name, ())), rank)
        fitting = token_budget.fit_section_lines(
            whole, given[name], markdown=True, count_tokens=count
        )
        fitted[name] = replace(whole, lines=tuple(fitting[2:]))
    return fitted


def _answer_lines(answers: Sequence[CitedAnswer | str]) -> list[str]:
    """The answers of verbs, or why there is none, as lines of a list."""
    words = (answer if isinstance(answer, str) else answer.words for answer in answers)
    return [f"- {line.strip()}" for word in words for line in word.split("\n") if line.strip()]


def _answer_sources(answers: Sequence[CitedAnswer | str], shown: int) -> tuple[ContextSource, ...]:
    """The sources of the verbs' answers; none if no line of them was shown."""
    sources = [
        source for answer in answers if not isinstance(answer, str) for source in answer.sources
    ]
    return tuple(
        ContextSource(source.kind, source.path, source.lines, source.id, source.commit)
        for source in sources
        if shown
    )


def _sources(
    parts: _Parts, shown: Sequence[ShownFileLines], there: dict[str, int], *, past: bool
) -> tuple[ContextSource, ...]:
    """The sources of what is shown, in the order of the sections, best first in each."""
    stretches: dict[str, list[ShownFileLines]] = {}
    for part in shown[: there["code"]]:
        stretches.setdefault(part.answer.item.path, []).append(part)
    files = [
        ContextSource(
            parts[0].answer.item.kind,
            path,
            ", ".join(f"{first}-{last}" for part in parts for first, last in part.lines),
            score=parts[0].answer.score,
        )
        for path, parts in stretches.items()
    ]
    memories_shown = [*parts.decisions[: there["decisions"]], *parts.notes[: there["notes"]]]
    commits = tuple(
        ContextSource("commit", commit=item.commit, score=score)
        for score, item in parts.commits[: there["commits"]]
    )
    exchanges = tuple(
        ContextSource("session", id=item.id, score=score)
        for score, item in parts.exchanges[: there["sessions"]]
    )
    return (
        *(commits if past else ()),
        *files,
        *(
            context_source_of_memory(memory.hit.memory, memory.hit.score)
            for memory in memories_shown
        ),
        *(() if past else commits),
        *exchanges,
    )
