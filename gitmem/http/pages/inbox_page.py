"""The inbox: what waits for consent, pairs side by side, and deciding about them."""

from __future__ import annotations

from typing import Any

from gitmem.app import App
from gitmem.http.pages import differences
from gitmem.http.pages.forms import Action, Do, Done, Form, Step
from gitmem.http.pages.page import Page, Query, verb
from gitmem.http.pages.rendering import with_query

PER_PAGE = 20


def read(app: App, query: Query) -> dict[str, Any]:
    """What waits, the surest first, or what was decided; pairs with their differences."""
    decided = query.text("decided") == "1"
    offset = query.number("offset", 0, 10_000)
    found = verb(app, "inbox", limit=PER_PAGE, offset=offset, resolved=decided or None)
    for item in found["items"]:
        item["parts"] = []
        if item["other"] and item["content"] and item["other_content"]:
            item["parts"] = differences.words(item["other_content"], item["content"])
    return {
        "items": found["items"],
        "total": found["total"],
        "queued": found["queued"],
        "decided": decided,
        "pages": _pages(offset, len(found["items"]), found["total"], decided=decided),
    }


def _pages(offset: int, shown: int, total: int, *, decided: bool) -> dict[str, str]:
    def at(place: int) -> str:
        pairs = [("decided", "1")] if decided else []
        return with_query("/inbox", [*pairs, ("offset", str(place))] if place else pairs)

    more = shown == PER_PAGE if decided else offset + shown < total
    return {
        "before": at(max(0, offset - PER_PAGE)) if offset else "",
        "after": at(offset + PER_PAGE) if more else "",
        "line": f"{offset + 1}–{offset + shown}" if shown else "",
    }


async def _decide(do: Do, form: Form, action: str, word: str) -> Done:
    more = {"supersede": form.texts("supersede")} if form.texts("supersede") else {}
    result = await do("inbox", action=action, id=form.ids, **more)
    done = [outcome for outcome in result["done"] if not outcome["error"]]
    errors = [outcome["error"] for outcome in result["done"] if outcome["error"]]
    ids = [id for id in form.ids if len(done) == len(form.ids)] or [each["id"] for each in done]
    steps: tuple[Step, ...] = (("inbox", {"action": "undo", "id": ids}),) if done else ()
    count = f"{len(done)} {'suggestion' if len(done) == 1 else 'suggestions'}"
    changes = [f"It {_verb(each['action'])} “{each['title'][:80]}”." for each in result["changes"]]
    return Done(" ".join([f"{word} {count}.", *changes[:2], *errors[:3]]), steps)


def _verb(action: str) -> str:
    words = {"alter": "changed", "supersede": "replaced", "archive": "archived"}
    return words.get(action, "left alone")


async def accept(do: Do, form: Form) -> Done:
    """Accept suggestions."""
    return await _decide(do, form, "accept", "Accepted")


async def reject(do: Do, form: Form) -> Done:
    """Reject suggestions; they are not made again."""
    return await _decide(do, form, "reject", "Rejected")


async def undo(do: Do, form: Form) -> Done:
    """Take a decision back, or a merge."""
    await do("inbox", action="undo", id=form.ids)
    return Done("Taken back.")


INBOX = Page("inbox", "/inbox", "What waits for your consent?", read, "Inbox", "inbox")
ACTIONS: dict[str, Action] = {
    "accept": accept,
    "reject": reject,
    "take-back": undo,
}
