"""Which documents answer a question to a memory: gitmem's answers, for a scorer to judge.

    python -m tests.bench.memory --data DIR --out RUN.jsonl [--level doc|parent]
        [--mode keyword|hybrid|semantic] [--without part,part] [--keep DIR] [--limit 100]
        [--contextual always|off] [--text-only]

DIR holds ``corpus.jsonl.gz`` (``id``, ``group``, ``text``, ``ts``, ...) and ``queries.jsonl.gz``
(``id``, ``group``, ``text``; judgements are not read). Each group is a store of its own, and its
documents go in as what they are, which their fields tell:

* with ``files``: commits, written by `git fast-import`, indexed, and asked for by `search --in
  commits`;
* without ``ts``: functions, each a file of a plain folder, asked for by `search --in code`;
* the others: memories, taken in by `import` in their order, each with its time, title and kind, its
  ``parent`` as its session. The ``recall`` operation answers.

RUN gets a line for each question: ``id``, ``ranked`` (document ids, best first) and ``ms``. It is
the same at both levels: the scorer maps documents to parents. ``--keep`` names a folder that keeps
the stores for the next run. ``--contextual always`` asks memories as a server does, by both models;
``--text-only`` gives their texts to ``remember -`` and nothing of when or where they were said.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any

from gitmem.app import App
from gitmem.clock import FixedClock, format_iso, parse_iso
from gitmem.model import ids, kinds
from gitmem.operations.find import recall, search
from gitmem.operations.maintenance import export_import
from gitmem.operations.remember import remember
from tests.bench import measure, stores

DAY = 86_400_000
# What a memory holds: of a longer message the beginning goes in.
LONGEST = 32_768
_HEADS = ("group", "docs", "index s", "queries", "p50 ms", "p95 ms")
_QUERY = ("id", "group", "text")

Document = dict[str, Any]
# A question's text -> document ids, the best first.
Ask = Callable[[str], list[str]]


def main(words: list[str] | None = None) -> int:
    """Run it; the exit status."""
    given = _arguments().parse_args(words)
    data = Path(given.data)
    groups: dict[str, list[Document]] = defaultdict(list)
    for document in stores.rows(data / "corpus.jsonl.gz"):
        groups[document["group"]].append(document)
    questions = [
        {name: row[name] for name in _QUERY} for row in stores.rows(data / "queries.jsonl.gz")
    ]
    answers: list[dict[str, Any]] = []
    table: list[tuple[object, ...]] = []
    with stores.home(given.keep) as home:
        for group, documents in groups.items():
            place = home / "memory" / f"{data.resolve().name}-{fingerprint(documents, given)}"
            begin = time.perf_counter()
            app, ask = kind(documents)(place, documents, home, given)
            took = time.perf_counter() - begin
            found = list(
                _answers(ask, [question for question in questions if question["group"] == group])
            )
            app.close()
            answers += found
            times = [item["ms"] for item in found]
            shares = [measure.percentile(times, share) for share in (0.5, 0.95)] if times else []
            table.append((group, len(documents), f"{took:.2f}", len(found), *shares))
    stores.write_rows(given.out, answers)
    print(measure.machine())
    print(measure.table(_HEADS, table))
    print(f"score with: {_scoring(data, given)}")
    return 0


def _arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--level", choices=("doc", "parent"), default="doc")
    parser.add_argument("--mode", choices=("keyword", "hybrid", "semantic"), default="keyword")
    parser.add_argument("--without", default="")
    parser.add_argument("--keep")
    parser.add_argument("--contextual", choices=("always", "off"), default="off")
    parser.add_argument("--text-only", action="store_true")
    parser.add_argument("--limit", type=int, default=100)
    return parser


def fingerprint(documents: list[Document], given: argparse.Namespace) -> str:
    text = json.dumps(documents, sort_keys=True).encode() + b"text" * given.text_only
    return hashlib.sha256(text).hexdigest()[:12]


def kind(documents: list[Document]) -> Callable[..., tuple[App, Ask]]:
    """What opens a store of such documents: of commits, of memories or of functions."""
    if "files" in documents[0]:
        return _commits
    return opened if "ts" in documents[0] else _functions


def _answers(ask: Ask, questions: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    if questions:
        ask("warm up")
    for question in questions:
        begin = time.perf_counter()
        ranked = ask(question["text"])
        took = (time.perf_counter() - begin) * 1000
        yield {"id": question["id"], "ranked": ranked, "ms": round(took, 2)}


def opened(
    place: Path, documents: list[Document], home: Path, given: argparse.Namespace
) -> tuple[App, Ask]:
    """Conversation turns and other memories, in a store of a repository without files."""
    with stores.being_made(place) as fresh:
        if fresh:
            stores.empty_repository(fresh)
    app = stores.app_in(place, stores.settings(home, given.without, given.contextual))
    times = [moment(document["ts"]) for document in documents]
    # The day after the last of them, so that the age of a memory is what it was then.
    app.clock = FixedClock(max(times) + DAY)
    stores.set_up(app)
    if given.text_only:
        return app, _of_texts(app, place, documents, given)
    known = names_of(documents)
    lines = {id: (item, moment(item["ts"])) for id, item in known.items()}
    if stores.count(app, "memories") != len(documents):
        text = "\n".join(_line(id, number, *lines[id]) for number, id in enumerate(lines))
        done = export_import.import_memories(app, export_import.ImportRequest(text, piped=True))
        assert not done.failed, done.problems[:3]
    while stores.refreshed(app).memories:
        pass  # A run reads for two minutes; asked are both models only when all is read.

    def ask(text: str) -> list[str]:
        return [lines[id][0]["id"] for id in _recalled(app, text, given)]

    return app, ask


def moment(text: str) -> int:
    """Milliseconds since the epoch of an ISO date, or of a day written ``March-15-2024``."""
    with suppress(ValueError):
        return int(datetime.strptime(f"{text} +0000", "%B-%d-%Y %z").timestamp() * 1000)
    return parse_iso(text)


def names_of(documents: list[Document]) -> dict[str, Document]:
    """The documents by the ids of the memories that they become."""
    return {_record_id(number, moment(item["ts"])): item for number, item in enumerate(documents)}


def _of_texts(app: App, place: Path, documents: list[Document], given: argparse.Namespace) -> Ask:
    """The same by their texts alone; what the store calls each is kept beside it."""
    known = place / "ids.json"
    if not known.exists():
        text = "\n".join(json.dumps({"content": document["text"]}) for document in documents)
        done = remember.remember(
            app, remember.RememberRequest(text, duplicates="allow", piped=True)
        )
        assert not done.failed
        names = {item.id: documents[item.line - 1]["id"] for item in done.items}
        known.write_text(json.dumps(names))
    while stores.refreshed(app).memories:
        pass
    names = json.loads(known.read_text())
    return lambda text: [names[id] for id in _recalled(app, text, given)]


def _record_id(number: int, at: int) -> str:
    return ids.new_ulid(at, number.to_bytes(10, "big"))


def _line(id: str, number: int, document: Document, at: int) -> str:
    """A line of an export. Turns share the time of their session, so order is in milliseconds."""
    kind = document.get("kind", "conversation" if "parent" in document else "note")
    record = {
        "type": "memory",
        "id": id,
        "content": document["text"].encode()[:LONGEST].decode(errors="ignore"),
        "title": document.get("title", ""),
        "kind": kinds.canonical_memory_kind(kind) or "note",
        "session": document.get("parent", ""),
        "tags": document.get("tags", []),
        "created_at": f"{format_iso(at)[:-1]}.{number % 1000:03d}Z",
    }
    return json.dumps(record)


def _recalled(app: App, text: str, given: argparse.Namespace) -> list[str]:
    request = recall.RecallRequest(text, mode=given.mode, limit=given.limit)
    return [memory.id for memory in recall.recall_memories(app, request).memories]


def _searched(app: App, text: str, source: str, given: argparse.Namespace) -> Any:
    request = search.SearchRequest(text, sources=(source,), mode=given.mode, limit=given.limit)
    return search.search_all_sources(app, request).hits


def _functions(
    place: Path, documents: list[Document], home: Path, given: argparse.Namespace
) -> tuple[App, Ask]:
    """Functions, each a file of a plain folder."""
    with stores.being_made(place) as fresh:
        if fresh:
            for document in documents:
                (fresh / f"{document['id']}.py").write_text(document["text"], encoding="utf-8")
    app = stores.app_in(place, stores.settings(home, given.without, given.contextual))
    stores.set_up(app, folder=True)
    stores.refreshed(app)

    def ask(text: str) -> list[str]:
        found = [hit.path for hit in _searched(app, text, "code", given)]
        return [path.removesuffix(".py") for path in dict.fromkeys(found)]

    return app, ask


def _commits(
    place: Path, documents: list[Document], home: Path, given: argparse.Namespace
) -> tuple[App, Ask]:
    """Commits with their messages, dates and the names of the files they changed, on one branch."""
    with stores.being_made(place) as fresh:
        if fresh:
            stores.empty_repository(fresh)
            stream = b"".join(_commit(number, item) for number, item in enumerate(documents))
            env = stores.environment(home)
            words = ("fast-import", "--quiet", "--export-marks=.git/marks")
            stores.git(fresh, env, *words, stdin=stream)
    names = {}
    for line in (place / ".git" / "marks").read_text().splitlines():
        mark, sha = line.split()
        names[sha] = documents[int(mark[1:]) - 1]["id"]
    app = stores.app_in(place, stores.settings(home, given.without, given.contextual))
    stores.set_up(app)
    stores.refreshed(app)

    def ask(text: str) -> list[str]:
        return [names[hit.commit] for hit in _searched(app, text, "commits", given)]

    return app, ask


def _commit(number: int, document: Document) -> bytes:
    """A commit for `git fast-import`. What the files hold is made up: only names are known."""
    when = moment(document["ts"]) // 1000
    message = document["text"].encode("utf-8", "surrogateescape")
    parts = [
        b"commit refs/heads/main\n",
        b"mark :%d\n" % (number + 1),
        b"committer Someone <someone@example.org> %d +0000\n" % when,
        b"data %d\n%s\n" % (len(message), message),
    ]
    content = b"%d\n" % number
    for name in document["files"]:
        quoted = name.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
        parts.append(f'M 100644 inline "{quoted}"\n'.encode())
        parts.append(b"data %d\n%s\n" % (len(content), content))
    return b"".join([*parts, b"\n"])


def _scoring(data: Path, given: argparse.Namespace) -> str:
    parent = f" --level parent --corpus {data}/corpus.jsonl.gz" if given.level == "parent" else ""
    return f"{data.parent}/score.py {data}/queries.jsonl.gz {given.out}{parent}"


if __name__ == "__main__":
    sys.exit(main())
