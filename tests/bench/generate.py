"""Repositories and stores to measure in, the same on every run.

A store is filled through the door users come through (``draft.prepare_memory``,
``save.store_or_reinforce_memory``), 200 memories a transaction. Words follow Zipf's law: word
number r of the vocabulary stands at one place in ``11 * r``, so the tests know which words are rare
and which stand nearly everywhere.
"""

from __future__ import annotations

import itertools
import random
import subprocess
from collections.abc import Iterator
from pathlib import Path

from gitmem.app import App
from gitmem.capture.save import MemoryReadyToStore, store_or_reinforce_memory
from gitmem.clock import FixedClock, SystemClock
from gitmem.freshness import anchor_verdict, anchoring
from gitmem.memory.draft import MemoryDraft, MemoryOrigin, prepare_memory
from gitmem.model.frozen import replace
from gitmem.operations.start import init
from gitmem.settings import Settings
from gitmem.store.db import projects
from gitmem.store.memory.branch_visibility import HiddenMemories
from tests.support.repos import isolated_environment

MEMORIES = 50_000
BATCH = 200
DAY = 86_400_000
WORDS = 20_000
_KINDS = ("note", "convention", "fix", "problem", "workflow", "decision", "observation", "pattern")
_TAGS = ("api", "auth", "build", "cache", "ci", "database", "docs", "performance", "tests", "ui")
_CONSONANTS, _VOWELS = "bcdfghjklmnprstvwz", "aeiou"


def vocabulary() -> list[str]:
    """Words one can pronounce, the most frequent first; short ones come early, as in English."""
    pairs = [c + v for c in _CONSONANTS for v in _VOWELS]
    random.Random(7).shuffle(pairs)
    words = (
        "".join(parts) + end
        for length in (2, 3)
        for parts in itertools.product(pairs, repeat=length)
        for end in ("x",)
    )
    return list(itertools.islice(words, WORDS))


def identifiers() -> list[str]:
    """Names as programs hold them."""
    words = vocabulary()[1000:1400]
    camel = [f"{a}{b.title()}" for a, b in zip(words[::2], words[1::2], strict=True)]
    snake = [f"{a}_{b}" for a, b in zip(words[1::2], words[::2], strict=True)]
    return camel + snake


def drafts(count: int, seed: int = 1) -> Iterator[MemoryDraft]:
    """What people and agents say: a sentence or a few, some with a title, tags, a path, a name."""
    rng = random.Random(seed)
    words, names = vocabulary(), identifiers()
    weights = list(itertools.accumulate(1 / rank for rank in range(1, len(words) + 1)))
    for _ in range(count):
        result = rng.choices(words, cum_weights=weights, k=rng.randint(8, 55))
        if rng.random() < 0.3:
            result.insert(rng.randrange(len(result)), rng.choice(names))
        kind = rng.choice(_KINDS)
        folder = words[rng.randrange(40)]
        yield MemoryDraft(
            content=" ".join(result) + ".",
            title=" ".join(result[:5]) if kind == "decision" or rng.random() < 0.3 else "",
            kind=kind,
            tags=tuple(rng.sample(_TAGS, rng.randint(0, 3))),
            paths=(f"src/{folder}/{rng.choice(words[:300])}.py",) if rng.random() < 0.4 else (),
            weight=rng.choice((1, 2, 3, 3, 3, 4, 5)),
            pinned=rng.random() < 0.0003,
            status=rng.choice(("proposed", "accepted", "accepted", ""))
            if kind == "decision"
            else "",
        )


def store(
    repository: Path,
    home: Path,
    count: int = MEMORIES,
    anchored: int = 0,
    proposed: int | None = None,
    seed: int = 1,
) -> Path:
    """Set up gitmem in a repository and fill its store; the store's path.

    The memories were said evenly over the last 400 days; ``anchored`` of them cite a line, of each
    100 ``proposed`` are decisions that wait for a word (3, if it is not given).
    """
    settings = Settings(isolated_environment(home))
    now = SystemClock().now()
    clock = FixedClock(now - 400 * DAY)
    app = App(settings, clock, str(repository), entropy=random.Random(seed + 2).randbytes)
    try:
        init.initialize_repository(app, init.InitRequest())
        step = 400 * DAY // count
        message = (
            replace(draft, paths=(f"src/part{number % 8}/file{number % 200}.py:1",))
            if anchored and not number % (count // anchored)
            else draft
            for number, draft in enumerate(_waiting(drafts(count, seed), proposed))
        )
        while batch := list(itertools.islice(message, BATCH)):
            with app.store.write() as database:
                for draft in batch:
                    clock.advance(step)
                    origin = MemoryOrigin(
                        app.new_id(), app.now, app.project_identity.key, branch="main"
                    )
                    ready = prepare_memory(draft, origin, max_bytes=32_768)
                    cites = ":" in "".join(draft.paths)
                    made = anchoring.make_code_anchors(app, ready.memory).anchors if cites else ()
                    store_or_reinforce_memory(
                        app, MemoryReadyToStore(database, ready.memory, HiddenMemories(), made)
                    )
        anchor_verdict.refresh_cited_code_freshness(app, app.store)
        with app.store.write():
            # Else the first command would start a backup, or what fades, in the background.
            for chore in ("backup_at", "decay_at"):
                projects.set_meta(app.store, chore, str(now))
        return Path(app.store_path)
    finally:
        app.close()


def _waiting(drafts: Iterator[MemoryDraft], proposed: int | None) -> Iterator[MemoryDraft]:
    """The drafts; of each 100 so many are proposed decisions, and no others."""
    for number, draft in enumerate(drafts):
        if proposed is not None and number % 100 < proposed:
            title = draft.title or draft.content[:40]
            draft = replace(draft, kind="decision", status="proposed", title=title)
        elif proposed is not None and draft.status == "proposed":
            draft = replace(draft, status="accepted")
        yield draft


def repository(path: Path, commits: int, *, files: int = 200, end: int | None = None) -> None:
    """A repository of ``commits`` commits by ``git fast-import``, its work tree checked out.

    Whatever the length of the history, the work tree holds the same ``files`` files. The last
    commit is at ``end`` (seconds; a day ago if not given), one an hour before it.
    """
    path.mkdir(parents=True)
    env = isolated_environment(path.parent / "home")
    _git(path, env, "init", "-q", "-b", "main")
    last = end if end is not None else SystemClock().now() // 1000 - 86_400
    _git(path, env, "fast-import", "--quiet", stdin=_history(commits, files, last))
    _git(path, env, "reset", "-q", "--hard", "main")
    _git(path, env, "commit-graph", "write", "--reachable", "--no-progress")


def grow(path: Path, commits: int) -> None:
    """Add commits to a repository that ``repository`` made, one a minute up to now."""
    env = isolated_environment(path.parent / "home")
    first = SystemClock().now() // 1000 - commits * 60
    parts = []
    for number in range(commits):
        origin = b"from refs/heads/main^0\n" if not number else b""
        parts.append(_commit(number, first + number * 60, origin, [_change(number)]))
    _git(path, env, "fast-import", "--quiet", stdin=b"".join(parts))
    _git(path, env, "reset", "-q", "--hard", "main")


def _history(commits: int, files: int, last: int) -> bytes:
    parts = []
    for number in range(commits):
        when = last - (commits - number) * 3600
        changes = [_change(number % files)]
        if not number:
            changes = [_change(file) for file in range(files)]
        parts.append(_commit(number, when, b"", changes))
    return b"".join(parts)


def _change(number: int) -> tuple[str, bytes]:
    return f"src/part{number % 8}/file{number}.py", b"x = %d\n" % number


def _commit(number: int, when: int, origin: bytes, changes: list[tuple[str, bytes]]) -> bytes:
    who = f"Author {number % 7} <a{number % 7}@example.org> {when} +0000".encode()
    message = f"Change number {number}\n".encode()
    lines = [b"commit refs/heads/main\n", b"committer " + who + b"\n", _data(message), origin]
    for name, content in changes:
        lines.append(f"M 100644 inline {name}\n".encode() + _data(content + b"# %d\n" % number))
    return b"".join([*lines, b"\n"])


def _data(content: bytes) -> bytes:
    return b"data %d\n" % len(content) + content + b"\n"


def _git(path: Path, env: dict[str, str], *args: str, stdin: bytes = b"") -> None:
    subprocess.run(["git", *args], cwd=path, env=env, input=stdin, check=True)
