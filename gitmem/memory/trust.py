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


def may_show_unasked(tier: str) -> bool:
    """Whether memories of a tier (level of trust) may be shown unasked, as a session starts."""
    return tier != "foreign"


def trust_tier_mark(tier: str) -> str:
    """The mark shown beside memories of a tier (level of trust); empty for the trusted tiers."""
    return _MARKS.get(tier, "")


def state_and_trust_marks(state: str, tier: str) -> list[str]:
    """The marks of a memory that is not in force or that no person stands behind: ``proposed``."""
    return [mark for mark in ("" if state == "active" else state, trust_tier_mark(tier)) if mark]


def headline_with_marks(headline: str, state: str, tier: str) -> str:
    """A headline behind its marks, which a cut at the end then leaves: ``[proposed] Use Redis``."""
    marks = state_and_trust_marks(state, tier)
    return f"[{', '.join(marks)}] {headline}" if marks else headline


def is_more_trusted(tier: str, other_tier: str) -> bool:
    """Whether the tier ``tier`` is trusted more than the tier ``other_tier``."""
    return TIERS.index(tier) < TIERS.index(other_tier)


def may_edit_memory(memory: Memory, *, by_agent: bool) -> bool:
    """Whether an agent (``by_agent``) or else a person may edit or archive a memory.

    An agent may not if a person wrote or accepted the memory; then it can only propose a change.
    """
    return not (by_agent and is_accepted_by_person(memory))


def is_accepted_by_person(memory: Memory) -> bool:
    """Whether a person wrote or accepted the memory."""
    return memory.trust_tier in _VOUCHED


def edit_needs_consent(old: Memory, new: Memory) -> bool:
    """Whether an edit needs a person's consent.

    It does if it raises the memory's tier, or brings a decision into force or back into force.
    """
    in_force = old.status not in _IN_FORCE and new.status in _IN_FORCE
    believed = is_accepted_by_person(new) and not is_accepted_by_person(old)
    return in_force or believed or (old.trust_tier == "foreign" and new.trust_tier != "foreign")


def trust_after_edit(old: Memory, *, by_agent: bool) -> str:
    """The ``trust`` of a memory after its text was edited by an agent (``by_agent``) or a person.

    An agent's text is never trusted more than an agent; otherwise the trust stays as it was.
    """
    return "agent" if by_agent and is_more_trusted(old.trust_tier, "agent") else old.trust


def trust_after_import(old: Memory, new: Memory) -> str:
    """The ``trust`` of a memory that was imported again from a file of the repository.

    If the file changed its text, a memory that was trusted more is trusted as the repository's.
    """
    same = (new.title, new.content) == (old.title, old.content)
    return old.trust if same or not is_more_trusted(old.trust_tier, "repository") else "repository"


def may_stored_represent_new(stored: Memory, new: Memory) -> bool:
    """Whether a stored memory may stand for ``new``, a new memory with the same text.

    A foreign memory may not stand for a trusted one, as its dates, pin and metadata are a
    stranger's; nor may a proposal stand for what a person writes.
    """
    if stored.trust_tier in ("repository", "foreign") and is_more_trusted(
        new.trust_tier, stored.trust_tier
    ):
        return False
    waits = stored.status == "proposed" and new.status != "proposed"
    return not (waits and new.trust_tier == "person")


def trust_after_repeat(old: Memory, repeat: Memory) -> str:
    """The ``trust`` of a memory after ``repeat`` repeated it; a person's repeat accepts it."""
    vouched = repeat.trust_tier == "person" and is_more_trusted("accepted", old.trust_tier)
    return "accepted" if vouched else old.trust


def trust_checked_import(imported: Memory, stored: Memory | None, *, is_own_file: bool) -> Memory:
    """The memory in an imported file, as it may be stored in place of ``stored``.

    Unless a person says that the file is their ``is_own_file``, the memory is foreign whatever the
    file says, and may replace only a foreign memory. Raises Conflict.
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
