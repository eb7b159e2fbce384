"""Doctor on sub-projects: those declared, and each way in which one is declared wrongly."""

from __future__ import annotations

import pytest

from gitmem.doctor import checkup
from gitmem.doctor.finding import NOTE, OK, CheckFinding
from tests.support.apps import Desk
from tests.support.moved import SetUp
from tests.support.repos import RepoBuilder


@pytest.fixture
def desk(bare_desk: Desk, ready: SetUp) -> Desk:
    ready(bare_desk, no_index=True, no_hooks=True)
    return bare_desk


def examined(desk: Desk) -> list[CheckFinding]:
    app = desk.app()
    try:
        return list(checkup.check_subprojects(app))
    finally:
        app.close()


def declare(desk: Desk, *entries: str) -> None:
    """Declare sub-projects, ``name=folder``, in the root; their folders are there."""
    for entry in entries:
        (desk.place / entry.partition("=")[2]).mkdir(parents=True, exist_ok=True)
    listed = ", ".join(f'"{entry}"' for entry in entries)
    (desk.place / ".gitmem.toml").write_text(f"[project]\npaths = [{listed}]\n")


def report(found: list[CheckFinding]) -> list[tuple[str, str]]:
    assert {item.check for item in found} <= {"sub-projects"}
    return [(item.state, item.message) for item in found]


def test_without_any_nothing_is_reported(desk: Desk) -> None:
    assert examined(desk) == []


def test_those_that_are_declared_are_listed_with_their_folders(desk: Desk) -> None:
    declare(desk, "web=apps/web", "core=libs/core")
    assert report(examined(desk)) == [(OK, "2 declared: web (apps/web), core (libs/core)")]


def test_a_folder_that_is_gone_leads_elsewhere_or_is_a_repository_is_named(desk: Desk) -> None:
    declare(desk, "web=apps/web", "core=libs/core", "own=own", "fine=fine")
    (desk.place / "apps/web").rmdir()
    (desk.place / "libs/core").rmdir()
    (desk.place / "libs/core").symlink_to(desk.place / "fine")
    RepoBuilder(desk.place / "own", home=desk.home)
    _, *wrong = examined(desk)
    messages = "\n".join(item.message for item in wrong)
    assert len(wrong) == 3
    assert "apps/web, the folder of web, is not there." in messages
    assert "libs/core, the folder of core, leads elsewhere: to" in messages
    assert "own is a repository of its own" in messages
    assert any("gitmem init" in item.hint for item in wrong)


def test_memories_of_one_that_nothing_declares_any_more_are_reported(desk: Desk) -> None:
    declare(desk, "web=apps/web")
    desk.at(desk.place / "apps/web").run("remember", text="The web is blue")
    assert len(examined(desk)) == 1
    (desk.place / ".gitmem.toml").unlink()
    ((state, message),) = report(examined(desk))
    assert (state, message.split(",")[0]) == (NOTE, "memories belong to web")
