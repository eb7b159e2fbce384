"""SQL: tables with their columns, views, indexes, routines, triggers."""

from __future__ import annotations

from tests.support.syntax import define, lines, outline, read, uses

SAMPLE = """\
-- People who may log in.
CREATE TABLE IF NOT EXISTS app.users (
  id INTEGER PRIMARY KEY,
  name VARCHAR(10) NOT NULL,
  org_id INTEGER REFERENCES orgs (id)
);

CREATE UNIQUE INDEX users_by_name ON users (name);

CREATE VIEW active_users AS
SELECT u.id, upper(u.name) FROM users u JOIN orgs o ON o.id = u.org_id;

CREATE OR REPLACE FUNCTION add_one(a int) RETURNS int AS $$ SELECT a + 1; $$ LANGUAGE SQL;

CREATE TRIGGER users_changed BEFORE INSERT ON users FOR EACH ROW EXECUTE FUNCTION add_one();

CREATE TYPE mood AS ENUM ('glad', 'sad');

ALTER TABLE users ADD COLUMN age int;

INSERT INTO audit (id) VALUES (1);
"""
SAID = read("sql", "schema.sql", SAMPLE)


def test_definitions_are_told_in_order_with_kind_and_container() -> None:
    assert not SAID.errors
    assert outline(SAID) == [
        "table users",
        "field users.id",
        "field users.name",
        "field users.org_id",
        "index users_by_name",
        "view active_users",
        "function add_one",
        "trigger users_changed",
        "type mood",
        "field users.age",
    ]


def test_a_comment_above_is_the_documentation() -> None:
    assert define(SAID, "users").doc == "People who may log in."


def test_a_signature_ends_where_the_body_begins() -> None:
    assert define(SAID, "users").signature == "CREATE TABLE IF NOT EXISTS app.users"
    assert define(SAID, "users.name").signature == "name VARCHAR(10) NOT NULL"
    assert define(SAID, "users_by_name").signature == (
        "CREATE UNIQUE INDEX users_by_name ON users (name)"
    )
    assert define(SAID, "active_users").signature == "CREATE VIEW active_users AS"


def test_a_definition_covers_its_lines() -> None:
    assert lines(SAID, "users") == (2, 6)


def test_uses_are_told_by_their_kind() -> None:
    assert uses(SAID, "call") == {"add_one", "upper"}
    assert uses(SAID, "type") == {"audit", "orgs", "users"}


def test_a_statement_of_another_dialect_does_not_hide_the_next() -> None:
    source = "CREATE VIRTUAL TABLE a USING fts5(b, content='');\n\nCREATE TABLE c (d INTEGER);\n"
    said = read("sql", "a.sql", source)
    assert said.errors
    assert {"table c", "field c.d"} <= set(outline(said))
    assert "a" in {one.name for one in said.definitions}
