"""A compacted session is told less by itself; what is critical stays in (ML-31)."""

from __future__ import annotations

import os

import pytest

from gitmem.agents.events import event_log
from gitmem.agents.events.hook_event import HookEvent
from gitmem.errors import Conflict, InvalidInput, NotFound
from gitmem.model.frozen import replace
from gitmem.spool import lease
from gitmem.text.tokens import estimate_tokens
from tests.agents.events.test_session_start import ID, began, told
from tests.support.apps import HOUR, MINUTE, Desk

PLACES = (
    *("lobby", "cellar", "attic", "garage", "kitchen", "office", "pantry", "studio", "tower"),
    *("garden", "stable", "chapel", "harbour", "station", "library", "theatre", "market", "bridge"),
)
HOST = "claude-code"


def filled(desk: Desk, by: str = "") -> list[str]:
    """A session with eighteen memories, the first two of them critical; their ids in order."""
    made = []
    for number, place in enumerate(PLACES):
        text = f"The door of the {place} opens with key number {number * 17}."
        made.append(desk.run("remember", text=text, pin=number < 2, by=by).id)
        desk.clock.advance(MINUTE)
    return made


def shown(text: str) -> list[int]:
    """Which of some memories a text tells, by their number."""
    return [number for number, place in enumerate(PLACES) if f"door of the {place} " in text]


def test_the_share_that_each_strategy_keeps_and_what_it_does_to_an_orientation(
    desk: Desk,
) -> None:
    desk.run("session start", goal="Count the keys")
    ids = filled(desk)
    desk.run("orient")
    whole = desk.run("orient")
    for strategy, share, expected in (
        # The two critical ones are the oldest; ten newest stay whatever the share.
        ("summarise", 0.6, 12),
        ("selective", 0.5, 12),
        ("aggressive", 0.4, 12),
    ):
        done = desk.run("session compact", strategy=strategy)
        assert (done.strategy, done.share, done.kept, done.critical) == (
            strategy,
            share,
            expected,
            2,
        )
        assert {item.id for item in done.dropped}.isdisjoint({*ids[:2], *ids[-10:]})
        assert done.after < done.before
        cut = desk.run("orient")
        assert estimate_tokens(cut.text) <= 1200 * share < estimate_tokens(whole.text) + 1200
        told_of = {memory.id for memory in cut.memories}
        assert set(ids[:2]) <= told_of and told_of.isdisjoint(item.id for item in done.dropped)
        assert set(shown(cut.text)) >= {0, 1}
        assert desk.run("session health").compacted == strategy
    back = desk.run("session compact", strategy="none")
    assert (back.strategy, back.share, back.dropped) == ("", 1.0, ())
    assert desk.run("orient").text == whole.text
    assert "shown everything again" in desk.text("session compact", strategy="none")


def test_what_is_dropped_is_found_when_it_is_asked_for(desk: Desk) -> None:
    desk.run("session start")
    ids = filled(desk)
    done = desk.run("session compact", strategy="aggressive")
    gone = done.dropped[-1]
    number = ids.index(gone.id)
    found = desk.run("recall", query=f"door {PLACES[number]}").memories
    assert found[0].id == gone.id
    assert str(desk.run("show", id=gone.id).memory.state) == "active"
    # Pinned later, it is critical from then on.
    desk.run("pin", id=(gone.id,))
    assert gone.id in {memory.id for memory in desk.run("orient").memories}


def test_the_context_of_a_compacted_session_is_smaller(desk: Desk) -> None:
    desk.run("session start")
    ids = filled(desk)
    assert desk.run("context").max_tokens == 6000
    done = desk.run("session compact", strategy="aggressive")
    found = desk.run("context")
    assert found.max_tokens == 2400
    assert {source.id for source in found.sources}.isdisjoint(item.id for item in done.dropped)
    assert ids[0] in {source.id for source in found.sources}
    # A budget that was asked for is kept.
    assert desk.run("context", max_tokens=5000).max_tokens == 5000


def test_an_ended_session_gets_nothing(desk: Desk) -> None:
    session = desk.run("session start").session.id
    filled(desk)
    assert desk.run("session compact", strategy="aggressive").dropped
    assert desk.run("context").max_tokens == 2400
    desk.run("session end")
    assert desk.run("context").max_tokens == 6000
    with pytest.raises(Conflict, match="already ended"):
        desk.run("session compact", id=session)


def test_a_host_s_hooks_tell_a_compacted_session_less(desk: Desk) -> None:
    """Notes and memories, after the host's own compaction and with a prompt."""
    told(desk, began())
    desk.run("drain")
    # A drain that a prompt starts would see today's date, and end the session for its age.
    held = lease.try_take_spool_lease(str(desk.store.parent / event_log.FOLDER), os.getpid())
    assert held
    notes = [f"note: looked at room {number}" for number in range(3)]
    for text in (*notes, "critical: never open the vault"):
        desk.run("session note", text=text, by=HOST)
        desk.clock.advance(MINUTE)
    desk.run("remember", text="The vault of Oslo is locked by a decree of May", kind="fix", by=HOST)
    filled(desk, by=HOST)
    query = HookEvent(
        HOST, "prompt", session=ID, prompt="why is the vault of Oslo locked by decree?"
    )
    before = told(desk, began(source="compact"))
    assert notes[0] in before and len(shown(before)) > 8
    done = desk.run("session compact", strategy="aggressive", by=HOST)
    out = [item.text for item in done.dropped]
    assert notes[0] in out and any("Oslo" in item for item in out)
    assert "critical: never open the vault" not in out
    desk.clock.advance(HOUR)
    after = told(desk, began(source="compact"))
    assert notes[0] not in after and "never open the vault" in after
    assert len(after) < len(before)
    assert "Oslo" not in told(desk, query)
    # Another session is told all, and this one again.
    assert "Oslo" in told(desk, replace(query, session=ID.replace("7", "8")))
    desk.run("session compact", strategy="none", by=HOST)
    assert "Oslo" in told(desk, query)
    held.release()


def test_it_fits_how_full_the_session_is(desk: Desk) -> None:
    desk.run("session start")
    assert desk.run("session compact").strategy == "summarise"


def test_what_there_is_none_of(desk: Desk) -> None:
    with pytest.raises(NotFound, match="no session yet"):
        desk.run("session compact")
    desk.run("session start")
    with pytest.raises(InvalidInput, match="no strategy 'gently'"):
        desk.run("session compact", strategy="gently")
