"""Every list comes in pages: `offset`, `limit`, `hasMore`."""

from __future__ import annotations

from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitmem.http import paging, verbs
from tests.http.conftest import Serving
from tests.mcp.conftest import Site


@given(st.lists(st.integers(), max_size=12), st.integers(1, 5), st.booleans())
def test_pages_one_after_the_other_are_the_whole_list(
    items: list[int], limit: int, newest_last: bool
) -> None:
    pages, more = [], True
    while more:
        offset = sum(map(len, pages))
        page, more = paging.slice_page(items, offset, limit, newest_last=newest_last)
        assert len(page) == limit or not more
        pages.append(page)
    assert [*chain(*(reversed(pages) if newest_last else pages))] == items


def test_lists_are_known_by_their_results() -> None:
    lists = {name for name in verbs.served_verbs() if paging.list_field_of_verb(name)}
    assert {"recall", "search", "list", "inbox", "history", "timeline", "session list"} <= lists
    assert {"skill list", "model list", "pattern list", "graph", "cycles"} <= lists
    assert not {"show", "status", "stats", "remember", "forget", "time", "diff"} & lists


@pytest.mark.parametrize("path", ["list", "recall?query=*", "search?query=listens+hour+durable"])
def test_a_list_is_read_page_by_page(server: Serving, path: str) -> None:
    whole = server.get(f"/api/v1/{path}").json
    field = paging.list_field_of_verb(path.partition("?")[0])
    ids = [item.get("id") or item["ref"] for item in whole[field]]
    assert len(ids) >= 2 and whole["hasMore"] is False
    mark, pages, offset, more = "&" if "?" in path else "?", [], 0, True
    while more:
        page = server.get(f"/api/v1/{path}{mark}limit=1&offset={offset}").json
        assert (page["limit"], page["offset"], len(page[field])) == (1, offset, 1)
        pages.append(page[field][0].get("id") or page[field][0]["ref"])
        offset, more = offset + 1, page["hasMore"]
    assert pages == ids


def test_a_verb_that_cannot_skip_is_paged_too(server: Serving, site: Site) -> None:
    for number in range(3):
        site.repo.commit(f"Commit {number}", {"a.txt": str(number)})
    since = "2000-01-01"
    whole = server.get(f"/api/v1/timeline?since={since}").json["entries"]
    page = server.post("/api/v1/timeline", {"since": since, "limit": 2, "offset": 1}).json
    assert page["entries"] == whole[-3:-1] and page["hasMore"] is True
    models = server.get("/api/v1/model/list").json
    assert models["limit"] == len(models["models"]) and models["hasMore"] is False
    second = server.get("/api/v1/model/list?limit=1&offset=1").json
    assert second["models"] == models["models"][1:2]
    wrong = server.get("/api/v1/model/list?offset=-1")
    assert wrong.code == "invalid" and "offset" in wrong.json["error"]["message"]


def test_what_is_no_verb_is_paged(server: Serving) -> None:
    server.post("/api/v1/remember", {"text": "The first write to page"})
    server.post("/api/v1/pin", {"id": ["zzzz"]})
    writes = server.get("/api/v1/audit").json
    assert [entry["verb"] for entry in writes["writes"]] == ["pin", "remember"]
    second = server.get("/api/v1/audit?limit=1&offset=1").json
    assert second["writes"] == writes["writes"][1:] and second["hasMore"] is False
    assert server.get("/api/v1/audit?limit=1").json["hasMore"] is True
    assert server.get("/api/v1/jobs?limit=0").code == "invalid"
    tools = server.get("/tools?limit=3").json
    assert len(tools["tools"]) == 3 and tools["hasMore"] is True
