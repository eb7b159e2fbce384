"""Health: what is fresh, what fades soon, sizes and index, and the checks with their remedies."""

from __future__ import annotations

import re
from typing import Any

from gitmem.app import App
from gitmem.assembly import store_health
from gitmem.charts import network, static_assets
from gitmem.http.pages.forms import Action, Form, FormOutcome, FormResponsePage, VerbPerformer
from gitmem.http.pages.page import Page, PageParameters
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


def read_health_page_data(app: App, query: PageParameters) -> dict[str, Any]:
    """A dict to show in the page on the health of the memory database and the code index.

    The parameter ``forecast=1`` in ``query`` adds how many memories will be archived each week.
    """
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
        "picture": network.stacked_bar_chart(_WEEKS, [("memories that fade", fading)])
        if fading and any(fading)
        else None,
        "forecast_href": make_address("doctor", forecast=1),
    }


def doctor_findings(doctor_result: dict[str, Any]) -> list[dict[str, str]]:
    """The findings of `gitmem doctor` as dicts, problems first, each with what helps.

    ``action`` and ``label`` are those of a button, ``command`` is a command to copy; both may be
    empty.
    """
    order = {"problem": 0, "note": 1, "fixed": 2, "ok": 3}
    rows = []
    for finding in sorted(doctor_result["findings"], key=lambda row: order[row["state"]]):
        command = match[1] if (match := _COMMAND.search(finding["hint"])) else ""
        action, label = REMEDIES.get(command, ("", ""))
        rows.append(
            {**finding, "action": action, "label": label, "command": "" if action else command}
        )
    return rows


async def _check(perform_verb: VerbPerformer, form: Form) -> FormResponsePage:
    fix = form.text("fix") == "1"
    examined = await perform_verb("doctor", **({"fix": True} if fix else {}))
    rows = doctor_findings(examined)
    wrong = [row for row in rows if row["state"] in ("problem", "note")]
    return FormResponsePage(
        "checks.html",
        {"wrong": wrong, "rest": rows[len(wrong) :], "failed": examined["failed"], "fixed": fix},
        200,
    )


async def _repair(perform_verb: VerbPerformer, _form: Form) -> FormResponsePage:
    return await _check(perform_verb, Form([("fix", "1")]))


async def _backup(perform_verb: VerbPerformer, _form: Form) -> FormOutcome:
    backup = await perform_verb("backup")
    return FormOutcome(f"Made a backup: {backup['written']}.", at="/doctor")


async def _index(perform_verb: VerbPerformer, _form: Form) -> FormOutcome:
    await perform_verb("index")
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
    read_health_page_data,
    "Health",
    "doctor",
    (static_assets.STYLE, *static_assets.SCRIPTS),
)
