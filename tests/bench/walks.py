"""How far the everyday commands walk through the house: modules entered, borders crossed.

    python -m tests.bench.walks --repository PATH [--program FOLDER] [--pairs 0]

A clone of the repository is indexed; then each command runs once under ``sys.setprofile``. A module
is entered when one of its functions is called, a border crossed when it is called from another
module; running a module's own lines at its import is neither. The commit adds one line to a file of
middle size, and what is counted is the drain that follows it, with what it does beside the index.

The numbers depend on the repository, so two trees are compared on the same one: ``--program`` names
the folder with the ``gitmem`` to count, the working tree if not given. ``--pairs`` shows as many of
the borders most often crossed for each command.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from tests.bench import measure
from tests.support.repos import isolated_environment

# Command -> modules and borders at most; None: shown only.
GOALS: dict[str, tuple[int, int] | None] = {
    "remember": (75, 380),
    "recall": (75, 500),
    "search": (95, 2_000),
    "one-line commit": (90, 3_000),
    "session start": (65, 400),
}
_WORDS = {
    "remember": ["remember", "The build needs two minutes and a warm cache"],
    "recall": ["recall", "build cache"],
    "search": ["search", "where is the request context pushed"],
    "one-line commit": ["drain"],
    "session start": ["hook", "claude-code", "session-start"],
}
# Run by an interpreter of its own, with no module of the tests on its path.
_TRACER = """
import json, os, sys
import gitmem
from gitmem.cli.main import main

root, names, entered, crossed = os.path.dirname(gitmem.__file__) + os.sep, {}, set(), {}

def name(code):
    file = code.co_filename
    if file not in names:
        ours = file.startswith(root)
        names[file] = file[len(root):-3].replace(os.sep, ".") if ours else ""
    return names[file]

def look(frame, event, _):
    if event != "call" or frame.f_code.co_name == "<module>" or not (here := name(frame.f_code)):
        return
    entered.add(here)
    there = name(frame.f_back.f_code) if frame.f_back else ""
    if there and there != here:
        crossed[there + " -> " + here] = crossed.get(there + " -> " + here, 0) + 1

sys.argv = ["gitmem", *sys.argv[2:]]
out = os.environ["WALKED"]
sys.setprofile(look)
try:
    main()
except SystemExit as end:
    assert not end.code, end
finally:
    sys.setprofile(None)
with open(out, "w") as file:
    json.dump([len(entered), crossed], file)
"""


def main() -> int:
    """Run it; the exit status."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--repository", required=True, help="what to clone and walk in")
    options.add_argument("--program", default=str(Path(__file__).parents[2]))
    options.add_argument("--pairs", type=int, default=0, help="borders to show for each command")
    given = options.parse_args()
    walked = walks(given.repository, given.program)
    rows = []
    for command, (modules, pairs) in walked.items():
        goal = GOALS[command]
        bounds = f"{goal[0]} / {goal[1]}" if goal else ""
        rows.append((command, modules, sum(pairs.values()), bounds))
    print(measure.table(("", "modules", "borders", "goal"), rows))
    for command, (_, pairs) in walked.items() if given.pairs else ():
        print(f"\n{command}")
        for pair in sorted(pairs, key=lambda item: -pairs[item])[: given.pairs]:
            print(f"{pairs[pair]:6} {pair}")
    return measure.verdict(
        [
            f"{command}: {modules} / {crossed}, the goal is {bounds}"
            for command, modules, crossed, bounds in rows
            if (goal := GOALS[command]) and (modules > goal[0] or crossed > goal[1])
        ]
    )


def walks(repository: str, program: str) -> dict[str, tuple[int, dict[str, int]]]:
    """For each command the number of modules it enters, and how often it crosses which border."""
    with tempfile.TemporaryDirectory(
        prefix="gitmem-bench-", ignore_cleanup_errors=True
    ) as temporary:
        place = Path(temporary) / "repo"
        env = isolated_environment(Path(temporary) / "home") | {
            "PYTHONPATH": program,
            "WALKED": str(Path(temporary) / "walked"),
            "GITMEM_BACKUP_INTERVAL_HOURS": "0",
            "GITMEM_COPY_MODE": "off",
        }
        subprocess.run(["git", "clone", "-q", repository, str(place)], env=env, check=True)
        _run(["-m", "gitmem", "init"], place, env)
        walked = {}
        for command, words in _WORDS.items():
            if words == ["drain"]:
                _commit_a_line(place, env)
            message = {"session_id": "walk", "cwd": str(place), "hook_event_name": "SessionStart"}
            _run(
                ["-c", _TRACER, "", *words], place, env, json.dumps(message | {"source": "startup"})
            )
            modules, pairs = json.loads(Path(env["WALKED"]).read_text("utf-8"))
            walked[command] = modules, pairs
        return walked


def _run(words: list[str], place: Path, env: Mapping[str, str], message: str = "") -> None:
    done = subprocess.run(
        [sys.executable, "-P", *words], cwd=place, env=dict(env), input=message, text=True,
        capture_output=True, check=False,
    )  # fmt: skip
    if done.returncode:
        raise SystemExit(f"{words[-1]} failed: {done.stderr}")


def _commit_a_line(place: Path, env: Mapping[str, str]) -> None:
    """Add a line to a source file of middle size, commit it, and leave the drain to be run."""
    command = ["git", "ls-files", "*.py"]
    listed = subprocess.run(command, cwd=place, capture_output=True, text=True, check=True).stdout
    files = sorted((place / name for name in listed.split()), key=os.path.getsize)
    with files[len(files) // 2].open("a", encoding="utf-8") as file:
        file.write("\n# Walked.\n")
    # The hook starts no drain while the last one lives, which is us: the counted one finds it.
    (place / ".gitmem" / "spool" / "drain").write_text(f"{os.getpid()}\n", "utf-8")
    subprocess.run(
        ["git", "commit", "-qam", "Add a line"], cwd=place, env=dict(env), check=True,
        stdout=subprocess.DEVNULL,
    )  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
