"""The pages with pictures and those of upkeep, as a browser gets them from a real server."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from urllib.parse import quote, urlencode

import pytest

from gitmem.charts import static_assets
from tests.http.conftest import Answer, Serving, serving
from tests.mcp.conftest import Site, make_site
from tests.support.tables import table

HOSTILE = "<script>alert(1)</script>\u202e<img src=x onerror=alert(2)>"
STRANGE = "src/<b>&'\".py"
LONG = "x" * 15_000
LARGEST = 100_000
PAGES = (
    "/timeline",
    "/timeline?since=all",
    "/map",
    "/map?by=stale",
    "/map?by=owner&path=src",
    "/map?by=hot",
    f"/files/{quote(STRANGE)}",
    "/files/README.md",
    "/search",
    "/search?q=alert",
    "/search?q=alert&show=context&budget=500",
    "/agents?since=all",
    "/doctor",
    "/jobs",
    "/projects",
    "/settings",
)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    """A repository in which every name and text is hostile."""
    made = make_site(tmp_path_factory.mktemp("pictures"))
    made.repo.commit(
        f"Subject {HOSTILE}",
        {STRANGE: "import os\n\n\ndef alert():\n    return os\n", "src/user.py": "x = 1\n"},
        author="Eve & 'Co' Ltd <eve@example.com>",
    )
    made.gitmem("index")
    made.gitmem("remember", f"Fact {HOSTILE}", "--path", f"{STRANGE}:4-5", "--agent", "<u>bot</u>")
    made.gitmem("remember", f"Long {LONG}", "--path", STRANGE)
    made.gitmem("decide", f"Decide {HOSTILE}", "--why", HOSTILE, "--path", "src")
    return made


@pytest.fixture(scope="module")
def server(site: Site) -> Iterator[Serving]:
    with serving(site.path, site.env) as running:
        yield running


def page(server: Serving, path: str) -> str:
    """The HTML of a page that must be there."""
    answer = server.get(path, Accept="text/html")
    text = answer.body.decode()
    assert answer.status == 200, (path, text[:3000])
    assert answer.headers["content-type"].startswith("text/html")
    return text


def data(server: Serving, path: str) -> dict[str, object]:
    answer = server.get(path, Accept="application/json")
    assert answer.status == 200, answer.body
    found: dict[str, object] = answer.json
    return found


def block(text: str, id: str) -> dict[str, object]:
    """The data of a picture in a page."""
    match = re.search(rf'<script type="application/json" id="{id}">(.*?)</script>', text, re.S)
    assert match, text[:2000]
    found: dict[str, object] = json.loads(match[1])
    return found


def send(server: Serving, at: str, action: str, **fields: str) -> Answer:
    """Send a form as the browser does that opened the server's address and the page ``at``."""
    opened = server.get(server.opened).headers["set-cookie"].partition(";")[0]
    answer = server.get(at, Accept="text/html", Cookie=opened)
    cookie = answer.headers["set-cookie"].partition(";")[0] + "; " + opened
    token = re.search(r'name="form_token" value="([^"]+)"', answer.body.decode())
    assert token
    body = urlencode({"form_token": token[1], "next": at, **fields}).encode()
    kind = "application/x-www-form-urlencoded"
    headers = {"Content-Type": kind, "Cookie": cookie, "Accept": "text/html"}
    return server.send("POST", action, body, headers)


@table("path", PAGES)
def test_hostile_text_stays_text_on_a_small_page_under_a_strict_policy(
    server: Serving, path: str
) -> None:
    """CT-20."""
    answer = server.get(path, Accept="text/html")
    text = answer.body.decode()
    assert answer.status == 200, text[:3000]
    policy = answer.headers["content-security-policy"]
    assert "unsafe" not in policy and "default-src 'none'" in policy
    assert len(answer.body) <= LARGEST
    for markup in ("<script>alert", "<img src=x", "<b>&", "<u>bot", "\u202e", " style="):
        assert markup not in text
    scripts = re.findall(r"<script[^>]*>", text)
    assert all("src=" in tag or 'type="application/json"' in tag for tag in scripts)


@table("path", PAGES)
def test_the_same_address_gives_the_data(server: Serving, path: str) -> None:
    assert data(server, path)


def test_only_pages_with_pictures_load_the_library_which_a_browser_keeps(server: Serving) -> None:
    with_pictures = {path for path in PAGES if "echarts" in page(server, path)}
    assert with_pictures == {
        path for path in PAGES if re.match("/(timeline|map|files|doctor)", path)
    }
    (address,) = re.findall(r'src="(/static/\w+/echarts.min.js)"', page(server, "/map"))
    answer = server.get(address)
    assert answer.body == (static_assets.FOLDER / "echarts.min.js").read_bytes()
    assert "immutable" in answer.headers["cache-control"]
    assert server.get("/static/x/echarts.LICENSE").status == 404


def test_the_timeline_has_a_picture_a_list_and_filters(server: Serving) -> None:
    text = page(server, "/timeline?since=all")
    picture = block(text, "timeline")
    rows = {row["name"]: row["total"] for row in picture["rows"]}  # type: ignore[attr-defined]
    assert rows == {"commits": 3, "sessions": 0, "decisions": 1, "memories": 2}
    assert text.count("data-row") == 6
    found = data(server, "/timeline.json?since=all&path=src")
    assert found["left_out"] == ["sessions"]
    assert {event["type"] for event in found["events"]} == {"commit", "decision", "memory"}  # type: ignore[attr-defined]
    assert "Nothing happened in this time" in page(server, "/timeline?since=all&author=nobody")
    assert server.get("/timeline?since=1d&until=2d", Accept="text/html").status == 400


def test_the_map_leads_to_files_and_folders(server: Serving) -> None:
    picture = block(page(server, "/map"), "map")
    (src,) = [node for node in picture["nodes"] if node["name"] == "src"]  # type: ignore[attr-defined]
    assert src["href"] == "/map?path=src"
    hostile = next(
        node for node in src["nodes"] if "alert" not in node["name"] and "&" in node["name"]
    )
    assert hostile["href"] == f"/files/{quote(STRANGE)}" and hostile["sign"] == "2"
    listed = data(server, "/map.json?by=stale&path=src")["files"]
    assert next(iter(listed))["path"] == STRANGE  # type: ignore[attr-defined]
    wrong = server.get("/map?by=size", Accept="text/html")
    assert wrong.status == 400 and "remembered" in wrong.body.decode()
    assert "There are no indexed files in" in page(server, "/map?path=nowhere")


def test_a_file_shows_its_memories_and_its_lines_with_the_cited_ones_marked(
    server: Serving,
) -> None:
    text = page(server, f"/files/{quote(STRANGE)}")
    assert text.count('class="cited"') == 2 and 'id="L4" class="cited"' in text
    assert "changed by 1 commit" in text and "Eve &amp; &#39;Co&#39; Ltd" in text
    found = data(server, f"/files/{quote(STRANGE)}?format=json")
    assert len(found["memories"]) == 2  # type: ignore[arg-type]
    missing = server.get("/files/src/usr.py", Accept="text/html")
    assert missing.status == 404 and "There is no file src/usr.py here." in missing.body.decode()


def test_a_long_file_comes_in_pages_of_lines(site: Site, server: Serving) -> None:
    site.repo.write({"long.txt": "".join(f"line {number}\n" for number in range(1, 1201))})
    first = page(server, "/files/long.txt")
    assert 'id="L400"' in first and 'id="L401"' not in first
    assert 'href="/files/long.txt?from=401"' in first
    last = page(server, "/files/long.txt?from=1101")
    assert "line 1200" in last and "Later lines" not in last and "Earlier lines" in last


def test_each_hit_says_why_and_the_context_is_what_an_agent_gets(
    site: Site, server: Serving
) -> None:
    found = data(server, "/search.json?q=alert")
    hits = found["hits"]
    assert hits and all(hit["why"] and hit["href"] for hit in hits)  # type: ignore[attr-defined]
    code = data(server, "/search.json?q=alert&in=code")["hits"]
    assert {hit["kind"] for hit in code} == {"code"}  # type: ignore[attr-defined]
    context = data(server, "/search.json?q=alert&show=context&budget=300")["context"]
    words = ("context", "alert", "--max-tokens", "300", "--json")
    assert context["context"] == site.gitmem(*words).json["context"]  # type: ignore[index]
    assert "of 300 tokens" in page(server, "/search?q=alert&show=context&budget=300")


def test_the_checks_need_a_form_of_ours_and_name_a_remedy(server: Serving) -> None:
    plain = {"Content-Type": "application/x-www-form-urlencoded"}
    assert server.send("POST", "/do/check", b"", plain).status == 403
    answer = send(server, "/doctor", "/do/check")
    text = answer.body.decode()
    assert answer.status == 200 and "What the checks found" in text
    assert 'action="/do/backup"' in text and "Make a backup" in text
    made = send(server, "/doctor", "/do/backup")
    assert made.status == 303
    shown = page(server, made.headers["location"])
    assert "Made a backup" in shown and "1 backup, the last" in shown


def test_repair_repairs_and_says_so(site: Site, server: Serving) -> None:
    store = site.path / ".gitmem" / "memory.db"
    store.chmod(0o644)
    assert 'action="/do/repair"' in send(server, "/doctor", "/do/check").body.decode()
    assert "✓ repaired permissions" in send(server, "/doctor", "/do/repair").body.decode()
    assert store.stat().st_mode & 0o777 == 0o600


def test_an_index_run_is_a_job_that_the_page_shows(server: Serving) -> None:
    begun = send(server, "/jobs", "/do/index")
    assert begun.status == 303 and begun.headers["location"].startswith("/jobs?did=")
    until = time.monotonic() + 60
    while time.monotonic() < until and "✓ done" not in page(server, "/jobs"):
        time.sleep(0.1)
    (job,) = data(server, "/jobs.json")["jobs"]  # type: ignore[misc]
    assert job["verb"] == "index" and job["state"] == "done"  # type: ignore[index]
    assert "data-running" not in page(server, "/jobs")
    gone = send(server, "/doctor", "/jobs/01M0/cancel")
    assert gone.status == 404
    cancelled = send(server, "/doctor", f"/jobs/{job['id']}/cancel")  # type: ignore[index]
    assert cancelled.status == 303  # it has ended: nothing to stop, and no harm


def test_projects_and_settings_say_where_from(site: Site, server: Serving) -> None:
    assert str(site.path.name) in page(server, "/projects").replace("<wbr>", "")
    rows = data(server, "/settings.json")["set"]
    assert all(row["source"] != "default" for row in rows)  # type: ignore[attr-defined]


def test_a_server_that_only_reads_has_no_buttons(site: Site) -> None:
    with serving(site.path, site.env, ["--read-only"]) as running:
        for path in ("/doctor", "/jobs"):
            assert 'method="post"' not in page(running, path)
        assert "gitmem doctor" in page(running, "/doctor")


def test_an_empty_project_says_what_to_do(tmp_path_factory: pytest.TempPathFactory) -> None:
    empty = make_site(tmp_path_factory.mktemp("empty"))
    with serving(empty.path, empty.env) as running:
        assert "No memory cites code yet" in page(running, "/doctor")
        assert "Nothing runs" in page(running, "/jobs")
        assert "searched by words and by meaning" in page(running, "/search")
        page(running, "/timeline")
        page(running, "/map")
