"""Searching 100,000 and a million pieces: by words, by meaning, in another worktree.

    python -m tests.bench.scale --keep FOLDER [--questions 60] [--times 10] [--curve]

``--keep`` names the folder that the bench ``warm`` made its store in (its ``--keep``); of nothing
else is measured. With ``--times`` the store is made so many times as large first, for good: copies
of every file, each fifth word of which is one of another piece, with a vector each (0.8 of its own,
0.35 of another's, noise). CPU milliseconds of one process that keeps the store and numpy, as a
server does, so that other programs count little. ``--curve`` says what share of the true ten
nearest is found, by how many vectors are looked at and rescored. Bars: the first search in a new
worktree 2 s, its process and all; hybrid at the median 20 ms to 200,000 pieces, 50 above.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

from gitmem.app import App
from gitmem.embedding import base
from gitmem.indexing import text_vectors, vectors_in_memory
from gitmem.operations.find import search
from gitmem.settings import Settings
from gitmem.store.code import vectors
from tests.bench import grown, measure, stores, warm
from tests.support import cli

FIRST_BAR, HYBRID_BAR, MILLION_BAR = 2000.0, 20.0, 50.0
_MODES = ("keyword", "hybrid")
_PAGES = -16000  # KiB of SQLite's cache, as in a server
_NEAREST = 10


def main() -> int:
    """Run it; the exit status."""
    options = measure.arguments(__doc__ or "", 3)
    options.add_argument("--keep", required=True, type=Path, help="the folder of bench warm")
    options.add_argument("--questions", type=int, default=60)
    options.add_argument("--times", type=int, default=1, help="how many times as large, for good")
    options.add_argument("--curve", action="store_true", help="found by vectors looked at")
    given = options.parse_args()
    place: Path = given.keep
    if given.times > 1:
        grown.grow(place / "repo" / ".gitmem" / "memory.db", given.times)
    print(measure.machine())
    env = stores.environment(place, GITMEM_EMBEDDING_CONTEXTUAL="off")
    query = warm.questions(warm.counted(place / "repo"), given.questions)
    first = _first_searches(place, env, given.runs)
    app = stores.app_in(place / "repo", Settings(env))
    pieces = app.store.value("SELECT count(*) FROM chunks")
    print(f"{pieces} pieces, {app.store.value('SELECT count(*) FROM vectors')} vectors")
    rows = [("first search in a new worktree", min(first), max(first))]
    hybrid = 0.0
    for mode, took in _resident(app, query).items():
        hybrid = measure.median(took)
        rows.append((f"{mode}, p50 and p95", hybrid, measure.percentile(took, 0.95)))
    print(measure.table(("CPU ms", "", ""), rows))
    if given.curve:
        _curve(app, query)
    bar = HYBRID_BAR if pieces <= 200_000 else MILLION_BAR
    over = [("first search", min(first), FIRST_BAR), ("hybrid", hybrid, bar)]
    return measure.verdict([f"{n}: {v:.0f} ms, the bar is {b:g}" for n, v, b in over if v > b])


def _first_searches(place: Path, env: Mapping[str, str], runs: int) -> list[float]:
    """CPU of the first `search` in worktrees that were just made, each a process."""
    found = []
    child = measure.child_environment(env) | {"PYTHONPATH": cli.environment(place)["PYTHONPATH"]}
    for number in range(runs):
        linked = place / f"linked{number}"
        git = ["git", "-C", str(place / "repo"), "worktree"]
        subprocess.run([*git, "add", "-q", "--detach", str(linked)], env=child, check=True)
        command = cli.command("search", "parse a header", "--mode", "keyword")
        found.append(measure.run(command, cwd=linked, env=child)[0])
        subprocess.run([*git, "remove", "--force", str(linked)], env=child, check=True)
    return found


def _resident(app: App, questions: Sequence[str]) -> dict[str, list[float]]:
    app.store.connection.pragma("cache_size", _PAGES)
    base.load_numpy()
    for number, mode in product(range(3), _MODES):
        _ask(app, f"warm up {number}", mode)
    return {mode: [_ask(app, question, mode) for question in questions] for mode in _MODES}


def _ask(app: App, question: str, mode: str) -> float:
    return _cpu(
        lambda: search.search_all_sources(app, search.SearchRequest(query=question, mode=mode))
    )


def _cpu(job: Callable[[], object]) -> float:
    begin = time.process_time()
    job()
    return (time.process_time() - begin) * 1000


# --- what is found ------------------------------------------------------------------------------


def _curve(app: App, questions: Sequence[str]) -> None:
    embedder = text_vectors.configured_embedder(app)
    part = vectors.find_vector_set(app.store, base.model_identity(embedder), "chunk")
    assert part is not None
    vectors_asked = [item for item in embedder.embed(questions, is_query=True) if any(item)]
    saved = vectors_in_memory.load_vectors(app.store, part, embedder.dimension // 8)
    nearest = _exactly(app, part, vectors_asked)
    rows = []
    for count, times in product((400, 800, 1600, 3200), (1, 4, 8, 16, 32)):
        held, took = 0, []
        for question, best in zip(vectors_asked, nearest, strict=True):
            begin = time.process_time()
            found = vectors_in_memory.nearest_rows_with_cosine(
                app.store, saved, question, count, count * times
            )
            took.append((time.process_time() - begin) * 1000)
            held += len(best & {number for number, _ in found[:_NEAREST]})
        share = held / _NEAREST / len(nearest)
        rows.append((f"{count} of {count * times}", f"{share:.3f}", statistics.median(took)))
    print(measure.table(("rescored of looked at", "found", "ms"), rows))


def _exactly(app: App, part: vectors.VectorSet, query: Sequence[bytes]) -> list[set[int]]:
    """The ten nearest of each question by comparing all vectors."""
    numpy: Any = sys.modules["numpy"]
    rows = app.store.rows(f"SELECT id, q8 FROM vectors WHERE id {vectors.LIES_IN}", (part.id,))
    numbers = numpy.array([row[0] for row in rows])
    whole = numpy.frombuffer(b"".join([row[1] for row in rows]), "i1").reshape(len(rows), -1)
    expected = numpy.stack([numpy.frombuffer(item, "i1") for item in query]).astype("f4")
    scores = numpy.empty((len(query), len(rows)), "f4")
    for start in range(0, len(rows), 50_000):
        some = whole[start : start + 50_000].astype("f4")
        lengths = numpy.linalg.norm(some, axis=1)
        lengths[lengths == 0] = 1
        scores[:, start : start + 50_000] = (expected @ some.T) / lengths
    best = numpy.argpartition(-scores, _NEAREST, axis=1)[:, :_NEAREST]
    return [set(numbers[row].tolist()) for row in best]


if __name__ == "__main__":
    sys.exit(main())
