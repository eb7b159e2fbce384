"""What a hostile page, client or neighbour sends to `gitmem serve` is refused or inert (S-24)."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest

from gitmem.http import verbs
from tests.http.conftest import Serving, serving
from tests.mcp.conftest import Site, make_site
from tests.reliability.scoring import Score

SCRIPTS = (
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    '"><svg onload=alert(1)>',
    "javascript:alert(1)",
    "</title><script>1</script>",
    "{{7*7}}${7*7}<%= 7*7 %>",
    "\u202e<b>reversed</b>",
    "\x1b[2J\x1b]0;title\x07",
    "\r\nSet-Cookie: a=b",
    "<!--#exec cmd=id-->",
)
PATHS = (
    "/../../etc/passwd",
    "/%2e%2e/%2e%2e/etc/passwd",
    "/api/v1/../../../etc/passwd",
    "/api/v1/file?path=/etc/passwd",
    "/api/v1/file?path=../../../../etc/passwd",
    "/api/v1/file?path=.git/config",
    "/api/v1/summary?path=" + "../" * 40,
    "/api/v1/recall?query=x&repo=/etc",
    "/api/v1/recall?query=x&repo=..",
    "/api/v1/diff?commit=--output=/tmp/x",
    "/api/v1/why?target=-%2Fetc%2Fpasswd",
    "/api/v1/show?id=" + "A" * 5000,
)
# Parts of requests that are none, each as a client without scruples would send it.
RAW = (
    b"GET / HTTP/9.9\r\nHost: localhost\r\n\r\n",
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    b"GET /health HTTP/1.1\r\n\r\n",
    b"GET /health HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n",
    b"GET /health HTTP/1.1\r\nHost : localhost\r\n\r\n",
    b"POST /api/v1/remember HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n",
    b"POST /api/v1/remember HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n"
    b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
    b"GET /health HTTP/1.1\r\nHost: localhost\r\n" + b"X: y\r\n" * 20_000 + b"\r\n",
)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    made = make_site(tmp_path_factory.mktemp("hostile"))
    made.gitmem("remember", "Redis listens on 6380")
    return made


@pytest.fixture(scope="module")
def server(site: Site) -> Iterator[Serving]:
    with serving(site.path, site.env) as running:
        yield running


def test_pages_of_others_get_nothing(server: Serving, score: Score) -> None:
    hosts = (
        "evil.example",
        "localhost.evil.example",
        "169.254.169.254",
        "0x7f.1",
        "[::ffff:1]",
        "",
    )
    origins = ("https://evil.example", "null", "http://localhost:1", "file://", "http://[")
    tried = 0
    for headers in (*({"Host": h} for h in hosts), *({"Origin": o} for o in origins)):
        for method, body in (("GET", None), ("POST", b'{"text": "planted"}'), ("OPTIONS", None)):
            path = "/api/v1/remember" if method == "POST" else "/api/v1/recall?query=redis"
            named = {"Content-Type": "application/json", **headers}
            answer = server.send(method, path, body, named)
            assert answer.status == 403, (headers, method, answer.body)
            assert b"6380" not in answer.body
            tried += 1
    assert not server.get("/api/v1/recall?query=planted").json["memories"]
    score.report("requests of other pages", cases=tried, fired=tried)


def test_scripts_in_every_field_are_text(server: Serving, score: Score) -> None:
    tried = 0
    for script in SCRIPTS:
        fields = {"text": f"port {script}", "title": script, "tag": [script], "author": script}
        saved = server.post("/api/v1/remember", fields, X_Gitmem_Agent="bot")
        answers = [saved, server.get(f"/api/v1/recall?query={quote(script)}")]
        answers.append(server.get(f"/{quote(script)}"))
        answers.append(server.get(f"/api/v1/show?id={quote(script)}"))
        for answer in answers:
            assert answer.headers["content-type"] == "application/json"
            assert answer.headers["x-content-type-options"] == "nosniff"
            assert "default-src 'none'" in answer.headers["content-security-policy"]
            assert "set-cookie" not in answer.headers
            json.loads(answer.body)
            tried += 1
    score.report("scripts in fields and paths", cases=tried, fired=tried)


def test_nothing_outside_is_read_or_written(
    server: Serving, site: Site, tmp_path: Path, score: Score
) -> None:
    for path in PATHS:
        answer = server.get(path)
        assert answer.status in (400, 403, 404), (path, answer.status, answer.body[:200])
        assert b"root:" not in answer.body
    aim = tmp_path / "outside"
    written = (
        ("export", {"target": str(aim)}),
        ("backup", {"target": str(aim)}),
        ("skill/export", {"to": str(aim)}),
        ("adr/export", {"folder": [str(aim)]}),
        ("import", {"source": "/etc/passwd"}),
        ("remember", {"text": "-"}),
    )
    for verb, body in written:
        answer = server.post(f"/api/v1/{verb}", body)
        assert b"root:" not in answer.body, verb
    assert not aim.exists()
    tried = len(PATHS) + len(written)
    score.report("paths that lead outside", cases=tried, fired=tried)


def test_what_a_person_decides_is_not_served(server: Serving, site: Site, score: Score) -> None:
    before = site.gitmem("config", "--json").json
    for name in verbs.FOR_A_PERSON:
        for method in ("GET", "POST", "PUT", "DELETE"):
            answer = server.send(
                method, verbs.verb_url_path(name), b"{}", {"Content-Type": "application/json"}
            )
            assert answer.status in (403, 405), (name, method)
    assert site.gitmem("config", "--json").json == before
    tried = 4 * len(verbs.FOR_A_PERSON)
    score.report("verbs for a person", cases=tried, fired=tried)


def test_what_is_no_request_is_answered_or_dropped(server: Serving, score: Score) -> None:
    for sent in RAW:
        with socket.create_connection((server.host, server.port), timeout=30) as raw:
            raw.settimeout(5)
            try:
                raw.sendall(sent)
                raw.shutdown(socket.SHUT_WR)
                answer = raw.recv(4000)
            except OSError:
                answer = b""
        assert not answer or answer.split()[1] in (b"400", b"403", b"404", b"413", b"431"), sent[
            :60
        ]
        assert b"Traceback" not in answer
        assert server.get("/health").status == 200
    score.report("broken requests", cases=len(RAW), fired=len(RAW))


def test_a_reading_token_less_stranger_writes_nothing(
    site: Site, tmp_path: Path, score: Score
) -> None:
    with serving(site.path, site.env, ["--token-file", str(tmp_path / "token")]) as locked:
        tried = 0
        for name in verbs.served_verbs():
            answer = locked.post(verbs.verb_url_path(name), {}, Authorization="Bearer " + "0" * 64)
            assert answer.status == 401, name
            tried += 1
        for path in ("/api/v1/jobs", "/api/v1/audit", "/api/v1/tools/store_memory", "/mcp", "/sse"):
            assert locked.post(path, {}).status == 401, path
            tried += 1
    score.report("requests with a wrong token", cases=tried, fired=tried)
