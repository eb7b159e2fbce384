"""What is exported and imported again is the same, however often (round-trip law)."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gitmem.app import App
from gitmem.clock import FixedClock
from gitmem.memory import draft, export_format, trust
from gitmem.model import kinds
from gitmem.model.frozen import replace
from gitmem.model.memory import Link, Memory
from gitmem.operations.maintenance.export_import import (
    ExportRequest,
    ImportRequest,
    ImportResult,
    export_memories,
    import_memories,
)
from gitmem.operations.remember.link import LinkRequest, link_memories
from gitmem.operations.remember.revise import ReviseRequest, revise_memory
from gitmem.store.memory import derived_rows, memories, memory_writes
from tests.support.amounts import examples
from tests.support.stores import LARGEST, START, add, make_app, said

prose = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=60)
words = st.lists(st.text("abcdefgh-", min_size=1, max_size=8), max_size=4).map(tuple)
moments = st.none() | st.integers(0, 2 * START)
drafts = st.builds(
    draft.MemoryDraft,
    content=prose.map(lambda text: f"x{text}"),
    title=prose,
    kind=st.sampled_from(sorted(kinds.KINDS)),
    tags=words,
    paths=words,
    weight=st.integers(1, 5),
    importance=st.floats(0, 1),
    confidence=st.floats(0, 1),
    pinned=st.booleans(),
    scope=st.sampled_from(["project", "project", "global"]),
    status=st.sampled_from(["", *kinds.STATUSES]),
    metadata=st.dictionaries(prose, prose | st.integers(-9, 9) | st.none(), max_size=3),
)


def memory(given_: draft.MemoryDraft, seed: int, archived: int | None, version: int) -> Memory:
    if given_.kind != "decision":
        given_ = replace(given_, status="")
    origin = draft.MemoryOrigin(id=said(seed=seed).id, now=START + seed, project="p", agent="a")
    found = draft.prepare_memory(given_, origin, max_bytes=LARGEST).memory
    return Memory(
        **{name: getattr(found, name) for name in Memory.__slots__}
        | {"archived_at": archived, "version": version, "updated_at": START + seed + version}
    )


living = st.fixed_dictionaries(
    {
        "layer": st.sampled_from(["", "", "working"]),
        "trust": st.sampled_from(["", *trust.TIERS]),
        "valid_from": moments,
        "valid_until": moments,
    }
)
populations = st.lists(st.tuples(drafts, moments, st.integers(1, 9), living), max_size=6).map(
    lambda rows: [replace(memory(row[0], n, *row[1:3]), **row[3]) for n, row in enumerate(rows)]
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where one repository serves all examples, each with stores of its own."""
    return tmp_path_factory.mktemp("exchange")


class Fresh:
    """Applications with new, empty stores in one repository."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.made: list[App] = []

    def app(self) -> App:
        place = self.folder / f"{len(list(self.folder.iterdir()))}"
        place.mkdir()
        app = make_app(
            self.folder,
            GITMEM_HOME=str(place / "user"),
            GITMEM_STORE_PATH=str(place / "own" / "memory.db"),
        )
        self.made.append(app)
        return app

    def close(self) -> None:
        for app in self.made:
            app.close()


def everything(app: App) -> list[str]:
    """What is exported, but for the seals in the first line, which are each store's own."""
    first, *rest = export_memories(app, ExportRequest(scope="all")).lines
    header = json.loads(first)
    del header["seals"]
    return [json.dumps(header), *rest]


def take(app: App, text: list[str]) -> ImportResult:
    # Restoring one's own memories: trusted as they say.
    return import_memories(app, ImportRequest("\n".join(text), piped=True, trust=True))


@settings(max_examples=examples(4), suppress_health_check=list(HealthCheck))
@given(populations, st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5), prose), max_size=4))
def test_export_import_export(
    folder: Path, kept: list[Memory], ties: list[tuple[int, int, str]]
) -> None:
    fresh = Fresh(folder)
    first, second = fresh.app(), fresh.app()
    for item in kept:
        with first.store_for_scope(item.scope).write() as database:
            memory_writes.insert_memory(database, item)
    for number, (source, target, context) in enumerate(ties):
        ends = [kept[place] for place in (source, target) if place < len(kept)]
        if len(ends) == 2 and ends[0].scope == ends[1].scope:
            with first.store_for_scope(ends[0].scope).write() as database:
                tie = Link(f"{number:026d}", ends[0].id, ends[1].id, "SOLVES", 0.5, context, START)
                memory_writes.add_link(database, tie)
    lines = everything(first)
    counts = take(second, lines)
    assert (counts.added, counts.failed) == (len(kept), 0)
    assert everything(second) == lines
    again = take(second, lines)
    assert (again.added, again.updated, again.failed, again.unchanged) == (0, 0, 0, len(kept))
    assert everything(second) == lines
    assert all(derived_rows.derived_row_problems(database) == [] for database in second.stores())
    fresh.close()


@pytest.fixture
def other(tmp_path: Path) -> App:
    """A second application with an empty store of its own."""
    return make_app(tmp_path, seed=5, GITMEM_STORE_PATH=str(tmp_path / "other" / "memory.db"))


def test_lines_that_cannot_be_taken_are_reported_by_number_and_the_others_stored(
    app: App, other: App
) -> None:
    for number in range(3):
        add(app, f"Fact {number}")
    lines = everything(app)
    bad = ["{broken", json.dumps({"type": "memory", "id": "x"}), '{"type": "vector"}']
    result = take(other, [lines[0], bad[0], lines[1], "", bad[1], lines[2], bad[2], lines[3]])
    assert (result.added, result.failed) == (3, 3)
    assert [problem.line for problem in result.problems] == [2, 5, 7]
    assert everything(other) == lines


def test_a_link_without_its_ends_is_reported(app: App, other: App) -> None:
    link_memories(app, LinkRequest(add(app, "One"), add(app, "Two")))
    header, _one, two, tie = everything(app)
    result = take(other, [header, two, tie])
    assert (result.added, result.links) == (1, 0)
    assert [problem.line for problem in result.problems] == [3]


def test_a_newer_version_updates_and_the_old_one_is_kept(app: App, other: App) -> None:
    id = add(app, "One")
    take(other, everything(app))
    for text in ("Two", "Three", "Four"):
        revise_memory(app, ReviseRequest(id, text))
    lines = everything(app)
    assert take(other, lines).updated == 1
    assert take(other, lines).unchanged == 1
    found = memories.get_memory(other.store, id)
    assert found and (found.content, found.version) == ("Four", 4)
    assert [item.memory.content for item in memories.earlier_versions(other.store, id)] == ["One"]


def test_an_older_version_changes_nothing(app: App, other: App) -> None:
    id = add(app, "One")
    old = everything(app)
    revise_memory(app, ReviseRequest(id, "Two"))
    take(other, everything(app))
    assert take(other, old).unchanged == 1
    found = memories.get_memory(other.store, id)
    assert found and found.content == "Two"


def test_a_record_from_a_clock_that_is_ahead_is_taken_once(app: App, other: App) -> None:
    id = add(app, "One")
    take(other, everything(app))
    app.clock = FixedClock(START + 10**9)
    revise_memory(app, ReviseRequest(id, "Two"))
    lines = everything(app)
    assert [take(other, lines).updated for _ in range(3)] == [1, 0, 0]


def test_without_trust_the_same_file_is_foreign_and_changes_nothing_of_ones_own(
    app: App, other: App
) -> None:
    add(app, "One")
    lines = everything(app)
    text = "\n".join(lines)
    assert import_memories(other, ImportRequest(text, piped=True)).added == 1
    assert [memory.trust_tier for memory in memories.all_memories(other.store)] == ["foreign"]
    stolen = [lines[0], lines[1].replace('"version": 1', '"version": 9')]
    refused = import_memories(app, ImportRequest("\n".join(stolen), piped=True))
    assert (refused.updated, refused.failed) == (0, 1)
    assert everything(app) == lines


def test_trying_an_import_changes_nothing(app: App, other: App, tmp_path: Path) -> None:
    add(app, "One")
    lines = everything(app)
    before = everything(other)
    tried = import_memories(other, ImportRequest("\n".join(lines), piped=True, dry_run=True))
    assert (tried.added, tried.dry_run) == (1, True)
    assert everything(other) == before


def test_trying_an_import_of_global_memories_makes_no_store(app: App, tmp_path: Path) -> None:
    record = json.loads(export_format.memory_as_json_line(said())) | {"scope": "global"}
    shutil.copytree(tmp_path / "home/gitmem/stores", tmp_path / "nobody/stores")
    lone = make_app(tmp_path, GITMEM_HOME=str(tmp_path / "nobody"))
    for path in (tmp_path / "nobody").rglob("memory.db*"):
        path.unlink()
    lone.close_stores()
    tried = import_memories(lone, ImportRequest(json.dumps(record), piped=True, dry_run=True))
    assert tried.added == 1
    assert not list((tmp_path / "nobody").rglob("memory.db"))
    lone.close()


def test_a_file_is_written_whole_privately_and_never_over_another(
    app: App, other: App, tmp_path: Path
) -> None:
    from gitmem.errors import Conflict

    add(app, "Ünïcode 😀\u2028line")
    target = tmp_path / "out.jsonl"
    export_memories(app, ExportRequest(str(target)))
    assert target.stat().st_mode & 0o777 == 0o600
    with pytest.raises(Conflict):
        export_memories(app, ExportRequest(str(target)))
    assert import_memories(other, ImportRequest(str(target), trust=True)).added == 1
    assert everything(other) == everything(app)
