"""Scores of messages: each by its own length, its neighbours as a field of their own."""

from __future__ import annotations

from dataclasses import replace

from gitmem.search import query
from gitmem.store.db.connection import Database
from gitmem.store.memory import memory_search, message_scores
from gitmem.store.memory.filters import MemoryFilter
from tests.support.stores import keep, said

FILLER = " ".join(f"filler{number}" for number in range(400))


def messages(database: Database, *texts: str, kind: str = "conversation") -> list[int]:
    """Texts, kept in one session in this order; their row numbers."""
    return [
        keep(
            database,
            replace(said(text, seed=at, kind=kind), session="talk", created_at=at),
        ).seq
        for at, text in enumerate(texts, 1)
    ]


def order(database: Database, question: str) -> list[int]:
    expression = query.selective_fts_expression(
        query.parse_terms(question),
        {term.expression: 1 for term in query.parse_terms(question)},
        2000,
    )
    found = memory_search.best_matching_memories(database, expression, MemoryFilter(), 10)
    assert [score for _, score in found] == sorted((score for _, score in found), reverse=True)
    return [number for number, _ in found]


def test_a_short_message_comes_before_a_long_reply_that_repeats_its_words(
    database: Database,
) -> None:
    requested, reply, *_ = messages(
        database,
        "user: our ledger runs on cockroach",
        f"assistant: a ledger on cockroach: {FILLER} and the ledger {FILLER} on cockroach",
        "user: thanks",
        "assistant: welcome",
    )
    assert order(database, "ledger cockroach")[:2] == [requested, reply]


def test_what_stands_beside_a_message_counts_less_than_what_it_says(database: Database) -> None:
    before, own, after, far, *_ = messages(
        database, "first words", "the parcel came", "other words", "more of them", "far away"
    )
    found = order(database, "parcel")
    assert found[0] == own
    assert {before, after, far} <= set(found[1:])


def test_each_question_is_scored_by_its_own_words(database: Database) -> None:
    """SQLite keeps a statement, and with it the function that it called at first."""
    numbers = messages(database, "quokka parcel ledger", "ledger", "quokka")
    own = {"title": 1.0, "body": 1.0, "tags": 1.0, "parts": 1.0}

    def scores(expression: str) -> dict[int, float]:
        return message_scores.score_messages(
            database, "memory_text", expression, numbers, own, "near"
        )

    every = scores('"quokka" OR "parcel" OR "ledger"')
    alone = scores('"quokka"')
    assert alone[numbers[0]] < every[numbers[0]]
    assert scores('"quokka" OR "parcel" OR "ledger"') == every


def test_words_that_many_messages_hold_count_less(database: Database) -> None:
    common = [f"deploy number {at}" for at in range(12)]
    *_, rare = messages(database, *common, "quokka", "x", "y", "z")[:13]
    assert order(database, "deploy quokka")[0] == rare


def test_other_kinds_keep_the_scores_of_fts5(database: Database) -> None:
    numbers = messages(database, "alpha beta", "alpha gamma delta", kind="note")
    found = memory_search.best_matching_memories(database, '"alpha"', MemoryFilter(), 10)
    plain = database.rows(
        "SELECT rowid, -bm25(memory_text, 3.0, 1.0, 2.0, 0.5, 0.3) FROM memory_text "
        "WHERE memory_text MATCH '\"alpha\"'"
    )
    assert dict(found) == dict(plain)
    assert [number for number, _ in found] == numbers
