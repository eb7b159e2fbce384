"""The cache of what is elsewhere: its condition, and what it remembers of the last look."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitmem.store.db.connection import Database
from gitmem.store.memory import branch_visibility, memories, memory_writes
from gitmem.store.memory.branch_visibility import MOST_CARRIED, HiddenMemories, VisibilitySnapshot
from tests.support.stores import keep, make_store, said

TREE = "/work/shop"
COMMITS = st.frozensets(st.integers(0, 10**9).map(lambda number: f"{number:040x}"), max_size=9)
WORD = st.text("0123456789ABCDEF", max_size=26)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Database]:
    made = make_store(tmp_path / "m.db")
    for seed, (kind, commit) in enumerate(
        (("note", "a"), ("note", "b"), ("convention", "b"), ("note", ""))
    ):
        text = f"{kind} {seed}"
        keep(made, said(text, seed=seed, kind=kind, branch="side", commit=commit * 40))
    yield made
    made.close()


def shown(store: Database, hidden: HiddenMemories) -> list[str]:
    clause, values = hidden.visible_sql_condition()
    rows = store.rows(
        f"SELECT m.content FROM memories AS m WHERE {clause} ORDER BY m.seq", (*values,)
    )
    return [row[0] for row in rows]


def all_ids(store: Database) -> list[str]:
    return [row[0] for row in store.rows("SELECT id FROM memories ORDER BY seq")]


def put(store: Database, head: str, ids: list[str], branch: str = "main") -> None:
    with store.write():
        branch_visibility.save_hidden_memories(
            store, TREE, head, branch, VisibilitySnapshot(4, "x", "0"), ids, 7
        )


@pytest.mark.parametrize("expected", [True, False])
def test_what_is_listed_is_left_out_unless_it_holds_everywhere(
    store: Database, expected: bool
) -> None:
    ids = all_ids(store)
    listed = ids[1:3]
    put(store, "h", listed if expected else [])
    hidden = HiddenMemories(TREE) if expected else HiddenMemories("", tuple(listed))
    assert shown(store, hidden) == ["note 0", "convention 2", "note 3"]
    assert branch_visibility.hidden_memory_ids(store, hidden, ids) == {ids[1]}


@pytest.mark.parametrize("stored", [True, False])
def test_what_somebody_has_at_hand_is_seen_on_every_branch(store: Database, stored: bool) -> None:
    keep(store, said("at hand", seed=9, layer="working", branch="side", commit="b" * 40))
    ids = all_ids(store)
    put(store, "h", ids if stored else [])
    assert "at hand" in shown(
        store, HiddenMemories(TREE) if stored else HiddenMemories("", tuple(ids))
    )


def test_nothing_is_hidden_by_default_and_in_other_trees(store: Database) -> None:
    put(store, "h", all_ids(store))
    assert (
        len(shown(store, HiddenMemories())) == len(shown(store, HiddenMemories("/work/other"))) == 4
    )


def verdict(store: Database, memory: str, word: str, line: int | None) -> None:
    store.run(
        "INSERT OR REPLACE INTO verdicts VALUES (?, 1, ?, ?, 'a.py', ?, ?, '', 1)",
        (memory, TREE, word, line, line),
    )


@pytest.mark.parametrize(
    ("word", "line", "here"),
    [("fresh", 3, True), ("moved", 3, True), ("changed", 3, False), ("fresh", None, False)],
)
def test_lines_that_stand_here_bring_a_memory_along(
    store: Database, word: str, line: int | None, here: bool
) -> None:
    first = all_ids(store)[0]
    put(store, "h", [first])
    verdict(store, first, word, line)
    assert ("note 0" in shown(store, HiddenMemories(TREE))) is here


def test_a_verdict_of_before_head_moved_tells_nothing(store: Database) -> None:
    first, second, *_ = all_ids(store)
    put(store, "h", [first])
    verdict(store, first, "fresh", 3)
    verdict(store, second, "fresh", 3)
    put(store, "h", [first])
    assert "note 0" in shown(store, HiddenMemories(TREE)), "nothing moved"
    put(store, "h", [first], branch="other")
    assert "note 0" not in shown(store, HiddenMemories(TREE))
    assert store.value("SELECT count(*) FROM verdicts") == 1, "only those elsewhere are dropped"


def test_only_lines_not_looked_at_are_unverified(store: Database) -> None:
    first, second, third, _ = all_ids(store)
    for memory, line in ((first, 3), (second, 4), (third, None)):
        store.run(
            "INSERT INTO anchors VALUES (?, 1, 'a.py', 'a.py', ?, ?, '', '', '', '{}', 1, '', 1)",
            (memory, line, line),
        )
    put(store, "h", [first, second, third])
    verdict(store, second, "gone", 4)
    assert branch_visibility.ids_of_unverified_hidden_memories(store, TREE, 9) == [first]


def test_rows_follow_the_last_look_and_go_with_their_tree(store: Database) -> None:
    first, second, *_ = all_ids(store)
    put(store, "h", [first])
    put(store, "i", [second])
    assert shown(store, HiddenMemories(TREE)) == ["note 0", "convention 2", "note 3"]
    assert branch_visibility.has_hidden_memories(store, TREE)
    assert branch_visibility.worktrees_with_hidden_memories(store) == [TREE]
    with store.write():
        branch_visibility.delete_hidden_memories(store, [TREE])
    assert len(shown(store, HiddenMemories(TREE))) == 4
    assert not branch_visibility.worktrees_with_hidden_memories(store) + store.rows(
        "SELECT 1 FROM elsewhere"
    )


@given(st.integers(0, 10**6), WORD, COMMITS, COMMITS, COMMITS)
def test_what_was_seen_comes_back(
    seq: int, id: str, unreached: frozenset[str], missing: frozenset[str], heads: frozenset[str]
) -> None:
    base, sought = ([*heads, "", ""])[:2]
    known = (unreached | missing, missing) if base else (frozenset[str](), frozenset[str]())
    observed = VisibilitySnapshot(seq, id, "12", base, *known, sought)
    assert branch_visibility.parse_visibility_snapshot(observed.to_text()) == observed


def test_too_many_to_carry_are_asked_anew(store: Database) -> None:
    many = frozenset(f"{number:040x}" for number in range(MOST_CARRIED + 1))
    observed = branch_visibility.parse_visibility_snapshot(
        VisibilitySnapshot(1, "a", "0", "b" * 40, many).to_text()
    )
    assert (observed.base, observed.unreached) == ("", frozenset())


def test_a_number_that_another_memory_took_over_is_noticed(store: Database) -> None:
    state = branch_visibility.read_visibility_state(store, TREE)
    observed = VisibilitySnapshot(state.seq, state.id, state.mark)
    assert branch_visibility.is_newest_memory_unchanged(store, observed)
    newest = memories.get_memory(store, state.id)
    assert newest is not None
    with store.write():
        memory_writes.purge_memory(store, newest.id, at_ms=1)
    assert not branch_visibility.is_newest_memory_unchanged(store, observed)
    keep(store, said("Another", seed=9))
    assert branch_visibility.read_visibility_state(store, TREE).seq == state.seq
    assert not branch_visibility.is_newest_memory_unchanged(store, observed)


def test_commits_and_branches_of_memories(store: Database) -> None:
    a, b = "a" * 40, "b" * 40
    assert branch_visibility.commits_of_saved_memories(store, 0, 9) == {a, b}
    assert branch_visibility.commits_of_saved_memories(store, 1, 9) == {b}
    assert branch_visibility.commits_with_memories(store, [a, "c" * 40]) == {a}
    assert [row[2] for row in branch_visibility.memories_saved_at_commits(store, [b, a])] == [
        b,
        b,
        a,
    ]
    assert branch_visibility.commits_of_branches(store, ["side", "it's"], 9) == [b, a]
    assert branch_visibility.has_memory_of_other_branch(store, "main", a)
    assert not branch_visibility.has_memory_of_other_branch(store, "side", a)
    assert branch_visibility.has_memory_of_other_branch(store, "", a), (
        "a detached HEAD is no branch's"
    )
    assert not branch_visibility.has_memory_of_other_branch(store, "main", b, after_row_number=1)
