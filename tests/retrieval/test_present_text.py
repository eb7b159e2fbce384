"""Hits in files that were edited since the index: present lines, or none (CF-28, CF-32)."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from gitmem.clock import SystemClock
from gitmem.indexing import index_behind
from gitmem.model.frozen import replace
from gitmem.operations.find.search_view import SearchResult
from gitmem.retrieval import present_text
from gitmem.store.code import indexed_files
from tests.support.apps import Desk, copy_of
from tests.support.moved import SetUp
from tests.support.repos import RepoBuilder
from tests.support.secrets import SECRET

POOL = (
    "import socket\n\n\n"
    "class RedisPool:\n    port = 6380\n\n    def acquire(self):\n        return socket.socket()\n"
)
FILES = {
    "src/pool.py": POOL,
    "src/use.py": "from src.pool import RedisPool\n\n\ndef run():\n    return RedisPool()\n",
    "docs/pool.md": "# Pool\n\nThe redis pool listens on port 6380.\n",
}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> SetUp:
    """Sets gitmem up in copies of a repository that nobody writes to."""
    repo = RepoBuilder(tmp_path_factory.mktemp("model") / "repo")
    repo.commit("Add the pool", FILES)
    return SetUp(repo, lambda: tmp_path_factory.mktemp("made"))


@pytest.fixture
def desk(made: SetUp, tmp_path: Path) -> Desk:
    repo = copy_of(made.repo, tmp_path)
    return made(Desk(repo.path, repo.home, GITMEM_MODEL="hashed"), no_hooks=True)


def query(desk: Desk, text: str = "redis pool acquire", **more: object) -> SearchResult:
    found: SearchResult = desk.run("search", query=text, **{"sources": ("code", "notes"), **more})
    return found


def wrong(desk: Desk, found: SearchResult) -> list[str]:
    """Hits whose snippet does not stand in the lines that are told, as the disk has them."""
    bad = []
    for hit in found.hits:
        if hit.kind in ("code", "note"):
            assert hit.start_line and hit.end_line
            place = desk.place / hit.path
            lines = place.read_text().split("\n") if place.is_file() else []
            inside = [line.rstrip() for line in lines[hit.start_line - 1 : hit.end_line]]
            if any(line not in inside for line in hit.snippet.split("\n")):
                bad.append(f"{hit.path}:{hit.start_line}-{hit.end_line}")
    return bad


def at(found: SearchResult, path: str) -> tuple[int | None, int | None]:
    return next((hit.start_line, hit.end_line) for hit in found.hits if hit.path == path)


def test_a_passage_that_moved_is_shown_where_it_stands(desk: Desk) -> None:
    first = at(query(desk), "src/pool.py")
    (desk.place / "src/pool.py").write_text("# one\n# two\n" + POOL)
    found = query(desk)
    assert at(found, "src/pool.py") == (first[0] + 2, first[1] + 2)  # type: ignore[operator]
    assert wrong(desk, found) == []
    assert (found.index.state, found.index.reread, found.index.left_out) == ("stale", 1, 0)
    assert "1 edited file was read from the disk" in desk.text("search", query="redis pool acquire")


def test_a_passage_that_changed_is_shown_as_it_is_or_not_at_all(desk: Desk) -> None:
    place = desk.place / "src/pool.py"
    place.write_text(POOL.replace("6380", "7000"))
    found = query(desk)
    (hit,) = [hit for hit in found.hits if hit.path == "src/pool.py"]
    assert wrong(desk, found) == []
    assert "edited since the index" in hit.why
    assert "6380" not in hit.snippet
    place.write_text("print('nothing of it')\n")
    found = query(desk)
    assert "src/pool.py" not in {hit.path for hit in found.hits}
    assert found.index.left_out == 1
    assert "1 hit is left out" in desk.text("search", query="redis pool acquire")


def test_a_passage_that_was_cut_and_pasted_is_found_below(desk: Desk) -> None:
    head, body = POOL.split("\n\n\n")
    (desk.place / "src/pool.py").write_text(
        head + "\n\n\n" + "".join(f"x{n} = {n}\n" for n in range(9)) + body
    )
    found = query(desk)
    assert wrong(desk, found) == []
    assert "src/pool.py" in {hit.path for hit in found.hits}


def test_names_are_looked_up_in_the_file_as_it_is(desk: Desk) -> None:
    (desk.place / "src/pool.py").write_text("# one\n" + POOL)
    (desk.place / "src/use.py").write_text("# one\n" + FILES["src/use.py"])
    assert query(desk, "RedisPool", mode="symbol", sources=()).hits[0].start_line == 5
    (caller,) = query(desk, "RedisPool", mode="callers", sources=()).hits
    assert (caller.start_line, caller.snippet.strip()) == (6, "return RedisPool()")
    (desk.place / "src/pool.py").write_text(POOL.replace("RedisPool", "Basin"))
    found = query(desk, "RedisPool", mode="symbol", sources=())
    assert (found.hits, found.index.left_out) == ((), 1)


def test_what_a_file_has_become_is_no_trap(desk: Desk) -> None:
    """Deleted, a folder, a pipe, a link out of the tree, binary: the hit is left out."""

    def folder(place: Path) -> None:
        place.mkdir()

    def link(place: Path) -> None:
        outside = desk.home / "pool.py"
        outside.write_text(POOL)
        place.symlink_to(outside)

    place = desk.place / "src/pool.py"
    for become in (
        lambda _: None,
        folder,
        os.mkfifo,
        link,
        lambda where: where.write_bytes(b"\0" + POOL.encode()),
        lambda where: where.write_bytes(b"x" * 1_100_000),
    ):
        place.unlink(missing_ok=True)
        become(place)
        found = query(desk)
        assert "src/pool.py" not in {hit.path for hit in found.hits}
        assert found.index.left_out == 1
        if place.is_dir():
            place.rmdir()


def test_a_folder_that_was_replaced_by_a_link_is_not_followed(desk: Desk) -> None:
    outside = desk.home / "src"
    (desk.place / "src").rename(outside)
    (desk.place / "src").symlink_to(outside)
    assert {hit.path for hit in query(desk).hits} == {"docs/pool.md"}


def test_a_secret_typed_after_the_index_is_not_shown(desk: Desk) -> None:
    place = desk.place / "src/pool.py"
    place.write_text(POOL.replace("port = 6380", f'port = "{SECRET}"'))
    found = query(desk, "redis pool port")
    assert SECRET not in repr(found)
    assert "src/pool.py" in {hit.path for hit in found.hits}


def test_a_touched_file_is_as_it_was(desk: Desk) -> None:
    os.utime(desk.place / "src/pool.py", (1, 1))
    found = query(desk)
    assert (found.index.state, found.index.reread) == ("current", 0)
    assert all("edited since the index" not in hit.why for hit in found.hits)


def test_only_files_that_changed_since_the_run_began_are_read(desk: Desk) -> None:
    """As if the run had begun later: then the file on the disk is not asked."""
    app = desk.app()
    known = indexed_files.worktree_index_state(app.store, app.worktree)
    assert known is not None
    stamp = known.stamp.partition("@")[0]
    (desk.place / "src/pool.py").write_text("gone\n")
    hits = query(desk).hits
    item = replace(hits[0], path="src/pool.py", start_line=1, end_line=1, snippet="import socket")
    assert present_text.update_hits_from_files(app, known, [item]).lost_hit_count == 1
    assert (
        present_text.update_hits_from_files(
            app, replace(known, state="building"), [item]
        ).lost_hit_count
        == 1
    )
    os.utime(desk.place / "src/pool.py", (1, 1))  # what was written then is another question
    assert present_text.update_hits_from_files(app, known, [item]).lost_hit_count == 1
    time.sleep(0.02)  # time stamps are as coarse as the kernel's tick
    unread = replace(known, stamp=f"{stamp}@{SystemClock().now():x}")
    assert (
        present_text.update_hits_from_files(app, unread, [item]).lost_hit_count == 1
    )  # too short before the run
    assert (
        present_text.update_hits_from_files(
            app, unread, [item], timestamp_resolution_ms=0
        ).lost_hit_count
        == 0
    )
    app.close()
    table = [
        ((9, 10, 10), True),
        ((10, 10, 10), False),
        ((None, 10, 10), False),
        ((9, 0, 10), False),
        ((9, 11, 10), False),  # the clock was set back
    ]
    for given, expected in table:
        assert present_text.changed_before_index_run(*given) is expected, given


def test_what_the_index_is_behind_is_what_a_run_finds(desk: Desk) -> None:
    repo = RepoBuilder(desk.place, init=False, home=desk.home)

    def behind() -> tuple[str, bool, int, int, int]:
        app = desk.app()
        found = index_behind.measure_lag(app)
        app.close()
        return found.state, found.commits, found.edited, found.new, found.gone

    whole = ("current", False, 0, 0, 0)
    assert behind() == whole
    os.utime(desk.place / "src/pool.py", (1, 1))
    repo.git("update-index", "--refresh")
    repo.git("tag", "v1")
    repo.git("switch", "-c", "side")
    assert behind() == whole
    assert query(desk).index.state == "current"  # though git wrote its index file anew
    repo.write({"src/pool.py": POOL + "# more\n", "new.py": "n = 1\n", "other.py": "o = 1\n"})
    (desk.place / "docs/pool.md").unlink()
    assert behind() == ("stale", False, 1, 2, 1)
    findings = desk.run("doctor").findings
    (messages,) = [finding.message for finding in findings if finding.check == "search"]
    assert messages == "the index is out of date: 1 edited file, 2 new files, 1 deleted file"
    assert "2 new files" in desk.text("search", query="zebra crossing")
    desk.run("index")
    assert behind() == whole
    repo.git("stash", "--include-untracked")
    assert behind() == ("stale", False, 1, 1, 2)
    desk.run("index")
    repo.commit("More", {})
    assert behind() == ("stale", True, 0, 0, 0)
    repo.git("reset", "--soft", "HEAD~1")
    assert behind() == whole


def test_a_piece_of_a_long_line_is_found_again_after_an_edit(desk: Desk) -> None:
    """CC-2: a paragraph of 1,200 words in one line has pieces that are parts of it."""
    note = desk.place / "docs" / "long.md"
    paragraph = " ".join(f"item{number}" for number in range(1_200))
    note.write_text(f"# Long\n\n{paragraph}\n\nThe end.\n")
    desk.run("index")
    for old, new in (("The end", "An end"), ("item3 ", "other ")):
        note.write_text(note.read_text().replace(old, new))
        (hit,) = query(desk, "item1100").hits
        assert (hit.path, hit.start_line, hit.end_line) == ("docs/long.md", 3, 3)
        assert "3-3" not in hit.also
        assert set(hit.snippet.split()[1:-1]) <= set(note.read_text().split())
