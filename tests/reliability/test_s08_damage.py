"""Damaged files: an error or the truth, never a wrong row, never a crash (S-08)."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest

from gitmem.app import App
from gitmem.errors import GitmemError
from gitmem.model.memory import Memory
from gitmem.operations.find.history import MemoryHistoryRequest, show_memory_history
from gitmem.operations.find.list import ListMemoriesRequest, list_memories
from gitmem.operations.find.recall import RecallRequest, recall_memories
from gitmem.operations.maintenance.doctor import DoctorRequest, check_installation_health
from gitmem.operations.remember.remember import RememberRequest, remember
from gitmem.store.file import opening
from gitmem.store.memory import memories
from tests.reliability.scoring import Score
from tests.support import children
from tests.support.stores import edited, keep, keys_of, make_app, make_repo, make_store, said

pytestmark = children.needs_fork

BATCHES = 5
PAGE = 4096


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Memory]]:
    """A repository, and a store of 80 memories beside it (40 of them edited)."""
    folder = tmp_path_factory.mktemp("whole")
    repo = make_repo(folder)
    # The store's key goes where the commands look for it.
    (repo.home / "gitmem" / "stores").mkdir(parents=True)
    database = make_store(folder / "whole" / "memory.db")
    for seed in range(80):
        text = f"Fact {seed} about redis and the cache. " * (1 + seed % 9)
        stored = keep(database, said(text, seed=seed, title=f"T{seed}", tags=(f"t{seed % 5}",)))
        if seed % 2:
            edited(database, stored, content=text + "Edited.")
    truth = {memory.id: memory for memory in memories.all_memories(database)}
    database.close()
    return folder, truth


def damaged(data: bytes, rng: random.Random) -> bytes:
    """The file with one or several bits, bytes or pages changed, or without its end."""
    spoilt = bytearray(data)
    how = rng.choice(["bit", "bytes", "zeros", "page", "swap", "end"])
    for _ in range(rng.choice([1, 3, 30])):
        place = rng.randrange(100, len(spoilt) - 64)
        page = rng.randrange(1, len(spoilt) // PAGE) * PAGE
        if how == "bit":
            spoilt[place] ^= 1 << rng.randrange(8)
        elif how == "bytes":
            spoilt[place : place + 16] = rng.randbytes(16)
        elif how == "zeros":
            spoilt[place : place + 64] = bytes(64)
    if how == "page":
        spoilt[page : page + PAGE] = bytes(PAGE)
    elif how == "swap":
        spoilt[page : page + PAGE] = spoilt[PAGE : 2 * PAGE]
    elif how == "end":
        del spoilt[rng.randrange(200, len(spoilt)) :]
    return bytes(spoilt)


def examine(folder: Path, path: Path, truth: dict[str, Memory]) -> None:
    """In a child: every command gives a ``GitmemError`` or the truth; doctor sees what is lost."""
    app = make_app(folder, seed=-1, ready=False, GITMEM_STORE_PATH=str(path))
    listed(app, truth)
    recalled(app, truth)
    histories(app, truth)
    lost = not_all_there(folder, path, truth)
    found = check_installation_health(app, DoctorRequest())
    assert found.failed or not lost, f"doctor saw nothing: {lost}"
    try:
        remember(app, RememberRequest("Something new"))
    except GitmemError:
        assert found.failed, "a write failed although all is well"


def listed(app: App, truth: dict[str, Memory]) -> None:
    try:
        shown = list_memories(app, ListMemoriesRequest(state=("any",), limit=1000)).memories
    except GitmemError:
        return
    for item in shown:
        real = truth[item.id]
        assert (item.content, item.title, item.tags) == (real.content, real.title, real.tags)


def recalled(app: App, truth: dict[str, Memory]) -> None:
    for query in ("redis cache", "T7", "*"):
        try:
            shown = recall_memories(app, RecallRequest(query, limit=100)).memories
        except GitmemError:
            continue
        assert all(item.content == truth[item.id].content for item in shown)


def histories(app: App, truth: dict[str, Memory]) -> None:
    for id, real in list(truth.items())[:10]:
        try:
            result = show_memory_history(app, MemoryHistoryRequest(id))
        except GitmemError:
            continue
        assert [step.version for step in result.versions][-1:] == [real.version]


def not_all_there(folder: Path, path: Path, truth: dict[str, Memory]) -> list[str]:
    """The memories that the file no longer gives back as they were."""
    try:
        database = opening.open_store(str(path), keys_of(folder / "whole" / "memory.db"))
    except GitmemError:
        return list(truth)
    lost = []
    for id, real in truth.items():
        try:
            if memories.get_memory(database, id) != real:
                lost.append(id)
        except GitmemError:
            lost.append(id)
    database.close()
    return lost


@pytest.mark.parametrize("batch", range(BATCHES))
def test_damaged_files_give_errors_or_the_truth(
    whole: tuple[Path, dict[str, Memory]], tmp_path: Path, batch: int, score: Score
) -> None:
    files = score.size(quick=3, full=100)
    folder, truth = whole
    data = (folder / "whole" / "memory.db").read_bytes()
    for number in range(files):
        seed = batch * 1000 + number
        path = tmp_path / f"{seed}" / "memory.db"
        path.parent.mkdir(mode=0o700)
        path.write_bytes(damaged(data, random.Random(seed)))
        path.chmod(0o600)
        status = children.run(lambda path=path: examine(folder, path, truth))
        assert status == children.DONE, f"seed {seed}: see standard error"
        assert path.exists()
        shutil.rmtree(path.parent)
    score.report("damaged files, as they are", cases=files, fired=files)


def test_one_changed_letter_in_any_memory_is_found(
    whole: tuple[Path, dict[str, Memory]], tmp_path: Path
) -> None:
    """Structural checks see none of these; the hash sees all."""
    folder, truth = whole
    data = (folder / "whole" / "memory.db").read_bytes()
    rng = random.Random(7)
    places = [at for at in range(len(data) - 5) if data[at : at + 5] == b"redis"]
    for number, place in enumerate(rng.sample(places, 4)):
        path = tmp_path / f"{number}" / "memory.db"
        path.parent.mkdir(mode=0o700)
        path.write_bytes(data[:place] + b"rediz" + data[place + 5 :])
        path.chmod(0o600)
        assert children.run(lambda path=path: examine(folder, path, truth)) == children.DONE
        app = make_app(folder, seed=-1, ready=False, GITMEM_STORE_PATH=str(path))
        states = {
            finding.check: finding.state
            for finding in check_installation_health(app, DoctorRequest()).findings
        }
        assert states["structure"] == "ok"
        assert states["memories"] == "problem"
        app.close()
