"""Health: what is fresh, what fades soon, sizes and index, and the checks with their remedies."""

from __future__ import annotations

import re
from typing import Any

from gitmem.app import App
from gitmem.assembly import store_health
from gitmem.charts import library, network
from gitmem.http.pages.forms import Action, AnswerPage, Do, Form, FormOutcome
from gitmem.http.pages.page import Page, Query
from gitmem.http.pages.rendering import make_address
from gitmem.indexing import index_summary
from gitmem.model.anchor import STALE
from gitmem.operations.registry import as_json_values

_WEEKS = ("this week", "next week", "the third week", "the fourth week")
_COMMAND = re.compile(r"`gitmem ([^`]+)`")
# Commands in a check's hint that a button can run: command -> (action, its label).
REMEDIES = {
    "backup": ("backup", "Make a backup"),
    "index": ("index", "Update the index"),
    "doctor --fix": ("repair", "Repair"),
}


def read_health(app: App, query: Query) -> dict[str, Any]:
    """Data of the page on the store's health; ``forecast=1`` counts what will be archived too."""
    health = store_health.measure_store_health(app, forecast_decay=query.text("forecast") == "1")
    fading = health.fading
    stale = sum(health.freshness.get(word, 0) for word in STALE)
    return {
        **as_json_values(health),
        "stale": stale,
        "unchecked": health.freshness.get("unknown", 0),
        "index_line": index_summary.describe_index(health.index),
        "weeks": []
        if fading is None
        else [{"name": name, "count": count} for name, count in zip(_WEEKS, fading, strict=True)],
        "picture": network.bars(_WEEKS, [("memories that fade", fading)])
        if fading and any(fading)
        else None,
        "forecast_href": make_address("doctor", forecast=1),
    }


def doctor_findings(examined: dict[str, Any]) -> list[dict[str, str]]:
    """What `gitmem doctor` found, problems first, each with the button or command that helps.

    ``action`` and ``label`` are those of a button, ``command`` is another command to copy; both may
    be empty.
    """
    order = {"problem": 0, "note": 1, "fixed": 2, "ok": 3}
    rows = []
    for finding in sorted(examined["findings"], key=lambda row: order[row["state"]]):
        command = match[1] if (match := _COMMAND.search(finding["hint"])) else ""
        action, label = REMEDIES.get(command, ("", ""))
        rows.append(
            {**finding, "action": action, "label": label, "command": "" if action else command}
        )
    return rows


async def _check(do: Do, form: Form) -> AnswerPage:
    fix = form.text("fix") == "1"
    examined = await do("doctor", **({"fix": True} if fix else {}))
    rows = doctor_findings(examined)
    wrong = [row for row in rows if row["state"] in ("problem", "note")]
    return AnswerPage(
        "checks.html",
        {"wrong": wrong, "rest": rows[len(wrong) :], "failed": examined["failed"], "fixed": fix},
        200,
    )


async def _repair(do: Do, _form: Form) -> AnswerPage:
    return await _check(do, Form([("fix", "1")]))


async def _backup(do: Do, _form: Form) -> FormOutcome:
    made = await do("backup")
    return FormOutcome(f"Made a backup: {made['written']}.", at="/doctor")


async def _index(do: Do, _form: Form) -> FormOutcome:
    await do("index")
    return FormOutcome("Updating the index has begun.", at="/jobs")


ACTIONS: dict[str, Action] = {
    "check": _check,
    "repair": _repair,
    "backup": _backup,
    "index": _index,
}
HEALTH = Page(
    "health",
    "/doctor",
    "Is the memory well?",
    read_health,
    "Health",
    "doctor",
    (library.STYLE, *library.SCRIPTS),
)
