"""What is read at all: secrets are taken out of it, and large files share what one run reads."""

from __future__ import annotations

import pytest

from gitmem.indexing import chunk_tasks, file_filter
from gitmem.store.code.redacted_source import RedactedSource
from tests.indexing.conftest import Bench
from tests.support.secrets import SECRET, leaked

LINE = "x = 1\n"


def test_what_is_cut_was_redacted() -> None:
    ((*_, data),) = chunk_tasks._tasks("a", [("code/1", "a.py")], f"x = '{SECRET}'\n".encode())
    assert isinstance(data, RedactedSource)
    assert not leaked(data)


def test_large_files_share_what_one_run_reads(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_filter, "LARGE", 600)
    monkeypatch.setattr(file_filter, "LARGE_TOGETHER", 2_000)
    small, large = LINE * 100, LINE * 120
    files = {f"small{number}.txt": f"{small[:-6]}{number}\n" for number in range(9)}
    files |= {f"large{number}.txt": f"{number}\n{large}" for number in range(4)}
    bench.repo.commit("Tracked", dict(list(files.items())[:11]))
    bench.repo.write(dict(list(files.items())[11:]))
    done = bench.run()
    assert (done.added, done.skipped_counts) == (11, {"too many large files": 2})
    again = bench.run()
    assert (again.kept, again.skipped_counts) == (11, {"too many large files": 2})
