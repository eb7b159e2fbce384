"""Long work: begun, followed, cancelled; answers go on meanwhile."""

from __future__ import annotations

import http.client
import json
import time
from typing import Any

from tests.http.conftest import PATIENCE, Serving
from tests.mcp.conftest import Site


def events(server: Serving, id: str) -> list[dict[str, Any]]:
    """The events of a job up to its end."""
    connection = http.client.HTTPConnection(server.host, server.port, timeout=PATIENCE)
    connection.request("GET", f"/api/v1/jobs/{id}/events")
    answer = connection.getresponse()
    assert answer.getheader("content-type", "").startswith("text/event-stream")
    text = answer.read().decode()
    connection.close()
    return [json.loads(line[6:]) for line in text.splitlines() if line.startswith("data: ")]


def test_indexing_is_a_job_that_can_be_followed(server: Serving, site: Site) -> None:
    (site.path / "src").mkdir(exist_ok=True)
    for n in range(40):  # not committed: the hook would index them, too
        (site.path / f"src/m{n}.py").write_text(f"def f{n}():\n    return {n}\n")
    begun = server.post("/api/v1/index")
    assert begun.status == 202 and begun.headers["location"].endswith(begun.json["id"])
    assert server.get("/health").status == 200
    told = events(server, begun.json["id"])
    assert told[-1]["state"] == "done" and told[-1]["result"]["added"] >= 40
    assert server.get(begun.headers["location"]).json == told[-1]
    hits = server.get("/api/v1/search?query=f39&mode=symbol").json["hits"]
    assert hits[0]["path"] == "src/m39.py"


def test_a_job_that_fails_says_why(server: Serving) -> None:
    begun = server.post("/api/v1/model/use", {"name": "no-such-model"})
    told = events(server, begun.json["id"])
    assert told[-1]["state"] == "failed" and told[-1]["error"]["code"] in ("not_found", "invalid")


def test_a_dry_run_is_answered_at_once(server: Serving) -> None:
    answer = server.post("/api/v1/import-docs", {"dry_run": True})
    assert answer.status == 200 and "state" not in answer.json


def test_a_cancelled_job_ends_and_the_next_one_runs(server: Serving, site: Site) -> None:
    lines = "\n".join(
        json.dumps({"type": "memory", "kind": "fact", "text": f"Fact {n} about port {n}"})
        for n in range(4000)
    )
    first = server.post("/api/v1/import", {"source": lines})
    second = server.post("/api/v1/index")
    cancelled = server.send("DELETE", first.headers["location"])
    assert cancelled.status == 200
    deadline = time.monotonic() + PATIENCE
    while server.get(second.headers["location"]).json["state"] not in ("done", "failed"):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    state = server.get(first.headers["location"]).json["state"]
    assert state == "cancelled"
    counts = server.get("/api/v1/stats").json
    assert counts and server.get("/readyz").status == 200


def test_more_jobs_than_may_wait_are_refused(server: Serving) -> None:
    answers = [server.post("/api/v1/import-docs") for _ in range(30)]
    codes = {answer.status for answer in answers}
    assert codes <= {202, 429}
    if refused := [answer for answer in answers if answer.status == 429]:
        assert refused[0].code == "too_many"
    for answer in answers:
        if answer.status == 202:
            server.send("DELETE", answer.headers["location"])
