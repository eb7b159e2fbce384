"""What an archive brings beside a store, such as a session's log, is never one's own (S-18)."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import apsw
import pytest

from gitmem.agents.events import event_log, session_claim, session_state
from gitmem.agents.events.event_log import RecordedEvent
from gitmem.githooks import installer, shims
from gitmem.spool import git_events
from gitmem.store.db import projects, seals
from gitmem.store.session import sessions, usage
from tests.reliability.scoring import Score
from tests.support.apps import DAY, NOW, Desk, copy_of, small_repo
from tests.support.hooked import CLIENT, Agent
from tests.support.repos import RepoBuilder

EVIL = "ran curl evil, which always works"
LOGS = ("sessions", "spool", "hooks-seen", "memory.db.usage")


@pytest.fixture(scope="module")
def theirs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A stranger's repository whose hooks have noted what no drain has dealt with."""
    repo = small_repo(tmp_path_factory.mktemp("theirs"))
    desk = Desk(repo.path, repo.home, GITMEM_NO_BACKGROUND="1")
    desk.run("init", no_index=True)
    note_all(desk)
    return repo.path


def note_all(desk: Desk, *, sealed: bool = True, text: str = EVIL) -> None:
    """What hooks would note of a session and of a switch, and what was counted."""
    at = desk.clock.now()
    note = RecordedEvent(
        event_log.START, at, "claude-code", CLIENT, str(desk.place), text="/evil.jsonl"
    )
    message = RecordedEvent(
        event_log.RAN, at + 1, "claude-code", CLIENT, str(desk.place), text=text
    )
    lines = b"".join(event_log.format_log_line(item, desk.key) for item in (note, message))
    head = f"gm1 checkout {at // 1000} refs/heads/evil {'a' * 40} {'a' * 40} {'b' * 40} 1\n"
    counted = usage.format_usage_line(
        at // DAY, "evil-agent", "recall", 9, 9, 9, desk.token if sealed else ""
    )
    for name, content in (("sessions", lines), ("spool", f"{desk.token} {head}".encode())):
        folder = desk.store.parent / name
        folder.mkdir(exist_ok=True)
        (folder / "events").write_bytes(content)
    if not sealed:
        unseal(desk.store.parent)
    desk.store.with_name("memory.db.usage").write_bytes(counted)
    app = desk.app()
    observed = session_claim.session_state_folder(app)
    session_state.acquire_claim(observed, CLIENT, "start", at)
    session_state.defer_text(observed, CLIENT, EVIL)
    app.close()


def unseal(folder: Path) -> None:
    """Make what waits such as an older gitmem wrote it."""
    notes, spool = folder / "sessions" / "events", folder / "spool" / "events"
    lines = notes.read_bytes().splitlines()
    notes.write_bytes(b"".join(line.rpartition(b', "seal"')[0] + b"}\n" for line in lines))
    spool.write_bytes(spool.read_bytes().partition(b" ")[2])


def forget_seals(store: Path) -> None:
    """Let a store say no more than one of an older gitmem does."""
    database = apsw.Connection(str(store))
    database.execute("DELETE FROM meta WHERE key IN (?, ?)", (seals.SESSIONS, seals.SPOOL))
    database.close()


def believed(desk: Desk) -> str:
    """All that the drain made of what waits, as the store says it."""
    desk.run("drain")
    app = desk.app(agent="claude-code")
    try:
        store = app.store
        found = [*sessions.recent_sessions(store, 50), *sessions.events_in_period(store, limit=50)]
        observed = session_claim.session_state_folder(app)
        waiting = session_state.take_deferred_text(observed, CLIENT)
        counted = {"evil-agent"} & usage.usage_counts_since(store, 0, include_log=True).keys()
        claimed = not session_state.is_claim_available(observed, CLIENT, "start", desk.clock.now())
        return f"{found} {waiting} {counted or ''} {claimed}"
    finally:
        app.close()


def nothing_of_theirs(message: str) -> bool:
    return not [word for word in ("evil", CLIENT, "True") if word in message]


def _folder(theirs: Path, place: Path) -> Desk:
    """Unpacked outside of any repository, and made a folder with memory."""
    shutil.copytree(theirs, place)
    shutil.rmtree(place / ".git")
    desk = Desk(place, place.parent / "home", GITMEM_NO_BACKGROUND="1")
    (place / ".gitmem" / "memory.db").unlink()
    desk.run("init", folder=True, no_index=True)
    return desk


def _repository(theirs: Path, place: Path) -> Desk:
    """Unpacked with its git folder, and set up."""
    shutil.copytree(theirs, place)
    (place / ".gitmem" / "memory.db").unlink()
    desk = Desk(place, place.parent / "home", GITMEM_NO_BACKGROUND="1")
    desk.run("init", no_index=True, no_hooks=True)
    return desk


def _over(theirs: Path, place: Path) -> Desk:
    """Unpacked over a repository with a store of the user's own."""
    repo = small_repo(place.parent)
    desk = Desk(repo.path, repo.home, GITMEM_NO_BACKGROUND="1")
    desk.run("init", no_index=True)
    for path in (theirs / ".gitmem").iterdir():
        if path.name.startswith(LOGS):
            target = desk.store.parent / path.name
            copy = shutil.copytree if path.is_dir() else shutil.copy
            copy(path, target, **({"dirs_exist_ok": True} if path.is_dir() else {}))  # type: ignore[operator]
    return desk


def _trusted(theirs: Path, place: Path) -> Desk:
    """With a store that a person takes over: of what waits beside it nothing was shown."""
    shutil.copytree(theirs, place)
    unseal(place / ".gitmem")
    forget_seals(place / ".gitmem" / "memory.db")
    desk = Desk(place, place.parent / "home", GITMEM_NO_BACKGROUND="1")
    desk.run("trust", store=True, yes=True)
    return desk


def _unsealed(theirs: Path, place: Path) -> Desk:
    """Over one's own, as an older gitmem would have written it."""
    desk = _over(theirs, place)
    for name in LOGS:
        path = desk.store.parent / name
        shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
    note_all(desk, sealed=False)
    shutil.rmtree(session_folder(desk))
    return desk


def session_folder(desk: Desk) -> str:
    app = desk.app()
    try:
        return session_claim.session_state_folder(app)
    finally:
        app.close()


ARRIVALS: dict[str, Callable[[Path, Path], Desk]] = {
    "a plain folder": _folder,
    "a repository": _repository,
    "over one's own": _over,
    "with a store that is trusted": _trusted,
    "without seals": _unsealed,
}


def test_what_a_stranger_s_hooks_noted_is_believed_nowhere(
    theirs: Path, tmp_path: Path, score: Score
) -> None:
    for number, (name, arrive) in enumerate(ARRIVALS.items()):
        place = tmp_path / str(number)
        place.mkdir()
        desk = arrive(theirs, place / "repo")
        assert nothing_of_theirs(message := believed(desk)), f"{name}: {message}"
    score.report("logs of strangers", cases=len(ARRIVALS), fired=len(ARRIVALS))


def test_what_one_s_own_hooks_noted_is_believed_also_in_a_copy(tmp_path: Path) -> None:
    repo = small_repo(tmp_path)
    desk = Desk(repo.path, repo.home, GITMEM_NO_BACKGROUND="1")
    desk.run("init", no_index=True, no_hooks=True)  # a worktree would start a drain
    note_all(desk)
    copied = desk.at(copy_of(repo, tmp_path / "copy").path)
    linked = desk.at(repo.worktree(tmp_path / "linked", "side").path)
    for item in (copied, linked):
        message = believed(item)
        assert (
            EVIL in message and "refs/heads/evil" not in message and "switched to evil" in message
        )
        assert "evil-agent" in message and message.endswith("True")


def test_after_an_upgrade_what_waited_is_dealt_with_once(tmp_path: Path) -> None:
    """An older gitmem sealed nothing, and its hooks' script goes on without the word."""
    repo = small_repo(tmp_path)
    desk = Desk(repo.path, repo.home, GITMEM_NO_BACKGROUND="1")
    desk.run("init", no_index=True)
    older(desk, repo)
    note_all(desk, sealed=False)
    repo.git("commit", "-q", "--allow-empty", "-m", "By the old script")
    (desk.store.parent / session_state.FOLDER).mkdir()
    message = believed(desk)
    assert EVIL in message and "switched to evil" in message
    assert not (desk.store.parent / session_state.FOLDER).exists()
    script = (repo.path / ".git" / shims.SCRIPT).read_bytes()
    assert desk.token.encode() in script and shims.start_command_in_script(script) == ["/bin/true"]
    note_all(desk, sealed=False, text="said once more")
    assert "once more" not in believed(desk)
    agent = Agent(desk, "another-session-of-a-host")
    agent.edit("README.md")
    believed(desk)
    assert len(agent.sessions()) == 1, "what is sealed still comes"


def test_a_backup_of_an_older_gitmem_opens_no_door(tmp_path: Path) -> None:
    repo = small_repo(tmp_path)
    desk = Desk(repo.path, repo.home, GITMEM_NO_BACKGROUND="1")
    desk.run("init", no_index=True)
    older(desk, repo)
    desk.run("backup")
    desk.run("restore-backup")
    note_all(desk, sealed=False)
    assert believed(desk).startswith("[] ")


def older(desk: Desk, repo: RepoBuilder) -> None:
    """As an older gitmem left it: a store that says nothing of seals, a script without the word."""
    forget_seals(desk.store)
    app = desk.app()
    script = shims.hook_script_text(installer.store_path_from_git_dir(app.layout), ["/bin/true"])
    app.close()
    (repo.path / ".git" / shims.SCRIPT).write_bytes(script)


def test_a_store_of_which_hooks_of_an_older_gitmem_are_known_waits_for_their_renewal(
    tmp_path: Path,
) -> None:
    repo = small_repo(tmp_path)
    desk = Desk(repo.path, repo.home, GITMEM_NO_BACKGROUND="1")
    desk.run("init", no_index=True)
    older(desk, repo)
    (repo.path / ".git" / shims.SCRIPT).unlink()
    for _ in range(2):
        assert git_events.record_outdated_worktree(
            str(desk.store.parent / "spool"), git_events.MAIN, ""
        )
        assert desk.run("drain").events == 1
    desk.run("hooks install")
    desk.run("drain")
    assert git_events.record_outdated_worktree(
        str(desk.store.parent / "spool"), git_events.MAIN, ""
    )
    assert desk.run("drain").events == 0
    app = desk.app()
    assert projects.get_meta(app.store, seals.SPOOL)
    app.close()


def test_a_script_that_cannot_be_renewed_keeps_no_event_waiting(tmp_path: Path) -> None:
    repo = small_repo(tmp_path)
    desk = Desk(repo.path, repo.home, GITMEM_NO_BACKGROUND="1")
    desk.run("init", no_index=True)
    older(desk, repo)
    place = repo.path / ".git" / "gitmem"
    place.rename(tmp_path / "elsewhere")
    place.symlink_to(tmp_path / "elsewhere")
    note_all(desk, sealed=False)
    assert "switched to evil" in believed(desk)
    assert desk.token.encode() not in (tmp_path / "elsewhere" / "hook.sh").read_bytes()


def test_without_a_key_nothing_is_noted(tmp_path: Path) -> None:
    note = RecordedEvent(event_log.EDIT, NOW, "codex", CLIENT, str(tmp_path), files=("a.py",))
    assert not event_log.append_session_event(str(tmp_path), note, b"")
    assert list(tmp_path.iterdir()) == []
