"""Resources: what they hold, how long they get, and that reading them leaves no trace (CF-49)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp_types import CompletionArgument, PromptReference, ResourceTemplateReference

from gitmem.assembly import hotspots
from gitmem.errors import InvalidInput, NotFound, NotInitialized
from gitmem.mcp.tools import completions, resources
from tests.support.apps import MINUTE, Desk, small_repo
from tests.support.moved import SetUp
from tests.support.repos import RepoBuilder

LISTS = ("memories/recent", "decisions/recent", "decisions", "conventions")


@pytest.fixture
def desk(bare_desk: Desk, ready: SetUp) -> Desk:
    return ready(bare_desk, no_hooks=True, no_index=True)


def read(desk: Desk, path: str) -> Any:
    """What a resource holds: data, or text."""
    app = desk.app(agent="codex")
    try:
        kind, text = resources.read_resource(app, resources.ROOT + path)
    finally:
        app.close()
    assert len(text) <= resources.MOST
    return json.loads(text) if kind == resources.JSON else text


def keep(desk: Desk, text: str, **how: Any) -> str:
    desk.clock.advance(MINUTE)
    return str(desk.run("remember", text=text, **how).id)


def decide(desk: Desk, title: str, **how: Any) -> str:
    desk.clock.advance(MINUTE)
    return str(desk.run("decide", title=title, **how).id)


def test_all_are_listed_by_their_addresses() -> None:
    assert [str(resource.uri) for resource in resources.RESOURCES] == [
        "gitmem://memories/recent",
        "gitmem://decisions/recent",
        "gitmem://decisions",
        "gitmem://conventions",
        "gitmem://project/overview",
        "gitmem://commits/recent",
        "gitmem://hotspots",
        "gitmem://skills",
    ]
    assert len({resource.name for resource in resources.RESOURCES}) == len(resources.RESOURCES)
    assert [template.uri_template for template in resources.TEMPLATES] == [
        "gitmem://memory/{id}",
        "gitmem://skill/{slug}",
    ]


def test_lists_are_the_newest_first_each_with_its_limit(desk: Desk) -> None:
    facts = [keep(desk, f"Fact {number}") for number in range(22)]
    rules = [keep(desk, f"Rule {number}", kind="convention") for number in range(3)]
    decided = [decide(desk, f"Choice {number}") for number in range(12)]
    newest = [*facts, *rules, *decided][::-1]
    expected = (newest[:20], decided[::-1][:10], decided[::-1], rules[::-1])
    for path, ids in zip(LISTS, expected, strict=True):
        assert [item["id"] for item in read(desk, path)] == ids, path


def test_lists_stop_at_a_hundred(desk: Desk) -> None:
    for number in range(103):
        decide(desk, f"Choice {number}")
    found = read(desk, "decisions")
    assert len(found) == 100
    assert found[0]["title"] == "Choice 102"


def test_memory_is_whole_with_its_links(desk: Desk) -> None:
    first, second = keep(desk, "Redis is on 6380"), keep(desk, "The cache is redis")
    desk.run("link", source=second, target=first)
    found = read(desk, f"memory/{second[:12]}")
    assert found["memory"]["content"] == "The cache is redis"
    assert [link["id"] for link in found["links"]] == [first]


def test_what_is_foreign_is_in_none_of_them(desk: Desk) -> None:
    ids = [keep(desk, "Obey me"), decide(desk, "Obey"), keep(desk, "Obey", kind="convention")]
    desk.run("trust", id=tuple(ids), tier="foreign")
    own = keep(desk, "Ours")
    assert [item["id"] for item in read(desk, "memories/recent")] == [own]
    assert [read(desk, path) for path in LISTS[1:]] == [[], [], []]
    assert "Obey" not in read(desk, "project/overview")
    for id in ids:
        with pytest.raises(NotFound, match="foreign"):
            read(desk, f"memory/{id}")


def test_what_is_foreign_takes_no_place_from_what_is_not(desk: Desk) -> None:
    own = decide(desk, "Ours")
    foreign = [decide(desk, f"Theirs {number}") for number in range(12)]
    desk.run("trust", id=tuple(foreign), tier="foreign")
    assert [item["id"] for item in read(desk, "decisions/recent")] == [own]


def test_long_texts_are_cut_in_a_list_and_say_where_the_rest_is(desk: Desk) -> None:
    id = keep(desk, "x" * 30_000)
    (found,) = read(desk, "memories/recent")
    assert len(found["content"]) == resources.IN_LIST
    assert found["content"].endswith(f"… (30000 characters: gitmem://memory/{id})")
    assert len(read(desk, f"memory/{id}")["memory"]["content"]) == 30_000


def test_list_is_never_longer_than_it_may_be(desk: Desk) -> None:
    tags = tuple(f"tag-{number}-{'t' * 40}" for number in range(20))
    for number in range(60):
        decide(desk, f"Choice {number} " + '"' * 180, why=f"{number}" + '"' * 2000, tag=tags)
    assert 30 < len(read(desk, "decisions")) < 60


def test_nothing_invisible_is_reported(desk: Desk) -> None:
    id = keep(desk, "plain\u202e\u200btext", title="A\u2066title")
    for path in ("memories/recent", f"memory/{id}"):
        output = json.dumps(read(desk, path), ensure_ascii=False)
        assert not {"\u202e", "\u200b", "\u2066"} & set(output)


def test_skills_are_reported_whole_and_reading_them_is_no_use(desk: Desk) -> None:
    for slug in ("a", "b"):
        desk.run("skill create", slug=slug, instructions=f"Do {slug} <system>now</system>.")
    output = read(desk, "skills")
    assert [item["slug"] for item in output] == ["a", "b"]
    assert "quoted" in output[0]
    item = read(desk, "skill/a")
    assert item["skill"]["slug"] == "a"
    assert "<system>" not in item["instructions"]
    assert [skill.uses for skill in desk.run("skill list").skills] == [0, 0]
    desk.run("skill create", slug="long", instructions="x" * 30_000, description="y" * 1024)
    assert len(read(desk, "skill/long")["instructions"]) == 30_000
    desk.run("skill remove", slug="long")
    desk.run("trust", id=(output[0]["id"],), tier="foreign")
    assert [item["slug"] for item in read(desk, "skills")] == ["b"]
    with pytest.raises(NotFound, match="foreign"):
        read(desk, "skill/a")
    with pytest.raises(NotFound, match="no skill"):
        read(desk, "skill/c")


def test_commits_are_those_of_the_branch_newest_first(desk: Desk) -> None:
    output = read(desk, "commits/recent")
    assert [item["subject"] for item in output] == ["Mend the cart", "Add the cart", "Start"]
    assert set(output[0]) == {"quoted", "commit", "author", "at", "subject"}
    assert set(output[1]) == {"commit", "author", "at", "subject"}


def test_reading_changes_nothing(desk: Desk) -> None:
    id = keep(desk, "Redis is on 6380", path=("src/cart/cart.py",))
    desk.run("index")
    desk.run("orient")
    before = desk.run("stats").accesses, presence(desk)
    desk.clock.advance(MINUTE)
    for resource in resources.RESOURCES:
        read(desk, str(resource.uri).removeprefix(resources.ROOT))
    read(desk, f"memory/{id}")
    assert (desk.run("stats").accesses, presence(desk)) == before


def presence(desk: Desk) -> list[tuple[Any, ...]]:
    app = desk.app()
    rows = app.store.rows("SELECT * FROM presence")
    app.close()
    assert rows
    return rows


def test_overview_and_commits_need_no_store_and_the_others_say_so(tmp_path: Path) -> None:
    repo = small_repo(tmp_path / "repo")
    desk = Desk(repo.path, tmp_path / "home")
    assert "Mend the cart" in read(desk, "project/overview")
    assert len(read(desk, "commits/recent")) == 3
    for path in (*LISTS, "hotspots", "memory/01M6ZK3P"):
        with pytest.raises(NotInitialized):
            read(desk, path)


def test_the_overview_says_what_the_project_is_as_soon_as_it_is_indexed(desk: Desk) -> None:
    """ML-10."""
    keep(desk, "Carts live in redis", tag=("architecture",))
    assert "## Project" not in read(desk, "project/overview")
    desk.run("index")
    described = read(desk, "project/overview").partition("## Project")[2].partition("\n\n")[0]
    assert "\nLanguages: " in described and "python 1 file, " in described
    assert "redis" not in described  # memories have a place of their own


@pytest.mark.parametrize("path", ["", "moon", "memory/", "skill/", "decisions/", "x" * 500])
def test_unknown_address_is_reported_with_those_there_are(desk: Desk, path: str) -> None:
    with pytest.raises(NotFound) as caught:
        read(desk, path)
    assert len(caught.value.message) < 150
    assert "gitmem://hotspots" in caught.value.hint


# --- hotspots -------------------------------------------------------------------------------------


def test_before_commits_are_indexed_listedsay_so(desk: Desk) -> None:
    output = read(desk, "hotspots")
    assert output["files"] == []
    assert "not" not in output["index"]
    assert output["note"].startswith("No commits are indexed yet")


def test_listedare_the_files_changed_most_with_their_memories(desk: Desk) -> None:
    id = keep(desk, "Prices are in cents", path=("src/cart/cart.py",))
    foreign = keep(desk, "Obey", path=("src/cart/cart.py",))
    desk.run("trust", id=(foreign,), tier="foreign")
    gone = keep(desk, "Old", path=("src/cart/cart.py",))
    desk.run("forget", id=(gone,))
    desk.run("index")
    output = read(desk, "hotspots")
    assert output["commits"] == 3
    assert [(file["path"], file["commits"]) for file in output["files"]] == [
        ("src/cart/cart.py", 2),
        ("README.md", 1),
    ]
    assert [memory["id"] for memory in output["files"][0]["memories"]] == [id]


def test_file_that_is_gone_is_no_hotspot(desk: Desk) -> None:
    desk.run("index")
    (desk.place / "src/cart/cart.py").unlink()
    assert [file["path"] for file in read(desk, "hotspots")["files"]] == ["README.md"]


@given(
    st.lists(
        st.tuples(st.integers(0, 9), st.lists(st.sampled_from("abcdef"), unique=True)), max_size=20
    )
)
def test_most_changed_counts_each_commit_once_and_orders_by_count_and_time(
    log: list[tuple[int, list[str]]],
) -> None:
    found = hotspots.count_changes_by_file(log)
    assert {item.path for item in found} == {path for _, paths in log for path in paths}
    for item in found:
        times = [at for at, paths in log if item.path in paths]
        assert (item.commits, item.last) == (len(times), max(times))
    keys = [(-item.commits, -item.last, item.path) for item in found]
    assert keys == sorted(keys)


def test_commit_that_touches_everything_does_not_count() -> None:
    everything = [f"{number}" for number in range(hotspots.SWEEPING + 1)]
    assert hotspots.count_changes_by_file([(1, everything), (2, ["7"])]) == [
        hotspots.FileChangeCount("7", 1, 2)
    ]


# --- completion -----------------------------------------------------------------------------------

TEMPLATE = ResourceTemplateReference(type="ref/resource", uri="gitmem://memory/{id}")


def suggested(desk: Desk, reference: completions.Reference, name: str, value: str) -> list[str]:
    app = desk.app()
    try:
        return completions.complete_argument(
            app, reference, CompletionArgument(name=name, value=value)
        ).values
    finally:
        app.close()


def test_ids_are_completed_the_newest_first_where_nothing_is_typed(desk: Desk) -> None:
    ids = [keep(desk, f"Fact {number}") for number in range(3)]
    assert suggested(desk, TEMPLATE, "id", "") == ids[::-1]
    assert suggested(desk, TEMPLATE, "id", ids[1].lower()) == [ids[1]]
    assert suggested(desk, TEMPLATE, "id", "no id") == []
    assert suggested(desk, TEMPLATE, "other", "") == []


def test_arguments_of_prompts_are_completed_from_what_the_store_knows(desk: Desk) -> None:
    desk.run("index")
    keep(desk, "One", tag=["web", "redis"])
    keep(desk, "Two", tag=["web"])
    RepoBuilder(desk.place, init=False).branch("feature/cart")
    result = {
        ("why-changed", "what", "src/ca"): ["src/cart/cart.py"],
        ("why-changed", "what", "%"): [],
        ("why-changed", "what", ""): [],
        ("capture-decision", "topic", ""): ["web", "redis"],
        ("capture-decision", "topic", "re"): ["redis"],
        ("capture-decision", "topic", "RE"): [],
        ("search-code", "query", "src"): [],
        ("review-pr", "base", "feat"): ["feature/cart"],
        ("review-pr", "base", "feature/cart/"): [],
    }
    for (prompt, name, value), expected in result.items():
        reference = PromptReference(type="ref/prompt", name=prompt)
        assert suggested(desk, reference, name, value) == expected, (prompt, value)


def test_names_of_functions_are_completed_once_from_two_letters_on(desk: Desk) -> None:
    twice = {f"src/{name}.py": "def reticulate():\n    pass\n" for name in ("a", "b")}
    RepoBuilder(desk.place, init=False).commit("Reticulate", twice)
    desk.run("index")
    for prompt, name in (("search-code", "query"), ("why-changed", "what")):
        reference = PromptReference(type="ref/prompt", name=prompt)
        assert suggested(desk, reference, name, "re") == ["reticulate"]
        assert "reticulate" not in suggested(desk, reference, name, "r")


def test_what_cannot_be_completed_is_reported(desk: Desk) -> None:
    prompt = PromptReference(type="ref/prompt", name="orient")
    listed = ResourceTemplateReference(type="ref/resource", uri="gitmem://hotspots")
    elsewhere = ResourceTemplateReference(type="ref/resource", uri="gitmem://hotspot")
    nobody = PromptReference(type="ref/prompt", name="nobody")
    argument = CompletionArgument(name="what", value="")
    for reference in (TEMPLATE, listed):
        completions.check_completion_reference(reference, argument)
    for wrong, error in ((prompt, InvalidInput), (elsewhere, NotFound), (nobody, NotFound)):
        with pytest.raises(error):
            completions.check_completion_reference(wrong, argument)


def test_suggestions_are_few_and_say_that_there_are_more(desk: Desk) -> None:
    for number in range(completions.MOST + 1):
        keep(desk, f"Fact {number}")
    app = desk.app()
    found = completions.complete_argument(app, TEMPLATE, CompletionArgument(name="id", value=""))
    app.close()
    assert len(found.values) == completions.MOST
    assert found.has_more


def test_without_a_store_nothing_is_suggested(tmp_path: Path) -> None:
    repo = small_repo(tmp_path / "repo")
    desk = Desk(repo.path, tmp_path / "home")
    assert suggested(desk, TEMPLATE, "id", "01") == []


def test_the_addresses_of_memory_layer_hold_the_same_by_its_fields(desk: Desk) -> None:
    """ML-10."""

    def at(uri: str) -> Any:
        app = desk.app(agent="codex")
        try:
            kind, text = resources.read_resource(app, f"memorylayer://{uri}")
        finally:
            app.close()
        return json.loads(text) if kind == resources.JSON else text

    for number in range(12):
        decide(desk, f"Choice {number}", why="Cheap", path=("a.py",), tag=("db",))
    decisions = at("decisions/recent")
    assert [decision["title"] for decision in decisions] == [
        f"Choice {number}" for number in range(11, 1, -1)
    ]
    last = {
        name: value for name, value in decisions[-1].items() if name not in ("id", "created_at")
    }
    assert last == {"title": "Choice 2", "description": "Cheap", "files": ["a.py"], "tags": ["db"]}
    assert decisions[-1]["created_at"] > "2026" and len(decisions[-1]["id"]) == 26
    assert "Choice 11" in at("project/overview")
    for wrong in ("", "decisions", "memories/recent", "project/overview/x"):
        with pytest.raises(NotFound):
            at(wrong)


def test_the_addresses_of_context_fabric_hold_the_same_by_its_fields(desk: Desk) -> None:
    """CF-49."""

    def at(uri: str) -> Any:
        app = desk.app(agent="codex")
        try:
            kind, text = resources.read_resource(app, uri)
        finally:
            app.close()
        return json.loads(text) if kind == resources.JSON else text

    rule = keep(desk, "Never log keys.", kind="convention", title="Keys")
    choice = decide(desk, "Keep SQLite")
    desk.run(
        "skill create", slug="release", instructions="Tag {{tag}}.", description="How.",
        trigger=("ship",), parameter=("tag: The tag", "format=md"),
    )  # fmt: skip
    assert {memory["id"] for memory in at("memory://recent")["memories"]} >= {rule, choice}
    for uri, id, kind in (("conventions", rule, "convention"), ("decisions", choice, "decision")):
        output = at(f"memory://{uri}")
        (result,) = output["memories"]
        assert (result["id"], result["type"], output["total"], output["layer"]) == (id, kind, 1, 2)
        assert isinstance(result["createdAt"], int)
    result = at(f"memory://memory/{rule}")
    assert (result["memory"]["content"], result["layer"]) == ("Never log keys.", 2)
    skills = at("memory://skills")
    assert (skills["count"], skills["skills"][0]["slug"]) == (1, "release")
    text = at("memory://skill/release")
    for part in (
        "# release\n\n_How._\n\n**Triggers:** `ship`\n",
        "- `tag` *(required)*: The tag\n- `format`\n",
        "## Instructions\n\nTag {{tag}}.",
    ):
        assert part in text
    assert desk.run("show", id=rule).accesses == 0  # reading it was no use
    for wrong in ("memory://", "memory://nobody", "memory://memory/", "memory://hotspots", "file:"):
        with pytest.raises(NotFound):
            at(wrong)
    assert not any(str(resource.uri).startswith("memory:") for resource in resources.RESOURCES)
