"""What parsers are tried with first: whole inputs, as gitmem, git or a host writes them.

Random pieces never make a memory's forty fields or a commit of ``git log``; a search that follows
what it reaches begins with these and changes them.
"""

from __future__ import annotations

import json
from random import Random
from typing import Any

from gitmem.agents.events import hook_event
from gitmem.agents.hosts.scene import SampleSession
from gitmem.agents.hosts.table import BY_NAME
from gitmem.memory import export_format
from gitmem.spool import git_events
from gitmem.store.memory import memory_rows
from gitmem.text import code_fingerprint
from tests.support.stores import said

SHA = "0123456789abcdef" * 2 + "01234567"
SCENE = SampleSession("/work", "session-01", "/work/src/app.py")
MEMORY = said(tags=("a", "b"), paths=("src/app.py",), source="a commit", agent="codex")
RULES = (
    {"check": "call", "names": ["print", ".unwrap", "new Date"], "paths": ["src/**"]},
    {"check": "import", "names": ["a.b"], "except": ["x"]},
    {"check": "text", "in": "comment", "regex": r"^TODO\b"},
    {"check": "layer", "from": ["src/a/**"], "to": ["src/b/**"], "severity": "warning"},
    {"check": "naming", "of": ["function"], "style": "snake_case", "outside": ["tests/**"]},
)
_TEXTS: dict[str, tuple[str, ...]] = {
    "JSON Lines of memories": (
        export_format.export_header("example"),
        export_format.memory_as_json_line(MEMORY),
    ),
    "earlier versions of memories": (memory_rows.memory_to_json_line(MEMORY),),
    "fingerprints": (
        code_fingerprint.to_json(
            code_fingerprint.fingerprint_of_block(["def f():", "    return 1"])
        ),
    ),
    "rules of patterns": tuple(map(json.dumps, RULES)),
    "skill parameters": ("tag", "tag: The release", "format=md: How it is written"),
    "settings": ("[search]\nmode = 'keyword'\n[copy]\nmode = \"off\"\n",),
    "settings of Codex": ("[mcp_servers.gitmem]\ncommand = 'gitmem'\nargs = []\n[a.b]\nc = 1\n",),
    "package.json": ('{"workspaces": {"packages": ["a"]}, "bin": {"x": "y"}, "main": "z"}',),
    "pyproject.toml": ("[project]\nname = 'x'\ndependencies = ['a>=1']\nscripts = {x = 'y'}\n",),
    "Cargo.toml": ("[package]\nname = 'x'\n[workspace]\nmembers = ['a']\n[dependencies]\n",),
}
_BYTES: dict[str, tuple[bytes, ...]] = {
    "log of git": (
        f"\0{SHA}\0{SHA} {SHA}\0Ada\0100\0200\0Subject a@b.de\0Body\0\0\na\0b\0".encode(),
    ),
    "blame": (f"{SHA} 1 2 3\nauthor Ada\nboundary\nfilename a/b.py\n".encode(),),
    "changes of lines": (f"\0{SHA}\n--- a/x\n+++ b/x\n@@ -1 +1 @@ def f\n-a\n+b\n".encode(),),
    "replaced lines": (f"\0{SHA} 1700000000\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n".encode(),),
    "spool": (f"{git_events._MAGIC} post-commit 1700000000 refs/heads/main {SHA} main\n".encode(),),
    "transcripts": (
        b'{"timestamp":"2026-01-01T00:00:00Z","x":"<<<gitmem:abcdef0123 source=gitmem orient\\n"}\n'
        b'{"ts":"2026-01-01T00:00:00Z","name":"mcp__gitmem__recall"}\n',
    ),
    "frames of MCP": (b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n',),
    "outputs of hooks": (
        b'{"hookSpecificOutput": {"additionalContext": "x"}, "systemMessage": "y"}',
    ),
}


def of(parser: str) -> list[bytes]:
    """Whole inputs for a parser, none for most."""
    found = [text.encode() for text in _TEXTS.get(parser, ())] + [*_BYTES.get(parser, ())]
    agent = parser.removeprefix("events of ")
    if agent in BY_NAME:
        sample = BY_NAME[agent].live.sample
        found += [json.dumps(sample(event, SCENE)).encode() for event in sorted(hook_event.EVENTS)]
    return found


ODD: tuple[Any, ...] = (
    None, True, 0, -1, 1.5, 1e308, 10**400, "", "\0", "\ud800", "x" * 300, "../..", "2026-13-99",
    [], {}, [[]], [None], [{}], {"a": []}, float("nan"),
)  # fmt: skip


def bent(data: bytes, rng: Random) -> bytes | None:
    """The same JSON object with one value replaced, taken out or put elsewhere; None for no object.

    Bytes changed at random are hardly ever JSON again.
    """
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict) or not value:
        return None
    place: Any = value
    key = rng.choice(sorted(place))
    while isinstance(place[key], dict | list) and place[key] and rng.random() < 0.7:
        place = place[key]
        key = rng.choice(sorted(place)) if isinstance(place, dict) else rng.randrange(len(place))
    if rng.random() < 0.2:
        del place[key]
    else:
        place[key] = rng.choice(ODD) if rng.random() < 0.8 else rng.choice([*value.values()])
    try:
        return json.dumps(value).encode()
    except (ValueError, RecursionError):
        return None
