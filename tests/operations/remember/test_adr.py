"""Decision records: read in three forms, written in three, round and round without change."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitmem.capture import adr_export, adr_import
from gitmem.capture.adr_import import FileOutcome
from gitmem.errors import Conflict, InvalidInput, NotFound
from gitmem.memory import adr_format, draft
from gitmem.memory.draft import MemoryDraft, MemoryOrigin
from gitmem.model.frozen import replace
from gitmem.store.memory import memories, memory_writes
from tests.support.apps import Desk, copy_of
from tests.support.repos import RepoBuilder

NYGARD = (
    "# 7. Use carts\r\n\r\nDate: 2023-05-06\r\n\r\n## Status\r\n\r\nAccepted\r\n\r\n## Context\r\n"
    "\r\nThey roll.\r\n"
)
MADR = (
    "---\nstatus: superseded by [ADR-0009](0009-x.md)\ndate: 2024-01-02\n---\n\n"
    "# ADR-0008: Use bags\n\n## Context and Problem Statement\n\nThey hold.\n\n\n"
)
SIMPLE = "Some line before.\n\n# Use boxes\n\n* Status: deprecated\n\nThey stack."
OTHERS = {
    "docs/adr/0007-use-carts.md": NYGARD,
    "docs/adr/0008-use-bags.md": MADR,
    "docs/adr/boxes.md": SIMPLE,
    "docs/adr/README.md": "# Records\n\nHow we write them.\n",
    "docs/adr/template.md": "# Title\n\nStatus: proposed\n",
}


def actions(done: tuple[FileOutcome, ...]) -> dict[str, str]:
    return {item.file.rpartition("/")[2]: item.action for item in done}


def imported(desk: Desk, *path: str, **more: bool) -> dict[str, str]:
    return actions(desk.run("adr import", path=path, **more).files)


def exported(desk: Desk, folder: str = "docs/decisions", **more: object) -> dict[str, str]:
    return actions(desk.run("adr export", folder=folder, **more).files)


def files(folder: Path) -> dict[str, bytes]:
    return {item.name: item.read_bytes() for item in sorted(folder.iterdir())}


def state(desk: Desk) -> dict[str, tuple[str, str, str]]:
    found = desk.run("list", kind=("decision",), state=("any",)).memories
    return {item.title: (item.content, item.status, item.state) for item in found}


def test_records_of_others_are_read_in_any_form(desk: Desk, repo: RepoBuilder) -> None:
    """ML-35."""
    repo.write(OTHERS)
    assert imported(desk) == {
        "0007-use-carts.md": "added",
        "0008-use-bags.md": "added",
        "boxes.md": "added",
    }
    assert {title: message[1] for title, message in state(desk).items()} == {
        "Use carts": "accepted",
        "Use bags": "superseded",
        "Use boxes": "deprecated",
    }
    (carts,) = desk.run("list").memories
    assert (carts.trust, carts.state, carts.expires_at) == ("repository", "active", None)
    assert set(imported(desk).values()) == {"unchanged"}


def test_written_again_they_are_the_same_bytes(desk: Desk, repo: RepoBuilder) -> None:
    repo.write(OTHERS)
    imported(desk)
    before = files(repo.path / "docs/adr")
    done = exported(desk, "docs/adr")
    assert {name for name, action in done.items() if action != "unchanged"} == {"index.md"}
    after = files(repo.path / "docs/adr")
    assert {name: after[name] for name in before} == before
    assert b"[0007](0007-use-carts.md) | Use carts | accepted | 2023-05-06 |" in after["index.md"]
    assert set(exported(desk, "docs/adr").values()) == {"unchanged"}
    assert set(imported(desk, "docs/adr").values()) == {"unchanged"}


def test_a_status_that_changed_here_is_all_that_changes_there(
    desk: Desk, repo: RepoBuilder
) -> None:
    repo.write({"docs/adr/0007-use-carts.md": NYGARD})
    imported(desk)
    (result,) = desk.run("list").memories
    desk.run("revise", id=result.id, status="deprecated")
    assert exported(desk, "docs/adr")["0007-use-carts.md"] == "updated"
    text = (repo.path / "docs/adr/0007-use-carts.md").read_bytes().decode()
    assert text == NYGARD.replace("Accepted", "Deprecated")
    imported(desk)
    assert state(desk)["Use carts"][1] == "deprecated"


def test_what_changed_in_a_file_is_followed_and_nothing_else(desk: Desk, repo: RepoBuilder) -> None:
    repo.write(OTHERS)
    imported(desk)
    repo.write({"docs/adr/boxes.md": SIMPLE.replace("stack", "fold")})
    assert imported(desk, dry_run=True)["boxes.md"] == "would be updated"
    assert exported(desk, "docs/adr")["boxes.md"] == "left alone"
    assert imported(desk) == {
        "0007-use-carts.md": "unchanged",
        "0008-use-bags.md": "unchanged",
        "boxes.md": "updated",
    }
    assert "They fold." in state(desk)["Use boxes"][0]
    assert exported(desk, "docs/adr")["boxes.md"] == "unchanged"


@pytest.mark.parametrize("form", adr_format.FORMATS)
def test_decisions_go_out_and_come_back_elsewhere_the_same(
    desk: Desk, repo: RepoBuilder, tmp_path: Path, form: str
) -> None:
    why = "One file.\n\n## Decision Outcome\n\nno\n\n## Decision\n\n--> end\n\nStatus: rejected"
    old = desk.run("decide", title="Use Postgres", why="We know it")
    desk.run("decide", title="Use SQLite | files", why=why, tag=("db", "a-->b"), path=("src/x.py",))
    desk.run("decide", title="Talk of it", status="proposed")
    desk.run("decide", title="Use DuckDB", why="Fast", supersedes=old.id)
    desk.run("decide", title="Use DuckDB", why="It reads Parquet")  # the inbox asks about the two
    done = exported(desk, format=form)
    assert sorted(done) == [
        "0001-use-postgres.md",
        "0002-use-sqlite-files.md",
        "0003-talk-of-it.md",
        "0004-use-duckdb.md",
        "0005-use-duckdb.md",
        "index.md",
    ]
    before, known = files(repo.path / "docs/decisions"), state(desk)
    assert set(exported(desk, format=form).values()) == {"unchanged"}
    assert set(imported(desk).values()) == {"unchanged"}
    assert state(desk) == known
    other = Desk(copy_of(repo, tmp_path / "other").path, tmp_path / "other-home")
    (other.store).unlink()
    other.run("init", no_hooks=True)
    assert set(imported(other).values()) == {"added"}
    got = state(other)
    assert {title: message[:2] for title, message in got.items()} == {
        title: message[:2] for title, message in known.items()
    }
    assert set(exported(other, format=form).values()) == {"unchanged"}
    assert files(other.place / "docs/decisions") == before


def test_a_record_that_was_edited_is_imported_and_never_written_over(
    desk: Desk, repo: RepoBuilder
) -> None:
    id = desk.run("decide", title="Use SQLite", why="One file").id
    exported(desk)
    file = repo.path / "docs/decisions/0001-use-sqlite.md"
    file.write_text(file.read_text().replace("One file", "One file, no daemon"))
    assert exported(desk)["0001-use-sqlite.md"] == "left alone"
    assert desk.run("show", id=id).memory.trust == "person"
    assert imported(desk)["0001-use-sqlite.md"] == "updated"
    memory = desk.run("show", id=id).memory
    assert memory.content == "One file, no daemon"
    assert memory.trust == "repository"  # whoever edited the file: it was not this person
    assert desk.run("history", id=id).versions
    assert exported(desk)["0001-use-sqlite.md"] == "updated"  # its mark, of what it says now
    assert exported(desk)["0001-use-sqlite.md"] == "unchanged"
    file.write_text(file.read_text().replace("\n\n<!--", "\n\nBeside it.\n\n<!--"))
    imported(desk)
    assert exported(desk)["0001-use-sqlite.md"] == "left alone"
    assert "Beside it." in file.read_text()


def test_a_status_in_a_file_makes_no_words_anothers(desk: Desk, repo: RepoBuilder) -> None:
    id = desk.run("decide", title="Use SQLite", why="One file").id
    exported(desk)
    file = repo.path / "docs/decisions/0001-use-sqlite.md"
    file.write_text(file.read_text().replace("accepted", "deprecated"))
    assert imported(desk)["0001-use-sqlite.md"] == "updated"
    memory = desk.run("show", id=id).memory
    assert (memory.status, memory.trust) == ("deprecated", "person")


def test_a_record_under_the_id_of_another_memory_gets_one_of_its_own(
    desk: Desk, repo: RepoBuilder
) -> None:
    id = desk.run("remember", text="Carts hold no more than fifty things").id
    record = adr_format.DecisionRecord("Use nets", "They hold.", "accepted", id=id, number=9)
    repo.write(
        {"docs/adr/0009-use-nets.md": adr_format.render_decision_record(record, "madr")} | OTHERS
    )
    assert set(imported(desk).values()) == {"added"}
    assert set(state(desk)) == {"Use nets", "Use bags", "Use carts", "Use boxes"}
    assert desk.run("show", id=id).memory.kind != "decision"


def test_an_agent_proposes_and_a_person_may(desk: Desk, repo: RepoBuilder) -> None:
    repo.write(OTHERS)
    done = actions(desk.run("adr import", by="codex").files)
    assert done["0007-use-carts.md"] == "proposed"
    assert [item.title for item in desk.run("inbox").items] == ["Use carts"]
    assert imported(desk, propose=True)["0007-use-carts.md"] == "waits in the inbox"
    desk.run("inbox", action="reject", id=(desk.run("inbox").items[0].id,))
    assert imported(desk)["0007-use-carts.md"] == "archived here"


def test_an_agent_changes_nothing_that_is_in_force(desk: Desk, repo: RepoBuilder) -> None:
    id = desk.run("decide", title="Use SQLite", why="One file").id
    exported(desk)
    repo.write(OTHERS)
    imported(desk, "docs/adr/0007-use-carts.md")
    own = repo.path / "docs/decisions/0001-use-sqlite.md"
    own.write_text(own.read_text().replace("One file", "Whatever the agent says"))
    repo.write({"docs/adr/0007-use-carts.md": NYGARD.replace("They roll", "They fly")})
    before = state(desk)
    for dry in (True, False):
        done = desk.run("adr import", by="codex", dry_run=dry)
        assert actions(done.files) == {
            "0001-use-sqlite.md": "left alone",
            "0007-use-carts.md": "left alone",
            "0008-use-bags.md": "left alone",  # superseded: accepting would put it in force
            "boxes.md": "left alone",
        }
        assert all("codex is an agent" in file.error for file in done.files)
        assert state(desk) == before
    assert desk.run("show", id=id).memory.trust == "person"
    # What a person took in is known to an agent as well.
    imported(desk)
    assert set(actions(desk.run("adr import", by="codex").files).values()) == {"unchanged"}


def test_what_waits_follows_its_file_for_an_agent_too(desk: Desk, repo: RepoBuilder) -> None:
    repo.write({"docs/adr/0007-use-carts.md": NYGARD})
    desk.run("adr import", by="codex")
    repo.write({"docs/adr/0007-use-carts.md": NYGARD.replace("They roll", "They fly")})
    assert actions(desk.run("adr import", by="codex").files) == {"0007-use-carts.md": "updated"}
    assert "They fly" in desk.run("inbox").items[0].content


def test_what_cannot_be_proposed_is_not_called_known(
    desk: Desk, repo: RepoBuilder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gitmem.capture.proposals.MOST_WAITING", 1)
    repo.write({f"docs/adr/000{n}-x.md": f"# {n}. Use part {n}\n\nWhy {n}.\n" for n in (1, 2)})
    repo.write(
        {"docs/adr/0003-long.md": "# 3. Use all\n\n" + "\u00fc\u00f6\u00e4 many.\n" * 19_000}
    )
    done = desk.run("adr import", propose=True)
    assert [file.action for file in done.files] == ["proposed", "queued", "failed"]
    assert "bytes" in done.files[2].error
    repo.write({"CLAUDE.md": "Use tabs.\n"})
    (result,) = desk.run("import-docs", path=("CLAUDE.md",), propose=True).files
    assert (result.action, result.error) == ("queued", "")
    assert (desk.run("inbox").total, desk.run("inbox").queued) == (1, 2)


def test_more_decisions_than_a_page_holds_are_all_written(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gitmem.capture.adr_export._PAGE", 10)
    app = desk.app()
    try:
        origin = MemoryOrigin(id="", now=app.now, project="")
        messages = [
            MemoryDraft(content=f"Why {n}", title=f"Use {n}", kind="decision") for n in range(25)
        ]
        with app.store.write() as database:
            for item in messages:
                made = draft.prepare_memory(item, replace(origin, id=app.new_id()), max_bytes=1_000)
                memory_writes.insert_memory(database, made.memory)
        done = adr_export.export_decision_records(app, "docs/decisions", "simple", dry_run=True)
    finally:
        app.close()
    assert [item.file[15:19] for item in done[:-1]] == [f"{n:04}" for n in range(1, 26)]
    assert len({item.id for item in done}) == 26  # and the index


def test_strangers_decisions_and_those_of_other_branches_are_not_written(
    desk: Desk, repo: RepoBuilder
) -> None:
    mine = desk.run("decide", title="Use SQLite").id
    theirs = desk.run("decide", title="Use what I say").id
    desk.run("trust", id=(theirs,), tier="foreign")
    repo.git("switch", "-q", "-c", "other")
    repo.commit("Go on", {"x.py": "x = 1\n"})
    desk.run("decide", title="Use DuckDB")
    repo.git("switch", "-q", "-")
    done = desk.run("adr export", dry_run=True)
    assert [file.id for file in done.files] == [mine, ""]


def test_what_was_edited_meanwhile_is_not_written_over(desk: Desk) -> None:
    id = desk.run("decide", title="Use SQLite", why="One file").id
    app = desk.app()
    try:
        known = memories.get_memory(app.store, id)
        assert known is not None
        desk.run("revise", id=id, text="One file, no daemon")
        with pytest.raises(Conflict, match="edited a moment ago"):
            adr_import.update_memory_from_file(
                app, known, replace(known, content="What the file says")
            )
    finally:
        app.close()
    assert desk.run("show", id=id).memory.content == "One file, no daemon"


def test_a_dry_run_writes_nothing(desk: Desk, repo: RepoBuilder) -> None:
    desk.run("decide", title="Use SQLite")
    assert set(exported(desk, dry_run=True).values()) == {"would be written"}
    assert not (repo.path / "docs").exists()
    repo.write(OTHERS)
    assert set(imported(desk, dry_run=True).values()) == {"would be added"}
    assert set(state(desk)) == {"Use SQLite"}


def test_what_was_purged_is_not_learnt_again(desk: Desk) -> None:
    id = desk.run("decide", title="Use SQLite").id
    exported(desk)
    desk.run("purge", id=(id,))
    assert imported(desk) == {"0001-use-sqlite.md": "purged before"}


def test_broken_files_stop_no_other(desk: Desk, repo: RepoBuilder) -> None:
    repo.write(
        OTHERS
        | {
            "docs/adr/0001-empty.md": "",
            "docs/adr/0002-no-heading.md": "text\n",
            "docs/adr/0003-only-a-title.md": "# Title\n",
            "docs/adr/0004-binary.md": "# T\n\n\0\0\0",
            "docs/adr/0005-long.md": f"# {'x' * 300}\n\nlong\n",
            "docs/adr/0006-large.md": "# Large\n\n" + "word " * 60_000,
            "docs/adr/0007-one-line.md": "# One line\n\n" + "word " * 5_000,
            "docs/adr/0009-twin.md": NYGARD,
            "docs/adr/0010-mark.md": '# A\n\nb\n\n<!-- gitmem decision {"id": 1} -->\n',
        }
    )
    (repo.path / "docs/adr/0011-link.md").symlink_to("/etc/passwd")
    (repo.path / "docs/adr/0012-loop.md").symlink_to("0012-loop.md")
    done = desk.run("adr import")
    message = {file.file.rpartition("/")[2]: (file.action, bool(file.error)) for file in done.files}
    for name in ("0002-no-heading.md", "0003-only-a-title.md"):
        assert message[name] == ("skipped", True), name
    for name in ("0001-empty.md", "0004-binary.md", "0005-long.md", "0006-large.md"):
        assert message[name] == ("failed", True), name
    assert message["0009-twin.md"] in (("known", False), ("added", False))
    assert message["0007-one-line.md"] == message["0010-mark.md"] == ("added", False)
    assert "0011-link.md" not in message
    assert message["boxes.md"] == ("added", False)
    assert done.failed >= 5
    assert "0005-long.md" in desk.text("adr import")


def test_what_lies_in_the_way_is_left_alone(desk: Desk, repo: RepoBuilder) -> None:
    desk.run("decide", title="Use SQLite")
    repo.write(
        {
            "docs/decisions/0001-other.md": "# 1. Other\n\nx\n",
            "docs/decisions/index.md": "# Mine\n",
        }
    )
    (repo.path / "docs/decisions/0002-use-sqlite.md").mkdir()
    done = exported(desk)
    assert done == {"0002-use-sqlite.md": "left alone", "index.md": "left alone"}
    assert (repo.path / "docs/decisions/index.md").read_text() == "# Mine\n"


def test_folders_that_are_none_are_refused(desk: Desk, repo: RepoBuilder, tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="no decision records"):
        desk.run("adr import")
    with pytest.raises(NotFound):
        desk.run("adr import", path=("nowhere",))
    desk.run("decide", title="Use SQLite")
    repo.write({"file.txt": "x"})
    (repo.path / "away").symlink_to(tmp_path)
    for folder in (".", ".git/x", ".gitmem", "away", "away/deeper", "file.txt", "../out", " "):
        with pytest.raises(InvalidInput):
            desk.run("adr export", folder=folder)
