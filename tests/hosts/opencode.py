"""OpenCode, by Chat Completions."""

from __future__ import annotations

import json

from tests.hosts.driver import Driver
from tests.hosts.wire_formats import Step
from tests.hosts.workplace import AFTER, BEFORE, FAILS, Workplace

_CONTEXT = 100_000  # tokens


def _configure(workplace: Workplace, url: str) -> None:
    """A provider of its own, and nothing that looks for updates."""
    model = {"name": "m", "limit": {"context": _CONTEXT, "output": 8_000}}
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "name": "mock",
        "options": {"baseURL": f"{url}/v1", "apiKey": "made-up"},
        "models": {"m": model},
    }
    output = {
        "provider": {"mock": provider},
        "model": "mock/m",
        "small_model": "mock/m",
        "autoupdate": False,
        "share": "disabled",
    }
    path = workplace.home / ".config" / "opencode" / "opencode.json"
    workplace.write(path, json.dumps(output))


def _environment(_url: str) -> dict[str, str]:
    names = ("MODELS_FETCH", "AUTOUPDATE", "LSP_DOWNLOAD")
    return {f"OPENCODE_DISABLE_{name}": "1" for name in names}


def _steps(workplace: Workplace) -> list[Step]:
    path = str(workplace.file)
    return [
        {"tool": "read", "args": {"filePath": path}},
        {"tool": "edit", "args": {"filePath": path, "oldString": BEFORE, "newString": AFTER}},
        {"tool": "bash", "args": {"command": FAILS, "description": "import it"}},
        {"tool": "gitmem_recall", "args": {"query": "retries"}},
        {"text": "All done."},
    ]


def headless(prompt: str, *more: str) -> list[str]:
    """One prompt without a screen; ``more`` are options."""
    return ["run", "--format", "json", "--auto", *more, prompt]


def _compacting(workplace: Workplace) -> tuple[list[Step], list[list[str]]]:
    """A step that says its context is full: it compacts before the next one."""
    read, edit, *_ = _steps(workplace)
    steps: list[Step] = [read, edit, {**read, "usage": _CONTEXT}, read, {"text": "All done."}]
    return steps, [headless("Go on.")]


DRIVER = Driver(
    agent="opencode",
    packages=("opencode-ai@1.18.33",),
    # Its own start is put in place by a script of the package, which is not run.
    starts=("{modules}/opencode-linux-x64/bin/opencode",),
    configure=_configure,
    environment=_environment,
    steps=_steps,
    tool="gitmem_recall",
    headless=headless,
    asks=False,
    compacting=_compacting,
    heard_everywhere=True,
)
