"""Everyday questions: whether the default search has the right place among its first three.

    python -m tests.bench.everyday --clones DIR [--questions Q.jsonl] [--held] [--mode hybrid]
        [--show KIND] [--keep DIR] [--ask] [--style imperative|topic|symptom|keywords]

DIR holds a clone of each repository of ``everyday.json``, by its name; each is cloned again at the
commit the questions were written for, indexed with its history, and asked through the ``search``
operation as a person asks it: all sources, the default mode. Of each kind of question the table
gives the share with a right place in the first three, in the first, and that with the right file.
A question of the kind ``none`` has no answer: right is to say so (the relevance is not "good").
``--held`` asks the third that is kept from tuning, everything else the rest. ``--style`` asks only
the questions of ``everyday_styles.jsonl``, worded as an imperative, a topic of a few words, what
goes wrong, or keywords; ``question`` asks the same ones as they are.

``--table`` asks every set below this folder and every style, in one run, and prints a row for each
set and kind, and one for each style over all sets. ``--other FILE`` adds a set that lies elsewhere,
whose questions are called ``query``, of a ``category``, with the commit of their repository.

``--ask`` asks `gitmem ask` instead: the share of questions with an answer one of whose cited places
is right, with "I do not know", of cited sentences that stand in the lines they cite as they are on
the disk, places cited, and milliseconds of CPU a question with model and store open.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from gitmem.app import App
from gitmem.assembly.cited_answer import CitedSentence, CitedSource
from gitmem.operations.find import ask, search
from gitmem.retrieval.hit_view import HitItem
from gitmem.text.fence import make_printable
from gitmem.text.redact import redact
from tests.bench import measure, stores

QUESTIONS = Path(__file__).with_name("everyday.jsonl")
REPOSITORIES = Path(__file__).with_name("everyday.json")
STYLES = Path(__file__).with_name("everyday_styles.jsonl")
SETS = ("everyday", "everyday_more", "everyday_third", "everyday_fourth")
WORDINGS = ("question", "imperative", "topic", "symptom", "keywords")
# What the kinds of question are called in a set that lies elsewhere.
CATEGORIES = {"howto": "how-to", "ident": "identifier", "tests": "test"}
TOP = 3
NONE = "none"
ASK_COLUMNS = ("kind", "questions", "cited", "unknown", "drawn", "places", "ms p50")


@dataclass
class Answer:
    """How an answer did: ``cited`` a right place, ``unknown`` said so, sentences ``drawn`` of all.

    ``places`` counts what it cites, ``milliseconds`` are of CPU.
    """

    cited: bool
    unknown: bool
    drawn: int
    sentences: int
    places: int
    milliseconds: float


def main(words: list[str] | None = None) -> int:
    """Run it; the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--clones", required=True)
    parser.add_argument("--questions", default=str(QUESTIONS))
    parser.add_argument("--repositories", default=str(REPOSITORIES))
    parser.add_argument("--held", action="store_true")
    parser.add_argument("--mode", default="hybrid")
    parser.add_argument("--show", default="")
    parser.add_argument("--keep")
    parser.add_argument("--ask", action="store_true")
    parser.add_argument("--style", choices=WORDINGS)
    parser.add_argument("--table", action="store_true")
    parser.add_argument("--other")
    given = parser.parse_args(words)
    if given.table:
        with stores.home(given.keep) as place:
            verdicts = _every_set(given, place)
        print(measure.table(("questions", "", "top 3", "first", "file", "sure"), _rows(verdicts)))
        return 0
    query: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for question in _worded(stores.rows(given.questions), given.style):
        if question["held"] == given.held:
            query[question["repo"]].append(question)
    verdicts: dict[str, list[tuple[bool, bool, bool, bool]]] = defaultdict(list)
    answers: dict[str, list[Answer]] = defaultdict(list)
    with stores.home(given.keep) as place:
        for name, entry in json.loads(Path(given.repositories).read_text()).items():
            app = _indexed(name, entry["commit"], Path(given.clones), place)
            for question in query[entry["repo"]]:
                if given.ask:
                    item = _query(app, question, show=given.show in (question["kind"], "all"))
                    answers[question["kind"]].append(item)
                    continue
                found = search.search_all_sources(
                    app, search.SearchRequest(question["question"], mode=given.mode)
                )
                verdict = _verdict(question, found)
                verdicts[question["kind"]].append(verdict)
                if given.show in (question["kind"], "all") and not verdict[0]:
                    _show(question, found)
            app.close()
    if given.ask:
        print(measure.table(ASK_COLUMNS, _answer_rows(answers)))
        return 0
    answered = [item for kind, some in verdicts.items() if kind != NONE for item in some]
    table = [*_rows(verdicts), _row("with an answer", answered)]
    print(measure.table(("kind", "questions", "top 3", "first", "file", "sure"), table))
    return 0


def _every_set(
    given: argparse.Namespace, home: Path
) -> dict[str, list[tuple[bool, bool, bool, bool]]]:
    """The verdicts on all sets, by set and kind, and on their questions in each style, by style."""
    verdicts: dict[str, list[tuple[bool, bool, bool, bool]]] = defaultdict(list)
    for name, questions, repositories in _sets(given):
        questions = [question for question in questions if question["held"] == given.held]
        worded = [(f"{name}: {question['kind']}", question) for question in questions]
        if name in SETS:
            worded += [
                (f"style: {style}", question)
                for style in WORDINGS
                for question in _worded(questions, style)
            ]
        for repository, entry in repositories.items():
            queries = [item for item in worded if item[1]["repo"] == entry["repo"]]
            if not queries:
                continue
            app = _indexed(repository, entry["commit"], Path(given.clones), home)
            for row, question in queries:
                found = search.search_all_sources(
                    app, search.SearchRequest(question["question"], mode=given.mode)
                )
                verdict = _verdict(question, found)
                verdicts[row].append(verdict)
                if question["kind"] != NONE and not row.startswith("style"):
                    verdicts[f"{name}, all with an answer"].append(verdict)
                if given.show in (question["kind"], row, "all") and not verdict[0]:
                    _show(question, found)
            app.close()
    return verdicts


def _sets(
    given: argparse.Namespace,
) -> Iterator[tuple[str, list[dict[str, Any]], dict[str, dict[str, str]]]]:
    """The name, the questions and the repositories of each set."""
    for name in SETS:
        place = Path(__file__).with_name(name)
        yield (
            name,
            list(stores.rows(place.with_suffix(".jsonl"))),
            json.loads(place.with_suffix(".json").read_text()),
        )
    if given.other and not given.held:
        rows = list(stores.rows(given.other))
        repositories = {
            row["repo"].partition("+")[2]: {"repo": row["repo"], "commit": row["commit"]}
            for row in rows
        }
        yield "other", [_from_elsewhere(row) for row in rows], repositories


def _from_elsewhere(row: dict[str, Any]) -> dict[str, Any]:
    gold = [
        item if "commit" in item else {**item, "lines": [item["first_line"], item["last_line"]]}
        for item in row["gold"]
    ]
    kind = CATEGORIES.get(row["category"], row["category"])
    return {**row, "question": row["query"], "kind": kind, "gold": gold, "held": False}


def _worded(questions: Iterable[dict[str, Any]], style: str | None) -> Iterator[dict[str, Any]]:
    """The questions, or those that are worded in a style."""
    worded = {row["id"]: row for row in stores.rows(STYLES)} if style else {}
    for question in questions:
        if not style:
            yield question
        elif question["id"] in worded:
            yield {**question, "question": worded[question["id"]].get(style, question["question"])}


def _indexed(name: str, commit: str, clones: Path, home: Path) -> App:
    place = home / "everyday" / f"{name}-{commit[:12]}"
    given = stores.settings(home)
    with stores.being_made(place) as fresh:
        if fresh:
            env = stores.environment(home)
            stores.git(home, env, "clone", "-q", "--no-checkout", str(clones / name), str(fresh))
            stores.git(fresh, env, "checkout", "-q", "--detach", commit)
    app = stores.app_in(place, given)
    stores.set_up(app)
    stores.refreshed(app)
    return app


def _verdict(question: dict[str, Any], found: search.SearchResult) -> tuple[bool, bool, bool, bool]:
    """Right in the first three, right first, the file in the first three, sure of itself."""
    sure = found.relevance == "good"
    if question["kind"] == NONE:
        return not sure, not sure, not sure, sure
    hits, gold = found.hits[:TOP], question["gold"]
    right = [any(_is_right(hit, item) for item in gold) for hit in hits]
    files = [any(hit.path and hit.path == item.get("path") for item in gold) for hit in hits]
    return any(right), right[:1] == [True], any(files) or any(right), sure


def _is_right(hit: HitItem, gold: dict[str, Any]) -> bool:
    """Whether a hit is the commit, or shows lines of the place."""
    if "commit" in gold:
        return bool(hit.commit) and gold["commit"].startswith(hit.commit)
    if hit.path != gold["path"]:
        return False
    if not gold["lines"] or hit.start_line is None or hit.end_line is None:
        return True
    first, last = gold["lines"]
    spans = [(hit.start_line, hit.end_line)]
    spans += [(int(a), int(b or a)) for a, _, b in (item.partition("-") for item in hit.also)]
    return any(start <= last and first <= end for start, end in spans)


def _query(app: App, question: dict[str, Any], *, show: bool) -> Answer:
    """One question asked twice, so that the second finds the model open."""
    request = ask.AskRequest(question["question"])
    ask.answer_question(app, request)
    began = time.process_time()
    found = ask.answer_question(app, request)
    took = 1000 * (time.process_time() - began)
    right = is_right(question, found)
    cited = found.known and right
    drawn = [_is_drawn(app, sentence, found.sources) for sentence in found.sentences]
    if show and not right:
        gold = [
            item.get("commit") or f"{item['path']}:{item['lines']}" for item in question["gold"]
        ]
        print(f"\n{question['id']} {question['kind']}: {question['question']}\n  gold {gold}")
        print("  " + ask.view(found).replace("\n", "\n  "))
    return Answer(cited, not found.known, sum(drawn), len(drawn), len(found.sources), took)


def is_right(question: dict[str, Any], found: ask.AskResult) -> bool:
    """Whether one of the places that are cited is right, or what has no answer gets none."""
    if question["kind"] == NONE:
        return not found.known
    return found.known and any(
        _is_cited(source, gold) for source in found.sources for gold in question["gold"]
    )


def _is_cited(source: CitedSource, gold: dict[str, Any]) -> bool:
    """Whether a source is the commit, or has lines of the place."""
    if "commit" in gold:
        return bool(source.commit) and gold["commit"].startswith(source.commit)
    if source.path != gold["path"] or not source.lines:
        return False
    if not gold["lines"]:
        return True
    first, last = gold["lines"]
    start, _, end = source.lines.partition("-")
    return int(start) <= last and first <= int(end or start)


def _is_drawn(app: App, sentence: CitedSentence, sources: tuple[CitedSource, ...]) -> bool:
    """Whether the words of a sentence follow one another in what it cites, as it is now."""
    cited = [source for source in sources if source.number in sentence.sources]
    return all(_words(sentence.text) in _words(_cited_text(app, item)) for item in cited)


def _cited_text(app: App, source: CitedSource) -> str:
    """What is cited, as it is on the disk, without secrets and control characters."""
    if not source.lines:
        return source.title
    first, _, last = source.lines.partition("-")
    lines = (Path(app.worktree) / source.path).read_text(errors="replace").split("\n")
    text = "\n".join(lines[int(first) - 1 : int(last or first)])
    return make_printable(redact(text).text)


def _words(text: str) -> str:
    words = re.findall(r"[^\W_]+", text)
    return f" {' '.join(words)} "


def _answer_rows(answers: dict[str, list[Answer]]) -> list[tuple[object, ...]]:
    table = [_answer_row(kind, some) for kind, some in sorted(answers.items())]
    answered = [item for kind, some in answers.items() if kind != NONE for item in some]
    return [*table, _answer_row("with an answer", answered)]


def _answer_row(kind: str, some: list[Answer]) -> tuple[object, ...]:
    sentences = sum(item.sentences for item in some)
    return (
        kind,
        len(some),
        f"{sum(item.cited for item in some) / len(some):.0%}",
        f"{sum(item.unknown for item in some) / len(some):.0%}",
        f"{sum(item.drawn for item in some) / sentences:.0%}" if sentences else "",
        f"{sum(item.places for item in some) / len(some):.1f}",
        f"{median(item.milliseconds for item in some):.0f}",
    )


def _show(question: dict[str, Any], found: search.SearchResult) -> None:
    gold = [item.get("commit") or f"{item['path']}:{item['lines']}" for item in question["gold"]]
    print(f"\n{question['id']} {question['kind']}: {question['question']}\n  gold {gold}")
    for hit in found.hits[:5]:
        output = hit.title if hit.commit else f"{hit.path}:{hit.start_line}-{hit.end_line}"
        print(f"  {hit.score:.2f} {output} [{'; '.join(hit.why)}]"[:180])
    print(f"  {found.relevance}")


def _rows(verdicts: dict[str, list[tuple[bool, bool, bool, bool]]]) -> list[tuple[object, ...]]:
    """A row for each kind."""
    return [_row(kind, some) for kind, some in sorted(verdicts.items())]


def _row(kind: str, some: list[tuple[bool, bool, bool, bool]]) -> tuple[object, ...]:
    shares = [
        f"{sum(item[at] for item in some) / len(some):.0%}" if some else "" for at in range(4)
    ]
    return (kind, len(some), *shares)


if __name__ == "__main__":
    sys.exit(main())
