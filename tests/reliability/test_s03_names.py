"""Names outlive a power cut: each folder is synced after a name was made in it (S-03).

What SQLite does by itself ``test_s03_power_cut`` shows. This is what gitmem does around it: the
store put in its place, its key, the folders of both, backups, exports.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.reliability.scoring import Score
from tests.support.apps import Desk

MAKING = ("mkdir", "link", "rename", "replace")  # the name that they make comes last


@contextmanager
def names_made(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[tuple[str, str]]]:
    """What is made and synced within the block, in order: ``("made" | "synced", path)``."""
    observed: list[tuple[str, str]] = []
    fsync = os.fsync

    def noted(call: Callable[..., Any], place: int) -> Callable[..., Any]:
        def made(*values: Any, **options: Any) -> Any:
            result = call(*values, **options)
            observed.append(("made", os.path.abspath(values[place])))
            return result

        return made

    def synced(descriptor: int) -> None:
        fsync(descriptor)
        observed.append(("synced", os.readlink(f"/proc/self/fd/{descriptor}")))

    with monkeypatch.context() as patch:
        for name in MAKING:
            patch.setattr(os, name, noted(getattr(os, name), 0 if name == "mkdir" else 1))
        patch.setattr(os, "fsync", synced)
        yield observed


def unsynced(observed: list[tuple[str, str]]) -> list[str]:
    """The names whose folder was not synced after they were made.

    Those that were taken away do not count, nor git hooks: those are made again; nor temporary
    folders, as that of what these tests start hooks with.
    """
    return [
        path
        for place, (what, path) in enumerate(observed)
        if what == "made"
        and "/.git/" not in path
        and not os.path.basename(path).startswith("gitmem-")
        and os.path.lexists(path)
        and ("synced", os.path.dirname(path)) not in observed[place:]
    ]


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="asks /proc what was synced")
def test_every_name_that_must_last_is_on_the_disk(
    bare_desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, score: Score
) -> None:
    with names_made(monkeypatch) as observed:
        bare_desk.run("init", no_index=True)
        bare_desk.run("remember", text="Redis listens on 6380", scope="global")
        bare_desk.run("backup")
        bare_desk.run("export", target=str(tmp_path / "out.jsonl"))
    made = [Path(path).name for what, path in observed if what == "made"]
    assert {".gitmem", "stores", "key", "memory.db", "out.jsonl", "post-commit"} <= set(made)
    assert unsynced(observed) == []
    score.report("names of files and folders", cases=len(made), fired=len(made))
