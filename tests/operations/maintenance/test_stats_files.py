"""CC-7: `gitmem stats --files` counts the index of a worktree, and each of its files."""

from __future__ import annotations

import pytest

from gitmem.errors import InvalidInput
from tests.support.apps import Desk
from tests.support.moved import SetUp
from tests.support.repos import RepoBuilder
from tests.support.stores import open_store


def test_the_index_and_each_of_its_files_are_counted(repo: RepoBuilder, ready: SetUp) -> None:
    desk = ready(Desk(repo.path, repo.home), no_hooks=True, no_index=True)
    assert desk.text("stats", files=True).startswith("No file of this worktree is indexed")
    assert desk.run("stats").index is None
    text = "".join(f"key{n} = {n}\n" for n in range(50))
    code = (
        "def load_all(): ...\n\n\nclass Shop:\n    def _load(self): ...\n    def open(self): ...\n"
    )
    repo.commit("Long", {"long\nname.ini": text, "image.png": "\0\1", "shop.py": code})
    desk.run("index")
    index = desk.run("stats", files=True).index
    database = open_store(str(desk.store))
    pieces = database.value("SELECT count(*) FROM chunks")
    database.close()
    assert index.pieces == pieces == sum(file.pieces for file in index.files)
    assert (index.total, index.pieces_per_file) == (4, round(pieces / 4, 1))
    assert (index.functions, index.exported, index.verbs) == (3, 2, {"load": 2, "open": 1})
    first = index.files[0]
    assert (first.path, first.pieces, first.lines, first.bytes) == (
        *("long\nname.ini", 3),
        *(51, len(text)),
    )
    assert index.at == "2026-11-21T08:03:42Z"
    output = desk.text("stats", files=True).splitlines()
    assert output[0].startswith(
        f"4 files, {pieces} pieces, {index.pieces_per_file:g} in each file, "
    )
    assert output[1] == f"store: {desk.store}"
    assert output[2] == "3 functions, 2 of them visible to other files"
    assert len(output) == 7 and "      3       51 lines  long" in output[3]


def test_files_and_funnel_are_two_questions(desk: Desk) -> None:
    with pytest.raises(InvalidInput, match="--files and --funnel"):
        desk.run("stats", files=True, funnel=True)
