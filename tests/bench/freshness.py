"""Whether gitmem knows what still holds: memories of an old commit, judged in the newest tree.

    python -m tests.bench.freshness --clones DIR [--repositories N] [--anchors 200] [--only a,b]
        [--show 20] [--seed 1] [--json FILE]

DIR holds clones as ``owner+name/repo`` (git directories; they are only read). Of those with at
least 500 commits and all the files of both commits, N are taken, small ones first. In each a work
tree is made at a commit about two years old, never fewer than 500 nor more than 1,500 commits back.
There gitmem is set up and indexed, and memories are kept that cite random spans of 3 to 30 lines
and, for a third of them, symbols. Then the newest commit is checked out and each is judged: alone,
with nothing known (cold), and again (cached).

The truth does not ask gitmem: a block stands if its text without white space is found in a text
file of the newest commit's tree without white space. A memory is untrue where its block stands
nowhere. Found: the part of the untrue ones that gitmem calls changed or gone; precision: the part
of those called changed or gone that are untrue. What differs is listed, to be read.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from gitmem.app import App
from gitmem.freshness import anchor_verdict
from gitmem.model.anchor import STALE, Freshness
from gitmem.operations.remember import remember
from gitmem.store.db.connection import Database
from gitmem.store.memory import memories
from tests.bench import measure, stores
from tests.support.repos import isolated_environment

LEAST_COMMITS, NEAREST, FARTHEST = 500, 500, 1500
TWO_YEARS = 2 * 365 * 86_400
SHORTEST, LONGEST = 3, 30
FOUND, PRECISION = 0.95, 0.98  # bars
CACHED_MS, COLD_MS = 1.0, 20.0  # bars, p50 of one memory
_HEADS = (
    "repository",
    "back",
    "judged",
    "untrue",
    "found %",
    "precision %",
    "unknown",
    "place %",
    "cold ms",
    "cached ms",
)


@dataclass
class Case:
    """One anchor, what is true of it, and what gitmem says. ``stands``: same, elsewhere, nowhere.

    Times are wall milliseconds of judging this memory alone.
    """

    repository: str
    cited: str
    symbol: bool
    stands: str
    verdict: str = ""
    path: str = ""
    cold: float = 0.0
    cached: float = 0.0

    @property
    def untrue(self) -> bool:
        return self.stands == "nowhere"

    @property
    def called_untrue(self) -> bool:
        return self.verdict in STALE

    @property
    def right_place(self) -> bool:
        """Whether the verdict says where it stands, not only that it does."""
        return self.verdict == {"same": "fresh", "elsewhere": "moved"}.get(self.stands)


@dataclass(frozen=True)
class Past:
    """A clone, and the commits at which memories are kept and judged."""

    name: str
    git_dir: Path
    old: str
    new: str
    back: int


def main(words: list[str] | None = None) -> int:
    """Run it; the exit status."""
    given = _arguments().parse_args(words)
    cases: list[Case] = []
    rows: list[tuple[object, ...]] = []
    for past in _chosen(given):
        found = _repository(past, given)
        cases += found
        rows.append((past.name, past.back, *_row(found)))
        print(measure.table(_HEADS, rows).splitlines()[-1], file=sys.stderr, flush=True)
    if not cases:
        raise SystemExit(f"no clone in {given.clones} has {LEAST_COMMITS} commits and its files")
    print(measure.machine())
    print(measure.table(_HEADS, [*rows, ("all", "", *_row(cases))]))
    _tell(cases, given.show)
    if given.json:
        Path(given.json).write_text(json.dumps([asdict(case) for case in cases], indent=1))
    return measure.verdict(_failures(cases))


def _arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--clones", required=True)
    parser.add_argument("--repositories", type=int, default=10)
    parser.add_argument("--anchors", type=int, default=200)
    parser.add_argument("--only", default="", help="names, or parts of them, joined by commas")
    parser.add_argument("--show", type=int, default=20, help="examples of each disagreement")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", default="")
    return parser


# --- repositories -------------------------------------------------------------------------------


def _chosen(given: argparse.Namespace) -> Iterator[Past]:
    only = tuple(filter(None, given.only.split(",")))
    places = [place for place in Path(given.clones).glob("*+*/*") if (place / "HEAD").is_file()]
    taken = 0
    for place in sorted(places, key=_weight):
        name = place.parent.name.replace("+", "/")
        if taken == given.repositories or (only and not any(item in name for item in only)):
            continue
        past = _past(name, place)
        if past is not None:
            taken += 1
            yield past


def _weight(git_dir: Path) -> int:
    return sum(file.stat().st_size for file in git_dir.glob("objects/pack/*.pack"))


def _past(name: str, git_dir: Path) -> Past | None:
    lines = _git(git_dir, "rev-list", "--date-order", "--format=%ct", "HEAD").split()
    commits, times = lines[1::3], [int(when) for when in lines[2::3]]
    if len(commits) < LEAST_COMMITS:
        return None
    two_years = next((n for n, at in enumerate(times) if at <= times[0] - TWO_YEARS), FARTHEST)
    back = min(max(two_years, NEAREST), FARTHEST, len(commits) - 1)
    past = Past(name, git_dir, commits[back], commits[0], back)
    query = ("rev-list", "--objects", "--no-walk", "--missing=print", past.old, past.new)
    return None if any(line.startswith("?") for line in _git(git_dir, *query).split()) else past


def _git(folder: Path, *args: str) -> str:
    done = subprocess.run(
        ["git", "-c", "safe.directory=*", "-C", str(folder), *args],
        env=isolated_environment(Path(tempfile.gettempdir())) | {"GIT_NO_LAZY_FETCH": "1"},
        check=True,
        capture_output=True,
    )
    return done.stdout.decode("utf-8", "surrogateescape")


def _repository(past: Past, given: argparse.Namespace) -> list[Case]:
    with tempfile.TemporaryDirectory(prefix="gitmem-bench-") as temporary:
        place = Path(temporary)
        tree = place / "repo"
        quiet = ("-c", "advice.detachedHead=false")
        _git(place, "clone", "-q", "--shared", "--no-checkout", str(past.git_dir), str(tree))
        _git(tree, *quiet, "checkout", "-q", "--detach", past.old)
        settings = stores.settings(place)
        app = stores.app_in(tree, settings)
        stores.set_up(app)
        stores.refreshed(app)
        saved = _saved(app, tree, given, past.name)
        app.close()
        _git(tree, *quiet, "checkout", "-q", "--detach", past.new)
        # Files as young as git's index are hashed by every look until a status after that second.
        time.sleep(1.1)
        _git(tree, "status")
        app = stores.app_in(tree, settings)
        stores.refreshed(app)
        cases = _truths(saved, _squeezed_tree(tree), past.name)
        _judge(app, cases)
        app.close()
        return list(cases.values())


# --- memories of the old commit -----------------------------------------------------------------

# Memory id -> (what it cites, its path, whether a symbol, its text).
Kept = dict[str, tuple[str, str, bool, str]]


def _saved(app: App, tree: Path, given: argparse.Namespace, name: str) -> Kept:
    draw = random.Random(f"{given.seed} {name}")
    saved: Kept = {}
    expected = given.anchors // 3
    symbols = _symbols(app)
    draw.shuffle(symbols)
    for path, cited, first, last in symbols:
        if len(saved) < expected and (text := _text(tree, path, first, last)):
            saved[_keep(app, cited, len(saved))] = (cited, path, True, text)
    files = _files(app)
    for _ in range(given.anchors * 20):
        if len(saved) >= given.anchors or not files:
            break
        path = draw.choice(files)
        span = _span(tree, path, draw)
        if span is not None:
            first, last, text = span
            cited = f"{path}:{first}-{last}"
            saved[_keep(app, cited, len(saved))] = (cited, path, False, text)
    return saved


def _files(app: App) -> list[str]:
    """What the index took, by path."""
    text = "SELECT p.path FROM paths p JOIN blobs b ON b.id = p.blob WHERE b.skipped = ''"
    return [path for (path,) in app.store.rows(f"{text} ORDER BY p.path")]


def _symbols(app: App) -> list[tuple[str, str, int, int]]:
    """Path, citation and lines of each definition whose name is the only one in its file."""
    rows = app.store.rows(
        "SELECT p.path, s.name, s.start_line, s.end_line FROM symbols s "
        "JOIN paths p ON p.blob = s.blob ORDER BY p.path, s.start_line"
    )
    count = Counter((path, name) for path, name, _, _ in rows)
    return [
        (path, f"{path}::{name}", first, last)
        for path, name, first, last in rows
        if count[(path, name)] == 1 and name.isidentifier()
    ]


def _span(tree: Path, path: str, draw: random.Random) -> tuple[int, int, str] | None:
    lines = _lines(tree / path)
    length = draw.randint(SHORTEST, LONGEST)
    if len(lines) < length:
        return None
    first = draw.randint(1, len(lines) - length + 1)
    text = _squeezed("\n".join(lines[first - 1 : first + length - 1]))
    return (first, first + length - 1, text) if text else None


def _text(tree: Path, path: str, first: int, last: int) -> str:
    return _squeezed("\n".join(_lines(tree / path)[first - 1 : last]))


def _lines(file: Path) -> list[str]:
    # Lines as git and editors count them; a form feed or a Unicode separator ends none.
    try:
        data = file.read_bytes()
    except OSError:
        return []
    lines = data.decode("utf-8", "surrogateescape").split("\n")
    return lines[:-1] if lines[-1] == "" else lines


def _keep(app: App, cited: str, number: int) -> str:
    # Numbered: two that differ in nothing but case would be one memory.
    text = f"{number}: look at {cited}"
    return remember.remember(app, remember.RememberRequest(text, path=(cited,))).id


# --- truth --------------------------------------------------------------------------------------


def _squeezed(text: str) -> str:
    return "".join(text.split())


def _squeezed_tree(tree: Path) -> dict[str, str]:
    """Path -> text without white space of every text file of the checked out commit."""
    found = {}
    for entry in _git(tree, "ls-tree", "-r", "-z", "HEAD").split("\0"):
        meta, _, path = entry.partition("\t")
        if not meta.startswith("100"):
            continue
        data = (tree / path).read_bytes()
        if b"\0" not in data[:8000]:
            found[path] = _squeezed(data.decode("utf-8", "surrogateescape"))
    return found


def _truths(saved: Kept, tree: Mapping[str, str], name: str) -> dict[str, Case]:
    everything = "\0".join(tree.values())
    cases = {}
    for id, (cited, path, symbol, text) in saved.items():
        here = text in tree.get(path, "")
        stands = "same" if here else "elsewhere" if text in everything else "nowhere"
        cases[id] = Case(name, cited, symbol, stands)
    return cases


# --- judging ------------------------------------------------------------------------------------


def _judge(app: App, cases: Mapping[str, Case]) -> None:
    database = app.store
    with database.write():
        database.connection.execute("DELETE FROM verdicts")
    for id, case in cases.items():
        freshness, case.cold = _timed(app, database, id)
        result = freshness.anchors[0] if freshness.anchors else None
        case.verdict, case.path = freshness.freshness, result.path if result else ""
    for id, case in cases.items():
        again, case.cached = _timed(app, database, id)
        assert again.freshness == case.verdict, (case, again)


def _timed(app: App, database: Database, id: str) -> tuple[Freshness, float]:
    memory = memories.get_memory(database, id)
    assert memory is not None
    begin = time.perf_counter()
    found = anchor_verdict.freshness_by_memory(app, database, [memory])
    took = (time.perf_counter() - begin) * 1000
    return found[id], took


# --- what came out ------------------------------------------------------------------------------


def _row(cases: Sequence[Case]) -> tuple[object, ...]:
    standing_ones = [case for case in cases if not case.untrue]
    return (
        len(cases),
        sum(case.untrue for case in cases),
        _percent(_found(cases)),
        _percent(_precision(cases)),
        _unknown(cases),
        _percent(_share(standing_ones, [case for case in standing_ones if case.right_place])),
        f"{measure.median([case.cold for case in cases]):.2f}",
        f"{measure.median([case.cached for case in cases]):.2f}",
    )


def _share(whole: Sequence[Case], part: Sequence[Case]) -> float:
    return len(part) / len(whole) if whole else 1.0


def _found(cases: Sequence[Case]) -> float:
    untrue = [case for case in cases if case.untrue]
    return _share(untrue, [case for case in untrue if case.called_untrue])


def _precision(cases: Sequence[Case]) -> float:
    called = [case for case in cases if case.called_untrue]
    return _share(called, [case for case in called if case.untrue])


def _unknown(cases: Sequence[Case]) -> int:
    return sum(case.verdict in ("unknown", "none") for case in cases)


def _percent(share: float) -> str:
    return f"{share * 100:.2f}"


def _tell(cases: Sequence[Case], most: int) -> None:
    """Counts of truth and verdict, and examples of where they differ."""
    for kind, chosen in (
        ("spans", [case for case in cases if not case.symbol]),
        ("symbols", [case for case in cases if case.symbol]),
    ):
        counts = Counter((case.stands, case.verdict) for case in chosen)
        output = ", ".join(
            f"{stands}/{message} {n}" for (stands, message), n in sorted(counts.items())
        )
        print(f"{kind} ({len(chosen)}), truth/verdict: {output}")
    standing_ones = [case for case in cases if not case.untrue]
    for name, differing in (
        ("untrue and not found", [c for c in cases if c.untrue and not c.called_untrue]),
        ("called untrue and stands", [c for c in standing_ones if c.called_untrue]),
        ("unknown", [c for c in cases if c.verdict in ("unknown", "none")]),
        (
            "stands, in another place",
            [c for c in standing_ones if not c.called_untrue and not c.right_place],
        ),
    ):
        print(f"{name}: {len(differing)}")
        for case in differing[:most]:
            print(f"  {case.repository}  {case.cited}  {case.stands}/{case.verdict}  {case.path}")


def _failures(cases: Sequence[Case]) -> list[str]:
    cold = measure.median([case.cold for case in cases])
    cached = measure.median([case.cached for case in cases])
    checks = (
        (_found(cases) < FOUND, f"untrue found {_percent(_found(cases))} %"),
        (_precision(cases) < PRECISION, f"precision {_percent(_precision(cases))} %"),
        (_unknown(cases) > 0, f"{_unknown(cases)} unknown"),
        (cold > COLD_MS, f"cold p50 {cold:.2f} ms"),
        (cached > CACHED_MS, f"cached p50 {cached:.2f} ms"),
    )
    return [output for over, output in checks if over]


if __name__ == "__main__":
    sys.exit(main())
