"""What one ``gitmem search`` and one ``gitmem recall`` cost in a process of their own.

    python -m tests.bench.search --repository PATH [--runs 10] [--json FILE]

A clone of the repository (flask, say) is set up and given some memories; then each question is
asked by words and by words and meaning. The unit is CPU, as a multiple of ``python -c pass`` in the
same run; the bar is 18.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.bench import measure
from tests.support import cli

BAR = 18.0
BARE = "python -c pass"
QUESTIONS = {
    "sentence": "where is the request context pushed",
    "identifier": "stream_with_context",
    "frequent words": "app request test",
}
FACTS = (
    "The development server reloads when a template changes",
    "Blueprints are registered before the first request",
    "Sessions are signed with the secret key and never encrypted",
    "Configuration comes from environment variables in production",
)


def main() -> int:
    """Run it; the exit status."""
    options = measure.arguments(__doc__ or "", 10)
    options.add_argument("--repository", required=True, help="what to clone and ask")
    options.add_argument("--json", help="a file to write the numbers to")
    given = options.parse_args()
    with tempfile.TemporaryDirectory(prefix="gitmem-bench-") as temporary:
        place = Path(temporary) / "clone"
        env = cli.environment(
            Path(temporary) / "home", GITMEM_BACKUP_INTERVAL_HOURS="0", GITMEM_COPY_MODE="off"
        )
        env = measure.child_environment(env) | {"PYTHONPATH": env["PYTHONPATH"]}
        subprocess.run(["git", "clone", "-q", given.repository, str(place)], env=env, check=True)
        measure.run(cli.command("init", "--no-hooks"), cwd=place, env=env)
        for fact in FACTS:
            measure.run(cli.command("remember", fact), cwd=place, env=env)
        jobs = {BARE: [sys.executable, "-c", "pass"]}
        for mode in ("keyword", "hybrid"):
            for verb in ("search", "recall"):
                for name, text in QUESTIONS.items():
                    jobs[f"{verb}, {mode}, {name}"] = cli.command(verb, text, "--mode", mode)
        timings = measure.sample(jobs, given.runs, cwd=place, env=env)
    bare = timings[BARE].least
    ratios = {name: round(item.least / bare, 2) for name, item in timings.items()}
    rows = [
        (name, item.least, measure.median(item.cpu), min(item.wall), f"{ratios[name]:.2f}")
        for name, item in timings.items()
    ]
    print(measure.machine())
    print(measure.table(("", "CPU min", "CPU median", "wall min", "ratio"), rows))
    if given.json:
        Path(given.json).write_text(json.dumps({"ratios": ratios, "bare_ms": bare}, indent=1))
    return measure.verdict(
        [
            f"{name}: {ratio:.1f} times a bare Python, the bar is {BAR:g}"
            for name, ratio in ratios.items()
            if ratio > BAR
        ]
    )


if __name__ == "__main__":
    sys.exit(main())
