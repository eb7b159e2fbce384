"""What still holds, and what is said about what does not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitmem.errors import Conflict, InvalidInput, NotFound, NotInitialized
from gitmem.freshness.line_mapping import map_line_range
from gitmem.operations.registry import as_json_values
from tests.support.apps import HOUR, Desk
from tests.support.repos import RepoBuilder
from tests.support.tables import table

TWENTY = [f"line {number} of twenty" for number in range(1, 21)]
CITED = "src/twenty.txt:3-6"


def text(lines: list[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


@pytest.fixture
def twenty(repo: RepoBuilder, desk: Desk) -> RepoBuilder:
    """The repository with a file of twenty lines, committed."""
    repo.commit("Twenty", {"src/twenty.txt": text(TWENTY), "src/other.txt": "other\n"})
    return repo


def keep(desk: Desk, *cited: str, words: str = "It is so") -> str:
    return str(desk.run("remember", text=f"{words}: {cited}", path=cited).id)


def edit(repo: RepoBuilder, **lines: str) -> None:
    """Replace lines of the file of twenty: ``l3="three"``."""
    changed = [lines.get(f"l{number}", line) for number, line in enumerate(TWENTY, 1)]
    repo.write({"src/twenty.txt": text(changed)})


def move(repo: RepoBuilder, desk: Desk) -> None:
    repo.git("mv", "src/twenty.txt", "src/zwanzig.txt")
    repo.commit("Move it")
    desk.run("index")


def words(desk: Desk, **query: Any) -> dict[str, str]:
    return {item.id: item.freshness for item in desk.run("verify", **query).items}


def paths(desk: Desk, id: str) -> tuple[str, ...]:
    found: tuple[str, ...] = desk.run("show", id=id).memory.paths
    return found


def actions(desk: Desk, id: str) -> list[str]:
    return [step.action for step in desk.run("history", id=id).versions]


# --- which are shown ----------------------------------------------------------------------------


def test_nothing_cites_anything(desk: Desk) -> None:
    desk.run("remember", text="No file")
    assert as_json_values(desk.run("verify")) == {"items": [], "counts": {}, "failed": 0}
    assert desk.text("verify") == "No memory cites a file yet."


def test_without_ids_those_that_are_not_fresh(twenty: RepoBuilder, desk: Desk) -> None:
    stale, fresh = keep(desk, CITED), keep(desk, "src/twenty.txt:10-12")
    assert words(desk) == {}
    edit(twenty, l5="five")
    assert words(desk) == {stale: "changed"}
    assert words(desk, all=True) == {stale: "changed", fresh: "fresh"}
    assert desk.run("verify").counts == {"changed": 1, "fresh": 1}


def test_changed_leaves_out_what_only_moved(twenty: RepoBuilder, desk: Desk) -> None:
    moved, gone = keep(desk, CITED), keep(desk, "src/other.txt")
    (twenty.path / "src" / "other.txt").unlink()
    move(twenty, desk)
    assert words(desk) == {moved: "moved", gone: "gone"}
    assert words(desk, changed=True) == {gone: "gone"}


def test_with_ids_whatever_they_are(twenty: RepoBuilder, desk: Desk) -> None:
    fresh, none = keep(desk, CITED), keep(desk)
    assert words(desk, id=(fresh, none)) == {fresh: "fresh", none: "none"}
    assert words(desk, id=(fresh, none), changed=True) == {}
    output = desk.text("verify", id=(fresh, none)).split("\n")
    assert output[-1] == "Looked at 2 memories: 1 fresh, 1 citing no file."


def test_what_is_archived_is_shown_only_when_named(twenty: RepoBuilder, desk: Desk) -> None:
    id = keep(desk, CITED)
    desk.run("forget", id=(id,))
    edit(twenty, l5="five")
    assert words(desk) == {}
    assert words(desk, id=(id,)) == {id: "changed"}


def test_what_was_born_on_another_branch_is_judged_there(twenty: RepoBuilder, desk: Desk) -> None:
    """Else `--changed --retire` would archive what holds on another branch."""
    twenty.branch("feature")
    twenty.commit("Only here", {"src/feature.txt": text(TWENTY[::-1])})
    id = keep(desk, "src/feature.txt:3-6")
    twenty.switch("main")
    assert words(desk, all=True) == {}
    assert words(desk, id=(id,)) == {id: "gone"}
    twenty.switch("feature")
    assert words(desk, all=True) == {id: "fresh"}


def test_the_answer_tells_where_and_which_commit(twenty: RepoBuilder, desk: Desk) -> None:
    id = keep(desk, CITED)
    edit(twenty, l5="five")
    guilty = twenty.commit("Change it")
    twenty.commit("Later")
    (item,) = as_json_values(desk.run("verify"))["items"]
    assert set(item) == {
        *("id", "handle", "title", "kind", "freshness", "anchors", "action", "error"),
    }
    (anchor,) = item["anchors"]
    assert (item["id"], item["freshness"], item["action"], item["error"]) == (id, "changed", "", "")
    assert (anchor["cited"], anchor["verdict"], anchor["path"]) == (
        CITED,
        "changed",
        "src/twenty.txt",
    )
    assert anchor["commit"] == guilty
    assert anchor["reason"]
    assert guilty[:10] in desk.text("verify")


def test_of_a_long_list_the_first_twenty_places_are_explained(tmp_path: Path) -> None:
    """Each may ask git; before the first commit it has nothing to tell, and this is quick."""
    repo = RepoBuilder(tmp_path / "young")
    repo.write({"src/twenty.txt": text(TWENTY)})
    desk = Desk(repo.path, repo.home)
    desk.run("init", no_index=True, no_hooks=True)
    for number in range(1, 12):
        keep(desk, *(f"src/twenty.txt:{line}-{line + 2}" for line in (number, number + 5)))
    repo.write({"src/twenty.txt": text(["nothing", "of", "it"])})
    items = desk.run("verify").items
    messages = [["no longer there:" in place.reason for place in item.anchors] for item in items]
    assert messages == [[True, True]] * 10 + [[False, False]]
    (alone,) = desk.run("verify", id=(items[-1].id,)).items
    assert all("no longer there:" in place.reason for place in alone.anchors)


def test_a_look_changes_nothing(twenty: RepoBuilder, desk: Desk) -> None:
    id = keep(desk, CITED)
    edit(twenty, l5="five")
    before = desk.run("history", id=id), desk.run("show", id=id).memory.updated_at
    desk.clock.advance(HOUR)
    for _ in range(2):
        assert words(desk) == {id: "changed"}
    assert (desk.run("history", id=id), desk.run("show", id=id).memory.updated_at) == before


def test_a_global_memory_cites_no_file_of_this_repository(desk: Desk) -> None:
    id = desk.run("remember", text="Everywhere", path=("src/cart/cart.py",), scope="global").id
    assert words(desk, id=(id,)) == {id: "none"}
    with pytest.raises(Conflict):
        desk.run("verify", id=(id,), accept=True)
    assert desk.run("verify", id=(id,), retire=True).items[0].action == "retired"


# --- accept -------------------------------------------------------------------------------------


def test_accept_takes_the_changed_code_for_true(twenty: RepoBuilder, desk: Desk) -> None:
    id = keep(desk, CITED)
    edit(twenty, l5="five")
    (done,) = desk.run("verify", id=(id,), accept=True).items
    assert (done.action, done.freshness) == ("accepted", "fresh")
    assert words(desk) == {}
    assert actions(desk, id) == ["added", "accepted"]
    edit(twenty, l5="again")
    assert words(desk) == {id: "changed"}


def test_accept_finds_the_lines_where_they_are_today(twenty: RepoBuilder, desk: Desk) -> None:
    id = keep(desk, CITED)
    new = ["before"] * 7 + [TWENTY[0], TWENTY[1], "three", "4a", "4b", *TWENTY[4:]]
    twenty.commit("Rewrite", {"src/twenty.txt": text(new)})
    desk.run("verify", id=(id,), accept=True)
    assert paths(desk, id) == ("src/twenty.txt:10-14",)
    assert words(desk, id=(id,)) == {id: "fresh"}


def test_accept_re_anchors_what_moved(twenty: RepoBuilder, desk: Desk) -> None:
    span, whole = keep(desk, CITED), keep(desk, "src/twenty.txt")
    move(twenty, desk)
    assert words(desk) == {span: "moved", whole: "moved"}
    desk.run("verify", all=True, accept=True)
    assert paths(desk, span) == ("src/zwanzig.txt:3-6",)
    assert paths(desk, whole) == ("src/zwanzig.txt",)
    assert words(desk, all=True) == {span: "fresh", whole: "fresh"}


def test_accept_keeps_a_symbol_a_symbol(repo: RepoBuilder, desk: Desk) -> None:
    code = "def one():\n    return 1\n\n\ndef two():\n    return 2\n"
    repo.commit("Code", {"src/app.py": code})
    desk.run("index")
    id = keep(desk, "src/app.py::two")
    repo.commit("Three", {"src/app.py": "import os\n\n\n" + code.replace("return 2", "return 3")})
    desk.run("index")
    assert words(desk) == {id: "changed"}
    desk.run("verify", id=(id,), accept=True)
    assert paths(desk, id) == ("src/app.py::two",)
    assert words(desk, id=(id,)) == {id: "fresh"}


def test_accept_refuses_what_is_gone_and_stores_nothing(twenty: RepoBuilder, desk: Desk) -> None:
    id = keep(desk, CITED, "src/other.txt")
    edit(twenty, l5="five")
    (twenty.path / "src" / "other.txt").unlink()
    with pytest.raises(Conflict) as refused:
        desk.run("verify", id=(id,), accept=True)
    assert "src/other.txt is gone" in refused.value.message
    assert actions(desk, id) == ["added"]
    assert words(desk, id=(id,)) == {id: "gone"}


def test_accept_refuses_lines_that_were_taken_away(twenty: RepoBuilder, desk: Desk) -> None:
    id = keep(desk, CITED)
    twenty.commit("Take away", {"src/twenty.txt": text(TWENTY[:2] + TWENTY[6:])})
    with pytest.raises(Conflict) as refused:
        desk.run("verify", id=(id,), accept=True)
    assert "--re-anchor" in refused.value.hint


def test_accept_refuses_a_memory_that_cites_nothing(desk: Desk) -> None:
    id = keep(desk)
    with pytest.raises(Conflict):
        desk.run("verify", id=(id,), accept=True)


def test_accept_is_not_stopped_by_what_could_not_be_reported_before(
    twenty: RepoBuilder, desk: Desk
) -> None:
    id = keep(desk, "src/later.txt", CITED)
    edit(twenty, l5="five")
    assert words(desk) == {id: "changed"}
    assert desk.run("verify", id=(id,), accept=True).items[0].freshness == "unknown"


def test_accept_takes_a_file_that_was_not_there_before(twenty: RepoBuilder, desk: Desk) -> None:
    id = keep(desk, "src/later.txt")
    assert words(desk) == {id: "unknown"}
    with pytest.raises(Conflict):
        desk.run("verify", id=(id,), accept=True)
    twenty.write({"src/later.txt": "here\n"})
    assert desk.run("verify", id=(id,), accept=True).items[0].freshness == "fresh"


def test_one_that_cannot_be_accepted_does_not_stop_the_others(
    twenty: RepoBuilder, desk: Desk
) -> None:
    changed, gone = keep(desk, CITED), keep(desk, "src/other.txt")
    edit(twenty, l5="five")
    (twenty.path / "src" / "other.txt").unlink()
    result = desk.run("verify", changed=True, accept=True)
    done = {item.id: (item.action, bool(item.error)) for item in result.items}
    assert done == {changed: ("accepted", False), gone: ("", True)}
    assert result.failed == 1
    assert words(desk) == {gone: "gone"}


def test_an_unknown_id_among_others_is_reported_beside_them(
    twenty: RepoBuilder, desk: Desk
) -> None:
    id = keep(desk, CITED)
    result = desk.run("verify", id=(id, "ZZZZ"), accept=True)
    assert [(item.action, bool(item.error)) for item in result.items] == [
        ("accepted", False),
        ("", True),
    ]
    assert result.failed == 1


def test_an_unknown_id_alone_is_refused(desk: Desk) -> None:
    with pytest.raises(NotFound):
        desk.run("verify", id=("ZZZZ",))


# --- re-anchor ----------------------------------------------------------------------------------


def test_re_anchor_replaces_the_one_that_is_not_fresh(twenty: RepoBuilder, desk: Desk) -> None:
    id = keep(desk, "src/other.txt", CITED)
    edit(twenty, l5="five")
    (done,) = desk.run("verify", id=(id,), re_anchor="src/twenty.txt:10-12").items
    assert (done.action, done.freshness) == ("re-anchored", "fresh")
    assert paths(desk, id) == ("src/other.txt", "src/twenty.txt:10-12")
    assert actions(desk, id) == ["added", "re-anchored"]


def test_re_anchor_leaves_the_other_anchors_as_they_are(twenty: RepoBuilder, desk: Desk) -> None:
    id = keep(desk, "src/twenty.txt:10-12", CITED)
    edit(twenty, l5="five", l11="eleven")
    (done,) = desk.run("verify", id=(id,), re_anchor="src/other.txt", cited=CITED).items
    assert done.freshness == "changed"
    assert [anchor.verdict for anchor in done.anchors] == ["changed", "fresh"]


def test_re_anchor_asks_which_where_more_than_one_is_stale(twenty: RepoBuilder, desk: Desk) -> None:
    id = keep(desk, "src/twenty.txt:10-12", CITED)
    edit(twenty, l5="five", l11="eleven")
    with pytest.raises(InvalidInput) as refused:
        desk.run("verify", id=(id,), re_anchor="src/other.txt")
    assert CITED in refused.value.message
    assert "--cited" in refused.value.hint
    with pytest.raises(NotFound):
        desk.run("verify", id=(id,), re_anchor="src/other.txt", cited="nope.txt")


def test_re_anchor_gives_a_place_to_what_had_none(twenty: RepoBuilder, desk: Desk) -> None:
    id = keep(desk)
    desk.run("verify", id=(id,), re_anchor=CITED)
    assert paths(desk, id) == (CITED,)
    assert words(desk, id=(id,)) == {id: "fresh"}


@pytest.mark.parametrize(
    "place", ["nope.txt", "src/twenty.txt:100-200", "src/twenty.txt:6-3", "../x", "/etc/passwd"]
)
def test_re_anchor_refuses_a_place_that_is_not_there(
    twenty: RepoBuilder, desk: Desk, place: str
) -> None:
    id = keep(desk, CITED)
    with pytest.raises((Conflict, InvalidInput, NotFound)) as refused:
        desk.run("verify", id=(id,), re_anchor=place)
    assert refused.value.hint
    assert (actions(desk, id), paths(desk, id)) == (["added"], (CITED,))


def test_re_anchor_to_the_place_it_has_takes_it_anew(twenty: RepoBuilder, desk: Desk) -> None:
    id = keep(desk, CITED)
    edit(twenty, l5="five")
    assert desk.run("verify", id=(id,), re_anchor=CITED).items[0].freshness == "fresh"
    assert paths(desk, id) == (CITED,)


# --- correct and retire -------------------------------------------------------------------------


def test_correct_gives_new_words_and_takes_the_code_anew(twenty: RepoBuilder, desk: Desk) -> None:
    id = keep(desk, CITED)
    edit(twenty, l5="five")
    (done,) = desk.run("verify", id=(id,), correct="It is otherwise").items
    assert (done.action, done.freshness, done.title) == ("corrected", "fresh", "It is otherwise")
    assert actions(desk, id) == ["added", "corrected"]


def test_correct_needs_no_citation(desk: Desk) -> None:
    id = keep(desk)
    (done,) = desk.run("verify", id=(id,), correct="It is otherwise").items
    assert (done.action, done.freshness, done.title) == ("corrected", "none", "It is otherwise")


def test_correct_and_re_anchor_go_together(twenty: RepoBuilder, desk: Desk) -> None:
    id = keep(desk, "src/other.txt")
    (twenty.path / "src" / "other.txt").unlink()
    (done,) = desk.run("verify", id=(id,), correct="Now in twenty", re_anchor=CITED).items
    assert (done.action, done.freshness) == ("corrected", "fresh")
    assert paths(desk, id) == (CITED,)


def test_an_agents_words_are_an_agents(twenty: RepoBuilder, desk: Desk) -> None:
    id = desk.run("remember", text="Lines of five", path=(CITED,), by="codex").id
    desk.run("verify", by="codex", id=(id,), correct="So says codex")
    assert desk.run("show", id=id).memory.trust == "agent"


def test_retire_archives_and_keeps_the_rest(twenty: RepoBuilder, desk: Desk) -> None:
    id = keep(desk, CITED)
    edit(twenty, l5="five")
    (done,) = desk.run("verify", changed=True, retire=True).items
    assert done.action == "retired"
    assert desk.run("show", id=id).memory.state == "archived"
    desk.run("restore", id=(id,))
    assert words(desk) == {id: "changed"}


# --- what cannot be asked -----------------------------------------------------------------------


@table(
    "question",
    [
        {"accept": True},
        {"retire": True},
        {"accept": True, "retire": True, "all": True},
        {"re_anchor": "src/other.txt", "all": True},
        {"correct": "x", "changed": True},
        {"id": ("a", "b"), "correct": "x"},
        {"id": ("a",), "cited": "x"},
    ],
)
def test_a_request_without_sense_is_refused(desk: Desk, question: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput) as refused:
        desk.run("verify", **question)
    assert refused.value.hint


def test_without_a_store_there_is_nothing_to_verify(bare_desk: Desk) -> None:
    with pytest.raises(NotInitialized):
        bare_desk.run("verify")


def test_a_plain_folder_is_verified_too(tmp_path: Path) -> None:
    place = tmp_path / "plain"
    (place / "src").mkdir(parents=True)
    (place / "src" / "twenty.txt").write_text(text(TWENTY))
    desk = Desk(place, tmp_path / "home")
    desk.run("init", folder=True)
    id = keep(desk, CITED)
    assert words(desk, all=True) == {id: "fresh"}
    (place / "src" / "twenty.txt").write_text(text(TWENTY).replace(TWENTY[3], "vier"))
    assert words(desk) == {id: "changed"}
    assert desk.run("verify", id=(id,), accept=True).items[0].freshness == "fresh"


def test_a_bare_repository_knows_nothing_and_says_so(twenty: RepoBuilder, tmp_path: Path) -> None:
    bare = twenty.clone(tmp_path / "bare.git", "--bare")
    desk = Desk(bare.path, bare.home)
    desk.run("init")
    id = keep(desk, CITED)
    assert words(desk) == {id: "unknown"}
    with pytest.raises(Conflict):
        desk.run("verify", id=(id,), accept=True)


def test_a_shallow_clone_judges_without_the_old_commits(
    twenty: RepoBuilder, tmp_path: Path
) -> None:
    shallow = twenty.clone(tmp_path / "shallow", "--depth=1")
    desk = Desk(shallow.path, shallow.home)
    desk.run("init")
    id = keep(desk, CITED)
    edit(shallow, l5="five")
    assert words(desk) == {id: "changed"}
    assert desk.run("verify", id=(id,), accept=True).items[0].freshness == "fresh"


def test_before_the_first_commit(tmp_path: Path) -> None:
    repo = RepoBuilder(tmp_path / "young")
    repo.write({"src/twenty.txt": text(TWENTY)})
    desk = Desk(repo.path, repo.home)
    desk.run("init")
    id = keep(desk, CITED)
    edit(repo, l5="five")
    assert words(desk) == {id: "changed"}


# --- which lines took the place of others -------------------------------------------------------


@table(
    ("new", "span", "found"),
    [
        ("abcdef", (2, 3), (2, 3)),
        ("xxabcdef", (2, 3), (4, 5)),
        ("aBcdef", (2, 3), (2, 3)),
        ("aBBCdef", (2, 3), (2, 4)),
        ("abxcdef", (2, 3), (2, 4)),
        ("abcxdef", (2, 3), (2, 3)),
        ("adef", (2, 3), None),
        ("acdef", (2, 3), (2, 2)),
        ("", (2, 3), None),
    ],
)
def test_where_lines_stand_after_a_change(
    new: str, span: tuple[int, int], found: tuple[int, int] | None
) -> None:
    old = [letter.encode() for letter in "abcdef"]
    assert map_line_range(old, [letter.encode() for letter in new], span) == found


@given(
    st.lists(st.sampled_from(b"abc"), max_size=12), st.lists(st.sampled_from(b"abc"), max_size=12)
)
def test_lines_are_found_inside_the_new_file_and_in_order(old: list[int], new: list[int]) -> None:
    before, after = ([bytes([line]) for line in lines] for lines in (old, new))
    for first in range(1, len(old) + 1):
        found = map_line_range(before, after, (first, len(old)))
        assert found is None or 1 <= found[0] <= found[1] <= len(new)
