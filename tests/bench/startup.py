"""What a command costs as a whole process, in a store of 50,000 memories, 5,000 of them anchored.

    python -m tests.bench.startup [--runs 15] [--script PATH] [--keep FOLDER] [--proposed 1]

Prints CPU milliseconds (the process and its git children) and the ratio to ``python -c pass`` by
the same interpreter in the same run. The bar is 10 for ``orient`` and keyword ``recall`` (6 is the
aim), 18 for ``recall`` by words and meaning; for the hook that begins an agent's session it is 10
between the medians; the others are shown. What is started is the console
script beside the interpreter, if gitmem is installed there, else ``python -m gitmem``. Install it
as users do (``pip install .``): an editable install adds an import hook to every start. ``--keep``
names a folder that is filled once and used again. ``--proposed`` says how many memories of each 100
wait for a word (3, if it is not given): few and none are found by different indexes.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from gitmem.clock import SystemClock
from gitmem.embedding.registry import open_embedder
from gitmem.indexing import text_vectors
from gitmem.store.db.connection import Database
from gitmem.store.memory import memories, memory_writes
from tests.bench import generate, measure
from tests.support.repos import isolated_environment
from tests.support.stores import open_store

BAR, BAR_OF_MEANING = 10.0, 18.0
COMMITS, NEW_COMMITS = 400, 12
_BARE = "python -c pass"
_HOOK = "hook claude-code session-start"
_HOOK_AGAIN = "the same, told before"
FACT = "The build needs two minutes and a warm cache"


def questions() -> dict[str, str]:
    """A question of each sort; the words' places in the vocabulary say how frequent they are."""
    words = generate.vocabulary()
    sentence = "which {} does the {} use when the {} {} is {}".format(
        *(words[rank] for rank in (40, 3000, 12, 700, 150))
    )
    return {
        "recall, rare words": f"{words[9000]} {words[15000]}",
        "recall, common words": f"{words[4]} {words[11]} {words[29]}",
        "recall, one common word": words[2],
        "recall, question": sentence,
        "recall, identifier": generate.identifiers()[17],
        "recall, no such word": "qqqqq",
    }


def main() -> int:
    """Run it; the exit status."""
    options = measure.arguments(__doc__ or "", 15)
    options.add_argument("--script", help="the gitmem to start")
    options.add_argument("--keep", help="a folder to make the store in, or that holds one")
    options.add_argument("--memories", type=int, default=generate.MEMORIES)
    options.add_argument("--proposed", type=int, help="of each 100 memories so many are proposed")
    given = options.parse_args()
    with tempfile.TemporaryDirectory(
        prefix="gitmem-bench-", ignore_cleanup_errors=True
    ) as temporary:
        place = Path(given.keep or temporary)
        repository = place / "repo"
        if not repository.exists():
            generate.repository(repository, COMMITS)
            filled = generate.store(
                repository,
                place / "home",
                given.memories,
                given.memories // 10,
                given.proposed,
            )
            _embed(filled)
            generate.grow(repository, NEW_COMMITS)
        start = measure.gitmem(given.script)
        timings = measure.sample(
            _jobs(start) | _hooks(start, place),
            given.runs,
            cwd=repository,
            env=measure.child_environment(isolated_environment(place / "home")),
            before=lambda name: _prepare(repository, name) or _call(place, name),
        )
    print(measure.machine())
    commits = COMMITS + NEW_COMMITS
    print(f"{given.memories} memories, a tenth of them anchored, {commits} commits")
    print(" ".join(start))
    bare, middle = timings[_BARE].least, measure.median(timings[_BARE].cpu)
    hook = measure.median(timings[_HOOK].cpu)
    rows = [
        (name, item.least, measure.median(item.cpu), min(item.wall), f"{item.least / bare:.2f}")
        for name, item in timings.items()
    ]
    print(measure.table(("", "CPU min", "CPU median", "wall min", "ratio"), rows))
    print(f"{_HOOK}: {hook / middle:.2f} times a bare Python, by medians")
    return measure.verdict(
        [
            f"{name}: {item.least / bare:.1f} times a bare Python, the bar is {bar:g}"
            for name, item in timings.items()
            if (bar := _bar(name)) and item.least > bar * bare
        ]
        + [f"{_HOOK}: {hook / middle:.1f} times, the bar is {BAR:g}"] * (hook > BAR * middle)
    )


def _bar(name: str) -> float | None:
    if name.startswith("hybrid"):
        return BAR_OF_MEANING
    return BAR if name.startswith(("orient", "recall")) else None


def _embed(path: Path) -> None:
    """Give all memories their vectors, as an index run does."""
    database = open_store(str(path))
    embedder = open_embedder("builtin")
    while text_vectors.embed_memories(database, embedder):
        pass
    database.close()


def _jobs(start: list[str]) -> dict[str, list[str]]:
    interpreter = str(Path(start[0]).with_name("python3"))
    if not Path(interpreter).exists():
        interpreter = sys.executable
    return {
        _BARE: [interpreter, "-c", "pass"],
        "--version": [*start, "--version"],
        "orient, first": [*start, "orient"],
        "orient, returning": [*start, "orient"],
        "orient, just here": [*start, "orient"],
        **{
            name: [*start, "recall", text, "--mode", "keyword"]
            for name, text in questions().items()
        },
        **{f"hybrid {name}": [*start, "recall", text] for name, text in questions().items()},
        "status": [*start, "status"],
        "remember": [*start, "remember", FACT],
    }


def _hooks(start: list[str], place: Path) -> dict[str, list[str]]:
    """Hooks as a host starts them: by a shell, with the payload on standard input."""
    script = f'exec "$@" < "{place / "payload.json"}"'
    command = ["/bin/sh", "-c", script, "sh", *start, "hook", "claude-code", "session-start"]
    return {_HOOK: command, _HOOK_AGAIN: command}


def _call(place: Path, name: str) -> None:
    """Write the payload of a hook: each time a new session, but for the second call."""
    path = place / "payload.json"
    if name != _HOOK:
        return
    message = {
        "session_id": f"bench-{SystemClock().now()}",
        "transcript_path": str(place / "transcript.jsonl"),
        "cwd": str(place / "repo"),
        "hook_event_name": "SessionStart",
        "source": "startup",
    }
    path.write_text(json.dumps(message))


def _prepare(repository: Path, name: str) -> None:
    """Bring the store into the state in which the job is to find it."""
    if not name.startswith(("orient", "remember")):
        return
    database = open_store(str(repository / ".gitmem" / "memory.db"))
    try:
        if name == "remember":
            _forget(database, FACT)
        if name == "orient, first":
            database.run("DELETE FROM presence")
        if name == "orient, returning":
            _was_here(database, repository)
    finally:
        database.close()


def _forget(database: Database, content: str) -> None:
    """Remove what the last run remembered, so that each run adds a new memory."""
    for (id,) in database.rows("SELECT id FROM memories WHERE content = ?", (content,)):
        memory = memories.get_memory(database, id)
        assert memory is not None
        with database.write():
            memory_writes.purge_memory(database, memory.id, at_ms=SystemClock().now())


def _was_here(database: Database, repository: Path) -> None:
    """Somebody oriented three days ago, before the newest commits."""
    command = ["git", "rev-parse", f"HEAD~{NEW_COMMITS}"]
    done = subprocess.run(command, cwd=repository, capture_output=True, text=True, check=True)
    observed = SystemClock().now() - 3 * generate.DAY
    database.run(
        "UPDATE presence SET seen_at = ?, head = ?, base_at = NULL, base_head = ''",
        (observed, done.stdout.strip()),
    )


if __name__ == "__main__":
    sys.exit(main())
