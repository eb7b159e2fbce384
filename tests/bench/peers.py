"""gitmem beside two programs that search code: first index, nothing to do, questions, names.

    python -m tests.bench.peers --repository CLONE [--repository CLONE ...]
        [--semble PYTHON] [--codegraph PROGRAM] [--runs 3] [--questions 40] [--json FILE]

``PYTHON`` is an interpreter that has semble 0.7.0 (``pip install semble==0.7.0``), ``PROGRAM`` the
command of codegraph 1.6.1 (``npm install @colbymchenry/codegraph@1.6.1``); who is not named is left
out. semble reads code, documents and settings as gitmem does; its model is replaced by vectors that
are drawn, which cost nothing, so that no model is downloaded. The other programs read no history:
gitmem is measured with it and without.

Milliseconds, the medians of ``--runs``, each program in turn. CPU is that of the process and its
children: processes beside it are told by the wall time. *Names* is NDCG@10 of the file that defines
a name which is defined once. The bar: a first index without history takes 1.2 times the CPU of the
faster of the two at most.
"""

from __future__ import annotations

import argparse
import ast
import json
import math
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from gitmem.operations.find import search
from tests.bench import measure, stores, warm
from tests.support import cli

BAR = 1.2
GITMEM, BARE = "gitmem, with history", "gitmem"
SEMBLE, CODEGRAPH = "semble, drawn vectors", "codegraph"
_CHILD = Path(__file__).with_name("peers_semble.py")
_EXPORTED = re.compile(
    r"^export (?:declare |default |abstract |async )*"
    r"(?:function\*?|class|interface|type|const) (\w+)",
    re.MULTILINE,
)
Row = dict[str, float]


def main() -> int:
    """Run it; the exit status."""
    options = measure.arguments(__doc__ or "", 3)
    options.add_argument("--repository", action="append", required=True, help="a clone; repeatable")
    options.add_argument("--semble", help="a Python that has semble")
    options.add_argument("--codegraph", help="the program")
    options.add_argument("--questions", type=int, default=40)
    options.add_argument("--json", help="a file to write the numbers to")
    given = options.parse_args()
    result: dict[str, dict[str, Row]] = {}
    for clone in given.repository:
        with tempfile.TemporaryDirectory(prefix="gitmem-bench-") as temporary:
            result[Path(clone).name] = _Compared(Path(temporary), Path(clone), given).rows()
    print(measure.machine())
    for name, rows in result.items():
        heads = list(dict.fromkeys(head for row in rows.values() for head in row))
        print(f"\n{name}")
        cells = [
            [who, *(_cell(head, row.get(head)) for head in heads)] for who, row in rows.items()
        ]
        print(measure.table(("", *heads), cells))
    if given.json:
        Path(given.json).write_text(json.dumps(result, indent=1))
    return measure.verdict([text for name, rows in result.items() for text in _over(name, rows)])


def _cell(head: str, value: float | None) -> str:
    return "" if value is None else f"{value:.3f}" if head == "names" else f"{value:.1f}"


def _over(name: str, rows: Mapping[str, Row]) -> Iterator[str]:
    peers = [row["index, CPU"] for who, row in rows.items() if who in (SEMBLE, CODEGRAPH)]
    if peers and rows[BARE]["index, CPU"] > BAR * min(peers):
        times = rows[BARE]["index, CPU"] / min(peers)
        yield f"{name}: a first index takes {times:.2f} times the fastest, the bar is {BAR:g}"


class _Compared:
    """One repository, indexed by each program in turn."""

    def __init__(self, folder: Path, clone: Path, given: argparse.Namespace) -> None:
        self._given = given
        self._places = {
            who: folder / who.replace(", ", "-").replace(" ", "-")
            for who in (BARE, GITMEM, SEMBLE, CODEGRAPH)
            if (who != SEMBLE or given.semble) and (who != CODEGRAPH or given.codegraph)
        }
        quiet = {"GITMEM_BACKUP_INTERVAL_HOURS": "0", "GITMEM_COPY_MODE": "off"}
        env = cli.environment(folder / "home", **quiet, DO_NOT_TRACK="1", HF_HUB_OFFLINE="1")
        self._env = {
            who: env | ({"GITMEM_INDEX_COMMITS": "0"} if who == BARE else {})
            for who in self._places
        }
        self._env[SEMBLE] = {n: v for n, v in env.items() if n != "PYTHONPATH"}
        for place in self._places.values():
            command = ["git", "clone", "-q", str(clone), str(place)]
            subprocess.run(command, env=env, check=True)

    def rows(self) -> dict[str, Row]:
        """Program -> what it took; a column it has no way to do is left out."""
        rows: dict[str, Row] = {who: {} for who in self._places}
        first = self._timed({who: self._first(who) for who in self._places}, self._forget)
        again = self._timed({who: line for who in self._places if (line := self._again(who))})
        for column, timings in (("index", first), ("nothing to do", again)):
            for who, timing in timings.items():
                rows[who][f"{column}, CPU"] = measure.median(timing.cpu)
                rows[who][f"{column}, wall"] = measure.median(timing.wall)
        names = _defined_once(self._places[BARE], self._given.questions)
        query = warm.questions(_words(self._places[BARE]), self._given.questions)
        for who, row in rows.items():
            row |= self._answered(who, names, query)
        return rows

    def _timed(
        self, jobs: Mapping[str, Sequence[str]], before: Callable[[str], None] = lambda _who: None
    ) -> dict[str, measure.Timing]:
        timings = {who: measure.Timing(who) for who in jobs}
        for number in range(self._given.runs + 1):
            for who, command in jobs.items():
                before(who)
                cpu, wall = measure.run(command, cwd=self._places[who], env=self._env[who])
                if number:
                    timings[who].cpu.append(cpu)
                    timings[who].wall.append(wall)
        return timings

    def _forget(self, who: str) -> None:
        for made in (".gitmem", ".codegraph"):
            shutil.rmtree(self._places[who] / made, ignore_errors=True)
        if who in (BARE, GITMEM):
            words = cli.command("init", "--no-index", "--no-hooks")
            measure.run(words, cwd=self._places[who], env=self._env[who])

    def _first(self, who: str) -> list[str]:
        if who == SEMBLE:
            return [self._given.semble, "-P", str(_CHILD), str(self._places[who])]
        if who == CODEGRAPH:
            return [self._given.codegraph, "init", "."]
        return cli.command("index")

    def _again(self, who: str) -> list[str] | None:
        if who == SEMBLE:
            return None  # what it keeps names its model, and that was left out
        return [self._given.codegraph, "sync", "."] if who == CODEGRAPH else cli.command("index")

    def _answered(self, who: str, names: Mapping[str, str], questions: Sequence[str]) -> Row:
        place, env = self._places[who], self._env[who]
        if who == SEMBLE:
            question = json.dumps({"asked": questions, "names": list(names)})
            command = [self._given.semble, "-P", str(_CHILD), str(place), question]
            done = subprocess.run(command, env=env, capture_output=True, text=True, check=True)
            found = json.loads(done.stdout.splitlines()[-1])
            waits = {"warm, wall": measure.median(found["ms"])}
            return waits | {"names": _gain(names, found["paths"])}
        if who == CODEGRAPH:
            lists = [self._by_codegraph(place, name) for name in names]
            cold = measure.run([self._given.codegraph, "query", questions[0]], cwd=place, env=env)
            return {"cold, CPU": cold[0], "names": _gain(names, lists)}
        row = {}
        for mode in ("keyword", "hybrid"):
            colds = [
                measure.run(cli.command("search", item, "--mode", mode), cwd=place, env=env)[0]
                for item in questions[:5]
            ]
            row[f"cold, CPU, {mode}"] = measure.median(colds)
        with warm.Line(place, env) as server:
            for mode in ("keyword", "hybrid"):
                [server.ask(f"warm up {number}", mode) for number in range(3)]
                waits = [server.ask(item, mode) for item in questions]
                row[f"warm, wall, {mode}"] = measure.median(waits)
        app = stores.app_in(place, stores.settings(place.parent))
        lists = [
            [hit.path for hit in search.search_all_sources(app, search.SearchRequest(name)).hits]
            for name in names
        ]
        return row | {"names": _gain(names, lists)}

    def _by_codegraph(self, place: Path, name: str) -> list[str]:
        command = [self._given.codegraph, "query", name, "--json"]
        done = subprocess.run(
            command, cwd=place, env=self._env[CODEGRAPH], capture_output=True, text=True, check=True
        )
        found = json.loads(done.stdout or "[]")
        return list(dict.fromkeys(item.get("node", item).get("filePath", "") for item in found))


def _gain(names: Mapping[str, str], lists: Sequence[Sequence[str]]) -> float:
    """NDCG@10 where one file is right for each name."""
    gains = []
    for path, found in zip(names.values(), lists, strict=True):
        places = list(dict.fromkeys(found))[:10]
        gains.append(1 / math.log2(2 + places.index(path)) if path in places else 0.0)
    return sum(gains) / len(gains) if gains else 0.0


def _defined_once(place: Path, count: int) -> dict[str, str]:
    """Some names of functions, classes and types that one file defines -> that file."""
    found: dict[str, set[str]] = {}
    for file in _files(place):
        path = file.relative_to(place).as_posix()
        for name in _defined(file):
            found.setdefault(name, set()).add(path)
    once = sorted(name for name, paths in found.items() if len(paths) == 1 and len(name) > 3)
    chosen = random.Random(7).sample(once, min(count, len(once)))
    return {name: next(iter(found[name])) for name in chosen}


def _defined(file: Path) -> list[str]:
    text = file.read_text("utf-8", "replace")
    if file.suffix != ".py":
        return _EXPORTED.findall(text)
    try:
        body = ast.parse(text).body
    except (SyntaxError, ValueError):
        return []
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    return [item.name for item in body if isinstance(item, kinds)]


def _files(place: Path) -> Iterator[Path]:
    tests = {"test", "tests", "testing", "docs", "examples"}
    for file in sorted(place.rglob("*")):
        inside = {part.lower() for part in file.relative_to(place).parts[:-1]}
        if file.suffix in (".py", ".ts", ".tsx") and not inside & tests and file.is_file():
            yield file


def _words(place: Path) -> Counter[str]:
    counted: Counter[str] = Counter()
    for file in _files(place):
        counted.update(
            re.findall(r"[A-Za-z_][A-Za-z0-9_]{2,40}", file.read_text("utf-8", "replace"))
        )
    return counted


if __name__ == "__main__":
    sys.exit(main())
