"""What a question costs a resident ``gitmem mcp`` whose store holds 100,000 pieces of files.

    python -m tests.bench.warm [--corpus FOLDER ...] [--chunks 100000] [--questions 120]
                               [--keep FOLDER] [--json FILE]
                               [--against CHECKOUT ...] [--memories 0]

The repository is made of the text files of the corpus folders, or of generated ones; `gitmem index`
cuts and embeds them. A client asks over stdio, one question after the other, each only once for
each mode: one to five words of the corpus, frequent ones, rare ones and identifiers. Wall
milliseconds from the line that asks to the line that answers, which is what gitmem takes; beside it
the same with the SDK's own Python client, which also checks and unpacks each answer. The bars at
the median, at the line: 15 by words, 30 by words and meaning.

With ``--against`` servers of other checkouts, each with its own ``.venv`` and store, are asked the
same: each question of all of them in turn, so that a slow minute of the machine hits all alike.
Told are wall and CPU milliseconds, the ratios of this checkout to each, and each server's memory.
``--memories`` keeps so many and has them read by the contextual model, so that servers load it.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path

from gitmem.retrieval.present_text import SLACK_MS
from tests.bench import generate, measure
from tests.mcp.peers import Connected, connected
from tests.support import cli
from tests.support.stores import open_store

BARS = {"keyword": 15.0, "hybrid": 30.0}
CHUNKS = 100_000
# Of an environment: the interpreter that runs gitmem.
_PYTHON = "BENCH_PYTHON"
# Characters of a piece, about; a few more files than needed do no harm.
_PIECE = 640
_LARGEST = 400_000
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]{2,40}")
_ENDINGS = (".py", ".pyi", ".md", ".rst", ".js", ".ts", ".c", ".h", ".go", ".rs", ".java", ".txt")


def main() -> int:
    """Run it; the exit status."""
    options = measure.arguments(__doc__ or "", 1)
    options.add_argument("--corpus", action="append", default=[], help="a folder; repeatable")
    options.add_argument("--chunks", type=int, default=CHUNKS)
    options.add_argument("--questions", type=int, default=120)
    options.add_argument("--keep", help="a folder to make the store in, or that holds one")
    options.add_argument("--json", help="a file to write the numbers to")
    options.add_argument("--against", action="append", default=[], help="a checkout; repeatable")
    options.add_argument("--memories", type=int, default=0)
    given = options.parse_args()
    with tempfile.TemporaryDirectory(prefix="gitmem-bench-") as temporary:
        place = Path(given.keep or temporary)
        env = cli.environment(
            place / "home", GITMEM_BACKUP_INTERVAL_HOURS="0", GITMEM_COPY_MODE="off"
        )
        if not (place / "repo" / ".gitmem").exists():
            _build(place / "repo", env, texts(given.corpus, given.chunks), given.chunks)
        database = open_store(str(place / "repo" / ".gitmem" / "memory.db"))
        stored = database.value("SELECT count(*) FROM chunks")
        database.close()
        query = questions(counted(place / "repo"), given.questions)
        if given.against:
            return _side_by_side(place, env, given, query)
        waits: dict[str, list[float]] = {}
        for number in range(given.runs):
            for mode, item in _at_the_line(place / "repo", env, query).items():
                waits[f"{mode}, run {number + 1}"] = item
            for mode, item in _with_the_sdk(place / "repo", env, query).items():
                waits[f"{mode}, SDK's client, run {number + 1}"] = item
    print(measure.machine())
    print(f"{stored} pieces, {len(query)} questions of each mode; wall ms")
    shares = {
        name: [measure.percentile(item, share) for share in (0.5, 0.95, 1.0)]
        for name, item in waits.items()
    }
    print(measure.table(("", "p50", "p95", "max"), [(name, *row) for name, row in shares.items()]))
    if given.json:
        Path(given.json).write_text(json.dumps({"chunks": stored, "ms": shares}, indent=1))
    return measure.verdict(
        [
            f"{name}: {row[0]:.1f} ms at the median, the bar is {BARS[name.split(',')[0]]:g}"
            for name, row in shares.items()
            if "SDK" not in name and row[0] > BARS[name.split(",")[0]]
        ]
    )


def texts(folders: Sequence[str], chunks: int) -> Iterator[tuple[str, str]]:
    """Name and content of files, enough for that many pieces."""
    room = chunks * _PIECE
    for name, text in _found(folders) if folders else _generated():
        yield name, text
        room -= len(text)
        if room < 0:
            return
    print("warning: the corpus is smaller than what was asked for", file=sys.stderr)


def _found(folders: Sequence[str]) -> Iterator[tuple[str, str]]:
    observed = set()
    for number, folder in enumerate(folders):
        for file in sorted(Path(folder).rglob("*")):
            if file.suffix not in _ENDINGS or not file.is_file():
                continue
            text = file.read_text("utf-8", "replace")
            if 200 < len(text) < _LARGEST and hash(text) not in observed:
                observed.add(hash(text))
                yield f"part{number}/{file.relative_to(folder).as_posix()}", text


def _generated() -> Iterator[tuple[str, str]]:
    """Functions of words and names as ``generate`` makes them, for ever."""
    rng = random.Random(11)
    words, names = generate.vocabulary(), generate.identifiers()
    weights = [1 / rank for rank in range(1, len(words) + 1)]
    number = 0
    while True:
        lines = []
        for _ in range(rng.randint(4, 40)):
            message = rng.choices(words, weights, k=60)
            first, second = rng.sample(names, 2)
            lines += [f"def {message[0]}_{message[1]}({message[2]}, {message[3]}=None):"]
            lines += [f'    """{" ".join(message[4:20])}."""']
            lines += [
                f"    {message[n]} = {message[n + 1]}.{first}({message[n + 2]})"
                for n in (20, 24, 28)
            ]
            lines += [f"    return {second}({', '.join(message[40:43])})", "", ""]
        yield f"src/{words[number % 90]}/{words[number % 7919]}{number}.py", "\n".join(lines)
        number += 1


def _build(
    place: Path, env: Mapping[str, str], files: Iterator[tuple[str, str]], chunks: int
) -> None:
    place.mkdir(parents=True, exist_ok=True)
    for name, text in files:
        target = place / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, "utf-8")
    git = ["git", "-c", "core.autocrlf=false", "-c", "gc.auto=0"]
    for words in (["init", "-q", "-b", "main"], ["add", "-f", "-A"], ["commit", "-qm", "All"]):
        subprocess.run([*git, *words], cwd=place, env=dict(env), check=True)
    _index(place, env, chunks)


def _index(place: Path, env: Mapping[str, str], chunks: int) -> None:
    # A file that was written just before it was indexed is read again whenever it is shown.
    time.sleep(SLACK_MS / 1000 + 1)
    begin = time.perf_counter()
    measure.run(_program("init", "--no-hooks", env=env), cwd=place, env=env)
    print(f"init of {chunks} pieces: {time.perf_counter() - begin:.0f} s")


def _program(*words: str, env: Mapping[str, str]) -> list[str]:
    """A command of gitmem, of the checkout that the environment names."""
    return [env.get(_PYTHON, sys.executable), *cli.command(*words)[1:]]


def _side_by_side(
    place: Path, env: Mapping[str, str], given: argparse.Namespace, queries: list[str]
) -> int:
    """Ask servers of several checkouts the same questions in turn, and print what each takes."""
    places = {"this": (place / "repo", dict(env))}
    for number, checkout in enumerate(given.against, 1):
        own = place / f"against-{number}"
        python = str(Path(checkout, ".venv", "bin", "python"))
        home = cli.environment(own / "home", PYTHONPATH=checkout, **{_PYTHON: python})
        places[checkout] = own / "repo", {**env, **home}
        if not (own / "repo" / ".gitmem").exists():
            unlike = shutil.ignore_patterns(".gitmem")
            shutil.copytree(place / "repo", own / "repo", ignore=unlike, dirs_exist_ok=True)
            _index(*places[checkout], given.chunks)
    if given.memories:
        for where, its in places.values():
            its["GITMEM_EMBEDDING_CONTEXTUAL"] = "always"
            facts = [
                f"{queries[n % len(queries)]} is kept in step {n}" for n in range(given.memories)
            ]
            lines = "".join(json.dumps({"text": fact}) + "\n" for fact in facts)
            saved = _program("remember", "-", env=its)
            quiet = subprocess.DEVNULL
            subprocess.run(
                saved, cwd=where, env=its, input=lines.encode(), check=True, stdout=quiet
            )
            measure.run(_program("index", env=its), cwd=where, env=its)
            its["GITMEM_EMBEDDING_CONTEXTUAL"] = "server"
    print(measure.machine())
    with ExitStack() as stack:
        servers = {name: stack.enter_context(Line(*its)) for name, its in places.items()}
        for mode in BARS:
            _compare(servers, mode, queries)
        for name, server in servers.items():
            print(f"{name}: {server.memory()}")
    return 0


def _compare(servers: Mapping[str, Line], mode: str, queries: Sequence[str]) -> None:
    for server in servers.values():
        for number in range(3):
            server.ask(f"warm up {number}", mode)
    # A model is loaded beside the first answers.
    time.sleep(3)
    wall: dict[str, list[float]] = {name: [] for name in servers}
    begin = {name: server.cpu() for name, server in servers.items()}
    for turn, question in enumerate(queries):
        names = list(servers)
        # Each is the first as often as the others.
        first = turn % len(names)
        for name in [*names[first:], *names[:first]]:
            wall[name].append(servers[name].ask(question, mode))
    cpu = {name: (servers[name].cpu() - begin[name]) / len(wall[name]) for name in servers}
    rows = []
    for name, took in wall.items():
        ratios = sorted(own / other for own, other in zip(wall["this"], took, strict=True))
        shares = [measure.percentile(took, share) for share in (0.5, 0.95)]
        compared = ratios[len(ratios) // 2], cpu["this"] / cpu[name]
        rows.append((name, *shares, cpu[name], *(f"{ratio:.2f}" for ratio in compared)))
    heads = (mode, "wall p50", "wall p95", "CPU mean", "this/it, wall", "this/it, CPU")
    print(measure.table(heads, rows))


def counted(place: Path) -> Counter[str]:
    """How often each word stands in a sample of the files."""
    files = sorted(file for file in place.rglob("*") if file.suffix in _ENDINGS)
    found: Counter[str] = Counter()
    for file in random.Random(5).sample(files, min(len(files), 1500)):
        found.update(_WORD.findall(file.read_text("utf-8", "replace")))
    return found


def questions(counted: Counter[str], count: int) -> list[str]:
    """Different questions, the same for the same words."""
    rng = random.Random(17)
    ordered = sorted(counted, key=lambda word: (-counted[word], word))
    frequent, middle = ordered[:150], ordered[150:3000]
    rare = [word for word in ordered if counted[word] <= 3]
    names = [word for word in ordered if "_" in word.strip("_") and counted[word] > 2]
    query: dict[str, None] = {}
    while len(query) < count:
        sorts = rng.choices((frequent, middle, rare, names), (3, 4, 1, 2), k=rng.randint(1, 5))
        query[" ".join(rng.choice(sort) for sort in sorts)] = None
    return list(query)


Ask = Callable[[str, str], float]


def _at_the_line(place: Path, env: Mapping[str, str], queries: list[str]) -> dict[str, list[float]]:
    with Line(place, env) as server:
        return _each(server.ask, queries)


def _with_the_sdk(
    place: Path, env: Mapping[str, str], queries: list[str]
) -> dict[str, list[float]]:
    with connected(place, dict(env), ordinary=True) as client:
        return _each(partial(_ask, client), queries)


def _each(ask: Ask, queries: list[str]) -> dict[str, list[float]]:
    for mode in BARS:
        # A session's first questions load what later ones find loaded.
        for number in range(3):
            ask(f"warm up {number}", mode)
    time.sleep(1)
    # One mode after the other, as a session asks: a scan of all vectors between two questions by
    # words would empty the processor's caches.
    return {mode: [ask(question, mode) for question in queries] for mode in BARS}


class Line:
    """A server asked by writing lines and reading lines, without a client between."""

    def __init__(self, place: Path, env: Mapping[str, str]) -> None:
        self._process = subprocess.Popen(
            _program("mcp", "-C", str(place), env=env),
            cwd=place,
            env=dict(env),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self._asked = 0
        hello = {"protocolVersion": "2025-11-25", "capabilities": {}}
        self._send("initialize", **hello, clientInfo={"name": "bench", "version": "0"})
        self._write({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def ask(self, question: str, mode: str) -> float:
        """Milliseconds until a search is answered. Raises SystemExit where it fails."""
        begin = time.perf_counter()
        arguments = {"query": question, "mode": mode}
        answer = self._send("tools/call", name="search", arguments=arguments)
        took = (time.perf_counter() - begin) * 1000
        if json.loads(answer).get("result", {}).get("isError", True):
            raise SystemExit(f"search {question!r} failed: {answer[:500]!r}")
        return took

    def cpu(self) -> float:
        """Milliseconds of CPU since the server began; 0 where the system does not tell (Linux)."""
        try:
            fields = Path(f"/proc/{self._process.pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            return 0.0
        return (int(fields[11]) + int(fields[12])) * 1000 / os.sysconf("SC_CLK_TCK")

    def memory(self) -> str:
        """The memory of the server in MB, as Linux tells it; empty elsewhere."""
        try:
            lines = Path(f"/proc/{self._process.pid}/smaps_rollup").read_text().splitlines()
        except OSError:
            return ""
        sizes = {line.split()[0]: int(line.split()[1]) / 1024 for line in lines[1:]}
        return ", ".join(f"{name} {sizes[name]:.0f} MB" for name in ("Rss:", "Pss:", "Anonymous:"))

    def _send(self, method: str, **params: object) -> bytes:
        self._asked += 1
        self._write({"jsonrpc": "2.0", "id": self._asked, "method": method, "params": params})
        assert self._process.stdout
        return self._process.stdout.readline()

    def _write(self, message: Mapping[str, object]) -> None:
        assert self._process.stdin
        self._process.stdin.write(json.dumps(message).encode() + b"\n")
        self._process.stdin.flush()

    def __enter__(self) -> Line:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate()


def _ask(client: Connected, question: str, mode: str) -> float:
    begin = time.perf_counter()
    answer = client("search", query=question, mode=mode)
    took = (time.perf_counter() - begin) * 1000
    if answer.is_error:
        raise SystemExit(f"search {question!r} failed: {answer.content}")
    return took


if __name__ == "__main__":
    sys.exit(main())
