"""CF-32, CF-58: each setting of the index does what it says, and only what it affects is redone."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitmem.indexing import index_audit
from tests.support.apps import Desk, copy_of
from tests.support.moved import SetUp
from tests.support.repos import RepoBuilder
from tests.support.stores import open_store

FILES = {
    "src/a.py": "".join(f"def f{n}():\n    return {n}\n\n\n" for n in range(40)),
    "conf.ini": "".join(f"key{n} = {n}\n" for n in range(100)),
    "gen/made.py": "made_word = 1\n",
    "big.ini": "".join(f"large{n} = value\n" for n in range(300)),
    "note.md": "# Note\n\nword\n",
}
PIECES = (
    "SELECT c.start_line, c.end_line FROM paths p JOIN chunks c ON c.blob = p.blob "
    "WHERE p.path = ? ORDER BY 1"
)


@pytest.fixture(scope="module")
def model_repo(model_repo: RepoBuilder, tmp_path_factory: pytest.TempPathFactory) -> RepoBuilder:
    """With more in it; the tests copy it."""
    repo = copy_of(model_repo, tmp_path_factory.mktemp("model"))
    repo.commit("Files", FILES)
    return repo


@pytest.fixture
def repo(model_repo: RepoBuilder, tmp_path: Path) -> RepoBuilder:
    return copy_of(model_repo, tmp_path)


@pytest.fixture
def desk(ready: SetUp, repo: RepoBuilder) -> Desk:
    return ready(Desk(repo.path, repo.home, GITMEM_MODEL="hashed"), no_hooks=True)


def paths(desk: Desk) -> set[str]:
    database = open_store(str(desk.store))
    found = {
        row[0]
        for row in database.rows(
            "SELECT path FROM paths JOIN blobs b ON b.id = blob WHERE skipped = ''"
        )
    }
    database.close()
    return found


def pieces(desk: Desk, path: str) -> list[tuple[int, int]]:
    database = open_store(str(desk.store))
    found = [(row[0], row[1]) for row in database.rows(PIECES, (path,))]
    database.close()
    return found


def drift(desk: Desk) -> list[str]:
    app = desk.app()
    try:
        app.layout  # noqa: B018 - its settings are read on the way
        return index_audit.describe_changed_index_settings(app)
    finally:
        app.close()


def put(desk: Desk, key: str, value: str) -> None:
    assert "next `gitmem index`" in desk.run("config", key=key, value=value).effect


def test_files_are_left_out_by_globs_and_come_back(desk: Desk) -> None:
    every = paths(desk)
    put(desk, "index.exclude", "gen/, *.ini")
    assert drift(desk) == ["index.exclude: 3 indexed files are left out now"]
    done = desk.run("index")
    assert (done.dropped, done.reasons["index.exclude"]) == (3, 3)
    assert paths(desk) == every - {"gen/made.py", "conf.ini", "big.ini"}
    assert not drift(desk)
    desk.run("config", key="index.exclude", unset=True)
    assert desk.run("index").added == 3
    assert paths(desk) == every


def test_nothing_is_indexed_where_that_is_switched_off(desk: Desk) -> None:
    desk.run("remember", text="Port 6380 is for redis", kind="note")
    put(desk, "index.enabled", "0")
    assert "index.enabled: " in drift(desk)[0]
    desk.run("index")
    assert not paths(desk) and not drift(desk)
    found = desk.run("search", query="made_word")
    assert not [hit for hit in found.hits if hit.kind in ("code", "note")]
    assert any("index.enabled" in note for note in found.notes)
    assert desk.run("recall", query="redis port").memories
    put(desk, "index.enabled", "1")
    desk.run("index")
    assert "gen/made.py" in paths(desk)


def test_the_largest_file_is_judged_anew_and_nothing_else_is_read(desk: Desk) -> None:
    every = paths(desk)
    put(desk, "index.max_file_bytes", "3000")
    assert drift(desk) == [
        "index.max_file_bytes: 1 indexed file is judged anew by the limit of now"
    ]
    done = desk.run("index")
    assert (done.added, done.reasons.get("too large"), done.kept) == (0, 1, len(every) - 1)
    assert paths(desk) == every - {"big.ini"} and not drift(desk)
    assert not desk.run("search", query="large299", sources=("code",)).hits
    put(desk, "index.max_file_bytes", "10000")
    done = desk.run("index")
    assert (done.added, done.kept) == (1, len(every) - 1)
    assert paths(desk) == every and not drift(desk)
    assert desk.run("index").added == 0


def test_an_edited_file_over_a_smaller_limit_leaves_the_index(desk: Desk) -> None:
    every = paths(desk)
    with (desk.place / "big.ini").open("a") as file:
        file.write("edited_last = 1\n")
    desk.run("index")
    put(desk, "index.max_file_bytes", "3000")
    done = desk.run("index")
    assert (done.dropped, done.reasons["too large"]) == (1, 1)
    assert paths(desk) == every - {"big.ini"} and not drift(desk)
    assert not desk.run("search", query="edited_last", sources=("code",)).hits


def test_a_file_that_git_has_not_hashed_is_held_to_the_same_size(desk: Desk) -> None:
    (desk.place / "loose.ini").write_text(f"key = {'v' * 60}\n" * 25_000)
    assert desk.run("index").reasons["too large"] == 1
    put(desk, "index.max_file_bytes", "4000000")
    assert "loose.ini" not in paths(desk)
    desk.run("index")
    assert "loose.ini" in paths(desk)


def test_the_most_files_hold(desk: Desk) -> None:
    put(desk, "index.max_files", "3")
    assert drift(desk)[0].startswith("index.max_files: ")
    assert desk.run("index").reasons["too many files"] > 0
    assert len(paths(desk)) == 3 and not drift(desk)


def test_pieces_of_code_have_as_many_lines_as_asked_and_share_some(desk: Desk) -> None:
    notes, usual = pieces(desk, "note.md"), pieces(desk, "conf.ini")
    assert max(end - start + 1 for start, end in usual) <= 20
    put(desk, "index.lines", "50")
    put(desk, "index.line_overlap", "10")
    assert drift(desk) == [
        f"index.lines/index.line_overlap: {len(paths(desk)) - 1 - readmes(desk)} files were split "
        "at 20/0, now 50/10"
    ]
    desk.run("index")
    assert pieces(desk, "conf.ini") == [(1, 50), (41, 90), (81, 101)]
    assert 40 < max(end - start for start, end in pieces(desk, "src/a.py")) <= 100
    assert pieces(desk, "note.md") == notes
    assert not drift(desk)
    for key in ("index.lines", "index.line_overlap"):
        desk.run("config", key=key, unset=True)
    desk.run("index")
    assert pieces(desk, "conf.ini") == usual


def readmes(desk: Desk) -> int:
    return sum(path.endswith("README.md") for path in paths(desk))
