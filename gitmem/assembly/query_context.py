"""The context for a question inside a token budget: what runs, code, memories, commits, archive."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from gitmem.app import App
from gitmem.assembly import answer_confidence, code_spans, remembered, token_budget
from gitmem.assembly.answer_confidence import UNJUDGED, Confidence
from gitmem.assembly.code_spans import Answer, FileLines
from gitmem.assembly.remembered import Remembered
from gitmem.maintenance import index_request
from gitmem.model.frozen import dataclass, replace
from gitmem.model.memory import Memory
from gitmem.model.section import Section
from gitmem.model.session import Session
from gitmem.retrieval import annotate, repository_search, request_filters, search_notes
from gitmem.retrieval.hit_view import HitItem
from gitmem.retrieval.memory_view import MemoryItem
from gitmem.retrieval.question import Question
from gitmem.search import pages, query, question_forms
from gitmem.sessions import feature_context
from gitmem.store.code import indexed_files
from gitmem.store.memory import memories
from gitmem.store.memory.filters import Filter
from gitmem.text.fence import one_line
from gitmem.text.token_ceiling import ceiling
from gitmem.timeline.current_scores import Suggestion

TYPE_CHECKING = False  # most questions have no form: what answers those is not loaded for them
if TYPE_CHECKING:
    from gitmem.assembly.answer_parts import Tell
    from gitmem.assembly.cited_answer import CitedAnswer

Count = Callable[[str], int]

# About 1,000 tokens of 6,000 for what runs, 4,000 for what the repository holds, 500 for the
# archive, 500 for decisions (ML-4). What one does not need the next ones get, in this order.
SHARES = {
    "answer": 1000,
    "code": 3200,
    "decisions": 500,
    "notes": 500,
    "working": 1000,
    "commits": 300,
    "archive": 500,
}
HEADINGS = {
    "answer": "Answer",
    "working": "Working Context",
    "code": "Codebase Context",
    "notes": "Notes",
    "decisions": "Relevant Decisions",
    "commits": "Related Commits",
    "archive": "From the Archive",
}
# Who asks of the past is told the commits before the code.
_PAST_SHARES = {"answer": 1500, "commits": 1500} | {
    name: share for name, share in SHARES.items() if name not in ("answer", "commits")
}
# The archive is asked where so many tokens are left (ML-4).
LEFT_FOR_ARCHIVE = 200
ESTIMATE = "estimate"
NOTHING_FITS = "Nothing fits into the budget: give more --max-tokens."
# So many memories are looked at by their importance: 200,000 tokens hold no more, at so many each.
MOST, _FEWEST_TOKENS = 5_000, 8
_WIDTH = 300
_PATTERNS = ("pattern", "convention", "workflow")


@dataclass(frozen=True, slots=True)
class Cited:
    """Where a part of a context is from.

    ``kind`` is code, note, memory, decision or commit; lines count from 1, both ends included.
    """

    kind: str
    path: str = ""
    lines: str = ""
    id: str = ""
    commit: str = ""
    score: float = 0.0


@dataclass(frozen=True, slots=True)
class RelevantItem:
    """A memory that bears on this moment, its score and what that is made of."""

    memory: MemoryItem
    score: float
    why: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class GhostMessage:
    """A message for a hook to slip in; ``role`` is system, and people are not shown it."""

    trigger: str
    content: str
    memory: str
    role: str = "system"
    visible: bool = False


@dataclass(frozen=True, slots=True)
class ContextNow:
    """This moment, without a question: each part the best first, within its cap.

    ``active_symbol`` is what the active file is most about, ``related`` are ids of memories that
    cite it; ``queries`` are the session's last questions, ``blocker`` what probably stopped it.
    """

    working: tuple[MemoryItem, ...]
    relevant: tuple[RelevantItem, ...]
    patterns: tuple[MemoryItem, ...]
    suggestions: tuple[Suggestion, ...]
    ghost_messages: tuple[GhostMessage, ...]
    active_file: str
    active_symbol: str
    related: tuple[str, ...]
    queries: tuple[str, ...]
    error: str
    blocker: str


@dataclass(frozen=True, slots=True)
class ContextForQuery:
    """A context in Markdown and what it costs: ``token_count`` is never above the budget.

    ``counted_by`` names the tokenizer, or says that it is an estimate (which errs high).
    ``sources`` are where its parts are from, ``decisions`` those told in it. ``left_out`` parts
    found no room. ``notes`` say what the index lacks and why there may be nothing. ``now`` is there
    where nothing was asked.
    """

    context: str
    sources: tuple[Cited, ...]
    token_count: int
    max_tokens: int
    counted_by: str
    decisions: tuple[MemoryItem, ...]
    confidence: Confidence
    left_out: int
    notes: tuple[str, ...] = ()
    now: ContextNow | None = None


@dataclass(frozen=True, slots=True)
class _Parts:
    """What was found, before any of it is cut."""

    files: list[Answer]
    decisions: list[Remembered]
    notes: list[Remembered]
    commits: list[tuple[float, HitItem]]
    confidence: Confidence


def assemble(
    app: App,
    text: str,
    tell: Tell,
    *,
    near: str = "",
    budget: int,
    session: Session | None = None,
) -> ContextForQuery:
    """The context for a question, never more than ``budget`` tokens.

    What the verb of a known form says (``tell``) comes first, and who asks of the past is told
    commits before code. ``near`` is the file somebody is in, ``session`` what is running. Raises
    InvalidInput for a question without a word, Unavailable for a tokenizer that cannot be read.
    """
    plain, counted_by = counter(app)
    count = _once(plain)
    known = indexed_files.state(app.store, app.worktree)
    feature = feature_context.current(app)
    viewed = frozenset(() if feature.idle(app.now) else feature.files)
    asked = [(one, _question(app, one, near, viewed)) for one in query.parts(text)]
    found = _in_turns([_gather(app, one, question, known) for one, question in asked])
    words = tuple(dict.fromkeys(word for _, one in asked for word in one.asked.words))
    forms = [form for one, _ in asked if (form := question_forms.read(one)) is not None]
    answers = [told for form in forms if (told := tell(app, form)) is not None]
    past = any(form.asked.past for _, form in asked) or any(one.past for one in forms)
    shares = _PAST_SHARES if past else SHARES
    lines = {
        "answer": _answer_lines(answers),
        "working": remembered.working(session, feature),
        "decisions": [decision.line for decision in found.decisions],
        "notes": [note.line for note in found.notes],
        "commits": [remembered.commit_line(item) for _, item in found.commits],
    }
    needs = {name: _cost(name, lines[name], count) for name in lines}
    room = _given({**needs, "code": budget, "archive": 0}, budget, shares)["code"]
    shown = code_spans.fit(found.files, room - count(HEADINGS["code"]) - 8, count)
    lines["code"] = [one.text for one in shown]
    needs["code"] = _cost("code", lines["code"], count)
    if budget - sum(needs.values()) > LEFT_FOR_ARCHIVE:
        lines["archive"] = remembered.archived(app, text, words)
    needs["archive"] = _cost("archive", lines.get("archive", []), count)
    order = tuple(_PAST_SHARES) if past else tuple(HEADINGS)
    fitted = _fitted(lines, _given(needs, budget, shares), order, count)
    packed = token_budget.pack(list(fitted.values()), budget, markdown=True, count=count)
    there = {cost.name: cost.shown for cost in packed.costs}
    text = packed.text.strip("\n")
    left_out = len(found.files) - len({one.answer.item.path for one in shown[: there["code"]]})
    left_out += sum(len(lines[line]) - there[line] for line in lines if line != "code")
    return ContextForQuery(
        context=text,
        sources=(*_told(answers, there["answer"]), *_cited(found, shown, there, past=past)),
        token_count=count(text),
        max_tokens=budget,
        counted_by=counted_by,
        decisions=_handed_out(app, found, there),
        confidence=found.confidence,
        left_out=left_out,
        notes=_notes(app, text, left_out, asked[0][1].lacks),
    )


def _handed_out(app: App, found: _Parts, there: Mapping[str, int]) -> tuple[MemoryItem, ...]:
    """The decisions that are shown; they and the notes beside them count as used."""
    decisions = found.decisions[: there["decisions"]]
    pairs = [(decision.hit.memory, decision.store) for decision in decisions]
    noted = [(note.hit.memory, note.store) for note in found.notes[: there["notes"]]]
    annotate.count_shown(app, [*pairs, *noted])
    standing = {decision.hit.memory.id: decision.standing for decision in decisions}
    return tuple(annotate.items_of(app, pairs, standing=standing))


def _notes(app: App, text: str, left_out: int, lacks: str) -> tuple[str, ...]:
    notes = []
    if not text:
        notes.append(
            "Nothing of what was found fits into the budget: give more --max-tokens."
            if left_out
            else "Nothing is known about this: neither code nor memories answer."
        )
    return (*search_notes.by_words_alone([lacks]), *notes, *index_request.behind(app))


def important(app: App, budget: int) -> ContextForQuery:
    """What matters most, whatever somebody is at: by importance, then recency (CT-17)."""
    count, counted_by = counter(app)
    views = request_filters.views(app, "all", Filter(now=app.now, own=True))
    found = request_filters.important(views, min(MOST, budget // _FEWEST_TOKENS + 1))
    lines = tuple(memory_line(memory, memory.importance) for memory, _ in found)
    section = Section("important", "Most Important", lines, 100)
    packed = token_budget.pack([section], budget, markdown=True, count=count)
    told = found[: packed.costs[0].shown if packed.costs else 0]
    text = packed.text.strip("\n")
    every = sum(memories.count(database, wanted) for database, wanted in views.items())
    left_out = every - len(told)
    annotate.count_shown(app, told)
    items = annotate.items_of(app, told)
    return ContextForQuery(
        context=text,
        sources=tuple(cited_memory(one, one.importance) for one, _ in told),
        token_count=count(text),
        max_tokens=budget,
        counted_by=counted_by,
        decisions=tuple(one for one in items if one.kind == "decision"),
        confidence=UNJUDGED,
        left_out=left_out,
        notes=() if told else (NOTHING_FITS if left_out else "There are no memories.",),
    )


def memory_line(memory: Memory | MemoryItem, value: float) -> str:
    """A memory in one line, with what it is worth here."""
    said = f"{memory.title}: {memory.content}" if memory.title else memory.content
    return f"- [{memory.kind} {value:.2f}] {one_line(said, _WIDTH)}"


def cited_memory(memory: Memory | MemoryItem, score: float) -> Cited:
    """Where a line that tells a memory is from."""
    kind = "decision" if memory.kind == "decision" else "memory"
    return Cited(kind, " ".join(memory.paths), id=memory.id, score=score)


def _question(app: App, text: str, near: str, viewed: frozenset[str]) -> Question:
    most = code_spans.MOST_FILES
    made = repository_search.question(app, text, most, mode="hybrid", near=near, memories=False)
    return replace(made, viewed=viewed) if viewed else made


def counter(app: App) -> tuple[Count, str]:
    """What counts tokens, and its name: the tokenizer of the settings, else a high estimate."""
    path = app.settings.text("context.tokenizer")
    if not path:
        return ceiling, ESTIMATE
    from gitmem.embedding import tokenizer_file  # noqa: PLC0415 - only for who has a tokenizer

    return tokenizer_file.counter(path), path.replace("\\", "/").rpartition("/")[2]


def _once(count: Count) -> Count:
    """The same, each text counted once: a line is weighed for its share, its section and all.

    Empty lines at both ends do not count: they are not in what is told.
    """
    known: dict[str, int] = {}

    def counted(text: str) -> int:
        bare = text.strip("\n")
        if bare not in known:
            known[bare] = count(bare)
        return known[bare]

    return counted


def _gather(
    app: App, text: str, question: Question, known: indexed_files.TreeState | None
) -> _Parts:
    files, sure = code_spans.gather(app, question, known)
    known_of = remembered.about(app, text)
    decisions = [one for one in known_of if one.hit.memory.kind == "decision"]
    notes = [one for one in known_of if one.hit.memory.kind != "decision"]
    best = {"codebase": files[0].score if files else 0.0}
    if decisions:
        best["decisions"] = decisions[0].hit.score
    patterns = [note.hit.score for note in notes if note.hit.memory.kind in _PATTERNS]
    if patterns:
        best["patterns"] = patterns[0]
    return _Parts(
        files,
        decisions[: remembered.DECISIONS],
        notes[: remembered.NOTES],
        remembered.commits(app, question),
        answer_confidence.judge(best, sure=sure),
    )


def _in_turns(found: Sequence[_Parts]) -> _Parts:
    """What was found for several questions in turns; as sure as the least sure."""
    if len(found) == 1:
        return found[0]

    files = pages.merged([one.files for one in found], lambda file: file.item.path)
    decisions = pages.merged([one.decisions for one in found], _id)
    notes = pages.merged([one.notes for one in found], _id)
    commits = pages.merged([one.commits for one in found], lambda pair: pair[1].commit)
    return _Parts(
        [one for one, _ in files[: code_spans.MOST_FILES]],
        [one for one, _ in decisions[: remembered.DECISIONS]],
        [one for one, _ in notes[: remembered.NOTES]],
        [one for one, _ in commits[: remembered.PAST_COMMITS]],
        min((one.confidence for one in found), key=lambda sure: sure.score),
    )


def _id(remembered: Remembered) -> str:
    return remembered.hit.memory.id


def _cost(name: str, lines: Sequence[str], count: Count) -> int:
    if not lines:
        return 0
    return sum(count(line) + 1 for line in lines) + count(f"## {HEADINGS[name]}") + 2


def _given(needs: dict[str, int], budget: int, shares: dict[str, int]) -> dict[str, int]:
    given = token_budget.allot([needs[share] for share in shares], list(shares.values()), budget)
    return dict(zip(shares, given, strict=True))


def _fitted(
    lines: dict[str, list[str]], given: dict[str, int], order: Sequence[str], count: Count
) -> dict[str, Section]:
    """The sections in the order they are read, none longer than what it was given."""
    fitted = {}
    for name in order:
        rank = 100 - list(given).index(name)
        whole = Section(name, HEADINGS[name], tuple(lines.get(name, ())), rank)
        kept = token_budget.fitting(whole, given[name], markdown=True, count=count)
        fitted[name] = replace(whole, lines=tuple(kept[2:]))
    return fitted


def _answer_lines(answers: Sequence[CitedAnswer | str]) -> list[str]:
    """What verbs answer, or why they cannot, a line each."""
    words = (answer if isinstance(answer, str) else answer.words for answer in answers)
    return [f"- {line.strip()}" for word in words for line in word.split("\n") if line.strip()]


def _told(answers: Sequence[CitedAnswer | str], shown: int) -> tuple[Cited, ...]:
    """The places in what verbs answer, where that found room."""
    sources = [
        source for answer in answers if not isinstance(answer, str) for source in answer.sources
    ]
    return tuple(
        Cited(source.kind, source.path, source.lines, source.id, source.commit)
        for source in sources
        if shown
    )


def _cited(
    found: _Parts, shown: Sequence[FileLines], there: dict[str, int], *, past: bool
) -> tuple[Cited, ...]:
    """The sources of what is there, the best of each kind first, as the sections stand."""
    stretches: dict[str, list[FileLines]] = {}
    for part in shown[: there["code"]]:
        stretches.setdefault(part.answer.item.path, []).append(part)
    files = [
        Cited(
            parts[0].answer.item.kind,
            path,
            ", ".join(f"{first}-{last}" for one in parts for first, last in one.lines),
            score=parts[0].answer.score,
        )
        for path, parts in stretches.items()
    ]
    told = [*found.decisions[: there["decisions"]], *found.notes[: there["notes"]]]
    commits = tuple(
        Cited("commit", commit=item.commit, score=score)
        for score, item in found.commits[: there["commits"]]
    )
    return (
        *(commits if past else ()),
        *files,
        *(cited_memory(one.hit.memory, one.hit.score) for one in told),
        *(() if past else commits),
    )
