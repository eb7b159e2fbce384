"""Copilot CLI, by Chat Completions."""

from __future__ import annotations

import json

from tests.hosts.driver import Driver
from tests.hosts.wire_formats import Step
from tests.hosts.workplace import AFTER, BEFORE, FAILS, Workplace

_CONTEXT = 60_000  # tokens


def _configure(_workplace: Workplace, _url: str) -> None:
    """Nothing: the model's place stands in the environment."""


def _approve(workplace: Workplace) -> None:
    """What its dialog writes when the folder is trusted."""
    path = workplace.home / ".copilot" / "config.json"
    lines = path.read_text().splitlines() if path.exists() else ["{}"]
    data = json.loads("\n".join(line for line in lines if not line.startswith("//")))
    folders = {*data.get("trustedFolders", ()), str(workplace.repo)}
    data["trustedFolders"] = sorted(folders)
    workplace.write(path, f"// This file is managed automatically.\n{json.dumps(data)}")


def _environment(url: str) -> dict[str, str]:
    return {
        "COPILOT_OFFLINE": "true",
        "COPILOT_AUTO_UPDATE": "false",
        "COPILOT_PROVIDER_BASE_URL": f"{url}/v1",
        "COPILOT_PROVIDER_API_KEY": "made-up",
        "COPILOT_PROVIDER_MAX_PROMPT_TOKENS": str(_CONTEXT),
        "COPILOT_MODEL": "mock-model",
    }


def _steps(workplace: Workplace) -> list[Step]:
    edit = {"path": str(workplace.file), "old_str": BEFORE, "new_str": AFTER}
    return [
        {"tool": "edit", "args": edit},
        {"tool": "bash", "args": {"command": FAILS, "description": "import it"}},
        {"tool": "gitmem-recall", "args": {"query": "retries"}},
        {"text": "All done."},
    ]


def headless(prompt: str, *more: str) -> list[str]:
    """One prompt without a screen; ``more`` are options."""
    return ["-p", prompt, "--allow-all-tools", "--output-format", "json", *more]


def _compacting(workplace: Workplace) -> tuple[list[Step], list[list[str]]]:
    """An output so long that its context is full; it compacts in the background and goes on."""
    edit, *_ = _steps(workplace)
    count: Step = {"tool": "bash", "args": {"command": "seq 1 4000", "description": "count"}}
    wait: Step = {"tool": "bash", "args": {"command": "sleep 3", "description": "wait"}}
    full: Step = {**count, "usage": _CONTEXT - 1_000}
    return [edit, full, wait, wait, {"text": "All done."}], [headless("Go on.")]


DRIVER = Driver(
    agent="copilot",
    packages=("@github/copilot@1.0.102",),
    starts=("{modules}/@github/copilot-linux-x64/copilot",),
    configure=_configure,
    environment=_environment,
    steps=_steps,
    tool="gitmem-recall",
    headless=headless,
    approve=_approve,
    compacting=_compacting,
)
