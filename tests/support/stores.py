"""Stores and applications for tests: real files, real repositories, nothing left to chance.

app = make_app(tmp_path)                     # a repository, set up, one commit
id = add(app, "Tests need Redis", kind="convention", tag=("redis",))
app.clock.advance(1000)

database = make_store(tmp_path / "own" / "memory.db")   # a store without a repository
keep(database, said("Redis listens on 6380", seed=1))
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from gitmem.app import App
from gitmem.clock import FixedClock
from gitmem.memory import draft
from gitmem.model import ids
from gitmem.model.frozen import replace
from gitmem.model.memory import Memory
from gitmem.operations.remember.remember import RememberRequest, remember
from gitmem.operations.start.init import InitRequest, initialize_repository
from gitmem.settings import AGENT_MARKS, Settings
from gitmem.store.db import preflight, seals
from gitmem.store.db.connection import Database
from gitmem.store.file import adoption, opening, restore
from gitmem.store.file.create import create_store
from gitmem.store.file.registration import KEY_BYTES, Keyring
from gitmem.store.memory import memory_writes
from tests.support.repos import RepoBuilder, isolated_environment

START = 1_700_000_000_000  # 2023-11-14T22:13:20Z
LARGEST = 32_768
DEVICE_BYTES = 16


def entropy(seed: int = 0) -> Callable[[int], bytes]:
    """A source of bytes that look random and are the same on every run."""
    drawn = 0

    def draw(count: int) -> bytes:
        nonlocal drawn
        drawn += 1
        return hashlib.sha256(f"{seed}/{drawn}".encode()).digest()[:count]

    return draw


def environment(home: Path, **variables: str) -> dict[str, str]:
    """An environment in which gitmem keeps everything below ``home`` and no agent is typing."""
    isolated = isolated_environment(home)
    saved = {name: value for name, value in isolated.items() if name not in AGENT_MARKS}
    return saved | {"GITMEM_HOME": str(home / "gitmem")} | variables


def make_repo(tmp_path: Path) -> RepoBuilder:
    """The repository below ``tmp_path``, with one commit; made if it is not there yet."""
    fresh = not (tmp_path / "repo" / ".git").exists()
    repo = RepoBuilder(tmp_path / "repo", init=fresh)
    if fresh:
        repo.commit("First", {"README.md": "# Example\n", "src/app.py": "x = 1\n"})
    return repo


def make_app(
    tmp_path: Path,
    *,
    clock: FixedClock | None = None,
    agent: str = "",
    seed: int = 0,
    ready: bool = True,
    **variables: str,
) -> App:
    """An application in the repository below ``tmp_path``, with a store unless not ``ready``.

    ``variables`` are added to its environment, such as ``GITMEM_STORE_PATH``.
    """
    repo = make_repo(tmp_path)
    app = App(
        Settings(environment(repo.home, **variables)),
        clock or FixedClock(START),
        str(repo.path),
        agent=agent,
        entropy=entropy(seed),
    )
    if ready:
        initialize_repository(app, InitRequest())
    return app


def add(app: App, text: str, **options: Any) -> str:
    """Remember something; its id. ``options`` are fields of ``RememberRequest``."""
    return remember(app, RememberRequest(text, **options)).id


def make_store(path: Path, *, seed: int = 0) -> Database:
    """A new store without a repository around it: really made once per seed, then written again.

    The same seed makes the same bytes, in a third of the time.
    """
    made, keys, draw = _made(seed), keys_of(path), entropy(seed)
    device = draw(DEVICE_BYTES).hex()
    keys.register_store(device, draw(KEY_BYTES))
    preflight.create_store_folder(str(path.parent))
    with path.open("xb") as file:
        file.write(made)
    path.chmod(0o600)
    return open_store(str(path))


def token(seed: int = 0) -> str:
    """The word by which lines beside the store that ``make_store`` makes are known."""
    draw = entropy(seed)
    draw(DEVICE_BYTES)
    return seals.derive_log_line_token(draw(KEY_BYTES))


@cache
def _made(seed: int) -> bytes:
    """The file of a new store, closed."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "store", "memory.db")
        keys = Keyring(str(Path(folder, "stores")))
        create_store(str(path), keys, now_ms=START, random_bytes=entropy(seed)).close()
        return path.read_bytes()


def reopened(database: Database, **options: Any) -> Database:
    """Another connection to the same store."""
    return open_store(database.path, **options)


def keys_of(path: Path) -> Keyring:
    """The key ring of whoever has the store at ``path``.

    That of the home beside the repository, as ``Desk`` and ``make_app`` have it, else a folder
    ``stores`` above the store; one beside its folder where there is none yet.
    """
    for folder in path.parents:
        for place in ("home/gitmem/stores", "home/.local/share/gitmem/stores", "stores"):
            if (folder / place).is_dir():
                return Keyring(str(folder / place))
    # A test's own folder, which pytest numbers, is not left.
    beside = path.parent if path.parent.name[-1].isdigit() else path.parent.parent
    return Keyring(str(beside / "stores"))


def upgraded(path: str) -> Database:
    """Open a store of a gitmem that knew no keys, as its owner does the first time."""
    keys = keys_of(Path(path))
    adoption.adopt_store_as_own(path, keys, random_bytes=os.urandom, keep_index=True)[0].close()
    return open_store(path)


def open_store(path: str, **options: Any) -> Database:
    """Open a store as its owner does."""
    return opening.open_store(path, keys_of(Path(path)), **options)


def go_back(source: str, path: str, aside: str) -> None:
    """Restore a store from a backup as its owner does."""
    restore.restore_store(source, path, aside, keys_of(Path(path)))


def said(text: str = "Redis listens on 6380", *, seed: int = 0, **fields: Any) -> Memory:
    """A memory as if it had just been said. ``fields`` are those of ``Memory``."""
    origin = draft.MemoryOrigin(
        id=ids.new_ulid(START + seed, entropy(seed)(10)), now=START + seed, project="example"
    )
    prepared = draft.prepare_memory(draft.MemoryDraft(text, kind="note"), origin, max_bytes=LARGEST)
    return replace(prepared.memory, **fields)


def keep(database: Database, memory: Memory) -> Memory:
    """Store a memory in a transaction of its own."""
    with database.write():
        return memory_writes.insert_memory(database, memory)


def edited(database: Database, old: Memory, action: str = "revised", **changes: Any) -> Memory:
    """Store a new version of a memory in a transaction of its own."""
    new = replace(old, **changes)
    with database.write():
        return memory_writes.revise_memory(
            database, old, new, at_ms=START + 1000, action=action, agent=""
        )
