"""The process: its address, its end, two at once, a store that goes away."""

from __future__ import annotations

import shutil
import socket
import sqlite3
from contextlib import closing
from pathlib import Path

from tests.http.conftest import serving
from tests.mcp.conftest import Site, make_site


def test_it_ends_in_order_and_leaves_the_store_whole(site: Site) -> None:
    with serving(site.path, site.env) as server:
        assert server.post("/api/v1/remember", {"text": "Written before the end"}).status == 200
        assert server.stop() == 0
        assert "Traceback" not in server.process.stderr.read()
    assert not list(site.store.parent.glob("memory.db-wal")) or site.store.exists()
    assert site.gitmem("recall", "written before the end", "--json").json["memories"]
    site.gitmem("doctor")


def test_a_port_that_is_taken_is_said(site: Site) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        refused = site.gitmem("serve", "--port", port, status=7)
    assert port in refused.err and "--port 0" in refused.err


def test_two_servers_of_one_store_answer_alike(site: Site) -> None:
    with serving(site.path, site.env) as one, serving(site.path, site.env) as two:
        id = one.post("/api/v1/remember", {"text": "Two servers write to one store"}).json["id"]
        assert two.get(f"/api/v1/show?id={id}").json["memory"]["id"] == id


def test_a_store_that_vanishes_is_said_and_the_server_stays(tmp_path: Path) -> None:
    site = make_site(tmp_path)
    with serving(site.path, site.env) as server:
        assert server.get("/api/v1/list").status == 200
        shutil.move(site.store.parent, tmp_path / "away")
        gone = server.get("/api/v1/list")
        assert (gone.status, gone.code) == (404, "not_initialized")
        assert server.get("/health").status == 200
        shutil.move(tmp_path / "away", site.store.parent)
        assert server.get("/api/v1/list").status == 200


def test_a_damaged_store_is_said_and_the_server_stays(tmp_path: Path) -> None:
    site = make_site(tmp_path)
    with serving(site.path, site.env) as server:
        site.store.write_bytes(b"not a database" * 1000)
        answer = server.get("/api/v1/list")
        assert answer.status in (403, 503) and answer.code in ("damaged", "not_ours")
        assert server.get("/health").status == 200


def test_a_newer_store_is_said_and_the_server_stays(tmp_path: Path) -> None:
    site = make_site(tmp_path)
    with serving(site.path, site.env) as server:
        with closing(sqlite3.connect(site.store)) as connection:
            before = connection.execute("PRAGMA user_version").fetchone()[0]
            connection.execute("PRAGMA user_version = 999000")
        for answer in (server.get("/api/v1/list"), server.post("/api/v1/remember", {"text": "x"})):
            assert (answer.status, answer.code) == (503, "too_new")
        with closing(sqlite3.connect(site.store)) as connection:
            connection.execute(f"PRAGMA user_version = {before}")
        assert server.get("/api/v1/list").json["memories"] == []


def test_a_locked_store_is_read_and_a_write_waits_or_is_refused(tmp_path: Path) -> None:
    site = make_site(tmp_path)
    with serving(site.path, site.env) as server:
        assert server.get("/api/v1/list").status == 200
        with closing(sqlite3.connect(site.store, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            refused = server.post("/api/v1/remember", {"text": "Not while it is locked"})
            assert (refused.status, refused.code) == (503, "busy")
            assert refused.headers["retry-after"] == "1"
            assert server.get("/api/v1/list").json["memories"] == []
            other.execute("ROLLBACK")
        assert server.post("/api/v1/remember", {"text": "Now it is free"}).status == 200
        texts = [m["content"] for m in server.get("/api/v1/list").json["memories"]]
        assert texts == ["Now it is free"]  # nothing of the refused one


def test_a_project_that_moved_is_said_and_answers_where_it_returns(tmp_path: Path) -> None:
    site = make_site(tmp_path)
    with serving(site.path, site.env) as server:
        server.post("/api/v1/remember", {"text": "Said before the move"})
        away = site.path.rename(tmp_path / "elsewhere")
        for answer in (server.get("/api/v1/list"), server.post("/api/v1/remember", {"text": "x"})):
            assert answer.status == 404 and answer.code in ("not_found", "not_a_repository")
            assert answer.json["error"]["hint"]
        assert server.get("/health").status == 200
        assert not site.path.exists()  # nothing was made in its place
        away.rename(site.path)
        assert len(server.get("/api/v1/list").json["memories"]) == 1


def test_a_client_that_leaves_midway_disturbs_nothing(tmp_path: Path) -> None:
    site = make_site(tmp_path)
    site.repo.commit("More", {f"src/m{n}.py": f"def f{n}():\n    return {n}\n" for n in range(60)})
    with serving(site.path, site.env) as server:
        job = server.post("/api/v1/index").json["id"]
        for path in (f"/api/v1/jobs/{job}/events", "/sse", "/openapi.json", "/api/v1/export"):
            with socket.create_connection((server.host, server.port), timeout=60) as raw:
                raw.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
                assert raw.recv(20)
        half = b"POST /api/v1/remember HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99\r\n"
        with socket.create_connection((server.host, server.port), timeout=60) as raw:
            raw.sendall(half + b'Content-Type: application/json\r\n\r\n{"text": "half')
        last = server.get(f"/api/v1/jobs/{job}/events").body.decode()
        assert "event: done" in last
        assert server.get("/api/v1/list").json["memories"] == []
        assert server.stop() == 0
        assert "Traceback" not in server.process.stderr.read()
