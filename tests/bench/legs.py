"""Whether a search gains by its two legs, words and meaning, in two threads (CE-41).

    python -m tests.bench.legs REPOSITORY

REPOSITORY has an index. Subjects of its commits are asked, each leg with a store of its own, one
after the other and in two threads by turns, in one process: wall clock and CPU of each way.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

from gitmem.app import App
from gitmem.clock import SystemClock
from gitmem.retrieval import repository_search
from gitmem.retrieval.question import FileScope
from gitmem.retrieval.repository_search import SearchSources
from gitmem.settings import Settings

FILES = SearchSources(FileScope(frozenset(("code", "notes"))), commits=True, memories=False)
QUESTIONS, WARM = 60, 5


def leg(app: App, text: str, mode: str) -> None:
    """The candidates of one leg: keyword or semantic."""
    question = repository_search.prepare_question(
        app, text, 10, mode=mode, embed_new_memories=False
    )
    repository_search.rank_hits(app, question, FILES, mode=mode, fusion_method="score")


def main() -> None:
    """Print the medians."""
    place = Path(sys.argv[1])
    first, second = (App(Settings(dict(os.environ)), SystemClock(), str(place)) for _ in range(2))
    log = ("git", "-C", str(place), "log", "--format=%s", f"-{QUESTIONS + WARM}")
    subjects = subprocess.run(log, capture_output=True, text=True, check=True).stdout.splitlines()

    def in_turn(text: str) -> None:
        leg(first, text, "keyword")
        leg(second, text, "semantic")

    def in_threads(text: str) -> None:
        other = threading.Thread(target=leg, args=(second, text, "semantic"))
        other.start()
        leg(first, text, "keyword")
        other.join()

    ways: dict[str, Callable[[str], None]] = {
        "words alone": lambda text: leg(first, text, "keyword"),
        "meaning alone": lambda text: leg(second, text, "semantic"),
        "in turn": in_turn,
        "in two threads": in_threads,
    }
    took: dict[str, list[tuple[float, float]]] = {name: [] for name in ways}
    for number, subject in enumerate(subjects):
        for name, way in ways.items():
            wall, cpu = time.perf_counter(), time.process_time()
            way(subject)
            if number >= WARM:
                took[name].append((time.perf_counter() - wall, time.process_time() - cpu))
    for name, pairs in took.items():
        wall, cpu = (1000 * median(column) for column in zip(*pairs, strict=True))
        print(f"{name:>14}: wall {wall:6.1f} ms, CPU {cpu:6.1f} ms")


if __name__ == "__main__":
    main()
