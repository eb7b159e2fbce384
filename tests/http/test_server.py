"""The process: its address, its end, two at once, a store that goes away."""

from __future__ import annotations

import shutil
import socket
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
