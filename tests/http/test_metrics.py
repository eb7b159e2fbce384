"""Metrics in Prometheus's text format, read by its own parser."""

from __future__ import annotations

from math import isnan
from pathlib import Path

from prometheus_client import Metric
from prometheus_client.parser import text_string_to_metric_families

from tests.http.conftest import Serving, serving
from tests.mcp.conftest import make_site


def scrape(server: Serving) -> dict[str, Metric]:
    """The metrics by name."""
    answer = server.get("/metrics")
    assert answer.headers["content-type"].startswith("text/plain")
    return {f.name: f for f in text_string_to_metric_families(answer.body.decode())}


def value(families: dict[str, Metric], name: str) -> float:
    """The only value of a metric."""
    (sample,) = families[name].samples
    return float(sample.value)


def state(families: dict[str, Metric]) -> str:
    """The state of the index."""
    samples = families["gitmem_index_state"].samples
    (name,) = (sample.labels["state"] for sample in samples if sample.value == 1)
    return str(name)


def test_requests_are_counted_by_verb_and_status(server: Serving) -> None:
    server.get("/api/v1/recall?query=redis")
    server.get("/api/v1/recall?query=redis")
    server.get("/api/v1/recall?limit=nothing")
    server.get("/api/v1/no-such-verb-of-anybody")
    families = scrape(server)
    counts = {
        (s.labels["verb"], s.labels["status"]): s.value
        for s in families["gitmem_requests"].samples
        if s.name.endswith("_total")
    }
    assert counts["recall", "200"] == 2 and counts["recall", "400"] == 1
    assert "anybody" not in server.get("/metrics").body.decode()
    times = families["gitmem_request_seconds"].samples
    assert any(s.name.endswith("_bucket") and s.labels["verb"] == "recall" for s in times)


def test_answers_from_a_cache_are_counted(server: Serving) -> None:
    def hits() -> dict[str, float]:
        samples = scrape(server)["gitmem_cache_hits"].samples
        return {s.labels["cache"]: s.value for s in samples}

    server.get("/api/v1/search?query=durable+queue")
    before = hits()["embeddings"]
    server.get("/api/v1/search?query=durable+queue&limit=3")
    assert hits()["embeddings"] > before


def test_the_metrics_tell_how_far_the_index_is_behind(tmp_path: Path) -> None:
    site = make_site(tmp_path)
    site.gitmem("index")
    with serving(site.path, site.env) as server:
        families = scrape(server)
        assert state(families) == "current"
        assert value(families, "gitmem_index_behind_commits") == 0
        assert value(families, "gitmem_index_behind_files") == 0
        for number in range(2):
            site.repo.commit(f"Change {number}", {f"lib/{number}.py": "a = 1\n"})
        families = scrape(server)
        assert state(families) == "stale"
        assert value(families, "gitmem_index_behind_commits") == 2
        assert value(families, "gitmem_index_behind_files") == 2
        away = site.store.parent.rename(tmp_path / "away")
        families = scrape(server)
        assert state(families) == "unknown"
        assert isnan(value(families, "gitmem_index_behind_commits"))
        assert isnan(value(families, "gitmem_index_behind_files"))
        away.rename(site.store.parent)
