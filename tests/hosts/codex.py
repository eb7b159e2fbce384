"""Codex, by OpenAI Responses."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

from tests.hosts.driver import Driver
from tests.hosts.wire_formats import Step
from tests.hosts.workplace import AFTER, BEFORE, FAILS, FILE, PROMPT, Workplace

_MARK = "# what its user approved\n"
_START = ("{modules}/.bin/codex",)


def _configure(workplace: Workplace, url: str) -> None:
    """A provider of its own; what was approved stays below the mark."""
    path = workplace.home / ".codex" / "config.toml"
    approved = path.read_text().partition(_MARK)[2] if path.exists() else ""
    output = (
        f'model = "gpt-5.5"\nmodel_provider = "mock"\n'
        f'[model_providers.mock]\nname = "mock"\nbase_url = "{url}/v1"\n'
        f'wire_api = "responses"\nenv_key = "MOCK_KEY"\n'
    )
    workplace.write(path, f"{output}{_MARK}{approved}")


def _approve(workplace: Workplace) -> None:
    """What its dialogs write: the project is trusted, then every hook by the hash of its words."""
    path = workplace.home / ".codex" / "config.toml"
    _add(path, f'[projects."{workplace.repo}"]\n', 'trust_level = "trusted"\n')
    for hook in hooks(workplace):
        _add(path, f'[hooks.state."{hook["key"]}"]\n', f'trusted_hash = "{hook["currentHash"]}"\n')


def _add(path: Path, head: str, line: str) -> None:
    """Add a table of one line where the file has none of this name."""
    output = path.read_text()
    if head not in output:
        path.write_text(output + head + line)


def hooks(workplace: Workplace) -> list[dict[str, Any]]:
    """The hooks of the repository as Codex itself lists them, each with hash and trust."""
    words = [item.replace("{modules}", str(workplace.modules)) for item in _START]
    info = {"clientInfo": {"name": "tests", "version": "1"}}
    query: list[dict[str, Any]] = [
        {"id": 1, "method": "initialize", "params": info},
        {"method": "initialized"},
        {"id": 2, "method": "hooks/list", "params": {"cwds": [str(workplace.repo)]}},
    ]
    child = subprocess.Popen(
        [*words, "app-server"],
        env=workplace.env | _environment(""),
        cwd=workplace.repo,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert child.stdin is not None and child.stdout is not None
    try:
        for item in query:
            child.stdin.write(json.dumps(item) + "\n")
            child.stdin.flush()
        for line in child.stdout:
            data = json.loads(line)
            if data.get("id") == 2:
                return [hook for item in data["result"]["data"] for hook in item["hooks"]]
    finally:
        child.kill()
        child.communicate()
    raise AssertionError("Codex did not list its hooks")


def _environment(_url: str) -> dict[str, str]:
    return {"MOCK_KEY": "made-up"}


def _steps(_workplace: Workplace) -> list[Step]:
    patch = f"*** Begin Patch\n*** Update File: {FILE}\n@@\n-{BEFORE}\n+{AFTER}\n*** End Patch"
    return [
        {"tool": "exec_command", "args": {"cmd": FAILS}},
        {"custom": "apply_patch", "input": patch},
        {"tool": "recall", "namespace": "mcp__gitmem", "args": {"query": "retries"}},
        {"text": "All done."},
    ]


def headless(prompt: str, *more: str) -> list[str]:
    """One prompt without a screen; ``more`` are options."""
    sandbox = ["--sandbox", "danger-full-access"]
    return ["exec", "--json", *sandbox, *more, prompt]


def _compacting(workplace: Workplace) -> tuple[list[Step], list[list[str]]]:
    """What the model tells of its tokens is over the limit after the second step."""
    steps = _steps(workplace)
    steps[1]["usage"] = 90_000
    limit = ["-c", "model_auto_compact_token_limit=50000"]
    return steps, [headless(PROMPT, *limit)]


DRIVER = Driver(
    agent="codex",
    packages=("@openai/codex@0.169.0",),
    starts=_START,
    configure=_configure,
    environment=_environment,
    steps=_steps,
    tool="mcp__gitmem",
    headless=headless,
    approve=_approve,
    continues=("resume", "--last"),
    compacting=_compacting,
)
