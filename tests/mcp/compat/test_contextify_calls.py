"""Contextify's calls, replayed from its own document: the request, and each field of the answer.

Over a real server, started as a host starts it, and a client of the SDK.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tests.mcp.agents import shop
from tests.mcp.peers import Connected, connected
from tests.support.apps import Desk, small_repo

# The columns of its table of memories, without the vector.
RECORD = {
    "id", "title", "content", "summary", "type", "scope", "project_id", "agent_source", "tags",
    "importance", "ttl_seconds", "access_count", "expires_at", "version", "merged_from",
    "replaced_by", "created_at", "updated_at",
}  # fmt: skip
DAY = timedelta(days=1)
Ask = Callable[..., Any]


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    return shop(tmp_path_factory.mktemp("contextify"))


@pytest.fixture(scope="module")
def client(desk: Desk) -> Iterator[Connected]:
    with connected(desk.place, desk.env, options=("--profile", "compat")) as client:
        yield client


@pytest.fixture
def ask(client: Connected) -> Ask:
    """Calls a tool, whose data it returns."""

    def call(tool: str, **arguments: Any) -> Any:
        answer = client(tool, **arguments)
        assert not answer.is_error, (tool, answer.content)
        assert answer.structured_content is not None
        return {
            name: value for name, value in answer.structured_content.items() if name != "quoted"
        }

    return call


@pytest.fixture
def refused(client: Connected) -> Ask:
    """Calls a tool that refuses; the sentence."""

    def call(tool: str, **arguments: Any) -> str:
        answer = client(tool, **arguments)
        assert answer.is_error, (tool, answer.structured_content)
        return " ".join(part.text for part in answer.content if part.type == "text")

    return call


def moment(text: str) -> datetime:
    return datetime.fromisoformat(text)


def test_a_stored_memory_has_every_column_as_it_was_given(ask: Ask) -> None:
    """CT-1, CT-3, CT-16: solution, summary, agent_source and ttl_seconds come back."""
    given = {
        "title": "Auth bug", "content": "The token was read before it was refreshed.",
        "summary": "Read the token late.", "type": "solution", "scope": "project",
        "agent_source": "windsurf", "tags": ["auth"], "importance": 0.5, "ttl_seconds": 3600,
    }  # fmt: skip
    stored = ask("store_memory", project_id="github.com/acme/shop", **given)
    memory = stored["memory"]
    assert (stored["action"], stored["suggestions"]) == ("created", [])
    assert memory.keys() == RECORD
    assert {name: memory[name] for name in given} == given
    assert (memory["project_id"], memory["version"]) == ("github.com/acme/shop", 1)
    assert (memory["access_count"], memory["merged_from"], memory["replaced_by"]) == (0, [], "")
    # Each is of its own look at the clock, in whole seconds.
    lives = moment(memory["expires_at"]) - moment(memory["created_at"])
    assert timedelta(0) <= lives - timedelta(hours=1) <= timedelta(seconds=1)
    assert ask("get_memory", memory_id=memory["id"]) == {**memory, "state": "active"}
    (hit,) = ask("search_memories", query="token", agent_source="windsurf")["results"]
    assert hit["memory"].keys() == RECORD and hit["memory"]["summary"] == given["summary"]
    assert ask("search_memories", query="token", agent_source="cursor")["results"] == []
    (hit,) = ask("recall_memories", query="token", type="solution")["results"]
    assert hit["match_type"] in ("semantic", "keyword", "hybrid") and hit["score"] > 0
    assert ask("recall_memories", query="token", type="fix")["results"] == []
    problem = ask("store_memory", content="Logins fail at noon.", type="problem")["memory"]
    ends = {"from_memory_id": memory["id"], "to_memory_id": problem["id"]}
    tie = ask("create_relationship", **ends, relationship="SOLVES", context="since noon")
    assert tie == {**ends, "relationship": "SOLVES", "strength": 0.5, "context": "since noon"}
    around = ask("get_related_memories", memory_id=problem["id"], relationship_types=["SOLVES"])
    (solved,) = around["memories"]
    assert (solved["id"], solved["type"]) == (memory["id"], "solution")
    changed = ask("update_memory", memory_id=memory["id"], type="fix", summary="Late.")
    assert (changed["type"], changed["summary"], changed["version"]) == ("fix", "Late.", 2)


def test_tags_are_in_lower_case_and_no_agent_is_a_person(ask: Ask) -> None:
    """CT-1"""
    stored = ask("store_memory", title="Bot", content="Walruses.", tags=["Port", "A b"])
    assert stored["memory"]["tags"] == ["a-b", "port"]
    for name, source in (("my-bot", "my-bot"), ("user", "an agent")):
        stored = ask("store_memory", title=name, content=f"By {name}.", agent_source=name)
        assert stored["memory"]["agent_source"] == source


def test_below_point_eight_it_ends_after_a_day_and_above_never(ask: Ask, refused: Ask) -> None:
    """CT-7: default_ttl 24 h, promote_importance 0.8; a decision of this store never ends."""
    short = ask("store_memory", title="Low", content="The lift is slow today.", importance=0.79)
    created, end = (moment(short["memory"][name]) for name in ("created_at", "expires_at"))
    assert (end - created, short["memory"]["ttl_seconds"]) == (DAY, 86_400)
    for more in ({"importance": 0.8}, {"ttl_seconds": 0}, {"type": "decision"}):
        content = f"The roof of hall {len(str(more))} is flat."
        stored = ask("store_memory", title=str(more), content=content, **more)["memory"]
        assert (stored["expires_at"], stored["ttl_seconds"]) == (None, None), more
    assert "'ttl_seconds'" in refused("store_memory", content="Rust", ttl_seconds=-5)


def test_reads_by_id_move_the_end_by_half_and_the_fifth_takes_it_away(ask: Ask) -> None:
    """CT-7, CT-8: an access extends by 50 % of the original, five promote."""
    id = ask("store_memory", title="Pump", content="The pump hums at night.")["memory"]["id"]
    ends = [ask("get_memory", memory_id=id)["expires_at"] for _ in range(6)]
    assert ends[5] is None
    steps = [moment(later) - moment(end) for end, later in pairwise(ends[:5])]
    assert steps == [DAY / 2] * 4
    lasting = ask("get_memory", memory_id=id)
    assert (lasting["access_count"], lasting["ttl_seconds"]) == (6, None)
    other = ask("store_memory", title="Valve", content="The valve leaks.")["memory"]["id"]
    assert ask("promote_memory", memory_id=other)["expires_at"] is None


def test_what_an_agent_stores_for_all_projects_waits_and_the_answer_says_so(ask: Ask) -> None:
    """CT-16."""
    stored = ask("store_memory", content="Llamas spit when annoyed.", scope="global")
    assert stored["memory"]["scope"] == "project"
    assert "only a person keeps something for every project" in " ".join(stored["notes"])
    assert ask("store_memory", content="Alpacas hum.", scope="project")["notes"] == []


def test_an_unknown_type_is_general_wherever_one_is_taken(ask: Ask) -> None:
    """CT-3."""
    stored = ask("store_memory", title="T", content="The kiln is cold.", type="weirdo")["memory"]
    assert stored["type"] == "general"
    for tool in ("recall_memories", "search_memories"):
        found = ask(tool, query="kiln", type="another weirdo")["results"]
        assert [hit["memory"]["id"] for hit in found] == [stored["id"]]
    assert ask("update_memory", memory_id=stored["id"], type="fix")["type"] == "fix"
    assert ask("update_memory", memory_id=stored["id"], type="weirdo")["type"] == "general"


@pytest.mark.parametrize("tool", ["recall_memories", "search_memories"])
def test_an_empty_query_and_a_star_list_everything(ask: Ask, tool: str) -> None:
    """CT-5."""
    for content in ("Bricks are red.", "Glass is clear.", "Rope is long."):
        ask("store_memory", title=tool, content=content)
    lists = [ask(tool, limit=100, **more)["results"] for more in ({}, {"query": ""},
             {"query": "  "}, {"query": "*"})]  # fmt: skip
    ids = [[hit["memory"]["id"] for hit in hits] for hits in lists]
    assert len(ids[0]) >= 3 and all(some == ids[0] for some in ids)


def test_a_blank_content_is_refused_by_its_name(ask: Ask, refused: Ask) -> None:
    id = ask("store_memory", title="Full", content="The crate is full.")["memory"]["id"]
    for content in ("", "  \n"):
        assert "'content'" in refused("store_memory", title="Empty", content=content)
        assert "'content'" in refused("update_memory", memory_id=id, content=content)
    assert ask("get_memory", memory_id=id)["content"] == "The crate is full."


def test_what_is_answered_as_a_suggestion_waits_and_what_is_merged_is_logged(ask: Ask) -> None:
    """CT-10, CT-11, CT-13, CT-14."""
    first = ask("store_memory", content="Passwords are hashed with argon2 before they are stored")
    second = ask("store_memory", content="Before storing them we hash passwords with argon2")
    assert (first["action"], second["action"]) == ("created", "created_with_suggestions")
    ids = {stored["memory"]["id"] for stored in (first, second)}
    (near,) = second["suggestions"]
    assert near["memory"]["id"] == first["memory"]["id"] and 0.75 <= near["similarity"] < 1
    box = ask("suggest_consolidations")
    (waits,) = [row for row in box["suggestions"] if row["memory_a_id"] in ids]
    assert {waits["memory_a_id"], waits["memory_b_id"]} == ids
    assert (waits["status"], waits["similarity"]) == ("pending", near["similarity"])
    assert all(waits[name]["content"] for name in ("memory_a", "memory_b"))
    (similar,) = ask("find_similar", memory_id=first["memory"]["id"])["results"]
    assert similar["memory"].keys() == RECORD and similar["similarity"] >= 0.75
    for text in ("Enable the debug toolbar", "Disable the debug toolbar"):
        stored = ask("store_memory", content=text)
    assert (stored["action"], stored["suggestions"]) == ("created", [])
    again = ask("store_memory", content="Passwords are hashed with argon2 before they are stored")
    assert (again["action"], again["memory"]["id"]) == ("updated", first["memory"]["id"])
    merged = ask(
        "consolidate_memories", target_id=first["memory"]["id"],
        source_ids=[second["memory"]["id"]], strategy="append",
    )  # fmt: skip
    assert merged["memory"]["merged_from"] == [second["memory"]["id"]]
    assert merged["memory"]["version"] > again["memory"]["version"]
    gone = ask("get_memory", memory_id=second["memory"]["id"])
    assert (gone["replaced_by"], gone["state"]) == (first["memory"]["id"], "superseded")
    (link,) = ask("get_related_memories", memory_id=gone["id"])["relationships"]
    assert (link["relationship"], link["from_memory_id"]) == ("SUPERSEDES", first["memory"]["id"])


def test_a_likeness_in_which_a_word_is_replaced_is_no_pair_but_a_note(ask: Ask) -> None:
    """CT-14: as the page of calls says."""
    text = "Session cookies are signed with the {} key and expire after two weeks of inactivity"
    ask("store_memory", content=text.format("application"))
    stored = ask("store_memory", content=text.format("secret"))
    assert (stored["action"], stored["suggestions"]) == ("created", [])
    (note,) = stored["notes"]
    assert "similarity 0.9" in note and "differs in application, secret" in note
    pending = ask("suggest_consolidations", limit=100)["suggestions"]
    assert stored["memory"]["id"] not in [row["memory_a_id"] for row in pending]


def test_a_pair_that_was_merged_or_deleted_by_another_call_is_no_longer_pending(ask: Ask) -> None:
    """CT-14, CT-16."""
    texts = ("The ferry leaves the north pier at seven", "At seven the ferry leaves the north pier")

    def pending(ids: list[str]) -> int:
        rows = ask("suggest_consolidations", limit=50)["suggestions"]
        return sum({row["memory_a_id"], row["memory_b_id"]} == set(ids) for row in rows)

    ids = [ask("store_memory", content=text)["memory"]["id"] for text in texts]
    assert pending(ids) == 1
    ask("consolidate_memories", target_id=ids[0], source_ids=ids[1:])
    assert pending(ids) == 0


def test_a_deleted_memory_is_related_to_nothing(ask: Ask) -> None:
    """CT-12: and what it replaced says by what, and stays replaced."""
    words = ("The quay has four cranes", "The quay has five cranes", "Cranes are painted yellow")
    old, new, other = (ask("store_memory", content=text)["memory"]["id"] for text in words)
    for source, target, kind in ((new, old, "SUPERSEDES"), (other, old, "RELATED_TO")):
        ask("create_relationship", from_memory_id=source, to_memory_id=target, relationship=kind)
    assert ask("get_memory", memory_id=old)["replaced_by"] == new
    related = ask("get_related_memories", memory_id=old)
    assert {memory["id"] for memory in related["memories"]} == {new, other}
    ask("delete_memory", memory_id=new)
    related = ask("get_related_memories", memory_id=old)
    assert [memory["id"] for memory in related["memories"]] == [other]
    assert [row["relationship"] for row in related["relationships"]] == ["RELATED_TO"]
    assert ask("get_memory", memory_id=old)["state"] == "superseded"


def test_what_a_source_had_absorbed_joins_what_the_target_had(ask: Ask) -> None:
    """CT-11: merged_from has the ids of all memories that were absorbed."""
    words = ("The mill grinds rye", "The bakery opens at five", "Flour comes by train",
             "Yeast is kept in the cellar")  # fmt: skip
    a, b, c, d = (ask("store_memory", content=text)["memory"]["id"] for text in words)
    for target, source in ((a, b), (c, d), (a, c)):
        ask("consolidate_memories", target_id=target, source_ids=[source])
    assert ask("get_memory", memory_id=a)["merged_from"] == [b, d, c]


def test_what_was_not_merged_or_is_deleted_is_reported(ask: Ask) -> None:
    """CT-16."""
    first, second = (
        ask("store_memory", content=text)["memory"]["id"]
        for text in ("The kiln fires at nine.", "Swans nest by the weir.")
    )
    merged = ask("consolidate_memories", target_id=first, source_ids=[second, "zzzz"])
    (missing,) = merged["not_merged"]
    assert (merged["merged_count"], missing["id"]) == (1, "zzzz") and "zzzz" in missing["error"]
    assert "not_merged" not in ask("consolidate_memories", target_id=first, source_ids=[
        ask("store_memory", content="Ferns like the shade of the mill.")["memory"]["id"]
    ])  # fmt: skip
    ask("delete_memory", memory_id=first)
    assert ask("get_memory", memory_id=first)["state"] == "archived"


def test_a_memory_of_several_relationships_is_there_once(ask: Ask, refused: Ask) -> None:
    """CT-12: without types all of them, and no unknown type."""
    first, second = (
        ask("store_memory", content=text)["memory"]["id"]
        for text in ("The crane lifts two tons.", "Otters sleep on their backs.")
    )
    for kind in ("SOLVES", "CAUSES"):
        ends = {"from_memory_id": first, "to_memory_id": second}
        ask("create_relationship", **ends, relationship=kind)
    around = ask("get_related_memories", memory_id=first, relationship_types=[])
    assert [memory["id"] for memory in around["memories"]] == [second]
    assert {tie["relationship"] for tie in around["relationships"]} == {"SOLVES", "CAUSES"}
    ask_of = {"memory_id": first, "relationship_types": ["SOLVES", "EATS"]}
    assert "EATS" in refused("get_related_memories", **ask_of)


def test_a_relationship_that_replaces_says_so(ask: Ask) -> None:
    """CT-12: SUPERSEDES hides its target."""
    new, old = (
        ask("store_memory", content=text)["memory"]["id"]
        for text in ("Postmortem of the heron outage.", "The heron broker listens on port 5671.")
    )
    ends = {"from_memory_id": new, "to_memory_id": old}
    assert "superseded" not in ask("create_relationship", **ends, relationship="CAUSES")
    assert ask("create_relationship", **ends, relationship="SUPERSEDES")["superseded"] == old
    assert ask("get_memory", memory_id=old)["replaced_by"] == new


def test_the_name_in_contextifys_file_is_the_project_of_every_call(desk: Desk, ask: Ask) -> None:
    """CT-9: applied on reads and writes."""
    (desk.place / ".contextify.yml").write_text("name: acme-shop\n")
    try:
        stored = ask("store_memory", content="The bell is loud.", project_id=str(desk.place))
        assert stored["memory"]["project_id"] == "acme-shop"
        (hit, *_) = ask("search_memories", query="bell", project_id="acme-shop")["results"]
        assert hit["memory"]["id"] == stored["memory"]["id"]
        listed = ask("get_context", project_id="acme-shop")["memories"]
        assert {memory["project_id"] for memory in listed} == {"acme-shop"}
    finally:
        (desk.place / ".contextify.yml").unlink()


def test_another_project_is_named_once_the_user_lists_it(
    desk: Desk, ask: Ask, refused: Ask, tmp_path: Path
) -> None:
    """CT-16: `project_id` of a project that is set up, but is not the server's."""
    repo = small_repo(tmp_path)
    repo.git("remote", "remove", "origin", check=False)  # else it has the key of the server's own
    other = Desk(repo.path, desk.home, GITMEM_COPY_MODE="off")
    other.run("init", no_hooks=True)
    arguments = {"title": "Owls", "content": "Owls hunt at night.", "project_id": str(other.place)}
    assert "mcp.projects" in refused("store_memory", **arguments)
    desk.run("config", key="mcp.projects", value=str(other.place), user=True)
    try:
        id = ask("store_memory", **arguments)["memory"]["id"]
        found = ask("search_memories", query="owls", project_id=str(other.place))["results"]
        assert [item["memory"]["id"] for item in found] == [id]
        here = ask("search_memories", query="owls")["results"]
        assert id not in [item["memory"]["id"] for item in here]
    finally:
        desk.run("config", key="mcp.projects", unset=True, user=True)


def test_in_a_clone_the_name_of_all_clones_is_its_own(tmp_path: Path) -> None:
    """CT-9: two clones of one remote on a machine; each has a store."""
    for which in ("first", "second"):
        (tmp_path / which).mkdir()
        clone = Desk(small_repo(tmp_path / which).path, tmp_path / "home", GITMEM_MODEL="hashed")
        clone.run("init", no_hooks=True)
        with connected(clone.place, clone.env, options=("--profile", "compat")) as client:
            for name in ("github.com/acme/shop", "shop"):
                stored = client("store_memory", content=f"The {which} bell.", project_id=name)
                assert not stored.is_error, stored.content
            memories = client("get_context", project_id="github.com/acme/shop").structured_content
            assert [each["content"] for each in memories["memories"]] == [f"The {which} bell."]


def test_from_a_linked_worktree_the_store_is_shared_and_other_folders_are_refused(
    tmp_path: Path,
) -> None:
    """CT-9: as the row says; without `project_id` the memories of the one store answer."""
    repo = small_repo(tmp_path)
    main = Desk(repo.path, tmp_path / "home", GITMEM_MODEL="hashed")
    main.run("init", no_hooks=True)
    beside = tmp_path / "beside"
    repo.git("worktree", "add", "-q", "-b", "beside", str(beside))
    main.run("remember", text="The owl is awake.")
    key = "github.com/acme/shop"
    for start, refused_names in ((repo.path, [beside]), (beside, [repo.path, key])):
        with connected(start, main.env, options=("--profile", "compat")) as client:
            for arguments in ({}, {"project_id": str(start)}):
                (memory,) = client("get_context", **arguments).structured_content["memories"]
                assert memory["content"] == "The owl is awake."
            for name in refused_names:
                assert client("get_context", project_id=str(name)).is_error, (start, name)


def test_a_former_key_of_a_project_still_names_it(desk: Desk, ask: Ask) -> None:
    """CT-33: the aliases are read."""
    (desk.place / ".contextify.yml").write_text("name: acme-store\n")
    try:
        stored = ask("store_memory", content="The gate is shut.", project_id=str(desk.place))
        assert stored["memory"]["project_id"] == "acme-store"
        former = ask("search_memories", query="gate", project_id="github.com/acme/shop")
        assert former["results"][0]["memory"]["id"] == stored["memory"]["id"]
    finally:
        (desk.place / ".contextify.yml").unlink()


def test_the_log_tells_agent_session_and_request_of_each_call(desk: Desk, ask: Ask) -> None:
    """CT-25: where `log.level` asks for it."""
    desk.run("config", key="log.level", value="info")
    try:
        started = ask("session_start", goal="log")["session"]["id"]
        ask("recall_memories", query="anything")
        log = (desk.home / "gitmem" / "commands.log").read_text("utf-8").splitlines()
    finally:
        desk.run("config", key="log.level", unset=True)
    (line,) = [line for line in log if " recall " in line][-1:]
    agent, session, request = (part.partition("=") for part in line.split()[-3:])
    assert (agent[0], session[0], session[2]) == ("agent", "session", started)
    assert request[0] == "request" and request[2].isdigit()


def test_filters_and_offset_reach_beyond_the_first_hundred(ask: Ask, refused: Ask) -> None:
    """CT-4: what is filtered after the search is not lost behind its largest page."""
    for number in range(104):
        ask("store_memory", title=f"Gasket {number}", content=f"The gasket of valve {number} fits",
            type="workflow", importance=0.95 if number in (0, 1) else 0.85)  # fmt: skip
    for query in ("*", "gasket valve"):
        heavy = ask("search_memories", query=query, type="workflow", min_importance=0.9)["results"]
        titles = {result["memory"]["title"] for result in heavy}
        assert {"Gasket 0", "Gasket 1"} <= titles, query
    first, second = (
        {
            result["memory"]["id"]
            for result in ask("search_memories", query="*", type="workflow", **page)["results"]
        }
        for page in ({"limit": 100}, {"limit": 100, "offset": 100})
    )
    assert len(second) >= 4 and not first & second
    assert "The offset cannot be -1" in refused("search_memories", query="*", offset=-1)
    assert "cannot be 1.5" in refused("search_memories", query="*", min_importance=1.5)


def test_only_what_passes_the_filters_counts_as_used(desk: Desk, ask: Ask) -> None:
    """CT-4: a filtered recall reads many memories and shows few."""
    for importance in (0.31, 0.32, 0.99):
        ask("store_memory", title=f"Flange {importance}", content=f"A flange of {importance} kg",
            importance=importance)  # fmt: skip
    for query in ("*", "flange kg"):
        before = desk.run("stats").accesses
        shown = ask("search_memories", query=query, min_importance=0.97)["results"]
        assert shown, query
        assert desk.run("stats").accesses == before + len(shown), query


def test_a_default_limit_that_is_set_counts_in_the_documented_calls(tmp_path: Path) -> None:
    """CT-29: search.default_limit, of the calls whose default of 20 it is; a given limit wins."""
    desk = shop(tmp_path)
    for topic in ("blue otter", "grey heron", "brown hare"):
        desk.run("remember", text=f"The river survey of spring counted one {topic}")
    with connected(desk.place, desk.env, options=("--profile", "compat")) as client:

        def count(tool: str, **arguments: Any) -> int:
            answer = client(tool, query="river survey of spring", **arguments)
            assert not answer.is_error, answer.content
            return len((answer.structured_content or {})["results"])

        for tool in ("search_memories", "recall_memories"):
            assert count(tool) == 3
            desk.run("config", key="search.default_limit", value="2")
            assert (count(tool), count(tool, limit=3)) == (2, 3)
            desk.run("config", key="search.default_limit", unset=True)
        desk.run("config", key="search.default_limit", value="1")
        (memory, *_) = (client("search_memories", query="otter").structured_content or {})[
            "results"
        ]
        similar = client("find_similar", memory_id=memory["memory"]["id"], threshold=0)
        assert len((similar.structured_content or {})["results"]) > 1, "5 there, and no setting"
