"""Links that replace and links to commits: dated, without loops, gone with their memory."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitmem.errors import Conflict, InvalidInput, NotFound
from gitmem.store.memory import link_graph, memories
from tests.support.apps import DAY, NOW, Desk
from tests.support.repos import RepoBuilder


def message(desk: Desk, *texts: str) -> list[str]:
    return [str(desk.run("remember", text=text).id) for text in texts]


def supersede(desk: Desk, newer: str, older: str, **how: object) -> str:
    made = desk.run("link", source=newer, target=older, relation="supersedes", **how)
    return str(made.action)


def stored(desk: Desk, id: str) -> tuple[str, int | None, int]:
    app = desk.app()
    memory = memories.get_memory(app.store, id)
    app.close()
    assert memory
    return memory.state, memory.valid_until, memory.version


def test_what_is_replaced_was_in_force_until_now(desk: Desk) -> None:
    """CF-45."""
    old, new = message(desk, "On 6379", "On 6380")
    desk.clock.advance(DAY)
    supersede(desk, new, old, strength=0.9, context="moved")
    assert stored(desk, old) == ("superseded", NOW + DAY, 2)
    assert stored(desk, new) == ("active", None, 1)
    (link,) = desk.run("show", id=new).links
    assert (link.relation, link.strength, link.context) == ("SUPERSEDES", 0.9, "moved")


def test_replacing_twice_renews_the_link_and_nothing_else(desk: Desk) -> None:
    old, new = message(desk, "On 6379", "On 6380")
    supersede(desk, new, old)
    desk.clock.advance(DAY)
    assert supersede(desk, new, old, context="again") == "renewed"
    assert stored(desk, old) == ("superseded", NOW, 2)


def test_memories_that_would_replace_each_other_are_refused(desk: Desk) -> None:
    """CF-45: also over several steps; nothing of it is stored."""
    item, two, three = message(desk, "One", "Two", "Three")
    supersede(desk, two, item)
    supersede(desk, three, two)
    for newer, older in ((item, two), (item, three), (two, three)):
        with pytest.raises(Conflict) as refused:
            supersede(desk, newer, older)
        assert newer in refused.value.message and refused.value.hint
    assert stored(desk, three)[0] == "active"
    assert len(desk.run("show", id=item).links) == 1


def test_a_memory_is_tied_to_the_commit_that_made_it_true(desk: Desk, repo: RepoBuilder) -> None:
    """CT-12."""
    (id,) = message(desk, "The cart is per worker")
    head = repo.head()
    repo.git("tag", "v1")
    for name in ("HEAD", head[:8], "v1", head):
        made = desk.run("link", source=id, target=name, relation="implemented-by")
        assert (made.target, made.relation) == (f"commit:{head}", "IMPLEMENTED_BY")
    assert made.action == "renewed"


@pytest.mark.parametrize("target", ["nowhere", "", "--all", "f" * 40, "HEAD..HEAD~1", "x\ny"])
def test_what_is_no_commit_is_a_sentence(desk: Desk, target: str) -> None:
    (id,) = message(desk, "Fact")
    with pytest.raises(NotFound) as refused:
        desk.run("link", source=id, target=target, relation="IMPLEMENTED_BY")
    assert refused.value.hint
    assert desk.run("stats").links == 0


def test_a_global_memory_has_no_commit(desk: Desk) -> None:
    shared = desk.run("remember", text="tabs", scope="global").id
    with pytest.raises(InvalidInput):
        desk.run("link", source=shared, target="HEAD", relation="IMPLEMENTED_BY")


def test_in_a_plain_folder_there_is_no_commit(tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    desk = Desk(tmp_path / "plain", tmp_path / "home")
    desk.run("init", folder=True)
    (id,) = message(desk, "Fact")
    with pytest.raises(NotFound):
        desk.run("link", source=id, target="HEAD", relation="IMPLEMENTED_BY")


def test_links_of_a_purged_memory_go_with_it(desk: Desk) -> None:
    item, two = message(desk, "One", "Two")
    desk.run("link", source=item, target=two)
    desk.run("link", source=item, target="HEAD", relation="IMPLEMENTED_BY")
    desk.run("purge", id=(item,))
    app = desk.app()
    assert link_graph.links_of_memories(app.store, (item, two)) == []
    app.close()
