"""Which memories cite what a diff touches."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gitmem.errors import InvalidInput, NotFound, NotInitialized
from gitmem.operations.registry import as_json_values
from tests.support.apps import Desk
from tests.support.repos import RepoBuilder

TWENTY = [f"line {number} of twenty" for number in range(1, 21)]


def text(lines: list[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


@pytest.fixture
def twenty(repo: RepoBuilder, desk: Desk) -> RepoBuilder:
    """The repository with a file of twenty lines, committed."""
    repo.commit("Twenty", {"src/twenty.txt": text(TWENTY), "src/other.txt": "other\n"})
    return repo


def keep(desk: Desk, *cited: str) -> str:
    return str(desk.run("remember", text=f"About {cited}", path=cited).id)


def named(desk: Desk, revisions: str = "", **options: Any) -> list[tuple[str, str, str]]:
    """(what is cited, lines, why) of each memory the diff concerns."""
    found = desk.run("affected", revisions=revisions, **options).memories
    return [(item.cited, item.lines, item.why) for item in found]


def edit(repo: RepoBuilder, **lines: str) -> None:
    """Replace lines of the file of twenty: ``l3="three"``."""
    changed = [lines.get(f"l{number}", line) for number, line in enumerate(TWENTY, 1)]
    repo.write({"src/twenty.txt": text(changed)})


def test_nothing_is_touched_without_a_change(twenty: RepoBuilder, desk: Desk) -> None:
    keep(desk, "src/twenty.txt")
    assert named(desk) == []
    assert desk.text("affected") == "No memory cites code that this diff touches."


def test_only_the_lines_that_are_cited_count(twenty: RepoBuilder, desk: Desk) -> None:
    keep(desk, "src/twenty.txt:3-6")
    keep(desk, "src/twenty.txt:10-12")
    edit(twenty, l5="five")
    assert named(desk) == [("src/twenty.txt:3-6", "3-6", "line 5 changed")]


def test_the_answer_has_the_fields_that_were_promised(twenty: RepoBuilder, desk: Desk) -> None:
    id = keep(desk, "src/twenty.txt:3-6")
    edit(twenty, l5="five", l6="six")
    (item,) = as_json_values(desk.run("affected"))["memories"]
    assert item == {
        "id": id,
        "handle": item["handle"],
        "title": "About ('src/twenty.txt:3-6',)",
        "kind": "note",
        "cited": "src/twenty.txt:3-6",
        "path": "src/twenty.txt",
        "lines": "3-6",
        "why": "lines 5-6 changed",
    }
    assert id.startswith(item["handle"])
    shown = desk.text("affected")
    assert item["handle"] in shown
    assert "src/twenty.txt:3-6: lines 5-6 changed" in shown


def test_a_line_put_inside_counts_and_one_beside_does_not(twenty: RepoBuilder, desk: Desk) -> None:
    keep(desk, "src/twenty.txt:3-6")
    keep(desk, "src/twenty.txt:7-9")
    twenty.write({"src/twenty.txt": text([*TWENTY[:6], "new", *TWENTY[6:]])})
    assert named(desk) == []
    twenty.write({"src/twenty.txt": text([*TWENTY[:4], "new", *TWENTY[4:]])})
    assert named(desk) == [("src/twenty.txt:3-6", "3-6", "lines were inserted after line 4")]


def test_lines_that_had_moved_before_the_diff_are_found_where_they_stand(
    twenty: RepoBuilder, desk: Desk
) -> None:
    keep(desk, "src/twenty.txt:3-6")
    moved = [f"before {number}" for number in range(10)] + TWENTY
    twenty.commit("Move the lines down", {"src/twenty.txt": text(moved)})
    twenty.write({"src/twenty.txt": text(moved).replace("before 4", "before four")})
    assert named(desk) == []
    twenty.write({"src/twenty.txt": text(moved).replace(TWENTY[3], "four")})
    assert named(desk) == [("src/twenty.txt:3-6", "13-16", "line 14 changed")]


def test_an_old_range_counts_lines_as_they_were_then(twenty: RepoBuilder, desk: Desk) -> None:
    edit(twenty, l5="five")
    first = twenty.commit("Five")
    moved = ["before"] * 10 + ["line 5 of twenty" if item == "five" else item for item in TWENTY]
    twenty.commit("Move down", {"src/twenty.txt": text(moved).replace("line 5 of", "LINE 5 of")})
    keep(desk, "src/twenty.txt:13-14")
    assert named(desk, f"{first}..HEAD") == []
    keep(desk, "src/twenty.txt:14-16")
    assert named(desk, f"{first}..HEAD") == [("src/twenty.txt:14-16", "14-16", "line 15 written")]


def test_lines_that_are_new_count_as_written(twenty: RepoBuilder, desk: Desk) -> None:
    edit(twenty, l5="five, and more than before")
    keep(desk, "src/twenty.txt:4-6")
    keep(desk, "src/twenty.txt:8-9")
    assert named(desk) == [("src/twenty.txt:4-6", "4-6", "line 5 written")]


def test_a_whole_file_counts_by_any_line(twenty: RepoBuilder, desk: Desk) -> None:
    keep(desk, "src/twenty.txt")
    keep(desk, "src/other.txt")
    edit(twenty, l20="the end")
    assert named(desk) == [("src/twenty.txt", "", "modified")]


def test_a_folder_counts_by_what_it_holds(twenty: RepoBuilder, desk: Desk) -> None:
    keep(desk, "src/")
    keep(desk, "src/cart")
    edit(twenty, l20="the end")
    assert named(desk) == [("src/", "", "holds src/twenty.txt, which is modified")]


def test_a_symbol_counts_by_its_lines(twenty: RepoBuilder, desk: Desk) -> None:
    code = "def one():\n    return 1\n\n\ndef two():\n    return 2\n"
    twenty.commit("Code", {"src/app.py": code})
    desk.run("index")
    keep(desk, "src/app.py::one")
    keep(desk, "src/app.py::two")
    twenty.write({"src/app.py": code.replace("return 2", "return 3")})
    assert named(desk) == [("src/app.py::two", "5-6", "line 6 changed")]


def test_a_deleted_file_is_named(twenty: RepoBuilder, desk: Desk) -> None:
    keep(desk, "src/twenty.txt:3-6")
    (twenty.path / "src" / "twenty.txt").unlink()
    assert named(desk) == [("src/twenty.txt:3-6", "", "deleted")]


def test_a_renamed_file_is_named_with_its_new_name(twenty: RepoBuilder, desk: Desk) -> None:
    keep(desk, "src/twenty.txt:3-6")
    twenty.git("mv", "src/twenty.txt", "src/zwanzig.txt")
    assert named(desk) == [("src/twenty.txt:3-6", "", "renamed to src/zwanzig.txt")]
    twenty.write({"src/zwanzig.txt": text(TWENTY).replace(TWENTY[3], "vier")})
    output = ("src/twenty.txt:3-6", "3-6", "renamed to src/zwanzig.txt, line 4 changed")
    assert named(desk, "HEAD") == [output]


def test_a_file_that_moved_before_the_diff_is_found(twenty: RepoBuilder, desk: Desk) -> None:
    keep(desk, "src/twenty.txt:3-6")
    twenty.git("mv", "src/twenty.txt", "src/zwanzig.txt")
    twenty.commit("Move it")
    desk.run("index")
    twenty.write({"src/zwanzig.txt": text(TWENTY).replace(TWENTY[9], "zehn")})
    assert named(desk) == []
    twenty.write({"src/zwanzig.txt": text(TWENTY).replace(TWENTY[3], "vier")})
    assert named(desk) == [("src/twenty.txt:3-6", "3-6", "line 4 changed")]


def test_lines_that_moved_to_another_file_before_are_found_once_they_were_seen_there(
    twenty: RepoBuilder, desk: Desk
) -> None:
    keep(desk, "src/twenty.txt:3-6")
    twenty.commit(
        "Take them out",
        {"src/four.txt": text(TWENTY[1:7]), "src/twenty.txt": text(TWENTY[:1] + TWENTY[7:])},
    )
    desk.run("index")
    desk.run("verify")
    twenty.write({"src/four.txt": text(TWENTY[1:7]).replace(TWENTY[3], "vier")})
    assert named(desk) == [("src/twenty.txt:3-6", "2-5", "line 3 changed")]


def test_a_new_file_counts_for_those_that_cite_it(twenty: RepoBuilder, desk: Desk) -> None:
    twenty.write({"src/new.txt": "new\n"})
    keep(desk, "src/new.txt")
    assert named(desk) == [("src/new.txt", "", "added")]
    assert named(desk, staged=True) == []
    twenty.git("add", "src/new.txt")
    assert named(desk, staged=True) == [("src/new.txt", "", "added")]


def test_staged_leaves_out_what_is_not(twenty: RepoBuilder, desk: Desk) -> None:
    keep(desk, "src/twenty.txt:3-6")
    keep(desk, "src/twenty.txt:10-12")
    edit(twenty, l5="five")
    twenty.git("add", "-A")
    edit(twenty, l5="five", l11="eleven")
    assert [cited for cited, _, _ in named(desk, staged=True)] == ["src/twenty.txt:3-6"]
    assert len(named(desk)) == 2


def test_two_files_that_change_places_are_distinguished(twenty: RepoBuilder, desk: Desk) -> None:
    twenty.commit("Letters", {"src/letters.txt": text([item * 9 for item in "abcdefghijklm"])})
    keep(desk, "src/twenty.txt")
    keep(desk, "src/letters.txt")
    twenty.git("mv", "src/twenty.txt", "x")
    twenty.git("mv", "src/letters.txt", "src/twenty.txt")
    twenty.git("mv", "x", "src/letters.txt")
    twenty.commit("Swap")
    # git tells of two modified files unless it is asked to break them up.
    assert {cited for cited, _, _ in named(desk, "HEAD~1..HEAD")} == {
        "src/letters.txt",
        "src/twenty.txt",
    }


def test_a_binary_file_is_touched_as_a_whole(twenty: RepoBuilder, desk: Desk) -> None:
    (twenty.path / "logo.bin").write_bytes(b"\0\1")
    twenty.commit("Logo")
    keep(desk, "logo.bin")
    (twenty.path / "logo.bin").write_bytes(b"\0\2")
    assert named(desk) == [("logo.bin", "", "modified")]


def test_a_memory_is_named_for_each_place_it_cites(twenty: RepoBuilder, desk: Desk) -> None:
    keep(desk, "src/twenty.txt:3-6", "src/twenty.txt:10-12", "src/other.txt")
    edit(twenty, l5="five", l11="eleven")
    assert [cited for cited, _, _ in named(desk)] == ["src/twenty.txt:3-6", "src/twenty.txt:10-12"]


def test_archived_memories_are_left_out(twenty: RepoBuilder, desk: Desk) -> None:
    id = keep(desk, "src/twenty.txt")
    desk.run("forget", id=(id,))
    edit(twenty, l5="five")
    assert named(desk) == []


def test_before_the_first_commit_everything_is_new(tmp_path: Path) -> None:
    repo = RepoBuilder(tmp_path / "young")
    repo.write({"a.txt": "a\n"})
    desk = Desk(repo.path, repo.home)
    desk.run("init")
    keep(desk, "a.txt")
    assert named(desk) == [("a.txt", "", "added")]


def test_asking_changes_nothing(twenty: RepoBuilder, desk: Desk) -> None:
    id = keep(desk, "src/twenty.txt:3-6")
    edit(twenty, l5="five")
    before = as_json_values(desk.run("show", id=id))["memory"]["paths"], desk.run("history", id=id)
    named(desk)
    assert (
        as_json_values(desk.run("show", id=id))["memory"]["paths"],
        desk.run("history", id=id),
    ) == before


@pytest.mark.parametrize("revisions", ["nope", "nope..HEAD", "HEAD..nope", "--output=x", "\x00"])
def test_an_unknown_revision_is_refused(twenty: RepoBuilder, desk: Desk, revisions: str) -> None:
    with pytest.raises(NotFound) as refused:
        named(desk, revisions)
    assert refused.value.hint


def test_a_plain_folder_has_no_diff(tmp_path: Path) -> None:
    place = tmp_path / "plain"
    place.mkdir()
    desk = Desk(place, tmp_path / "home")
    desk.run("init", folder=True)
    with pytest.raises(InvalidInput):
        named(desk)


def test_a_bare_repository_has_ranges_only(twenty: RepoBuilder, tmp_path: Path) -> None:
    bare = twenty.clone(tmp_path / "bare.git", "--bare")
    desk = Desk(bare.path, bare.home)
    desk.run("init")
    keep(desk, "src/twenty.txt")
    assert named(desk, "HEAD~1..HEAD") == [("src/twenty.txt", "", "added")]
    with pytest.raises(InvalidInput):
        named(desk)


def test_without_a_store_there_is_nothing_to_ask(bare_desk: Desk) -> None:
    with pytest.raises(NotInitialized):
        named(bare_desk)
