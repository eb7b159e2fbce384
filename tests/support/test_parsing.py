"""A forked parser does what a started one does, and leaves as little behind."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from gitmem.indexing import worker_pool
from tests.support import forking, parsing
from tests.support.children import runs

if TYPE_CHECKING:
    from gitmem.indexing.worker import Result, Task

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="forks")
FILES = {"a.py": "python", "b.js": "javascript", "c.unknown": ""}
TEXT = "def f(x):\n    return x\n\n\nclass C:\n    pass\n"


def cut() -> list[Result]:
    tasks: list[Task] = [
        (f"{number:040x}", "code/2/python/1", language, path, TEXT.encode())
        for number, (path, language) in enumerate(FILES.items())
    ]
    return [result for _, results in worker_pool.split_batches([tasks], 1) for result in results]


def test_what_comes_out_is_what_a_started_one_finds(monkeypatch: pytest.MonkeyPatch) -> None:
    forked = cut()
    monkeypatch.setattr(worker_pool._WorkerProcess, "_started", parsing.ORDINARY)
    assert forked == cut()
    assert [item[0] for item in forked[0][3]] == ["f", "C"]


def test_a_forked_command_asks_for_one_and_alone_starts_its_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    forked = cut()
    for address, made in ((parsing.address(), parsing.Forked), ("nobody", subprocess.Popen)):
        monkeypatch.setattr(worker_pool._WorkerProcess, "_started", None)
        name = worker_pool.__name__
        with monkeypatch.context() as loaded_again:
            loaded_again.setattr(sys, "meta_path", [forking.Borrows(address), *sys.meta_path])
            loaded_again.delitem(sys.modules, name)
            # What an import makes of the package is put back too, or later tests meet two pools.
            loaded_again.setattr(sys.modules["gitmem.indexing"], "worker_pool", worker_pool)
            importlib.import_module(name)
        child = worker_pool._WorkerProcess(worker_pool.LIMITS)._started()
        assert isinstance(child, made)
        child.kill()
        child.wait()
        for stream in (child.stdin, child.stdout):
            stream.close()
        assert forked == cut()


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_a_fork_ends_when_it_is_killed_and_is_buried_when_it_is_waited_for() -> None:
    hand = worker_pool._WorkerProcess(worker_pool.LIMITS)
    child = hand._started()
    assert isinstance(child, parsing.Forked) and runs(child.pid)
    child.kill()
    child.wait()
    assert not os.path.exists(f"/proc/{child.pid}")
    child.kill()
    child.wait()
    for stream in (child.stdin, child.stdout):
        stream.close()
