"""How long the steps of the Action take for a pull request, with a warm cache.

    python -m tests.bench.pull_request /path/to/clone [--depth N] [--keep FOLDER]

A copy of the clone gets a job for its main branch, which fills the cache, then one for a pull
request of three files. ``--keep`` writes its summary and data to a folder.
"""

from __future__ import annotations

import argparse
import subprocess
import tempfile
from pathlib import Path

from tests.action.composite import Job, Project
from tests.support.repos import RepoBuilder

LINES = "\n\ndef added_{0}(value):\n    return eval(value)\n"
RULE = '{"kind": "convention", "content": "Never call `eval()`."}\n'


def copy(source: Path, target: Path, depth: int) -> RepoBuilder:
    """A clone, of the newest commits only if ``depth`` says so."""
    only = [f"--depth={depth}"] if depth else []
    place = source.resolve().as_uri()
    subprocess.run(["git", "clone", "-q", *only, place, str(target)], check=True)
    repo = RepoBuilder(target, init=False)
    repo.git("switch", "-qC", "main")
    return repo


def opened(repo: RepoBuilder) -> tuple[str, str, str]:
    """A pull request that changes three files of code, merged as GitHub does."""
    repo.commit("Agree on rules", {"rules.jsonl": RULE})
    base = repo.git("rev-parse", "HEAD").strip()
    repo.git("switch", "-qc", "pull")
    paths = [path for path in repo.git("ls-files", "*.py").splitlines() if "test" not in path][:3]
    for number, path in enumerate(paths):
        file = repo.path / path
        file.write_text(file.read_text() + LINES.format(number))
    head = repo.commit("Add helpers\n\nWe decided to evaluate texts instead of parsing because "
                       "parsers are slow.").strip()  # fmt: skip
    repo.git("switch", "-q", "--detach", "main")
    repo.git("merge", "-q", "--no-ff", "-m", "Merge", "pull")
    return "7", base, head


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, add_help=True)
    parser.add_argument("clone", type=Path)
    parser.add_argument("--depth", type=int, default=0)
    parser.add_argument("--keep", type=Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        repo = copy(given.clone, Path(folder) / "repo", given.depth)
        project = Project(repo, Path(folder) / "runner", ordinary=True)
        print(f"{int(repo.git('rev-list', '--count', 'HEAD')):,} commits")
        shown("cold, push", project.job().run())
        pull = opened(repo)
        job: Job = project.job()
        done = job.run({"memories": "rules.jsonl"}, pull, GITHUB_EVENT_NAME="pull_request")
        shown("warm, pull request", done)
        assert done.status == 0 and done.outputs["cache-hit"] == "true", done.log
        if given.keep:
            given.keep.mkdir(parents=True, exist_ok=True)
            (given.keep / "summary.md").write_text(done.summary)
            for name, content in job.attached.items():
                (given.keep / name.rpartition("/")[2]).write_bytes(content)


def shown(title: str, done: object) -> None:
    seconds = done.seconds  # type: ignore[attr-defined]
    print(f"{title}: {sum(seconds.values()):.1f} s")
    for name, value in seconds.items():
        print(f"  {value:6.1f}  {name}")


if __name__ == "__main__":
    main()
