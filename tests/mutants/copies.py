"""Copies of the tree in which a change is made and its tests run."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from threading import Lock
from time import perf_counter
from typing import ClassVar

from tests.mutants.changes import ROOT, Change, located

LONGEST = 1_800  # seconds of all tests of one change
_FAILED = re.compile(r"^(?:FAILED|ERROR) (.+?)(?: - .*)?$", re.MULTILINE)
# Python takes a file of the same size and second for the one that it compiled.
_TIMES = count(1_000_000_000, 10)


@dataclass(frozen=True, slots=True)
class Outcome:
    """noticed, survived, late (the tests did not end), or unsure: the test fails without it too.

    ``test`` is the first that failed.
    """

    verdict: str
    test: str
    seconds: float


class Copy:
    """A copy of what git knows or would take in, used by one change after the other."""

    _free: ClassVar[list[Copy]] = []
    _lock: ClassVar[Lock] = Lock()

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="gitmem-mutants-")
        self.root = Path(self._folder.name)
        listed = subprocess.run(
            ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            cwd=ROOT, capture_output=True, text=True, check=True,
        ).stdout  # fmt: skip
        for name in filter(None, listed.split("\0")):
            if (ROOT / name).is_file():
                (self.root / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, self.root / name)

    @classmethod
    @contextmanager
    def borrowed(cls) -> Iterator[Copy]:
        """A copy that nobody uses, made where there is none."""
        with cls._lock:
            copy = cls._free.pop() if cls._free else None
        copy = copy or cls()
        try:
            yield copy
        finally:
            with cls._lock:
                cls._free.append(copy)

    def tried(self, change: Change, tests: tuple[str, ...]) -> Outcome:
        """How some tests end with a change."""
        place = located(change)
        assert place is not None
        path, began = self.root / place.file, perf_counter()
        whole = path.read_text(encoding="utf-8")
        _write(path, whole.replace(place.old, place.new))
        try:
            status, test = self._ended(tests)
        finally:
            _write(path, whole)
        if status == 1 and self._ended((test,))[0] != 0:
            status = 2
        verdict = {0: "survived", 1: "noticed", -1: "late"}.get(status, "unsure")
        return Outcome(verdict, test, perf_counter() - began)

    def _ended(self, tests: tuple[str, ...]) -> tuple[int, str]:
        """The exit status of pytest, and the first test that failed."""
        words = [sys.executable, "-m", "pytest", "-q", "-x", "-n", "0", "--tb=no", "-rfE"]
        own = {"PYTHONPATH": str(self.root), "PYTHONDONTWRITEBYTECODE": "", "CI": "true"}
        try:
            done = subprocess.run(
                [*words, "-p", "no:cacheprovider", *tests], cwd=self.root, env=os.environ | own,
                capture_output=True, text=True, check=False, timeout=LONGEST,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return -1, ""
        failed = _FAILED.search(done.stdout)
        return done.returncode, failed[1] if failed else ""


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")
    at = next(_TIMES)
    os.utime(path, (at, at))
