"""The protocol's official suite against ``gitmem serve``, its inspector against ``gitmem mcp``."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.http.conftest import serving
from tests.mcp.conformance import suite
from tests.mcp.conftest import Site
from tests.mcp.peers import FULL
from tests.support.cli import command


@pytest.mark.parametrize("revision", suite.RUNS)
def test_suite_finds_nothing_but_what_is_explained(
    root: Path, shared_site: Site, tmp_path: Path, revision: str
) -> None:
    with serving(shared_site.path, shared_site.env, FULL) as server:
        found = suite.run(root, f"{server.url}/mcp", revision, tmp_path)
    assert [item for item in found if not item.is_explained] == []


def test_inspector_lists_calls_and_reads(root: Path, shared_site: Site) -> None:
    program = command("mcp", "-C", str(shared_site.path), *FULL)

    def ask(*words: str) -> dict[str, object]:
        output = suite.inspect(root, program, shared_site.env, *words)
        assert isinstance(output, dict)
        return output

    for method, key in (
        ("tools/list", "tools"),
        ("resources/list", "resources"),
        ("resources/templates/list", "resourceTemplates"),
        ("prompts/list", "prompts"),
    ):
        assert ask("--method", method)[key], method
    called = ask("--method", "tools/call", "--tool-name", "recall", "--tool-arg", "query=cart")
    assert not called.get("isError")
    uri = "gitmem://project/overview"
    assert ask("--method", "resources/read", "--uri", uri)["contents"]
    assert ask("--method", "prompts/get", "--prompt-name", "orient")["messages"]
