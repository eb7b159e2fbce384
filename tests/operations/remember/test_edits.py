"""Showing, revising, putting away, pinning, linking and telling the history of memories."""

from __future__ import annotations

import pytest

from gitmem.errors import AmbiguousReference, Conflict, InvalidInput, NotFound
from gitmem.operations.registry import as_json_values
from tests.support.apps import DAY, HOUR, Desk


@pytest.fixture
def memory(desk: Desk) -> str:
    return str(desk.run("remember", text="Redis is on 6380", tag=("infra",)).id)


def test_an_unknown_id_is_named(desk: Desk) -> None:
    for verb in ("show", "history", "revise"):
        values = {"text": "x"} if verb == "revise" else {}
        with pytest.raises(NotFound) as refused:
            desk.run(verb, id="01ZZZZ", **values)
        assert "01ZZZZ" in refused.value.message


@pytest.mark.parametrize("text", ["", "!!", "not-an-id", "x" * 300, "\x00"])
def test_what_cannot_be_an_id_is_not_found(desk: Desk, memory: str, text: str) -> None:
    with pytest.raises(NotFound):
        desk.run("show", id=text)


def test_a_prefix_that_fits_two_memories_is_ambiguous(desk: Desk, memory: str) -> None:
    other = desk.run("remember", text="another").id
    shared = next(n for n in range(27) if memory[:n] != other[:n]) - 1
    with pytest.raises(AmbiguousReference) as refused:
        desk.run("show", id=memory[:shared])
    assert memory in refused.value.message
    assert other in refused.value.message
    assert desk.run("show", id=memory[: shared + 1]).memory.id == memory


def test_an_id_may_be_typed_in_small_letters(desk: Desk, memory: str) -> None:
    assert desk.run("show", id=f" {memory.lower()} ").memory.id == memory


def test_show_tells_everything_and_no_control_character(desk: Desk) -> None:
    answer = desk.run("remember", text="a\x1b[31mred\u202ework", metadata='{"k": "\x7f"}')
    text = desk.text("show", id=answer.id)
    assert "red" in text
    assert "\x1b" not in text and "\u202e" not in text and "\x7f" not in text


def test_a_revision_keeps_what_was_stated_before(desk: Desk) -> None:
    """CF-43: history."""
    memory = desk.run("remember", text="Redis is on 6390", by="cursor").id
    desk.clock.advance(HOUR)
    answer = desk.run("revise", id=memory, text="Redis is on 6381", weight=4, by="codex")
    assert (answer.action, answer.version) == ("revised", 2)
    steps = desk.run("history", id=memory).versions
    assert [(step.version, step.action, step.agent) for step in steps] == [
        (1, "added", "cursor"),
        (2, "revised", "codex"),
    ]
    assert steps[1].at == "2026-11-21T09:03:42Z"
    changed = {change.field: (change.before, change.after) for change in steps[1].changes}
    assert changed["content"] == ("Redis is on 6390", "Redis is on 6381")
    assert changed["weight"] == ("3", "4")


def test_a_revised_memory_is_found_by_its_new_words_only(desk: Desk, memory: str) -> None:
    desk.run("revise", id=memory, text="Valkey took over")
    assert desk.run("recall", query="valkey").memories
    assert not desk.run("recall", query="redis").memories


def test_revising_into_the_same_changes_nothing(desk: Desk, memory: str) -> None:
    answer = desk.run("revise", id=memory, text="Redis is on 6380")
    assert (answer.action, answer.version) == ("unchanged", 1)


@pytest.mark.parametrize(
    "values",
    [{}, {"text": "x", "kind": "nonsense"}, {"ttl": "soon"}, {"path": ("../x",)}],
)
def test_a_revision_that_cannot_be_changes_nothing(
    desk: Desk, memory: str, values: dict[str, object]
) -> None:
    with pytest.raises(InvalidInput):
        desk.run("revise", id=memory, **values)
    assert desk.run("show", id=memory).memory.version == 1


def test_metadata_is_merged_and_ttl_counts_from_now(desk: Desk) -> None:
    memory = desk.run("remember", text="x", metadata='{"a": 1, "b": 2}').id
    desk.clock.advance(DAY)
    desk.run("revise", id=memory, metadata='{"b": 3}', ttl="1d")
    shown = desk.run("show", id=memory)
    assert shown.metadata == {"a": 1, "b": 3}
    assert shown.memory.expires_at == "2026-11-23T08:03:42Z"


def test_forget_archives_and_restore_brings_back(desk: Desk, memory: str) -> None:
    assert desk.run("forget", id=(memory,)).items[0].action == "archived"
    assert desk.run("list").total == 0
    assert desk.run("show", id=memory).memory.state == "archived"
    assert desk.run("restore", id=(memory,)).items[0].action == "restored"
    assert desk.run("show", id=memory).memory.state == "active"


def test_a_superseded_memory_is_restored_beside_the_one_that_replaced_it(
    desk: Desk, memory: str
) -> None:
    before = desk.run("show", id=memory).memory
    newer = desk.run("remember", text="Tests use a fake server", supersedes=memory).id
    assert desk.run("show", id=memory).memory.state == "superseded"
    desk.run("pin", id=(memory,))
    assert desk.run("restore", id=(memory,)).items[0].action == "restored"
    assert desk.run("show", id=memory).memory.pinned, "what was edited since stays"
    after = desk.run("show", id=memory).memory
    assert (after.state, after.valid_until) == ("active", before.valid_until)
    assert {item.id for item in desk.run("list").memories} == {memory, newer}
    assert newer not in str(as_json_values(desk.run("related", id=memory)))


def test_a_merged_memory_is_restored_by_undoing_the_merge(desk: Desk, memory: str) -> None:
    target = desk.run("remember", text="Tests use a fake server").id
    desk.run("merge", target=target, source=(memory,))
    with pytest.raises(Conflict) as refused:
        desk.run("restore", id=(memory,))
    assert f"inbox undo {memory[:12]}" in refused.value.hint
    desk.run("pin", id=(memory,))
    desk.run("inbox", action="undo", id=memory)
    after = desk.run("show", id=memory).memory
    assert (after.state, after.pinned) == ("active", True), "what was edited since stays"


def test_forgetting_twice_and_restoring_what_is_here_contradict(desk: Desk, memory: str) -> None:
    with pytest.raises(Conflict):
        desk.run("restore", id=(memory,))
    desk.run("forget", id=(memory,))
    with pytest.raises(Conflict) as refused:
        desk.run("forget", id=(memory,))
    assert "restore" in refused.value.hint


def test_of_many_ids_the_bad_ones_are_reported_and_the_others_done(desk: Desk, memory: str) -> None:
    other = desk.run("remember", text="another").id
    answer = as_json_values(desk.run("forget", id=(memory, "ZZZZ", other)))
    assert [bool(item["error"]) for item in answer["items"]] == [False, True, False]
    assert answer["failed"] == 1
    assert desk.run("list").total == 0


def test_a_pin_stays_until_it_is_taken_off(desk: Desk, memory: str) -> None:
    """CF-15."""
    desk.run("pin", id=(memory,))
    assert desk.run("list", pinned=True).total == 1
    desk.run("unpin", id=(memory,))
    assert desk.run("list", pinned=True).total == 0


def test_a_link_is_seen_from_both_ends(desk: Desk, memory: str) -> None:
    """CT-12."""
    problem = desk.run("remember", text="Tests time out", kind="problem").id
    made = desk.run("link", source=memory, target=problem, relation="solves", strength=0.9)
    assert as_json_values(made) == {
        "source": memory,
        "target": problem,
        "relation": "SOLVES",
        "action": "added",
        "replaced": "",
    }
    for end, other, direction in ((memory, problem, "out"), (problem, memory, "in")):
        link = desk.run("show", id=end).links[0]
        assert (link.direction, link.id, link.relation) == (direction, other, "SOLVES")
    again = desk.run("link", source=memory, target=problem, relation="SOLVES")
    assert again.action == "renewed"
    assert len(desk.run("show", id=memory).links) == 1


def test_a_link_that_supersedes_marks_its_target(desk: Desk, memory: str) -> None:
    old = desk.run("remember", text="Redis is on 6379").id
    desk.run("link", source=memory, target=old, relation="supersedes")
    assert desk.run("show", id=old).memory.state == "superseded"


def test_links_that_make_no_sense_are_refused(desk: Desk, memory: str) -> None:
    shared = desk.run("remember", text="tabs", scope="global").id
    for values in (
        {"source": memory, "target": memory},
        {"source": memory, "target": shared},
        {"source": memory, "target": shared, "relation": "LOVES"},
    ):
        with pytest.raises(InvalidInput):
            desk.run("link", **values)


def test_the_views_are_a_line_each(desk: Desk, memory: str) -> None:
    other = desk.run("remember", text="another").id
    assert desk.text("revise", id=memory, text="x").startswith(f"revised {memory}")
    assert desk.text("pin", id=(memory,)) == f"pinned {memory}"
    assert desk.text("link", source=memory, target=other) == f"added: {memory} RELATED_TO {other}"
    assert desk.text("forget", id=(memory,)) == f"archived {memory}"
    output = desk.text("history", id=memory).splitlines()
    assert [line.split()[2] for line in output if line[2].isdigit()] == [
        "added",
        "revised",
        "pinned",
        "archived",
    ]


def test_each_fact_can_be_taken_away_again(desk: Desk) -> None:
    """CF-39."""
    id = desk.run(
        "remember", text="Carts are lists", title="Carts", tag=("a",), path=("src/cart/cart.py",),
        ttl="7d", metadata='{"one": 1, "two": 2}',
    ).id  # fmt: skip
    for values, field, left in (
        ({"ttl": "never"}, "expires_at", None),
        ({"title": ""}, "title", ""),
        ({"tag": ("",)}, "tags", ()),
        ({"path": ("",)}, "paths", ()),
    ):
        assert getattr(desk.run("show", id=id).memory, field) != left
        assert desk.run("revise", id=id, **values).action == "revised"
        assert getattr(desk.run("show", id=id).memory, field) == left
    desk.run("revise", id=id, metadata='{"one": null}')
    assert desk.run("show", id=id).metadata == {"two": 2}
    assert not desk.run("show", id=id).memory.anchors


def test_an_edit_that_names_a_version_is_refused_once_there_is_another(desk: Desk) -> None:
    id = desk.run("remember", text="Deploys run on Monday").id
    assert desk.run("revise", id=id, text="Deploys run on Tuesday", version=1).version == 2
    with pytest.raises(Conflict, match="version 2"):
        desk.run("revise", id=id, text="Deploys run on Friday", version=1)
    assert desk.run("show", id=id).memory.content == "Deploys run on Tuesday"
