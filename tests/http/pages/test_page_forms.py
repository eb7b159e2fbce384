"""Every form: what it does, its undo, who may send it, and two people at once (CT-25, CE-35)."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gitmem.http.pages.table import ACTIONS
from tests.http.conftest import Serving, serving
from tests.http.pages.conftest import Browser, done_line, id_of, new_memory
from tests.mcp.conftest import Site, make_site


def _token(browser: Browser) -> list[tuple[str, str]]:
    """The token of the forms on the page."""
    return [field for _, form in browser.forms() for field in form if field[0] == "form_token"][:1]


def _undo(browser: Browser) -> str:
    return next(to for to, _ in browser.forms() if to.startswith("/undo/"))


def _waiting(browser: Browser) -> set[str]:
    return {item["id"] for item in browser.server.get("/inbox.json").json["items"]}


def _shown(site: Site, id: str) -> dict[str, object]:
    memory: dict[str, object] = site.gitmem("show", id, "--json").json["memory"]
    return memory


@pytest.mark.parametrize(
    ("action", "field", "after"),
    [("pin", "pinned", True), ("archive", "state", "archived"), ("promote", "layer", "global")],
)
def test_one_click_changes_a_memory_and_another_undoes_it(
    browser: Browser, site: Site, action: str, field: str, after: object
) -> None:
    id = new_memory(site, f"To be changed by the form {action}")
    before = _shown(site, id)[field]
    browser.get(f"/memories/{id}")
    browser.send(f"/do/{action}", id=id)
    assert browser.page.status == 200 and done_line(browser)
    assert _shown(site, id)[field] == after != before
    undo = _undo(browser)
    browser.send(undo)
    assert done_line(browser).startswith("Undone")
    assert _shown(site, id)[field] == before
    assert browser.post(undo, browser.forms()[-1][1]).status in (400, 403)  # only once


def test_several_at_once_are_changed_and_undone(browser: Browser, site: Site) -> None:
    ids = [new_memory(site, f"Of several memories the number {n} on shelf {n}") for n in range(3)]
    browser.get("/memories")
    token = dict(next(fields for to, fields in browser.forms() if to == "/do/pin"))
    browser.post("/do/archive", [*token.items(), *(("id", id) for id in ids)])
    assert done_line(browser) == "Archived 3 memories."
    assert {_shown(site, id)["state"] for id in ids} == {"archived"}
    browser.send(_undo(browser))
    assert {_shown(site, id)["state"] for id in ids} == {"active"}
    browser.get("/memories")
    browser.post("/do/pin", [*token.items()])
    assert browser.page.status == 400 and "No memory was chosen" in browser.text


def test_an_edit_is_a_persons_and_is_undone(browser: Browser, site: Site) -> None:
    id = new_memory(site, "The queue is durable")
    browser.get(f"/memories/{id}/edit")
    browser.send("/do/revise", text="The queue is not durable\r\nat all", kind="fix", weight="5")
    shown = _shown(site, id)
    assert (shown["content"], shown["kind"]) == ("The queue is not durable\nat all", "fix")
    assert shown["weight"] == 5 and shown["trust"] == "person"
    last = site.gitmem("history", id, "--json").json["versions"][-1]
    assert last["agent"] == ""
    browser.send(_undo(browser))
    shown = _shown(site, id)
    assert (shown["content"], shown["kind"]) == ("The queue is durable", "note")
    writes = browser.server.get("/api/v1/audit").json["writes"]
    assert (writes[0]["verb"], writes[0]["agent"], writes[0]["status"]) == ("revise", "", 200)


def test_an_edit_of_what_was_changed_meanwhile_shows_both_and_loses_nothing(
    browser: Browser, site: Site
) -> None:
    id = new_memory(site, "Deploys run on Monday")
    browser.get(f"/memories/{id}/edit")
    site.gitmem("revise", id, "Deploys run on Tuesday")
    answer = browser.send("/do/revise", text="Deploys run on Friday")
    assert answer.status == 409
    assert "Deploys run on Tuesday" in browser.text and "Deploys run on Friday" in browser.text
    assert _shown(site, id)["content"] == "Deploys run on Tuesday"
    browser.send("/do/revise")  # now over the version that was shown
    assert _shown(site, id)["content"] == "Deploys run on Friday"
    assert _shown(site, id)["kind"] == "note"


def test_an_undo_of_what_was_changed_meanwhile_is_refused(browser: Browser, site: Site) -> None:
    id = new_memory(site, "Backups run at night")
    browser.get(f"/memories/{id}/edit")
    browser.send("/do/revise", text="Backups run at noon")
    site.gitmem("revise", id, "Backups run at dawn")
    browser.send(_undo(browser))
    assert browser.page.status == 409
    assert _shown(site, id)["content"] == "Backups run at dawn"


def test_what_an_agent_proposed_is_accepted_by_the_person(browser: Browser, site: Site) -> None:
    site.gitmem.env["GITMEM_AGENT"] = "codex"
    try:
        site.gitmem("promote", new_memory(site, "Every project pins its tools"), "--to", "global")
    finally:
        del site.gitmem.env["GITMEM_AGENT"]
    browser.get("/inbox")
    assert "Every project pins its tools" in browser.text
    waiting = browser.server.get("/inbox.json").json["items"]
    (item,) = [each for each in waiting if "pins its tools" in each["title"]]
    for back in ("/undo/", "the command line"):
        browser.get("/inbox")
        browser.post("/do/reject", [("id", item["id"]), *_token(browser)])
        assert item["id"] not in _waiting(browser)
        if back == "/undo/":
            browser.send(_undo(browser))
        else:
            site.gitmem("inbox", "undo", item["id"])
        assert item["id"] in _waiting(browser)
    browser.get("/inbox")
    assert "Accept for every project" in browser.text
    browser.post(
        "/do/accept", [("id", item["id"]), ("everywhere", item["memory"]), *_token(browser)]
    )
    assert _shown(site, item["memory"])["layer"] == "global"
    browser.send(_undo(browser))
    assert _shown(site, item["memory"])["layer"] == "project"


def test_a_pair_is_shown_side_by_side_and_decided(browser: Browser, site: Site) -> None:
    old = new_memory(site, "The cart service listens on port 8080 in production")
    new = new_memory(site, "The cart service does not listen on port 8080 in production")
    pairs = [i for i in browser.server.get("/inbox.json").json["items"] if i["other"] in (old, new)]
    assert pairs, "the two say the opposite"
    browser.get("/inbox")
    assert '<div class="pair">' in browser.text and "<ins>" in browser.text
    browser.post("/do/accept", [("id", pairs[0]["id"]), *_token(browser)])
    states = {_shown(site, id)["state"] for id in (old, new)}
    assert states == {"active", "superseded"}
    browser.get("/inbox?decided=1")
    browser.post("/do/take-back", [("id", pairs[0]["id"]), *_token(browser)])
    assert {_shown(site, id)["state"] for id in (old, new)} == {"active"}


def test_a_stale_memory_is_accepted_or_corrected_from_its_page(tmp_path: Path) -> None:
    site = make_site(tmp_path)
    ids = [
        site.gitmem("remember", f"{word} is one", "--anchor", "src/cart.py:1", "--json").json["id"]
        for word in ("The first x", "Another number")
    ]
    site.repo.commit("Two", {"src/cart.py": "y = 2222\n"})
    site.gitmem("verify")
    with serving(site.path, site.env) as server:
        browser = Browser(server)
        browser.get("/stale")
        assert "The first x is one" in browser.text
        browser.get(f"/memories/{ids[0]}")
        browser.send("/do/accept-code")
        assert done_line(browser).startswith("1 memory cites the code as it is now")
        browser.get(f"/memories/{ids[1]}")
        browser.send("/do/correct", text="The number is two")
        assert _shown(site, ids[1])["content"] == "The number is two"
        assert server.get("/stale.json").json["items"] == []


def test_decisions_are_exported_as_records(browser: Browser, site: Site) -> None:
    browser.get("/decisions")
    browser.send("/do/export-decisions", folder="docs/adr")
    assert done_line(browser).startswith("Wrote")
    assert any("Redis" in path.read_text() for path in (site.path / "docs/adr").iterdir())


@pytest.mark.parametrize("action", [*ACTIONS])
def test_no_form_is_taken_without_its_token(browser: Browser, site: Site, action: str) -> None:
    id = id_of(site, "Redis listens")
    before = _shown(site, id)
    fields = [("id", id), ("text", "Written by a stranger"), ("version", "1"), ("text?", "1")]
    browser.get("/")
    for token in ([], [("form_token", "")], [("form_token", "0" * 64)]):
        assert browser.post(f"/do/{action}", fields + token).status == 403
        assert "Written by a stranger" in browser.text  # nothing lost
    other = Browser(browser.server)
    other.get(f"/memories/{id}/edit")
    token = [(n, v) for _, form in other.forms() for n, v in form if n == "form_token"][:1]
    assert browser.post(f"/do/{action}", fields + token).status == 403
    after = _shown(site, id)
    assert {**after, "accesses": 0} == {**before, "accesses": 0}


def test_a_form_of_another_origin_or_type_is_refused(browser: Browser, site: Site) -> None:
    browser.get("/")
    cookie = "; ".join(f"{k}={v}" for k, v in browser.cookies.items())
    for headers, status in (
        ({"Origin": "http://evil.example"}, 403),
        ({"Content-Type": "text/plain"}, 400),
        ({"Content-Type": "application/json"}, 400),
    ):
        sent = {"Cookie": cookie, "Content-Type": "application/x-www-form-urlencoded", **headers}
        assert browser.server.send("POST", "/do/pin", b"id=x", sent).status == status


def test_the_cookie_is_out_of_reach_of_scripts_and_other_sites(server: Serving) -> None:
    cookie = server.get("/", Accept="text/html").headers["set-cookie"]
    assert "HttpOnly" in cookie and "SameSite=strict" in cookie
    assert str(server.port) in cookie.partition("=")[0]


def test_a_form_goes_on_to_this_server_only(browser: Browser, site: Site) -> None:
    id = new_memory(site, "Where a form leads to")
    for target in ("//evil.example", "https://evil.example", "/\\evil.example", "evil"):
        browser.get(f"/memories/{id}")
        browser.send("/do/pin" if "/do/pin" in browser.text else "/do/unpin", next=target)
        assert browser.at.startswith("/?did=")


def test_a_server_that_reads_offers_no_forms_and_takes_none(site: Site) -> None:
    id = id_of(site, "The total starts")
    with serving(site.path, site.env, ["--read-only"]) as server:
        browser = Browser(server)
        for path in ("/", "/memories", f"/memories/{id}", f"/memories/{id}/edit", "/inbox"):
            assert browser.get(path).status == 200, (path, browser.text)
            assert not [to for to, _ in browser.forms() if to.startswith(("/do/", "/undo/"))]
            assert "This server only reads" in browser.text
        browser.get("/login")
        token = [(n, v) for _, form in browser.forms() for n, v in form if n == "form_token"]
        assert browser.post("/do/pin", [("id", id), *token]).status == 403


def test_a_server_that_an_agent_started_stays_the_agents(tmp_path: Path) -> None:
    site = make_site(tmp_path)
    id = new_memory(site, "Said by a person")
    with serving(site.path, {**site.env, "GITMEM_AGENT": "codex"}) as server:
        browser = Browser(server)
        browser.get(f"/memories/{id}/edit")
        assert browser.send("/do/revise", text="Said by an agent").status == 409
    assert _shown(site, id)["content"] == "Said by a person"


def test_a_server_with_a_token_asks_for_it_and_keeps_it_in_no_cookie(tmp_path: Path) -> None:
    site = make_site(tmp_path)
    token = "correct horse battery staple"
    file = tmp_path / "token"
    file.write_text(token)
    with serving(site.path, site.env, ["--token-file", str(file)]) as server:
        browser = Browser(server, opened=False)
        assert server.get("/memories.json").status == 401
        assert server.get("/memories.json", Authorization=f"Bearer {token}").status == 200
        assert server.get("/api/v1/list").status == 401
        browser.get("/memories?kind=note")
        assert browser.at == "/login?next=%2Fmemories%3Fkind%3Dnote"
        assert browser.send("/login", token="wrong").status == 401
        browser.send("/login", token=token)
        assert browser.at == "/memories?kind=note" and browser.page.status == 200
        assert token not in str(browser.cookies)
        # The cookie opens pages, not the API.
        cookie = "; ".join(f"{k}={v}" for k, v in browser.cookies.items())
        assert server.get("/api/v1/list", Cookie=cookie).status == 401


def test_a_call_of_the_api_is_tried_with_its_form(browser: Browser, site: Site) -> None:
    browser.get("/try?verb=recall&run=1&query=redis+port&limit=1")
    assert browser.page.status == 200 and "Redis listens on 6380" in browser.text
    assert (
        "--json &#39;{&#34;query&#34;: &#34;redis port&#34;, &#34;limit&#34;: 1}&#39;"
        in browser.text
    )
    assert browser.get("/try?verb=recall&run=1&query=x&limit=many").status == 400
    assert browser.get("/try?verb=purge").status == 404
    browser.get("/try?verb=remember&run=1&text=Not+by+GET")
    browser.send("/do/try", **{"a.text": "Tried in a browser", "a.tag": "one\ntwo"})
    assert browser.page.status == 200 and "added" in browser.text
    listed = site.gitmem("list", "--tag", "two", "--json").json["memories"]
    assert [memory["content"] for memory in listed] == ["Tried in a browser"]
    assert "Not by GET" not in str(site.gitmem("list", "--limit", "1000", "--json").json)


def test_only_who_started_the_server_changes_something_on_its_pages(
    site: Site, server: Serving
) -> None:
    """Any program of this machine can read the pages and the tokens of their forms."""
    stranger, person = Browser(server, opened=False), Browser(server)
    id = new_memory(site, "Not for a stranger to pin")
    person.get(f"/memories/{id}")
    assert stranger.get(f"/memories/{id}").status == 200
    assert "/do/" not in stranger.text and "printed" in stranger.text
    fields = next(fields for to, fields in person.forms() if to == "/do/pin")
    token = re.search(r'name="form_token" value="(\w+)"', stranger.text)
    sent = [*(f for f in fields if f[0] != "form_token"), ("form_token", token[1] if token else "")]
    assert stranger.post("/do/pin", sent).status == 403
    assert "change nothing" in stranger.text
    assert stranger.get("/open/" + "0" * 32).status == 403
    assert stranger.get(f"/memories/{id}").status == 200 and "/do/" not in stranger.text
    assert not server.get(f"/memories/{id}.json").json["memory"]["pinned"]
    assert person.send("/do/pin").status == 200
    assert server.get(f"/memories/{id}.json").json["memory"]["pinned"]
