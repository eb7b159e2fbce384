"""Finding a memory that repeats or contradicts a new one, before the new one is stored.

Candidates are found by words, then compared by the built-in model, whatever model the settings
name: its cosines are calibrated, and a larger model takes a second to load where storing a memory
takes 50 ms. The model is loaded only if a candidate shares most of the rare words.
"""

from collections.abc import Sequence
from functools import cache

from gitmem.app import App
from gitmem.branches import subprojects
from gitmem.errors import GitmemError
from gitmem.memory import draft, trust
from gitmem.model.frozen import dataclass, replace
from gitmem.model.memory import Memory
from gitmem.store.db.connection import Database
from gitmem.store.memory import derived_rows, near_duplicates
from gitmem.store.memory.branch_visibility import HiddenMemories
from gitmem.store.memory.memory_rows import IN_SESSION
from gitmem.text.stop_words import FILLER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.embedding.base import Embedder
    from gitmem.memory.dedupe import DuplicateThresholds
    from gitmem.memory.plan import PlanStatement
    from gitmem.store.memory.filters import MemoryFilter

ALLOW, SMART = "allow", "smart"
MODES = (SMART, "skip", "merge", ALLOW)
# Candidates by words, and how many of them are compared by the model.
MAX_CANDIDATES, COMPARED = 20, 5
# Rules in force, sharing the rarest words, that a new rule is compared with.
OPPOSED = 8
# The shares of rare words, and of all words, that a candidate must have in common.
RARE, WORDS = 0.6, 0.5
_TERMS = 16
_RULES = ("decision", "convention", "workflow")
# A batch asks for each text several times.
_VECTORS: dict[str, bytes] = {}
_MOST_VECTORS = 2048


@dataclass(frozen=True, slots=True)
class NearDuplicate:
    """An older memory that says nearly what a new one says, and what to do: ``verdict``.

    ``verdict``, ``differs`` and ``apart`` are as in ``DuplicateJudgement``; ``similarity`` is the
    cosine of the two. ``against`` says why they seem to contradict each other, or is empty.
    """

    memory: Memory
    similarity: float
    verdict: str
    differs: tuple[str, ...]
    apart: bool = False
    against: str = ""


def check_duplicates_mode(mode: str) -> str:
    """Return ``mode`` if it is smart, skip, merge or allow; else raise InvalidInput."""
    return draft.require_one_of("duplicates", mode, MODES)


def find_near_duplicate(
    app: App,
    database: Database,
    memory: Memory,
    hidden: HiddenMemories,
    candidate_rows: Sequence[int] | None = None,
) -> NearDuplicate | None:
    """The NearDuplicate for a new memory: what it repeats or contradicts; None without any.

    Also None if a memory has exactly its text, and on a GitmemError. ``hidden`` are memories of
    other branches, to leave out, ``candidate_rows`` the row numbers of memories to compare, None:
    search.
    """
    # Turns of a conversation are many and often alike.
    if memory.kind == "conversation" or (candidate_rows is not None and not candidate_rows):
        return None
    try:
        if find_exact_duplicate(app, database, memory) is not None:
            return None
        numbers = (
            candidate_rows_by_rare_words(database, memory)
            if candidate_rows is None
            else candidate_rows
        )
        near = _find_nearest(app, database, memory, hidden, numbers)
        # The lines of a batch are compared with the rules later, in the background.
        return (
            near
            if candidate_rows is not None
            else _prefer_opposed(app, database, memory, hidden, near)
        )
    except GitmemError:
        return None  # a damaged row or a missing model does not stop storing


def find_near_duplicate_of_stored(
    app: App, database: Database, memory: Memory, hidden: HiddenMemories
) -> NearDuplicate | None:
    """Like ``find_near_duplicate``, for a memory that is stored already; itself is left out."""
    try:
        rows = [row for row in candidate_rows_by_rare_words(database, memory) if row != memory.seq]
        near = _find_nearest(app, database, memory, hidden, rows)
        return _prefer_opposed(app, database, memory, hidden, near)
    except GitmemError:
        return None


def find_exact_duplicate(app: App, database: Database, memory: Memory) -> Memory | None:
    """A stored memory with exactly the same text that may serve instead of a new one, or None.

    It must be visible here, trusted enough, and not a working memory of another session.
    """
    alike = subprojects.reusable_memory_sql_conditions(app, database)
    of_session = (IN_SESSION, (memory.session,))
    return near_duplicates.find_identical_memory(
        database,
        memory,
        (*alike, of_session),
        lambda old: trust.is_new_memory_redundant(old, memory),
    )


def exact_duplicate_from_memory(memory: Memory) -> NearDuplicate:
    """The NearDuplicate for an older memory whose text is exactly that of the new one."""
    return NearDuplicate(memory, 1.0, "skip", ())


def candidate_rows_by_rare_words(
    database: Database, memory: Memory, rows_by_word: dict[str, list[int]] | None = None
) -> list[int]:
    """The row numbers of memories that share rare words, or a decision's title, with a new one.

    ``rows_by_word`` is a cache for later calls. Raises InvalidInput for a text without words.
    """
    words = _search_terms(memory.kind, text_for_comparison(memory))
    numbers = near_duplicates.duplicate_candidate_rows(
        database, words, RARE, MAX_CANDIDATES, rows_by_word
    )
    if memory.kind == "decision":
        numbers = [*numbers, *near_duplicates.rows_by_title(database, memory.title)]
    return numbers


def _search_terms(kind: str, passage: str) -> list[str]:
    """The search expressions for the content words of a text (the first ones of a long text)."""
    from gitmem.search import limits, query  # noqa: PLC0415 - most memories have no neighbours

    terms = query.parse_terms(passage[: limits.LONG])[:_TERMS]
    passed_over = FILLER
    if kind in _RULES:
        # "Avoid Celery" should find "We use Celery".
        from gitmem.text.negation_words import VERDICTS  # noqa: PLC0415 - rules are few

        passed_over = FILLER | VERDICTS
    telling = [term for term in terms if term.label.lower() not in passed_over] or terms
    return [term.expression for term in telling]


def _find_nearest(
    app: App, database: Database, memory: Memory, hidden: HiddenMemories, numbers: Sequence[int]
) -> NearDuplicate | None:
    """The nearest of the memories with these row numbers; None where none is near."""
    if not numbers:
        return None
    filter = _comparable(app, database, memory, hidden)
    from gitmem.store.memory import memories  # noqa: PLC0415 - for the few with candidates

    similar = _most_alike(memory, memories.memories_by_row_number(database, numbers, filter))
    return _judge_nearest(app, memory, similar) if similar else None


def _comparable(
    app: App, database: Database, memory: Memory, hidden: HiddenMemories
) -> "MemoryFilter":
    """The filter for the visible memories that a new one is compared with."""
    from gitmem.store.memory.filters import MemoryFilter  # noqa: PLC0415 - for the few with candidates

    working = memory.session if memory.layer == "working" else ""
    beside = (
        *subprojects.reusable_memory_sql_conditions(app, database),
        hidden.visible_sql_condition(),
    )
    return MemoryFilter(now=app.now, working_session=working, extra_conditions=beside)


def _prefer_opposed(
    app: App, database: Database, memory: Memory, hidden: HiddenMemories, near: NearDuplicate | None
) -> NearDuplicate | None:
    """The nearest memory; for a rule that it does not decide, a rule that contradicts instead."""
    undecided = near is None or (near.verdict == "suggest" and not near.against)
    if memory.kind not in _RULES or not undecided:
        return near
    return find_contradicted_rule(app, database, memory, hidden) or near


def find_contradicted_rule(
    app: App, database: Database, memory: Memory, hidden: HiddenMemories
) -> NearDuplicate | None:
    """The NearDuplicate for a rule (a decision, convention ...) that a new one contradicts, if any.

    ``hidden`` are memories of other branches, to leave out. Of the new rule only the title is read.
    """
    decided = memory.title or memory.content
    words = _search_terms(memory.kind, decided)
    numbers = near_duplicates.rows_sharing_rare_words(database, words, near_duplicates.COMMON)
    filter = replace(
        _comparable(app, database, memory, hidden), states=("active",), kinds=(*_RULES, "pattern")
    )
    from gitmem.store.memory import memories  # noqa: PLC0415 - rules are few

    rules = memories.memories_by_row_number(database, numbers, filter) if numbers else []
    rules = sorted(rules, key=lambda old: numbers.index(old.seq))[:OPPOSED]
    if all(old.id == memory.id for old in rules):
        return None
    from gitmem.memory import contradiction, plan  # noqa: PLC0415 - for the few with candidates

    others = [
        old
        for old in rules
        if old.id != memory.id
        and are_comparable(memory, old)
        and not contradiction.says_all_of_other(memory, old)
    ]
    return (
        _most_opposed(database, memory, plan.split_plan_statements(decided), others)
        if others
        else None
    )


def _most_opposed(
    database: Database,
    memory: Memory,
    statements: "Sequence[PlanStatement]",
    rules: Sequence[Memory],
) -> NearDuplicate | None:
    from gitmem.embedding import base  # noqa: PLC0415 - as above
    from gitmem.memory import contradiction  # noqa: PLC0415 - as above
    from gitmem.search import query  # noqa: PLC0415 - as above

    rare = near_duplicates.make_idf_function(database)
    own, *others = map(cached_text_vector, map(text_for_comparison, (memory, *rules)))
    judged = []
    for old, other in zip(rules, others, strict=True):
        similarity = round(base.cosine(own, other), 4)
        worth, clash = contradiction.relevance_to_plan_and_conflict(
            statements, old, lambda word: rare(query.phrase_fts_expression(word)), similarity
        )
        if clash is not None:
            why = contradiction.describe_text_conflict(clash)
            judged.append((worth, NearDuplicate(old, similarity, "suggest", (), against=why)))
    return max(judged, key=lambda pair: pair[0])[1] if judged else None


def _most_alike(memory: Memory, candidates: list[Memory]) -> list[Memory]:
    """The candidates with the most words in common; decisions with the same title come first."""
    from gitmem.memory import dedupe  # noqa: PLC0415 - for those that have candidates

    own = text_for_comparison(memory)
    good = []
    for other in candidates:
        share = dedupe.shared_word_fraction(own, text_for_comparison(other)) + _have_one_title(
            memory, other
        )
        if share >= WORDS:
            good.append((share, other))
    good.sort(key=lambda pair: (-pair[0], pair[1].seq))
    return [other for _, other in good[:COMPARED]]


def text_for_comparison(memory: Memory) -> str:
    """The text of a memory (title and content) by which it is compared with others."""
    return derived_rows.memory_text_to_embed(memory.title, memory.content)


def _judge_nearest(app: App, memory: Memory, candidates: list[Memory]) -> NearDuplicate | None:
    from gitmem.embedding import base  # noqa: PLC0415 - 10 ms, for the few that have candidates

    own, *others = (
        cached_text_vector(text_for_comparison(compared)) for compared in (memory, *candidates)
    )
    cosines = duplicate_thresholds(app)
    judged = []
    for old, other in zip(candidates, others, strict=True):
        near = classify_memory_pair(memory, old, round(base.cosine(own, other), 4), cosines)
        judged += [near] if near is not None else []
    order = ("skip", "merge", "suggest")
    judged.sort(
        key=lambda near: (
            order.index(near.verdict),
            not near.against,
            near.apart,
            -near.similarity,
            near.memory.id,
        )
    )
    return judged[0] if judged else None


def cosine_of_memories(memory: Memory, other: Memory) -> float:
    """The cosine of the vectors of two memories' texts, rounded to four decimals."""
    from gitmem.embedding import base  # noqa: PLC0415 - as above

    return round(
        base.cosine(*map(cached_text_vector, map(text_for_comparison, (memory, other)))), 4
    )


def duplicate_thresholds(app: App) -> "DuplicateThresholds":
    """The DuplicateThresholds of the settings: cosines from which memories are merged and so on."""
    from gitmem.memory import dedupe  # noqa: PLC0415 - as above

    real = app.settings.float_number
    return dedupe.DuplicateThresholds(
        dedupe.SAME, real("duplicates.merge_from"), real("duplicates.suggest_from")
    )


def classify_memory_pair(
    memory: Memory, older_memory: Memory, similarity: float, thresholds: "DuplicateThresholds"
) -> NearDuplicate | None:
    """The NearDuplicate for ``older_memory`` beside a memory; None if the two are unrelated.

    ``similarity`` is the cosine of their texts.
    """
    from gitmem.memory import dedupe  # noqa: PLC0415 - as above

    judgement = dedupe.judge_duplicate(memory, older_memory, similarity, thresholds)
    against = ""
    # Two rules may contradict each other even with a low cosine.
    rules = memory.kind in _RULES and older_memory.kind in _RULES
    looked_at = judgement.verdict == dedupe.SUGGEST or rules
    if looked_at and are_comparable(memory, older_memory):
        from gitmem.memory import contradiction  # noqa: PLC0415 - for few candidates

        against = contradiction.contradiction_reason(memory, older_memory)
    if judgement.verdict == dedupe.ADD and not against:
        return None
    verdict = dedupe.SUGGEST if judgement.verdict == dedupe.ADD else judgement.verdict
    return NearDuplicate(
        older_memory, similarity, verdict, judgement.differs, judgement.apart, against
    )


def _have_one_title(memory: Memory, other: Memory) -> bool:
    """Whether both are decisions with the same title."""
    if not memory.kind == other.kind == "decision":
        return False
    from gitmem.memory import contradiction  # noqa: PLC0415 - for decisions that come near

    return contradiction.have_same_title_words(memory.title, other.title)


def are_comparable(memory: Memory, other: Memory) -> bool:
    """Whether two memories may contradict each other: both are active, ``other`` is not foreign.

    Foreign: imported, not yet accepted by a person. Neither may be code, a command or the like.
    """
    from gitmem.memory import dedupe  # noqa: PLC0415 - as above

    copied = memory.kind in dedupe.EXACT_KINDS or other.kind in dedupe.EXACT_KINDS
    return memory.state == other.state == "active" and other.trust_tier != "foreign" and not copied


def cached_text_vector(text: str) -> bytes:
    """The vector of a text by the built-in embedding model, as bytes of numbers; cached."""
    vector = _VECTORS.get(text)
    if vector is None:
        embed_texts_at_once([text])
        vector = _VECTORS[text]
    return vector


def embed_texts_at_once(texts: Sequence[str]) -> None:
    """Compute the vectors of many texts in one call and cache them for ``cached_text_vector``."""
    if len(_VECTORS) + len(texts) > _MOST_VECTORS:
        _VECTORS.clear()
    _VECTORS.update(zip(texts, _model().embed(texts), strict=True))


@cache
def _model() -> "Embedder":
    """Opened once: a batch asks many times."""
    from gitmem.embedding.builtin import BuiltinEmbedder  # noqa: PLC0415 - as above

    return BuiltinEmbedder()
