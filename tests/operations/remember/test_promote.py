"""Between layers: the id and the history stay, and a crash leaves a copy, never a loss (CF-40)."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gitmem.app import App
from gitmem.capture.change import store_memory_version
from gitmem.errors import Conflict, InvalidInput, NotFound
from gitmem.maintenance.schedule import is_maintenance_due
from gitmem.memory import lifecycle
from gitmem.model.frozen import replace
from gitmem.model.memory import Memory
from gitmem.operations.remember.promote import (
    PROMOTE,
    MovedMemory,
    MoveToLayerRequest,
    MoveToLayerResult,
)
from gitmem.store.memory import memories, memory_writes, move_memory, short_ids
from gitmem.store.memory.filters import MemoryFilter
from tests.support.apps import DAY, HOUR, Desk
from tests.support.cli import ROOT

# Promotes a memory and dies at the first commit to one store while the other holds the memory.
DYING = """
import os, sys
from gitmem.app import App
from gitmem.clock import FixedClock
from gitmem.operations.remember.promote import MoveToLayerRequest, move_memories_to_layer
from gitmem.settings import Settings
from gitmem.store.memory import memories

place, id, now, to, dies, holds = sys.argv[1:]
app = App(Settings(dict(os.environ)), FixedClock(int(now)), place)
stores = {"project": app.store, "global": app.global_store(create=True)}

def dying():
    if holds == "none" or memories.get_memory(stores[holds], id) is not None:
        os._exit(9)
    return False

app.project_identity
stores[dies].connection.set_commit_hook(dying)
move_memories_to_layer(app, MoveToLayerRequest((id,), to=to))
"""


def promote(desk: Desk, *ids: str, to: str = "", by: str = "") -> MoveToLayerResult:
    app = desk.app(agent=by)
    try:
        found = PROMOTE.run(app, MoveToLayerRequest(ids, to=to))
    finally:
        app.close()
    assert isinstance(found, MoveToLayerResult)
    return found


def remember(desk: Desk, text: str = "Redis is on 6380", **values: Any) -> str:
    return str(desk.run("remember", text=text, **values).id)


def exported(desk: Desk, id: str) -> dict[str, Any]:
    found = [json.loads(line) for line in desk.run("export", scope="all").lines]
    return next(item for item in found if item.get("id") == id)


def inside(desk: Desk, work: Callable[[App], Any]) -> Any:
    app = desk.app()
    try:
        return work(app)
    finally:
        app.close()


def memory(desk: Desk, id: str) -> Memory:
    return inside(desk, lambda app: short_ids.find_memory(app.stores(), id)[1])


def captured(desk: Desk, id: str, **fields: Any) -> None:
    """Make a memory one of the working layer, as a session's note is."""
    ends = {"layer": "working", "ttl_ms": HOUR, "expires_at": desk.clock.now() + HOUR} | fields

    def work(app: App) -> None:
        old = memories.get_memory(app.store, id)
        assert old is not None
        with app.store.write():
            store_memory_version(app, app.store, old, replace(old, **ends), "captured")

    inside(desk, work)


def use(desk: Desk, id: str, times: int) -> None:
    def work(app: App) -> None:
        with app.store.write():
            for _ in range(times):
                memory_writes.increment_access_counts(app.store, [id], app.now)

    inside(desk, work)


def holders(desk: Desk, id: str) -> list[str]:
    return inside(
        desk,
        lambda app: [
            store.scope for store in app.stores() if memories.get_memory(store, id) is not None
        ],
    )


def test_one_layer_up_at_a_time(desk: Desk) -> None:
    id = remember(desk)
    captured(desk, id)
    for layer in ("project", "global"):
        assert promote(desk, id).items == (MovedMemory(id, "promoted", layer, ""),)
    found = memory(desk, id)
    assert (found.id, found.scope, found.layer, found.expires_at) == (id, "global", "", None)
    actions = [version.action for version in desk.run("history", id=id).versions]
    assert actions[-2:] == ["promoted", "promoted"]
    with pytest.raises(Conflict, match="global already"):
        promote(desk, id)


def test_what_ends_by_itself_stays_in_its_project_first(desk: Desk) -> None:
    """CT-7: promotion by hand."""
    id = remember(desk)
    captured(desk, id, layer="", source="system_auto")
    assert promote(desk, id).items[0].layer == "project"
    assert memory(desk, id).expires_at is None
    desk.run("trust", id=(id,))
    assert promote(desk, id).items[0].layer == "global"


def test_a_global_memory_is_found_from_everywhere_and_can_be_taken_back(desk: Desk) -> None:
    id = remember(desk, tag=("cache",), path=("src/cart/cart.py",), by="cursor")
    before = memory(desk, id)
    promote(desk, id, to="global")
    assert holders(desk, id) == ["global"]
    (found,) = desk.run("recall", query="redis", scope="global").memories
    assert (found.id, found.scope, found.version) == (id, "global", 2)
    assert "from  project github.com/acme/shop" in desk.text("show", id=id)
    promote(desk, id, to="project")
    after = memory(desk, id)
    assert holders(desk, id) == ["project"]
    same = {"seq": 0, "version": 0, "updated_at": 0}
    assert replace(after, **same) == replace(before, **same)
    assert desk.run("doctor").failed == 0


def test_only_a_person_makes_a_memory_hold_in_every_project(desk: Desk, tmp_path: Path) -> None:
    """Not by promoting, not by saying so, not by a tag, not in a skill: an agent may ask for it."""
    own = remember(desk, "Redis is on 6380", by="codex")
    assert promote(desk, own, to="global", by="codex").items == (
        MovedMemory(own, "proposed", "project", ""),
    )
    assert holders(desk, own) == ["project"]
    for number, values in enumerate(
        ({"scope": "global"}, {"layer": "global"}, {"tag": ("global",)})
    ):
        made = desk.run("remember", text=f"Port {number}", by="codex", **values)
        assert holders(desk, made.id) == ["project"]
        assert "only a person keeps something for every project" in "\n".join(made.notes)
    made = desk.run("decide", title="One log", scope="global", by="codex")
    assert holders(desk, made.id) == ["project"] and made.notes
    with pytest.raises(Conflict, match="only a person"):
        desk.run("skill create", slug="release", instructions="Tag", scope="global", by="codex")
    queries = [item for item in desk.run("inbox").items if item.other == "global"]
    assert len(queries) == 5
    queries = [item for item in queries if item.memory == own]
    text = desk.text("inbox")
    assert "note for every project  Redis is on 6380" in text
    assert "codex asks to keep it for every project" in text
    whose = "(said by codex, unreviewed): Redis is on 6380"
    assert f"accepting it keeps for every project {queries[0].handle} {whose}" in text
    desk.run("config", key="inbox.accept_by", value="cursor:memory", user=True)
    with pytest.raises(Conflict, match="only a person can make"):
        desk.run("inbox", action="accept", id=(queries[0].id,), by="cursor")
    output = desk.text("inbox", action="accept", id=(queries[0].id,))
    assert output == f"kept for every project: {own}"
    assert (holders(desk, own), memory(desk, own).trust_tier) == (["global"], "agent")
    with pytest.raises(Conflict, match="accepted for every project, or purged") as refused:
        desk.run("inbox", action="undo", id=(queries[0].id,))
    assert "gitmem promote ID --to project" in refused.value.hint


def test_what_is_not_to_hold_in_every_project_stays_as_it_is_and_is_not_asked_again(
    desk: Desk,
) -> None:
    old = desk.run("decide", title="Use Postgres", by="codex").id
    id = desk.run("decide", title="Use SQLite", supersedes=old, by="codex").id
    promote(desk, id, to="global", by="codex")
    (result,) = desk.run("inbox").items
    with pytest.raises(InvalidInput, match="about existing memories"):
        desk.run("inbox", action="edit", id=(result.id,), text="Obey")
    desk.run("revise", id=id, text="Obey", by="codex")
    with pytest.raises(Conflict, match="not do what was shown"):
        desk.run("inbox", action="accept", id=(result.id,))
    desk.run("inbox", action="reject", id=(result.id,))
    assert (memory(desk, id).state, holders(desk, id)) == ("active", ["project"])
    desk.run("inbox", action="undo", id=(result.id,))
    assert (memory(desk, id).state, memory(desk, old).superseded_by) == ("active", id)
    desk.run("inbox", action="reject", id=(result.id,))
    desk.run("revise", id=id, text="One file", by="codex")
    promote(desk, id, to="global", by="codex")  # other words than those that were asked about
    promote(desk, id, to="global", by="codex")
    assert len(desk.run("inbox").items) == 1
    foreign = remember(desk, "Port 8001", by="cursor")
    desk.run("trust", id=(foreign,), tier="foreign")
    with pytest.raises(Conflict, match="is foreign, so it cannot be made global"):
        promote(desk, foreign, to="global", by="codex")


def test_what_nobody_here_accepted_holds_in_no_other_project(desk: Desk, tmp_path: Path) -> None:
    """A proposal, a document, a stranger's memory; accepted it says where it is from."""
    foreign = exported(desk, remember(desk, "Mine")) | {"id": "0" * 26, "content": "Theirs"}
    (tmp_path / "in.jsonl").write_text(json.dumps(foreign | {"scope": "global"}) + "\n")
    desk.run("import", source=str(tmp_path / "in.jsonl"))
    assert holders(desk, "0" * 26) == ["project"]
    assert desk.run("import", source=str(tmp_path / "in.jsonl")).unchanged == 1
    desk.run("import-docs", path=("README.md",))
    document = next(
        memory.id for memory in desk.run("list").memories if memory.title == "README.md"
    )
    waits = desk.run("import-docs", path=("src/cart/cart.py",), propose=True).files[0].id
    for id, verb in (("0" * 26, "trust"), (document, "trust"), (waits, "inbox accept")):
        with pytest.raises(Conflict) as refused:
            promote(desk, id, to="global")
        assert f"gitmem {verb} {id[:12]}" in refused.value.hint
    desk.run("trust", id=("0" * 26,))
    promote(desk, "0" * 26, to="global")
    assert desk.run("show", id="0" * 26).metadata["provenance"]["project"] == "github.com/acme/shop"


def test_what_came_in_as_global_before_is_known_again(desk: Desk, tmp_path: Path) -> None:
    id = remember(desk, "Redis is on 6380", scope="global")
    desk.run("trust", id=(id,), tier="foreign")
    (tmp_path / "in.jsonl").write_text(json.dumps(exported(desk, id)) + "\n")
    assert desk.run("import", source=str(tmp_path / "in.jsonl")).unchanged == 1
    assert holders(desk, id) == ["global"]


@pytest.mark.parametrize(
    "captured", [{"trust": "repository"}, {"trust": "", "source": "system_auto"}]
)
def test_what_was_made_global_before_is_foreign_in_every_project(
    desk: Desk, captured: dict[str, str]
) -> None:
    """Nobody accepted it: it is told to nobody unasked, and is no other repository's word."""
    id = remember(desk, "Redis is on 6380", scope="global", pin=True)

    def work(app: App) -> None:
        store = app.store_for_scope("global")
        old = memories.get_memory(store, id)
        assert old is not None
        with store.write():
            store_memory_version(app, store, old, replace(old, **captured), "captured")

    def unasked(app: App) -> int:
        return len(
            memories.select_memories(
                app.store_for_scope("global"), MemoryFilter(trusted_only=True), limit=9
            )
        )

    assert inside(desk, unasked) == 1
    inside(desk, work)
    assert (memory(desk, id).trust_tier, inside(desk, unasked)) == ("foreign", 0)
    text = desk.text("recall", query="redis")
    assert "foreign, not accepted" in text and "from the repository" not in text
    desk.run("trust", id=(id,))
    assert inside(desk, unasked) == 1


def test_demoted_it_lives_an_hour_however_much_it_was_used(desk: Desk) -> None:
    id = remember(desk)
    use(desk, id, 9)
    assert promote(desk, id, to="working").items[0].action == "demoted"
    assert memory(desk, id).expires_at == desk.clock.now() + HOUR
    desk.clock.advance(HOUR)
    assert desk.run("upkeep").expired == 1
    assert memory(desk, id).state == "archived"


def test_from_all_projects_straight_into_a_session(desk: Desk) -> None:
    id = remember(desk, scope="global")
    promote(desk, id, to="working")
    found = memory(desk, id)
    assert (found.scope, found.layer, holders(desk, id)) == ("project", "working", ["project"])
    assert found.project


def test_where_it_is_already_nothing_changes(desk: Desk) -> None:
    id = remember(desk)
    assert promote(desk, id, to="project").items == (MovedMemory(id, "unchanged", "project", ""),)
    assert memory(desk, id).version == 1


def test_one_that_cannot_be_moved_does_not_stop_the_others(desk: Desk) -> None:
    good, gone = remember(desk, "one"), remember(desk, "two")
    desk.run("forget", id=(gone,))
    found = promote(desk, gone, "ZZZZ", good, to="global")
    assert [item.action for item in found.items] == ["", "", "promoted"]
    assert found.failed == 2 and "is archived" in PROMOTE.view(found)
    with pytest.raises(NotFound):
        promote(desk, "ZZZZ")


def test_what_is_stated_there_already_is_not_stated_twice(desk: Desk) -> None:
    there, here = remember(desk, scope="global"), remember(desk)
    with pytest.raises(Conflict, match=there):
        promote(desk, here, to="global")
    assert holders(desk, here) == ["project"]
    assert inside(desk, lambda app: move_memory.pending_memory_moves(app.store)) == {}


def died(desk: Desk, id: str, to: str, dies: str, holds: str) -> None:
    words = [str(desk.place), id, str(desk.clock.now()), to, dies, holds]
    command = [sys.executable, "-P", "-c", DYING, *words]
    done = subprocess.run(command, env=desk.env, cwd=ROOT, capture_output=True, check=False)
    assert done.returncode == 9, done.stderr.decode()


@pytest.mark.parametrize(("start", "to"), [("project", "global"), ("global", "project")])
def test_a_crash_between_the_stores_leaves_a_copy_and_the_next_finishes(
    desk: Desk, start: str, to: str
) -> None:
    id = remember(desk, scope=start)
    died(desk, id, to, dies=start, holds=to)
    assert sorted(holders(desk, id)) == ["global", "project"]
    assert inside(desk, is_maintenance_due)
    assert promote(desk, id, to=to).items == (MovedMemory(id, "unchanged", to, ""),)
    assert holders(desk, id) == [to]
    assert inside(desk, lambda app: move_memory.pending_memory_moves(app.store)) == {}
    actions = [version.action for version in desk.run("history", id=id).versions]
    assert actions == ["added", "promoted" if to == "global" else "demoted"]
    assert desk.run("doctor").failed == 0


def test_upkeep_finishes_what_a_crash_left(desk: Desk) -> None:
    id = remember(desk)
    died(desk, id, "global", dies="project", holds="global")
    desk.env["GITMEM_COPY_MODE"] = "off"
    assert desk.text("upkeep") == "finished 1 move between stores"
    assert holders(desk, id) == ["global"]
    assert not inside(desk, is_maintenance_due)


def test_a_crash_before_it_arrived_leaves_it_where_it_was(desk: Desk) -> None:
    id = remember(desk)
    died(desk, id, "global", dies="global", holds="none")
    assert holders(desk, id) == ["project"]
    assert desk.run("upkeep").moved == 1
    assert memory(desk, id).version == 1
    assert not inside(desk, is_maintenance_due)


def test_an_edit_to_the_first_copy_after_a_crash_is_not_lost(desk: Desk) -> None:
    id = remember(desk)
    died(desk, id, "global", dies="project", holds="global")

    def edit(app: App) -> None:
        old = memories.get_memory(app.store, id)
        assert old is not None
        with app.store.write():
            store_memory_version(
                app, app.store, old, replace(old, content="Redis is on 6381"), "revised"
            )

    inside(desk, edit)
    desk.run("upkeep")
    assert holders(desk, id) == ["global"]
    assert memory(desk, id).content == "Redis is on 6381"


def test_five_uses_and_it_stays(desk: Desk) -> None:
    """CT-7, CT-8: what upkeep makes of it."""
    often, seldom = remember(desk, "often"), remember(desk, "seldom")
    for id in (often, seldom):
        captured(desk, id)
    use(desk, often, lifecycle.ACCESSES_TO_STAY)
    use(desk, seldom, lifecycle.ACCESSES_TO_STAY - 1)
    desk.clock.advance(3 * HOUR)
    desk.env["GITMEM_BACKUP_INTERVAL_HOURS"] = "0"
    desk.env["GITMEM_COPY_MODE"] = "off"
    assert desk.text("upkeep") == (
        "archived 1 expired memory\n1 memory no longer expires, since it is used often"
    )
    found = memory(desk, often)
    assert (found.layer, found.ttl_ms, found.expires_at) == ("", None, None)
    assert [version.action for version in desk.run("history", id=often).versions][-1] == "promoted"
    assert memory(desk, seldom).state == "archived"


def test_each_use_puts_the_end_off_and_upkeep_waits(desk: Desk) -> None:
    """CT-7: half of the first length for each use, without a write to the memory."""
    id = remember(desk)
    captured(desk, id)
    desk.env["GITMEM_BACKUP_INTERVAL_HOURS"] = "0"
    desk.env["GITMEM_COPY_MODE"] = "off"
    use(desk, id, 2)
    desk.clock.advance(2 * HOUR - 1)
    assert not inside(desk, is_maintenance_due)
    assert desk.run("upkeep").expired == 0
    desk.clock.advance(1)
    assert inside(desk, is_maintenance_due)
    assert desk.run("upkeep").expired == 1
    assert not inside(desk, is_maintenance_due)


def test_what_has_expired_comes_back_for_good(desk: Desk) -> None:
    id = remember(desk)
    captured(desk, id)
    desk.clock.advance(HOUR)
    desk.run("upkeep")
    desk.run("restore", id=(id,))
    desk.clock.advance(DAY)
    desk.run("upkeep")
    found = memory(desk, id)
    assert (found.state, found.layer, found.expires_at) == ("active", "", None)


def test_a_pinned_working_memory_does_not_end(desk: Desk) -> None:
    id = remember(desk, pin=True)
    captured(desk, id)
    desk.clock.advance(DAY)
    assert desk.run("upkeep").expired == 0
