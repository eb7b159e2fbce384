"""Looking for what says the same already, before something is kept (CF-44, CT-10).

Words propose, then the built-in model compares, whatever model the settings name: its cosines are
the ones that were calibrated, and a larger one would take a second to load where keeping a memory
takes 50 ms. The model is loaded only where a memory shares most of the rare words.
"""

from functools import cache

from gitmem.app import App
from gitmem.branches import subprojects
from gitmem.capture.change import change
from gitmem.capture.provenance import may_change
from gitmem.errors import GitmemError
from gitmem.memory import draft, edit
from gitmem.model.frozen import dataclass
from gitmem.model.memory import Memory
from gitmem.store.db.connection import Database
from gitmem.store.memory import derived_rows, memories, memory_writes, near_duplicates
from gitmem.store.memory.branch_visibility import Hidden
from gitmem.store.memory.filters import Filter
from gitmem.text.fence import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.embedding.base import Embedder

ALLOW = "allow"
MODES = ("skip", "merge", ALLOW)
# What is taken for a repeat, by mode; else it is only named in the answer.
_TAKEN = {"skip": ("skip",), "merge": ("skip", "merge")}
# The same words: in the same order, or in another one.
_ORDERED = {"skip": "", "merge": ", in a different order", "suggest": ", in a different order"}
# Candidates by words, and how many of them are compared by the model (CF-44, CT-10).
MOST, COMPARED = 20, 5
# Of the rare words, and of all telling words, so much must be shared before a model is asked.
RARE, WORDS = 0.6, 0.5
_TERMS = 16


@dataclass(frozen=True, slots=True)
class NearDuplicate:
    """A memory that is much like a new one: ``verdict`` and ``differs`` as in ``dedupe.judge``."""

    memory: Memory
    similarity: float
    verdict: str
    differs: tuple[str, ...]


def check(mode: str) -> str:
    """The mode, if there is such a one. Raises InvalidInput."""
    return draft.one_of("duplicates", mode, MODES)


def find(app: App, database: Database, memory: Memory, hidden: Hidden) -> NearDuplicate | None:
    """The memory that comes nearest to saying the same, if one does. Never fails.

    An exact repeat is none: it has its own way (``save.save``). Only what is seen here counts.
    """
    # Turns of a conversation repeat themselves, and are many.
    if memory.kind == "conversation":
        return None
    try:
        if memories.same(database, memory, subprojects.alike(app, database)) is not None:
            return None
        found = _candidates(app, database, memory, hidden)
        return _nearest(memory, found) if found else None
    except GitmemError:
        # A damaged row, a model that is not there: then it is stored as ever.
        return None


def exact(memory: Memory) -> NearDuplicate:
    """A memory that says the same word for word."""
    return NearDuplicate(memory, 1.0, "skip", ())


def _candidates(app: App, database: Database, memory: Memory, hidden: Hidden) -> list[Memory]:
    """Memories that share most words with a new one, the most first."""
    from gitmem.search import limits, query  # noqa: PLC0415 - most memories have no neighbours

    text = _text(memory)
    terms = query.parse(text[: limits.LONG])[:_TERMS]
    numbers = near_duplicates.candidates(database, [term.expression for term in terms], RARE, MOST)
    if not numbers:
        return []
    from gitmem.memory import dedupe  # noqa: PLC0415 - its rules are for those that have candidates

    working = memory.session if memory.layer == "working" else ""
    beside = (*subprojects.alike(app, database), hidden.clause())
    wanted = Filter(now=app.now, working=working, beside=beside)
    found = memories.by_seq(database, numbers, wanted)
    shared = [(dedupe.shared(text, _text(other)), other) for other in found]
    good = [pair for pair in shared if pair[0] >= WORDS]
    good.sort(key=lambda pair: (-pair[0], pair[1].seq))
    return [other for _, other in good[:COMPARED]]


def _text(memory: Memory) -> str:
    return derived_rows.embedded(memory.title, memory.content)


def _nearest(memory: Memory, found: list[Memory]) -> NearDuplicate | None:
    from gitmem.embedding import base  # noqa: PLC0415 - 10 ms, for the few that have candidates
    from gitmem.memory import dedupe  # noqa: PLC0415 - as above

    texts = [_text(compared) for compared in (memory, *found)]
    asked, *others = _model().embed(texts)
    order = (dedupe.SKIP, dedupe.MERGE, dedupe.SUGGEST)
    judged = []
    for old, vector in zip(found, others, strict=True):
        similarity = round(base.cosine(asked, vector), 4)
        verdict = dedupe.judge(memory, old, similarity)
        if verdict.verdict in order:
            judged.append(NearDuplicate(old, similarity, verdict.verdict, verdict.differs))
    judged.sort(key=lambda near: (order.index(near.verdict), -near.similarity, near.memory.id))
    return judged[0] if judged else None


@cache
def _model() -> "Embedder":
    """Opened once: a batch asks many times."""
    from gitmem.embedding.builtin import Builtin  # noqa: PLC0415 - as above

    return Builtin()


# --- what is done about it ----------------------------------------------------------------------


def instead(
    app: App, database: Database, new: Memory, near: NearDuplicate, mode: str
) -> tuple[Memory, Memory, str] | None:
    """The memory that says the same, before and after, and what was done. In a transaction.

    None where the new one is to be stored beside it: it only comes near, somebody wants both, the
    other one was changed meanwhile, or an agent would change what a person said.
    """
    old = memories.get(database, near.memory.id)
    if old is None or old != near.memory or near.verdict not in _TAKEN.get(mode, ()):
        return None
    if not may_change(app, old):
        # What says more stands beside a person's words, what says the same is taken for a use.
        if near.verdict != "skip":
            return None
        joined, action = old, "reinforced"
    elif mode == "merge":
        from gitmem.memory import dedupe  # noqa: PLC0415 - as above

        joined, action = dedupe.merged(old, new), "merged"
    else:
        joined, action = edit.reinforced(old, new), "reinforced"
    if joined != old:
        joined = change(app, database, old, joined, action)
    memory_writes.count_access(database, [old.id], app.now)
    return old, joined, action


def annotated(new: Memory, near: NearDuplicate | None, mode: str) -> Memory:
    """What is stored although it was said before says so itself, in its metadata."""
    if near is None or mode != ALLOW or near.verdict == "suggest":
        return new
    from gitmem.memory import dedupe  # noqa: PLC0415 - as above

    return dedupe.annotated(new, near.memory.id, near.similarity)


def answer(near: NearDuplicate | None, id: str, action: str) -> tuple[str, float | None]:
    """``duplicate_of`` and ``similarity`` of an answer; empty and None where nothing comes near."""
    if near is None or (action != "added" and id != near.memory.id):
        return "", None
    return near.memory.id, near.similarity


def notes(near: NearDuplicate | None, id: str, action: str) -> tuple[str, ...]:
    """The same in words, and what to do about it."""
    if not answer(near, id, action)[0] or near is None:
        return ()
    alike = f"similarity {near.similarity:.2f}"
    if action != "added":
        return (f"it says the same ({alike}); --duplicates allow keeps both",)
    differs = (
        f", differs in {', '.join(near.differs[:6])}" if near.differs else _ORDERED[near.verdict]
    )
    headline = one_line(near.memory.headline, 60)
    return (f"similar to {near.memory.id} ({alike}{differs}): {headline}",)
