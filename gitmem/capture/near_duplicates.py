"""Looking for what says the same already, before something is kept (CF-44, CT-10).

Words propose, then the built-in model compares, whatever model the settings name: its cosines are
the ones that were calibrated, and a larger one would take a second to load where keeping a memory
takes 50 ms. The model is loaded only where a memory shares most of the rare words.
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
from gitmem.store.memory import derived_rows, memories, near_duplicates
from gitmem.store.memory.branch_visibility import Hidden
from gitmem.store.memory.filters import Filter
from gitmem.text.stop_words import FILLER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.embedding.base import Embedder
    from gitmem.memory.dedupe import Thresholds
    from gitmem.memory.plan import Statement

ALLOW, SMART = "allow", "smart"
MODES = (SMART, "skip", "merge", ALLOW)
# Candidates by words, and how many of them are compared by the model (CF-44, CT-10).
MOST, COMPARED = 20, 5
# Rules in force that a rule is held against: those that share the rarest words.
OPPOSED = 8
# Of the rare words, and of all telling words, so much must be shared before a model is asked.
RARE, WORDS = 0.6, 0.5
_TERMS = 16
_RULES = ("decision", "convention", "workflow")
# Of a batch each text is asked for several times.
_VECTORS: dict[str, bytes] = {}
_MOST_VECTORS = 2048


@dataclass(frozen=True, slots=True)
class NearDuplicate:
    """A memory that is much like a new one: the rest as in ``dedupe.judge``.

    ``against`` says why the two seem to contradict each other; empty where they do not.
    """

    memory: Memory
    similarity: float
    verdict: str
    differs: tuple[str, ...]
    apart: bool = False
    against: str = ""


def check(mode: str) -> str:
    """The mode, if there is such a one. Raises InvalidInput."""
    return draft.one_of("duplicates", mode, MODES)


def find(
    app: App,
    database: Database,
    memory: Memory,
    hidden: Hidden,
    rows: Sequence[int] | None = None,
) -> NearDuplicate | None:
    """The memory that comes nearest to saying the same, if one does. Never fails.

    An exact repeat is none: it has its own way (``save.save``). Only what is seen here counts.
    ``rows`` are the numbers of the memories to compare, where they were looked up before.
    """
    # Turns of a conversation repeat themselves, and are many.
    if memory.kind == "conversation" or (rows is not None and not rows):
        return None
    try:
        if said_before(app, database, memory) is not None:
            return None
        numbers = alike(database, memory) if rows is None else rows
        near = _near(app, database, memory, hidden, numbers)
        # Of a batch each line is held against the rules later, by the steward.
        return near if rows is not None else _or_opposed(app, database, memory, hidden, near)
    except GitmemError:
        # A damaged row, a model that is not there: then it is stored as ever.
        return None


def beside(app: App, database: Database, memory: Memory, hidden: Hidden) -> NearDuplicate | None:
    """What comes nearest to a memory that is stored already. Never fails."""
    try:
        rows = [row for row in alike(database, memory) if row != memory.seq]
        near = _near(app, database, memory, hidden, rows)
        return _or_opposed(app, database, memory, hidden, near)
    except GitmemError:
        return None


def said_before(app: App, database: Database, memory: Memory) -> Memory | None:
    """The memory that says the same word for word and may stand for the new one."""
    alike = subprojects.alike(app, database)
    return memories.same(database, memory, alike, lambda old: trust.stands_for(old, memory))


def exact(memory: Memory) -> NearDuplicate:
    """A memory that says the same word for word."""
    return NearDuplicate(memory, 1.0, "skip", ())


def alike(
    database: Database, memory: Memory, known: dict[str, list[int]] | None = None
) -> list[int]:
    """The row numbers of memories that share rare words, or a decision's title, with a new one.

    ``known`` keeps what was looked up for one memory for the next. Raises InvalidInput for a text
    without words.
    """
    words = _telling(memory.kind, text(memory))
    found = near_duplicates.candidates(database, words, RARE, MOST, known)
    if memory.kind == "decision":
        found = [*found, *near_duplicates.titled(database, memory.title)]
    return found


def _telling(kind: str, said: str) -> list[str]:
    """The expressions that find the telling words of a text, of a long one those it begins with."""
    from gitmem.search import limits, query  # noqa: PLC0415 - most memories have no neighbours

    terms = query.parse(said[: limits.LONG])[:_TERMS]
    passed_over = FILLER
    if kind in _RULES:
        # "Avoid Celery" is to find "We use Celery".
        from gitmem.text.negation_words import VERDICTS  # noqa: PLC0415 - rules are few

        passed_over = FILLER | VERDICTS
    telling = [term for term in terms if term.label.lower() not in passed_over] or terms
    return [term.expression for term in telling]


def _near(
    app: App, database: Database, memory: Memory, hidden: Hidden, numbers: Sequence[int]
) -> NearDuplicate | None:
    """The nearest of the memories of these rows that share most words with a new one."""
    if not numbers:
        return None
    wanted = _comparable(app, database, memory, hidden)
    found = _most_alike(memory, memories.by_seq(database, numbers, wanted))
    return _nearest(app, memory, found) if found else None


def _comparable(app: App, database: Database, memory: Memory, hidden: Hidden) -> Filter:
    """Which memories a new one is compared with: those that are seen here."""
    working = memory.session if memory.layer == "working" else ""
    beside = (*subprojects.alike(app, database), hidden.clause())
    return Filter(now=app.now, working=working, beside=beside)


def _or_opposed(
    app: App, database: Database, memory: Memory, hidden: Hidden, near: NearDuplicate | None
) -> NearDuplicate | None:
    """The nearest, or what a rule goes against where the nearest neither repeats nor opposes it."""
    undecided = near is None or (near.verdict == "suggest" and not near.against)
    if memory.kind not in _RULES or not undecided:
        return near
    return opposed(app, database, memory, hidden) or near


def opposed(app: App, database: Database, memory: Memory, hidden: Hidden) -> NearDuplicate | None:
    """The rule in force that a rule goes against, as `gitmem check` judges a plan.

    What was decided is read, which is its title where it has one: the reasons name much else.
    """
    said = memory.title or memory.content
    words = _telling(memory.kind, said)
    numbers = near_duplicates.sharing(database, words, near_duplicates.COMMON)
    wanted = replace(
        _comparable(app, database, memory, hidden), states=("active",), kinds=(*_RULES, "pattern")
    )
    rules = memories.by_seq(database, numbers, wanted) if numbers else []
    rules = sorted(rules, key=lambda old: numbers.index(old.seq))[:OPPOSED]
    if all(old.id == memory.id for old in rules):
        return None
    from gitmem.memory import contradiction, plan  # noqa: PLC0415 - for the few with candidates

    found = [
        old
        for old in rules
        if old.id != memory.id and both_hold(memory, old) and not contradiction.same(memory, old)
    ]
    return _most_opposed(database, memory, plan.statements(said), found) if found else None


def _most_opposed(
    database: Database, memory: Memory, statements: "Sequence[Statement]", rules: Sequence[Memory]
) -> NearDuplicate | None:
    from gitmem.embedding import base  # noqa: PLC0415 - as above
    from gitmem.memory import contradiction  # noqa: PLC0415 - as above
    from gitmem.search import query  # noqa: PLC0415 - as above

    rare = near_duplicates.rarity(database)
    asked, *others = map(vector, map(text, (memory, *rules)))
    judged = []
    for old, other in zip(rules, others, strict=True):
        similarity = round(base.cosine(asked, other), 4)
        worth, clash = contradiction.held_against(
            statements, old, lambda word: rare(query.phrase(word)), similarity
        )
        if clash is not None:
            why = contradiction.of_memories(clash)
            judged.append((worth, NearDuplicate(old, similarity, "suggest", (), against=why)))
    return max(judged, key=lambda pair: pair[0])[1] if judged else None


def _most_alike(memory: Memory, found: list[Memory]) -> list[Memory]:
    """Those that share most words, and first of all decisions of the same title."""
    from gitmem.memory import dedupe  # noqa: PLC0415 - for those that have candidates

    said = text(memory)
    good = []
    for other in found:
        share = dedupe.shared(said, text(other)) + _one_title(memory, other)
        if share >= WORDS:
            good.append((share, other))
    good.sort(key=lambda pair: (-pair[0], pair[1].seq))
    return [other for _, other in good[:COMPARED]]


def text(memory: Memory) -> str:
    """What is compared of a memory."""
    return derived_rows.embedded(memory.title, memory.content)


def _nearest(app: App, memory: Memory, found: list[Memory]) -> NearDuplicate | None:
    from gitmem.embedding import base  # noqa: PLC0415 - 10 ms, for the few that have candidates

    asked, *others = (vector(text(compared)) for compared in (memory, *found))
    cosines = thresholds(app)
    judged = []
    for old, other in zip(found, others, strict=True):
        near = judge(memory, old, round(base.cosine(asked, other), 4), cosines)
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


def thresholds(app: App) -> "Thresholds":
    """From which cosines two memories are merged or suggested, as the settings have it."""
    from gitmem.memory import dedupe  # noqa: PLC0415 - as above

    real = app.settings.real
    return dedupe.Thresholds(
        dedupe.SAME, real("duplicates.merge_from"), real("duplicates.suggest_from")
    )


def judge(
    memory: Memory, old: Memory, similarity: float, cosines: "Thresholds"
) -> NearDuplicate | None:
    """What comes of comparing a memory with another one; None where they are not alike."""
    from gitmem.memory import dedupe  # noqa: PLC0415 - as above

    found = dedupe.judge(memory, old, similarity, cosines)
    against = ""
    # A rule goes against another one in whatever words, where they share most that tell.
    rules = memory.kind in _RULES and old.kind in _RULES
    looked_at = found.verdict == dedupe.SUGGEST or rules
    if looked_at and both_hold(memory, old):
        from gitmem.memory import contradiction  # noqa: PLC0415 - for few candidates

        against = contradiction.why(memory, old)
    if found.verdict == dedupe.ADD and not against:
        return None
    verdict = dedupe.SUGGEST if found.verdict == dedupe.ADD else found.verdict
    return NearDuplicate(old, similarity, verdict, found.differs, found.apart, against)


def _one_title(memory: Memory, other: Memory) -> bool:
    """Whether both are decisions of the same title."""
    if not memory.kind == other.kind == "decision":
        return False
    from gitmem.memory import contradiction  # noqa: PLC0415 - for decisions that come near

    return contradiction.same_title(memory.title, other.title)


def both_hold(memory: Memory, other: Memory) -> bool:
    from gitmem.memory import dedupe  # noqa: PLC0415 - as above

    copied = memory.kind in dedupe.EXACT_KINDS or other.kind in dedupe.EXACT_KINDS
    return memory.state == other.state == "active" and other.tier != "foreign" and not copied


def vector(said: str) -> bytes:
    """The vector of a text by the built-in model."""
    known = _VECTORS.get(said)
    if known is None:
        embed_ahead([said])
        known = _VECTORS[said]
    return known


def embed_ahead(texts: Sequence[str]) -> None:
    """Make the vectors that will be asked for, all at once: many are cheaper together."""
    if len(_VECTORS) + len(texts) > _MOST_VECTORS:
        _VECTORS.clear()
    _VECTORS.update(zip(texts, _model().embed(texts), strict=True))


@cache
def _model() -> "Embedder":
    """Opened once: a batch asks many times."""
    from gitmem.embedding.builtin import Builtin  # noqa: PLC0415 - as above

    return Builtin()
