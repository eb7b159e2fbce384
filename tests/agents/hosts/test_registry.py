"""One file holds what is special about a host, and a hook of that host imports no other's."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import gitmem
from gitmem.agents.events import responses
from gitmem.agents.hosts import registry
from gitmem.agents.hosts.host import HOOKS, MCP, RULES, HostDocumentation
from gitmem.agents.hosts.scene import SampleSession
from gitmem.agents.hosts.table import HOSTS
from gitmem.review import known_modules
from gitmem.settings import AGENT_MARKS
from tests.support.tables import table

PACKAGE = Path(gitmem.__file__).parent
FOLDER = PACKAGE / "agents" / "hosts"
# The machinery of the package; every other file is a host.
SHARED = {"__init__", "host", "host_paths", "output", "registry", "scene", "table"}
# Words that name a host; `generic` names none in particular.
WORDS = {name.partition("-")[0] for name in registry.NAMES} - {"generic"}
# Who may name one, in what part of the code: floors below the hosts, and examples in the help.
# Providers whose keys are taken out, some of which are hosts.
SECRETS = PACKAGE / "text" / "secrets"
ALLOWED = {
    "settings.py": {*AGENT_MARKS, *AGENT_MARKS.values()},
    "git/identity.py": {"/.claude/worktrees/"},
    "indexing/file_filter.py": {".vscode"},
    "mcp/handlers.py": {"This cursor is not valid. The list is one page long."},  # not the editor
    "cli/commands.py": {"Example: gitmem hook claude-code session-start"},
    # Documents that are read in, whoever is told by them.
    "capture/document_import.py": {
        r"(?:claude|agents|gemini)\.md|\.cursorrules|\.github/copilot-instructions\.md",
        r"\.cursor/rules/[^/]+\.mdc?",
    },
    "operations/__init__.py": {"Import CLAUDE.md, AGENTS.md, README and the like as memories"},
    "operations/start/setup.py": {"claude-code codex --dry-run"},
    "operations/sessions/session_search.py": {
        "Only sessions of this agent: claude, codex, ...",
    },
    "review/known_modules.py": {known_modules._NODE},  # modules of editors that embed Node
    "embedding/fastembed.py": {"qwen3-embedding"},  # the model, not the host
    # The table of the files beside it, one for each host.
    "transcripts/formats.py": {
        *registry.NAMES,
        *(name.replace("-", "_") for name in registry.NAMES),
        *("gitmem.transcripts", "*/*/subagents/agent-*.jsonl"),
    },
    "transcripts/importer.py": {"gitmem.transcripts.opencode"},
    **{f"transcripts/{name.replace('-', '_')}.py": {name, f"{name}.db"} for name in registry.NAMES},
}


def test_every_file_of_a_host_is_on_the_list_and_holds_the_host_of_its_name() -> None:
    files = {path.stem for path in FOLDER.glob("*.py")} - SHARED
    assert files == {name.replace("-", "_") for name in registry.NAMES}
    assert [host.name for host in HOSTS] == list(registry.NAMES)


def test_a_host_is_found_without_the_others() -> None:
    code = (
        "import sys\n"
        "from gitmem.agents.hosts import registry\n"
        "registry.find_host('codex')\n"
        "print(*sorted(name for name in sys.modules if name.startswith('gitmem.agents.hosts.')))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=PACKAGE.parent
    )
    assert done.stdout.split() == [
        f"gitmem.agents.hosts.{name}" for name in ("codex", "host", "registry")
    ]


def test_a_name_that_no_host_has_gives_one_that_takes_nothing() -> None:
    for name in ("", "nobody", "host", "registry", "claude_code", "../codex", "os"):
        host = registry.find_host(name)
        assert (host.name, host.setup_parts, host.plugin) == ("", (), None)
        assert responses.empty_answer(name, "prompt") == b""


def test_the_variables_of_hosts_are_those_of_the_settings() -> None:
    """The settings lie on a floor below, and every command asks them: they have a copy."""
    assert {host.mark: host.name for host in HOSTS if host.mark} == AGENT_MARKS


@table("host", HOSTS, ids=lambda host: host.name)
def test_a_host_is_whole(host: registry.Host) -> None:
    assert host.title and host.setup_parts
    known = host.facts
    assert isinstance(known, HostDocumentation) and known.state and known.approve and known.limits
    speaks = HOOKS in host.setup_parts and host.live.oriented_at
    # One that is told nothing by itself says so, and has another way to gitmem.
    assert bool(speaks) != bool(host.live.why_silent)
    assert speaks or {MCP, RULES} & set(host.setup_parts)
    if HOOKS in host.setup_parts:
        assert host.live.sample("stop", SampleSession("/place", "session-1", "/place/a"))


def test_nothing_else_names_a_host() -> None:
    """The shared machinery asks the host; what is special about one stands in its file."""
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        name = path.relative_to(PACKAGE).as_posix()
        if FOLDER not in path.parents and SECRETS not in path.parents and _mentions_a_host(path):
            named = {text for text in _texts(path) if _names_a_host(text)}
            if named - ALLOWED.get(name, set()):
                found[name] = sorted(named)
    assert found == {}


def test_the_check_sees_a_host_that_is_named(tmp_path: Path) -> None:
    path = tmp_path / "one.py"
    path.write_text(
        '"""Codex in a docstring."""\n'
        'if agent in ("kimi", "cursor"):\n    cursor = _codex_hooks(f"{x}/.gemini")  # a zed\n'
    )
    assert _mentions_a_host(path)
    named = [text for text in _texts(path) if _names_a_host(text)]
    assert sorted(named) == ["/.gemini", "_codex_hooks", "cursor", "kimi"]
    assert not any(map(_names_a_host, ("sized", "NotInitialized", "claudette")))


def _texts(path: Path) -> Iterator[str]:
    """The names and the texts of a file, but no comment and no docstring.

    Of names not those of cursors: a tree that is walked and a list that is paged have them.
    """
    tree = ast.parse(path.read_text(encoding="utf-8"))
    docs = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            docs.add(id(node.value))
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            if id(node) not in docs:
                yield node.value
        elif isinstance(node, ast.Name):
            yield node.id.replace("cursor", "")
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name


def _mentions_a_host(path: Path) -> bool:
    """Whether a host's name stands anywhere in a file: most need not be parsed to know."""
    source = path.read_text(encoding="utf-8").lower()
    return any(word in source for word in WORDS)


def _names_a_host(text: str) -> bool:
    words = "".join(char if char.isalpha() else " " for char in text.lower()).split()
    return not WORDS.isdisjoint(words)


@table(
    ("word", "name"),
    [
        *((name, name) for name in registry.NAMES),
        *(("claude", "claude-code"), ("Claude Code", "claude-code"), ("GEMINI", "gemini")),
        *(("gemini-cli", "gemini"), ("kimi_code", "kimi"), ("github copilot", "copilot")),
        *(("nosuch", "nosuch"), ("Claud", "Claud"), ("", "")),
    ],
)
def test_a_host_is_known_by_the_names_that_people_use(word: str, name: str) -> None:
    assert registry.resolve_host_name(word) == name
    assert set(registry.ALIASES.values()) <= set(registry.NAMES)
