"""What a memory cites is taken down from the work tree, or refused in a sentence (ML-1)."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gitmem.errors import InvalidInput
from gitmem.freshness import anchoring
from gitmem.model.frozen import replace
from gitmem.text import code_fingerprint
from tests.support.anchored import END, SERVER, SPAN, START, Anchored
from tests.support.secrets import SECRET
from tests.support.stores import said


@pytest.fixture
def ground(tmp_path: Path) -> Anchored:
    return Anchored(tmp_path, indexed=False)


def refused(ground: Anchored, cited: str) -> InvalidInput:
    with pytest.raises(InvalidInput) as error:
        ground.made(cited)
    assert error.value.hint
    return error.value


def test_lines_are_taken_down_with_the_blob_and_the_commit(ground: Anchored) -> None:
    (result,) = ground.made(SPAN).anchors
    assert (result.number, result.cited, result.path) == (1, SPAN, "src/server.py")
    assert (result.first_line, result.last_line, result.symbol) == (START, END, "")
    assert result.blob == ground.repo.git("rev-parse", "HEAD:src/server.py")
    assert result.commit == ground.repo.head()
    assert code_fingerprint.find_block(code_fingerprint.from_json(result.print), SERVER) == [
        (START, END)
    ]


def test_a_whole_file_is_taken_down_by_its_lines(ground: Anchored) -> None:
    (result,) = ground.made("src/server.py").anchors
    assert (result.first_line, result.last_line) == (None, None)
    assert code_fingerprint.fraction_retained(code_fingerprint.from_json(result.print), SERVER) == 1


@pytest.mark.parametrize("name", ["Server.start", "Server::start", "start"])
def test_a_symbol_is_the_lines_of_its_definition(ground: Anchored, name: str) -> None:
    (result,) = ground.made(f"src/server.py::{name}").anchors
    assert (result.first_line, result.last_line, result.symbol) == (START, END, name)


NAMED_TWICE = """\
from typing import overload


@overload
def find(key: int) -> str: ...


@overload
def find(key: str) -> str: ...


def find(key):
    return table[key]


class Cart:
    @property
    def total(self):
        return self._total

    @total.setter
    def total(self, value):
        self._total = value


def load():
    return 1


def other():
    return 2


def load():
    first = other()
    return first
"""


@pytest.mark.parametrize(
    ("name", "lines"),
    [("find", (4, 13)), ("Cart.total", (17, 23)), ("load", (34, 36))],
    ids=["overloads", "a property", "with others between"],
)
@pytest.mark.parametrize("indexed", [False, True])
def test_one_name_defined_more_than_once_is_all_that_follows_each_other_or_the_longest(
    tmp_path: Path, name: str, lines: tuple[int, int], indexed: bool
) -> None:
    """A signature alone would stay fresh whatever becomes of the function."""
    ground = Anchored(tmp_path, indexed=indexed)
    ground.write("src/twice.py", NAMED_TWICE)
    (result,) = ground.made(f"src/twice.py::{name}").anchors
    assert (result.first_line, result.last_line) == lines


def test_a_symbol_of_an_indexed_file_is_where_the_index_says(tmp_path: Path) -> None:
    (result,) = Anchored(tmp_path).made("src/server.py::Server.start").anchors
    assert (result.first_line, result.last_line) == (START, END)


def test_a_symbol_of_a_file_that_changed_since_it_was_indexed_is_read_anew(tmp_path: Path) -> None:
    ground = Anchored(tmp_path)
    ground.write("src/server.py", "# one more line\n" + SERVER)
    (result,) = ground.made("src/server.py::Server.start").anchors
    assert (result.first_line, result.last_line) == (START + 1, END + 1)


def test_a_symbol_that_is_not_defined_is_refused_with_what_may_be_meant(ground: Anchored) -> None:
    error = refused(ground, "src/server.py::Server.strat")
    assert error.message == "src/server.py does not define Server.strat."
    assert "Server.start" in error.hint


def test_a_symbol_in_a_file_without_definitions_is_refused(ground: Anchored) -> None:
    assert "does not define start" in refused(ground, "README.md::start").message


def test_blank_lines_at_the_ends_are_not_part_of_what_is_cited(ground: Anchored) -> None:
    (result,) = ground.made(f"src/server.py:{START - 1}-{END + 1}").anchors
    assert (result.first_line, result.last_line) == (START, END)
    assert result.cited == f"src/server.py:{START - 1}-{END + 1}"


def test_lines_beyond_the_end_are_refused(ground: Anchored) -> None:
    count = len(SERVER.splitlines())
    assert ground.made(f"src/server.py:{count}").anchors
    error = refused(ground, f"src/server.py:{count - 1}-{count + 1}")
    assert f"src/server.py has {count} lines" in error.message


def test_lines_of_white_space_are_refused(ground: Anchored) -> None:
    assert "only whitespace" in refused(ground, "src/server.py:2").message


def test_lines_in_the_wrong_order_are_refused(ground: Anchored) -> None:
    refused(ground, "src/server.py:9-3")


def test_lines_of_a_binary_file_are_refused_and_the_file_itself_is_not(ground: Anchored) -> None:
    (ground.repo.path / "logo.dat").write_bytes(b"\x89PNG\0\0\n\0")
    assert "binary" in refused(ground, "logo.dat:1").message
    assert ground.made("logo.dat").anchors[0].blob


def test_lines_of_a_folder_are_refused(ground: Anchored) -> None:
    assert "is a folder" in refused(ground, "src:3").message
    assert "is a folder" in refused(ground, "src::start").message


def test_a_folder_needs_no_anchor(ground: Anchored) -> None:
    assert ground.made("src/", "src") == anchoring.AnchoringResult(())


def test_a_file_to_come_is_an_anchor_by_which_nothing_can_be_reported(ground: Anchored) -> None:
    made = ground.made("src/later.py:3-5")
    assert made.anchors[0].blob == ""
    assert made.anchors[0].path == "src/later.py"
    assert made.notes == (
        "src/later.py is not in this worktree, so gitmem cannot check later whether this "
        "still holds.",
    )


def test_a_file_whose_name_looks_like_lines_is_that_file(ground: Anchored) -> None:
    ground.write("odd:7", "x = 1\n")
    ground.write("odd::start", "y = 1\n")
    first, second = ground.made("odd:7", "odd::start").anchors
    assert (first.path, first.first_line, second.path, second.symbol) == (
        "odd:7",
        None,
        "odd::start",
        "",
    )


def test_a_file_in_a_submodule_is_left_to_it(ground: Anchored, tmp_path: Path) -> None:
    ground.repo.clone(ground.repo.path / "lib")
    for cited in ("lib/src/server.py:10-13", "lib/src/server.py::Server.start", "lib"):
        made = ground.made(cited)
        assert made.anchors[0].blob == ""
        assert "submodule" in made.notes[0]


def test_no_link_is_followed(ground: Anchored, tmp_path: Path) -> None:
    (tmp_path / "outside.py").write_text(SERVER)
    (ground.repo.path / "link.py").symlink_to(tmp_path / "outside.py")
    (ground.repo.path / "linked").symlink_to(tmp_path)
    for cited in ("link.py:10-13", "linked/outside.py:10-13", "link.py", "linked"):
        made = ground.made(cited)
        assert made.anchors[0].blob == ""
        assert "link" in made.notes[0]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_named_pipe_is_not_waited_for(ground: Anchored) -> None:
    os.mkfifo(ground.repo.path / "pipe")
    made = ground.made("pipe")
    assert made.anchors[0].blob == ""
    assert "something that is not a file" in made.notes[0]


def test_what_holds_secrets_by_its_name_and_what_is_gits_is_not_read(ground: Anchored) -> None:
    ground.write(".env", "A=1\n")
    made = ground.made(".env", ".git/config", ".gitmem/memory.db")
    assert [anchor.blob for anchor in made.anchors] == ["", "", ""]
    assert len(made.notes) == 3


def test_no_secret_of_the_cited_file_is_in_the_anchor(ground: Anchored) -> None:
    ground.write("conf.py", f"host = 'localhost'\ntoken = '{SECRET}'\n")
    for anchor in ground.made("conf.py:1-2", "conf.py:2", "conf.py").anchors:
        assert SECRET[4:20] not in anchor.print


def test_windows_line_ends_and_a_mark_at_the_beginning_do_not_count(ground: Anchored) -> None:
    data = b"\xef\xbb\xbf" + SERVER.replace("\n", "\r\n").encode()
    (ground.repo.path / "win.py").write_bytes(data)
    win, plain = ground.made(f"win.py:{START}-{END}", SPAN).anchors
    assert (
        code_fingerprint.from_json(win.print).hash == code_fingerprint.from_json(plain.print).hash
    )
    assert ground.made("win.py::Server.start").anchors[0].first_line == START


def test_anchors_that_are_kept_are_not_taken_anew(ground: Anchored) -> None:
    before = ground.made(SPAN, "README.md").anchors
    ground.write("src/server.py", "# rewritten\n" * 30)
    made = ground.made("src/other.py", SPAN, existing_anchors=before)
    assert [anchor.number for anchor in made.anchors] == [1, 2]
    assert made.anchors[1] == replace(before[0], number=2)


def test_global_memories_stand_on_no_file(ground: Anchored) -> None:
    with ground.app() as app:
        made = anchoring.make_code_anchors(app, said(paths=(SPAN,), scope="global"))
    assert made == anchoring.AnchoringResult(())


def test_a_bare_repository_has_no_files_to_stand_on(ground: Anchored, tmp_path: Path) -> None:
    bare = ground.repo.clone(tmp_path / "bare.git", "--bare")
    with ground.app() as app:
        other = type(app)(app.settings, app.clock, str(bare.path))
        made = anchoring.make_code_anchors(other, said(paths=(SPAN,)))
        other.close()
    assert made.anchors[0].blob == ""
    assert "bare repository" in made.notes[0]
