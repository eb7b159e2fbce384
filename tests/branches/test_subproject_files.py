"""CT-9: sub-projects as they are declared, well and badly, by oneself and by strangers."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitmem.branches import subproject_files, subprojects
from gitmem.errors import Conflict, InvalidInput, NotFound
from gitmem.store.db import projects
from tests.support.apps import Desk
from tests.support.repos import RepoBuilder


def name_at(desk: Desk, folder: str) -> tuple[str, list[str]]:
    """The sub-project of a folder, and the warnings."""
    app = desk.app(place=desk.place / folder)
    try:
        return subprojects.current_subproject_name(app), app.settings.warnings
    finally:
        app.close()


def declare(desk: Desk, folder: str, text: str) -> None:
    place = desk.place / folder
    place.mkdir(parents=True, exist_ok=True)
    (place / ".gitmem.toml").write_text(text)


def listed(desk: Desk, *entries: str) -> None:
    declare(desk, ".", f"[project]\npaths = {list(entries)}\n".replace("'", '"'))


def findings(desk: Desk) -> list[str]:
    return [
        finding.message
        for finding in desk.run("doctor").findings
        if finding.check == "sub-projects"
    ]


def test_the_innermost_declaration_counts(bare_desk: Desk) -> None:
    listed(bare_desk, "apps/web", "apps/web/admin")
    declare(bare_desk, "apps/web/shop", 'name = "shop-front"')
    (bare_desk.place / "apps/web/admin/src").mkdir(parents=True)
    for folder, name in (
        ("apps", ""),
        ("apps/web", "web"),
        ("apps/web/admin", "admin"),
        ("apps/web/admin/src", "admin"),
        ("apps/web/shop", "shop-front"),
    ):
        assert name_at(bare_desk, folder) == (name, [])


def test_the_word_of_the_root_counts_more_than_that_of_the_folder(bare_desk: Desk) -> None:
    listed(bare_desk, "web=apps/web")
    declare(bare_desk, "apps/web", 'name = "evil"')
    declare(bare_desk, "vendor/lib", 'name = "web"')
    assert name_at(bare_desk, "apps/web") == ("web", [])
    name, (warning,) = name_at(bare_desk, "vendor/lib")
    assert name == "" and "is the name of another folder" in warning


def test_the_users_own_settings_count_most(desk: Desk) -> None:
    listed(desk, "web=apps/web")
    (desk.place / "apps/web").mkdir(parents=True)
    desk.settings_file.write_text('[project]\npaths = "site=apps/web"\n')
    assert name_at(desk, "apps/web") == ("site", [])


def test_entries_that_cannot_be_are_left_aside_with_the_reason(bare_desk: Desk) -> None:
    (bare_desk.place / "good").mkdir()
    for entry, reason in (
        ("../beside", "inside the repository"),
        ("x=/etc", "inside the repository"),
        ("x=~/notes", "inside the repository"),
        ("x=a/../../b", "inside the repository"),
        ("x=.", "inside the repository"),
        ("x=", "inside the repository"),
        ("x=a//b", "inside the repository"),
        ("all=a", "a name is"),
        ("upstream=a", "a name is"),
        ("=a", "a name is"),
        ("fine=other", "other is called so already"),
        ("more=good", "the folder is listed already"),
    ):
        first = ("fine=other", "good") if "already" in reason else ("good",)
        listed(bare_desk, *first, entry.replace("fine=other", "fine=elsewhere"))
        name, (warning,) = name_at(bare_desk, "good")
        assert name == "good"
        assert reason in warning and "is left aside" in warning


def test_a_strangers_file_may_name_and_nothing_else(desk: Desk) -> None:
    """It moves no memory out of this repository's store, and sets nothing."""
    declare(
        desk,
        "vendor/lib",
        'name = "lib"\nagent = "root"\n[store]\npath = "/tmp/else.db"\n[recall]\nlimit = 1\n',
    )
    app = desk.app(place=desk.place / "vendor/lib")
    assert subprojects.project_key_for_new_memories(app) == "github.com/acme/shop//lib"
    assert app.store_path == str(desk.store)
    assert app.settings.number("recall.limit") == 10 and app.agent == ""
    app.close()


def test_files_that_name_badly_leave_the_folder_with_the_repository(bare_desk: Desk) -> None:
    key = "".join(("gh", "p_", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"))
    for text, expected in (
        ("", ""),
        ('name = ""', ""),
        ("[orient]\nbudget = 300", ""),
        ("name = 7", "is no name of a sub-project"),
        ('name = ["a"]', "is no name of a sub-project"),
        ('name = "all"', "is no name of a sub-project"),
        ('name = "a//b"', "is no name of a sub-project"),
        ('name = "\\u001b[2J"', "is no name of a sub-project"),
        (f'name = "{"x" * 500}"', "is no name of a sub-project"),
        (f'name = "{key}"', "is no name of a sub-project"),
        ("name = [", "is not valid TOML"),
    ):
        declare(bare_desk, "lib", text)
        name, warnings = name_at(bare_desk, "lib")
        assert name == "" and bool(warnings) is bool(expected), text
        assert expected in "".join(warnings)


def test_a_link_leads_where_it_leads(bare_desk: Desk) -> None:
    listed(bare_desk, "web=link")
    (bare_desk.place / "real").mkdir()
    (bare_desk.place / "link").symlink_to("real")
    assert name_at(bare_desk, "link") == ("", [])


def test_a_nested_repository_is_no_part_of_the_outer_one(desk: Desk) -> None:
    listed(desk, "lib=vendor/lib")
    nested = RepoBuilder(desk.place / "vendor/lib")
    nested.commit("First", {"a.py": "x = 1\n"})
    assert name_at(desk, "vendor/lib") == ("", [])
    assert "vendor/lib is a repository of its own, with a memory of its own." in findings(desk)


def test_doctor_tells_what_is_wrong_with_declarations(desk: Desk, tmp_path: Path) -> None:
    listed(desk, "gone=apps/gone", "away=link", "web=apps/web")
    (desk.place / "apps/web").mkdir(parents=True)
    (desk.place / "link").symlink_to(tmp_path)
    for folder in ("one", "two"):
        declare(desk, folder, 'name = "twin"')
    desk.at(desk.place / "one").run("remember", text="Said in one")
    desk.at(desk.place / "apps/web").run("remember", text="Said in web")
    output = findings(desk)
    assert output[0].startswith("5 declared: gone (apps/gone), away (link), web (apps/web), ")
    assert "apps/gone, the folder of gone, is not there." in output
    assert f"link, the folder of away, leads elsewhere: to {tmp_path.resolve()}." in output
    assert "one and two are both called twin, and so have one memory." in output
    listed(desk, "gone=apps/gone")
    assert "memories belong to web, which nothing declares any more" in findings(desk)
    assert desk.run("doctor").failed == 0


def test_ignored_files_declare_nothing(desk: Desk) -> None:
    (desk.place / ".gitignore").write_text("node_modules/\n")
    declare(desk, "node_modules/lib", 'name = "lib"')
    declare(desk, "libs/new", 'name = "new"')
    app = desk.app()
    assert [subproject.name for subproject in subproject_files.declared_subprojects(app)] == ["new"]
    app.close()


def test_a_plain_folder_has_parts_too(tmp_path: Path) -> None:
    desk = Desk(tmp_path / "notes", tmp_path / "home")
    for folder in (desk.home, desk.place / "talks"):
        folder.mkdir(parents=True, exist_ok=True)
    desk.run("init", folder=True)
    listed(desk, "talks")
    desk.at(desk.place / "talks").run("remember", text="Slides in Markdown")
    assert desk.run("list", project="talks").total == 1
    assert findings(desk) == ["1 declared: talks (talks)"]


def test_a_fork_reads_its_originals_memory_where_it_is_asked_for(
    desk: Desk, tmp_path: Path
) -> None:
    fork = RepoBuilder(tmp_path / "fork")
    fork.git("remote", "add", "origin", "https://github.com/me/shop.git")
    fork.commit("First", {"a.py": "x = 1\n"})
    mine = desk.at(fork.path)
    mine.run("init", no_hooks=True, no_index=True)
    desk.run("remember", text="Releases are signed")
    mine.run("remember", text="My patch is rebased weekly")

    def seen(**values: object) -> list[str]:
        return [memory.content for memory in mine.run("list", scope="project", **values).memories]

    with pytest.raises(NotFound, match="is not a fork"):
        seen(project="upstream")
    fork.git("remote", "add", "upstream", "https://github.com/acme/shop.git")
    assert seen() == ["My patch is rebased weekly"]
    assert seen(project="upstream") == ["Releases are signed"]
    found = mine.run("recall", query="how are releases signed", project="upstream").memories
    assert [item.content for item in found] == ["Releases are signed"]
    assert mine.run("orient", project="upstream").project == "github.com/acme/shop"
    with pytest.raises(Conflict, match="An agent may not read") as refused:
        mine.run("recall", query="releases", project="upstream", by="codex")
    assert "`gitmem config --user mcp.projects" in refused.value.hint
    desk.run("config", key="mcp.projects", value=str(desk.place), user=True)
    found = mine.run("recall", query="releases", project="upstream", by="codex").memories
    assert [item.content for item in found] == ["Releases are signed"]
    with pytest.raises(InvalidInput, match="can be read but not changed"):
        mine.run("remember", text="Mine", project="upstream")
    app = desk.app()
    shared = app.global_store()
    assert shared is not None
    with shared.write():
        projects.forget_project(shared, str(desk.place))
    app.close()
    with pytest.raises(NotFound, match=r"not set up in any clone of github\.com/acme/shop"):
        seen(project="upstream")
