"""Files made to cost much: what an index run of them takes, all its processes together.

Four in the ordinary run, 200 in the full tier: 300 MB and a minute of processor time.
"""

from __future__ import annotations

import resource
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.reliability.scoring import Score
from tests.support import children
from tests.support.cli import Program, command
from tests.support.repos import RepoBuilder

MOST_MEMORY = 300_000_000
MOST_SECONDS = 60.0
SIZE = 400_000
_WIDE = 80

pytestmark = [
    children.needs_fork,
    pytest.mark.skipif(not Path("/proc/self/smaps_rollup").exists(), reason="reads Linux' /proc"),
]


def wrapped(text: str) -> str:
    """Lines short enough that the file does not count as minified."""
    return "\n".join(text[at : at + _WIDE] for at in range(0, len(text), _WIDE))


def nested(opening: str, closing: str) -> Callable[[int], str]:
    def make(size: int) -> str:
        count = size // (len(opening) + len(closing))
        return wrapped(opening * count + closing * count)

    return make


def repeated(line: str) -> Callable[[int], str]:
    return lambda size: "".join(
        line.replace("@", str(number)) for number in range(size // len(line))
    )


def indented(size: int) -> str:
    """As deep as Python lets it be, again and again."""
    block = "".join(" " * depth + f"if x{depth}:\n" for depth in range(90)) + " " * 90 + "pass\n"
    return block * (size // len(block))


BOMBS: dict[str, Callable[[int], str]] = {
    # Takes 685 MB where nothing stops it: it alone shows that a parser's memory is bounded.
    "open.hs": nested("((", ""),
    "brackets.py": nested("(", ")"),
    "calls.js": nested("f(", ")"),
    "blocks.c": nested("{", "}"),
    "generics.ts": nested("A<", ">"),
    "arrays.json": nested("[", "]"),
    "tags.html": nested("<a>", "</a>"),
    "lambda.rs": nested("|| {", "}"),
    "open.go": nested("((", ""),
    "ladder.py": indented,
    "functions.py": repeated("def f@(): pass\n"),
    "imports.py": repeated("import m@\n"),
    "words.md": repeated("# w@\n\nx@ y@\n"),
    "macros.h": repeated("#define M@ M@ M@\n"),
    "classes.java": repeated("class C@ { void m() {} }\n"),
    "quotes.sh": repeated("echo 'a@ \"b\n"),
    "strings.rb": repeated("x@ = %w[a b c]\n"),
    "entities.xml": repeated('<!ENTITY e@ "&e@;&e@;">\n'),
    "errors.ts": repeated("@ = < > ) } ] ( {\n"),
    "keys.yaml": repeated("k@: &a@ [*a@]\n"),
    "empty.txt": repeated("\n"),
}


def lay(folder: Path, count: int) -> None:
    """So many files, no two alike."""
    for number in range(count):
        name, make = list(BOMBS.items())[number % len(BOMBS)]
        place = folder / f"part_{number}" / name
        place.parent.mkdir()
        place.write_text(f"{'# ' if name.endswith('.md') else ''}{number}\n" + make(SIZE))


def memory_of(tree: int) -> int:
    """Bytes of memory of a process and all below it, what they share counted once."""
    found, total = [tree], 0
    while found:
        pid = found.pop()
        try:
            output = Path(f"/proc/{pid}/smaps_rollup").read_text()
            total += int(output.partition("\nPss:")[2].split()[0]) << 10
            for task in Path(f"/proc/{pid}/task").iterdir():
                found += map(int, (task / "children").read_text().split())
        except (OSError, IndexError):
            continue  # it has ended
    return total


def test_bombs_cost_an_index_run_little_memory_and_time(tmp_path: Path, score: Score) -> None:
    """S-17: they are indexed as far as is reasonable, and the next search works."""
    count = score.size(quick=4, full=200)
    repo = RepoBuilder(tmp_path / "repo")
    repo.commit("First", {"src/app.py": "def the_one_honest_function(): pass\n"})
    program = Program(
        repo.home, repo.path, GITMEM_BACKUP_INTERVAL_HOURS="0", GITMEM_COPY_MODE="off"
    )
    program("init", "--no-index", "--no-hooks")
    lay(repo.path, count)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = command("-C", str(repo.path), "index")
    run = subprocess.Popen(start, env=program.env, stdout=subprocess.DEVNULL)
    most = 0
    while run.poll() is None:
        most = max(most, memory_of(run.pid))
        time.sleep(0.02)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    assert run.returncode == 0
    assert 0 < most < MOST_MEMORY
    assert seconds < MOST_SECONDS
    assert "src/app.py" in program("search", "the_one_honest_function").out
    megabytes = round(most / 1e6)
    score.report("bombs", cases=count, fired=count, megabytes=megabytes, cpu_seconds=round(seconds))
