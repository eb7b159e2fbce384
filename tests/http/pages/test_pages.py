"""Every page: HTML, data, headers, hostile text, empty states, errors (CT-20, ML-40)."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import quote

import pytest

from gitmem.http.pages import rendering
from gitmem.http.pages.page import Page
from gitmem.http.pages.table import PAGES
from tests.http.conftest import Serving, serving
from tests.http.pages.conftest import Browser, id_of, new_memory
from tests.mcp.conftest import Site, make_site

HOSTILE = "<script>alert(1)</script> \" ' </title> {{ 7 * 7 }}"


def _path(page: Page, site: Site) -> str:
    """An address of a page with something to show."""
    if "{id}" not in page.path:
        return page.path.replace("{path:path}", "src/cart.py")
    if "commits" in page.path:
        return "/commits/" + site.repo.head()
    if "sessions" in page.path:
        site.gitmem("session", "start", "Try the pages")
        listed = site.gitmem("session", "list", "--json").json["sessions"]
        return page.path.replace("{id}", listed[0]["id"])
    return page.path.replace("{id}", id_of(site, "The total starts"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_page_and_its_data(browser: Browser, site: Site, page: Page) -> None:
    path = _path(page, site)
    answer = browser.get(path)
    assert answer.status == 200, browser.text
    assert "<main" in browser.text and "did not work" not in browser.text
    assert answer.headers["content-security-policy"] == rendering.POLICY
    assert answer.headers["referrer-policy"] == "same-origin"  # else forms have no origin
    assert "unsafe" not in rendering.POLICY and "default-src 'none'" in rendering.POLICY
    assert not re.search(
        r"<style|\sstyle=|\son\w+=|<script(?! (?:src=|type=.application/json))|"
        r"(?:src|href|action)=.https?:",
        browser.text,
    )
    assert len(answer.body) < 100_000
    by_header = browser.server.get(path, Accept="application/json")
    assert by_header.status == 200 and isinstance(by_header.json, dict) and by_header.json
    if page.json_address:
        by_address = browser.server.get(
            path.rstrip("/") + ".json" if path != "/" else page.json_address
        )
        assert set(by_address.json) == set(by_header.json)


def test_static_files_are_kept_by_a_browser(browser: Browser) -> None:
    browser.get("/")
    names = re.findall(r'(?:href|src)="(/static/[^"]+)"', browser.text)
    assert len(names) >= 3
    for name in names:
        answer = browser.server.get(name)
        assert answer.status == 200 and "immutable" in answer.headers["cache-control"]
    assert browser.server.get("/static/x/../../page.py").status == 404
    assert browser.server.get("/static/x/nope.css").status == 404


def test_hostile_text_is_shown_as_text(browser: Browser, site: Site) -> None:
    made = site.gitmem(
        "remember", HOSTILE + " " + "w" * 30_000 + "\u202e", "--title", HOSTILE, "--json"
    ).json
    for path in (f"/memories/{made['id']}", f"/memories/{made['id']}/edit", "/memories", "/"):
        browser.get(path)
        assert "<script>alert" not in browser.text and "&lt;script&gt;alert(1)" in browser.text
        assert "{{ 7 * 7 }}" in browser.text and "\u202e" not in browser.text
    browser.get("/memories?q=%3Cscript%3Ealert(1)%3C/script%3E")
    assert "<script>alert" not in browser.text
    browser.get("/nope?q=<script>alert(1)</script>")
    assert "<script>alert" not in browser.text


def test_code_is_shown_then_and_now_with_the_commit_between(browser: Browser, site: Site) -> None:
    browser.get("/memories/" + id_of(site, "The total starts"))
    assert "check first: changed" in browser.text
    assert "total = <del>0</del>" in browser.text and "total = <ins>1</ins>" in browser.text
    assert f"/commits/{site.repo.head()}" in browser.text


def test_the_list_narrows_by_each_facet_and_pages(browser: Browser, site: Site) -> None:
    for number in range(45):
        new_memory(site, f"Fact number {number} of many about shelf {number * 7}")
    first = browser.server.get("/memories.json").json
    assert len(first["memories"]) == 40 and first["pages"]["after"]
    second = browser.server.get("/memories.json?offset=40").json
    assert not {m["id"] for m in first["memories"]} & {m["id"] for m in second["memories"]}
    for query, field, value in (
        ("kind=decision", "kind", "decision"),
        ("state=superseded", "state", "superseded"),
        ("trust=person", "trust", "person"),
        ("layer=project", "layer", "project"),
    ):
        listed = browser.server.get(f"/memories.json?{query}").json["memories"]
        assert listed and {memory[field] for memory in listed} == {value}
    assert browser.server.get("/memories.json?trust=foreign").json["memories"] == []
    assert "Show all memories" in browser.get("/memories?trust=foreign").body.decode()
    hits = browser.server.get("/memories.json?q=which+port+has+redis").json
    assert hits["memories"][0]["title"] == "The port of Redis"


def test_memories_are_counted_by_layer_and_listed_by_use(browser: Browser, site: Site) -> None:
    """CT-20: counts by scope, the top memories, and what was done without asking."""
    first = browser.server.get("/overview.json").json
    listed = site.gitmem("list", "--layer", "project", "-n", "100", "--json").json["total"]
    assert first["by_layer"]["project"] == listed > 0
    browser.get("/")
    assert f"{listed} project</a>" in browser.text
    facets = browser.server.get("/memories.json").json["facets"]
    (layers,) = [facet["values"] for facet in facets if facet["name"] == "layer"]
    assert {each["value"]: each["count"] for each in layers} == first["by_layer"]
    for _ in range(3):
        site.gitmem("recall", "which port has redis", "-n", "1")
    by_use = browser.server.get("/memories.json?order=uses").json["memories"]
    assert by_use[0]["title"] == "The port of Redis"
    assert [row["id"] for row in by_use] != [
        row["id"] for row in browser.server.get("/memories.json").json["memories"]
    ]
    assert "order=uses" in browser.get("/memories").body.decode()
    target, source = (
        new_memory(site, "The ferry sails at nine"),
        new_memory(site, "Ferries sail at nine"),
    )
    site.gitmem("merge", target, source)
    log = browser.server.get("/inbox.json").json["log"]
    assert [(row["kind"], row["target"], row["source"]) for row in log] == [
        ("merge", target, source)
    ]
    assert f"/memories/{target}" in browser.get("/inbox").body.decode()


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/memories/01ZZZZZZZZ", 404),
        ("/memories?offset=many", 400),
        ("/memories?kind=nonsense", 400),
        ("/commits/nonsense", 404),
    ],
)
def test_an_error_is_a_page_with_its_hint(browser: Browser, path: str, status: int) -> None:
    answer = browser.get(path)
    assert answer.status == status and "This did not work" in browser.text
    as_data = browser.server.get(path, Accept="application/json")
    assert as_data.status == status and as_data.json["error"]["message"]


def test_pages_of_an_empty_store_say_how_to_fill_it(tmp_path: Path) -> None:
    site = make_site(tmp_path)
    with serving(site.path, site.env) as server:
        browser = Browser(server)
        for path in ("/", "/memories", "/decisions", "/agents"):
            assert browser.get(path).status == 200, path
            assert '<code class="command">gitmem ' in browser.text, path


def test_without_a_store_a_page_says_what_to_run(tmp_path: Path) -> None:
    site = make_site(tmp_path, init=False)
    with serving(site.path, site.env) as server:
        browser = Browser(server)
        assert browser.get("/memories").status == 404
        assert "gitmem init" in browser.text


def test_looking_counts_neither_as_use_nor_as_a_visit(browser: Browser, site: Site) -> None:
    id = new_memory(site, "Looked at by a person in a browser")
    before = browser.server.get(f"/memories/{id}.json").json["accesses"]
    browser.get(f"/memories/{id}")
    browser.get("/")
    assert browser.server.get(f"/memories/{id}.json").json["accesses"] == before


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("src/cart.py", "/files/src/cart.py"),
        ("why do carts live in redis?", "/ask?q="),
        ("redis port", "/search?q="),
        ("", "/"),
    ],
)
def test_the_question_box_leads_to_what_is_named(server: Serving, text: str, address: str) -> None:
    answer = server.get(f"/go?q={quote(text)}")
    assert answer.status == 303 and answer.headers["location"].startswith(address)


def test_the_question_box_jumps_to_memories_and_commits(server: Serving, site: Site) -> None:
    id, head = id_of(site, "Redis listens"), site.repo.head()
    assert server.get(f"/go?q={id}").headers["location"] == f"/memories/{id}"
    assert server.get(f"/go?q={id[:14].lower()}").headers["location"] == f"/memories/{id}"
    assert server.get(f"/go?q={head[:10]}").headers["location"] == f"/commits/{head}"
