"""Gemini CLI, by generateContent."""

from __future__ import annotations

import json

from tests.hosts.driver import Driver
from tests.hosts.wire_formats import Step
from tests.hosts.workplace import AFTER, BEFORE, FAILS, Workplace


def _configure(workplace: Workplace, _url: str) -> None:
    output = {
        "security": {"auth": {"selectedType": "gemini-api-key"}},
        "general": {"enableAutoUpdate": False},
        "privacy": {"usageStatisticsEnabled": False},
    }
    path = workplace.home / ".gemini" / "settings.json"
    wired = json.loads(path.read_text()) if path.exists() else {}
    workplace.write(path, json.dumps(wired | output))


def _approve(workplace: Workplace) -> None:
    """What its dialog writes when the folder is trusted."""
    path = workplace.home / ".gemini" / "trustedFolders.json"
    data = json.loads(path.read_text()) if path.exists() else {}
    workplace.write(path, json.dumps(data | {str(workplace.repo): "TRUST_FOLDER"}))


def _environment(url: str) -> dict[str, str]:
    return {
        "GEMINI_API_KEY": "made-up",
        "GOOGLE_GEMINI_BASE_URL": url,
        "GEMINI_TELEMETRY_ENABLED": "false",
    }


def _steps(workplace: Workplace) -> list[Step]:
    edit = {
        "file_path": str(workplace.file),
        "instruction": "raise the default",
        "old_string": BEFORE,
        "new_string": AFTER,
    }
    return [
        {"tool": "replace", "args": edit},
        {"tool": "run_shell_command", "args": {"command": FAILS, "description": "import it"}},
        {"tool": "mcp_gitmem_recall", "args": {"query": "retries"}},
        {"text": "All done."},
    ]


def headless(prompt: str, *more: str) -> list[str]:
    """One prompt without a screen; ``more`` are options."""
    form = ["--approval-mode", "yolo", "-o", "stream-json"]
    return ["-p", prompt, "-m", "gemini-2.5-pro", *form, *more]


DRIVER = Driver(
    agent="gemini",
    packages=("@google/gemini-cli@0.61.0",),
    starts=("node", "{modules}/@google/gemini-cli/bundle/gemini.js"),
    configure=_configure,
    environment=_environment,
    steps=_steps,
    tool="mcp_gitmem_recall",
    headless=headless,
    approve=_approve,
    continues=("--resume", "latest"),
    reads_below=False,
)
