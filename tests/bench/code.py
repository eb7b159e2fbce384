"""Which files answer a question about a repository: gitmem's answers, for a scorer to judge.

    python -m tests.bench.code --manifest M --checkouts DIR --queries Q --out RUN.jsonl
        [--scope root|repo] [--histories CLONES] [--mode keyword|hybrid|semantic] [--limit 50]
        [--repos a,b] [--without part,part] [--in code,notes] [--keep DIR]

The manifest has a line for each repository (``repo``, ``root``, ``commit``, ``github``), the
queries one for each question (``id``, ``repo``, ``query``); judgements are not read. Each
repository's files, in DIR/<repo>, are copied, indexed, and asked through the ``search`` operation.
``--scope root`` takes only the folder that the manifest names and asks for code; ``--scope repo``
takes everything and asks for code and notes. ``--histories`` names a folder of clones
(owner+name/repo): the commits that the manifest's commit reaches, no others, are indexed as well.
RUN gets a line for each question: ``query_id``, ``ranked`` (paths in the order of the hits) and
``ms`` (wall milliseconds of the operation in a warm process). ``--keep`` names a folder that keeps
the stores for the next run.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from gitmem.app import App
from gitmem.git import layout
from gitmem.indexing import commit_history
from gitmem.operations.find import search
from gitmem.settings import Settings
from gitmem.store.db import projects
from tests.bench import measure, stores

# The commit up to which the history of a clone was read into a store.
_READ = "bench_history"
IN = {"root": "code", "repo": "code,notes"}
_HEADS = ("repository", "files", "chunks", "commits", "index s", "queries", "p50 ms", "p95 ms")


def arguments() -> argparse.ArgumentParser:
    """What can be said on the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for name in ("--manifest", "--checkouts", "--queries", "--out"):
        parser.add_argument(name, required=True)
    parser.add_argument("--scope", choices=tuple(IN), default="root")
    parser.add_argument("--histories", default="")
    parser.add_argument("--mode", choices=("keyword", "hybrid", "semantic"), default="keyword")
    parser.add_argument("--repos", default="")
    parser.add_argument("--without", default="")
    parser.add_argument("--in", dest="sources", default="")
    parser.add_argument("--keep")
    parser.add_argument("--limit", type=int, default=50)
    return parser


def main(words: list[str] | None = None) -> int:
    """Run it; the exit status."""
    given = arguments().parse_args(words)
    questions: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for question in stores.rows(given.queries):
        questions[question["repo"]].append(question)
    answers: list[dict[str, Any]] = []
    table: list[tuple[object, ...]] = []
    with stores.home(given.keep) as place:
        settings = stores.settings(place, given.without)
        for entry in chosen(given):
            app, took = indexed(entry, given, place, settings)
            found = list(_answers(app, questions[entry["repo"]], given))
            answers += found
            table.append(_row(app, entry["repo"], took, [item["ms"] for item in found]))
            app.close()
            print(measure.table(_HEADS, table).splitlines()[-1], file=sys.stderr, flush=True)
    stores.write_rows(given.out, answers)
    print(measure.machine())
    print(measure.table(_HEADS, table))
    every = [answer["ms"] for answer in answers]
    if every:
        half, late = (measure.percentile(every, share) for share in (0.5, 0.95))
        print(f"{len(every)} queries, wall ms of one search: p50 {half:.1f}, p95 {late:.1f}")
    return 0


def chosen(given: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """The entries of the manifest that are asked about and whose checkout is there."""
    only = set(filter(None, given.repos.split(",")))
    for entry in stores.rows(given.manifest):
        if only and entry["repo"] not in only:
            continue
        if Path(given.checkouts, entry["repo"]).is_dir():
            yield entry
        else:
            print(f"{entry['repo']}: not in {given.checkouts}, left out", file=sys.stderr)


def indexed(
    entry: dict[str, Any], given: argparse.Namespace, home: Path, settings: Settings
) -> tuple[App, float]:
    """gitmem in the copy of a repository, indexed; and the seconds indexing took."""
    kind = f"{given.scope}{'+history' if given.histories else ''}"
    place = home / "code" / f"{entry['repo']}-{entry['commit'][:12]}-{kind}"
    with stores.being_made(place) as fresh:
        if fresh:
            only = entry["root"] if given.scope == "root" else ""
            stores.copy_tree(Path(given.checkouts, entry["repo"]), fresh, only)
    app = stores.app_in(place, settings)
    begin = time.perf_counter()
    stores.set_up(app)
    if given.histories:
        _index_history(app, entry, Path(given.histories))
    stores.refreshed(app)
    return app, time.perf_counter() - begin


def _index_history(app: App, entry: dict[str, Any], clones: Path) -> None:
    """Index the commits up to the manifest's, read from its clone, if that is not done yet."""
    if projects.get_meta(app.store, _READ) == entry["commit"]:
        return
    clone = layout.find_repository(str(clones / entry["github"].replace("/", "+") / "repo"))
    most = app.settings.number("index.commits")
    commit_history.index_new_commits(clone, app.store, entry["commit"], "", most, app.progress)
    with app.store.write():
        projects.set_meta(app.store, _READ, entry["commit"])


def _answers(
    app: App, questions: list[dict[str, Any]], given: argparse.Namespace
) -> Iterator[dict[str, Any]]:
    sources = tuple((given.sources or IN[given.scope]).split(","))

    def ask(text: str) -> search.SearchResult:
        request = search.SearchRequest(text, sources=sources, mode=given.mode, limit=given.limit)
        return search.search_all_sources(app, request)

    if questions:
        ask("warm up")
    for question in questions:
        begin = time.perf_counter()
        found = ask(question["query"])
        took = (time.perf_counter() - begin) * 1000
        ranked = [hit.path for hit in found.hits if hit.path]
        yield {"query_id": question["id"], "ranked": ranked, "ms": round(took, 2)}


def _row(app: App, name: str, took: float, times: list[float]) -> tuple[object, ...]:
    counts = [stores.count(app, item) for item in ("paths", "chunks", "commits")]
    shares = [measure.percentile(times, share) for share in (0.5, 0.95)] if times else ["", ""]
    return (name, *counts, f"{took:.2f}", len(times), *shares)


if __name__ == "__main__":
    sys.exit(main())
