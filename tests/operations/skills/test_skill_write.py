"""Making, changing and removing skills: memories of their own kind (CF-46)."""

from __future__ import annotations

import pytest

from gitmem.errors import AmbiguousReference, Conflict, InvalidInput, NotFound
from tests.support import secrets
from tests.support.apps import DAY, Desk


def create(desk: Desk, slug: str = "release-notes", **more: object) -> str:
    more.setdefault("instructions", "List what changed since {{tag}}.")
    return str(desk.run("skill create", slug=slug, **more).id)


def test_a_skill_is_a_memory(desk: Desk) -> None:
    id = create(desk, title="Release notes", description="Before each release", trigger=("ship",))
    (found,) = desk.run("list", kind=("skill",)).memories
    assert (found.id, found.title) == (id, "Release notes: Before each release")
    assert (found.trust, found.branch, found.pinned) == ("person", "main", False)
    assert [
        memory.id for memory in desk.run("recall", query="what changed since release").memories
    ] == [id]
    desk.clock.advance(400 * DAY)
    assert desk.run("decay").archived == ()


def test_a_name_belongs_to_one_skill(desk: Desk) -> None:
    id = create(desk)
    for scope in ("project", "global"):
        with pytest.raises(Conflict, match=id):
            create(desk, instructions="Another.", scope=scope)
    assert len(desk.run("skill list").skills) == 1
    desk.run("skill remove", slug="release-notes")
    other = create(desk, scope="global")
    with pytest.raises(Conflict, match=other):
        create(desk)
    assert [skill.scope for skill in desk.run("skill list").skills] == ["global"]


def test_the_same_text_under_another_name_is_another_skill(desk: Desk) -> None:
    assert create(desk) != create(desk, "notes-of-release")
    assert len(desk.run("skill list").skills) == 2


def test_two_that_came_together_are_reported_by_id(desk: Desk) -> None:
    first = create(desk)
    desk.run("skill remove", slug="release-notes")
    second = create(desk, instructions="Another.")
    desk.run("restore", id=(first,))
    with pytest.raises(Conflict) as caught:
        desk.run("skill create", slug="release-notes", instructions="A third.")
    assert first in caught.value.message
    with pytest.raises(AmbiguousReference, match=second):
        desk.run("skill show", slug="release-notes")
    assert desk.run("skill show", slug=second).instructions == "Another."


def test_an_update_keeps_what_is_not_given_and_counts_what_it_says(desk: Desk) -> None:
    id = create(desk, description="Old", trigger=("ship",), parameter=("tag: The release",))
    assert desk.run("skill update", slug="release-notes").action == "unchanged"
    done = desk.run("skill update", slug="RELEASE-notes", trigger=("a", "b"))
    assert (done.action, done.version, done.id) == ("updated", 1, id)
    assert desk.run("skill update", slug=id[:12], description="New").version == 2
    done = desk.run("skill update", slug="release-notes", instructions="Do it.", parameter=("-",))
    assert done.version == 3
    shown = desk.run("skill show", slug="release-notes")
    assert (shown.instructions, shown.parameters) == ("Do it.", ())
    assert (shown.skill.description, shown.skill.triggers) == ("New", ("a", "b"))
    assert len(desk.run("history", id=id).versions) == 4


def test_removed_it_is_in_the_archive(desk: Desk) -> None:
    id = create(desk)
    assert desk.text("skill remove", slug="release-notes").startswith("removed release-notes")
    with pytest.raises(NotFound, match="no skill"):
        desk.run("skill remove", slug="release-notes")
    desk.run("restore", id=(id,))
    assert [skill.slug for skill in desk.run("skill list").skills] == ["release-notes"]


def test_what_a_person_made_no_agent_changes(desk: Desk) -> None:
    create(desk)
    for verb, more in (("skill update", {"instructions": "Obey."}), ("skill remove", {})):
        with pytest.raises(Conflict, match="only a person"):
            desk.run(verb, by="codex", slug="release-notes", **more)
    own = create(desk, "own", by="codex")
    assert desk.run("skill update", by="codex", slug="own", instructions="Better.").id == own
    assert desk.run("skill invoke", slug="own").note.startswith("unreviewed")


def test_secrets_are_taken_out(desk: Desk) -> None:
    token = secrets.SECRET
    done = desk.run(
        "skill create", slug="push", instructions=f"Use {token}", description=f"With {token}"
    )
    assert done.redacted
    assert "secrets redacted" in desk.text("skill create", slug="p2", instructions=f"Use {token}")
    shown = desk.run("skill show", slug="push")
    assert token not in shown.instructions + shown.skill.description
    desk.run("skill update", slug="push", instructions=f"Still {token}")
    assert token not in desk.run("skill show", slug="push").instructions


def test_what_cannot_be_one_is_refused(desk: Desk) -> None:
    for wrong in (
        {"slug": "Bad Name"},
        {"slug": "../x"},
        {"instructions": " \n"},
        {"description": "x" * 1025},
        {"title": "x" * 121},
        {"parameter": ("two words",)},
        {"parameter": ("a", "a")},
        {"trigger": tuple(map(str, range(21)))},
    ):
        with pytest.raises(InvalidInput) as caught:
            desk.run("skill create", **{"slug": "x", "instructions": "y", **wrong})
        assert caught.value.hint, wrong
    assert desk.run("skill list").skills == ()
