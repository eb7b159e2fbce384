"""An upgrade from an older checkout: all that it can make, read back by the present program.

    git worktree add --detach /tmp/old 3c26fa23
    python -m tests.reliability.upgrade --old /tmp/old --repository /some/clone --into /tmp/upgrade

One virtual environment holds first the older program and then this one, as after ``pip install
--upgrade``: hooks and agents go on calling the same command. The older one fills a clone of the
repository with every kind of row, setting and wiring and is asked what there is; this one is asked
the same. Printed are what was made, each answer that lost something, each line on standard error
that came more than once, and what refused. Exits with 1 where something was lost or refused.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sqlite3
import subprocess
import sys
import venv
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from gitmem.settings import AGENT_MARKS
from gitmem.store.db import schema

ROOT = Path(__file__).resolve().parents[2]
RELATIONS = (
    "SOLVES",
    "CAUSES",
    "REQUIRES",
    "RELATED_TO",
    "ADDRESSES",
    "CONTRADICTS",
    "SUPERSEDES",
    "IMPLEMENTED_BY",
)
_AGENTS = "claude-code claude-desktop codex gemini antigravity cursor copilot vscode opencode"
AGENTS = (*_AGENTS.split(), "windsurf", "kimi", "qwen", "zed", "generic")
CLIENT = {"name": "upgrade", "version": "1"}
KINDS = ("note", "convention", "fix", "problem", "workflow", "pattern", "task")
# What a person may have set, in the project or (``--user``) for all of them.
PROJECT = {
    "name": "shop",
    "orient.budget": "900",
    "recall.limit": "7",
    "search.fusion": "rrf",
    "search.meaning": "0.4",
    "cache.policy": "lfu",
    "cache.ttl_seconds": "20",
    "cache.results": "32",
    "index.words": "400",
    "index.exclude": "gen/*",
    "project.paths": "tests",
    "capture.every": "10",
    "decay.days": "30",
    "backup.keep": "5",
    "model": "builtin",
}
USER = {
    "timezone": "Europe/Berlin",
    "cache.policy": "fifo",
    "cache.ttl_seconds": "40",
    "log.level": "info",
    "working.ttl_minutes": "90",
    "duplicates.merge_from": "0.95",
    "copy.interval_minutes": "1",
}
EVENTS: tuple[tuple[str, dict[str, object]], ...] = (
    ("file_opened", {"path": "README.md", "content": "opened"}),
    ("command_executed", {"command": "make test", "output": "2 passed"}),
    ("error_occurred", {"error": "KeyError: price in cart.py:7", "fix": "Default it to 0"}),
    ("error_occurred", {"error": "ValueError: bad rate in tax.py:9"}),
    ("decision_made", {"title": "Count in cents", "why": "Floats lose", "paths": ["README.md"]}),
    ("session_start", {"goal": "Mend the till"}),
    ("session_end", {"summary": "The till is mended"}),
    ("pattern_detected", {"name": "early-return", "description": "Return early", "code": "x"}),
    ("user_feedback", {"rating": 5, "comment": "Well done"}),
)
# Asked of both programs, by name; the answers are compared as JSON.
QUESTIONS = {
    "list": ("list", "--state", "any", "--limit", "1000"),
    "list of tests": ("list", "--state", "any", "--limit", "1000", "--project", "tests"),
    "inbox": ("inbox",),
    "inbox decided": ("inbox", "--resolved"),
    "sessions": ("session", "list"),
    "features": ("feature", "list"),
    "skills": ("skill", "list"),
    "patterns": ("pattern", "list", "--limit", "1000"),
    "patterns active": ("pattern", "list", "--active"),
    "settings": ("config",),
    "backups": ("backup", "--list"),
    "timeline": ("timeline",),
    "hooks": ("hooks", "status"),
    "setup": ("setup", "--status"),
    "setup of the user": ("setup", "--status", "--scope", "user"),
    "stats": ("stats",),
    "projects": ("projects",),
    "model": ("model", "status"),
    "recall": ("recall", "redis"),
    "recall by meaning": ("recall", "port", "--mode", "semantic"),
    "search": ("search", "redis"),
}
EACH = ("show", "history", "related")  # asked of each memory
# Asked of this program alone; what it writes on standard error counts.
THEN: tuple[tuple[str, ...], ...] = (
    ("status",),
    ("doctor",),
    ("orient",),
    ("index",),
    ("doctor",),
    ("verify",),
    ("session", "show"),
    ("ask", "which port has redis"),
    ("context", "redis"),
    ("export", "../after.jsonl", "--scope", "all"),
    ("setup", "--dry-run"),
    ("setup",),
    ("setup", "--dry-run"),
    ("hooks", "install"),
    ("hooks", "status"),
    ("inbox",),
    ("status",),
    ("doctor",),
    ("config",),
)
WENT: tuple[tuple[str, ...], ...] = (
    ("entity", "show", "README.md"),
    ("entity", "timeline", "README.md"),
    ("entity", "lineage", "README.md"),
    ("entity", "path", "README.md", "setup.py"),
    ("entity", "export", "e.json"),
    ("entity", "import", "entities.json"),
    ("route", "a note"),
    ("deja-vu", "KeyError"),
    ("config", "cache.policy"),
    ("config", "cache.policy", "lru"),
    ("config", "cache.ttl_seconds"),
)
# What names a member of a list.
NAMES = ("ref", "relation", "id", "key", "name", "slug", "agent", "scope", "version")
# What differs between any two answers: their own time, what counts uses, and measures.
FLEETING = {"quoted", "since", "last_access", "accesses", "uses", "rank", "written_at", "score"}
# Tables that every use writes: how often, when and under which name.
WRITTEN = {"meta", "projects", "project_aliases", "usage", "usage_days", "jobs", "presence"}


class World:
    """A home, an environment with one of two programs, and a repository."""

    def __init__(self, into: Path) -> None:
        self.into, self.repo = into, into / "repo"
        self.program = into / "venv" / "bin" / "gitmem"
        self.made: Counter[str] = Counter()
        self.refused: list[str] = []
        self.errors: Counter[str] = Counter()
        saved = {k: v for k, v in os.environ.items() if k not in AGENT_MARKS and "GIT" not in k}
        (into / "home").mkdir(parents=True, exist_ok=True)
        self.env = saved | {
            "HOME": str(into / "home"),
            "GITMEM_HOME": str(into / "home" / "data"),
            "PATH": f"{self.program.parent}:{os.environ['PATH']}",
            "GIT_AUTHOR_NAME": "Ada",
            "GIT_AUTHOR_EMAIL": "ada@example.org",
            "GIT_COMMITTER_NAME": "Ada",
            "GIT_COMMITTER_EMAIL": "ada@example.org",
        }

    def environment_of(self, code: Path) -> None:
        """Have the one command run the program of this checkout."""
        if not self.program.exists():
            venv.create(self.into / "venv", symlinks=True)
            (packages,) = (self.into / "venv").glob("lib/python*/site-packages")
            shared = next(path for path in sys.path if path.endswith("site-packages"))
            (packages / "both.pth").write_text(f"{self.into / 'code'}\n{shared}\n")
            start = "import sys\nfrom gitmem.cli.main import main\nsys.exit(main())\n"
            self.program.write_text(f"#!{self.program.parent / 'python'}\n{start}")
            self.program.chmod(0o755)
        link = self.into / "code"
        link.unlink(missing_ok=True)
        link.symlink_to(code)

    def git(self, *words: str, at: Path | None = None) -> str:
        done = subprocess.run(
            ("git", *words), cwd=at or self.repo, env=self.env, capture_output=True, text=True
        )
        if done.returncode:
            raise SystemExit(f"git {' '.join(words)}: {done.stderr}")
        return done.stdout

    def ask(self, *words: str, at: Path | None = None, given: str = "") -> tuple[int, str, str]:
        done = subprocess.run(
            (str(self.program), *words),
            cwd=at or self.repo,
            env=self.env,
            input=given,
            capture_output=True,
            text=True,
            timeout=300,
        )
        return done.returncode, done.stdout, done.stderr

    def make(self, what: str, *words: str, at: Path | None = None, given: str = "") -> Any:
        """Have something made; its JSON, or None where it was refused."""
        status, out, err = self.ask(*words, "--json", at=at, given=given)
        if status:
            self.refused.append(f"made: {' '.join(words)}: {err.strip()[:300]}")
            return None
        self.made[what] += 1
        return json.loads(out) if out.strip() else None

    def tell(self, *words: str) -> None:
        """What the present program says to a person."""
        status, out, err = self.ask(*words)
        print(f"--- gitmem {' '.join(words)} ({status})\n{out[:3000]}")
        for line in err.splitlines():
            self.errors[line] += 1
            print(f"    stderr: {line}")


def identity(output: Any) -> str:
    """The id of what was just saved, wherever the answer has it."""
    for key in ("memory", "decision", "skill", "saved", "memories"):
        if output and isinstance(output, dict) and key in output:
            held = output[key]
            return identity(held[0] if isinstance(held, list) else held)
    return str(output["id"]) if output and "id" in output else ""


def fill(world: World, source: Path) -> None:
    """Everything the program of the time can make."""
    world.git("clone", "-q", str(source), str(world.repo), at=world.into)
    world.git("remote", "set-url", "origin", "git@example.org:ada/shop.git")
    world.git("remote", "add", "upstream", "git@example.org:whole/shop.git")
    for key, value in USER.items():
        world.make("setting of the user", "config", key, value, "--user")
    world.make("project", "init")
    for key, value in PROJECT.items():
        world.make("setting of the project", "config", key, value)
    fill_memories(world)
    fill_decisions(world)
    fill_documents(world)
    fill_sessions(world)
    fill_wiring(world)
    world.make("setting of the project", "config", "agent", "ada")


def fill_memories(world: World) -> None:
    remember = ("remember", "--duplicates", "allow")
    some = [
        identity(world.make(f"memory: {kind}", *remember, f"The {kind} about redis", "-k", kind))
        for kind in KINDS
    ]
    for words in (
        ("Everywhere: use tabs", "--scope", "global", "--tag", "style"),
        ("For an hour: port 6380", "--layer", "working"),
        ("Kept for a week", "--ttl", "7d", "--fixed"),
        ("Valid for a while", "--valid-from", "2020-01-01", "--valid-until", "2021-01-01"),
        ("Cited lines", "--anchor", "README.md:1-3", "--tag", "redis", "--tag", "till"),
        ("About a file", "--path", "README.md", "--weight", "5", "--importance", "0.9"),
        ("With code", "--code", "print(1)", "--language", "python", "--metadata", '{"a": 1}'),
        ("From a pull request", "--from", "#12", "--author", "Eve", "--confidence", "0.6"),
        ("Pinned for ever", "--pin"),
        ("For the tests alone", "--project", "tests"),
        ("What an agent said of the tax", "--agent", "claude"),
        ("In its words: the \u20ac sign \U0001f600 and\nlines",),
    ):
        world.make(f"memory with {' '.join(words[1:2]) or 'nothing'}", *remember, *words)
    world.make("memory: expired", *remember, "Gone in a second", "--ttl", "1s")
    away = identity(world.make("memory: archived", *remember, "To be archived"))
    world.make("archived", "forget", away)
    lost = identity(world.make("memory: purged", *remember, "To be deleted"))
    world.make("purged", "purge", lost, "--yes")
    world.make("revised", "revise", some[0], "The note about redis, corrected", "--tag", "new")
    world.make("revised", "revise", some[0], "The note about redis, corrected twice")
    world.make("replaced", *remember, "Redis is on 6381", "--supersedes", some[3])
    world.make("promoted", "promote", some[4], "--to", "global")
    for relation in RELATIONS[:-1]:
        other = some[5 + RELATIONS.index(relation) % 2]
        output = ("--as", relation, "--strength", "0.7", "--context", "seen")
        first = some[1] if relation != "SUPERSEDES" else some[2]
        world.make(f"link {relation}", "link", first, other, *output)
    commit = world.git("rev-parse", "HEAD").strip()
    world.make("link IMPLEMENTED_BY", "link", some[1], commit, "--as", "IMPLEMENTED_BY")
    world.make("feedback", "feedback", some[1], "--useful")
    world.make("feedback", "feedback", some[5], "--wrong")
    lines = "".join(json.dumps({"content": f"From elsewhere {n}"}) + "\n" for n in range(3))
    (world.into / "others.jsonl").write_text(lines)
    world.make("foreign", "import", str(world.into / "others.jsonl"))
    alike = [
        world.make("twin", *remember, text, "--agent", name)
        for text, name in (
            ("The deploy needs the VPN and a token of the bank", "claude"),
            ("The deploy needs the VPN and a bank token", "codex"),
            ("Uploads go through the proxy of the office", "claude"),
            ("Uploads go through the office proxy", "codex"),
        )
    ]
    world.make("merge", "merge", identity(alike[0]), identity(alike[1]))
    world.make("reinforced", "remember", "The convention about redis", "-k", "convention")


def fill_decisions(world: World) -> None:
    first = identity(world.make("decision", "decide", "Use redis", "-w", "Fast"))
    world.make("decision superseding", "decide", "Use valkey", "-w", "Free", "--supersedes", first)
    for status in ("proposed", "deprecated", "accepted"):
        words = ("--status", status, "--path", "README.md", "-w", f"It is {status}")
        world.make(f"decision {status}", "decide", f"A {status} thing", *words)
    world.make("decision of an agent", "decide", "Round down", "-w", "Law", "--agent", "claude")
    world.make("decision everywhere", "decide", "Write tests", "-w", "Bugs", "--scope", "global")


def fill_documents(world: World) -> None:
    records = world.repo / "docs" / "adr"
    records.mkdir(parents=True, exist_ok=True)
    (records / "0001-keep-it.md").write_text(
        "# 1. Keep it\n\n## Status\n\nAccepted\n\n## Context\n\nA\n\n## Decision\n\nKeep it.\n"
    )
    (records / "0002-propose-it.md").write_text(
        "# 2. Propose it\n\n## Status\n\nAccepted\n\n## Context\n\nA\n\n## Decision\n\nDo it.\n"
    )
    (world.repo / "AGENTS.md").write_text("# Rules\n\nRun make test before a commit.\n")
    world.make("ADR import", "adr", "import", "docs/adr/0001-keep-it.md")
    world.make("ADR proposed", "adr", "import", "docs/adr/0002-propose-it.md", "--propose")
    world.make("ADR export", "adr", "export", "out/adr")
    world.make("documents", "import-docs")
    for scope in ("project", "global"):
        words = ("-t", "Release", "--trigger", "ship", "-p", "tag: The release", "--scope", scope)
        world.make(f"skill {scope}", "skill", "create", f"release-{scope}", "Push {{tag}}", *words)
    world.make("skill invoked", "skill", "invoke", "release-project", "--with", "tag=v1")
    world.make("skill export", "skill", "export", "release-project", "--to", ".agents/skills")
    folder = world.repo / "lent" / "deploy"
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text("---\nname: deploy\ndescription: How\n---\nRun it.\n")
    world.make("skill import", "skill", "import", "lent")
    rule = json.dumps({"check": "call", "names": ["print"]})
    checked = ("--name", "no-print", "--rule", rule, "--language", "python")
    world.make("pattern stated", "pattern", "learn", "No print", *checked)
    world.make("pattern built in", "pattern", "learn", "--built-in", "errors")
    world.make("pattern of an agent", "pattern", "learn", "Never call `exec()`.", "--agent", "x")
    world.make("patterns learned", "pattern", "learn")


def fill_sessions(world: World) -> None:
    world.make("session", "session", "start", "Make the till round", "--agent", "claude")
    world.make("session note", "session", "note", "Half done", "--file", "README.md")
    world.make("note", "session", "note", "critical: mind the law", "--agent", "claude")
    world.make("memory of it", "remember", "Said in a session", "--agent", "claude")
    world.make("session ended", "session", "end", "Rounded", "--agent", "claude")
    world.make("session running", "session", "start", "A second goal", "--agent", "codex")
    world.make("compacted", "session", "compact", "--strategy", "selective", "--agent", "codex")
    for name, payload in EVENTS:
        world.make(f"event {name}", "event", name, "--payload", json.dumps(payload))
    world.git("checkout", "-q", "-b", "till")
    (world.repo / "till.py").write_text("def till(price):\n    return round(price)\n")
    world.git("add", "till.py", "AGENTS.md")
    world.git("commit", "-q", "-m", "Use cents instead of floats\n\nBecause floats lose money.")
    world.make("feature", "feature", "set", "till")
    world.make("on a branch", "remember", "Only on the branch", "--anchor", "till.py#till")
    for n in range(3):
        words = ("fix: round the till down", "--allow-empty")
        world.git("commit", "-q", "-m", *words)
        world.make("usage", "recall", f"till {n}")
    world.git("worktree", "add", "-q", str(world.into / "tree"), "-b", "side")
    world.make("in a worktree", "remember", "In a worktree", at=world.into / "tree")
    world.make("index", "index")
    world.make("tuned", "model", "tune")
    # accepted, rejected, and left waiting
    waiting = (world.make("inbox", "inbox") or {}).get("items", [])
    for action, held in zip(("accept", "reject"), waiting, strict=False):
        world.make(f"inbox {action}", "inbox", action, held["id"])
    world.make("entities", "entity", "export", "entities.json")
    world.make("memories exported", "export", str(world.into / "made.jsonl"), "--scope", "all")
    world.make("backup", "backup")
    world.make("verified", "verify")


def fill_wiring(world: World) -> None:
    world.make("hooks", "hooks", "install")
    world.make("setup of the project", "setup", *AGENTS, "--scope", "project", "--skills")
    world.make("setup of the user", "setup", *AGENTS, "--scope", "user")
    for path in (world.repo / ".mcp.json", world.repo / ".cursor" / "mcp.json"):
        if path.exists():  # a person narrowed the tools by hand
            held = json.loads(path.read_text())
            for server in held["mcpServers"].values():
                server["args"] += ["--profile", "readonly"]
            path.write_text(json.dumps(held, indent=2) + "\n")
            world.made["entry with a profile"] += 1


def answers(world: World, ids: list[str]) -> dict[str, Any]:
    """What the program says of everything, as JSON by question."""
    questions = dict(QUESTIONS)
    questions |= {f"{verb} {id}": (verb, id) for id in ids for verb in EACH}
    message = {}
    for name, words in questions.items():
        status, out, err = world.ask(*words, "--json")
        message[name] = json.loads(out) if not status and out.strip() else {"refused": err[:400]}
    return message


def leaves(answer: Any, at: str = "") -> Iterator[tuple[str, str]]:
    """Every value of an answer with its place; members of a list stand under what names them."""
    if isinstance(answer, dict):
        for key, value in answer.items():
            if key not in FLEETING:
                yield from leaves(value, f"{at}.{key}")
    elif isinstance(answer, list) and all(isinstance(value, dict) for value in answer):
        for number, value in enumerate(answer):
            names = (str(value[key]) for key in NAMES if value.get(key))
            yield from leaves(value, f"{at}[{' '.join(names) or number}]")
    else:
        yield at, json.dumps(answer, ensure_ascii=False)


def rows(store: Path) -> dict[str, Counter[str]]:
    """The rows of each canonical table of a store, as text."""
    connection = sqlite3.connect(f"file:{store}?mode=ro", uri=True)
    steps = "".join(schema.schema_sql(step) for step in schema.STEPS)
    tables = re.findall(r"CREATE TABLE (\w+)", steps)
    held = {
        table: Counter(repr(row) for row in connection.execute(f"SELECT * FROM {table}"))
        for table in tables
    }
    connection.close()
    return held


def differences(before: Any, after: Any) -> Iterator[str]:
    there = dict(leaves(after))
    for at, value in leaves(before):
        if there.get(at) != value:
            yield f"{at}: {value} -> {there.get(at, 'nothing')}"


def adopt(world: World) -> None:
    """Take over the settings that lay beside the store, as a person is told to."""
    _, out, err = world.ask("config", "--adopt", "--json")
    data = json.loads(out)["notes"] if out else [err]
    world.tell("config", "--adopt", "--agree", data[0].rpartition(" ")[2])


def converse(world: World, name: str) -> None:
    """A session of the agent's protocol, as the entries that setup wrote start it."""
    calls: list[tuple[str, dict[str, Any]]] = [
        ("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": CLIENT}),
        ("tools/call", {"name": "recall", "arguments": {"query": "redis"}}),
        ("tools/call", {"name": name, "arguments": {"text": "x"}}),
    ]
    messages = [
        {"jsonrpc": "2.0", "id": number, "method": method, "params": given}
        for number, (method, given) in enumerate(calls)
    ]
    text = "".join(json.dumps(message) + "\n" for message in messages)
    status, out, err = world.ask("mcp", "--profile", "readonly", given=text)
    print(f"--- an MCP session ({status})")
    print("\n".join(line[:400] for line in (*out.splitlines(), *err.splitlines())))


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.reliability.upgrade")
    parser.add_argument("--old", type=Path, required=True, help="a checkout of the older program")
    parser.add_argument("--repository", type=Path, required=True, help="what is cloned and filled")
    parser.add_argument("--into", type=Path, required=True, help="a folder for all that is made")
    parser.add_argument("--fill", action="store_true", help="only fill, with the older program")
    options = parser.parse_args()
    world = World(options.into.resolve())
    file = world.into / "before.json"
    if not file.exists():
        world.environment_of(options.old.resolve())
        fill(world, options.repository.resolve())
        exported = (world.into / "made.jsonl").read_text().splitlines()
        ids = [row["id"] for row in map(json.loads, exported) if "content" in row]
        file.write_text(json.dumps([ids, answers(world, ids), world.made, world.refused]))
    ids, before, made, world.refused = json.loads(file.read_text())
    print("\n".join(f"made {count:3} {name}" for name, count in made.items()))
    return 0 if options.fill else read_back(world, ids, before)


def read_back(world: World, ids: list[str], before: dict[str, Any]) -> int:
    stores = [world.repo / ".gitmem" / "memory.db", world.into / "home/data/global/memory.db"]
    held = {store: rows(store) for store in stores}
    world.environment_of(ROOT)
    world.git("commit", "-q", "--allow-empty", "-m", "After the upgrade")  # with the older hooks
    world.tell("status")
    world.tell("index")
    adopt(world)
    after = answers(world, ids)
    (world.into / "after.json").write_text(json.dumps(after))
    differ = [f"{name}{line}" for name in before for line in differences(before[name], after[name])]
    for words in THEN:
        world.tell(*words)
    world.git("commit", "-q", "--allow-empty", "-m", "With the present hooks")
    converse(world, "route")
    gone = [
        f"{table}: {row}"
        for store, tables in held.items()
        for now in (rows(store),)
        for table, present in tables.items()
        if table not in WRITTEN
        for row in present - now[table]
    ]
    for store, tables in held.items():
        counts = ", ".join(f"{present.total()} {table}" for table, present in tables.items())
        print(f"{store}: {counts}")
    often = [f"{count} times: {line}" for line, count in world.errors.items() if count > 1]
    for words in WENT:
        world.tell(*words)
    for title, lines in (("differs", differ), ("row gone", gone), ("said", often)):
        print("\n".join(f"{title}: {line[:500]}" for line in lines) or f"{title}: nothing")
    print("\n".join(world.refused) or "nothing was refused while it was made")
    return 1 if gone or often or world.refused else 0


if __name__ == "__main__":
    raise SystemExit(main())
