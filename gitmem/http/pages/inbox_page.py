"""The inbox: what waits for consent, pairs side by side, and deciding about them."""

from __future__ import annotations

from typing import Any

from gitmem.app import App
from gitmem.http.pages import differences
from gitmem.http.pages.forms import Action, Form, FormOutcome, Step, VerbPerformer
from gitmem.http.pages.page import Page, PageParameters, pager_links, result_of_verb
from gitmem.model.frozen import replace
from gitmem.model.suggestion import EVERYWHERE

PER_PAGE = 20


def read_inbox_page_data(app: App, query: PageParameters) -> dict[str, Any]:
    """A dict to show in the inbox: suggestions that wait for a person, the surest first.

    ``decided=1`` in ``query`` shows decided ones instead, ``offset`` skips some. ``parts`` are the
    differences between the texts of two memories.
    """
    decided = query.text("decided") == "1"
    offset = query.number("offset", 0, 10_000)
    listed = result_of_verb(app, "inbox", limit=PER_PAGE, offset=offset, resolved=decided or None)
    for item in listed["items"]:
        item["parts"] = []
        item["everywhere"] = item["other"] == EVERYWHERE
        if item["other"] and item["content"] and item["other_content"]:
            item["parts"] = differences.diff_words(item["other_content"], item["content"])
    return {
        "items": listed["items"],
        "total": listed["total"],
        "queued": listed["queued"],
        "decided": decided,
        "log": result_of_verb(app, "inbox", action="log", limit=PER_PAGE)["log"],
        "pages": pager_links(
            query,
            "/inbox",
            offset,
            len(listed["items"]),
            PER_PAGE,
            None if decided else listed["total"],
            len(listed["items"]) == PER_PAGE,
        ),
    }


async def _decide(perform_verb: VerbPerformer, form: Form, action: str, word: str) -> FormOutcome:
    more = {"supersede": form.texts("supersede")} if form.texts("supersede") else {}
    result = await perform_verb("inbox", action=action, id=form.memory_ids, **more)
    decided = [outcome for outcome in result["done"] if not outcome["error"]]
    errors = [outcome["error"] for outcome in result["done"] if outcome["error"]]
    ids = [id for id in form.memory_ids if len(decided) == len(form.memory_ids)] or [
        outcome["id"] for outcome in decided
    ]
    steps: tuple[Step, ...] = (("inbox", {"action": "undo", "id": ids}),) if decided else ()
    count = f"{len(decided)} {'suggestion' if len(decided) == 1 else 'suggestions'}"
    changes = [f"It {_verb(row['action'])} “{row['title'][:80]}”." for row in result["changes"]]
    return FormOutcome(" ".join([f"{word} {count}.", *changes[:2], *errors[:3]]), steps)


def _verb(action: str) -> str:
    words = {"alter": "changed", "supersede": "replaced", "archive": "archived"}
    return words.get(action, "left alone")


async def accept_suggestions(perform_verb: VerbPerformer, form: Form) -> FormOutcome:
    """Accept the suggestions ticked in a form; returns what to show, and how to undo it.

    A memory that then applies to all projects is moved back to undo it.
    """
    outcome = await _decide(perform_verb, form, "accept", "Accepted")
    if form.texts("pair"):
        # Taking a merge back says that the two are two (gitmem.capture.consolidate).
        return replace(
            outcome, after="The two stay apart; under “What was decided” that is undone."
        )
    if outcome.undo and form.texts("everywhere"):
        back = {"id": form.texts("everywhere"), "to": "project"}
        return replace(outcome, undo=(("promote", back),))
    return outcome


async def reject_suggestions(perform_verb: VerbPerformer, form: Form) -> FormOutcome:
    """Reject the suggestions ticked in a form; returns what to show, and how to undo it."""
    return await _decide(perform_verb, form, "reject", "Rejected")


async def undo_decision(perform_verb: VerbPerformer, form: Form) -> FormOutcome:
    """Undo decisions on the suggestions, or a merge, named in a form; returns what to show."""
    await perform_verb("inbox", action="undo", id=form.memory_ids)
    return FormOutcome("Taken back.")


INBOX = Page(
    "inbox", "/inbox", "What waits for your consent?", read_inbox_page_data, "Inbox", "inbox"
)
ACTIONS: dict[str, Action] = {
    "accept": accept_suggestions,
    "reject": reject_suggestions,
    "take-back": undo_decision,
}
