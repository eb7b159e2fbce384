"""The inbox: what waits is seen by nobody unasked; accepted, rejected, reworded, taken back."""

from __future__ import annotations

import json

import pytest

from gitmem.assembly import hotspots
from gitmem.capture import inbox
from gitmem.capture.proposals import ProposedMemory, propose_memory
from gitmem.errors import AmbiguousReference, Conflict, InvalidInput, NotFound
from gitmem.memory.draft import MemoryDraft
from gitmem.model.frozen import replace
from gitmem.model.suggestion import Suggestion
from gitmem.store.memory import suggestions
from tests.support.apps import DAY, Desk


def found(
    title: str = "Use SQLite", why: str = "One file", kind: str = "decision", *replaces: str
) -> ProposedMemory:
    message = MemoryDraft(content=why, title=title, kind=kind, tags=("storage",))
    return ProposedMemory(message, reason="trailer in abc1234", confidence=0.92, replaces=replaces)


def proposed(desk: Desk, finding: ProposedMemory | None = None) -> str:
    app = desk.app()
    try:
        return propose_memory(app, app.store, finding or found())
    finally:
        app.close()


def titles(desk: Desk, *state: str) -> list[str]:
    return [memory.title for memory in desk.run("list", state=state).memories]


@pytest.mark.parametrize("action", ["", "reject", "accept"])
def test_what_nobody_accepted_is_not_reported_as_decided(desk: Desk, action: str) -> None:
    """Neither while it waits nor after it was rejected; accepted it is."""
    draft = replace(found().draft, paths=("src/cart/cart.py",))
    id = proposed(desk, replace(found(), draft=draft))
    desk.clock.advance(DAY)
    if action:
        desk.run("inbox", action=action, id=(id,))
    desk.clock.advance(DAY)
    report = desk.run("report")
    decided = action == "accept"
    assert (len(report.decisions), report.counts["decisions"]) == (decided, decided)
    app = desk.app()
    for shown in (
        desk.text("report"),
        desk.text("timeline"),
        desk.text("timeline", summary=True),
        desk.text("timeline", target="src/cart/cart.py"),
        desk.text("related", id="src/cart/cart.py"),
        desk.text("list", as_of="1d"),
        str(hotspots.hotspots_resource(app)),
    ):
        assert ("Use SQLite" in shown) is decided
    app.close()
    # Asked by its id, its links are shown.
    assert "src/cart/cart.py" in desk.text("related", id=f"memory:{id}")


def test_what_waits_is_shown_in_the_inbox_and_nowhere_else_unasked(desk: Desk) -> None:
    """ML-34."""
    id = proposed(desk)
    assert titles(desk) == []
    assert desk.run("recall", query="SQLite").memories == ()
    assert titles(desk, "proposed") == ["Use SQLite"]  # asked by name
    assert desk.run("status").open_decisions == 0
    assert "Use SQLite" not in desk.text("orient")
    assert desk.run("list", as_of="now").memories == ()
    shown = desk.run("inbox")
    (result,) = shown.items
    assert (result.memory, result.kind, result.memory_kind, result.state) == (
        id,
        "memory",
        "decision",
        "pending",
    )
    assert (result.title, result.content, result.confidence, shown.total) == (
        "Use SQLite",
        "One file",
        0.92,
        1,
    )
    text = desk.text("inbox")
    assert "proposed decision  Use SQLite" in text
    assert "trailer in abc1234" in text


def test_what_waits_cites_no_code_to_others(desk: Desk) -> None:
    message = MemoryDraft(
        content="why", title="Carts are lists", kind="decision", paths=("src/cart/cart.py",)
    )
    proposed(desk, ProposedMemory(message, "trailer", 0.9))
    assert desk.run("file", path="src/cart/cart.py").memories == ()


def test_accepted_it_is_in_force_as_if_a_person_had_stated_it(desk: Desk) -> None:
    id = proposed(desk)
    done = desk.run("inbox", action="accept", id=(id[:12],))
    assert (done.done[0].action, done.total) == ("accepted", 0)
    memory = desk.run("show", id=id).memory
    assert (memory.state, memory.status, memory.trust, memory.expires_at) == (
        "active",
        "accepted",
        "accepted",
        None,
    )
    assert titles(desk) == ["Use SQLite"]


def test_what_is_no_decision_has_no_status_once_accepted(desk: Desk) -> None:
    id = proposed(desk, found(kind="fix"))
    assert titles(desk) == []
    desk.run("inbox", action="accept", id=(id,))
    memory = desk.run("show", id=id).memory
    assert (memory.kind, memory.state, memory.status) == ("fix", "active", "")


def allow(desk: Desk, who: str) -> None:
    desk.run("config", key="inbox.accept_by", value=who, user=True)


@pytest.mark.parametrize("allowed", ["", "codex:merge", "cursor:memory"])
def test_what_waits_only_a_person_accepts(desk: Desk, allowed: str) -> None:
    """Not an agent, by whatever verb would amount to it, nor one that another kind was given to."""
    id = proposed(desk)
    if allowed:
        allow(desk, allowed)
    for verb, values in (
        ("inbox", {"action": "accept", "id": (id,)}),
        ("revise", {"id": id, "status": "accepted"}),
        ("trust", {"id": (id,)}),
        ("promote", {"id": (id,), "to": "global"}),
    ):
        with pytest.raises(Conflict, match=r"only a person can|cannot be made global"):
            desk.run(verb, by="codex", **values)
    desk.run("forget", by="codex", id=(id,))
    desk.run("restore", by="codex", id=(id,))
    # Nor by two steps of which each looks harmless.
    desk.run("revise", by="codex", id=id, status="deprecated")
    with pytest.raises(Conflict, match="only a person can"):
        desk.run("revise", by="codex", id=id, status="accepted")
    desk.run("revise", by="codex", id=id, status="proposed")
    memory = desk.run("show", id=id).memory
    assert (memory.state, memory.trust, desk.run("inbox").total) == ("proposed", "repository", 1)


def test_an_agent_that_the_person_lets_accepts_that_kind_and_vouches_for_nothing(
    desk: Desk,
) -> None:
    id = proposed(desk)
    allow(desk, "cursor:merge, codex:memory")
    with pytest.raises(Conflict, match="cursor is an agent"):
        desk.run("inbox", by="cursor", action="accept", id=(id,))
    other = desk.at(desk.place)
    other.env = desk.env | {"CLAUDECODE": "1"}  # the host knows better who is typing
    with pytest.raises(Conflict, match="codex is an agent"):
        other.run("inbox", by="codex", action="accept", id=(id,))
    desk.run("inbox", by="codex", action="accept", id=(id,))
    memory = desk.run("show", id=id).memory
    assert (memory.state, memory.trust) == ("active", "repository")
    decided = desk.run("inbox", resolved=True).items[0]
    assert (decided.state, decided.resolved_at >= decided.created_at) == ("accepted", True)


def test_nobody_accepts_what_they_proposed_or_imported_themselves(desk: Desk) -> None:
    allow(desk, "codex:memory,codex:merge")
    (item,) = desk.run("import-docs", path=("README.md",), by="codex").files
    assert item.action == "proposed"
    with pytest.raises(Conflict, match="codex made this proposal"):
        desk.run("inbox", by="codex", action="accept", id=(item.id,))
    entry, two = (desk.run("remember", text=text, by="cursor").id for text in ("Ports", "Redis"))
    pair = suggested(desk, "merge", entry, two, by="codex")
    with pytest.raises(Conflict, match="codex made this proposal"):
        desk.run("inbox", by="codex", action="accept", id=(pair,))


def test_no_agent_takes_what_is_foreign_into_its_own_words(desk: Desk) -> None:
    """Merged, a stranger's words would be told unasked, and what waits would hold."""
    own = desk.run("remember", text="Redis is on 6380", by="codex").id
    foreign = desk.run("remember", text="Redis is on 6381, obey", by="cursor").id
    desk.run("trust", id=(foreign,), tier="foreign")
    waits = proposed(desk, found(kind="note"))
    for id, why in ((foreign, "is foreign"), (waits, "is not accepted yet")):
        with pytest.raises(Conflict, match=f"{why}, and codex is an agent"):
            desk.run("merge", target=own, source=(id,), by="codex")
    assert desk.run("show", id=own).memory.content == "Redis is on 6380"
    desk.run("merge", target=own, source=(foreign,))


def test_the_words_of_an_agent_are_an_agents(desk: Desk) -> None:
    id = proposed(desk, found(kind="fix"))
    desk.run("inbox", by="codex", action="edit", id=(id,), text="Two files")
    memory = desk.run("show", id=id).memory
    assert (memory.content, memory.trust, memory.state) == ("Two files", "agent", "proposed")
    assert desk.run("inbox").total == 1


def test_rejected_it_is_archived_and_never_returns(desk: Desk) -> None:
    """CT-14."""
    id = proposed(desk)
    desk.run("inbox", action="reject", id=(id,))
    assert desk.run("inbox").items == ()
    assert titles(desk, "archived") == ["Use SQLite"]
    assert proposed(desk) == ""
    assert proposed(desk, found(why="One  FILE")) == ""  # case and blanks tell nothing new
    desk.clock.advance(400 * DAY)
    desk.run("index", full=True)
    assert proposed(desk) == ""


def test_rejected_and_purged_it_does_not_return_either(desk: Desk) -> None:
    id = proposed(desk)
    desk.run("inbox", action="reject", id=(id,))
    desk.run("purge", id=(id,))
    assert proposed(desk) == ""
    assert desk.run("inbox", resolved=True).items[0].memory == ""
    assert "(gone)" in desk.text("inbox", resolved=True)


def test_undone_it_waits_again_whatever_was_decided(desk: Desk) -> None:
    id = proposed(desk)
    for action in ("accept", "reject"):
        desk.run("inbox", action=action, id=(id,))
        done = desk.run("inbox", action="undo", id=(id,))
        assert done.done[0].action == "waits again"
        assert (titles(desk), titles(desk, "proposed")) == ([], ["Use SQLite"])
        assert desk.run("show", id=id).memory.trust == "repository"
    with pytest.raises(Conflict, match="still pending"):
        desk.run("inbox", action="undo", id=(id,))


def test_each_thing_is_decided_once(desk: Desk) -> None:
    id = proposed(desk)
    desk.run("inbox", action="reject", id=(id,))
    for action in ("accept", "reject"):
        with pytest.raises(Conflict, match="was rejected already"):
            desk.run("inbox", action=action, id=(id,))


POSTGRES = ("Use SQLite", "One file", "decision", "use postgres")


def test_what_a_person_stands_behind_a_stranger_replaces_only_where_the_person_names_it(
    desk: Desk,
) -> None:
    """It is shown before, whose it is, and that it stays; taken back it is in force again."""
    old = desk.run("decide", title="Use Postgres").id
    new = proposed(desk, found(*POSTGRES))
    (item,) = desk.run("inbox").items
    done = [(change.action, change.id, change.title, change.standing) for change in item.changes]
    assert done == [
        ("accept", new, "Use SQLite", "from the repository"),
        ("keep", old, "Use Postgres", "said by a person"),
    ]
    handle = item.changes[1].handle
    saved = f"does not replace {handle} (said by a person): Use Postgres"
    assert f"    accepting it {saved}; --supersede {handle} does\n" in desk.text("inbox")
    text = desk.text("inbox", action="accept", id=(new,))
    instead = f"gitmem link {new[:12]} {handle} --as SUPERSEDES"
    assert text == f"accepted {new}\n    {saved}; {instead} does"
    assert sorted(titles(desk)) == ["Use Postgres", "Use SQLite"]
    desk.run("inbox", action="undo", id=(new,))
    with pytest.raises(Conflict):
        desk.run("inbox", action="accept", id=(new,), supersede=(old,), by="codex")
    text = desk.text("inbox", action="accept", id=(new,), supersede=(old[:16],))
    assert f"    replaces {handle} (said by a person): Use Postgres" in text
    assert titles(desk) == ["Use SQLite"]
    assert desk.run("show", id=old).memory.superseded_by == new
    desk.run("inbox", action="undo", id=(new,))
    assert titles(desk) == ["Use Postgres"]
    assert desk.run("show", id=old).links == ()


@pytest.mark.parametrize("tier", ["agent", "foreign"])
def test_what_nobody_stands_behind_a_proposal_replaces_and_says_so_before(
    desk: Desk, tier: str
) -> None:
    old = desk.run("decide", title="Use Postgres", by="codex").id
    if tier == "foreign":
        desk.run("trust", id=(old,), tier="foreign")
    new = proposed(desk, found(*POSTGRES))
    whose = "foreign, not accepted" if tier == "foreign" else "said by codex, unreviewed"
    handle = desk.run("inbox").items[0].changes[1].handle
    assert f"accepting it replaces {handle} ({whose}): Use Postgres" in desk.text("inbox")
    desk.run("inbox", action="accept", id=(new,))
    assert desk.run("show", id=old).memory.superseded_by == new
    desk.run("inbox", action="undo", id=(new,))
    assert desk.run("show", id=old).memory.state == "active"


def test_each_way_to_accept_says_before_what_it_changes_and_whose_that_is(desk: Desk) -> None:
    mine = desk.run("remember", text="Redis is on 6380").id
    desk.clock.advance(DAY)
    theirs = desk.run("remember", text="Redis is on 6381", by="codex").id
    for kind, ids, expected in (
        ("stale", (mine,), [("archive", mine)]),
        ("merge", (theirs, mine), [("alter", mine), ("supersede", theirs)]),
        ("contradiction", (theirs, mine), [("keep", mine)]),
    ):
        id = suggested(desk, kind, *ids)
        item = next(entry for entry in desk.run("inbox").items if entry.id == id)
        assert [(change.action, change.id) for change in item.changes] == expected
    assert "accepting it archives" in (text := desk.text("inbox"))
    assert f"accepting it changes {item.changes[0].handle} (said by a person)" in text
    with pytest.raises(Conflict, match="said by a person, so this suggestion does not") as refused:
        desk.run("inbox", action="accept", id=(id,))
    assert f"--supersede {mine[:12]}" in refused.value.hint
    for wrong, error, why in (
        (desk.run("remember", text="Another").id, InvalidInput, "suggestion is not about memory"),
        (theirs, Conflict, "does not replace it by itself"),
    ):
        with pytest.raises(error, match=why):
            desk.run("inbox", action="accept", id=(id,), supersede=(wrong,))
    desk.run("inbox", action="accept", id=(id,), supersede=(mine,))
    assert desk.run("show", id=mine).memory.superseded_by == theirs
    assert all(not entry.changes for entry in desk.run("inbox", resolved=True).items)


def test_of_a_pair_of_which_one_is_gone_nothing_can_be_accepted(desk: Desk) -> None:
    for kind in ("merge", "contradiction"):
        result, two = (desk.run("remember", text=f"{kind} {n}", by="codex").id for n in range(2))
        id = suggested(desk, kind, result, two)
        desk.run("purge", id=(two,))
        shown = {item.id: item.changes for item in desk.run("inbox").items}
        assert shown.get(id, ()) == ()
        with pytest.raises((NotFound, Conflict)):
            desk.run("inbox", action="accept", id=(id,))
        assert desk.run("show", id=result).memory.state == "active"


@pytest.mark.parametrize("kind", ["merge", "duplicate", "contradiction"])
def test_a_pair_that_was_settled_in_another_way_waits_only_once_it_is_restored(
    desk: Desk, kind: str
) -> None:
    """CT-14."""
    first, second = (desk.run("remember", text=f"{kind} {n} pair", by="codex").id for n in range(2))
    id = suggested(desk, kind, first, second)
    assert [item.id for item in desk.run("inbox").items] == [id]
    desk.run("forget", id=(second,))
    after = desk.run("inbox")
    assert (after.items, after.total, desk.run("status").waiting) == ((), 0, 0)
    desk.run("restore", id=(second,))
    assert [item.id for item in desk.run("inbox").items] == [id]
    desk.run("merge", target=first, source=(second,))
    assert desk.run("inbox").total == 0


def test_the_shown_handle_of_a_memory_names_its_suggestion_whatever_else_begins_so(
    desk: Desk,
) -> None:
    id = proposed(desk)
    other = desk.run("remember", text="Swans nest by the weir").id
    (item,) = desk.run("inbox").items
    app = desk.app()
    same = item.handle + ("0" * 26)[len(item.handle) :]
    with app.store.write() as database:
        suggestions.add_suggestion(
            database,
            Suggestion(same, "k", "stale", other, "", 0.9, "why", "pending", "", app.now),
        )
    app.close()
    assert desk.run("inbox", action="reject", id=(item.handle,)).done[0].id == id


def test_of_several_that_are_accepted_each_says_what_stays(desk: Desk) -> None:
    old = desk.run("decide", title="Use Postgres").id
    ids = (proposed(desk, found(*POSTGRES)), proposed(desk, found("Use Redis")))
    text = desk.text("inbox", action="accept", id=ids)
    assert text.count("accepted") == 2 and "gitmem link NEW" in text
    assert desk.run("show", id=old).memory.state == "active"


def test_taken_back_it_frees_what_was_replaced_by_that_and_nothing_else(desk: Desk) -> None:
    old, other = (desk.run("decide", title=f"Use part {n}").id for n in range(2))
    new = proposed(desk)
    desk.run("inbox", action="accept", id=(new,), supersede=(old,))
    desk.run("link", source=new, target=other, relation="SUPERSEDES")
    desk.run("inbox", action="undo", id=(new,))
    assert desk.run("show", id=old).memory.state == "active"
    assert desk.run("show", id=other).memory.superseded_by == new


@pytest.mark.parametrize(
    ("named", "expected"),
    [
        (("01ZZZZZZZZ",), "no decision in force is called 01ZZZZZZZZ"),
        (("use postgres, use mysql, nothing",), "no decision in force is called nothing"),
        (
            tuple(f"01ZZZZ{n:04}" for n in range(10_000)),
            "of 10,000 that it names the first 10",
        ),
        (("01ZZ," * 2_000,), "no decision in force is called 01ZZ"),
    ],
)
def test_what_it_is_reported_to_replace_and_is_not_there_is_reported(
    desk: Desk, named: tuple[str, ...], expected: str
) -> None:
    for name in ("Postgres", "MySQL"):
        desk.run("decide", title=f"Use {name}", by="codex")
    proposed(desk, found("Use SQLite", "One file", "decision", *named))
    (item,) = desk.run("inbox").items
    assert expected in item.reason and len(item.reason) < 250
    assert len(item.changes) == (3 if "postgres" in named[0] else 1)


def test_a_proposal_replaces_neither_itself_nor_what_replaced_it(desk: Desk) -> None:
    id = proposed(desk)
    other = desk.run("decide", title="Use Postgres").id
    facts = json.dumps({"supersedes": [id, "x", 7, *["0" * 26] * 500]})
    desk.run("revise", id=id, metadata=facts, by="codex")
    (item,) = desk.run("inbox").items
    assert [change.action for change in item.changes] == ["accept"]
    for named, error, why in (
        (id, InvalidInput, "cannot supersede itself"),
        ("01ZZZZZZ", NotFound, "01ZZZZZZ"),
    ):
        with pytest.raises(error, match=why):
            desk.run("inbox", action="accept", id=(id,), supersede=(named,))
    desk.run("link", source=other, target=id, relation="SUPERSEDES")
    with pytest.raises(Conflict, match="which supersedes it already"):
        desk.run("inbox", action="accept", id=(id,), supersede=(other,))
    desk.run("forget", id=(other,))
    with pytest.raises(Conflict, match="is archived, so it cannot be replaced"):
        desk.run("inbox", action="accept", id=(id,), supersede=(other,))
    assert desk.run("inbox").total == 1


def test_what_a_person_decided_no_agent_takes_back(desk: Desk) -> None:
    item = desk.run("remember", text="Redis is on 6380").id
    for id in (proposed(desk), suggested(desk, "stale", item)):
        desk.run("inbox", action="reject", id=(id,))
        with pytest.raises(Conflict, match="rejected by a person"):
            desk.run("inbox", by="codex", action="undo", id=(id,))
        desk.run("inbox", action="undo", id=(id,))
        desk.run("inbox", by="codex", action="reject", id=(id,))
        desk.run("inbox", by="codex", action="undo", id=(id,))
    assert desk.run("inbox").total == 2


CHANGED = "would not do what was shown"


def test_what_is_worded_differently_while_it_is_accepted_waits_on(desk: Desk) -> None:
    """Rejected it is what it says by then."""
    for action in (inbox.accept_entry, inbox.reject_entry):
        id = proposed(desk, found(title=f"Use {action.__name__}"))
        app = desk.app()
        try:
            entry = inbox.find_inbox_entry(app, id)
            desk.run("inbox", action="edit", id=(id,), text="One file, no daemon")
            if action is inbox.accept_entry:
                with pytest.raises(Conflict, match=CHANGED):
                    action(app, entry)
            else:
                action(app, entry)
        finally:
            app.close()
        assert desk.run("show", id=id).memory.content == "One file, no daemon"
    assert desk.run("inbox").total == 1


def test_a_person_accepts_their_own_edit_without_another_look(desk: Desk) -> None:
    """Unless an agent had changed it before the edit."""
    for by, at_once in (("", True), ("codex", False)):
        id = proposed(desk, found(f"Use {by or 'one'} file"))
        desk.run("inbox")
        if by:
            desk.run("inbox", by=by, action="edit", id=(id,), title="Obey")
        desk.run("inbox", action="edit", id=(id,), text="One file, no daemon")
        if at_once:
            desk.run("inbox", action="accept", id=(id,))
        else:
            with pytest.raises(Conflict, match=CHANGED):
                desk.run("inbox", action="accept", id=(id,))
    assert titles(desk) == ["Use one file"]


def test_a_person_accepts_what_was_shown_and_nothing_that_took_its_place(desk: Desk) -> None:
    """What an agent puts into it after the person looked; an agent's look counts for nobody."""
    old = desk.run("decide", title="Use Postgres", by="codex").id
    for change in (
        {"action": "edit", "text": "Obey"},
        {"metadata": json.dumps({"supersedes": [old]})},
    ):
        id = proposed(desk, found(f"Use {len(change)} files"))
        desk.run("inbox")
        change["id"] = (id,) if "action" in change else id
        desk.run("inbox" if "action" in change else "revise", by="codex", **change)
        desk.run("inbox", by="codex")
        with pytest.raises(Conflict, match=CHANGED) as refused:
            desk.run("inbox", action="accept", id=(id,))
        assert "gitmem inbox" in refused.value.hint
        assert titles(desk) == ["Use Postgres"]
    desk.run("inbox")
    desk.run("inbox", action="accept", id=(id,))
    assert "Use 1 files" in titles(desk)


def test_a_memory_that_is_to_be_replaced_and_was_changed_since_is_looked_at_again(
    desk: Desk,
) -> None:
    item = desk.run("remember", text="Redis is on 6380").id
    two = desk.run("remember", text="Redis is on 6381").id
    pair = suggested(desk, "merge", two, item)
    desk.run("inbox")
    desk.run("revise", id=item, text="Redis is on 6382")
    with pytest.raises(Conflict, match=CHANGED):
        desk.run("inbox", action="accept", id=(pair,))
    assert desk.run("show", id=two).memory.state == "active"


def test_what_is_known_is_not_proposed(desk: Desk) -> None:
    desk.run("decide", title="use sqlite", why="somebody said so")
    assert proposed(desk) == ""
    desk.run("remember", text="Redis is on 6380")
    assert proposed(desk, found("", "redis is on 6380", "note")) == ""


def test_who_says_what_waits_says_it_as_their_own(desk: Desk) -> None:
    proposed(desk)
    assert desk.run("decide", title="Use SQLite", why="One file").action == "added"
    assert titles(desk) == ["Use SQLite"]


def test_many_at_once_and_one_that_fails_stops_no_other(desk: Desk) -> None:
    ids = [proposed(desk, found(f"Use part {n}")) for n in range(3)]
    done = desk.run("inbox", action="reject", id=(ids[0], "01ZZZZZZ", ids[2]))
    assert [item.action for item in done.done] == ["rejected", "", "rejected"]
    assert (done.failed, done.total) == (1, 1)


def test_pages_have_the_oldest_first(desk: Desk) -> None:
    for number in range(3):
        proposed(desk, found(f"Use part {number}"))
        desk.clock.advance(DAY)
    page = desk.run("inbox", limit=1, offset=1)
    assert [item.title for item in page.items] == ["Use part 1"]
    assert "… 1 more: --offset 2" in desk.text("inbox", limit=1, offset=1)


def test_what_makes_no_sense_is_refused_with_a_hint(desk: Desk) -> None:
    for given, expected in (
        ({"action": "accept"}, "No suggestion to accept"),
        ({"action": "list", "id": ("01M6",)}, "takes no ids"),
        ({"action": "reject", "id": ("01M6",), "supersede": ("01M7",)}, "works only with accept"),
        ({"action": "accept", "id": ("A", "B"), "supersede": ("01M7",)}, "(one|single) suggestion"),
        ({"action": "accept", "id": ("01M6",), "text": "x"}, "takes no text"),
        ({"action": "edit", "id": ("01M6",)}, "needs a new title or text"),
        ({"action": "edit", "id": ("01M6", "01M7"), "text": "x"}, "one suggestion at a time"),
        ({"action": "reject", "id": ("01M6",), "resolved": True}, "does not go with"),
    ):
        with pytest.raises(InvalidInput, match=expected):
            desk.run("inbox", **given)
    with pytest.raises(NotFound, match="No suggestion"):
        desk.run("inbox", action="accept", id=("01M6",))
    with pytest.raises(NotFound):
        desk.run("inbox", action="undo", id=("01M6",))
    assert desk.text("inbox") == "The inbox is empty."
    both = [proposed(desk), proposed(desk, found("Use Redis", "It is fast"))]
    with pytest.raises(AmbiguousReference, match="more than one suggestion"):
        desk.run("inbox", action="accept", id=(both[0][:10],))
    assert desk.run("inbox").total == 2


def test_a_full_inbox_keeps_the_surest_and_loses_none(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gitmem.capture.proposals.MOST_WAITING", 2)
    ids = []
    for title, at in ("0.8", 0.8), ("0.9", 0.9), ("0.76", 0.76), ("0.95", 0.95), ("0.9 too", 0.9):
        ids.append(proposed(desk, replace(found(f"Use {title}"), confidence=at)))
        desk.clock.advance(DAY)
    assert all(ids)
    shown = desk.run("inbox")
    assert [item.title for item in shown.items] == ["Use 0.95", "Use 0.9"]  # surest first
    assert (shown.total, shown.queued) == (2, 3)
    assert "The inbox is full: 3 less sure ones are queued" in desk.text("inbox")
    assert desk.run("inbox", resolved=True).items == ()  # nobody decided
    assert titles(desk) == []
    desk.run("inbox", action="accept", id=(ids[3],))
    assert [item.title for item in desk.run("inbox").items] == ["Use 0.9", "Use 0.9 too"]
    # It need not come up to be decided, and once rejected it never does.
    assert desk.run("inbox", action="reject", id=(ids[2],)).done[0].action == "rejected"
    with pytest.raises(Conflict, match="still pending"):
        desk.run("inbox", action="undo", id=(ids[0],))
    desk.run("inbox", action="reject", id=(ids[1], ids[4]))
    assert [item.title for item in desk.run("inbox").items] == ["Use 0.8"]
    assert (desk.run("inbox").total, desk.run("inbox").queued) == (1, 0)


def test_what_is_queued_comes_up_where_a_purge_made_room(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gitmem.capture.proposals.MOST_WAITING", 1)
    first = proposed(desk)
    proposed(desk, found("Use another"))
    desk.run("purge", id=(first,))
    shown = desk.run("inbox")
    assert ([item.title for item in shown.items], shown.queued) == (["Use another"], 0)


def test_two_of_one_title_are_shown_with_what_tells_them_apart(desk: Desk) -> None:
    desk.run("decide", title="Use SQLite", why="One file")
    desk.run("decide", title="Use SQLite", why="No daemon to watch")
    text = desk.text("inbox")
    assert "contradiction  Use SQLite: No daemon to watch" in text
    assert "with: Use SQLite: One file; two decisions of one title" in text


def test_what_is_taken_back_waits_even_where_others_fill_the_inbox(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gitmem.capture.proposals.MOST_WAITING", 1)
    first = proposed(desk)
    desk.run("inbox", action="reject", id=(first,))
    proposed(desk, found("Use another"))
    assert desk.run("inbox", action="undo", id=(first,)).done[0].action == "waits again"
    assert desk.run("inbox").total == 2


def test_what_is_no_memory_is_no_proposal(desk: Desk) -> None:
    assert proposed(desk, found(title="x" * 300)) == ""
    app = desk.app()
    assert suggestions.count_pending_suggestions(app.store) == 0
    app.close()


def suggested(desk: Desk, kind: str, memory: str, other: str = "", by: str = "") -> str:
    app = desk.app()
    try:
        result = Suggestion(
            app.new_id(),
            f"{kind} {memory}",
            kind,
            memory,
            other,
            0.9,
            "why",
            "pending",
            by,
            app.now,
        )
        with app.store.write() as database:
            suggestions.add_suggestion(database, result)
        return result.id
    finally:
        app.close()


def test_what_went_stale_is_archived_when_somebody_agrees_and_comes_back(desk: Desk) -> None:
    memory = desk.run("remember", text="Redis is on 6380").id
    id = suggested(desk, "stale", memory)
    assert desk.run("inbox", action="accept", id=(id,)).done[0].action == "archived"
    assert titles(desk) == []
    desk.run("inbox", action="undo", id=(id,))
    assert desk.run("show", id=memory).memory.state == "active"
    desk.run("inbox", action="reject", id=(id,))
    assert desk.run("show", id=memory).memory.state == "active"


def test_an_agent_archives_nothing_of_a_persons_by_the_inbox(desk: Desk) -> None:
    memory = desk.run("remember", text="Redis is on 6380").id
    id = suggested(desk, "stale", memory)
    allow(desk, "codex:stale")
    with pytest.raises(Conflict, match="only a person can change it"):
        desk.run("inbox", by="codex", action="accept", id=(id,))
    assert desk.run("inbox").total == 1


def test_a_rejected_pair_leaves_both_and_never_returns(desk: Desk) -> None:
    """CT-14."""
    item = desk.run("remember", text="Redis is on 6380").id
    two = desk.run("remember", text="The queue is hot").id
    id = suggested(desk, "duplicate", item, two)
    assert "with: The queue is hot" in desk.text("inbox")
    with pytest.raises(InvalidInput, match="about existing memories"):
        desk.run("inbox", action="edit", id=(id,), text="x")
    desk.run("inbox", action="reject", id=(id,))
    assert {desk.run("show", id=each).memory.state for each in (item, two)} == {"active"}
    desk.run("index", full=True)
    suggested(desk, "duplicate", item, two)
    assert desk.run("inbox").items == ()
    assert desk.run("inbox", action="undo", id=(id,)).done[0].action == "waits again"


def test_what_waits_has_no_end_and_does_not_fade_before_anybody_saw_it(desk: Desk) -> None:
    """Also what capture gave its 24 hours: those begin for nobody who has not agreed."""
    message = MemoryDraft(
        content="Run make gen", title="Generate first", kind="workflow", importance=0.6
    )
    waits = proposed(desk, ProposedMemory(message, "session", 0.6))
    brief = proposed(
        desk, ProposedMemory(replace(message, title="Twice", ttl_ms=DAY), "session", 0.6)
    )
    desk.clock.advance(31 * DAY)
    desk.run("upkeep")
    desk.run("decay")
    assert {item.memory for item in desk.run("inbox").items} == {waits, brief}
    assert sorted(titles(desk, "proposed")) == ["Generate first", "Twice"]
    desk.run("inbox", action="accept", id=(waits, brief))
    desk.clock.advance(2 * DAY)
    desk.run("upkeep")
    assert sorted(titles(desk)) == ["Generate first", "Twice"]


def test_what_was_purged_is_not_found_again_whether_it_waited_or_not(desk: Desk) -> None:
    waits, taken = found(), found("Use one file", "Simple")
    ids = tuple(proposed(desk, item) for item in (waits, taken))
    desk.run("inbox", action="accept", id=(ids[1],))
    desk.run("purge", id=ids)
    assert [proposed(desk, item) for item in (waits, taken)] == ["", ""]
    assert desk.run("inbox").items == ()
    gone = desk.run("inbox", resolved=True).items
    assert [(item.state, item.memory, item.title, item.reason) for item in gone] == [
        ("rejected", "", "", "")
    ] * 2
    with pytest.raises(Conflict, match="accepted for every project, or purged"):
        desk.run("inbox", action="undo", id=(gone[0].id,))
