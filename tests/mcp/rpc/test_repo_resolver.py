"""One server for many repositories: which one a call means, and which ones it never touches."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp_types import ListRootsResult, Root

from gitmem.errors import InvalidInput, NotFound
from gitmem.mcp.rpc import repo_resolver
from tests.mcp.conftest import Site, make_site
from tests.mcp.peers import FULL, Connected, Raw, connected
from tests.support.apps import Desk
from tests.support.cli import environment
from tests.support.repos import RepoBuilder
from tests.support.tables import table
from tests.support.waiting import wait_until

META = {"gitmem/root": ""}


# --- pure -----------------------------------------------------------------------------------------


@pytest.mark.skipif(os.name == "nt", reason="paths look different there")
@table(
    ("uri", "path"),
    [
        ("file:///home/me/shop", "/home/me/shop"),
        ("file://localhost/shop", "/shop"),
        ("file:///with%20space/%C3%BC", "/with space/ü"),
        ("file://elsewhere/shop", ""),
        ("https://example.org/shop", ""),
        ("file:shop", ""),
        ("file:///nul%00", ""),
        ("file://[", ""),
        ("file:///" + "x" * 5000, ""),
        ("", ""),
    ],
)
def test_root_is_a_path_of_this_machine_or_nothing(uri: str, path: str) -> None:
    assert repo_resolver.path_of_file_uri(uri) == path


@given(st.text())
def test_any_uri_is_a_path_or_nothing(uri: str) -> None:
    found = repo_resolver.path_of_file_uri(uri)
    assert not found or os.path.isabs(found)


def test_named_folder_is_taken_out_of_the_arguments_and_the_meta_comes_first() -> None:
    here = os.path.abspath("here")
    arguments: dict[str, Any] = {"query": "x", "repo": os.path.abspath("there")}
    assert repo_resolver.pop_requested_repository({"gitmem/root": here}, arguments) == here
    assert arguments == {"query": "x"}
    assert repo_resolver.pop_requested_repository({"other": 1}, arguments) == ""
    assert repo_resolver.pop_requested_repository(None, None) == ""


def test_project_names_it_too_unless_the_tool_has_an_argument_of_that_name() -> None:
    arguments = {"query": "x", "project": "till"}
    assert repo_resolver.pop_requested_repository(None, dict(arguments), ("query", "project")) == ""
    assert repo_resolver.pop_requested_repository(None, arguments, ("query",)) == "till"
    assert arguments == {"query": "x"}
    both = {"repo": "shop", "project": "till"}
    assert repo_resolver.pop_requested_repository(None, both, ()) == "shop"
    assert both == {"project": "till"}  # an unknown argument, and so refused
    with pytest.raises(InvalidInput, match="absolute path") as refused:
        repo_resolver.pop_requested_repository(None, {"project": "../x"}, ())
    assert "'project'" in refused.value.hint


@table("said", [7, "", " ", "./shop", "../shop", "~/x", ["/x"], "/nul\0", "/" + "x" * 5000])
def test_what_is_no_absolute_path_and_no_name_is_refused(said: object) -> None:
    with pytest.raises(InvalidInput, match="absolute path"):
        repo_resolver.pop_requested_repository(None, {"repo": said})


@pytest.mark.skipif(os.name == "nt", reason="making links needs rights there")
def test_folder_is_inside_by_its_real_path_only(tmp_path: Path) -> None:
    (tmp_path / "shop" / "src").mkdir(parents=True)
    (tmp_path / "shopping").mkdir()
    (tmp_path / "shop" / "out").symlink_to(tmp_path / "shopping")
    shop = str(tmp_path / "shop")
    assert repo_resolver.is_folder_inside(shop, [shop])
    assert repo_resolver.is_folder_inside(shop + "/src", [str(tmp_path / "none"), shop])
    assert not repo_resolver.is_folder_inside(shop + "/../shopping", [shop])
    assert not repo_resolver.is_folder_inside(str(tmp_path / "shopping"), [shop])
    assert not repo_resolver.is_folder_inside(shop + "/out", [shop])


def test_a_server_for_all_projects_serves_the_only_one_or_tells_which_there_are(
    bare_desk: Desk, tmp_path: Path
) -> None:
    desk = bare_desk
    folder = str(desk.home / "gitmem")

    def found() -> str:
        app = desk.app(place=desk.home / "gitmem")
        try:
            assert repo_resolver.serves_all_projects(app, folder)
            assert not repo_resolver.serves_all_projects(app, str(desk.home))
            return repo_resolver.only_project_folder(app)
        finally:
            app.close()

    os.makedirs(folder, exist_ok=True)
    with pytest.raises(NotFound, match="not set up in any repository"):
        found()
    desk.run("init", no_hooks=True, no_index=True)
    assert found() == str(desk.place)
    other = RepoBuilder(tmp_path / "other" / "shop")
    other.commit("Begin", {"a": ""})
    desk.at(other.path).run("init", no_hooks=True, no_index=True)
    with pytest.raises(NotFound, match="not started in a repository") as caught:
        found()
    assert "`gitmem config --user mcp.projects" in caught.value.hint
    assert str(other.path) not in caught.value.hint
    desk.run("config", key="mcp.projects", value=str(other.path), user=True)
    assert found() == str(other.path)
    desk.run("config", key="mcp.projects", value="*", user=True)
    with pytest.raises(NotFound, match="names no repository") as caught:
        found()
    assert str(desk.place) in caught.value.hint and str(other.path) in caught.value.hint
    desk.run("config", key="mcp.projects", unset=True, user=True)
    shutil.rmtree(other.path)
    assert found() == str(desk.place)


# --- the SDK's client, both generations -----------------------------------------------------------


class Places:
    """Two repositories, a stranger's, a folder outside any, and the roots of the client."""

    def __init__(self, folder: Path) -> None:
        # The same home for all: what the user set up is known by that.
        self.home = folder / "home"
        self.one, self.two = (self._site(folder, name) for name in ("one", "two"))
        self.outside = folder / "outside"
        self.outside.mkdir()
        stranger = RepoBuilder(folder / "stranger" / "repo")
        stranger.commit("Start", {"a": ""})
        self.stranger = stranger.path
        self.told: list[Path] = []
        self.asked = 0

    def _site(self, folder: Path, name: str) -> Site:
        site = make_site(folder / name)
        # The user has both, and their home is neither's.
        keys = Path(site.gitmem.env["GITMEM_HOME"]) / "stores"
        shutil.copytree(keys, self.home / "gitmem" / "stores", dirs_exist_ok=True)
        site.gitmem("remember", f"This is {name}")
        return site

    @property
    def env(self) -> dict[str, str]:
        """A home in which no project is known."""
        return environment(self.home, GITMEM_BACKUP_INTERVAL_HOURS="0", GITMEM_COPY_MODE="off")

    def client(self, start: Path, mode: str = "auto", env: dict[str, str] | None = None) -> Any:
        """A client that tells its roots."""
        return connected(start, env or self.env, mode=mode, roots=self._tell(), options=FULL)

    def _tell(self) -> Callable[[Any], Awaitable[ListRootsResult]]:
        async def tell(_: Any) -> ListRootsResult:
            self.asked += 1
            return ListRootsResult(roots=[Root(uri=path.as_uri()) for path in self.told])

        return tell


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Places:
    return Places(tmp_path_factory.mktemp("places"))


@pytest.fixture
def places(made: Places) -> Places:
    made.told, made.asked = [], 0
    return made


@pytest.fixture(params=["auto", "legacy"])
def mode(request: pytest.FixtureRequest) -> Iterator[str]:
    return request.param


def told(client: Connected, **arguments: Any) -> str:
    """What the repository that was meant remembers, or the code of the error."""
    result = client("recall", query="this is", mode="keyword", **arguments)
    content = result.structured_content
    if result.is_error:
        return str(content["error"]["code"])
    return ", ".join(one["content"] for one in content["memories"])


def test_start_folder_comes_first_and_then_nobody_is_asked(places: Places, mode: str) -> None:
    places.told = [places.two.path]
    with places.client(places.one.path, mode) as client:
        assert told(client) == "This is one"
    assert places.asked == 0


def test_without_a_repository_at_the_start_the_first_root_with_one_is_meant(
    places: Places, mode: str
) -> None:
    places.told = [places.outside, places.two.path / "src", places.one.path]
    with places.client(places.outside, mode) as client:
        assert told(client) == told(client) == "This is two"
        assert "This is two" in client.read("gitmem://memories/recent").text
    assert places.asked == 1


def test_named_root_is_served_and_any_other_folder_is_not(places: Places, mode: str) -> None:
    places.told = [places.two.path]
    with places.client(places.one.path, mode) as client:
        assert told(client, repo=str(places.two.path)) == "This is two"
        assert told(client, repo=places.two.path.as_uri()) == "This is two"
        assert told(client, repo=str(places.two.path / "src")) == "This is two"
        assert told(client, repo=str(places.one.path / "src")) == "This is one"
        for other in (places.stranger, places.outside, places.outside / "none", Path("/")):
            assert told(client, repo=str(other)) == "not_found"
        for gone in (".claude/worktrees/x", ".worktrees/x/src"):  # CT-33: removed since
            assert told(client, repo=str(places.two.path / gone)) == "This is two"
            assert told(client, repo=str(places.stranger / gone)) == "not_found"
        assert told(client, repo="../two") == "invalid"
        assert told(client, repo="two") == "not_found"
        assert told(client) == "This is one"
    assert not (places.stranger / ".gitmem").exists()


def test_meta_names_a_repository_for_tools_and_resources(places: Places, mode: str) -> None:
    places.told = [places.two.path]
    meta = {"gitmem/root": str(places.two.path)}
    with places.client(places.one.path, mode) as client:
        done = client.ask("call_tool", "recall", {"query": "this is"}, meta=meta)
        assert "This is two" in done.content[0].text
        (content,) = client.ask("read_resource", "gitmem://memories/recent", meta=meta).contents
        assert "This is two" in content.text


def test_roots_that_change_are_asked_for_again(places: Places) -> None:
    places.told = [places.one.path]
    with places.client(places.outside, "legacy") as client:
        assert told(client) == "This is one"
        places.told = [places.two.path]
        client.ask("send_roots_list_changed")
        assert told(client) == "This is two"
        assert told(client, repo=str(places.one.path)) == "not_found"
    assert places.asked == 2


def test_client_of_2026_says_nothing_and_is_asked_again_when_it_names_another_root(
    places: Places,
) -> None:
    places.told = [places.one.path]
    with places.client(places.outside, "auto") as client:
        assert told(client) == "This is one"
        places.told = [places.one.path, places.two.path]
        assert told(client, repo=str(places.two.path)) == "This is two"
        assert places.asked == 2


@pytest.fixture
def list_for_agents(places: Places) -> Iterator[Callable[..., None]]:
    """Lists folders in the user's own settings, of the user who has the second repository."""
    two = places.two

    def say(*folders: Path | str) -> None:
        two.gitmem("config", "--user", "mcp.projects", ",".join(map(str, folders)))

    yield say
    two.gitmem("config", "--user", "mcp.projects", "--unset")


def test_project_that_the_user_set_up_is_open_only_where_it_is_listed(
    places: Places, mode: str, tmp_path: Path, list_for_agents: Callable[..., None]
) -> None:
    """For the folder, the name and the key, in each way to say it, and once it is switched to."""
    two = places.two
    (entered,) = two.gitmem("projects", "--json").json["projects"]
    ways = (str(two.path), str(two.path / "src"), entered["name"], entered["project"])

    def answers() -> list[str]:
        with connected(places.outside, two.env, mode=mode, options=FULL) as client:
            assert told(client) == "not_a_repository"
            assert told(client, repo=str(places.one.path)) == "not_found"
            meta = {"gitmem/root": str(two.path)}
            by_meta = client.ask("call_tool", "recall", {"query": "this is"}, meta=meta)
            said = [told(client, repo=way) for way in ways]
            return [*said, "not_found" if by_meta.is_error else "This is two"]

    assert answers() == ["not_found"] * 5
    (tmp_path / "link").symlink_to(two.path)
    for listed in (tmp_path, tmp_path / "none", places.one.path):
        list_for_agents(listed)
        assert answers() == ["not_found"] * 5
    for listed in (two.path, two.path.parent, tmp_path / "link", "*"):
        list_for_agents(places.stranger, listed) if listed != "*" else list_for_agents("*")
        assert answers() == ["This is two"] * 5
    with connected(places.outside, two.env, mode=mode, options=FULL) as client:
        assert told(client, repo=str(places.stranger)) == "not_found"  # gitmem is not set up there
    with connected(places.outside, two.env, mode=mode, options=("--profile", "compat")) as client:
        assert not client("switch_project", project_id=entered["name"]).is_error
        list_for_agents(places.one.path)
        assert told(client) == "not_found"
        assert client("switch_project", project_id=entered["name"]).is_error


def test_a_listed_project_is_named_by_project_too_and_asked_beside_this_one(
    places: Places, mode: str, list_for_agents: Callable[..., None]
) -> None:
    two = places.two
    listed = two.gitmem("projects", "--json").json["projects"]
    entered = next(project for project in listed if project["path"] == str(two.path))
    with connected(places.one.path, two.env, mode=mode, options=FULL) as client:
        for wrong in (str(two.path), entered["name"]):
            assert client("stats", project=wrong).is_error
        hint = client("stats", project="nosuch").structured_content["error"]["hint"]
        assert str(two.path) not in hint
        list_for_agents(two.path)
        answer = client("stats", project=entered["name"]).structured_content
        assert answer["total"] == 1
        assert client("recall", query="x", project=entered["name"]).is_error  # no sub-project
        # The store of the present project is another user's here.
        answer = client("recall", query="this is", projects=["all"]).structured_content
        assert [hit["project"] for hit in answer["memories"]] == [entered["project"]]
        assert "left out" in answer["notes"][0]
        assert client("search", query="this is", projects=["nosuch"]).is_error


def test_a_server_for_all_answers_for_the_only_project_also_by_its_name(places: Places) -> None:
    two = places.two
    (entered,) = two.gitmem("projects", "--json").json["projects"]
    start = Path(two.gitmem.env["GITMEM_HOME"])
    with connected(start, two.env, mode="auto", options=FULL) as client:
        for way in ({}, {"repo": entered["name"]}, {"repo": str(two.path / "src")}):
            assert told(client, **way) == "This is two"
        assert told(client, repo=str(places.one.path)) == "not_found"


def test_project_is_known_by_its_name_its_key_and_each_of_its_clones(
    places: Places, tmp_path: Path, list_for_agents: Callable[..., None]
) -> None:
    two = places.two
    list_for_agents("*")
    (entered,) = two.gitmem("projects", "--json").json["projects"]
    clone = tmp_path / "again"
    RepoBuilder(clone, init=False).git("clone", "-q", str(two.path), str(clone), cwd=tmp_path)
    with connected(places.outside, two.env, mode="auto", options=FULL) as client:
        assert told(client, repo=entered["name"]) == "This is two"
        assert told(client, repo=entered["project"]) == "This is two"
        refused = client("recall", query="this is", repo="nosuch").structured_content["error"]
        assert "'nosuch'" in refused["message"] and entered["path"] in refused["hint"]
        # Where gitmem was not set up a clone of a known project is as closed as any folder.
        assert told(client, repo=str(clone)) == "not_found"
    # Set up there too, both are listed and open, and the key names neither any more.
    git = RepoBuilder(clone, init=False).git
    url = RepoBuilder(two.path, init=False).git("config", "remote.origin.url", check=False)
    git("remote", "set-url", "origin", url) if url else git("remote", "remove", "origin")
    two.gitmem("init", "--no-hooks", cwd=clone)
    listed = two.gitmem("projects", "--json").json["projects"]
    assert {project["path"] for project in listed} == {str(two.path), str(clone)}
    with connected(places.outside, two.env, mode="auto", options=FULL) as client:
        assert told(client, repo=str(two.path)) == "This is two"
        assert told(client, repo=str(clone)) == ""
        refused = client("recall", query="this is", repo=entered["project"])
        hint = refused.structured_content["error"]["hint"]
        assert str(two.path) in hint and str(clone) in hint


# --- by hand: clients that answer badly, late or never --------------------------------------------


def outcome(raw: Raw, **arguments: Any) -> str:
    content = raw.call("recall", query="this is", mode="keyword", **arguments)["structuredContent"]
    if "error" in content:
        return str(content["error"]["code"])
    return ", ".join(one["content"] for one in content["memories"])


@pytest.mark.parametrize(
    "reply",
    [
        {"error": {"code": -32601, "message": "Method not found"}},
        {"result": {}},
        {"result": {"roots": "none"}},
        {"result": {"roots": [{"uri": "https://example.org"}]}},
        {"result": {"roots": []}},
    ],
    ids=range(5),
)
def test_client_that_answers_badly_has_no_roots(places: Places, reply: dict[str, Any]) -> None:
    with Raw(places.outside, places.env, options=FULL) as raw:
        raw.reply = lambda _: reply
        raw.open(roots={"listChanged": True})
        assert outcome(raw) == outcome(raw) == "not_a_repository"
        assert [one["method"] for one in raw.asked] == ["roots/list"]


def test_roots_that_changed_while_they_were_told_are_asked_for_again(places: Places) -> None:
    with Raw(places.outside, places.env, options=FULL) as raw:
        answers = [places.one.path, places.two.path]

        def reply(_: dict[str, Any]) -> dict[str, Any]:
            path = answers.pop(0)
            if answers:
                raw.send({"jsonrpc": "2.0", "method": "notifications/roots/list_changed"})
            return {"result": {"roots": [{"uri": path.as_uri()}]}}

        raw.reply = reply
        raw.open(roots={"listChanged": True})
        outcome(raw)
        assert outcome(raw) == "This is two"


def test_roots_that_are_no_files_do_not_hide_those_that_are(places: Places) -> None:
    others = ["https://example.org", "vscode-remote://wsl+box/home", "two", "", None, 7]
    told = [{"uri": one} for one in others] + [{"name": "shop"}, "file:///x", 5]
    with Raw(places.outside, places.env, options=FULL) as raw:
        raw.reply = lambda _: {"result": {"roots": [*told, {"uri": places.two.path.as_uri()}]}}
        raw.open(roots={"listChanged": True})
        assert outcome(raw) == "This is two"


def test_client_that_never_answers_keeps_one_call_waiting_for_two_seconds(places: Places) -> None:
    with Raw(places.outside, places.env, options=FULL) as raw:
        raw.open(roots={"listChanged": True})
        began = time.monotonic()
        assert outcome(raw) == "not_a_repository"
        assert repo_resolver.PATIENCE - 0.1 <= time.monotonic() - began < 10
        assert outcome(raw) == "not_a_repository"
        assert len(raw.asked) == 1


def test_client_is_never_asked_before_the_first_call(places: Places) -> None:
    with Raw(places.outside, places.env, options=FULL) as raw:
        raw.open(roots={"listChanged": True})
        assert raw.ask("tools/list")["result"]["tools"]
        assert raw.ask("resources/list")["result"]["resources"]
        assert raw.ask("prompts/list")["result"]["prompts"]
        assert raw.asked == []


def test_input_that_ends_while_the_client_is_asked_ends_the_server(places: Places) -> None:
    with Raw(places.outside, places.env, options=FULL) as raw:
        raw.open(roots={})
        id = raw.start("tools/call", name="recall", arguments={"query": "x"})
        wait_until(lambda: raw.asked)
        status, seconds = raw.end()
        assert status == 0
        assert seconds < 6
        assert raw.answer(id)
