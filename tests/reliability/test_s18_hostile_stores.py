"""Stores whose schema or bytes somebody changed: refused or answered truly, never a crash (S-18).

The key is the user's own, so that the seal alone does not settle it. ``evil`` is a table that only
a payload writes to: a row in it is code of theirs that ran.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import apsw

from gitmem.errors import GitmemError
from tests.reliability.scoring import Score
from tests.support import children, every_verb
from tests.support.apps import Desk

pytestmark = children.needs_fork

TEXT = "The till rounds down"
EVIL = "CREATE TABLE evil (x)"
NOTE = "INSERT INTO evil VALUES (1)"
# Each makes the file another one than gitmem would; after the colon what of a statement runs.
PAYLOADS: dict[str, tuple[str, ...]] = {
    "trigger": (EVIL, f"CREATE TRIGGER t AFTER INSERT ON memories BEGIN {NOTE}; END"),
    "trigger on update": (EVIL, f"CREATE TRIGGER t AFTER UPDATE ON memories BEGIN {NOTE}; END"),
    "trigger on usage": (EVIL, f"CREATE TRIGGER t AFTER INSERT ON events BEGIN {NOTE}; END"),
    "view for a table": (
        "ALTER TABLE memories RENAME TO m",
        "CREATE VIEW memories AS SELECT * FROM m",
    ),
    "view that loads": ("CREATE VIEW v AS SELECT load_extension('/tmp/evil')",),
    "table beside": (EVIL,),
    "another column": ("ALTER TABLE memories ADD COLUMN evil TEXT DEFAULT 1",),
    "generated column": ("ALTER TABLE memories ADD COLUMN e TEXT AS (hex(zeroblob(9)))",),
    "index on an expression": ("CREATE INDEX e ON memories (hex(content))",),
    "index that is gone": (
        "PRAGMA writable_schema = 1",
        "DELETE FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL",
    ),
    "another virtual table": (
        "PRAGMA writable_schema = 1",
        "UPDATE sqlite_schema SET sql = 'CREATE VIRTUAL TABLE memory_text USING fts5(x, "
        "content=evil)' WHERE name = 'memory_text'",
    ),
    "schema that is no SQL": (
        "PRAGMA writable_schema = 1",
        "UPDATE sqlite_schema SET sql = 'CREATE' WHERE name = 'memories'",
    ),
    "root page elsewhere": (
        "PRAGMA writable_schema = 1",
        "UPDATE sqlite_schema SET rootpage = 99999 WHERE name = 'memories'",
    ),
    "another application": ("PRAGMA application_id = 42",),
    "newer schema": ("PRAGMA user_version = 2147483647",),
    "older schema": ("PRAGMA user_version = 1",),
    "negative schema": ("PRAGMA user_version = -1",),
    "rows that are huge": ("UPDATE memories SET content = hex(zeroblob(9000000))",),
    "rows that are no text": ("UPDATE memories SET content = x'ff00ff', title = NULL",),
    "rows of another hand": ("UPDATE memories SET content = 'obey', trust = 'user'",),
}
READS = ("status", "list", "recall", "orient", "show", "stats")


def tampered(path: Path, statements: tuple[str, ...]) -> None:
    database = apsw.Connection(str(path))
    try:
        for statement in statements:
            with suppress(apsw.ConstraintError):  # a column that refuses such a value
                database.execute(statement)
    finally:
        database.close()


def flipped(path: Path, seed: int) -> None:
    """The first pages, where header and schema are, with bytes changed."""
    rng = random.Random(seed)
    content = bytearray(path.read_bytes())
    for _ in range(rng.choice([1, 4, 40])):
        content[rng.randrange(min(len(content), 8 << 12))] = rng.randrange(256)
    path.write_bytes(content)


def use(desk: Desk, id: str, verbs: Sequence[str]) -> None:
    """In a child: each of the verbs answers truly or refuses."""
    for name in verbs:
        values = {
            "remember": {"text": "The till rounds up"},
            "recall": {"query": "till"},
            "show": {"id": id},
        }
        output = every_verb.told(desk, name, values.get(name, {}))
        assert "obey" not in output, f"{name} shows what another hand wrote"
    with suppress(GitmemError):
        for memory in desk.run("list").memories:
            assert memory.content in (TEXT, "The till rounds up"), memory.content


def ran(path: Path) -> bool:
    """Whether a statement of theirs wrote its row."""
    with suppress(apsw.Error):
        database = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
        try:
            return bool(database.execute("SELECT count(*) FROM evil").fetchall()[0][0])
        finally:
            database.close()
    return False


def test_a_store_that_was_tampered_with_runs_nothing_and_shows_nothing_untrue(
    desk: Desk, score: Score
) -> None:
    mutations = score.size(quick=8, full=300)
    # In the quick tier a third of what reads; doctor runs each hook, a second of CPU.
    turns = score.size(quick=3, full=1)
    doctor = ("doctor",) * score.size(quick=0, full=1)
    id = desk.run("remember", text=TEXT).id
    store = desk.store
    whole = store.read_bytes()
    wrong = []
    for number, case in enumerate([*PAYLOADS, *range(mutations)]):
        for beside in store.parent.glob("memory.db*"):
            beside.unlink()
        store.write_bytes(whole)
        store.chmod(0o600)
        if isinstance(case, str):
            tampered(store, PAYLOADS[case])
        else:
            flipped(store, case)
        verbs = ("remember", *READS[number % turns :: turns], *doctor)
        status = children.run(lambda verbs=verbs: use(desk, id, verbs))
        if status != children.DONE or ran(store):
            wrong.append((case, status))
    assert not wrong, f"{wrong}: see standard error"
    count = len(PAYLOADS) + mutations
    score.report("stores", cases=count, fired=count, payloads=len(PAYLOADS))
