"""Handling a new memory that repeats another one.

The same text strengthens the old memory. A fuller text is merged automatically if no person vouches
for either, else the inbox asks. A contradiction always goes to the inbox.
"""

from gitmem.app import App
from gitmem.capture import near_duplicates
from gitmem.capture.change import store_memory_version
from gitmem.capture.near_duplicates import ALLOW, SMART, NearDuplicate
from gitmem.capture.provenance import may_change
from gitmem.errors import Conflict
from gitmem.memory import edit
from gitmem.model.memory import Memory
from gitmem.store.db.connection import Database
from gitmem.store.memory import memories, memory_writes
from gitmem.store.memory.near_duplicates import was_merged
from gitmem.text.fence import one_line

# Mode -> verdicts that count as a repeat; others are only mentioned in the answer.
_TAKEN = {SMART: ("skip", "merge"), "skip": ("skip",), "merge": ("skip", "merge")}
# Verdict -> how texts of the same words differ.
_ORDERED = {"skip": "", "merge": "", "suggest": ", in a different order"}
_IN_INBOX = "both are kept; `gitmem inbox` asks what to do about them"
_REPLACES = "if it replaces that one, repeat it with --supersedes {}"
# Tiers that may be merged automatically; decisions never are.
_UNVOUCHED = ("agent", "repository")
_REASONS = {"skip": "they say the same", "merge": "one says all that the other says"}
_REASONS["suggest"] = "they say nearly the same"


def merge_or_reinforce_duplicate(
    app: App,
    database: Database,
    new: Memory,
    duplicate: NearDuplicate,
    duplicates_mode: str,
    merge_strategy: str = "",
) -> tuple[Memory, Memory, str] | None:
    """Count a use of the memory that ``new`` repeats, or merge the two, instead of storing ``new``.

    Call it in a transaction. ``duplicates_mode`` is smart, skip, merge or allow; ``merge_strategy``
    is smart_merge, latest_wins, append, or empty: as the settings say. Returns (the memory before,
    after, ``reinforced`` or ``merged``); None if ``new`` is to be stored after all.
    """
    old = memories.get_memory(database, duplicate.memory.id)
    if old is None or old != duplicate.memory or not _is_taken(duplicates_mode, duplicate, new):
        return None
    if (
        duplicates_mode == SMART
        and duplicate.verdict == "merge"
        and not may_merge_memories(old, new)
    ):
        return None
    if not may_change(app, old):
        # A fuller text is stored beside a person's memory; the same text counts as a use.
        if duplicate.verdict != "skip" and duplicates_mode != "skip":
            return None
        joined, action = old, "reinforced"
    elif duplicate.verdict == "merge" and duplicates_mode != "skip":
        return _merge(app, database, old, new, duplicate.similarity, merge_strategy)
    elif duplicates_mode == "merge":
        from gitmem.memory import dedupe  # noqa: PLC0415 - as above

        joined, action = dedupe.merge_memories(old, new), "merged"
    else:
        joined, action = edit.merge_repeated_memory(old, new), "reinforced"
    if joined != old:
        joined = store_memory_version(app, database, old, joined, action)
    memory_writes.increment_access_counts(database, [old.id], app.now)
    return old, joined, action


def _is_taken(mode: str, near: NearDuplicate, new: Memory) -> bool:
    """Whether the near memory is a repeat, in this mode.

    With skip also one that says all that the new text does, and more.
    """
    if near.verdict in _TAKEN.get(mode, ()):
        return True
    if mode != "skip" or near.verdict != "merge":
        return False
    from gitmem.memory import dedupe  # noqa: PLC0415 - as above

    return dedupe.contains_text(
        near_duplicates.text_for_comparison(near.memory), near_duplicates.text_for_comparison(new)
    )


def may_merge_memories(memory: Memory, other: Memory) -> bool:
    """Whether two memories that say the same may be merged without asking a person.

    Not if a person wrote or accepted one of them, one is imported, or one is a decision.
    """
    unvouched = memory.trust_tier in _UNVOUCHED and other.trust_tier in _UNVOUCHED
    return unvouched and "decision" not in (memory.kind, other.kind)


def _merge(
    app: App, database: Database, old: Memory, new: Memory, similarity: float, strategy: str
) -> tuple[Memory, Memory, str] | None:
    """Store ``new`` and merge it into ``old``; None where the result would be too long."""
    from gitmem.capture import consolidate  # noqa: PLC0415 - few writes merge

    try:
        consolidate.merge_texts(app, old, new, strategy)
    except Conflict:
        return None
    if was_merged(database, new, old.id):
        memory_writes.increment_access_counts(database, [old.id], app.now)
        return old, old, "reinforced"
    source = memory_writes.insert_memory(database, new)
    joined = consolidate.merge_memories(
        app, database, old, source, similarity, merge_strategy=strategy
    )
    memory_writes.increment_access_counts(database, [old.id], app.now)
    return old, joined, "merged"


def suggest_duplicate(
    app: App,
    database: Database,
    new: Memory,
    duplicate: NearDuplicate,
    kind_unless_contradiction: str = "merge",
) -> bool:
    """Put a new memory and one that says nearly the same into the inbox; True if a person is asked.

    Call it in a transaction. ``kind_unless_contradiction`` is the kind of suggestion unless the two
    contradict each other.
    """
    kind = suggestion_kind_of_duplicate(duplicate, kind_unless_contradiction)
    if not kind or not near_duplicates.are_comparable(new, duplicate.memory):
        return False
    from gitmem.capture import pair_suggestions  # noqa: PLC0415 - few writes suggest

    reason = duplicate.against or _REASONS[duplicate.verdict]
    return pair_suggestions.add_pair_suggestion(
        app, database, kind, new, duplicate.memory, duplicate.similarity, reason
    )


def suggestion_kind_of_duplicate(duplicate: NearDuplicate, kind_unless_contradiction: str) -> str:
    """What to ask about two similar memories: ``contradiction`` or ``kind_unless_contradiction``.

    Empty if they differ in a fact, so that there is nothing to ask.
    """
    if duplicate.against:
        return "contradiction"
    return "" if duplicate.apart else kind_unless_contradiction


def add_duplicate_metadata(
    new: Memory, duplicate: NearDuplicate | None, duplicates_mode: str
) -> Memory:
    """``new``; if it is stored although it repeats a memory, with that one's id in its metadata."""
    if duplicate is None or duplicates_mode != ALLOW or duplicate.verdict == "suggest":
        return new
    from gitmem.memory import dedupe  # noqa: PLC0415 - as above

    return dedupe.mark_memory_as_duplicate(new, duplicate.memory.id, duplicate.similarity)


def suggestion_kind_after_save(duplicate: NearDuplicate | None, action: str) -> str:
    """What the inbox asks after ``action``: ``merge`` or ``contradiction``; empty: nothing."""
    return (
        suggestion_kind_of_duplicate(duplicate, "merge")
        if duplicate is not None and action == "suggested"
        else ""
    )


def duplicate_result_fields(
    duplicate: NearDuplicate | None, stored_id: str, action: str
) -> tuple[str, float | None]:
    """(id, cosine) of the similar memory to tell the writer about; ("", None) if there is none.

    ``stored_id`` is the stored memory, ``action`` what was done with it.
    """
    if duplicate is None or (
        action in ("reinforced", "merged") and stored_id != duplicate.memory.id
    ):
        return "", None
    return duplicate.memory.id, duplicate.similarity


def describe_duplicate(
    duplicate: NearDuplicate | None, stored_id: str, action: str
) -> tuple[str, ...]:
    """Sentences for the writer about the similar memory, and what to do about it; or empty.

    ``stored_id`` is the stored memory, ``action`` what was done with it.
    """
    if not duplicate_result_fields(duplicate, stored_id, action)[0] or duplicate is None:
        return ()
    alike = f"similarity {duplicate.similarity:.2f}"
    if action in ("reinforced", "merged"):
        return (f"it says the same ({alike}); --duplicates allow keeps both",)
    headline = one_line(duplicate.memory.headline, 60)
    if duplicate.against:
        message = f"may contradict {duplicate.memory.id} ({duplicate.against}): {headline}"
        replaces = _REPLACES.format(duplicate.memory.id[:12])
        return (message, f"{_IN_INBOX}; {replaces}" if action == "suggested" else replaces)
    if action == "suggested":
        alike = f"{_REASONS[duplicate.verdict]}; {alike}"
    differs = (
        f", differs in {', '.join(duplicate.differs[:6])}"
        if duplicate.differs
        else _ORDERED[duplicate.verdict]
    )
    message = f"similar to {duplicate.memory.id} ({alike}{differs}): {headline}"
    return (message, _IN_INBOX) if action == "suggested" else (message,)
