"""Stores that the retrieval benchmarks ask: made once by the operations users call, and kept.

A benchmark's documents lie in folders or files that must not be touched, so they are copied to a
place of the benchmark's own, and gitmem is set up there. Whatever decides what is in a store (the
cutting, the text rules, the schema) is part of the name of its folder: a run after a change makes
its stores anew, and a run after a change of the ranking uses the ones that are there.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from gitmem.app import App
from gitmem.clock import SystemClock
from gitmem.indexing import refresh
from gitmem.operations.maintenance import index
from gitmem.operations.start import init
from gitmem.setting_table import BY_KEY
from gitmem.settings import Settings
from tests.support.repos import CONTEXTUAL, isolated_environment

_ROOT = Path(__file__).parents[2]
# Whose code decides what a store holds. Not: store, search, operations, which ask it.
_MAKERS = (
    "gitmem/indexing",
    "gitmem/embedding",
    "gitmem/text",
    "gitmem/store/db/schema",
)
WITHOUT = "search.without"


def makers() -> str:
    """A short mark of the code that decides what a store holds."""
    digest = hashlib.sha256()
    for name in _MAKERS:
        place = _ROOT / name
        files = sorted(place.rglob("*.*")) if place.is_dir() else [place]
        for file in files:
            if file.suffix in (".py", ".sql"):
                digest.update(file.name.encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()[:12]


@contextmanager
def home(keep: str | None) -> Iterator[Path]:
    """The folder of all stores made by the code as it is: below ``keep``, else a temporary one."""
    if keep:
        place = Path(keep).resolve() / makers()
        place.mkdir(parents=True, exist_ok=True)
        yield place
    else:
        with tempfile.TemporaryDirectory(prefix="gitmem-bench-") as temporary:
            yield Path(temporary)


def environment(place: Path, **variables: str) -> dict[str, str]:
    """What git and gitmem see: a home below ``place``, and clones of another user are read."""
    env = isolated_environment(place / "home")
    (place / "home" / ".gitconfig").write_text("[safe]\n\tdirectory = *\n")
    # Unlike tests, a bench measures the models that a user has.
    del env[CONTEXTUAL]
    return env | {"GITMEM_HOME": str(place / "home" / "gitmem")} | variables


def settings(place: Path, without: str = "", contextual: str = "") -> Settings:
    """The settings of a run; ``without`` names parts of the ranking, joined by commas.

    ``contextual`` says who asks the contextual model; empty: as without a setting.
    """
    variables = {"GITMEM_EMBEDDING_CONTEXTUAL": contextual} if contextual else {}
    if without and WITHOUT in BY_KEY:
        variables[BY_KEY[WITHOUT].environment_variable] = without
    elif without:
        print(f"warning: there is no setting {WITHOUT}, so nothing is left out", file=sys.stderr)
    return Settings(environment(place, **variables))


def app_in(folder: Path, given: Settings) -> App:
    """gitmem as started in a folder."""
    return App(given, SystemClock(), str(folder))


@contextmanager
def being_made(place: Path) -> Iterator[Path | None]:
    """The folder to make something in, or None where it is made already.

    Only what was made to the end gets its name, so a run that is stopped leaves no half.
    """
    if place.exists():
        yield None
        return
    half = place.with_name(place.name + ".half")
    shutil.rmtree(half, ignore_errors=True)
    half.mkdir(parents=True)
    yield half
    half.rename(place)


def copy_tree(source: Path, target: Path, only: str = "") -> None:
    """A repository without commits that tracks every file of ``source`` (or of a folder in it).

    Tracked, as in a clone: a file that the repository's own ignore patterns name stays in.
    """
    shutil.copytree(source / only, target / only, symlinks=True, dirs_exist_ok=True)
    empty_repository(target)
    env = isolated_environment(target.parent / "home")
    git(target, env, "-c", "core.autocrlf=false", "add", "-f", "-A")


def empty_repository(folder: Path) -> None:
    """A repository without commits around whatever the folder holds."""
    git(folder, isolated_environment(folder.parent / "home"), "init", "-q", "-b", "main")


def git(folder: Path, env: dict[str, str], *args: str, stdin: bytes = b"") -> bytes:
    """Standard output of a git command that must succeed."""
    done = subprocess.run(
        ["git", *args], cwd=folder, env=env, input=stdin, check=True, capture_output=True
    )
    return done.stdout


def set_up(app: App, *, folder: bool = False) -> None:
    """A store, without index and hooks; nothing to do where there is one."""
    init.initialize_repository(app, init.InitRequest(no_index=True, no_hooks=True, folder=folder))


def refreshed(app: App) -> refresh.IndexRun:
    """Bring the index up to date, as `gitmem index` does."""
    return index.index_repository(app, index.IndexRequest())


def count(app: App, table: str) -> int:
    """Rows of a table of the store."""
    return int(app.store.value(f"SELECT count(*) FROM {table}"))


def rows(path: str | Path) -> list[dict[str, Any]]:
    """The objects of a JSON Lines file, packed or not."""
    opened = gzip.open if str(path).endswith(".gz") else open
    with opened(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.strip()]


def write_rows(path: str, records: Iterable[dict[str, Any]]) -> None:
    """A JSON Lines file; the folder it lies in is made."""
    Path(path).resolve().parent.mkdir(parents=True, exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(json.dumps(record) + os.linesep for record in records)
