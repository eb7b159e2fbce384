"""Turns of a conversation and those beside each."""

from __future__ import annotations

from dataclasses import replace

from gitmem.store.db.connection import Database
from gitmem.store.memory import conversation
from tests.support.stores import keep, said


def test_beside_a_turn_stand_the_one_before_and_the_one_after_it(database: Database) -> None:
    first, last, middle, alone, note = (
        keep(
            database,
            replace(said(text, seed=seed, kind=kind), session=session, created_at=at),
        ).seq
        for seed, (text, kind, session, at) in enumerate(
            (
                ("one", "conversation", "a", 1),
                ("three", "conversation", "a", 3),
                ("second", "conversation", "a", 2),
                ("other", "conversation", "b", 2),
                ("fact", "note", "a", 2),
            ),
            1,
        )
    )
    found = conversation.turn_lengths_and_neighbours(
        database, [first, last, middle, alone, note, 99]
    )
    assert found == {
        first: (3, [middle]),
        middle: (6, [first, last]),
        last: (5, [middle]),
        alone: (5, []),
    }
