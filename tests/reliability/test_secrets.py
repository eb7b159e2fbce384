"""A made-up secret through every door that takes text: no byte of it reaches the disk (CT-27)."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import apsw
import pytest

from gitmem.app import App
from gitmem.memory import export_format
from gitmem.operations.maintenance.backup import BackupRequest, make_backup
from gitmem.operations.maintenance.export_import import (
    ExportRequest,
    ImportRequest,
    export_memories,
    import_memories,
)
from gitmem.operations.remember.decide import RecordDecisionRequest, record_decision
from gitmem.operations.remember.link import LinkRequest, link_memories
from gitmem.operations.remember.remember import RememberRequest, remember
from gitmem.operations.remember.revise import ReviseRequest, revise_memory
from gitmem.operations.sessions import session_write
from gitmem.spool import git_events
from gitmem.store.db import projects, seals
from gitmem.store.memory import memories, memory_rows
from tests.support.apps import HOUR, Desk
from tests.support.hooked import Agent
from tests.support.repos import RepoBuilder
from tests.support.secrets import SECRET, leaked
from tests.support.stores import add, make_app, make_repo, said

PROSE = f"The deploy key is {SECRET} and nothing else."
METADATA = json.dumps({"ci": [{"env": {"TOKEN": SECRET}}, PROSE]})


def on_disk(folder: Path) -> bytes:
    """Everything that gitmem keeps: the repository's store and the user's."""
    places = [folder / "repo" / ".gitmem", folder / "home"]
    found = [path for place in places for path in sorted(place.rglob("*")) if path.is_file()]
    assert any(path.name == "memory.db" for path in found)
    return b"".join(path.read_bytes() for path in found)


def lines() -> str:
    record = {"content": PROSE, "title": PROSE, "tags": [SECRET], "metadata": {"k": SECRET}}
    return json.dumps(record) + "\n" + json.dumps({"content": "fine", "path": f"src/{SECRET}"})


def imported() -> str:
    plain = json.loads(export_format.memory_as_json_line(said()))
    spoilt = dict.fromkeys(
        ("content", "title", "agent", "author", "branch", "session", "commit", "source"), PROSE
    )
    return json.dumps(plain | spoilt | {"tags": [SECRET], "metadata": {"k": [SECRET]}})


def two(app: App) -> tuple[str, str]:
    return add(app, "One"), add(app, "Two")


DOORS: dict[str, Callable[[App], object]] = {
    "text": lambda app: add(app, PROSE),
    "title": lambda app: add(app, "Text", title=PROSE),
    "tag": lambda app: add(app, "Text", tag=(SECRET,)),
    "path": lambda app: add(app, "Text", path=(f"src/{SECRET}.py",)),
    "metadata": lambda app: add(app, "Text", metadata=METADATA),
    "global": lambda app: add(app, PROSE, scope="global", metadata=METADATA),
    "batch": lambda app: remember(app, RememberRequest(lines(), piped=True)),
    "decision": lambda app: record_decision(
        app, RecordDecisionRequest(title=PROSE, why=PROSE, author=PROSE)
    ),
    "revision": lambda app: [
        revise_memory(
            app, ReviseRequest(item, PROSE, title=PROSE, tag=(SECRET,), metadata=METADATA)
        )
        for item in two(app)
    ],
    "revision of a revision": lambda app: [
        revise_memory(app, ReviseRequest(item, text))
        for item in two(app)
        for text in (PROSE, "Clean")
    ],
    "link": lambda app: link_memories(app, LinkRequest(*two(app), context=PROSE)),
    "session": lambda app: session_write.start_session(
        app, session_write.StartSessionRequest(PROSE)
    ),
    "note": lambda app: session_write.note_in_session(
        app, session_write.SessionNoteRequest(PROSE, file=(f"src/{SECRET}.py",), goal=PROSE)
    ),
    "end of a session": lambda app: [
        session_write.start_session(app, session_write.StartSessionRequest("goal")),
        session_write.end_session(app, session_write.EndSessionRequest(PROSE)),
    ],
    "import": lambda app: import_memories(app, ImportRequest(imported(), piped=True)),
}


@pytest.mark.parametrize("door", DOORS)
def test_no_door_lets_a_secret_in(app: App, tmp_path: Path, door: str) -> None:
    DOORS[door](app)
    written = make_backup(app, BackupRequest()).written
    app.close()
    assert not leaked(on_disk(tmp_path))
    assert b"[redacted:" in on_disk(tmp_path)
    assert Path(written).stat().st_size


def test_an_agent_named_like_a_secret(tmp_path: Path) -> None:
    app = make_app(tmp_path, agent=SECRET)
    add(app, "Text")
    session_write.note_in_session(app, session_write.SessionNoteRequest("note"))
    app.close()
    assert not leaked(on_disk(tmp_path))


def test_a_branch_named_like_a_secret(tmp_path: Path) -> None:
    make_repo(tmp_path).branch(f"fix/{SECRET}")
    app = make_app(tmp_path)
    add(app, "Text")
    session_write.note_in_session(app, session_write.SessionNoteRequest("note"))
    app.close()
    assert not leaked(on_disk(tmp_path))


def test_what_hooks_and_readers_note_of_a_branch_a_file_and_a_command(
    repo: RepoBuilder,
) -> None:
    """What a hook appends lies as it is until it is worked off, and is gone then."""
    repo.commit("First", {"src/app.py": "x = 1\n"})
    repo.branch(f"fix/{SECRET}")
    repo.write({f"src/{SECRET}.py": "x = 1\n"})
    desk = Desk(repo.path, repo.home, GITMEM_MODEL="hashed")
    desk.run("init", no_hooks=True)
    agent = Agent(desk)
    app = desk.app()
    spool, word = app.spool_folder, seals.derive_log_line_token(app.signing_key)
    app.close()
    git_events.record_edited_files(spool, ".", [f"src/{SECRET}.py"], word)
    shown = [desk.text("orient", by="claude-code") for _ in "12"]
    agent.start(transcript=f"/home/{SECRET}.jsonl")
    agent.edit(f"src/{SECRET}.py")
    agent.command(f"pytest --token {SECRET}", f"ValueError: {SECRET}", failed=True)
    agent.compact()
    agent.work_off()
    agent.end()
    desk.run("drain")
    repo.branch("back-again")
    desk.clock.advance(HOUR)
    shown.append(desk.text("orient"))
    assert not leaked(on_disk(repo.path.parent))
    assert not leaked("\n".join(shown).encode())


def test_a_project_named_like_a_secret(repo: RepoBuilder) -> None:
    repo.commit("First", {".gitmem.toml": f'name = "shop {SECRET}"\n', "a.py": "x = 1\n"})
    desk = Desk(repo.path, repo.home, GITMEM_MODEL="hashed")
    desk.run("init", no_hooks=True)
    desk.run("remember", text="Redis listens on 6380")
    verbs = ("orient", "status", "projects", "doctor", "summary", "list")
    shown = "\n".join(desk.text(verb) for verb in verbs)
    assert "shop [redacted:" in shown
    assert "Redis listens" in shown
    assert not leaked(on_disk(repo.path.parent)) and not leaked(shown.encode())


def test_a_project_entered_under_a_secret_by_an_older_version(repo: RepoBuilder) -> None:
    """The key in its memories was redacted even then; the project's own is when it is next used."""
    repo.commit("First", {".gitmem.toml": f'name = "shop {SECRET}"\n', "a.py": "x = 1\n"})
    desk = Desk(repo.path, repo.home, GITMEM_MODEL="hashed")
    desk.run("init", no_hooks=True)
    with closing(desk.app()) as app, app.store.write():
        key = f"shop {SECRET}"
        app.store.run("UPDATE projects SET key = ?1, name = ?1", (key,))
        ((known, *_),) = json.loads(projects.get_meta(app.store, "identities") or "")
        old = json.dumps([[known, key, "name", key]])
        app.store.run(
            "UPDATE meta SET key = 'identity', value = ? WHERE key = 'identities'", (old,)
        )
    assert leaked(on_disk(repo.path.parent))
    desk.run("status")
    with closing(desk.app()) as app:
        assert app.store.rows("SELECT key FROM projects") == [("shop [redacted:github-token]",)]
        assert app.store.rows("SELECT alias FROM project_aliases") == []
        app.store.connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
    assert not leaked(desk.store.read_bytes())


def test_a_remote_with_a_password_in_its_address(tmp_path: Path) -> None:
    repo: RepoBuilder = make_repo(tmp_path)
    repo.git("remote", "add", "origin", f"https://me:{SECRET}@example.org/a/b.git")
    app = make_app(tmp_path)
    add(app, "Text")
    app.close()
    assert not leaked(on_disk(tmp_path))


def test_a_secret_stored_before_its_kind_was_known_does_not_leave(app: App, tmp_path: Path) -> None:
    """As if an older gitmem had stored it: the row is whole, only not redacted."""
    id = add(app, "Placeholder")
    stored = memories.get_memory(app.store, id)
    assert stored
    old = memory_rows.memory_from_json_line(memory_rows.memory_to_json_line(stored))
    spoilt = said(PROSE)
    fields = {name: getattr(old, name) for name in old.__slots__} | {"content": PROSE}
    digest = memory_rows.memory_content_hash(type(spoilt)(**fields))
    seal = seals.seal_of_memory(app.store, digest)
    app.store.run("UPDATE memories SET content = ?, hash = ?, seal = ?", (PROSE, digest, seal))
    target = tmp_path / "out.jsonl"
    export_memories(app, ExportRequest(str(target)))
    shown = "\n".join(export_memories(app, ExportRequest()).lines)
    assert not leaked(target.read_bytes()) and not leaked(shown.encode())
    assert "[redacted:" in shown
