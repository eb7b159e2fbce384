"""Who may ask: Host, Origin, token, size, rate."""

from __future__ import annotations

import asyncio
import socket
from contextlib import ExitStack
from typing import Any

import pytest
import uvicorn
from hypothesis import given
from hypothesis import strategies as st

from gitmem.http import guard, header_timeout
from gitmem.http.answers import RequestRefused
from gitmem.http.guard import RateLimiter
from tests.http.conftest import Serving, serving
from tests.mcp.conftest import Site


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "localhost"}, 200),
        ({"Host": "LOCALHOST:1"}, 200),
        ({"Host": "[::1]:8420"}, 200),
        ({"Host": "evil.example"}, 403),
        ({"Host": "127.0.0.1.evil.example"}, 403),
        ({"Host": "[::1"}, 403),
        ({"Host": ""}, 403),
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "http://localhost:1"}, 403),
    ],
)
def test_a_page_of_another_site_is_refused(
    server: Serving, headers: dict[str, str], status: int
) -> None:
    answer = server.send("GET", "/api/v1/recall?query=redis", headers=headers)
    assert answer.status == status, answer.body
    assert "access-control-allow-origin" not in answer.headers


def test_its_own_origin_and_one_that_was_allowed_may_ask(server: Serving, site: Site) -> None:
    assert server.get("/tools", Origin=server.url).status == 200
    with serving(site.path, site.env, ["--allow-origin", "https://mine.example"]) as open_:
        answer = open_.get("/tools", Origin="https://mine.example")
        assert answer.headers["access-control-allow-origin"] == "https://mine.example"
        assert open_.get("/tools", Origin="https://other.example").status == 403


def test_every_answer_forbids_scripts_and_keeps_an_id(server: Serving) -> None:
    for path in ("/health", "/nope", "/api/v1/recall"):
        answer = server.get(path, X_Request_Id="abc-1")
        assert answer.headers["x-request-id"] == "abc-1"
        assert "default-src 'none'" in answer.headers["content-security-policy"]
        assert answer.headers["x-content-type-options"] == "nosniff"
    assert server.get("/health", X_Request_Id="a b<c").headers["x-request-id"] != "a b<c"


def test_a_token_is_asked_for_everywhere_but_health(site: Site, tmp_path: Any) -> None:
    file = tmp_path / "token"
    with serving(site.path, site.env, ["--token-file", str(file)]) as locked:
        token = locked.process.stderr.readline().rpartition(" ")[2].strip()
        assert len(token) == 64 and token not in file.read_text()
        assert file.stat().st_mode & 0o077 == 0
        assert locked.get("/health").status == 200
        for path in ("/api/v1/recall?query=redis", "/metrics", "/openapi.json", "/mcp", "/sse"):
            assert locked.get(path).status == 401, path
            assert locked.get(path, Authorization="Bearer nope").code == "unauthorized"
        assert locked.get("/metrics", Authorization=f"bearer {token}").status == 200
    with serving(site.path, site.env, ["--token-file", str(file)]) as again:
        assert again.get("/tools", Authorization=f"Bearer {token}").status == 200


def test_a_body_that_is_too_large_is_refused_by_its_length_and_by_its_bytes(
    server: Serving,
) -> None:
    large = {"Content-Length": str(100 << 20), "Content-Type": "application/json"}
    assert server.send("POST", "/api/v1/recall", b"{", large).code == "too_large"
    with socket.create_connection((server.host, server.port), timeout=60) as raw:
        raw.sendall(
            b"POST /api/v1/recall HTTP/1.1\r\nHost: localhost\r\n"
            b"Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
        )
        chunk = b"%x\r\n" % (1 << 20) + b" " * (1 << 20) + b"\r\n"
        try:
            for _ in range(10):
                raw.sendall(chunk)
        except OSError:
            pass  # it has answered, and reads no more
        assert b" 413 " in raw.recv(200)
    assert server.get("/health").status == 200


def test_a_body_that_comes_too_slowly_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "PATIENCE", 0.01)

    async def never() -> guard.Message:
        await asyncio.sleep(30)
        raise AssertionError

    with pytest.raises(RequestRefused) as refused:
        asyncio.run(guard.LimitedRequestBody(never, "")())  # type: ignore[arg-type]
    assert refused.value.code == "timed_out"


def test_a_body_that_comes_in_drops_is_refused_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "PATIENCE", 0.2)

    async def drop() -> dict[str, Any]:
        await asyncio.sleep(0.02)
        return {"type": "http.request", "body": b"x", "more_body": True}

    async def read() -> None:
        receive = guard.LimitedRequestBody(drop, "")  # type: ignore[arg-type]
        for _ in range(500):
            await receive()

    with pytest.raises(RequestRefused, match="did not come in time"):
        asyncio.run(read())


@given(st.lists(st.floats(0, 3), max_size=60), st.floats(0.5, 5))
def test_no_address_gets_more_than_its_rate(pauses: list[float], rate: float) -> None:
    now = 0.0
    limit = RateLimiter(rate, lambda: now)
    passed = 0
    for pause in pauses:
        now += pause
        try:
            limit.count_request("a")
            passed += 1
        except RequestRefused as refused:
            assert refused.code == "too_many"
    assert passed <= rate * (5 + now) + 1


def test_one_address_does_not_use_up_the_rate_of_another() -> None:
    limit = RateLimiter(1.0, lambda: 0.0)
    for _ in range(5):
        limit.count_request("a")
    with pytest.raises(RequestRefused):
        limit.count_request("a")
    limit.count_request("b")


def test_an_address_that_others_reach_needs_a_token(site: Site) -> None:
    refused = site.gitmem("serve", "--host", "0.0.0.0", "--port", "0", status=2)
    assert "--token-file" in refused.err


def test_a_name_that_a_proxy_gives_is_answered_with_a_token(site: Site, tmp_path: Any) -> None:
    refused = site.gitmem("serve", "--port", "0", "--allow-host", "memory.example", status=2)
    assert "--token-file" in refused.err
    token = tmp_path / "token"
    token.write_text("correct horse battery staple")
    for wrong in ("https://memory.example", "memory.example:80", ""):
        said = site.gitmem("serve", "--token-file", str(token), "--allow-host", wrong, status=2)
        assert "is not a host name" in said.err
    options = ["--token-file", str(token), *("--allow-host", "Memory.example")]
    with serving(site.path, site.env, [*options, "--allow-host", "other.example"]) as server:
        bearer = f"Bearer {token.read_text()}"
        for host, status in (
            ("memory.example", 200),
            ("OTHER.example:443", 200),
            ("third.example", 403),
        ):
            sent = {"Host": host, "Authorization": bearer, "Origin": f"https://{host}"}
            assert server.send("GET", "/tools", headers=sent).status == status, host
        forwarded = {"X-Forwarded-For": "203.0.113.9", "Authorization": bearer}
        server.post("/api/v1/remember", {"text": "From afar"}, **forwarded)
        newest = server.get("/api/v1/audit?limit=1", Authorization=bearer).json["writes"][0]
        assert newest["address"] == "203.0.113.9"


def test_without_a_proxy_no_client_names_its_own_address(server: Serving) -> None:
    server.post("/api/v1/remember", {"text": "From here"}, X_Forwarded_For="203.0.113.9")
    newest = server.get("/api/v1/audit?limit=1").json["writes"][0]
    assert newest["address"] == "127.0.0.1"


def test_headers_that_come_too_slowly_are_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(header_timeout, "PATIENCE", 0.3)

    async def application(scope: Any, receive: Any, send: Any) -> None:
        await asyncio.sleep(0.5)  # an answer may take longer than headers
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body"})

    async def ask() -> None:
        config = uvicorn.Config(
            application,
            http=header_timeout.HeaderTimeoutProtocol,
            lifespan="off",
            log_level="critical",
        )
        config.load()
        state = uvicorn.server.ServerState()
        listening = await asyncio.get_running_loop().create_server(
            lambda: header_timeout.HeaderTimeoutProtocol(config, state, {}), "127.0.0.1", 0
        )
        port = listening.sockets[0].getsockname()[1]
        for sent in (b"", b"GET / HTTP/1.1\r\nHost: a\r\n"):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(sent)
            assert await asyncio.wait_for(reader.read(), 30) == b""
            writer.close()
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        for _ in range(2):
            writer.write(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            assert b" 204 " in await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 30)
        writer.close()
        listening.close()

    asyncio.run(ask())


def test_many_slow_clients_hold_up_no_other(server: Serving) -> None:
    with ExitStack() as slow:
        for number in range(200):
            raw = socket.create_connection((server.host, server.port), timeout=60)
            slow.enter_context(raw)
            raw.sendall(
                b"GET /health HTTP/1.1\r\nHost:"
                if number % 2
                else b"POST /api/v1/recall HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n"
                b"Content-Type: application/json\r\n\r\n{"
            )
        assert server.get("/api/v1/recall?query=redis").status == 200
