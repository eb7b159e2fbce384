"""Full-text search: how often, how well, and which words."""

from __future__ import annotations

from gitmem.store.db import full_text
from gitmem.store.db.connection import Database
from gitmem.store.memory import memory_search
from gitmem.store.memory.filters import MemoryFilter
from tests.support.stores import edited, keep, said


def test_frequency_counts_no_further_than_asked(database: Database) -> None:
    for seed in range(5):
        keep(database, said(f"redis {seed}", seed=seed))
    assert full_text.count_matching_rows(database, "memory_text", "redis", 100) == 5
    assert full_text.count_matching_rows(database, "memory_text", "redis", 3) == 3
    assert full_text.count_matching_rows(database, "memory_text", "nowhere", 3) == 0


def test_the_better_match_has_the_higher_score(database: Database) -> None:
    keep(database, said("Some longer text that mentions the cache somewhere in it", seed=1))
    best = keep(database, said("Text", seed=2, title="Cache"))
    hits = memory_search.best_matching_memories(database, "cache", MemoryFilter(), 9)
    assert hits[0][0] == best.seq
    assert hits[0][1] > hits[1][1]


def test_a_match_outside_the_filter_is_left_out(database: Database) -> None:
    stored = keep(database, said("cache"))
    edited(database, stored, archived_at=1)
    assert memory_search.best_matching_memories(database, "cache", MemoryFilter(), 9) == []
    assert (
        len(
            memory_search.best_matching_memories(
                database, "cache", MemoryFilter(states=("archived",)), 9
            )
        )
        == 1
    )


def test_no_more_than_the_limit(database: Database) -> None:
    for seed in range(5):
        keep(database, said(f"redis {seed}", seed=seed))
    assert len(memory_search.best_matching_memories(database, "redis", MemoryFilter(), 2)) == 2


def test_which_of_the_words_a_row_holds(database: Database) -> None:
    item = keep(database, said("alpha beta", seed=1)).seq
    other = keep(database, said("beta", seed=2)).seq
    terms = {"a": "alpha", "b": "beta", "c": "gamma"}
    assert memory_search.matching_expression_labels_by_memory(database, terms, [item, other]) == {
        item: ["a", "b"],
        other: ["b"],
    }


def test_accents_case_and_endings_do_not_matter(database: Database) -> None:
    keep(database, said("Les Éléments cached"))
    for word in ("elements", "ÉLÉMENTS", "caching"):
        assert full_text.count_matching_rows(database, "memory_text", word, 9) == 1


def test_the_best_that_pass_are_found_below_any_number_that_do_not(database: Database) -> None:
    """Matches are scored before they are filtered; the filter must not empty the answer."""
    for seed in range(20):
        edited(database, keep(database, said("cache", seed=seed)), archived_at=1)
    living = [
        keep(database, said(f"cache among many other words {seed}", seed=seed)).seq
        for seed in range(20, 26)
    ]
    hits = memory_search.best_matching_memories(database, "cache", MemoryFilter(), 3)
    assert [seq for seq, _ in hits] == living[:-4:-1]
    every = memory_search.best_matching_memories(database, "cache", MemoryFilter(states=()), 3)
    assert not {seq for seq, _ in every} & set(living)


def test_a_usual_question_and_a_narrow_one_agree_on_the_order(database: Database) -> None:
    for seed in range(12):
        keep(database, said(f"cache {'word ' * (seed % 5)}", seed=seed))
    narrow = MemoryFilter(since=0)
    assert MemoryFilter().has_only_default_conditions
    assert not narrow.has_only_default_conditions
    assert memory_search.best_matching_memories(
        database, "cache", MemoryFilter(), 4
    ) == memory_search.best_matching_memories(database, "cache", narrow, 4)


def test_which_rows_pass_a_filter_among_all_or_some(database: Database) -> None:
    saved = [keep(database, said(f"redis {seed}", seed=seed)) for seed in range(3)]
    other = keep(database, said("postgres", seed=9, kind="fix"))
    notes = MemoryFilter(kinds=("fix",))
    assert memory_search.filter_row_numbers(database, notes) == {other.seq}
    assert memory_search.filter_row_numbers(database, MemoryFilter()) == {
        item.seq for item in [*saved, other]
    }
    assert memory_search.filter_row_numbers(database, MemoryFilter(), [saved[0].seq, 999]) == {
        saved[0].seq
    }
    assert memory_search.filter_row_numbers(database, notes, [saved[0].seq]) == set()
    assert memory_search.filter_row_numbers(database, MemoryFilter(), []) == set()


def test_texts_are_read_in_the_order_of_the_file_and_reported_the_newest_first(
    database: Database,
) -> None:
    """By the index of that order each page would be read many times."""
    for seed, at in enumerate((3, 1, 2)):
        keep(database, said(f"mykafkahost {seed}", seed=seed, created_at=at))
    other = keep(database, said("mykafkahost, put away", seed=7, created_at=9))
    edited(database, other, archived_at=9)
    query: list[tuple[str, object]] = []
    database.connection.exec_trace = lambda _, sql, values: bool(query.append((sql, values)) or 1)
    found = memory_search.row_numbers_containing(database, "KAFKA", MemoryFilter(), 2)
    database.connection.exec_trace = None
    (question,) = [item for item in query if "LIKE" in item[0]]
    plan = [row[3] for row in database.rows(f"EXPLAIN QUERY PLAN {question[0]}", question[1])]
    assert "SCAN memories" in plan, plan
    times = database.rows("SELECT created_at FROM memories WHERE seq IN (?,?)", found)
    assert len(found) == 2
    assert {row[0] for row in times} == {3, 2}
    assert found[0] == database.value("SELECT seq FROM memories WHERE created_at = 3")
