"""SQL: tables with their columns, views, indexes, routines, triggers."""

from __future__ import annotations

from tests.support.syntax import define, lines, outline, read


def test_a_statement_of_another_dialect_does_not_hide_the_next() -> None:
    source = "CREATE VIRTUAL TABLE a USING fts5(b, content='');\n\nCREATE TABLE c (d INTEGER);\n"
    result = read("sql", "a.sql", source)
    assert result.errors
    assert {"table c", "field c.d"} <= set(outline(result))
    assert "a" in {definition.name for definition in result.definitions}


def test_a_trigger_in_the_words_of_a_dialect_ends_where_the_next_statement_begins() -> None:
    """From sqlite-sakila-schema.sql (CF-30: what a grammar cannot read hides nothing else)."""
    source = """\
CREATE TRIGGER category_trigger_ai AFTER INSERT ON category
 BEGIN
  UPDATE category SET last_update = DATETIME('NOW')  WHERE rowid = new.rowid;
 END
;

CREATE TABLE film (
  film_id int NOT NULL,
  title VARCHAR(255) NOT NULL
);
"""
    message = read("sql", "schema.sql", source)
    assert outline(message) == [
        "trigger category_trigger_ai",
        "table film",
        "field film.film_id",
        "field film.title",
    ]
    assert lines(message, "category_trigger_ai")[0] == 1
    assert lines(message, "film") == (7, 10)


def test_a_routine_of_an_extension_is_reported_by_its_name_and_not_by_what_it_returns() -> None:
    """From pg_partman's sql/functions/apply_cluster.sql."""
    source = """\
CREATE FUNCTION @extschema@.apply_cluster(p_parent_schema text, p_child_schema text) RETURNS void
    LANGUAGE plpgsql
    AS $$
DECLARE
    v_old_parent_table  text;
BEGIN
    IF v_old_parent_table IS NOT NULL THEN
        EXECUTE format('CLUSTER %I', v_old_parent_table);
    END IF;
END
$$;

ALTER TABLE @extschema@.part_config ADD CONSTRAINT control_chk CHECK (a > 1);
ALTER TABLE @extschema@.part_config ADD COLUMN retention text;
"""
    message = read("sql", "apply_cluster.sql", source)
    assert outline(message) == ["function apply_cluster", "field part_config.retention"]
    assert lines(message, "apply_cluster") == (1, 11)
    assert define(message, "apply_cluster").signature.startswith(
        "CREATE FUNCTION @extschema@.apply"
    )


def test_a_statement_inside_of_a_body_or_of_a_text_begins_no_piece() -> None:
    source = """\
CREATE FUNCTION a() RETURNS void AS $body$
CREATE TEMP TABLE b (c int);
$body$ LANGUAGE plpgsql WITH NONSENSE;
COMMENT ON DOMAIN "*/*" IS 'any /* type';
CREATE TABLE do$llar$s (a$num$ numeric);
CREATE TABLE d (e int);
"""
    found = outline(read("sql", "a.sql", source))
    assert "function a" in found
    assert {"table d", "field d.e"} <= set(found)


def test_keys_among_the_columns_are_no_columns() -> None:
    """From yugabytedb-sakila-schema.sql: a dump that writes keys first."""
    source = """\
CREATE TABLE country (
    CONSTRAINT country_pkey PRIMARY KEY (country_id),
    country_id integer NOT NULL,
    country character varying(50) NOT NULL
);
CREATE TABLE payment_p2007_04 (CONSTRAINT payment_check CHECK (a > 1), id int);
CREATE INDEX NONCONCURRENTLY idx_fk_customer_id ON payment USING lsm (customer_id HASH);
"""
    assert outline(read("sql", "a.sql", source)) == [
        "table country",
        "field country.country_id",
        "field country.country",
        "table payment_p2007_04",
        "field payment_p2007_04.id",
        "index idx_fk_customer_id",
    ]


def test_the_fields_of_a_type_are_reported() -> None:
    """From oracle-sakila-schema-pl-sql.sql."""
    source = "CREATE TYPE ACTOR_T AS OBJECT (\n  actor_id numeric,\n  name VARCHAR(45)\n);\n/\n"
    assert outline(read("sql", "a.sql", source)) == [
        "type ACTOR_T",
        "field ACTOR_T.actor_id",
        "field ACTOR_T.name",
    ]


def test_of_the_routines_of_a_package_some_are_reported() -> None:
    """From oracle-sakila-schema-pl-sql.sql: the grammar has no packages and loses the others."""
    source = """\
CREATE OR REPLACE PACKAGE BODY RENTALS AS
  FUNCTION GET_ACTORS RETURN ACTORS_T IS
    v_result ACTORS_T;
  BEGIN
    RETURN v_result;
  END GET_ACTORS;

  FUNCTION GET_FILM(p_film_id INT) RETURN FILM_T IS
  BEGIN
    RETURN v_result;
  END GET_FILM;
END RENTALS;
/
"""
    assert outline(read("sql", "a.sql", source)) == ["function GET_FILM"]


def test_what_a_statement_only_names_is_no_definition() -> None:
    source = """\
CREATE PUBLICATION partman_test FOR TABLE partman_test.id_taptest_table;
ALTER EXTENSION pgtap ADD VIEW tap_funky;
CREATE CAST (text AS public.color) WITH FUNCTION color(text) AS IMPLICIT;
CREATE INDEX "adb_lr_Id_idx" ON apflora.ae_lrdelarze USING btree (sort);
"""
    assert outline(read("sql", "a.sql", source)) == ["index adb_lr_Id_idx"]
