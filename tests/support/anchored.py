"""A repository with code that memories stand on, looked at anew each time as commands do.

ground = Anchored(tmp_path)
memory = ground.cite("src/server.py:5-8")
ground.repo.git("mv", "src/server.py", "src/web.py")
assert ground.verdict(memory).verdict == "moved"
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from gitmem.app import App
from gitmem.freshness import anchor_verdict, anchoring
from gitmem.model.anchor import CitedCodeVerdict, CodeAnchor, Freshness
from gitmem.model.memory import Memory
from gitmem.operations.maintenance.index import IndexRequest, index_repository
from gitmem.operations.start.init import InitRequest, initialize_repository
from gitmem.store.memory import anchors
from tests.support import moved
from tests.support.stores import keep, make_app, make_repo, said

SERVER = '''"""The server."""

import socket


class Server:
    def __init__(self, host, port=6380):
        self.address = (host, port)

    def start(self, backlog=5):
        listener = socket.create_server(self.address)
        listener.listen(backlog)
        return listener

    def stop(self, listener):
        listener.close()


def serve_forever(server):
    listener = server.start(backlog=50)
    while True:
        connection, address = listener.accept()
        connection.sendall(b"hello " + repr(address).encode())
'''
START, END = 10, 13  # the lines of Server.start
SPAN = f"src/server.py:{START}-{END}"
BLOCK = "\n".join(SERVER.split("\n")[START - 1 : END]) + "\n"
COMMITS = 2


class Anchored:
    """A repository with ``src/server.py``, committed; indexed if wanted."""

    def __init__(self, tmp_path: Path, *, indexed: bool = True) -> None:
        self.folder = tmp_path
        self._count = 0
        moved.copy(Path(_model(indexed).name), tmp_path)
        self.repo = make_repo(tmp_path)
        self.repo.go_on_after(COMMITS)

    @classmethod
    def built(cls, folder: Path, *, indexed: bool) -> Anchored:
        """The same in an empty folder, without the copying."""
        made = cls.__new__(cls)
        made.folder = folder
        made._count = 0
        made.repo = make_repo(folder)
        made.repo.commit("Serve", {"src/server.py": SERVER, "src/other.py": "other = 1\n"})
        with made.app() as app:
            initialize_repository(app, InitRequest(no_index=True, no_hooks=True))
        if indexed:
            made.index()
        return made

    @contextmanager
    def app(self) -> Iterator[App]:
        """An App as the next command has it."""
        app = make_app(self.folder, ready=False, seed=self._count)
        try:
            yield app
        finally:
            app.close()

    def index(self) -> None:
        """Bring the index up to date, as the hooks do after a commit."""
        with self.app() as app:
            index_repository(app, IndexRequest())

    def write(self, path: str, text: str) -> None:
        """Write a file without committing it."""
        self.repo.write({path: text})

    def commit(self, files: dict[str, str] | None = None) -> str:
        """Commit everything, and index it."""
        made = self.repo.commit("Next", files)
        self.index()
        return made

    def cite(self, *paths: str, **options: Any) -> Memory:
        """A memory that cites some places, stored with its anchors."""
        self._count += 1
        memory = said(f"fact {self._count}", seed=self._count, paths=paths)
        with self.app() as app:
            made = anchoring.make_code_anchors(app, memory, **options)
            stored = keep(app.store, memory)
            with app.store.write():
                anchors.replace_anchors(app.store, memory.id, made.anchors)
        return stored

    def made(self, *paths: str, **options: Any) -> anchoring.AnchoringResult:
        """The anchors for some places, not stored."""
        with self.app() as app:
            return anchoring.make_code_anchors(app, said(paths=paths), **options)

    def judged(self, *memories: Memory, **options: Any) -> dict[str, Freshness]:
        """What the next command finds about some memories."""
        with self.app() as app:
            return anchor_verdict.freshness_by_memory(app, app.store, memories, **options)

    def verdict(self, memory: Memory, **options: Any) -> CitedCodeVerdict:
        """The verdict on a memory's only anchor."""
        (found,) = self.judged(memory, **options)[memory.id].anchors
        return found

    def blame(self, memory: Memory) -> str:
        """The commit that is blamed for what became of a memory's only anchor."""
        found = self.verdict(memory)
        with self.app() as app:
            return anchor_verdict.find_breaking_commit(app, found, self.anchor(app, memory))

    def anchor(self, app: App, memory: Memory) -> CodeAnchor:
        """A memory's only anchor, with its fingerprint."""
        (item,) = anchors.anchors_by_memory(app.store, [memory.id])[memory.id]
        return item


@cache
def _model(indexed: bool) -> TemporaryDirectory[str]:
    """The folder that is copied; it goes when the process ends."""
    saved = TemporaryDirectory(prefix="gitmem-test-")
    Anchored.built(Path(saved.name), indexed=indexed)
    return saved
