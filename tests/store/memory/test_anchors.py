"""Anchors are kept with their memory; verdicts are a cache for one work tree (ML-1)."""

from __future__ import annotations

import json

import pytest

from gitmem.model.anchor import CitedCodeVerdict, CodeAnchor
from gitmem.model.memory import Memory
from gitmem.store.code import indexed_files
from gitmem.store.db.connection import Database
from gitmem.store.memory import anchors, memory_writes
from gitmem.text import code_fingerprint
from tests.support.secrets import SECRET, leaked
from tests.support.stores import START, keep, said

TREE = "/work/tree"
PRINT = code_fingerprint.to_json(code_fingerprint.fingerprint_of_block(["start_server(port)"]))


def anchor(number: int = 1, path: str = "src/app.py", **fields: object) -> CodeAnchor:
    values = {"first_line": 4, "last_line": 6, "symbol": "", "blob": "b10b", "commit": "c0"}
    values |= {"print": PRINT, "at": START, "cited": f"{path}:4-6"} | fields
    return CodeAnchor(number=number, path=path, **values)  # type: ignore[arg-type]


def put(database: Database, memory: Memory, *given: CodeAnchor) -> None:
    with database.write():
        anchors.replace_anchors(database, memory.id, given)


def found(number: int = 1, word: str = "fresh", **fields: object) -> CitedCodeVerdict:
    return CitedCodeVerdict(number, "src/app.py:4-6", word, "src/app.py", 5, 7, **fields)  # type: ignore[arg-type]


def keep_verdict(
    database: Database, memory: Memory, verdict: CitedCodeVerdict, tree: str = TREE
) -> None:
    with database.write():
        anchors.cache_anchor_verdicts(database, tree, [(memory.id, verdict, "stamp")], START)


@pytest.fixture
def memory(database: Database) -> Memory:
    return keep(database, said())


def test_anchors_come_back_as_they_were_given(database: Database, memory: Memory) -> None:
    given = [anchor(1), anchor(2, "b.py", first_line=None, last_line=None, symbol="Server.start")]
    put(database, memory, *given)
    assert anchors.anchors_by_memory(database, [memory.id, "nobody"]) == {memory.id: given}


def test_new_anchors_take_the_place_of_the_old_and_of_what_was_found(
    database: Database, memory: Memory
) -> None:
    put(database, memory, anchor(1), anchor(2, "b.py"))
    keep_verdict(database, memory, found())
    put(database, memory, anchor(1, "c.py"))
    assert [item.path for item in anchors.anchors_by_memory(database, [memory.id])[memory.id]] == [
        "c.py"
    ]
    (saved,) = anchors.cached_anchor_verdicts(database, TREE, [memory.id])[memory.id]
    assert saved.verdict is None


def test_each_anchor_has_its_place_in_the_order_of_writes(
    database: Database, memory: Memory
) -> None:
    put(database, memory, anchor(1), anchor(2, "b.py"))
    rows = database.rows("SELECT device, counter FROM anchors ORDER BY number")
    assert rows[0][0] == database.device
    assert rows[0][1] < rows[1][1]


def test_a_path_that_is_no_utf8_comes_back_as_it_was(database: Database, memory: Memory) -> None:
    put(database, memory, anchor(1, "caf\udce9.py"))
    assert anchors.anchors_by_memory(database, [memory.id])[memory.id][0].path == "caf\udce9.py"
    assert anchors.anchors_at_paths(database, ["caf\udce9.py"])[0][0] == memory.id


def test_no_secret_passes_with_an_anchor(database: Database, memory: Memory) -> None:
    output = json.dumps({"probes": [f"token = '{SECRET}'"], "size": 3, "hash": "ab"})
    put(database, memory, anchor(1, f"src/{SECRET}.py", print=output, symbol=SECRET, commit=SECRET))
    row = database.row("SELECT cited, path, symbol, commit_id, print FROM anchors")
    assert not leaked(repr(row).encode())
    assert (
        code_fingerprint.from_json(
            anchors.anchors_by_memory(database, [memory.id])[memory.id][0].print
        ).size
        == 3
    )


def test_who_cites_a_path_or_what_is_in_a_folder_is_found(
    database: Database, memory: Memory
) -> None:
    other = keep(database, said("Another", seed=5))
    put(database, memory, anchor(1, "src/app.py"), anchor(2, "src/web/page.py"))
    put(database, other, anchor(1, "srcs/app.py"))
    assert [item.path for _, item in anchors.anchors_at_paths(database, ["src/"])] == [
        "src/app.py",
        "src/web/page.py",
    ]
    assert [id for id, _ in anchors.anchors_at_paths(database, ["srcs/app.py", "srcs"])] == [
        other.id
    ]
    assert anchors.anchors_at_paths(database, ["src/ap", "app.py"]) == []


def test_the_memories_that_stand_on_something_are_listed(
    database: Database, memory: Memory
) -> None:
    keep(database, said("Without", seed=5))
    put(database, memory, anchor(1))
    assert anchors.anchored_memory_ids(database) == [memory.id]


def test_a_verdict_is_kept_for_one_work_tree(database: Database, memory: Memory) -> None:
    put(database, memory, anchor(1))
    keep_verdict(database, memory, found(word="moved"))
    (saved,) = anchors.cached_anchor_verdicts(database, TREE, [memory.id])[memory.id]
    assert saved.verdict == found(word="moved")
    assert (saved.stamp, saved.anchor.path, saved.anchor.blob) == ("stamp", "src/app.py", "b10b")
    (elsewhere,) = anchors.cached_anchor_verdicts(database, "/other", [memory.id])[memory.id]
    assert elsewhere.verdict is None


def test_a_verdict_on_an_anchor_that_was_replaced_is_not_kept(
    database: Database, memory: Memory
) -> None:
    put(database, memory, anchor(1, "b.py"))
    keep_verdict(database, memory, found())
    assert database.value("SELECT count(*) FROM verdicts") == 0


def test_a_memory_without_anchors_is_not_asked_for(database: Database, memory: Memory) -> None:
    assert anchors.cached_anchor_verdicts(database, TREE, [memory.id]) == {}
    assert anchors.cached_anchor_verdicts(database, TREE, []) == {}


def test_odd_ids_are_only_ids(database: Database, memory: Memory) -> None:
    put(database, memory, anchor(1))
    assert anchors.anchors_by_memory(
        database, ['"]', "'; DROP TABLE anchors", memory.id]
    ).keys() == {memory.id}


def test_what_was_found_in_trees_that_are_gone_is_dropped(
    database: Database, memory: Memory
) -> None:
    put(database, memory, anchor(1))
    keep_verdict(database, memory, found())
    keep_verdict(database, memory, found(), "/gone")
    with database.write():
        anchors.delete_anchor_verdicts_of_other_worktrees(database, [TREE])
    assert database.rows("SELECT tree FROM verdicts") == [(TREE,)]
    with database.write():
        anchors.delete_cached_anchor_verdicts(database, memory.id)
    assert database.value("SELECT count(*) FROM verdicts") == 0


def test_a_memory_counts_once_for_all_its_anchors_and_only_here(
    database: Database, memory: Memory
) -> None:
    other = keep(database, said("Another", seed=5))
    put(database, memory, anchor(1), anchor(2, cited="src/app.py:4-6"), anchor(3, cited="src"))
    put(database, other, anchor(1))
    keep_verdict(database, memory, found(1))
    keep_verdict(database, memory, found(2, "changed"))
    keep_verdict(database, memory, found(3, "gone"))
    keep_verdict(database, other, found(1))
    keep_verdict(database, other, found(1, "gone"), "/elsewhere")
    assert anchors.count_memories_with_anchor_verdict(database, TREE, ["changed", "gone"]) == 1
    assert anchors.count_memories_with_anchor_verdict(database, TREE, ["fresh"]) == 2
    assert anchors.count_memories_with_anchor_verdict(database, TREE, ["moved"]) == 0
    for words in (["changed", "gone"], ["fresh"], ["moved"]):
        listed = anchors.memory_ids_with_anchor_verdict(database, TREE, words)
        assert (
            len(set(listed))
            == len(listed)
            == anchors.count_memories_with_anchor_verdict(database, TREE, words)
        )


def test_a_purged_memory_takes_its_anchors_with_it(database: Database, memory: Memory) -> None:
    put(database, memory, anchor(1))
    with database.write():
        memory_writes.purge_memory(database, memory.id, at_ms=START)
    assert anchors.anchored_memory_ids(database) == []


def test_the_index_tells_which_blob_a_path_shows_and_which_paths_a_blob(
    database: Database,
) -> None:
    with database.write():
        number = indexed_files.add_blob(
            database, blob_id="b10b", chunker="x", chunks=[], line_count=1, byte_count=1
        )
        indexed_files.set_blobs_of_paths(
            database, TREE, [("a.py", number, "python"), ("caf\udce9.py", number, "")]
        )
    assert anchors.blob_id_at(database, TREE, "a.py") == "b10b"
    assert anchors.blob_id_at(database, "/other", "a.py") == ""
    assert anchors.paths_of_blob(database, TREE, "b10b") == ["a.py", "caf\udce9.py"]
    assert anchors.paths_of_blob(database, "/other", "b10b") == []
