"""Memories are followed through what happens to the code they stand on (ML-1, CT-7)."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from gitmem.freshness import anchor_verdict
from gitmem.model.anchor import CitedCodeVerdict, Freshness
from gitmem.store.memory import anchors
from tests.support.anchored import BLOCK, END, SERVER, SPAN, START, Anchored
from tests.support.stores import keep, said

CHANGED = SERVER.replace("listener.listen(backlog)", "listener.listen(2 * backlog)")
WITHOUT = SERVER.replace(BLOCK, "")


@pytest.fixture
def ground(tmp_path: Path) -> Anchored:
    return Anchored(tmp_path)


def place(found: CitedCodeVerdict) -> tuple[str, str, int | None, int | None]:
    return found.verdict, found.path, found.first_line, found.last_line


# --- what happens to the code -------------------------------------------------------------------


def test_what_was_not_touched_is_fresh(ground: Anchored) -> None:
    memory = ground.cite(SPAN)
    assert place(ground.verdict(memory)) == ("fresh", "src/server.py", START, END)


def test_a_memory_without_anchors_has_no_freshness(ground: Anchored) -> None:
    with ground.app() as app:
        memory = keep(app.store, said("nothing cited"))
    assert ground.judged(memory) == {memory.id: Freshness("none")}


def test_lines_put_before_it_are_followed_without_a_commit(ground: Anchored) -> None:
    memory = ground.cite(SPAN)
    ground.write("src/server.py", "# new\n\n" + SERVER)
    assert place(ground.verdict(memory)) == ("fresh", "src/server.py", START + 2, END + 2)


def test_indentation_line_ends_and_wrapping_do_not_count(ground: Anchored) -> None:
    memory = ground.cite(SPAN)
    wrapped = SERVER.replace("(self, backlog=5)", "(\n        self,\n        backlog=5\n    )")
    ground.write("src/server.py", wrapped.replace("    ", "\t").replace("\n", "\r\n"))
    found = ground.verdict(memory)
    assert place(found) == ("fresh", "src/server.py", START, END + 3)


@pytest.mark.parametrize("committed", [False, True])
def test_a_renamed_file_is_followed(ground: Anchored, committed: bool) -> None:
    memory, whole = ground.cite(SPAN), ground.cite("src/server.py")
    ground.repo.git("mv", "src/server.py", "src/web.py")
    if committed:
        ground.commit()
    assert place(ground.verdict(memory)) == ("moved", "src/web.py", START, END)
    assert place(ground.verdict(whole)) == ("moved", "src/web.py", None, None)


@pytest.mark.parametrize("committed", [False, True])
def test_a_block_that_moves_to_another_file_is_followed(ground: Anchored, committed: bool) -> None:
    memory = ground.cite(SPAN)
    ground.write("src/server.py", WITHOUT)
    ground.write("src/other.py", "other = 1\n\n\n" + BLOCK.replace("    ", "  "))
    if committed:
        ground.commit()
    found = ground.verdict(memory)
    assert place(found) == ("moved", "src/other.py", 4, 7)
    assert found.reason == "now in src/other.py, lines 4-7"


def test_a_block_that_moves_is_followed_without_any_index(tmp_path: Path) -> None:
    ground = Anchored(tmp_path, indexed=False)
    memory = ground.cite(SPAN)
    ground.write("src/server.py", WITHOUT)
    ground.write("src/other.py", BLOCK)
    assert place(ground.verdict(memory)) == ("moved", "src/other.py", 1, 4)


def test_a_block_that_moved_in_commits_nobody_indexed_is_followed(ground: Anchored) -> None:
    memory = ground.cite(SPAN)
    ground.repo.commit("Move", {"src/server.py": WITHOUT, "lib/new.py": BLOCK})
    assert place(ground.verdict(memory)) == ("moved", "lib/new.py", 1, 4)


def test_an_edit_inside_is_a_change_and_its_place_is_reported(ground: Anchored) -> None:
    memory = ground.cite(SPAN)
    ground.write("src/server.py", "#\n" + CHANGED)
    found = ground.verdict(memory)
    assert place(found) == ("changed", "src/server.py", START + 1, END + 1)
    assert "is no longer there" in found.reason


def test_an_edit_beside_it_is_no_change(ground: Anchored) -> None:
    memory = ground.cite(SPAN)
    ground.write("src/server.py", SERVER.replace("backlog=50", "backlog=500"))
    assert ground.verdict(memory).verdict == "fresh"


def test_a_deleted_file_is_gone(ground: Anchored) -> None:
    memory, whole = ground.cite(SPAN), ground.cite("src/server.py")
    ground.repo.git("rm", "-q", "src/server.py")
    ground.commit()
    assert ground.verdict(memory).verdict == "gone"
    assert ground.verdict(whole).verdict == "gone"


def test_what_comes_back_is_fresh_again(ground: Anchored) -> None:
    memory = ground.cite(SPAN)
    ground.write("src/server.py", CHANGED)
    assert ground.verdict(memory).verdict == "changed"
    ground.write("src/server.py", SERVER)
    assert ground.verdict(memory).verdict == "fresh"


def test_a_symbol_that_was_edited_has_changed_and_is_reported_where_it_is(ground: Anchored) -> None:
    memory = ground.cite("src/server.py::Server.start")
    ground.commit({"src/server.py": "#\n" + CHANGED})
    found = ground.verdict(memory)
    assert place(found) == ("changed", "src/server.py", START + 1, END + 1)
    assert found.reason.startswith("Server.start is in lines 11-14 now")
    # Of a file that was written since, the index knows no lines.
    ground.write("src/server.py", "# A\n# B\n# C\n" + CHANGED)
    assert "lines 11-14" not in ground.verdict(memory).reason


def test_a_symbol_that_another_file_has_too_is_looked_for_in_its_own_first(
    ground: Anchored,
) -> None:
    memory = ground.cite("src/server.py::Server.start")
    ground.commit({"src/server.py": "#\n" + CHANGED, "src/a.py": CHANGED})
    assert place(ground.verdict(memory))[1] == "src/server.py"


def test_a_symbol_that_moved_and_was_edited_is_not_gone(ground: Anchored) -> None:
    memory = ground.cite("src/server.py::Server.start")
    ground.repo.git("mv", "src/server.py", "src/web.py")
    ground.commit({"src/web.py": CHANGED})
    assert place(ground.verdict(memory)) == ("changed", "src/web.py", START, END)


def test_a_whole_file_may_change_as_long_as_half_of_it_stays(ground: Anchored) -> None:
    memory = ground.cite("src/server.py")
    ground.write("src/server.py", CHANGED + "more = 1\n")
    assert ground.verdict(memory).verdict == "fresh"
    ground.write("src/server.py", "nothing = 1\n")
    assert ground.verdict(memory).verdict == "changed"


def test_an_amended_and_a_rebased_commit_take_nothing_away(ground: Anchored) -> None:
    """The anchor's commit is only a hint: it may be gone."""
    memory = ground.cite(SPAN)
    ground.repo.git("commit", "-q", "--amend", "-m", "Serve better", "--date=2001-01-01T00:00:00Z")
    ground.repo.git("reflog", "expire", "--expire=now", "--all")
    ground.repo.git("gc", "-q", "--prune=now")
    assert ground.verdict(memory).verdict == "fresh"
    ground.commit({"src/server.py": CHANGED})
    assert ground.verdict(memory).verdict == "changed"


def test_the_worst_anchor_counts(ground: Anchored) -> None:
    memory = ground.cite(SPAN, "src/other.py", "src/later.py")
    assert ground.judged(memory)[memory.id].freshness == "unknown"
    ground.write("src/server.py", CHANGED)
    found = ground.judged(memory)[memory.id]
    assert found.freshness == "changed"
    assert [anchor.verdict for anchor in found.anchors] == ["changed", "fresh", "unknown"]


# --- what stands there instead ------------------------------------------------------------------


def replaced(ground: Anchored) -> Path:
    (ground.repo.path / "src/server.py").unlink()
    return ground.repo.path / "src/server.py"


def test_a_file_that_became_a_folder_is_gone(ground: Anchored) -> None:
    memory = ground.cite(SPAN)
    replaced(ground).mkdir()
    assert ground.verdict(memory).verdict == "gone"


def test_a_package_that_took_the_place_of_a_module_is_found(ground: Anchored) -> None:
    memory = ground.cite(SPAN)
    replaced(ground)
    ground.write("src/server.py/__init__.py", SERVER)
    assert place(ground.verdict(memory)) == ("moved", "src/server.py/__init__.py", START, END)


def test_a_folder_above_that_became_a_file_or_a_link(ground: Anchored, tmp_path: Path) -> None:
    memory = ground.cite(SPAN)
    (ground.repo.path / "src").rename(tmp_path / "away")
    (ground.repo.path / "src").write_text("a file\n")
    assert ground.verdict(memory).verdict == "gone"
    (ground.repo.path / "src").unlink()
    (ground.repo.path / "src").symlink_to(tmp_path / "away")
    assert ground.verdict(memory).verdict == "unknown"


def test_a_link_in_its_place_is_not_followed(ground: Anchored) -> None:
    memory = ground.cite(SPAN)
    replaced(ground).symlink_to("other.py")
    found = ground.verdict(memory)
    assert (found.verdict, found.reason) == ("unknown", "a link is in its place")


def test_a_link_to_itself_ends(ground: Anchored) -> None:
    memory = ground.cite(SPAN)
    replaced(ground).symlink_to("server.py")
    assert ground.verdict(memory).verdict == "unknown"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_named_pipe_is_not_waited_for(ground: Anchored) -> None:
    memory = ground.cite(SPAN)
    os.mkfifo(replaced(ground))
    assert ground.verdict(memory).verdict == "unknown"


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="nothing is unreadable here")
def test_a_file_that_may_not_be_read_is_unknown(ground: Anchored) -> None:
    memory = ground.cite(SPAN)
    (ground.repo.path / "src/server.py").chmod(0)
    assert ground.verdict(memory).verdict == "unknown"


def test_a_file_that_became_binary_is_unknown(ground: Anchored) -> None:
    memory = ground.cite(SPAN)
    (ground.repo.path / "src/server.py").write_bytes(b"\0\1\2" * 100)
    found = ground.verdict(memory)
    assert (found.verdict, found.reason) == ("unknown", "it is now a binary file")


def test_bytes_that_are_no_text_hide_nothing(ground: Anchored) -> None:
    memory = ground.cite(SPAN)
    (ground.repo.path / "src/server.py").write_bytes(b"# caf\xe9 \xff\n" + SERVER.encode())
    assert ground.verdict(memory).first_line == START + 1
    (ground.repo.path / "src/server.py").write_bytes(SERVER.encode("utf-16"))
    assert ground.verdict(memory).verdict == "fresh"


def test_a_file_of_many_megabytes_is_read_as_far_as_it_may_be(ground: Anchored) -> None:
    memory = ground.cite(SPAN)
    wide = f"x = '{'1' * 900}'\n" * 10_000  # fewer lines than usual: each costs
    ground.write("src/server.py", SERVER + wide)
    assert ground.verdict(memory).verdict == "fresh"
    ground.write("src/server.py", wide)
    found = ground.verdict(memory)
    assert (found.verdict, found.reason) == ("unknown", "it is too large to be read completely")


def test_a_block_in_an_ignored_or_secret_file_is_not_looked_for(ground: Anchored) -> None:
    memory = ground.cite(SPAN)
    ground.write(".env", BLOCK)
    ground.write("src/server.py", WITHOUT)
    assert ground.verdict(memory).verdict == "changed"


# --- what is kept -------------------------------------------------------------------------------


def saved(ground: Anchored) -> list[tuple[str, str]]:
    with ground.app() as app:
        return app.store.rows("SELECT verdict, stamp FROM verdicts ORDER BY memory, number")


def poison(ground: Anchored) -> None:
    """Whatever is read from the cache from now on is recognised by its lines."""
    with ground.app() as app, app.store.write():
        app.store.run("UPDATE verdicts SET first_line = 777")


def test_a_verdict_counts_until_its_file_is_written_again(ground: Anchored) -> None:
    memory = ground.cite(SPAN)
    first = ground.verdict(memory)
    assert ground.verdict(memory) == first
    poison(ground)
    assert ground.verdict(memory).first_line == 777
    ground.write("src/server.py", "#\n" + SERVER)
    assert ground.verdict(memory).first_line == START + 1


def test_a_move_counts_until_either_file_is_written_again(ground: Anchored) -> None:
    memory = ground.cite(SPAN)
    ground.write("src/server.py", WITHOUT)
    ground.write("src/other.py", BLOCK)
    ground.verdict(memory)
    poison(ground)
    assert ground.verdict(memory).first_line == 777
    ground.write("src/other.py", "\n" + BLOCK)
    assert place(ground.verdict(memory)) == ("moved", "src/other.py", 2, 5)
    ground.write("src/server.py", SERVER)
    assert ground.verdict(memory).verdict == "fresh"


def test_a_change_is_looked_into_again_when_the_index_moves_on(ground: Anchored) -> None:
    memory = ground.cite(SPAN)
    ground.commit({"src/server.py": WITHOUT})
    assert ground.verdict(memory).verdict == "changed"
    ground.commit({"src/new.py": BLOCK})
    assert place(ground.verdict(memory)) == ("moved", "src/new.py", 1, 4)


def test_what_time_does_not_suffice_for_is_unknown_and_not_kept(ground: Anchored) -> None:
    memory = ground.cite(SPAN)
    found = ground.verdict(memory, deadline_ms=0)
    assert (found.verdict, found.reason) == ("unknown", "not checked yet")
    assert saved(ground) == []
    assert ground.verdict(memory).verdict == "fresh"
    assert ground.verdict(memory, deadline_ms=0).verdict == "fresh"


def test_in_a_hurry_a_change_stays_one_though_the_index_moved_on(ground: Anchored) -> None:
    memory = ground.cite(SPAN)
    ground.commit({"src/server.py": CHANGED})
    ground.verdict(memory)
    before = saved(ground)
    ground.commit({"src/third.py": "third = 3\n"})
    assert ground.verdict(memory, deadline_ms=0).verdict == "changed"
    assert saved(ground) == before


def test_in_a_hurry_git_is_not_asked_and_nothing_is_called_gone(ground: Anchored) -> None:
    memory = ground.cite(SPAN)
    ground.write("src/server.py", WITHOUT)
    ground.write("src/other.py", BLOCK)
    found = ground.verdict(memory, deadline_ms=20)
    assert (found.verdict, found.reason) == ("unknown", "not checked yet")
    assert saved(ground) == []


def test_a_file_to_come_stays_unknown_though_it_came(ground: Anchored) -> None:
    memory = ground.cite("src/later.py")
    ground.write("src/later.py", "x = 1\n")
    assert ground.verdict(memory).verdict == "unknown"
    assert saved(ground) == []


def test_each_work_tree_has_its_own_verdicts(ground: Anchored, tmp_path: Path) -> None:
    memory = ground.cite(SPAN)
    other = ground.repo.worktree(tmp_path / "other", "feature")
    other.write({"src/server.py": CHANGED})
    with ground.app() as app:
        away = app.for_worktree(str(other.path))
        (found,) = anchor_verdict.freshness_by_memory(away, app.store, [memory])[memory.id].anchors
    assert found.verdict == "changed"
    assert ground.verdict(memory).verdict == "fresh"


def test_reading_again_says_the_same(ground: Anchored) -> None:
    memories = [ground.cite(SPAN), ground.cite("src/server.py::Server.stop"), ground.cite("src/x")]
    ground.commit({"src/server.py": CHANGED.replace("listener.close()", "listener.shut()")})
    first = ground.judged(*memories)
    assert ground.judged(*memories) == first
    assert ground.judged(*memories, deadline_ms=0) == first


def test_a_refresh_looks_at_all_and_readers_find_it_done(ground: Anchored) -> None:
    memories = [ground.cite(SPAN), ground.cite("src/other.py"), ground.cite("src/server.py:16")]
    ground.commit({"src/server.py": WITHOUT})
    with ground.app() as app:
        done = anchor_verdict.refresh_cited_code_freshness(app, app.store)
        again = anchor_verdict.refresh_cited_code_freshness(app, app.store)
        assert (
            anchors.count_memories_with_anchor_verdict(app.store, app.worktree, ["changed", "gone"])
            == 1
        )
    assert (done.judged, done.counts) == (3, {"fresh": 2, "changed": 1})
    assert (again.judged, again.counts) == (0, done.counts)
    found = ground.judged(*memories, deadline_ms=0)
    assert [found[memory.id].freshness for memory in memories] == ["changed", "fresh", "fresh"]


def test_a_refresh_of_some_looks_only_at_those(ground: Anchored) -> None:
    first, _ = ground.cite(SPAN), ground.cite("src/other.py")
    with ground.app() as app:
        assert anchor_verdict.refresh_cited_code_freshness(app, app.store, [first.id]).judged == 1
    assert len(saved(ground)) == 1


def test_a_store_that_cannot_be_written_is_read_all_the_same(ground: Anchored) -> None:
    memory = ground.cite(SPAN)
    with ground.app() as app:
        app.store.read_only = True
        assert (
            anchor_verdict.freshness_by_memory(app, app.store, [memory])[memory.id].freshness
            == "fresh"
        )
    assert saved(ground) == []


def test_a_reader_does_not_wait_for_a_writer(ground: Anchored) -> None:
    memory = ground.cite(SPAN)
    with ground.app() as writer, writer.store.write(), ground.app() as app:
        begin = time.monotonic()
        assert (
            anchor_verdict.freshness_by_memory(app, app.store, [memory])[memory.id].freshness
            == "fresh"
        )
        assert time.monotonic() - begin < 2  # a writer waits for ten


# --- which commit -------------------------------------------------------------------------------


def test_the_commit_that_changed_it_is_named(ground: Anchored) -> None:
    memory = ground.cite(SPAN)
    ground.commit({"src/server.py": "#\n" + SERVER})
    guilty = ground.commit({"src/server.py": CHANGED})
    ground.commit({"src/server.py": CHANGED + "more = 1\n"})
    assert ground.blame(memory) == guilty


def test_the_commit_that_deleted_or_renamed_the_file_is_named(ground: Anchored) -> None:
    memory, whole = ground.cite(SPAN), ground.cite("src/server.py")
    ground.repo.git("mv", "src/server.py", "src/web.py")
    moved = ground.commit()
    ground.repo.git("rm", "-q", "src/web.py")
    ground.commit()
    assert ground.blame(memory) == moved
    assert ground.blame(whole) == moved


def test_the_last_time_counts_where_it_came_and_went(ground: Anchored) -> None:
    memory = ground.cite(SPAN)
    ground.commit({"src/server.py": CHANGED})
    ground.commit({"src/server.py": SERVER})
    guilty = ground.commit({"src/server.py": WITHOUT})
    assert ground.blame(memory) == guilty


def test_a_change_that_is_not_committed_has_no_commit(ground: Anchored) -> None:
    memory = ground.cite(SPAN)
    ground.write("src/server.py", CHANGED)
    assert ground.blame(memory) == ""


def test_the_commit_is_found_though_that_of_the_anchor_is_gone(ground: Anchored) -> None:
    memory = ground.cite(SPAN)
    guilty = ground.commit({"src/server.py": CHANGED})
    with ground.app() as app, app.store.write():
        app.store.run("UPDATE anchors SET commit_id = ?", ("0" * 40,))
    assert ground.blame(memory) == guilty


def test_what_was_never_committed_is_nobodys_change(ground: Anchored) -> None:
    ground.write("src/draft.py", BLOCK.replace("start", "begin"))
    memory = ground.cite("src/draft.py:1-4")
    ground.commit({"src/draft.py": "other = 1\n"})
    assert ground.verdict(memory).verdict == "changed"
    assert ground.blame(memory) == ""


def test_an_explanation_names_the_commit_and_what_is_missing(ground: Anchored) -> None:
    memory = ground.cite(SPAN)
    guilty = ground.commit({"src/server.py": SERVER.replace("create_server", "make")})
    found = ground.verdict(memory)
    with ground.app() as app:
        result = anchor_verdict.explain_code_anchor_verdict(app, ground.anchor(app, memory), found)
    assert result.commit == guilty
    assert result.reason.endswith("no longer there: create_server")
