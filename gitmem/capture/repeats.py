"""What is done where a memory says what another one says already (CF-44, CT-10).

The same is strengthened; what says more is merged unasked where nobody vouches for either, else
somebody is asked; a contradiction is only ever asked about.
"""

from gitmem.app import App
from gitmem.capture import near_duplicates
from gitmem.capture.change import change
from gitmem.capture.near_duplicates import ALLOW, SMART, NearDuplicate
from gitmem.capture.provenance import may_change
from gitmem.errors import Conflict
from gitmem.memory import edit
from gitmem.model.memory import Memory
from gitmem.store.db.connection import Database
from gitmem.store.memory import memories, memory_writes
from gitmem.store.memory.near_duplicates import taken_in
from gitmem.text.fence import one_line

# What is taken for a repeat, by mode; else it is only named in the answer.
_TAKEN = {SMART: ("skip", "merge"), "skip": ("skip",), "merge": ("skip", "merge")}
# The same words, and what tells the texts apart then.
_ORDERED = {"skip": "", "merge": "", "suggest": ", in a different order"}
_ASKED = "both are kept; `gitmem inbox` asks what to do about them"
_REPLACES = "if it replaces that one, repeat it with --supersedes {}"
# Who may be merged unasked: what nobody vouches for. Decisions never are.
_UNVOUCHED = ("agent", "repository")
_REASONS = {"skip": "they say the same", "merge": "one says all that the other says"}
_REASONS["suggest"] = "they say nearly the same"


def instead(
    app: App,
    database: Database,
    new: Memory,
    near: NearDuplicate,
    mode: str,
    strategy: str = "",
) -> tuple[Memory, Memory, str] | None:
    """The memory that says the same, before and after, and what was done. In a transaction.

    None where the new one is to be stored beside it: it only comes near, somebody wants both, the
    other one was changed meanwhile, or an agent would change what a person said.
    """
    old = memories.get(database, near.memory.id)
    if old is None or old != near.memory or near.verdict not in _TAKEN.get(mode, ()):
        return None
    if mode == SMART and near.verdict == "merge" and not may_merge(old, new):
        return None
    if not may_change(app, old):
        # What says more stands beside a person's words, what says the same is taken for a use.
        if near.verdict != "skip":
            return None
        joined, action = old, "reinforced"
    elif near.verdict == "merge":
        return _merged(app, database, old, new, near.similarity, strategy)
    elif mode == "merge":
        from gitmem.memory import dedupe  # noqa: PLC0415 - as above

        joined, action = dedupe.merged(old, new), "merged"
    else:
        joined, action = edit.reinforced(old, new), "reinforced"
    if joined != old:
        joined = change(app, database, old, joined, action)
    memory_writes.count_access(database, [old.id], app.now)
    return old, joined, action


def may_merge(memory: Memory, other: Memory) -> bool:
    """Whether two memories that say the same may become one without anybody's consent."""
    unvouched = memory.tier in _UNVOUCHED and other.tier in _UNVOUCHED
    return unvouched and "decision" not in (memory.kind, other.kind)


def _merged(
    app: App, database: Database, old: Memory, new: Memory, similarity: float, strategy: str
) -> tuple[Memory, Memory, str] | None:
    """``new`` stored and taken into ``old`` at once; None where both would be too long for one."""
    from gitmem.capture import consolidate  # noqa: PLC0415 - few writes merge

    try:
        consolidate.combined(app, old, new, strategy)
    except Conflict:
        return None
    if taken_in(database, new, old.id):
        memory_writes.count_access(database, [old.id], app.now)
        return old, old, "reinforced"
    source = memory_writes.insert(database, new)
    joined = consolidate.merge(app, database, old, source, similarity, strategy=strategy)
    memory_writes.count_access(database, [old.id], app.now)
    return old, joined, "merged"


def offer(
    app: App, database: Database, new: Memory, near: NearDuplicate, same: str = "merge"
) -> bool:
    """Suggest what is to be decided about a memory and its nearest. In a transaction.

    ``same`` is the kind of suggestion for two that say the same. False where there is nothing to
    decide, or it was suggested before.
    """
    kind = offered(near, same)
    if not kind or not near_duplicates.both_hold(new, near.memory):
        return False
    from gitmem.capture import pair_suggestions  # noqa: PLC0415 - few writes suggest

    reason = near.against or _REASONS[near.verdict]
    return pair_suggestions.suggest(app, database, kind, new, near.memory, near.similarity, reason)


def offered(near: NearDuplicate, same: str) -> str:
    """The kind of suggestion that a pair is worth; empty: none."""
    if near.against:
        return "contradiction"
    return "" if near.apart else same


def annotated(new: Memory, near: NearDuplicate | None, mode: str) -> Memory:
    """What is stored although it was said before says so itself, in its metadata."""
    if near is None or mode != ALLOW or near.verdict == "suggest":
        return new
    from gitmem.memory import dedupe  # noqa: PLC0415 - as above

    return dedupe.annotated(new, near.memory.id, near.similarity)


def answer(near: NearDuplicate | None, id: str, action: str) -> tuple[str, float | None]:
    """``duplicate_of`` and ``similarity`` of an answer; empty and None where nothing comes near."""
    if near is None or (action in ("reinforced", "merged") and id != near.memory.id):
        return "", None
    return near.memory.id, near.similarity


def notes(near: NearDuplicate | None, id: str, action: str) -> tuple[str, ...]:
    """The same in words, and what to do about it."""
    if not answer(near, id, action)[0] or near is None:
        return ()
    alike = f"similarity {near.similarity:.2f}"
    if action in ("reinforced", "merged"):
        return (f"it says the same ({alike}); --duplicates allow keeps both",)
    headline = one_line(near.memory.headline, 60)
    if near.against:
        told = f"may contradict {near.memory.id} ({near.against}): {headline}"
        replaces = _REPLACES.format(near.memory.id[:12])
        return (told, f"{_ASKED}; {replaces}" if action == "suggested" else replaces)
    if action == "suggested":
        alike = f"{_REASONS[near.verdict]}; {alike}"
    differs = (
        f", differs in {', '.join(near.differs[:6])}" if near.differs else _ORDERED[near.verdict]
    )
    told = f"similar to {near.memory.id} ({alike}{differs}): {headline}"
    return (told, _ASKED) if action == "suggested" else (told,)
