"""A small world in which every verb that writes can be interrupted, and what must hold afterwards.

A repository with a store of memories, one of them merged, some of them summarised, and a backup;
``put_back`` makes it as it was in a moment. ``WORK`` says how each verb is called.
"""

from __future__ import annotations

import itertools
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from gitmem.store.db import preflight
from gitmem.store.db.connection import Database
from gitmem.store.file import integrity
from gitmem.store.memory import derived_rows, memories
from tests.support import trees
from tests.support.apps import DAY, Desk, copy_of, small_repo
from tests.support.stores import open_store

DAMAGE = b"Anchored fact", b"Anchored fake"
MARKER = "zqx7marker"  # stands in one memory and nowhere else
LINES = "\n".join(f'{{"content": "Imported {number}"}}' for number in range(5))
# What a verb may change beside the memories, by name: how many there are.
COUNTED = ("versions", "links", "tombstones", "sessions", "suggestions", "consolidations")
State = tuple[Any, ...]


class World:
    """The repository, its desk, and the ids of its memories, the oldest first."""

    def __init__(self, folder: Path, **settings: str) -> None:
        self.folder = folder
        repo = copy_of(small_repo(folder / "model"), folder / "world")
        usual = {"GITMEM_COPY_MODE": "off", "GITMEM_BACKUP_INTERVAL_HOURS": "0"}
        self.desk = Desk(repo.path, repo.home, GITMEM_MODEL="hashed", **(usual | settings))
        self.desk.run("init", no_hooks=True)
        self.ids = [
            self.desk.run("remember", text=f"Fact {number} about redis", tag=(f"t{number}",)).id
            for number in range(6)
        ]
        self.summary = self._summarised()
        self.ids.append(
            self.desk.run("remember", text="Anchored fact", path=("src/cart/cart.py",)).id
        )
        self.ids.append(self.desk.run("remember", text="The cart listens on 6380").id)
        self.joined = self._merged()
        self.marked = self.desk.run("remember", text=f"The {MARKER} is secret", tag=(MARKER,)).id
        self.archived = self.desk.run("remember", text="An archived fact").id
        self.desk.run("backup")
        self.desk.run("forget", id=(self.archived,))
        self.desk.clock.advance(DAY)
        self.now = self.desk.clock.now()
        for number, place in enumerate(self.places):
            trees.copy(place, folder / f"kept-{number}")

    def _summarised(self) -> str:
        for number in range(4):
            text = f"Old fact {number} on queues. {'It was seen in May; nobody came back. ' * 2}"
            self.desk.run("remember", text=text, kind="todo")
        self.desk.clock.advance(40 * DAY)
        made = self.desk.run("summarize", kind=("todo",)).made
        assert len(made) == 1
        return str(made[0].id)

    def _merged(self) -> str:
        item = self.desk.run("remember", text="Ports are in ports.md", by="codex").id
        other = self.desk.run("remember", text="All ports are listed in docs", by="codex").id
        merged = self.desk.run("merge", target=item, source=(other,))
        return str(merged.id if hasattr(merged, "id") else merged)

    @property
    def places(self) -> tuple[Path, Path]:
        """The folders that gitmem writes: of the store, and of the user."""
        return self.desk.place / ".gitmem", self.desk.home / "gitmem"

    def put_back(self, work: str = "") -> None:
        """Make both folders and the clock what they were; ``recover`` needs a damaged store."""
        for number, place in enumerate(self.places):
            shutil.rmtree(place)
            trees.copy(self.folder / f"kept-{number}", place)
            place.chmod(0o700)
        self.desk.clock.advance(self.now - self.desk.clock.now())
        if work == "recover":
            self.desk.store.write_bytes(self.desk.store.read_bytes().replace(*DAMAGE))

    def run(self, work: str) -> Any:
        """Run one of ``WORK``, by its name."""
        verb, values = WORK[work]
        return self.desk.run(verb, **values(self))

    def state(self) -> State:
        """What both stores hold, and at the end what is wrong with them, if anything."""
        return tuple(itertools.chain(*map(held, self.stores)))

    @property
    def stores(self) -> list[Path]:
        """The files of the project's store, and of the user's where there is one, or will be."""
        own = [self.desk.store, self.desk.home / "gitmem" / "global" / "memory.db"]
        return [path for path in own if preflight.store_exists(str(path))]


def held(path: Path) -> State:
    """What one store holds: its memories, how much else, and what is wrong with it."""
    database = open_store(str(path))
    try:
        counts = [database.value(f"SELECT count(*) FROM {table}") for table in COUNTED]
        messages = [
            (memory.title, memory.content, memory.tags, memory.state, memory.pinned, memory.version)
            for memory in memories.all_memories(database)
        ]
        return tuple(sorted(messages)), *counts, *problems(database)
    finally:
        database.close()


def problems(database: Database) -> list[str]:
    """What is wrong with pages, hashes, the index and the derived rows of a store."""
    return [
        *map(str, integrity.structure_problems(database)),
        *map(str, integrity.damaged_memories(database)),
        *map(str, integrity.index_problems(database)),
        *map(str, derived_rows.derived_row_problems(database)),
    ]


Values = Callable[[World], dict[str, Any]]
# The name of a piece of work -> the verb, and its values in a world.
WRITING: dict[str, tuple[str, Values]] = {
    "remember": ("remember", lambda w: {"text": "Something new", "path": ("README.md",)}),
    "remember many": ("remember", lambda w: {"text": LINES, "piped": True}),
    "decide": ("decide", lambda w: {"title": "Use Redis", "why": "It is there"}),
    "revise": ("revise", lambda w: {"id": w.ids[0], "text": "Edited"}),
    "forget": ("forget", lambda w: {"id": (w.ids[0], w.ids[1])}),
    "restore": ("restore", lambda w: {"id": (w.archived,)}),
    "purge": ("purge", lambda w: {"id": (w.ids[0],)}),
    "link": ("link", lambda w: {"source": w.ids[0], "target": w.ids[1]}),
    "merge": ("merge", lambda w: {"target": w.ids[0], "source": (w.ids[1],)}),
    "undo a merge": ("inbox", lambda w: {"action": "undo", "id": (w.joined,)}),
    "summarize": ("summarize", lambda w: {"older_than": "20d"}),
    "undo a summary": ("summarize", lambda w: {"undo": w.summary}),
    "promote": ("promote", lambda w: {"id": (w.ids[0],), "to": "global"}),
    "import": ("import", lambda w: {"source": LINES, "piped": True}),
    "session start": ("session start", lambda w: {"goal": "Try it"}),
    "index": ("index", lambda w: {"full": True}),
    "drain": ("drain", lambda w: {}),
    "upkeep": ("upkeep", lambda w: {}),
    "backup": ("backup", lambda w: {}),
    "restore-backup": ("restore-backup", lambda w: {}),
    "recover": ("recover", lambda w: {}),
    "verify": ("verify", lambda w: {}),
}
READING: dict[str, tuple[str, Values]] = {
    "list": ("list", lambda w: {}),
    "recall": ("recall", lambda w: {"query": "redis"}),
    "search": ("search", lambda w: {"query": "redis"}),
    "orient": ("orient", lambda w: {}),
    "export": ("export", lambda w: {}),
    "status": ("status", lambda w: {}),
    "doctor": ("doctor", lambda w: {}),
}
WORK = WRITING | READING
