"""Older stores are brought up to date in one step; newer ones are left alone (S-09)."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import apsw
import pytest

from gitmem.errors import ForeignFile, ReadOnly, StoreDamaged, StoreTooNew
from gitmem.model.frozen import replace
from gitmem.store.code import indexed_files
from gitmem.store.code.indexed_files import WorktreeIndexState
from gitmem.store.db import preflight, schema, seals
from gitmem.store.db.connection import Database
from gitmem.store.db.sealed_rows import SEALED
from gitmem.store.file import backup, migrate
from gitmem.store.memory import derived_rows, memories, memory_rows, memory_search, near_duplicates
from gitmem.store.memory.filters import MemoryFilter
from gitmem.store.session import usage
from tests.support import children
from tests.support.stores import go_back, keep, keys_of, make_store, open_store, said, upgraded

OLDER_INDEX = schema.VERSION * 1000
NEWER = (schema.VERSION + 1) * 1000 + 1
OLD_HEADER = migrate.HEADER_VERSION


def filled(path: Path) -> Database:
    database = make_store(path)
    for seed in range(20):
        keep(database, said(f"Fact number {seed} about redis", seed=seed, tags=("cache",)))
    return database


def recalled(database: Database) -> list[tuple[int, float]]:
    return memory_search.best_matching_memories(
        database, "redis AND fact", MemoryFilter(tags=("cache",)), 50
    )


def age(path: Path) -> None:
    """Make the file one whose index an older gitmem made."""
    connection = apsw.Connection(str(path))
    for table in schema.DERIVED_TABLES:
        connection.execute(f"DROP TABLE {table}")
    connection.execute("CREATE TABLE memory_tags (old TEXT)")
    connection.pragma("user_version", OLDER_INDEX)
    connection.close()


def test_an_older_index_is_built_again_and_finds_the_same(path: Path) -> None:
    database = filled(path)
    before = recalled(database)
    assert len(before) == 20
    database.close()
    age(path)
    upgraded = open_store(str(path))
    assert recalled(upgraded) == before
    assert derived_rows.derived_row_problems(upgraded) == []
    assert upgraded.connection.pragma("user_version") == migrate.HEADER_VERSION
    upgraded.close()


def test_a_new_index_alone_needs_no_backup(path: Path) -> None:
    filled(path).close()
    age(path)
    open_store(str(path)).close()
    assert backup.list_backups(str(path)) == []


@children.needs_fork
def test_many_processes_meeting_an_older_index_upgrade_it_once(path: Path) -> None:
    filled(path).close()
    age(path)

    def work() -> None:
        database = open_store(str(path))
        assert len(recalled(database)) == 20
        database.close()

    assert children.run_all([work] * 6) == [children.DONE] * 6


@children.needs_fork
def test_an_upgrade_that_is_interrupted_has_not_happened(path: Path) -> None:
    filled(path).close()
    age(path)

    def work() -> None:
        database = Database(str(path), apsw.Connection(str(path)), read_only=False)
        database.unsealed = True
        with database.write():
            derived_rows.rebuild_derived_rows(database)
            database.connection.pragma("user_version", migrate.HEADER_VERSION)
            os.kill(os.getpid(), 9)

    assert children.run(work) == -9
    database = open_store(str(path))
    assert len(recalled(database)) == 20
    database.close()


def test_a_version_that_is_still_in_the_log_is_seen(path: Path) -> None:
    """The file's own header is old then: only SQLite knows."""
    database = filled(path)
    database.connection.pragma("user_version", NEWER)
    assert int.from_bytes(path.read_bytes()[60:64], "big") == migrate.HEADER_VERSION
    with pytest.raises(StoreTooNew, match=str(NEWER)):
        open_store(str(path))
    assert database.connection.pragma("user_version") == NEWER
    database.close()


def test_statistics_that_another_tool_made_are_dropped(path: Path) -> None:
    """ANALYZE is no attack; but queries were planned without what it writes."""
    filled(path).close()
    connection = apsw.Connection(str(path))
    connection.execute("ANALYZE")
    connection.close()
    database = open_store(str(path))
    assert len(recalled(database)) == 20
    assert database.rows("SELECT name FROM sqlite_schema WHERE name GLOB 'sqlite_stat*'") == []
    database.close()
    connection = apsw.Connection(str(path))
    connection.execute("ANALYZE; CREATE TABLE sqlite3_stat1 (x)")
    connection.close()
    with pytest.raises(ForeignFile):
        open_store(str(path))


@children.needs_fork
def test_an_older_index_in_a_folder_that_cannot_be_written_says_so() -> None:
    with children.open_folder() as folder:
        path = folder / ".gitmem" / "memory.db"
        filled(path).close()
        age(path)
        path.chmod(0o400)
        path.parent.chmod(0o500)
        children.give_away(folder)

        def work() -> None:
            with pytest.raises(ReadOnly, match="older schema"):
                open_store(str(path))

        assert children.run(children.as_nobody(work)) == children.DONE
        path.parent.chmod(0o700)


def test_a_backup_is_made_before_the_canonical_half_moves(path: Path) -> None:
    """Taken by the function itself; ``TestAStoreOfTheFirstVersion`` shows when."""
    database = filled(path)
    first = backup.back_up_before_migration(database, schema.VERSION)
    second = backup.back_up_before_migration(database, schema.VERSION)
    assert [os.path.basename(item) for item in (first, second)] == [
        f"schema-{schema.VERSION}-01.db",
        f"schema-{schema.VERSION}-02.db",
    ]
    copy = open_store(first)
    assert memories.count_filtered_memories(copy, MemoryFilter(states=())) == 20
    copy.close()
    database.close()


class TestWithOneMoreStep:
    """A future version: the same code with one more canonical step in its schema folder."""

    STEP = "CREATE TABLE added (x TEXT NOT NULL) STRICT;"

    @pytest.fixture
    def future(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        step = tmp_path / "more_added.sql"
        step.write_text(self.STEP)
        connection = apsw.Connection(":memory:")
        migrate.build_schema(connection, now_ms=0, device_id="")
        connection.execute(self.STEP)
        # An absolute name is opened as it is, so the step can lie outside the package.
        monkeypatch.setattr(schema, "STEPS", (*schema.STEPS, str(step)))
        later = schema.VERSION + 1
        monkeypatch.setattr(schema, "VERSION", later)
        monkeypatch.setattr(schema, "FINGERPRINT", schema.schema_fingerprint(connection))
        monkeypatch.setattr(migrate, "HEADER_VERSION", later * 1000 + schema.DERIVED_VERSION)

    @pytest.fixture
    def old(self, path: Path) -> Path:
        filled(path).close()
        return path

    def test_the_step_is_applied_after_a_backup(self, old: Path, future: None) -> None:
        database = open_store(str(old))
        assert database.value("SELECT count(*) FROM added") == 0
        assert len(recalled(database)) == 20
        (saved,) = backup.list_backups(str(old))
        assert os.path.basename(saved) == f"schema-{schema.VERSION - 1}-01.db"
        assert int.from_bytes(Path(saved).read_bytes()[60:64], "big") == OLD_HEADER
        database.close()

    def test_every_memory_keeps_its_words_and_its_hash(self, old: Path, future: None) -> None:
        database = open_store(str(old))
        saved = {memory.content: memory for memory in memories.all_memories(database)}
        assert set(saved) == {f"Fact number {seed} about redis" for seed in range(20)}
        assert all(
            near_duplicates.find_identical_memory(database, memory) == memory
            for memory in saved.values()
        )
        database.close()

    def test_a_step_that_fails_leaves_the_old_store(
        self, old: Path, future: None, tmp_path: Path
    ) -> None:
        (tmp_path / "more_added.sql").write_text(self.STEP + "CREATE TABLE memories (x);")
        with pytest.raises(apsw.SQLError):
            open_store(str(old))
        connection = apsw.Connection(str(old))
        assert connection.pragma("user_version") == OLD_HEADER
        assert not list(connection.execute("SELECT 1 FROM sqlite_schema WHERE name = 'added'"))
        connection.close()

    @children.needs_fork
    def test_many_processes_apply_it_once(self, old: Path, future: None) -> None:
        def work() -> None:
            open_store(str(old)).close()

        assert children.run_all([work] * 6) == [children.DONE] * 6
        database = open_store(str(old))
        assert database.value("SELECT count(*) FROM added") == 0
        database.close()


def turn_back(path: Path, version: int, header: int) -> None:
    """Put the rows of the store into the tables that an earlier version had, and forget its key."""
    database = open_store(str(path))
    old = path.with_name("old.db")
    connection = apsw.Connection(str(old))
    for step in schema.STEPS[:version]:
        connection.execute(schema.schema_sql(step))
    for (table,) in list(connection.execute("SELECT name FROM sqlite_schema WHERE sql > ''")):
        columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
        if columns and not table.startswith(schema.FULL_TEXT):
            rows = database.rows(f"SELECT {', '.join(columns)} FROM {table}")
            marks = ",".join("?" * len(columns))
            connection.executemany(f"INSERT INTO {table} VALUES ({marks})", rows)
    connection.pragma("application_id", preflight.APPLICATION_ID)
    connection.pragma("user_version", header)
    connection.close()
    database.close()
    os.replace(old, path)
    shutil.rmtree(keys_of(path).stores_folder)


class TestAStoreOfTheFirstVersion:
    """Its memories have neither layer nor trust nor bounds; their hashes know nothing of these."""

    @pytest.fixture
    def first(self, path: Path) -> Path:
        filled(path).close()
        turn_back(path, 1, 1003)
        return path

    def test_every_memory_is_as_it_was(self, first: Path) -> None:
        database = upgraded(str(first))
        saved = list(memories.all_memories(database))
        assert {item.content for item in saved} == {
            f"Fact number {n} about redis" for n in range(20)
        }
        assert {(item.layer, item.trust, item.valid_from, item.valid_until) for item in saved} == {
            ("", "", None, None)
        }
        assert {item.trust_tier for item in saved} == {"person"}
        assert len(recalled(database)) == 20
        assert [os.path.basename(backup) for backup in backup.list_backups(str(first))] == [
            "schema-1-01.db"
        ]
        database.close()

    def test_its_earlier_versions_are_read(self, first: Path) -> None:
        database = upgraded(str(first))
        memory = next(memories.all_memories(database))
        old = json.loads(memory_rows.memory_to_json_line(memory))
        young = ("layer", "trust", "valid_from", "valid_until")
        text = json.dumps({name: value for name, value in old.items() if name not in young})
        assert replace(memory_rows.memory_from_json_line(text), seq=memory.seq) == memory
        database.close()


WHOLE = WorktreeIndexState("c" * 40, "1.2", "whole", 7)


def test_a_header_older_than_the_tables_is_damage(path: Path) -> None:
    """Else the steps would fail in the middle, with SQLite's own words."""
    filled(path).close()
    for header in (1000, 2000 + schema.DERIVED_VERSION):
        connection = apsw.Connection(str(path))
        connection.pragma("user_version", header)
        connection.close()
        with pytest.raises(StoreDamaged, match="tables of a newer one"):
            open_store(str(path))
        assert backup.list_backups(str(path)) == []


class TestAStoreOfTheSecondVersion:
    """It counts no use yet."""

    @pytest.fixture
    def second(self, path: Path) -> Path:
        database = filled(path)
        keep(database, replace(said("It holds until then", seed=90), layer="working", ttl_ms=5))
        with database.write():
            indexed_files.set_worktree_index_state(database, "/tree", WHOLE)
            database.run("DROP TABLE usage_days")
            for table in ("memories", *SEALED):
                database.run(f"ALTER TABLE {table} DROP COLUMN seal")
            for index in ("memories_told", "memories_told_by_update", "memories_told_by_kind"):
                database.run(f"DROP INDEX {index}")
            for table in (
                "review_acceptances",
                *reversed(schema.OF_TRANSCRIPTS),
                "sync_records",
                "sync_devices",
                "suggestions",
                "consolidations",
                "jobs",
            ):
                database.run(f"DROP TABLE {table}")
        database.connection.pragma("user_version", 2000 + schema.DERIVED_VERSION)
        database.close()
        shutil.rmtree(keys_of(path).stores_folder)
        return path

    def test_its_index_is_kept(self, second: Path) -> None:
        """Nobody has to index again for a table of counts."""
        database = upgraded(str(second))
        assert indexed_files.worktree_index_state(database, "/tree") == WHOLE
        assert derived_rows.derived_row_problems(database) == []
        database.close()

    def test_every_memory_is_as_it_was_and_use_can_be_counted(self, second: Path) -> None:
        connection = apsw.Connection(str(second))
        before = list(connection.execute("SELECT *, 16 FROM memories ORDER BY seq"))
        connection.close()
        database = upgraded(str(second))
        rows = database.rows("SELECT * FROM memories ORDER BY seq")
        assert [(*row, len(seal)) for *row, seal in rows] == before
        assert len(before) == 21
        assert len(recalled(database)) == 20
        assert [os.path.basename(backup) for backup in backup.list_backups(str(second))] == [
            "schema-2-01.db"
        ]
        usage.append_usage_lines(
            database.path,
            usage.format_usage_line(
                1, "codex", "recall", 1, 0, 0, seals.derive_log_line_token(database.key)
            ),
        )
        assert usage.move_usage_log_to_table(database, now_ms=1, pid=1) == 1
        database.close()

    def test_its_backup_is_gone_back_to(self, second: Path, tmp_path: Path) -> None:
        upgraded(str(second)).close()
        (saved,) = backup.list_backups(str(second))
        go_back(saved, str(second), str(tmp_path / "aside.db"))
        database = open_store(str(second))
        assert len(recalled(database)) == 20
        assert usage.usage_counts_since(database, 0) == {}
        database.close()

    @children.needs_fork
    def test_many_processes_meeting_it_upgrade_it_once(self, second: Path) -> None:
        def work() -> None:
            upgraded(str(second)).close()

        assert children.run_all([work] * 6) == [children.DONE] * 6
        database = open_store(str(second))
        assert len(list(memories.all_memories(database))) == 21
        assert database.value("SELECT count(*) FROM usage_days") == 0
        assert derived_rows.derived_row_problems(database) == []
        database.close()
