"""The fingerprint written down is that of the schema files, and old steps never change."""

from __future__ import annotations

import hashlib

import apsw

from gitmem.store.db import schema
from gitmem.store.file import migrate

# SHA-256 of each released canonical step. A step that was released is never edited: write another.
RELEASED = {
    "001_canonical.sql": "66348c1f5c52b70286f96ab5ced176c5e4691b14040033a328d0749a6cd4d901",
    "002_living.sql": "866a6413ada8482efd605bfc57a54fd31503bd263dcc4e155a4a77964f4e11b5",
    "003_usage.sql": "ea1c51ff45f627203d7e28d97d656a51c393df21d84c4ced358b5e91a58367d3",
    "004_seal.sql": "1561f3bb19f6d742f3552c5dc5b3f80b839c0ae1d34eee60cec4b522421dea56",
    "005_told.sql": "0db35395f3c23b4edc5aadf6ae56a030449496737f834c9c295a4e9600583b10",
    "006_suggestions.sql": "cd43159b89304cc8380d2eef297c151380e115e8ccd4c071129434f3785350ae",
    "007_sync.sql": "f8cd04f1f3b2fa0bb12767f27cc45c127b6d58d8d79408794b7919e9119bddab",
    "008_transcripts.sql": "9a229a70e7fc05c55075a76b5539d4a0f5b9da592e05228391d5c95a3cb059a7",
    "009_review.sql": "35ecdd4f895f7057f2ba1ede2537a2e5750debee5bf5994c2fac34ddef50f928",
    "010_summaries.sql": "e15420e16cfd0f152479868cd39d42259ec0693f03dc60f0c98725b995a868eb",
}


def test_the_fingerprint_is_fresh() -> None:
    connection = apsw.Connection(":memory:")
    migrate.build_schema(connection, now_ms=0, device_id="0" * 32)
    found = schema.schema_fingerprint(connection)
    assert found == schema.FINGERPRINT, f'paste into schema: FINGERPRINT = "{found}"'


def test_released_steps_are_unchanged() -> None:
    for name, expected in RELEASED.items():
        found = hashlib.sha256(schema.schema_sql(name).encode()).hexdigest()
        assert found == expected, f"{name} was changed; add a new step instead"


def test_every_step_is_listed_here() -> None:
    assert tuple(RELEASED) == schema.STEPS


def test_the_derived_tables_are_those_of_the_derived_file() -> None:
    connection = apsw.Connection(":memory:")
    for part in schema.DERIVED_FILES:
        connection.execute(schema.schema_sql(part))
    shadows = {table + suffix for table in schema.FULL_TEXT for suffix in schema.SHADOWS}
    found = {name for (name,) in connection.execute("SELECT name FROM pragma_table_list")}
    own = {name for name in found - shadows if not name.startswith("sqlite_")}
    assert own == set(schema.DERIVED_TABLES)
