"""Trying a call of the API: a form made from the same table as OpenAPI, and its answer."""

from __future__ import annotations

import json
import shlex
from typing import Any

from gitmem import operations
from gitmem.app import App
from gitmem.errors import InvalidInput, NotFound
from gitmem.http import verbs
from gitmem.http.pages.forms import Action, Form, FormResponsePage, VerbPerformer
from gitmem.http.pages.page import Page, PageParameters, result_of_verb
from gitmem.mcp.tools.offer import OfferedTool
from gitmem.operations.registry import RequestField

_LONGEST = 60_000


def read_try_page_data(app: App, query: PageParameters) -> dict[str, Any]:
    """A dict to show in the page to try a command: its arguments, and its answer once it was run.

    Parameters in ``query``: ``verb`` is its name, ``run=1`` runs one that changes nothing; the
    others are its arguments.
    """
    name = query.text("verb")
    if not name:
        return _described(None, {}, None)
    offered = _offer(name)
    given = _arguments(offered, {field: query.texts(field) for field in offered.fields})
    if query.text("run") != "1" or not verbs.is_read_only(offered.operation):
        return _described(offered, given, None)
    return _described(offered, given, result_of_verb(app, name, **given))


def _offer(name: str) -> OfferedTool:
    if name not in verbs.served_verbs():
        raise NotFound(f"{name[:60]!r} is not served over HTTP.", "Choose one of the list.")
    return verbs.verb_as_tool(name)


def _arguments(offered: OfferedTool, texts: dict[str, list[str]]) -> dict[str, Any]:
    """The arguments in the texts of a form; what is empty is left out. Raises InvalidInput."""
    given: dict[str, Any] = {}
    for name, field in offered.fields.items():
        lines = [line for text in texts.get(name, []) for line in text.splitlines() if line.strip()]
        if not lines:
            continue
        given[name] = [_value(field, line) for line in lines] if field.many else (
            _value(field, "\n".join(lines))
        )  # fmt: skip
    return given


def _value(field: RequestField, text: str) -> Any:
    if field.type is bool:
        return text == "true"
    try:
        return field.type(text)
    except ValueError:
        raise InvalidInput(f"{field.name} is no number: {text[:40]!r}.", field.help) from None


def _described(offered: OfferedTool | None, given: dict[str, Any], answer: Any) -> dict[str, Any]:
    listed = [
        {"name": name, "help": help, "group": group}
        for group, entries in operations.GROUPS.items()
        for name, _, help in entries
        if name in verbs.served_verbs()
    ]
    text = "" if answer is None else json.dumps(answer, ensure_ascii=False, indent=2)
    described: dict[str, Any] = {"verbs": listed, "verb": None, "answer": text[:_LONGEST]}
    if offered is None:
        return described
    body = shlex.quote(json.dumps(given, ensure_ascii=False))
    described["verb"] = {
        "name": offered.name,
        "help": " ".join(offered.operation.help.split()),
        "reads": verbs.is_read_only(offered.operation),
        "curl": f"curl -s localhost:8420{verbs.verb_url_path(offered.name)} --json {body}",
        "fields": [_field(field, given.get(field.name)) for field in offered.fields.values()],
    }
    return described


def _field(field: RequestField, value: Any) -> dict[str, Any]:
    choices = ["true", "false"] if field.type is bool else list(field.arg.choices)
    shown = value if isinstance(value, list) else [] if value is None else [value]
    return {
        "name": field.name,
        "help": field.help,
        "required": field.required,
        "many": field.many,
        "choices": choices,
        "value": "\n".join(str(v).lower() if isinstance(v, bool) else str(v) for v in shown),
    }


async def perform_tried_command(perform_verb: VerbPerformer, form: Form) -> FormResponsePage:
    """Run the command and arguments in the form; returns the page that shows its answer."""
    offered = _offer(form.text("verb"))
    given = _arguments(offered, {field: form.texts(f"a.{field}") for field in offered.fields})
    answer = await perform_verb(offered.name, **given)
    plain = answer if isinstance(answer, dict) else answer.as_json()  # a job, of long work
    return FormResponsePage("try.html", {**_described(offered, given, plain), "page": TRY}, 200)


TRY = Page(
    "try",
    "/try",
    "What does this call answer?",
    read_try_page_data,
    "API",
    "VERB --json",
    minor=True,
)
ACTIONS: dict[str, Action] = {"try": perform_tried_command}
