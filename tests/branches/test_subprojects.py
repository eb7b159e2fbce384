"""CT-9: sub-projects of a monorepo, through the verbs that people use."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gitmem.errors import NotFound
from gitmem.store.memory import memory_writes
from tests.support.amounts import examples
from tests.support.apps import HOUR, MINUTE, Desk
from tests.support.repos import RepoBuilder

SHOP = "github.com/acme/shop"
ROOT_FILE = '[project]\npaths = ["api=services/api", "apps/admin"]\n'


@pytest.fixture
def mono(desk: Desk) -> Desk:
    """Three sub-projects: two that the root lists, one that names itself."""
    (desk.place / ".gitmem.toml").write_text(ROOT_FILE)
    for folder in ("services/api/src", "apps/admin", "packages/web/src", "docs"):
        (desk.place / folder).mkdir(parents=True)
    (desk.place / "packages/web/.gitmem.toml").write_text('name = "@acme/web"\n')
    return desk


def inside(desk: Desk, folder: str) -> Desk:
    return desk.at(desk.place / folder)


def contents(desk: Desk, **values: object) -> list[str]:
    return [memory.content for memory in desk.run("list", **values).memories]


def project_of(desk: Desk, id: str) -> str:
    app = desk.app()
    try:
        return str(app.store.value("SELECT project FROM memories WHERE id = ?", (id,)))
    finally:
        app.close()


def forget(desk: Desk) -> None:
    """Take every memory out of the store."""
    app = desk.app()
    with app.store.write() as store:
        for (id,) in store.rows("SELECT id FROM memories"):
            memory_writes.remove_memory(store, id)
    app.close()


def test_what_is_kept_in_a_folder_belongs_to_its_sub_project(mono: Desk) -> None:
    for folder, name in (
        ("services/api/src", "//api"),
        ("apps/admin", "//admin"),
        ("packages/web/src", "//@acme/web"),
        ("docs", ""),
        ("packages", ""),
        (".", ""),
    ):
        place = inside(mono, folder)
        saved = place.run("remember", text=f"The place is called {folder}")
        assert project_of(mono, saved.id) == SHOP + name
        decided = place.run("decide", title=f"Decided on in {folder}", why="Because.")
        assert project_of(mono, decided.id) == SHOP + name


def test_a_sub_project_shows_its_own_and_what_is_shared(mono: Desk) -> None:
    api, web = inside(mono, "services/api"), inside(mono, "packages/web/src")
    mono.run("remember", text="Indent with tabs")
    api.run("remember", text="The server listens on 8080")
    web.run("remember", text="The page listens on 3000")
    mono.run("remember", text="Be kind", scope="global")
    assert set(contents(api)) == {"Be kind", "The server listens on 8080", "Indent with tabs"}
    assert set(contents(web)) == {"Be kind", "The page listens on 3000", "Indent with tabs"}
    assert len(contents(mono)) == len(contents(api, project="all")) == 4
    assert set(contents(mono, project="api")) == set(contents(api))
    assert set(contents(api, project="@acme/web")) == set(contents(web))
    assert contents(mono, project=f"{SHOP}//api") == contents(api)
    assert set(contents(api, all_branches=True)) == set(contents(api))
    for words in ({"query": "listens"}, {"query": "*"}, {"query": "listens", "mode": "semantic"}):
        message = {memory.content for memory in api.run("recall", **words).memories}
        assert "The server listens on 8080" in message and "The page listens on 3000" not in message
    found = api.run("search", query="listens", sources=("memories",)).hits
    assert {hit.snippet for hit in found} & {"The page listens on 3000"} == set()
    assert "The server" in api.text("timeline") and "The page" not in api.text("timeline")
    assert "The page" in api.text("timeline", project="all")
    assert "The page" in api.text("timeline", project="@acme/web")


def test_a_named_sub_project_is_written_to_from_anywhere(mono: Desk) -> None:
    api = inside(mono, "services/api")
    for desk, name, key in (
        (mono, "api", f"{SHOP}//api"),
        (api, "@acme/web", f"{SHOP}//@acme/web"),
        (api, "all", SHOP),
        (api, "shop", SHOP),
    ):
        saved = desk.run("remember", text=f"Said for {name} here", project=name)
        assert project_of(mono, saved.id) == key


def test_the_same_words_in_two_sub_projects_are_two_memories(mono: Desk) -> None:
    """Else one of them would be strengthened in a place that the other cannot see."""
    message = {"text": "Tests need Redis on port 6380"}
    api, web = inside(mono, "services/api"), inside(mono, "packages/web")
    assert [desk.run("remember", **message).action for desk in (api, web)] == ["added"] * 2
    # What only the parts say is not said for all; what is said for all is said for the parts.
    assert mono.run("remember", **message).action == "added"
    assert (
        api.run("remember", **message).action
        == web.run("remember", **message).action
        == "reinforced"
    )
    admin = inside(mono, "apps/admin")
    assert admin.run("remember", **message).action == "reinforced"
    near = admin.run("remember", text="Tests need Redis on port 6380!")
    assert near.action == "reinforced"
    api.run("remember", text="Deployments go through the staging cluster on Mondays")
    other = web.run("remember", text="Deployments go through the staging cluster on Mondays!")
    assert (other.action, other.duplicate_of) == ("added", "")


def test_a_folder_that_moves_keeps_its_memories(mono: Desk) -> None:
    inside(mono, "packages/web").run("remember", text="Built with Vite")
    inside(mono, "services/api").run("remember", text="Written in Go")
    (mono.place / "packages/web").rename(mono.place / "site")
    (mono.place / "services/api").rename(mono.place / "server")
    (mono.place / ".gitmem.toml").write_text(ROOT_FILE.replace("services/api", "server"))
    assert contents(inside(mono, "site/src")) == ["Built with Vite"]
    assert contents(inside(mono, "server")) == ["Written in Go"]


def test_a_repository_that_gets_another_key_keeps_its_parts(mono: Desk, repo: RepoBuilder) -> None:
    api = inside(mono, "services/api")
    api.run("remember", text="Written in Go")
    repo.git("remote", "set-url", "origin", "https://github.com/acme/store.git")
    inside(mono, "packages/web").run("remember", text="Built with Vite")
    assert contents(api) == ["Written in Go"]
    status = api.run("status")
    assert status.project == "github.com/acme/store"
    assert status.aliases == (SHOP,)


def test_a_part_of_which_only_memories_are_left_can_be_named(mono: Desk) -> None:
    inside(mono, "packages/web").run("remember", text="Built with Vite")
    (mono.place / "packages/web/.gitmem.toml").unlink()
    assert contents(mono, project="@acme/web") == ["Built with Vite"]
    assert contents(inside(mono, "packages/web")) == ["Built with Vite"]
    assert contents(inside(mono, "services/api")) == []


def test_a_name_that_nobody_has_is_refused_with_those_there_are(mono: Desk) -> None:
    for operation, values in (
        ("list", {}),
        ("recall", {"query": "x"}),
        ("search", {"query": "x"}),
        ("timeline", {}),
        ("orient", {}),
        ("remember", {"text": "x"}),
        ("decide", {"title": "x"}),
    ):
        with pytest.raises(NotFound, match="No sub-project is called 'ios'") as caught:
            mono.run(operation, project="ios", **values)
        assert "There are api, admin, @acme/web." in caught.value.hint


def test_orient_tells_its_own_before_what_is_shared(mono: Desk) -> None:
    api = inside(mono, "services/api")
    for number in range(8):
        mono.run("remember", text=f"Everybody's rule {number}", kind="convention")
        mono.clock.advance(MINUTE)
    api.run("remember", text="Handlers return errors", kind="convention")
    mono.clock.advance(MINUTE)
    mono.run("remember", text="Everybody's last rule", kind="convention")
    inside(mono, "packages/web").run("remember", text="Hooks before JSX", kind="convention")
    result = api.run("orient", budget=2000)
    assert (result.name, result.project) == ("api in shop", f"{SHOP}//api")
    rules = [memory.content for memory in result.memories if memory.kind == "convention"]
    assert rules[:2] == ["Handlers return errors", "Everybody's last rule"]
    assert len(rules) == 8 and "Hooks before JSX" not in result.text
    assert "Hooks before JSX" in api.run("orient", project="all", budget=2000).text
    assert mono.run("orient").name == "shop"


def test_news_of_one_part_are_not_taken_for_read_in_another(mono: Desk) -> None:
    api, web = inside(mono, "services/api"), inside(mono, "packages/web")
    for desk in (api, web):
        desk.run("orient")
    mono.clock.advance(HOUR)
    api.run("remember", text="The queue is gone")
    web.run("orient")
    mono.clock.advance(HOUR)
    assert "The queue is gone" in [memory.content for memory in api.run("orient").memories]
    assert api.run("orient").just_here


def test_another_worktree_is_named_from_within_a_sub_project_and_another_part_is_none(
    mono: Desk, repo: RepoBuilder
) -> None:
    inside(mono, "services/api").run("orient")
    here = inside(mono, "packages/web").text("orient").splitlines()[1]
    assert here.endswith("You were just here, 0 seconds ago.")
    mono.clock.advance(HOUR)
    inside(mono, "services/api").run("orient")
    second = repo.worktree(mono.place.parent / "second", "topic").path
    output = mono.text("orient", place=second).splitlines()[1]
    assert output.endswith(f"You were just in the worktree {mono.place}, 0 seconds ago.")


def test_a_session_belongs_to_where_it_began(mono: Desk) -> None:
    api, web = inside(mono, "services/api"), inside(mono, "packages/web")
    whole = mono.run("session start", goal="Upgrade everything").session
    mine = api.run("session start", goal="Split the handlers").session
    assert (whole.worktree, mine.worktree) == (str(mono.place), f"{mono.place}//api")
    assert whole.id != mine.id
    assert api.run("status").session == mine.id
    # A part without a session of its own takes part in that of the repository.
    assert web.run("status").session == mono.run("status").session == whole.id
    mono.clock.advance(MINUTE)
    api.run("session note", text="Half of them are done")
    assert "Half of them" in api.text("timeline") and "Half of them" in mono.text("timeline")
    assert "Half of them" not in web.text("timeline")
    assert "Split the handlers" not in web.text("timeline")
    api.run("session end", summary="All of them are split")
    assert "Split the handlers" in api.text("orient")
    assert "Split the handlers" not in web.text("orient")


def test_status_and_doctor_name_them(mono: Desk) -> None:
    status = inside(mono, "packages/web").run("status")
    assert (status.subproject, status.subprojects) == ("@acme/web", ("api", "admin", "@acme/web"))
    assert "parts    api, admin, @acme/web (here)" in inside(mono, "packages/web").text("status")
    assert mono.run("status").subproject == ""
    messages = [
        finding for finding in mono.run("doctor").findings if finding.check == "sub-projects"
    ]
    assert [(item.state, item.message) for item in messages] == [
        (
            "ok",
            "3 declared: api (services/api), admin (apps/admin), @acme/web (packages/web)",
        )
    ]


def test_a_repository_without_parts_says_nothing_of_them(desk: Desk) -> None:
    assert "parts" not in desk.text("status")
    assert "sub-projects" not in [finding.check for finding in desk.run("doctor").findings]


def test_an_export_keeps_them(mono: Desk, tmp_path: Path) -> None:
    api = inside(mono, "services/api")
    saved = api.run("remember", text="Written in Go")
    lines = api.run("export").lines
    forget(mono)
    again = tmp_path / "again.jsonl"
    again.write_text("\n".join(lines).replace(SHOP, "github.com/me/fork") + "\n")
    mono.run("import", source=str(again), trust=True)
    assert project_of(mono, saved.id) == "github.com/me/fork//api"
    assert contents(api) == ["Written in Go"]
    assert contents(inside(mono, "packages/web")) == []
    (tmp_path / "plain.jsonl").write_text('{"content": "A line of another program"}\n')
    api.run("import", source=str(tmp_path / "plain.jsonl"), trust=True)
    assert "A line of another program" not in contents(inside(mono, "packages/web"))


def test_a_linked_worktree_has_the_same_parts(mono: Desk, repo: RepoBuilder) -> None:
    inside(mono, "services/api").run("remember", text="Written in Go", kind="convention")
    repo.git("add", "-A")
    repo.commit("Declare the parts", {"services/api/main.go": "package main\n"})
    repo.git("worktree", "add", "-q", "../beside", "-b", "beside")
    beside = mono.at(repo.path.parent / "beside" / "services" / "api")
    assert contents(beside) == ["Written in Go"]


FOLDERS = {"": "", "services/api": "api", "apps/admin": "admin", "packages/web": "@acme/web"}
_message = st.tuples(
    st.sampled_from(list(FOLDERS)), st.sampled_from(["red", "green", "blue"]), st.booleans()
)


@settings(max_examples=examples(4), deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(_message, min_size=1, max_size=8))
def test_nothing_of_one_part_shows_in_another(
    mono: Desk, said: list[tuple[str, str, bool]]
) -> None:
    """Whatever is said where, and however often: each list is what was said there and at the root,
    and the root's list is all of it."""
    forget(mono)
    output: dict[str, set[str]] = {folder: set() for folder in FOLDERS}
    for folder, words, by_name in said:
        values = {"text": words}
        if by_name and folder:
            mono.run("remember", project=FOLDERS[folder], **values)
        else:
            inside(mono, folder or ".").run("remember", **values)
        output[folder].add(words)
    for folder, name in FOLDERS.items():
        observed = contents(inside(mono, folder or "."), limit=100)
        assert set(observed) == (
            output[folder] | output[""] if folder else set().union(*output.values())
        )
        if folder:
            assert sorted(contents(mono, project=name, limit=100)) == sorted(observed)
            recalled = inside(mono, folder).run("recall", query="*", limit=100).memories
            assert sorted(item.content for item in recalled) == sorted(observed)
