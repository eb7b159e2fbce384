"""`gitmem entity export` and `import`: the graph as JSON, and the links of another store."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gitmem.errors import Conflict, InvalidInput, NotFound
from tests.support.apps import Desk, indexed_copy
from tests.support.repos import RepoBuilder


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    """Two memories that are linked, two that are not, and a commit that names an issue."""
    repo = RepoBuilder(tmp_path_factory.mktemp("exchange") / "repo")
    repo.commit("Add the cart (#7)", {"src/cart.py": "def total():\n    pass\n"})
    desk = Desk(repo.path, repo.home, GITMEM_MODEL="hashed")
    desk.run("init", no_hooks=True)
    ids = [
        desk.run("remember", text=text).id for text in ("Slow sums", "Sum once", "Cents", "Euro")
    ]
    desk.run("link", source=ids[1], target=ids[0], relation="SOLVES", context="measured")
    desk.ids = ids  # type: ignore[attr-defined]
    return desk


@pytest.fixture
def desk(model: Desk, tmp_path: Path) -> Desk:
    """A copy to write to."""
    made = indexed_copy(model, tmp_path / "copy")
    made.ids = model.ids  # type: ignore[attr-defined]
    return made


def written(desk: Desk, **changed: Any) -> Path:
    """An export of a desk in a file, with changes to the document."""
    path = desk.place.parent / "entities.json"
    desk.run("entity export", target=str(path), force=True)
    if changed:
        path.write_text(json.dumps(json.loads(path.read_text()) | changed))
    return path


def link(source: str, relation: str, target: str) -> dict[str, Any]:
    return {"source": source, "relation": relation, "target": target, "since": 5, "note": "told"}


def test_the_same_store_gives_the_same_bytes_and_all_is_in_them(model: Desk) -> None:
    lines = model.run("entity export").lines
    assert lines == model.run("entity export").lines
    told = json.loads("\n".join(lines))
    assert (told["format"], told["version"]) == ("gitmem-entities", 1)
    keys = [one["key"] for one in told["entities"]]
    assert keys == sorted(keys)
    assert {"file:src/cart.py", "symbol:src/cart.py::total", "issue:#7"} <= set(keys)
    fix = f"memory:{model.ids[1]}"  # type: ignore[attr-defined]
    assert {"title": "Sum once", "key": fix, "kind": "memory", "name": fix[7:]} in told["entities"]
    relations = {one["relation"] for one in told["edges"]}
    assert {"changed", "made_by", "mentions", "defines", "solves", "written_on"} <= relations
    ends = {one[end] for one in told["edges"] for end in ("source", "target")}
    assert ends <= set(keys)


def test_links_come_back_from_an_export_and_a_second_time_changes_nothing(desk: Desk) -> None:
    source, target = (f"memory:{id}" for id in desk.ids[1::-1])  # type: ignore[attr-defined]
    new = f"memory:{desk.ids[3]}", f"memory:{desk.ids[2]}"  # type: ignore[attr-defined]
    path = written(
        desk, edges=[link(source, "solves", target), link(new[0], "supersedes", new[1]),
                     link("commit:ab", "changed", "file:x")],
    )  # fmt: skip
    dry = desk.run("entity import", source=str(path), trust=True, dry_run=True)
    assert (dry.added, dry.unchanged, dry.derived) == (1, 1, 1)
    assert not desk.run("related", id=new[0][7:]).items
    first = desk.run("entity import", source=str(path), trust=True)
    assert (first.added, first.unchanged, first.derived, first.failed) == (1, 1, 1, 0)
    (item,) = desk.run("related", id=new[0][7:]).items
    # What a link says has happened: the older one is out of force.
    assert (item.relation, item.state, item.context) == ("SUPERSEDES", "superseded", "told")
    again = desk.run("entity import", source=str(path), trust=True)
    assert (again.added, again.unchanged) == (0, 2)


def test_what_cannot_be_taken_is_told_by_its_edge(desk: Desk) -> None:
    one, two = (f"memory:{id}" for id in desk.ids[:2])  # type: ignore[attr-defined]
    lost = "memory:01M00000000000000000000000"
    path = written(desk, edges=[link(one, "causes", lost), link(one, "causes", one)])
    found = desk.run("entity import", source=str(path), trust=True)
    assert [(problem.line, problem.error.split(".")[0]) for problem in found.problems] == [
        (1, "A memory that it links is not here"), (2, "A memory cannot be linked to itself"),
    ]  # fmt: skip
    # Of a file that is not one's own no link may start at a memory that is.
    path = written(desk, edges=[link(two, "causes", one)])
    (problem,) = desk.run("entity import", source=str(path)).problems
    assert "--trust" in problem.error
    assert "edge 1: " in desk.text("entity import", source=str(path))


def test_other_files_agents_and_files_that_are_there_are_refused(desk: Desk) -> None:
    path = written(desk)
    with pytest.raises(Conflict, match="already exists"):
        desk.run("entity export", target=str(path))
    with pytest.raises(Conflict, match="only a person"):
        desk.run("entity import", source=str(path), by="codex")
    with pytest.raises(NotFound):
        desk.run("entity import", source="nowhere.json")
    with pytest.raises(InvalidInput, match="version 9"):
        desk.run("entity import", source=str(written(desk, version=9)))
    for text in ("", "[]", "{", "[" * 100_000, '{"format": "other"}'):
        path.write_text(text)
        with pytest.raises(InvalidInput, match="no export of entities"):
            desk.run("entity import", source=str(path))
    path.write_text(json.dumps({"format": "gitmem-entities", "version": 1, "edges": [1, {}, None]}))
    assert desk.run("entity import", source=str(path)).derived == 1
