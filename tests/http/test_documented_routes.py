"""Resource routes that other systems document (CT-19, ML-40, CE-1)."""

from __future__ import annotations

import asyncio
import threading

import httpx
import pytest

from gitmem.http import documented_routes, verbs
from gitmem.http.service import HttpService, ServerLimits
from gitmem.mcp.tools import catalogue
from tests.http.conftest import Serving, serving
from tests.mcp.conftest import Site


def test_every_route_is_a_tool_of_the_table_and_no_verb() -> None:
    taken = {verbs.verb_url_path(name) for name in verbs.served_verbs()}
    for _, path, tool in documented_routes.ROUTES:
        assert documented_routes.highest_effect_of_tool(tool) in ("read", "write", "delete")
        assert verbs.PREFIX + path not in taken, path


def test_a_memory_is_made_read_changed_found_and_deleted(server: Serving) -> None:
    made = server.post(
        "/api/v1/memories",
        {"title": "Port", "content": "Valkey listens on 6390", "importance": 0.9, "tags": ["db"]},
    )
    assert made.status == 200, made.body
    id = made.json["memory"]["id"]
    assert made.json["action"] == "created" and made.json["memory"]["importance"] == 0.9
    shown = server.get(f"/api/v1/memories/{id}").json
    assert (shown["content"], shown["tags"]) == ("Valkey listens on 6390", ["db"])
    changed = server.send(
        "PATCH",
        f"/api/v1/memories/{id}",
        b'{"content": "Valkey listens on 6391"}',
        {"Content-Type": "application/json"},
    )
    assert changed.json["content"] == "Valkey listens on 6391"
    found = server.get("/api/v1/memories?query=valkey&limit=5&tags=db").json["results"]
    assert [item["memory"]["id"] for item in found] == [id]
    assert server.send("DELETE", f"/api/v1/memories/{id}").json["id"] == id
    assert not server.get("/api/v1/memories?query=valkey").json["results"]
    writes = [entry["verb"] for entry in server.get("/api/v1/audit").json["writes"]]
    assert writes[:3] == ["delete_memory", "update_memory", "store_memory"]


def test_code_is_asked_by_the_routes_of_memorylayer(server: Serving, site: Site) -> None:
    site.repo.commit(
        "Add", {"lib/one.py": "from lib import two\n", "lib/two.py": "def two(): ...\n"}
    )
    site.gitmem("index")
    assert server.get("/api/v1/dependencies?path=lib/one.py").json["file"] == "lib/one.py"
    assert server.get("/api/v1/circular").status == 200
    assert server.get("/api/v1/symbols/two").json["results"][0]["file"] == "lib/two.py"
    assert server.get("/api/v1/decisions").json["memories"] == []


def test_equal_reads_that_wait_are_run_once(site: Site) -> None:
    """CE-24: by the same agent, with the same arguments."""

    async def main() -> tuple[list[httpx.Response], int]:
        service, go_on = HttpService(str(site.path), ServerLimits(), lambda: "1"), threading.Event()
        transport = httpx.ASGITransport(service.asgi_application())
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
            # The first request also asks which projects the server serves.
            assert (await client.post("/api/v1/status", json={})).status_code == 200
            before = asyncio.ensure_future(service.executor.run_call("", lambda _: go_on.wait(20)))
            posts = [("tools/repo_search", {"query": "redis"}, "")] * 4
            posts += [("tools/repo_search", {"query": "redis"}, "codex")]
            posts += [("recall", {"query": "redis", "limit": limit}, "") for limit in (2, 2, 1)]
            sent = [
                asyncio.ensure_future(
                    client.post(
                        f"/api/v1/{path}", json=arguments, headers={"X-Gitmem-Agent": agent}
                    )
                )
                for path, arguments, agent in posts
            ]
            calls = service.executor.shared
            while sum(call.joined for call in calls._waiting.values()) < 4 and not before.done():
                await asyncio.sleep(0.01)
            go_on.set()
            answers = await asyncio.gather(*sent)
        assert await before
        service.executor.close()
        await service.executor.close_stores_if_idle()
        return answers, service.executor.shared.shared

    with pytest.MonkeyPatch.context() as patch:
        for name, value in site.env.items():
            patch.setenv(name, value)
        answers, shared = asyncio.run(main())
    assert [answer.status_code for answer in answers] == [200] * 8
    assert shared == 4
    assert answers[0].json() == answers[3].json() and answers[0].json()["ok"]


def test_any_tool_can_be_called_by_its_name(server: Serving, site: Site) -> None:
    answer = server.post("/api/v1/tools/search_memories", {"query": "redis"})
    assert answer.json["results"][0]["memory"]["content"] == "Redis listens on 6380"
    assert server.post("/api/v1/tools/no_such_tool").code == "not_found"
    assert server.post("/api/v1/tools/get_memory", {}).code == "invalid"
    with serving(site.path, site.env, ["--read-only"]) as reading:
        refused = reading.post("/api/v1/tools/store_memory", {"title": "x", "content": "y"})
        assert refused.code == "forbidden"
        assert reading.post("/api/v1/tools/search_memories", {"query": "redis"}).status == 200


def test_the_tools_of_the_table_are_all_there() -> None:
    names = {tool for _, _, tool in documented_routes.ROUTES} - {"list_decisions"}
    assert names <= set(catalogue.offered_tools(documented_routes.PROFILE))
