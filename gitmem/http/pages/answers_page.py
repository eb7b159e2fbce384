"""Answers: a question with its sources, and a commit in full."""

from __future__ import annotations

from typing import Any

from gitmem.app import App
from gitmem.http.pages.page import Page, PageParameters, result_of_verb
from gitmem.http.pages.rendering import make_address

_LINES = 400


def read_answer_page_data(app: App, query: PageParameters) -> dict[str, Any]:
    """A dict to show: an answer to the question ``q``: sentences, and sources they quote."""
    question = query.text("q")
    if not question:
        return {"question": "", "answer": None, "sources": []}
    answer = result_of_verb(app, "ask", question=question)
    sources = [{**source, "address": _where(source)} for source in answer["sources"]]
    return {"question": question, "answer": answer, "sources": sources}


def _where(source: dict[str, Any]) -> str:
    """The page of a source; empty for none."""
    if source["id"]:
        return make_address("memories", source["id"])
    if source["path"]:
        line = source["lines"].partition("-")[0]
        return make_address("files", source["path"]) + (f"#L{line}" if line else "")
    return make_address("commits", source["commit"]) if source["commit"] else ""


def read_commit_page_data(app: App, query: PageParameters) -> dict[str, Any]:
    """A dict to show in the page on the commit ``id``: its message, files and diff."""
    found: dict[str, Any] = result_of_verb(app, "diff", commit=query.text("id"), lines=_LINES)
    return found


ASK = Page(
    "ask", "/ask", "What is known about this?", read_answer_page_data, command="ask QUESTION"
)
COMMIT = Page(
    "commit",
    "/commits/{id}",
    "What did this commit do?",
    read_commit_page_data,
    command="diff COMMIT",
)
