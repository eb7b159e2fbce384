"""`gitmem show`: one memory whole, or several."""

from __future__ import annotations

from contextlib import closing

import pytest

from gitmem.errors import GitmemError
from gitmem.operations.find.show import show_memories
from gitmem.operations.outcomes import MemoryIdsRequest
from tests.support.apps import Desk


def test_several_memories_are_shown_each_once_in_the_order_of_asking(bare_desk: Desk) -> None:
    bare_desk.run("init", no_hooks=True, no_index=True)
    texts = ("The okapi is shy", "The gnu is not", "The zebra is striped")
    first, second, third = (bare_desk.run("remember", text=text).id for text in texts)
    result = bare_desk.run("show", id=(second, third, second, first, third))
    assert result.memory.id == second
    assert [other.memory.id for other in result.others] == [third, first]
    text = bare_desk.text("show", id=(second, third))
    assert text.index(texts[1]) < text.index(second) < text.index(texts[2]) < text.index(third)
    assert bare_desk.run("show", id=first).others == ()
    with pytest.raises(GitmemError, match="zzzz"):
        bare_desk.run("show", id=(first, "zzzz"))


def test_what_is_shown_or_reported_as_context_counts_as_used(bare_desk: Desk) -> None:
    """What somebody reads must not fade as if nobody did."""
    bare_desk.run("init", no_hooks=True, no_index=True)
    first = bare_desk.run("remember", text="The okapi listens on port 6380").id
    second = bare_desk.run("remember", text="The gnu sleeps").id
    assert bare_desk.run("show", id=(first, second)).accesses == 0
    assert bare_desk.run("show", id=first).accesses == 1
    bare_desk.run("context", query="on which port does the okapi listen")
    shown = bare_desk.run("show", id=(first, second))
    assert (shown.accesses, shown.others[0].accesses) == (3, 1)


def test_showing_counts_nothing_where_nothing_can_be_written(bare_desk: Desk) -> None:
    bare_desk.run("init", no_hooks=True, no_index=True)
    id = bare_desk.run("remember", text="The okapi is shy").id
    with closing(bare_desk.app()) as app:
        app.store.read_only = True
        for _ in "12":
            assert show_memories(app, MemoryIdsRequest((id,))).accesses == 0
