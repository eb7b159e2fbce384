"""How far each tier of trust goes: who is shown unasked, with what mark, and who may change whom.

A tier follows from provenance, which nobody changes afterwards (``Memory.tier``), or from what a
person said about it since. Repeating and importing raise nobody's tier by themselves.
"""

from __future__ import annotations

from gitmem.errors import Conflict
from gitmem.model.frozen import replace
from gitmem.model.memory import Memory

# From the most to the least trusted.
TIERS = ("person", "accepted", "agent", "repository", "foreign")
_MARKS = {
    "agent": "unreviewed",
    "repository": "from the repository",
    "foreign": "foreign, not accepted",
}
# Behind these stands a person, and only people change them.
_VOUCHED = ("person", "accepted")
# The statuses of what is to be followed; only a decision has one.
_IN_FORCE = ("", "accepted")
# Who said it, where and when: what every later version has from the first.
PROVENANCE = ("source", "agent", "author", "session", "branch", "commit", "created_at")


def injected(tier: str) -> bool:
    """Whether a memory may be shown at the start of a session, where nobody asked for it."""
    return tier != "foreign"


def mark(tier: str) -> str:
    """What is said beside a memory of this tier; empty where nothing need be said."""
    return _MARKS.get(tier, "")


def outranks(one: str, other: str) -> bool:
    """Whether the first tier is trusted more than the second."""
    return TIERS.index(one) < TIERS.index(other)


def may_change(memory: Memory, *, by_agent: bool) -> bool:
    """Whether somebody may make a new version of a memory, or put it away.

    Agents may not where a person said it or accepted it: else the word of an agent would end that
    of a person. What they think of it they say beside it.
    """
    return not (by_agent and vouched(memory))


def vouched(memory: Memory) -> bool:
    """Whether a person stands behind a memory: said it, or accepted it."""
    return memory.tier in _VOUCHED


def lifts(old: Memory, new: Memory) -> bool:
    """Whether an edit does what only consent may: believe what is foreign, follow what is not.

    Of a decision any way back into force, since a proposal may be declared obsolete in between.
    """
    in_force = old.status not in _IN_FORCE and new.status in _IN_FORCE
    believed = vouched(new) and not vouched(old)
    return in_force or believed or (old.tier == "foreign" and new.tier != "foreign")


def after_edit(old: Memory, *, by_agent: bool) -> str:
    """The ``trust`` of a memory whose words were changed: an agent's words are an agent's."""
    return "agent" if by_agent and outranks(old.tier, "agent") else old.trust


def after_import(old: Memory, new: Memory) -> str:
    """The ``trust`` of a memory that follows a file: words that changed there are nobody's here."""
    same = (new.title, new.content) == (old.title, old.content)
    return old.trust if same or not outranks(old.tier, "repository") else "repository"


def stands_for(old: Memory, memory: Memory) -> bool:
    """Whether a memory may stand for the same words said again.

    What nobody here said or accepted never does for what somebody says: its dates, its pin and its
    facts are a stranger's. Nor does what waits for a person stand for what a person says.
    """
    if old.tier in ("repository", "foreign") and outranks(memory.tier, old.tier):
        return False
    waits = old.status == "proposed" and memory.status != "proposed"
    return not (waits and memory.tier == "person")


def after_repeat(old: Memory, memory: Memory) -> str:
    """The ``trust`` of a memory that was said again: a person who says the same vouches for it."""
    vouched = memory.tier == "person" and outranks("accepted", old.tier)
    return "accepted" if vouched else old.trust


def admitted(record: Memory, present: Memory | None, *, own: bool) -> Memory:
    """A memory read from a file, as it may be stored in place of ``present``.

    Without ``own`` (a person says that the file is theirs) it is foreign whatever it says about
    itself, and replaces only what is foreign. Raises Conflict.
    """
    if present is None:
        return record if own else replace(record, trust="foreign")
    if not own and present.tier != "foreign":
        raise Conflict(
            f"Memory {present.id} is trusted here ({present.tier}); a foreign file cannot change "
            "it.",
            "If the file is your own, add --trust.",
        )
    first = {name: getattr(present, name) for name in PROVENANCE}
    return replace(record, trust=record.trust if own else present.trust, **first)
