"""What took the place of which commit, kept for good."""

from __future__ import annotations

from pathlib import Path

from gitmem.store.memory import rewritten_commits
from tests.support.stores import make_store

A, B, C, D = (letter * 40 for letter in "abcd")


def test_pairs_are_followed_step_by_step_and_round_loops(tmp_path: Path) -> None:
    store = make_store(tmp_path / "m.db")
    with store.write():
        assert (
            rewritten_commits.add_rewritten_commits(
                store, [(A, B), (B, C), (C, A), (D, D)], "rebase", at_ms=1
            )
            == 3
        )
        assert rewritten_commits.add_rewritten_commits(store, [(D, B)], "amend", at_ms=2) == 1
    assert sorted(rewritten_commits.replacement_chain(store, [A])) == [(A, B), (B, C), (C, A)]
    assert sorted(rewritten_commits.replacement_chain(store, [D])) == [
        (A, B),
        (B, C),
        (C, A),
        (D, B),
    ]
    assert rewritten_commits.replacement_chain(store, ["e" * 40, 'no"id']) == []
    store.close()


def test_the_first_word_stays(tmp_path: Path) -> None:
    store = make_store(tmp_path / "m.db")
    with store.write():
        rewritten_commits.add_rewritten_commits(store, [(A, B)], "squash", at_ms=1)
    with store.write():
        assert rewritten_commits.add_rewritten_commits(store, [(A, B)], "cherry-pick", at_ms=2) == 0
    assert store.rows("SELECT old, new, how, at FROM rewritten") == [(A, B, "squash", 1)]
    with store.write():
        assert rewritten_commits.add_rewritten_commits(store, [(A, C)], "cherry-pick", at_ms=2) == 1
    store.close()
