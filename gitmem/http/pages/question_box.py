"""Where the text of the question box leads: to what it names, else to an answer or a search."""

from __future__ import annotations

import re

from gitmem.app import App
from gitmem.errors import GitmemError
from gitmem.http.pages.page import result_of_verb
from gitmem.http.pages.rendering import make_address
from gitmem.store.memory import short_ids

_ID = re.compile(r"[0-9A-HJKMNP-TV-Z]{4,26}", re.IGNORECASE)
_NAME = re.compile(r"\S{1,300}")


def page_address_for_text(app: App, text: str) -> str:
    """The address to which a text typed into the question box leads.

    It is that of the memory, file, commit or session that the text names, else an answer for a
    question, else a search.
    """
    if not text:
        return "/"
    if not app.has_store:
        return make_address("search", q=text)
    if _ID.fullmatch(text) and (found := _memory(app, text)):
        return found
    if _NAME.fullmatch(text) and (found := _named(app, text)):
        return found
    return (
        make_address("ask", q=text) if _is_question(app, text) else make_address("search", q=text)
    )


def _memory(app: App, text: str) -> str:
    try:
        _, memory = short_ids.find_memory(app.stores(), text)
    except GitmemError:
        return ""
    return make_address("memories", memory.id)


def _named(app: App, text: str) -> str:
    """The page of the file, commit, memory or session with this name; empty for none."""
    from gitmem.history import entity_names  # noqa: PLC0415 - questions need it not

    try:
        kind, _, name = entity_names.resolve_entity_key(app, text).partition(":")
    except GitmemError:
        return ""
    places = {"memory": "memories", "file": "files", "commit": "commits", "session": "sessions"}
    return make_address(places[kind], name) if kind in places else ""


def _is_question(app: App, text: str) -> bool:
    """Whether ``ask`` would do more for it than search."""
    plan = result_of_verb(app, "ask", question=text, plan=True)["plan"]
    return plan["kind"] != "general" or text.rstrip().endswith("?")
