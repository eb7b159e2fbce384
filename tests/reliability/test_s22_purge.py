"""What is purged is gone from every file, in any case, with its history (S-22)."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitmem.app import App
from gitmem.errors import NotFound
from gitmem.maintenance import lost_store
from gitmem.operations.archive.archive import archive_memories
from gitmem.operations.archive.purge import PurgeMemoriesRequest, purge_memories, view
from gitmem.operations.find.recall import RecallRequest, recall_memories
from gitmem.operations.maintenance.backup import (
    BackupRequest,
    RestoreBackupRequest,
    make_backup,
    restore_backup,
)
from gitmem.operations.maintenance.export_import import (
    ExportRequest,
    ImportRequest,
    export_memories,
    import_memories,
)
from gitmem.operations.outcomes import MemoryIdsRequest
from gitmem.operations.remember.link import LinkRequest, link_memories
from gitmem.operations.remember.revise import ReviseRequest, revise_memory
from gitmem.store.memory import derived_rows
from tests.support import children
from tests.support.stores import add

MARKER = "zqx7marker"


def holds(folder: Path, marker: str = MARKER) -> list[str]:
    """The files below a folder that hold the marker in any case."""
    return [
        path.name
        for path in sorted(folder.rglob("*"))
        if path.is_file() and marker.lower().encode() in path.read_bytes().lower()
    ]


def marked(app: App, marker: str = MARKER, **options: object) -> str:
    """A memory with the marker in every field, and in three versions."""
    id = add(
        app,
        f"Body {marker.upper()} and get{marker}Name",
        title=f"Title {marker}",
        tag=(marker, f"{marker}-tag"),
        path=(f"src/{marker}.py",),
        metadata=f'{{"{marker}": ["{marker}"]}}',
        **options,
    )
    revise_memory(app, ReviseRequest(id, f"Second {marker}2"))
    revise_memory(app, ReviseRequest(id, "Third, without it", tag=("plain",), title="Plain"))
    return id


def test_no_byte_is_left_in_store_log_backups_and_copies(app: App, tmp_path: Path) -> None:
    others = [add(app, f"Other fact {number} about redis") for number in range(30)]
    id = marked(app)
    link_memories(app, LinkRequest(others[0], id, context=f"because of {MARKER}"))
    recall_memories(app, RecallRequest(MARKER))
    archive_memories(app, MemoryIdsRequest((id,)))
    make_backup(app, BackupRequest())
    make_backup(app, BackupRequest())
    folder = tmp_path / "repo" / ".gitmem"
    assert len(holds(folder)) >= 3
    # The copies lie in the user's data folder.
    assert len(holds(tmp_path / "home")) == 2
    # What was killed while it copied left half a copy.
    half = Path(lost_store.restorable_store_copies(app)[0].path).parent / ".copy-1.tmp"
    half.write_text(MARKER)
    done = purge_memories(app, PurgeMemoriesRequest((id,)))
    assert holds(tmp_path / "repo") == holds(tmp_path / "home") == []
    assert (done.purged, len(done.backups), done.remaining, done.held) == ((id,), 4, (), ())
    assert "also from 4 backups and copies" in view(done)
    assert [copy.memories for copy in lost_store.restorable_store_copies(app)] == [30, 30]
    assert len(recall_memories(app, RecallRequest("redis", limit=100)).memories) == 30
    assert derived_rows.derived_row_problems(app.store) == []


def test_a_global_memory_leaves_the_users_store(app: App, tmp_path: Path) -> None:
    id = marked(app, scope="global")
    purge_memories(app, PurgeMemoriesRequest((id[:20],)))
    assert holds(tmp_path) == []


def test_many_among_many_leave_no_piece_behind(app: App, tmp_path: Path) -> None:
    """Pages split, merge and move while a store grows; what was moved is erased as well."""
    text = " ".join(f"word{number}" for number in range(150))
    markers = [f"zqx{number:03d}marker" for number in range(60)]
    ids = [marked(app, marker, weight=1 + number % 5) for number, marker in enumerate(markers)]
    for id in ids[::7]:
        revise_memory(app, ReviseRequest(id, text))
    purge_memories(app, PurgeMemoriesRequest(tuple(ids[::2])))
    folder = tmp_path / "repo" / ".gitmem"
    assert [marker for marker in markers[::2] if holds(folder, marker)] == []
    assert all(holds(folder, marker) for marker in markers[1::2])


def test_named_twice_it_is_purged_once(app: App) -> None:
    id = marked(app)
    assert purge_memories(app, PurgeMemoriesRequest((id, id[:22]))).purged == (id,)


def test_one_unknown_id_and_nothing_is_purged(app: App) -> None:
    id = marked(app)
    with pytest.raises(NotFound):
        purge_memories(app, PurgeMemoriesRequest((id, "ZZZZ")))
    assert recall_memories(app, RecallRequest("Third")).memories[0].id == id


def test_an_import_does_not_bring_it_back(app: App) -> None:
    id = marked(app)
    text = "\n".join(export_memories(app, ExportRequest()).lines)
    purge_memories(app, PurgeMemoriesRequest((id,)))
    again = import_memories(app, ImportRequest(text, piped=True))
    assert (again.added, again.purged) == (0, 1)
    assert not recall_memories(app, RecallRequest("Third")).memories


def test_a_backup_that_cannot_be_cleaned_is_named(app: App, tmp_path: Path) -> None:
    id = marked(app)
    ruin = tmp_path / "repo" / ".gitmem" / "backups" / "memory-old.db"
    ruin.parent.mkdir(mode=0o700)
    ruin.write_bytes(f"ruin with {MARKER}".encode())
    done = purge_memories(app, PurgeMemoriesRequest((id,)))
    assert done.remaining == (str(ruin),)
    assert str(ruin) in view(done)
    assert ruin.exists()


def test_a_copy_that_cannot_be_cleaned_is_named(app: App) -> None:
    id = marked(app)
    make_backup(app, BackupRequest())
    copy = Path(lost_store.restorable_store_copies(app)[0].path)
    copy.write_bytes(f"ruin with {MARKER}".encode())
    done = purge_memories(app, PurgeMemoriesRequest((id,)))
    assert done.remaining == (str(copy),)
    assert str(copy) in view(done)


def test_cleaning_backups_does_not_change_which_is_the_newest(app: App, tmp_path: Path) -> None:
    import os

    id = marked(app)
    folder = tmp_path / "repo" / ".gitmem" / "backups"
    newest = Path(make_backup(app, BackupRequest()).written)
    add(app, "Later")
    older = folder / "schema-1-01.db"
    make_backup(app, BackupRequest(str(older)))
    os.utime(older, (1, 1))
    purge_memories(app, PurgeMemoriesRequest((id,)))
    assert restore_backup(app, RestoreBackupRequest()).source == str(newest)


@children.needs_fork
def test_while_another_process_reads_it_says_where_text_still_is(app: App, tmp_path: Path) -> None:
    id = marked(app)
    with children.holding(app.store.path, "BEGIN; SELECT count(*) FROM memories"):
        with app.store.lock_timeout(50):
            done = purge_memories(app, PurgeMemoriesRequest((id,)))
        assert done.held == (app.store.path + "-wal",)
        assert app.store.path + "-wal" in view(done)
    app.close()
    assert holds(tmp_path / "repo") == []
