"""What each tier may do, and that nobody climbs by himself (S-20)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitmem.errors import Conflict
from gitmem.memory import trust
from gitmem.memory.edit import set_memory_trust_tier
from gitmem.model.frozen import replace
from gitmem.model.memory import Memory
from tests.support.stores import said
from tests.support.tables import table

OF = {
    "person": said(),
    "accepted": said(trust="accepted", agent="codex", source="ai_inferred"),
    "agent": said(agent="codex", source="ai_inferred"),
    "repository": said(source="system_auto"),
    "foreign": said(trust="foreign"),
}
tiers = st.sampled_from(trust.TIERS)


def test_each_tier_has_an_example_here() -> None:
    assert tuple(OF) == trust.TIERS
    assert all(memory.trust_tier == tier for tier, memory in OF.items())


def test_an_agent_changes_only_what_no_person_stands_behind() -> None:
    allowed = [tier for tier in trust.TIERS if trust.may_edit_memory(OF[tier], by_agent=True)]
    assert allowed == ["agent", "repository", "foreign"]
    assert all(trust.may_edit_memory(memory, by_agent=False) for memory in OF.values())


def test_what_only_consent_may_do_is_reported_by_what_an_edit_makes_of_a_memory() -> None:
    """To believe what nobody stands behind, to tell what is foreign, to follow what is not."""
    pairs = [(old, new) for old in trust.TIERS for new in trust.TIERS]
    lifted = {pair for pair in pairs if trust.edit_needs_consent(OF[pair[0]], OF[pair[1]])}
    loose = ("agent", "repository", "foreign")
    assert lifted == {(old, new) for old in loose for new in ("person", "accepted")} | {
        ("foreign", "agent"),
        ("foreign", "repository"),
    }
    agents = OF["agent"]
    for old, new in (("proposed", "accepted"), ("deprecated", "accepted"), ("proposed", "")):
        assert trust.edit_needs_consent(replace(agents, status=old), replace(agents, status=new))
        assert not trust.edit_needs_consent(
            replace(agents, status=new), replace(agents, status=old)
        )


def test_what_is_kept_for_every_project_is_no_repositorys_word() -> None:
    for memory in (OF["repository"], replace(OF["agent"], trust="repository")):
        assert replace(memory, scope="global").trust_tier == "foreign"
    others = [tier for tier in trust.TIERS if tier != "repository"]
    assert [replace(OF[tier], scope="global").trust_tier for tier in others] == others


def test_all_but_foreign_ones_are_reported_unasked_and_what_nobody_reviewed_is_marked() -> None:
    assert [tier for tier in trust.TIERS if not trust.may_show_automatically(tier)] == ["foreign"]
    assert [trust.trust_tier_mark(tier) for tier in trust.TIERS] == [
        "",
        "",
        "unreviewed",
        "from the repository",
        "foreign, not accepted",
    ]


@table(
    ("old", "after_agent"),
    [
        ("person", "agent"),
        ("accepted", "agent"),
        ("agent", "agent"),
        ("repository", "repository"),
        ("foreign", "foreign"),
    ],
)
def test_words_that_an_agent_changed_are_no_longer_a_persons(old: str, after_agent: str) -> None:
    memory = OF[old]
    assert tier(memory, trust.trust_after_edit(memory, by_agent=True)) == after_agent
    assert tier(memory, trust.trust_after_edit(memory, by_agent=False)) == old


def tier(memory: Memory, changed: str) -> str:
    return said(trust=changed, agent=memory.agent, source=memory.source).trust_tier


@given(tiers, tiers)
def test_only_a_person_lifts_a_memory_by_saying_the_same(old: str, again: str) -> None:
    after = tier(OF[old], trust.trust_after_repeat(OF[old], OF[again]))
    lifted = again == "person" and old not in ("person", "accepted")
    assert after == ("accepted" if lifted else old)


@given(tiers, st.none() | tiers)
def test_a_foreign_file_lifts_nothing_and_changes_nothing_above_it(
    claimed: str, here: str | None
) -> None:
    present = None if here is None else OF[here]
    if here not in (None, "foreign"):
        with pytest.raises(Conflict):
            trust.trust_checked_import(OF[claimed], present, is_own_file=False)
    else:
        assert (
            trust.trust_checked_import(OF[claimed], present, is_own_file=False).trust_tier
            == "foreign"
        )


@given(tiers, tiers)
def test_a_file_of_ones_own_never_changes_who_stated_it(claimed: str, here: str) -> None:
    new = trust.trust_checked_import(OF[claimed], OF[here], is_own_file=True)
    for name in trust.PROVENANCE:
        assert getattr(new, name) == getattr(OF[here], name)
    assert new.trust == OF[claimed].trust


@pytest.mark.parametrize("old", ["agent", "repository", "foreign"])
def test_a_person_accepts_and_takes_it_back(old: str) -> None:
    accepted = set_memory_trust_tier(OF[old], "accepted")
    assert accepted.trust_tier == "accepted"
    assert set_memory_trust_tier(accepted, "foreign").trust_tier == "foreign"


@pytest.mark.parametrize(
    ("old", "expected"), [("person", "accepted"), ("accepted", "accepted"), ("foreign", "foreign")]
)
def test_what_is_so_already_is_a_conflict(old: str, expected: str) -> None:
    with pytest.raises(Conflict):
        set_memory_trust_tier(OF[old], expected)


@given(tiers, tiers)
def test_what_nobody_here_stated_stands_only_for_what_is_trusted_no_more(
    old: str, new: str
) -> None:
    strange = old in ("repository", "foreign") and trust.is_more_trusted(new, old)
    assert trust.is_new_memory_redundant(OF[old], OF[new]) is not strange


def test_what_waits_stands_for_what_an_agent_says_and_for_no_person() -> None:
    waits = replace(OF["agent"], status="proposed")
    assert trust.is_new_memory_redundant(waits, OF["agent"])
    assert not trust.is_new_memory_redundant(waits, OF["person"])
    assert trust.is_new_memory_redundant(waits, replace(OF["person"], status="proposed"))
