"""The page of what reaches gitmem names every source there is, and none that is gone.

A source is found in the code: a name that is looked up in the environment, a module that opens
files, asks git, reads a stream or connects, a field of a request, of a payload, a method of MCP. A
failure says which table of ``docs/sources.md`` lacks which name, or has it still.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest

from gitmem import operations, setting_table, settings
from gitmem.agents.events import hook_event
from gitmem.agents.hosts import host, registry
from gitmem.git import runner
from gitmem.githooks import shims
from gitmem.operations.registry import request_fields
from tests.support.tables import table

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "sources.md"
_ENVIRONMENT = re.compile(r"environ|\benv\b|^known$")
_OPENS = {
    "open",
    "open_regular_file",
    "read_text",
    "read_config_text",
    "read_bytes",
    "read_worktree_file",
}
_GIT = {"run_git", "call_git", "stream_git"}
_STREAMS = {"sys.stdin.buffer.read", "sys.stdin.readline", "os.read", "click.confirm"}
_FRAMES = "receive_frames"  # of ``indexing.worker``
_NETWORK = {
    "http",
    "socket",
    "ssl",
    "fastembed",
    "onnxruntime",
    "huggingface_hub",
    "requests",
    "httpx",
}

_MAY_HAVE = re.compile(
    r"\b(?:open|open_regular_file|read_(?:config_)?text|read_bytes|read_worktree_file|run_git|call_git|stream_git|receive_frames)\("
    r"|toml_flat\.read|stdin|os\.read\(|click\.confirm|_place\(|environ|\benv\b|on_call_tool"
    rf"|\bPayloadFields\b|\b(?:import|from) (?:{'|'.join(sorted(_NETWORK))})\b"
)


@cache
def calls() -> list[tuple[str, str, ast.Call]]:
    """Module, name of what is called in full, and the call, of all the program."""
    every_call = []
    for module, tree in trees().items():
        every_call += [
            (module, _dotted(node.func), node)
            for node in ast.walk(tree)
            if isinstance(node, ast.Call)
        ]
    return every_call


def _dotted(node: ast.expr) -> str:
    """``os.path.join``; of what is no chain of names only its end."""
    if isinstance(node, ast.Attribute):
        return f"{_dotted(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""


@cache
def trees() -> dict[str, ast.Module]:
    """The modules that may have a source: the words of the rules below stand in them."""
    package = ROOT / "gitmem"
    texts = {path: path.read_text("utf-8") for path in sorted(package.rglob("*.py"))}
    return {
        ".".join(path.relative_to(package).with_suffix("").parts): ast.parse(text)
        for path, text in texts.items()
        if _MAY_HAVE.search(text)
    }


def _writes(call: ast.Call) -> bool:
    """Whether a call opens a file that it only writes to."""
    words = [*call.args[1:], *(word.value for word in call.keywords if word.arg == "mode")]
    modes = [word.value for word in words if isinstance(word, ast.Constant)]
    flags = " ".join(map(ast.unparse, words))
    return "O_WRONLY" in flags or any(isinstance(m, str) and m[:1] in "wax" for m in modes)


def opening() -> set[str]:
    """Modules that open a file to read it."""
    return {
        module
        for module, name, call in calls()
        if (name.rpartition(".")[2] in _OPENS and not name.startswith("webbrowser"))
        or name == "toml_flat.read_toml_settings"
        if not _writes(call) and "devnull" not in ast.unparse(call.args[0] if call.args else call)
    }


def asking() -> set[str]:
    """Modules that ask git."""
    return {module for module, name, _ in calls() if name.rpartition(".")[2] in _GIT}


def streaming() -> set[str]:
    """Modules that read what a process gives them, or import what connects to another machine."""
    named = {module for module, name, _ in calls() if name in _STREAMS}
    named |= {module for module, name, _ in calls() if name.rpartition(".")[2] == _FRAMES}
    return named | {module for module, tree in trees().items() if _connects(tree)}


def _connects(tree: ast.Module) -> bool:
    return any(
        (isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in _NETWORK)
        or (isinstance(node, ast.Import) and {a.name.split(".")[0] for a in node.names} & _NETWORK)
        for node in ast.walk(tree)
    )


def variables() -> set[str]:
    """Names looked up in the environment, those that tables of the program hold included."""
    names = {name for module in trees().values() for name in _looked_up(module)}
    hosts = [registry.find_host(name) for name in registry.NAMES]
    tables = {base.variable for each in hosts for base in each.bases.values()} - {""}
    own = {setting.environment_variable for setting in setting_table.SETTINGS}
    foreign = set(setting_table.FOREIGN_VARIABLES)
    tables |= {*settings.AGENT_MARKS, *shims.HOMES, *runner._PASSED}
    return {name for name in names | tables if name.isupper()} - own - foreign


def _looked_up(tree: ast.Module) -> Iterator[str]:
    constants = {
        target.id: node.value.value
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and node.args and isinstance(node.func, ast.Attribute):
            query = node.func.attr == "_place" or (
                node.func.attr == "get" and _ENVIRONMENT.search(ast.unparse(node.func.value))
            )
            key: ast.expr | None = node.args[0] if query else None
        elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
            key = node.slice if _ENVIRONMENT.search(ast.unparse(node.value)) else None
        else:
            continue
        value = constants.get(key.id) if isinstance(key, ast.Name) else None
        value = key.value if isinstance(key, ast.Constant) else value
        if isinstance(value, str):
            yield value


def arguments() -> set[str]:
    """Arguments of verbs and tools that are text of anybody's, not a choice, number or switch."""
    return {
        field.name
        for name in [*operations.PLACES, *operations.HIDDEN]
        for field in request_fields(operations.load_operation(name).request_class)
        if field.type is str and not field.arg.choices
    }


def methods() -> set[str]:
    """What a client of the MCP server may ask or tell."""
    handlers = ast.unparse(trees()["mcp.handlers"])
    named = re.findall(r"\bon_\w+(?==)|'(?:notifications|logging)/\w+(?:/\w+)?'", handlers)
    return {name.strip("'") for name in named}


def events() -> set[str]:
    """What hosts and git call hooks for."""
    return {*host.EVENTS, *shims.EVENTS, *shims.REVIEWS}


def payload_keys() -> set[str]:
    """Keys that are looked up in what a host gives a hook."""
    names = {
        *hook_event._FILE,
        *hook_event._FILES,
        *hook_event._PATCH,
        *hook_event._PRINTED,
        *hook_event._STATUS,
    }
    for node in ast.walk(trees()["agents.events.hook_event"]):
        looks = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
        if looks and node.func.attr.startswith(("first_", "get")):
            names |= {word.value for word in node.args if isinstance(word, ast.Constant)}
    return {key for key in names if isinstance(key, str)}


SOURCES: dict[str, Callable[[], set[str]]] = {
    "Variables": variables,
    "Files": opening,
    "git": asking,
    "Streams and the network": streaming,
    "Arguments": arguments,
    "Methods": methods,
    "Hooks": events,
    "Payloads": payload_keys,
}


@cache
def listed() -> dict[str, list[str]]:
    """What the first column of each table names, by the heading above it."""
    names: dict[str, list[str]] = {}
    heading = ""
    for line in PAGE.read_text("utf-8").splitlines():
        if line.startswith("## "):
            heading = line[3:]
        elif line.startswith("| ") and heading in SOURCES:
            names.setdefault(heading, []).extend(re.findall(r"`([^`]+)`", line.split("|")[1]))
    return names


@table("heading", SOURCES)
def test_every_source_is_listed_and_every_one_listed_is_there(heading: str) -> None:
    there, named = SOURCES[heading](), listed().get(heading, [])
    assert there, f"nothing was found for {heading}: what looks for it is broken"
    missing, stale = sorted(there - set(named)), sorted(set(named) - there)
    assert not missing, f"docs/sources.md, {heading}: say what may decide what by {missing}"
    assert not stale, f"docs/sources.md, {heading}: these are there no more: {stale}"
    assert len(named) == len(set(named)), f"docs/sources.md, {heading}: something is named twice"


def test_the_page_stays_short_enough_to_be_read() -> None:
    assert len(PAGE.read_text("utf-8").splitlines()) <= 170


def test_what_looks_for_sources_sees_a_new_one(monkeypatch: pytest.MonkeyPatch) -> None:
    text = (
        'NAME = "NEW_NAME"\n'
        'a = settings.environment.get(NAME) or environment["NEW_PLACE"]\n'
        "b = open(path).read() + run_git(['log'], cwd=c) + os.read(0, 1)\n"
        "open(path, 'w').write(b)\n"
    )
    monkeypatch.setattr(f"{__name__}.trees", lambda: {"new": ast.parse(text)})
    calls.cache_clear()
    try:
        assert {"NEW_NAME", "NEW_PLACE"} <= variables()
        assert opening() == asking() == streaming() == {"new"}
    finally:
        calls.cache_clear()
    assert all(_MAY_HAVE.search(line) for line in text.splitlines()[1:])
