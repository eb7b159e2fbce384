"""Homes with sessions as hosts wrote them: the samples beside, moved to a test's folders.

The samples were written by the hosts themselves (Claude Code 2.1.330, Codex 0.169.0, Gemini CLI
0.61.0, OpenCode 1.18.33, Copilot CLI 1.0.102, Kimi Code 2.1.0) with a scripted model; what is long
was cut, and what no reader looks at left out.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import apsw

from gitmem.app import App
from gitmem.transcripts.formats import HOSTS
from gitmem.transcripts.importer import SessionImportCounts, SessionImporter
from tests.support.stores import make_app

SAMPLES = Path(__file__).parent / "samples"
CLAUDE = "e884ac56-73dd-4c13-916e-4ff25729003c"
FIRST = "Raise the default timeout in httpx/_config.py and run the tests."
SECOND = "No, use pnpm in this repository. What was the timeout?"
ANSWER = "Noted: pnpm. The timeout was 5.0 and is 9.0 now."


def sample(name: str, repo: Path) -> str:
    """The text of a sample, as if it had been written for a repository."""
    return (SAMPLES / name).read_text().replace("/home/me/project", str(repo))


def place_of(host: str, home: Path, repo: Path) -> Path:
    """The path of a host's sample session in a home."""
    return {
        "claude-code": home
        / ".claude/projects"
        / "".join(c if c.isalnum() else "-" for c in str(repo))
        / f"{CLAUDE}.jsonl",
        "codex": home / ".codex/sessions/2026/11/28/rollout-2026-11-28T22-38-09-01a2244f.jsonl",
        "gemini": home / ".gemini/tmp/repo/chats/session-2026-11-28T22-38-5ed6f53e.jsonl",
        "copilot": home / ".copilot/session-state/51af4775/events.jsonl",
        "kimi": home / ".kimi-code/sessions/wd_repo_3e/session_058443ec/agents/main/wire.jsonl",
        "opencode": home / ".local/share/opencode/opencode.db",
    }[host]


def put(host: str, home: Path, repo: Path) -> Path:
    """Put a host's sample session into a home; returns its path."""
    path = place_of(host, home, repo)
    path.parent.mkdir(parents=True, exist_ok=True)
    if host == "opencode":
        connection = apsw.Connection(str(path))
        connection.pragma("journal_mode", "wal")
        connection.execute(sample("opencode.sql", repo))
        connection.close()
        return path
    path.write_text(sample(f"{host}.jsonl", repo))
    if host == "gemini":
        (path.parent.parent / ".project_root").write_text(str(repo))
    return path


def furnished(tmp_path: Path, *hosts: str) -> tuple[App, dict[str, Path]]:
    """An application whose user has sessions of some hosts in the repository."""
    app = make_app(tmp_path)
    home = Path(app.settings.home)
    return app, {host: put(host, home, Path(app.worktree)) for host in hosts or HOSTS}


def imported(app: App, *hosts: str, **how: Any) -> SessionImportCounts:
    """Import sessions of all hosts, or of some."""
    return SessionImporter(app, **how).import_sessions(hosts)


def add_line(path: Path, row: object) -> None:
    """Add a line to a transcript."""
    with path.open("ab") as file:
        file.write(row if isinstance(row, bytes) else json.dumps(row).encode() + b"\n")


def prompt(text: str, session: str = "s-1", cwd: str = "", **more: object) -> dict[str, object]:
    """What a user says, as a line of Claude Code."""
    return {
        "type": "user",
        "message": {"role": "user", "content": text},
        "timestamp": "2026-11-28T22:39:00.000Z",
        "sessionId": session,
        "cwd": cwd,
        "version": "2.1.330",
        **more,
    }
