"""Answers without what says nothing (CE-33)."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from docs.pages import json as json_page
from gitmem import operations
from gitmem.mcp.tools import catalogue, compact, toon
from gitmem.model.frozen import replace
from gitmem.operations.check.verify import VerifiedMemory, VerifyMemoriesResult
from gitmem.operations.find.list import MemoryList
from gitmem.operations.find.recall import RecallResult
from gitmem.operations.find.search_view import NEAREST, SearchedIndexState, SearchResult
from gitmem.operations.registry import as_json_values
from gitmem.retrieval import memory_view
from gitmem.retrieval.hit_view import HitItem
from gitmem.text.fence import make_printable
from tests.mcp import agents
from tests.mcp.agents import Agent, remembering, shop, text_of
from tests.support.apps import Desk
from tests.support.tables import table

CALLS: dict[str, dict[str, Any]] = {
    "orient": {},
    "recall": {"query": "session cookie"},
    "search": {"query": "server port"},
    "list_memories": {},
    "verify": {"all": True},
    "timeline": {"since": "2020-01-01"},
    "affected": {"revisions": "HEAD~6"},
    "status": {},
    "stats": {},
}


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    desk = shop(tmp_path_factory.mktemp("compact"))
    remembering(desk)
    # The second orientation is like the third; the first tells more.
    Agent(desk)("orient")
    return desk


def size(value: Any) -> int:
    text = value if isinstance(value, str) else None
    return len(text or json.dumps(value, ensure_ascii=False, separators=(",", ":")))


def both(desk: Desk, tool: str, arguments: dict[str, Any]) -> tuple[Any, Any]:
    """The compact and the whole answer."""
    agent = Agent(desk, "full")
    short = agent.call(tool, arguments)
    agent("session_defaults", format="full")
    return short, agent.call(tool, arguments)


def test_answers_shrink_by_the_measure_that_is_promised(
    desk: Desk, capsys: pytest.CaptureFixture[str]
) -> None:
    """CE-33: tokens (characters / 4) of text and of data, on real results."""
    saved: dict[str, float] = {}
    with capsys.disabled():
        print("\n  tool             text      data   saved of data, of both")
        for tool, arguments in CALLS.items():
            short, whole = both(desk, tool, arguments)
            texts = [size(text_of(item)) for item in (short, whole)]
            data = [size(item.structured_content) for item in (short, whole)]
            saved[tool] = 1 - data[0] / data[1]
            of_both = 1 - (texts[0] + data[0]) / (texts[1] + data[1])
            print(
                f"  {tool:<14} {texts[1] // 4:>4}>{texts[0] // 4:<4} {data[1] // 4:>4}>"
                f"{data[0] // 4:<4}    {saved[tool]:>4.0%} {of_both:>4.0%}"
            )
            assert of_both >= 0
    assert saved["search"] >= 0.30
    assert saved["recall"] >= 0.40
    assert saved["orient"] >= 0.50


@table("tool", CALLS)
def test_a_compact_answer_fits_the_schema_of_its_tool(desk: Desk, tool: str) -> None:
    schema = catalogue.offered_tools("full")[tool].list_entry.output_schema
    assert schema
    for answer in both(desk, tool, CALLS[tool]):
        Draft202012Validator(schema | {"additionalProperties": False}).validate(
            answer.structured_content
        )


@table("tool", sorted(set(CALLS) - {"orient"}))
def test_the_fields_of_an_answer_itself_stay(desk: Desk, tool: str) -> None:
    """That a list is empty is news; whoever reads a field need not ask whether it is there."""
    short, whole = both(desk, tool, CALLS[tool])
    assert list(short.structured_content) == list(whole.structured_content)


def test_an_orientation_is_reported_once(desk: Desk) -> None:
    short, whole = both(desk, "orient", {})
    assert short.structured_content["text"]
    gone = set(whole.structured_content) - set(short.structured_content)
    assert gone == set(compact.LEFT_OUT["OrientationResult"])


@pytest.mark.parametrize("tool", ["recall", "search", "list_memories", "verify"])
def test_what_is_left_is_what_the_whole_answer_says(desk: Desk, tool: str) -> None:
    short, whole = both(desk, tool, CALLS[tool])
    (name,) = (
        name for name, item in whole.structured_content.items() if item and isinstance(item, list)
    )
    for less, more in zip(
        short.structured_content[name], whole.structured_content[name], strict=True
    ):
        assert set(less) < set(more)
        for field, value in less.items():
            if isinstance(value, float):
                assert value == pytest.approx(more[field], abs=0.001)
            elif field == "commit":
                assert more[field].startswith(value)
            elif field != "anchors":
                assert value == more[field]
        assert not [field for field, value in less.items() if value in (None, "", [])]


def test_left_out_fields_exist() -> None:
    results = [json_page.result(name) for name in operations.PLACES]
    classes = {
        part.__name__: part for shape in results for part in (shape, *json_page._inside(shape))
    }
    for name, fields in {**compact.LEFT_OUT, **compact._SHOWN_BESIDE}.items():
        gone = {*fields, *compact.ORDINARY.get(name, {})}
        assert gone <= set(classes[name].__match_args__), name


def test_what_is_unusual_about_a_memory_is_reported(desk: Desk) -> None:
    agent = Agent(desk, "full")
    id = agent.data("remember", text="Pinned and heavy", weight=5, pin=True)["id"]
    (report,) = agent.data("recall", query="pinned heavy", limit=1)["memories"]
    assert (report["id"], report["weight"], report["pinned"]) == (id, 5, True)
    agent("forget", id=id)
    (report,) = agent.data("recall", query="pinned heavy", state=["archived"])["memories"]
    assert report["state"] == "archived"


def test_what_no_longer_stands_keeps_its_anchor(desk: Desk) -> None:
    agent = Agent(desk, "full")
    agent("remember", text="It was in a file", path=["README.md"])
    readme = desk.place / "README.md"
    before = readme.read_text()
    readme.unlink()
    try:
        (report,) = agent.data("recall", query="file", limit=1)["memories"]
        (anchor,) = report["anchors"]
        assert (anchor["cited"], anchor["verdict"]) == ("README.md", "gone")
        assert "number" not in anchor and "first_line" not in anchor
        assert "check first: gone" in agent.text("recall", query="file", limit=1)
    finally:
        readme.write_text(before)


def test_a_memory_shown_whole_lacks_only_what_is_empty(desk: Desk) -> None:
    agent = Agent(desk, "full")
    id = agent.data("remember", text="Show me whole")["id"]
    memory = agent.data("show", id=id)["memory"]
    assert {"state", "scope", "weight", "branch", "commit", "updated_at", "source"} <= set(memory)
    assert "expires_at" not in memory and "tags" not in memory


def test_the_text_of_a_list_is_a_table(desk: Desk) -> None:
    text = Agent(desk).text("recall", query="session cookie", limit=3)
    _, head, *rows, _ = text.split("\n")
    assert head == "memories[3]{id,kind,date,text,cites,note}:"
    assert len(rows) == 3
    assert all(2 <= row.count("\t") <= 5 for row in rows)


def test_a_list_that_is_empty_is_reported_in_words(desk: Desk) -> None:
    text = Agent(desk).text("recall", query="xylophone", mode="keyword")
    assert "{" not in text and len(text.split("\n")[1]) > 5


def report(items: tuple[memory_view.MemoryItem, ...]) -> list[str]:
    """What the table of an answer says of each memory."""
    return [row.split("\t")[3] for row in toon.recall_table(RecallResult(items)).split("\n")[1:]]


def test_a_few_memories_are_reported_at_greater_length_than_many(desk: Desk) -> None:
    (item,) = desk.run("recall", query="session cookie", limit=1).memories
    item = replace(item, title="", content="w" * 5_000)
    widths = [max(map(len, report((item,) * count))) for count in (1, 10, 100)]
    assert widths == [toon.MOST, toon.TEXTS // 10, toon.LEAST]


def test_memories_are_reported_whole_as_far_as_there_is_room_the_best_first(desk: Desk) -> None:
    (item,) = desk.run("recall", query="session cookie", limit=1).memories
    long, short = (replace(item, title="", content="w" * size) for size in (1_500, 400))
    huge = replace(item, title="", content="w" * (toon.TEXTS + 1))
    assert [len(entry) for entry in report((long,))] == [1_500]
    assert [len(entry) for entry in report((short, long))] == [400, 1_500]
    assert [len(entry) for entry in report((huge, short, long))] == [toon.MOST, 400, 1_500]
    # Two long ones are more than there is room for: the second is cut, what comes after is not.
    assert [len(entry) for entry in report((long, long, short))] == [1_500, toon.MOST, 400]
    assert sum(map(len, report((short,) * 6))) == toon.TEXTS
    many = report((short,) * 7)
    assert sum(map(len, many)) <= toon.TEXTS and len(many[0]) == 400 > len(many[-1])


def test_a_short_list_tells_memories_whole_and_a_long_one_their_titles(desk: Desk) -> None:
    (item,) = desk.run("recall", query="session cookie", limit=1).memories
    item = replace(item, title="Redis", content="It listens on 6380. " * 10)
    few, many = (
        [
            row.split("\t")[2]
            for row in toon.list_table(MemoryList((item,) * count, count, 0)).split("\n")[1:]
        ]
        for count in (3, 100)
    )
    assert few == [("Redis: " + item.content).strip()] * 3
    assert many[-1] == "Redis" and sum(map(len, many)) <= toon.TEXTS


def test_a_memory_among_hits_has_its_age() -> None:
    hit = HitItem("memory", id="01M", context="fix", at="2026-11-21T18:18:54Z", snippet="It did")
    text = toon.hit_table(SearchResult((hit,), "good", SearchedIndexState("", "current")))
    assert "\t01M fix 2026-11-21\tIt did" in text


CELLS = st.text(max_size=40)


@given(st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=4))
def test_a_cell_never_breaks_its_table(cells: list[tuple[str, str]]) -> None:
    hits = tuple(HitItem("commit", title=title, author=author) for title, author in cells)
    text = toon.hit_table(SearchResult(hits, "weak", SearchedIndexState("", "stale")))
    weak, head, *rows, state = text.split("\n")
    assert weak == NEAREST and "the index is out of date" in state
    assert head == f"hits[{len(cells)}]{{score,where,what}}:"
    assert len(rows) == len(cells)
    assert all(row.count("\t") <= 2 for row in rows)


def test_what_was_done_with_memories_is_reported_as_people_read_it() -> None:
    done = VerifiedMemory("01M", "01M", "Title", "note", "fresh", (), "accepted", "")
    assert toon.verify_table(VerifyMemoriesResult((done,), {"fresh": 1}, 0)) == ""
    assert toon.verify_table(VerifyMemoriesResult((), {}, 0)) == ""
    assert toon.recall_table(RecallResult(())) == ""


@given(st.text(max_size=60))
def test_every_text_of_the_data_is_neutralised(text: str) -> None:
    hit = HitItem("commit", title=text, why=(text,))
    result = SearchResult((hit,), "good", SearchedIndexState("", "current"))
    shaped = compact.compact_answer(catalogue.offered_tools("full")["search"].operation, result)
    (report,) = shaped.data["hits"]
    assert report.get("title", "") == make_printable(text)
    assert report["why"] == [make_printable(text)]


def test_what_is_counted_as_saved_is_no_more_than_was_saved(desk: Desk) -> None:
    for tool in ("recall", "search", "list_memories"):
        operation = catalogue.offered_tools("full")[tool].operation
        app = desk.app()
        result = operation.run(
            app, agents.request(catalogue.offered_tools("full")[tool], CALLS[tool])
        )
        app.close()
        short = compact.compact_answer(operation, result)
        really = size(as_json_values(result)) - size(short.data)
        assert 0.5 * really <= short.saved <= really
