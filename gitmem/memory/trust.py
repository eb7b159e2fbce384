"""Tiers of trust: which memories are shown unasked, how they are marked, who may change them.

A memory's tier follows from its provenance, which never changes (``Memory.trust_tier``), or from a
person's later consent. Repeating or importing a memory does not raise it.
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
# A person vouches for these, and only people change them.
_VOUCHED = ("person", "accepted")
# Statuses in force; only decisions have one.
_IN_FORCE = ("", "accepted")
# Fields that every later version takes from the first.
PROVENANCE = ("source", "agent", "author", "session", "branch", "commit", "created_at")


def may_show_automatically(trust_tier: str) -> bool:
    """Whether memories with this level of trust may be shown unasked, as a session starts.

    All but ``foreign`` (imported, not accepted by a person).
    """
    return trust_tier != "foreign"


def trust_tier_mark(tier: str) -> str:
    """The mark shown for a level of trust, such as ``unreviewed``; empty for trusted ones."""
    return _MARKS.get(tier, "")


def state_and_trust_marks(state: str, tier: str) -> list[str]:
    """The marks of a memory that is not in force or that no person stands behind: ``proposed``."""
    return [mark for mark in ("" if state == "active" else state, trust_tier_mark(tier)) if mark]


def headline_with_marks(headline: str, state: str, tier: str) -> str:
    """A headline behind its marks, which a cut at the end then leaves: ``[proposed] Use Redis``."""
    marks = state_and_trust_marks(state, tier)
    return f"[{', '.join(marks)}] {headline}" if marks else headline


def is_more_trusted(tier: str, other_tier: str) -> bool:
    """Whether the first level of trust is higher: person, accepted, agent, repository, foreign."""
    return TIERS.index(tier) < TIERS.index(other_tier)


def may_edit_memory(memory: Memory, *, by_agent: bool) -> bool:
    """Whether a person or, with ``by_agent``, an agent may edit or archive a memory.

    An agent may not if a person wrote or accepted the memory; then it can only propose a change.
    """
    return not (by_agent and is_accepted_by_person(memory))


def is_accepted_by_person(memory: Memory) -> bool:
    """Whether a person wrote or accepted the memory."""
    return memory.trust_tier in _VOUCHED


def edit_needs_consent(old: Memory, new: Memory) -> bool:
    """Whether only a person may make this edit, from the version ``old`` to ``new``.

    So it is if it makes a memory accepted or no longer foreign, or a decision valid (again).
    """
    in_force = old.status not in _IN_FORCE and new.status in _IN_FORCE
    believed = is_accepted_by_person(new) and not is_accepted_by_person(old)
    return in_force or believed or (old.trust_tier == "foreign" and new.trust_tier != "foreign")


def trust_after_edit(old: Memory, *, by_agent: bool) -> str:
    """The field ``trust`` of a memory after its text was edited by a person or an agent.

    After an agent's edit (``by_agent``) it is at most ``agent``; else it stays as it was.
    """
    return "agent" if by_agent and is_more_trusted(old.trust_tier, "agent") else old.trust


def trust_after_import(old: Memory, new: Memory) -> str:
    """The field ``trust`` of a memory that was imported again from a file of the repository.

    If its text changed, it is at most ``repository``; else it stays as it was.
    """
    same = (new.title, new.content) == (old.title, old.content)
    return old.trust if same or not is_more_trusted(old.trust_tier, "repository") else "repository"


def is_new_memory_redundant(stored: Memory, new: Memory) -> bool:
    """Whether a new memory may be left out, as a stored memory already has the same text.

    Not if the stored one comes from the repository or an import and the new one is more trusted,
    nor if a person writes what is stored as a proposal only.
    """
    if stored.trust_tier in ("repository", "foreign") and is_more_trusted(
        new.trust_tier, stored.trust_tier
    ):
        return False
    waits = stored.status == "proposed" and new.status != "proposed"
    return not (waits and new.trust_tier == "person")


def trust_after_repeat(old: Memory, repeat: Memory) -> str:
    """The field ``trust`` of a memory after it was saved again: a person who does that accepts it.

    ``old`` is the stored memory, ``repeat`` the new one with the same text.
    """
    vouched = repeat.trust_tier == "person" and is_more_trusted("accepted", old.trust_tier)
    return "accepted" if vouched else old.trust


def trust_checked_import(imported: Memory, stored: Memory | None, *, is_own_file: bool) -> Memory:
    """The memory of an import with the trust that it may have, to be stored in place of ``stored``.

    Unless the file is the user's own (``is_own_file``), it is ``foreign`` whatever the file says.
    Raises Conflict if such a memory would replace one that is not foreign.
    """
    if stored is None:
        return imported if is_own_file else replace(imported, trust="foreign")
    if not is_own_file and stored.trust_tier != "foreign":
        raise Conflict(
            f"Memory {stored.id} is trusted here ({stored.trust_tier}); a foreign file cannot "
            "change it.",
            "If the file is your own, add --trust.",
        )
    first = {name: getattr(stored, name) for name in PROVENANCE}
    return replace(imported, trust=imported.trust if is_own_file else stored.trust, **first)
