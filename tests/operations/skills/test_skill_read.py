"""Listing, showing and invoking skills (CF-46)."""

from __future__ import annotations

import pytest

from gitmem.errors import Conflict, InvalidInput, NotFound
from tests.support.apps import HOUR, Desk
from tests.support.repos import RepoBuilder


def create(desk: Desk, slug: str, instructions: str = "", **more: object) -> str:
    message = instructions or f"Do {slug}."
    return str(desk.run("skill create", slug=slug, instructions=message, **more).id)


def test_the_last_used_comes_first(desk: Desk) -> None:
    assert "no skills yet" in desk.text("skill list")
    for slug in ("c", "a", "b"):
        create(desk, slug, description=f"For {slug}")
    assert [skill.slug for skill in desk.run("skill list").skills] == ["a", "b", "c"]
    for slug in ("c", "b", "c"):
        desk.clock.advance(HOUR)
        desk.run("skill invoke", slug=slug)
    found = desk.run("skill list").skills
    assert [(item.slug, item.uses) for item in found] == [("c", 2), ("b", 1), ("a", 0)]
    text = desk.text("skill list")
    assert "c  version 1, used 2 times, last " in text
    assert "a  version 1, never used\n    For a" in text


def test_showing_counts_nothing(desk: Desk) -> None:
    create(desk, "a", "Do {{what}}.", parameter=("what: The thing", "how=well"), trigger=("go",))
    text = desk.text("skill show", slug="a")
    assert text.endswith("\n\nDo {{what}}.")
    for row in ("trigger: go", "parameter: what: The thing", "parameter: how=well"):
        assert f"    {row}\n" in text
    assert desk.run("skill show", slug="a").skill.uses == 0


def test_invoked_it_is_filled_in_and_counted(desk: Desk) -> None:
    create(desk, "a", "Do {{what}} {{how}}.", parameter=("what", "how=well"))
    done = desk.run("skill invoke", slug="a", parameter=("what=it",))
    assert (done.instructions, done.uses, done.note) == ("Do it well.", 1, "")
    assert done.values == {"what": "it", "how": "well"}
    assert desk.text("skill invoke", slug="a", parameter=("what=x", "how=y")) == "Do x y."
    for wrong, expected in (((), "needs what"), (("x=1",), "no parameter"), (("what",), "NAME=")):
        with pytest.raises(InvalidInput, match=expected):
            desk.run("skill invoke", slug="a", parameter=wrong)
    assert desk.run("skill list").skills[0].uses == 2  # what failed was not invoked


def test_what_is_not_there_is_reported_with_what_is_like_it(desk: Desk) -> None:
    create(desk, "release-notes")
    with pytest.raises(NotFound) as caught:
        desk.run("skill invoke", slug="release-note")
    assert "release-notes" in caught.value.hint
    note = desk.run("remember", text="Not a skill").id
    with pytest.raises(NotFound):
        desk.run("skill show", slug=note)


def test_a_foreign_one_is_read_and_not_followed(desk: Desk) -> None:
    id = create(desk, "a")
    desk.run("trust", id=(id,), tier="foreign")
    assert "foreign" in desk.text("skill list")
    assert desk.run("skill show", slug="a").instructions == "Do a."
    with pytest.raises(Conflict, match="foreign"):
        desk.run("skill invoke", slug="a")
    desk.run("trust", id=(id,))
    assert desk.run("skill invoke", slug="a").note == ""


def test_a_skill_of_another_branch_is_not_seen(desk: Desk, repo: RepoBuilder) -> None:
    repo.git("checkout", "-q", "-b", "topic")
    repo.commit("On the topic", {"topic.txt": "x\n"})
    create(desk, "a")
    repo.git("checkout", "-q", "main")
    assert desk.run("skill list").skills == ()
    with pytest.raises(Conflict, match="topic"):
        create(desk, "a")


def test_the_project_s_comes_before_the_user_s(desk: Desk) -> None:
    create(desk, "a", "Of the user.", scope="global")
    create(desk, "b")
    assert [skill.slug for skill in desk.run("skill list", scope="global").skills] == ["a"]
    assert [skill.slug for skill in desk.run("skill list", scope="project").skills] == ["b"]
    assert desk.run("skill invoke", slug="a").instructions == "Of the user."
