"""Metrics in Prometheus's text format, read by its own parser."""

from __future__ import annotations

from prometheus_client.parser import text_string_to_metric_families

from tests.http.conftest import Serving


def test_requests_are_counted_by_verb_and_status(server: Serving) -> None:
    server.get("/api/v1/recall?query=redis")
    server.get("/api/v1/recall?query=redis")
    server.get("/api/v1/recall?limit=nothing")
    server.get("/api/v1/no-such-verb-of-anybody")
    answer = server.get("/metrics")
    assert answer.headers["content-type"].startswith("text/plain")
    families = {f.name: f for f in text_string_to_metric_families(answer.body.decode())}
    counts = {
        (s.labels["verb"], s.labels["status"]): s.value
        for s in families["gitmem_requests"].samples
        if s.name.endswith("_total")
    }
    assert counts["recall", "200"] == 2 and counts["recall", "400"] == 1
    assert "anybody" not in answer.body.decode()
    times = families["gitmem_request_seconds"].samples
    assert any(s.name.endswith("_bucket") and s.labels["verb"] == "recall" for s in times)
    caches = {s.labels["cache"] for s in families["gitmem_cache_hits"].samples}
    assert "results" in caches
