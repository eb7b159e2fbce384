"""What files, commits, issues and people are tied to, and their past (CF-48)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gitmem.errors import InvalidInput, NotFound
from gitmem.history import entity_graph
from gitmem.operations.registry import as_json_values
from tests.support.apps import DAY, Desk, indexed_copy
from tests.support.repos import RepoBuilder

CART = "def total(cart):\n    return sum(cart)\n\n\ndef add(cart, item):\n    cart.append(item)\n"


class Project:
    """A small project with a past: three names of one file, a session, decisions, a rewrite."""

    def __init__(self, folder: Path) -> None:
        self.repo = repo = RepoBuilder(folder / "repo")
        self.first = repo.commit("Add the cart (#1)", {"cart.py": CART, "README.md": "# Shop\n"})
        repo.git("mv", "cart.py", "basket.py")
        self.renamed = repo.commit("Call it basket")
        (repo.path / "src").mkdir()
        repo.git("mv", "basket.py", "src/cart.py")
        self.again = repo.commit("Cart after all", author="Grace Hopper <g@example.org>")
        self.fix = repo.commit(
            "fix: sum prices (#2)", {"src/cart.py": CART.replace("sum(cart)", "sum(map(p, cart))")}
        )
        self.desk = desk = Desk(repo.path, repo.home, GITMEM_MODEL="hashed")
        desk.run("init", no_hooks=True)
        desk.run("session start", goal="Mend the cart", by="codex")
        (started,) = desk.run("session list").sessions
        self.session = f"session:{started.id}"
        desk.run("session note", text="", file=("src/cart.py",), by="codex")
        self.old = desk.run(
            "decide", title="Prices are floats", why="Simple", path=("src/cart.py",), by="codex"
        ).id
        desk.clock.advance(DAY)
        self.new = desk.run(
            "decide", title="Prices are cents", why="See #2", path=("src/cart.py::total",),
            supersedes=self.old,
        ).id  # fmt: skip
        desk.run("link", source=self.new, target=self.fix, relation="IMPLEMENTED_BY")


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return Project(tmp_path_factory.mktemp("entity"))


def ties(shop: Project, entity: str, **how: Any) -> set[tuple[str, str, str]]:
    items = shop.desk.run("related", id=entity, **how).items
    return {(item.direction, item.relation, item.id) for item in items}


def test_a_file_is_tied_to_commits_decisions_sessions_and_what_it_defines(shop: Project) -> None:
    assert ties(shop, "src/cart.py") == {
        ("in", "changed", f"commit:{shop.again}"),
        ("in", "changed", f"commit:{shop.fix}"),
        ("in", "decides_for", f"decision:{shop.old}"),
        ("in", "decides_for", f"decision:{shop.new}"),
        (
            "in",
            "opened",
            next(key for _, word, key in ties(shop, "src/cart.py") if word == "opened"),
        ),
        ("out", "defines", "symbol:src/cart.py::total"),
        ("out", "defines", "symbol:src/cart.py::add"),
    }


def test_a_folder_has_no_names_of_its_files_and_is_not_reported_as_tied_to_nothing(
    shop: Project, tmp_path: Path
) -> None:
    desk = indexed_copy(shop.desk, tmp_path / "copy")
    for verb, named in (("related", "id"), ("timeline", "target")):
        with pytest.raises(InvalidInput, match="src is a folder") as raised:
            desk.run(verb, **{named: "src/"})
        assert "gitmem changes --path src" in raised.value.hint
    desk.run("decide", title="Carts live here", why="x", path=("src/",))
    assert [item.relation for item in desk.run("related", id="src").items] == ["decides_for"]
    lineage = desk.run("related", id="src", lineage=True).items
    assert [item.id for item in lineage] == ["file:src"]
    result = desk.run("timeline", target="src")
    assert {entry.type for entry in result.entries} == {"decides_for by"}
    assert "gitmem changes --path src" in result.note


def test_what_each_kind_of_entity_is_tied_to(shop: Project) -> None:
    for entity, expected in (
        ("#2", {("in", "mentions", f"commit:{shop.fix}"),
                ("in", "mentions", f"decision:{shop.new}")}),
        ("total", {("in", "decides_for", f"decision:{shop.new}"),
                   ("in", "defines", "file:src/cart.py")}),
        ("author:grace", {("in", "made_by", f"commit:{shop.again}")}),
        ("agent:codex", {("in", "written_by", f"decision:{shop.old}"),
                         ("in", "uses_agent", shop.session)}),
        (shop.session, {("in", "written_in", f"decision:{shop.old}"),
                        ("out", "uses_agent", "agent:codex"), ("out", "worked_on", "branch:main"),
                        ("out", "opened", "file:src/cart.py"),
                        ("out", "began_at", f"commit:{shop.fix}")}),
        (shop.fix, {("out", "changed", "file:src/cart.py"), ("out", "mentions", "issue:#2"),
                    ("in", "implemented_by", f"decision:{shop.new}"),
                    ("in", "began_at", shop.session)}),
        (f"memory:{shop.new}", {("out", "supersedes", f"decision:{shop.old}"),
                    ("out", "mentions", "issue:#2"),
                    ("out", "decides_for", "symbol:src/cart.py::total")}),
        ("branch:main", {("in", "worked_on", shop.session),
                         ("in", "written_on", f"decision:{shop.old}")}),
    ):  # fmt: skip
        assert expected <= ties(shop, entity, limit=20), entity


def test_relation_direction_and_limit_narrow_and_the_rest_is_counted(shop: Project) -> None:
    assert {word for _, word, _ in ties(shop, "src/cart.py", relation="decides-for")} == {
        "decides_for"
    }
    assert {way for way, *_ in ties(shop, "src/cart.py", direction="out")} == {"out"}
    found = shop.desk.run("related", id="src/cart.py", limit=1)
    assert ("changed", 2) in {(item.relation, item.total) for item in found.left_out}
    # What is left out is counted for each relation by itself.
    assert {item.relation: item.total for item in found.left_out}["defines"] == 2
    assert "… 1 more changed" in shop.desk.text("related", id="src/cart.py", limit=1)


def test_as_of_leaves_out_what_came_later_and_what_had_ended(shop: Project) -> None:
    output = ties(shop, "src/cart.py", as_of="2026-11-21T12:00:00Z")
    assert ("in", "decides_for", f"decision:{shop.old}") in output
    assert ("in", "decides_for", f"decision:{shop.new}") not in output
    now = ties(shop, "src/cart.py", as_of="2027-01-01")
    assert ("in", "decides_for", f"decision:{shop.old}") not in now
    assert ("in", "decides_for", f"decision:{shop.new}") in now
    assert "defines" not in {relation for _, relation, _ in output | now}
    at_commit = ties(shop, "src/cart.py", as_of=shop.again)
    assert at_commit == {("in", "changed", f"commit:{shop.again}")}
    found = shop.desk.run("related", id="src/cart.py", as_of=shop.again)
    assert "Definitions in files are known only for now" in found.note


def test_a_lineage_follows_replacements_and_both_renames(shop: Project) -> None:
    for name in (shop.new, f"decision:{shop.new}"):
        kind = name.removesuffix(shop.new)
        older, newer = shop.desk.run("related", lineage=True, id=name).items
        assert (older.hop, older.via, older.id) == (-1, name, f"{kind}{shop.old}")
        assert (newer.hop, newer.via, newer.id) == (0, "", name)
        assert older.until == newer.since is not None
    names = shop.desk.run("related", lineage=True, id="src/cart.py").items
    assert [(name.hop, name.relation, name.via, name.id, name.context) for name in names] == [
        (-2, "renamed_from", "file:basket.py", "file:cart.py", shop.renamed),
        (-1, "renamed_from", "file:src/cart.py", "file:basket.py", shop.again),
        (0, "", "", "file:src/cart.py", ""),
    ]
    assert [bool(name.since) for name in names] == [False, True, True]
    # Of a line too long to be shown the nearest stays.
    near = shop.desk.run("related", lineage=True, id="src/cart.py", limit=2)
    assert [item.id for item in near.items] == ["file:basket.py", "file:src/cart.py"]
    output = shop.desk.text("related", lineage=True, id="src/cart.py").splitlines()
    assert [line[0] for line in output] == [" ", " ", "*"]
    (alone,) = shop.desk.run("related", lineage=True, id=shop.fix).items
    assert (alone.id, alone.relation) == (f"commit:{shop.fix}", "")
    for entity, hint in (("#2", "timeline"), ("total", "gitmem why")):
        with pytest.raises(InvalidInput, match="no chain of predecessors") as raised:
            shop.desk.run("related", lineage=True, id=entity)
        assert hint in raised.value.hint


def test_a_timeline_follows_a_file_through_its_names(shop: Project) -> None:
    found = shop.desk.run("timeline", target="src/cart.py")
    assert (found.target, found.since) == ("file:src/cart.py", "")
    commits = [entry.ref for entry in found.entries if entry.type == "changed by"]
    assert commits[-3:] == [f"commit:{item}" for item in (shop.renamed, shop.again, shop.fix)]
    assert commits[0] == f"commit:{shop.first}"
    assert [entry.at for entry in found.entries] == sorted(entry.at for entry in found.entries)
    words = {entry.type for entry in found.entries}
    assert {"decides_for by", "decides_for by, until now", "opened by", "renamed_from"} <= words
    earlier = shop.desk.run("timeline", target="src/cart.py", until=shop.renamed)
    assert {entry.ref for entry in earlier.entries if entry.type == "changed by"} == {
        f"commit:{shop.renamed}", f"commit:{shop.first}",
    }  # fmt: skip
    later = shop.desk.run("timeline", target="src/cart.py", since=shop.fix).entries
    assert f"commit:{shop.again}" not in {item.ref for item in later}
    cut = shop.desk.run("timeline", target="src/cart.py", limit=2)
    assert cut.entries == found.entries[-2:]
    total = len(found.entries)
    assert cut.note == f"{total - 2} earlier events are left out: --limit {total}."


def test_timelines_of_a_memory_a_session_and_a_definition(shop: Project) -> None:
    messages = [entry.type for entry in shop.desk.run("timeline", target=shop.old).entries]
    assert messages[0] == "added" and {"superseded", "supersedes by"} <= set(messages)
    moments = shop.desk.run("timeline", target=shop.session).entries
    assert {"opened", "began_at", "written_in by"} <= {moment.type for moment in moments}
    messages = shop.desk.run("timeline", target="agent:codex").entries
    assert "written" in {item.type for item in messages}
    assert not [item.type for item in messages if item.type.endswith("_by by")]
    changed = [
        entry.text
        for entry in shop.desk.run("timeline", target="total").entries
        if entry.type == "changed by"
    ]
    assert changed == ["Add the cart (#1)", "fix: sum prices (#2)"]


def test_a_timeline_of_something_is_read_by_people_and_takes_no_filter(shop: Project) -> None:
    output = shop.desk.text("timeline", target="src/cart.py", limit=3).splitlines()
    assert output[0] == "file:src/cart.py" and "earlier events are left out" in output[1]
    assert f"decides_for by decision {shop.new[:12]} Prices are cents" in " ".join(output)
    for more in ({"only": ("commits",)}, {"author": "ada"}, {"summary": True}):
        with pytest.raises(InvalidInput, match="without a target"):
            shop.desk.run("timeline", target="src/cart.py", **more)
    with pytest.raises(NotFound):
        shop.desk.run("timeline", target="nothing-like-this")


def test_a_path_tells_each_edge_or_that_there_is_none(shop: Project) -> None:
    way = shop.desk.run("related", id=shop.old, to="#2")
    assert [(item.direction, item.relation, item.id) for item in way.items] == [
        ("in", "supersedes", f"decision:{shop.new}"),
        ("out", "mentions", "issue:#2"),
    ]
    none = shop.desk.text("related", id="author:ada", to="#2", depth=1)
    assert none.startswith("No path within 1 links from author:Ada Lovelace to issue:#2.")


def test_names_are_looked_up_and_unknown_ones_say_what_may_be_given(shop: Project) -> None:
    for message, key in (
        ("issue:2", "issue:#2"),
        ("GH-2", "issue:#2"),
        ("HEAD", f"commit:{shop.fix}"),
        (shop.fix[:8], f"commit:{shop.fix}"),
        (f"memory:{shop.new}", f"decision:{shop.new}"),
        ("cart.py", "file:cart.py"),
        ("src/cart.py::add", "symbol:src/cart.py::add"),
        ("codex", "agent:codex"),
        ("Ada Lovelace", "author:Ada Lovelace"),
        ("project:", None),
    ):
        found = shop.desk.run("related", id=message).id
        assert found == key or (key is None and found.startswith("project:")), message
    for message in (
        "nothing-like-this",
        "file:gone.py",
        "branch:nowhere",
        "symbol:nope",
        "author:x y",
    ):
        with pytest.raises(NotFound):
            shop.desk.run("related", id=message)
    with pytest.raises(InvalidInput):
        shop.desk.run("related", id="  ")


def test_text_and_plain_values(shop: Project) -> None:
    text = shop.desk.text("related", id="src/cart.py", depth=2)
    assert text.splitlines()[0] == "file:src/cart.py"
    (line,) = [
        splitline for splitline in text.splitlines() if f"decides_for {shop.old[:8]}" in splitline
    ]
    assert line.strip().startswith("2026-11-21  <- decides_for ")
    assert line.endswith("[superseded, unreviewed]  until 2026-11-22")
    # What a commit is tied to stands below it.
    lines = text.splitlines()
    place = next(n for n, line in enumerate(lines) if "fix: sum prices" in line)
    assert lines[place + 1].startswith("    ")
    item = as_json_values(shop.desk.run("related", id="#2"))["items"][0]
    assert set(item) == {
        *("hop", "relation", "direction", "via", "strength", "context", "id", "handle", "kind"),
        *("title", "state", "trust", "since", "until", "kind_as"),
    }


def test_a_shallow_clone_a_bare_one_and_a_plain_folder_are_answered(
    shop: Project, tmp_path: Path
) -> None:
    clone = shop.repo.clone(tmp_path / "clone", "--depth", "1")
    shallow = Desk(clone.path, clone.home, GITMEM_MODEL="hashed")
    shallow.run("init", no_hooks=True)
    for answer in (
        shallow.run("related", lineage=True, id="src/cart.py"),
        shallow.run("timeline", target="src/cart.py"),
    ):
        assert answer.note == "The clone is shallow: what is older than its cut is missing."
    shop.repo.git("clone", "-q", "--bare", ".", str(tmp_path / "bare.git"))
    bare = Desk(tmp_path / "bare.git", shop.repo.home, GITMEM_MODEL="hashed")
    bare.run("init", no_hooks=True)
    found = bare.run("timeline", target="src/cart.py")
    first = next(entry for entry in found.entries if entry.type == "changed by")
    assert first.text == "Add the cart (#1)"
    assert found.note == ""  # what a file defines is no moment, however much it is
    folder = tmp_path / "plain"
    folder.mkdir()
    (folder / "notes.md").write_text("# Notes\n")
    plain_one = Desk(folder, tmp_path / "home", GITMEM_MODEL="hashed")
    plain_one.run("init", folder=True)
    plain_one.run("remember", text="Read the notes", path=("notes.md",))
    (item,) = plain_one.run("related", id="notes.md", relation="about").items
    assert item.title == "Read the notes"
    (alone,) = plain_one.run("related", lineage=True, id="notes.md").items
    assert alone.id == "file:notes.md"


def test_an_empty_repository_has_nothing(tmp_path: Path) -> None:
    repo = RepoBuilder(tmp_path / "repo")
    desk = Desk(repo.path, repo.home, GITMEM_MODEL="hashed")
    desk.run("init", no_hooks=True)
    with pytest.raises(NotFound):
        desk.run("related", id="HEAD")
    assert desk.text("related", id="project:").startswith("Nothing is linked to project:")


def test_what_lies_at_one_end_is_bounded_and_stated(
    shop: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(entity_graph, "FAN_OUT", 1)
    found = shop.desk.run("timeline", target="src/cart.py")
    assert found.note == "Only the newest 1 of each kind are looked at."
    none = shop.desk.run("related", id="#1", to="#2")
    assert not none.found
    assert none.note == "Of each kind only the newest 1 edges were followed."
    app = shop.desk.app()
    try:
        graph = entity_graph.EntityGraph(app)
        graph.edges_of({"file:src/cart.py"})
        # Of a relation that was read to the bound more is there; of another all is known.
        assert graph.cut["file:src/cart.py"] == 2
        assert (graph.count_edges("file:src/cart.py", 1), graph.count_edges("issue:#2", 1)) == (
            2,
            1,
        )
        assert graph.count_edges("file:src/cart.py", 0) == 0
    finally:
        app.close()
