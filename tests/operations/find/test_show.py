"""`gitmem show`: one memory whole, or several."""

from __future__ import annotations

import pytest

from gitmem.errors import GitmemError
from tests.support.apps import Desk


def test_several_memories_are_shown_each_once_in_the_order_of_asking(bare_desk: Desk) -> None:
    bare_desk.run("init", no_hooks=True, no_index=True)
    texts = ("The okapi is shy", "The gnu is not", "The zebra is striped")
    first, second, third = (bare_desk.run("remember", text=one).id for one in texts)
    told = bare_desk.run("show", id=second, more=(third, second, first, third))
    assert told.memory.id == second
    assert [one.memory.id for one in told.others] == [third, first]
    text = bare_desk.text("show", id=second, more=(third,))
    assert text.index(texts[1]) < text.index(second) < text.index(texts[2]) < text.index(third)
    assert bare_desk.run("show", id=first).others == ()
    with pytest.raises(GitmemError, match="zzzz"):
        bare_desk.run("show", id=first, more=("zzzz",))
