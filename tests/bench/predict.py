"""Whether the files that a commit changed are predicted from one of them: `gitmem predict`.

    python -m tests.bench.predict --manifest M --checkouts DIR --queries Q --histories CLONES
        [--repos a,b] [--keep DIR]

Manifest, checkouts and questions are those of ``tests.bench.code`` for set B: the index holds the
state and the history before the commits that are asked about. Of each commit with two or more known
files one file is given, each in turn; a hit is where one of the others is among the ten predicted.
Beside the hit rate: the share of the others that is predicted, and the same by commits alone and
by imports alone. No sessions are recorded in a history, so what was viewed and asked counts for
nothing here.
"""

from __future__ import annotations

import sys
import time
from collections import defaultdict
from typing import Any

from gitmem.app import App
from gitmem.operations.find import predict
from gitmem.store.code import chunks
from tests.bench import code, measure, stores

_HEADS = ("repository", "given", "hit rate", "share found", "by commits", "by imports", "cpu p50")
_ALONE = ("changed together", "imports")


def main(words: list[str] | None = None) -> int:
    """Run it; the exit status is always 0: there is no bar."""
    parser = code.arguments()
    parser.description = __doc__
    for action in parser._actions:
        if action.dest == "out":
            action.required, action.default = False, ""
    given = parser.parse_args([*(sys.argv[1:] if words is None else words), "--scope", "repo"])
    questions: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for question in stores.rows(given.queries):
        questions[question["repo"]].append(question)
    every: list[dict[str, Any]] = []
    table: list[tuple[object, ...]] = []
    with stores.home(given.keep) as place:
        settings = stores.settings(place, given.without)
        for entry in code.chosen(given):
            app, _ = code.indexed(entry, given, place, settings)
            known = {path for path, _ in chunks.paths_and_languages(app.store, app.worktree)}
            found = [
                _query(app, path, set(paths) - {path})
                for question in questions[entry["repo"]]
                for paths in [[item for item in question["relevant"] if item in known]]
                for path in (paths if len(paths) > 1 else ())
            ]
            app.close()
            every += found
            table.append(_row(entry["repo"], found))
    print(measure.machine())
    print(measure.table(_HEADS, [*table, _row("all", every)]))
    return 0


def _query(app: App, path: str, others: set[str]) -> dict[str, Any]:
    begin = time.process_time()
    files = predict.predict_next_files(app, predict.PredictFilesRequest(path)).files
    took = (time.process_time() - begin) * 1000
    output = {file.path for file in files}
    alone = {
        source: bool(others & {file.path for file in files if source in file.why})
        for source in _ALONE
    }
    return {
        "hit": bool(others & output),
        "share": len(others & output) / len(others),
        "cpu": took,
        **alone,
    }


def _row(name: str, found: list[dict[str, Any]]) -> tuple[object, ...]:
    if not found:
        return (name, 0, *[""] * (len(_HEADS) - 2))
    rates = [
        f"{sum(item[key] for item in found) / len(found):.3f}" for key in ("hit", "share", *_ALONE)
    ]
    return (name, len(found), *rates, measure.percentile([item["cpu"] for item in found], 0.5))


if __name__ == "__main__":
    sys.exit(main())
