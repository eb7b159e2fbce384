"""Verbs over HTTP answer as they do on the command line (CT-19, CE-1, ML-40)."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote, urlencode

import pytest

from gitmem import operations
from gitmem.http import paging, verbs
from tests.http.conftest import Serving, serving
from tests.mcp.conftest import Site
from tests.support.cli import Program
from tests.support.repos import RepoBuilder

# Fields that change from one answer to the next.
VOLATILE = {"plan", "now", "at", "age", "caches", "anchor", "seconds_from_now"}


def test_health_tells_nothing_of_the_project(server: Serving, site: Site) -> None:
    answer = server.get("/health")
    assert answer.status == 200 and set(answer.json) == {"status", "version"}
    assert server.get("/readyz").json == {"ready": True}


@pytest.mark.parametrize(
    ("verb", "arguments"),
    [
        ("recall", {"query": "redis port"}),
        ("list", {"limit": "2"}),
        ("search", {"query": "redis"}),
        ("stats", {}),
        ("session list", {}),
        ("model list", {}),
        ("projects", {}),
        ("time", {"expression": "2026-11-21"}),
    ],
)
def test_reading_answers_what_the_command_line_prints(
    server: Serving, site: Site, verb: str, arguments: dict[str, str]
) -> None:
    """By query and by body, with the same fields and values."""
    words = [*verb.split(), "--json"]
    for name, value in arguments.items():
        words += [value] if name in ("query", "expression") else [f"--{name}", value]
    expected = site.gitmem(*words).json
    typed = {n: int(v) if v.isdecimal() else v for n, v in arguments.items()}
    for answer in (
        server.get(f"{verbs.verb_url_path(verb)}?{urlencode(arguments)}"),
        server.post(verbs.verb_url_path(verb), typed),
    ):
        assert answer.status == 200, answer.body
        added = set(paging.FIELDS) if paging.list_field_of_verb(verb) else set()
        assert set(answer.json) == set(expected) | added
        for name in expected.keys() - VOLATILE:
            assert steady(answer.json[name]) == steady(expected[name]), name


def test_the_addresses_of_a_service_of_code(server: Serving) -> None:
    """ML-40: those that the table of features names."""
    for address in ("status", "cycles", "decisions", "search?query=redis&mode=symbol"):
        assert server.get(f"/api/v1/{address}").status == 200, address
    for verb in ("deps", "impact", "decide"):
        assert verb in verbs.verb_url_path(verb)
    assert server.get("/api/v1/symbols").status == 404


def steady(value: Any) -> Any:
    """A value without what each answer changes: uses, and the scores that count them."""
    if isinstance(value, list):
        return [steady(item) for item in value]
    if isinstance(value, dict):
        changing = ("score", "parts", "uses", "accesses", "last_access")
        return {name: steady(item) for name, item in value.items() if name not in changing}
    return value


def test_every_verb_has_a_route_or_says_why_not(server: Serving) -> None:
    listed = {tool["name"]: tool for tool in server.get("/tools").json["tools"]}
    assert listed.keys() | verbs.FOR_A_PERSON == set(operations.PLACES)
    for name in verbs.FOR_A_PERSON:
        answer = server.post(verbs.verb_url_path(name))
        assert answer.status == 403 and answer.code == "forbidden"
        assert f"gitmem {name}" in answer.json["error"]["hint"]


def test_a_write_passes_the_gates_and_names_who_wrote(server: Serving, site: Site) -> None:
    secret = "ghp_" + "a1B2c3D4e5" * 3 + "f6G7h8"
    told = {"text": f"The deploy key is {secret}", "kind": "fact"}
    answer = server.post("/api/v1/remember", told, X_Gitmem_Agent="Deploy Bot")
    assert answer.status == 200, answer.body
    shown = site.gitmem("show", answer.json["id"], "--json").json["memory"]
    assert secret not in str(shown)
    assert shown["agent"] == "deploy-bot" and shown["trust"] != "own"
    unnamed = server.post("/api/v1/remember", {"text": "Unnamed clients are told apart"})
    named = site.gitmem("show", unnamed.json["id"], "--json").json["memory"]["agent"]
    assert named == "http"
    writes = server.get("/api/v1/audit").json["writes"]
    assert [(w["agent"], w["verb"], w["status"]) for w in writes[:2]] == [
        ("http", "remember", 200),
        ("deploy-bot", "remember", 200),
    ]
    assert secret not in str(writes) and "Unnamed" not in str(writes)
    by_verb = server.get("/api/v1/stats?audit=true").json["writes"]
    assert by_verb[:2] == writes[:2] == site.gitmem("stats", "--audit", "--json").json["writes"][:2]
    assert "200  remember         deploy-bot from 127.0.0.1" in site.gitmem("stats", "--audit").out


def test_an_agent_is_given_quotes_as_data(server: Serving) -> None:
    plain = server.get("/api/v1/recall?query=redis").json
    framed = server.get("/api/v1/recall?query=redis", X_Gitmem_Agent="codex").json
    assert set(framed) - set(plain) and "never" in str(framed[(set(framed) - set(plain)).pop()])


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "code"),
    [
        ("GET", "/api/v1/nope", None, 404, "not_found"),
        ("GET", "/nope", None, 404, "not_found"),
        ("PUT", "/api/v1/recall", b"{}", 405, "method_not_allowed"),
        ("GET", "/api/v1/remember?text=x", None, 405, "method_not_allowed"),
        ("POST", "/api/v1/recall", b"{", 400, "invalid"),
        ("POST", "/api/v1/recall", b"[]", 400, "invalid"),
        ("POST", "/api/v1/recall", b"[" * 100_000, 400, "invalid"),
        ("POST", "/api/v1/recall", b'{"query": "x", "nope": 1}', 400, "invalid"),
        ("POST", "/api/v1/recall?query=x", b"{}", 400, "invalid"),
        ("GET", "/api/v1/recall?query=x&limit=many", None, 400, "invalid"),
        ("GET", "/api/v1/recall?query=x&query=y", None, 400, "invalid"),
        ("GET", "/api/v1/recall", None, 400, "invalid"),
        ("GET", "/api/v1/show?id=ZZZZ", None, 404, "not_found"),
        ("GET", "/api/v1/recall?query=x&repo=/nowhere", None, 404, "not_found"),
        ("GET", "/api/v1/recall?query=x&repo=./here", None, 400, "invalid"),
        ("GET", "/api/v1/jobs/none", None, 404, "not_found"),
        ("POST", "/api/v1/recall", b'{"query": "\\ud800"}', 400, "invalid"),
    ],
)
def test_what_is_wrong_is_said_with_its_status(
    server: Serving, method: str, path: str, body: bytes | None, status: int, code: str
) -> None:
    headers = {"Content-Type": "application/json"} if body is not None else {}
    answer = server.send(method, path, body, headers)
    assert (answer.status, answer.code) == (status, code), answer.body
    assert server.get("/health").status == 200


def test_a_form_of_another_site_cannot_write(server: Serving) -> None:
    answer = server.send(
        "POST", "/api/v1/remember", b'{"text": "x"}', {"Content-Type": "text/plain"}
    )
    assert answer.status == 400 and "application/json" in answer.json["error"]["message"]


def test_another_project_is_read_only_where_the_user_lists_it(
    server: Serving, site: Site, tmp_path_factory: pytest.TempPathFactory
) -> None:
    other = RepoBuilder(tmp_path_factory.mktemp("other") / "second", home=site.repo.home)
    other.commit("Begin", {"a.py": "a = 1\n"})
    second = Program(site.repo.home, other.path)
    second("init", "--no-hooks")
    second("remember", "The second project uses sqs")
    route = f"/api/v1/recall?query=sqs&repo={quote(str(other.path))}"
    assert server.get(route).code == "not_found"
    site.gitmem("config", "--user", "mcp.projects", str(other.path))
    assert [m["title"] for m in server.get(route).json["memories"]]
    for name in (str(other.path), "second"):
        assert server.get(f"/api/v1/stats?project={quote(name)}").json["total"] == 1
        assert server.post(f"/api/v1/stats?project={quote(name)}", {}).json["total"] == 1
        assert server.post("/api/v1/stats", {"project": name}).json["total"] == 1
    # There the argument names a sub-project.
    assert server.get("/api/v1/recall?query=sqs&project=second").code == "not_found"
    found = server.get("/api/v1/recall?query=sqs&projects=all").json
    assert len(found["projects"]) == 2
    assert {hit["project"] for hit in found["memories"]} <= set(found["projects"])
    (best, *_) = server.post("/api/v1/search", {"query": "sqs", "projects": ["second"]}).json[
        "hits"
    ]
    assert best["kind"] == "memory" and best["project"] == found["memories"][0]["project"]
    other.path.rename(other.path.with_name("moved"))
    moved = server.get(route)
    assert moved.status == 404 and moved.json["error"]["hint"]
    assert not other.path.exists() and server.get("/readyz").status == 200
    gone = server.get("/api/v1/recall?query=redis&projects=all").json
    assert gone["memories"] and any("left out" in note for note in gone["notes"])


def test_the_list_of_projects_is_changed_in_a_terminal_alone(server: Serving) -> None:
    """ML-40: list and show are served; what decides which projects agents see is a person's."""
    for verb in ("add", "remove", "normalise"):
        answer = server.post(f"/api/v1/projects/{verb}", {})
        assert answer.status == 403 and f"gitmem projects {verb}" in answer.json["error"]["hint"]
    assert server.get("/api/v1/projects").json == server.get("/api/v1/projects/list").json
    assert server.get("/api/v1/projects/show").json["memories"]


def test_a_server_for_reading_writes_nothing(site: Site) -> None:
    with serving(site.path, site.env, ["--read-only"]) as reading:
        answer = reading.post("/api/v1/remember", {"text": "not this"})
        assert answer.status == 403 and answer.code == "forbidden"
        assert reading.get("/api/v1/recall?query=redis").json["memories"]
        described = reading.get("/openapi.json").json["paths"]
        assert "/api/v1/remember" not in described and "/api/v1/recall" in described
        assert all(tool["effect"] == "read" for tool in reading.get("/tools").json["tools"])
    assert not site.gitmem("recall", "not this", "--json").json["memories"]
