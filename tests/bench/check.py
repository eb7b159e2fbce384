"""What `check` says of plans, and which memories are proposed as duplicates.

    python -m tests.bench.check [--half held-out|third|fourth] [--show]

``check_plans.json`` holds sixty plans beside thirty decisions in each half: twenty go against one
of them, twenty concern one and agree with it, twenty do neither. ``check_pairs.json`` holds fifty
pairs of memories in each half: 25 say the same in other words, 25 come near and differ in a name,
a number, an antonym, a negation or what they are about. All were written before any rule was tried
on them; rules were made on ``development``, and ``held-out`` (other domains) was run once after
that. Rules that were made after that look were run once on ``third`` (plans only, twenty
decisions), which was written before them. ``fourth`` (titles of decision records, subjects of
commits, plans of agents) was written before the rules that followed on these, and run once.
All texts of the pairs stand in one store: every pair that is proposed there counts, also one that
nobody wrote down as a pair.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Iterable
from itertools import combinations
from pathlib import Path
from typing import Any

from gitmem.agents.events import user_prompt
from gitmem.agents.events.hook_event import HookEvent
from gitmem.app import App
from gitmem.maintenance import duplicate_scan
from gitmem.memory.draft import LONGEST_TITLE
from gitmem.model.frozen import replace
from gitmem.operations.archive.archive import archive_memories
from gitmem.operations.check.check import CheckPlanRequest, check_plan
from gitmem.operations.outcomes import MemoryIdsRequest
from gitmem.operations.remember.decide import RecordDecisionRequest, record_decision
from gitmem.store.memory import suggestions
from tests.bench import measure
from tests.support.stores import add, make_app

PLANS = Path(__file__).with_name("check_plans.json")
PAIRS = Path(__file__).with_name("check_pairs.json")
BAR_SHOWN, BAR_AGAINST, BAR_FALSE = 0.90, 0.60, 0.10


def main() -> int:
    """Run it; the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--half", choices=("development", "held-out", "third", "fourth"), default="development"
    )
    parser.add_argument("--show", action="store_true", help="name what goes wrong")
    given = parser.parse_args()
    met = _plans(given.half, show=given.show)
    _prompts(given.half)
    _decided(given.half)
    if given.half in ("development", "held-out"):
        _pairs(given.half, show=given.show)
    return 0 if met else 1


def _plans(half: str, *, show: bool) -> bool:
    data = json.loads(PLANS.read_text(encoding="utf-8"))[half]
    counts = {label: [0, 0, 0, 0] for label in ("contradict", "concern", "neither")}
    with tempfile.TemporaryDirectory() as folder:
        app = make_app(Path(folder))
        ids = {
            add(app, text, kind="decision", duplicates="allow"): name
            for name, text in data["decisions"].items()
        }
        for row in data["plans"]:
            against, beside = _answer(app, row["plan"], ids)
            _count(counts[row["label"]], row["of"], against, beside)
            if show and _wrong(row, against, beside):
                print(f"{row['label']:10} {row['of']:4} ! {against} ~ {beside}  {row['plan'][:90]}")
    names = ("plans", "of", "its decision shown", "called against it", "others called against",
             "others shown")  # fmt: skip
    print(measure.table(names, [(label, 20, *row) for label, row in counts.items()]))
    shown = (counts["contradict"][0] + counts["concern"][0]) / 40
    against = counts["contradict"][1] / 20
    alarms = _alarms(counts)
    noise = counts["neither"][3] / 20
    print(f"what concerns is shown: {shown:.0%} (bar {BAR_SHOWN:.0%})")
    print(f"contradictions called such: {against:.0%} (bar {BAR_AGAINST:.0%})")
    print(f"plans that go against nothing and are said to: {alarms:.0%} (bar {BAR_FALSE:.0%})")
    print(f"plans that concern nothing and are shown something: {noise:.0%} (bar {BAR_FALSE:.0%})")
    return shown >= BAR_SHOWN and against >= BAR_AGAINST and max(alarms, noise) <= BAR_FALSE


def _prompts(half: str) -> None:
    """Each plan as the first prompt of a session: how many hooks warn of a conflict."""
    data = json.loads(PLANS.read_text(encoding="utf-8"))[half]
    rows: dict[str, list[int]] = {}
    with tempfile.TemporaryDirectory() as folder:
        app = make_app(Path(folder))
        for text in data["decisions"].values():
            add(app, text, kind="decision", duplicates="allow")
        for number, row in enumerate(data["plans"]):
            moment = HookEvent(
                "claude-code", "prompt", session=f"session-{number:04}", cwd=app.start
            )
            message = user_prompt.answer_prompt(app, replace(moment, prompt=row["plan"]))
            counts = rows.setdefault(row["label"], [0, 0])
            counts[0] += "may conflict with" in message
            counts[1] += bool(message)
    names = ("prompts", "of", "warned of a conflict", "told anything")
    print(measure.table(names, [(label, 20, *row) for label, row in rows.items()]))


def _decided(half: str) -> None:
    """The decisions, then each plan as one more: how many are said to contradict one in force."""
    data = json.loads(PLANS.read_text(encoding="utf-8"))[half]
    rows: dict[str, list[int]] = {"decisions": [0, 0, 0]}
    with tempfile.TemporaryDirectory() as folder:
        app = make_app(Path(folder))
        ids = {}
        for name, title in data["decisions"].items():
            result = record_decision(app, RecordDecisionRequest(title))
            ids[name] = result.id
            rows["decisions"][0] += 1
            rows["decisions"][2] += "may contradict" in " ".join(result.notes)
        for row in data["plans"]:
            result = record_decision(app, RecordDecisionRequest(row["plan"][:LONGEST_TITLE]))
            against = result.duplicate_of if "may contradict" in " ".join(result.notes) else ""
            right = row["label"] == "contradict" and against == ids[row["of"]]
            counts = rows.setdefault(row["label"], [0, 0, 0])
            counts[0] += 1
            counts[1] += right
            counts[2] += bool(against) and not right
            archive_memories(
                app, MemoryIdsRequest((result.id,))
            )  # no plan is held against another one
    names = ("decided", "of", "said to contradict its decision", "another one")
    print(measure.table(names, [(label, *row) for label, row in rows.items()]))


def _alarms(counts: dict[str, list[int]]) -> float:
    """The share of the forty plans that agree, or concern nothing, and are called a conflict."""
    agreeing = counts["concern"]
    return (agreeing[1] + agreeing[2] + counts["neither"][2]) / 40


def _answer(app: App, plan: str, ids: dict[str, str]) -> tuple[list[str], list[str]]:
    """The decisions that a plan is said to go against, and those that it concerns."""
    found = check_plan(app, CheckPlanRequest(plan))
    against = [ids[conflict.memory.id] for conflict in found.conflicts]
    return against, [ids[item.id] for item in found.related]


def _count(row: list[int], of: str, against: list[str], beside: list[str]) -> None:
    row[0] += of in (*against, *beside)
    row[1] += of in against
    row[2] += of not in against and bool(against)
    row[3] += bool({*against, *beside} - {of})


def _wrong(row: dict[str, str], against: list[str], beside: list[str]) -> bool:
    if row["label"] == "contradict":
        return row["of"] not in against or len(against) > 1
    if row["label"] == "concern":
        return row["of"] not in beside or bool(against)
    return bool(against or beside)


def _pairs(half: str, *, show: bool) -> None:
    output: list[dict[str, Any]] = json.loads(PAIRS.read_text(encoding="utf-8"))[half]
    texts = dict.fromkeys(text for row in output for text in (row["one"], row["other"]))
    same = {frozenset((row["one"], row["other"])) for row in output if row["label"] == "same"}
    written = {frozenset((row["one"], row["other"])): row["label"] for row in output}
    with tempfile.TemporaryDirectory() as folder:
        app = make_app(Path(folder))
        ids = {add(app, text): text for text in texts}
        duplicate_scan.suggest_duplicates(app, app.store)
        found = suggestions.pending_suggestions(app.store, 10_000)
        proposed = {frozenset((ids[item.memory], ids[item.other])): item.kind for item in found}
    rows = []
    for label in dict.fromkeys((*written.values(), "others")):
        pairs = [pair for pair in _all(texts) if written.get(pair, "others") == label]
        kinds = [proposed.get(pair, "") for pair in pairs]
        merges = sum(kind in ("merge", "duplicate") for kind in kinds)
        rows.append((label, len(pairs), merges, kinds.count("contradiction")))
    print(measure.table(("pairs", "of", "proposed as the same", "as a contradiction"), rows))
    wrong = {
        pair for pair, kind in proposed.items() if kind != "contradiction" and pair not in same
    }
    right = sum(proposed.get(pair) in ("merge", "duplicate") for pair in same)
    print(f"of what says the same proposed: {right} of {len(same)}; wrongly proposed: {len(wrong)}")
    if show:
        missed = [
            ("missed", pair) for pair in same if proposed.get(pair) in (None, "contradiction")
        ]
        odd = [
            (kind[:6], pair)
            for pair, kind in proposed.items()
            if pair not in written or pair in same
        ]
        for label, pair in (*missed, *odd, *(("wrong", pair) for pair in wrong)):
            print(f"{label:6} {' / '.join(sorted(pair))}")


def _all(texts: Iterable[str]) -> Iterable[frozenset[str]]:
    return map(frozenset, combinations(texts, 2))


if __name__ == "__main__":
    raise SystemExit(main())
