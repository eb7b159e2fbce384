"""The forms that change memories, and how each is undone."""

from __future__ import annotations

from typing import Any

from gitmem.errors import Conflict, InvalidInput
from gitmem.http.pages import differences
from gitmem.http.pages.forms import (
    Action,
    Form,
    FormOutcome,
    FormResponsePage,
    Step,
    VerbPerformer,
    outcome_of_verb,
)


async def pin_memories(perform_verb: VerbPerformer, form: Form) -> FormOutcome:
    """Pin the memories ticked in a form; returns what to show, and how to undo it."""
    return outcome_of_verb("Pinned", await perform_verb("pin", id=form.memory_ids), "unpin")


async def unpin_memories(perform_verb: VerbPerformer, form: Form) -> FormOutcome:
    """Unpin the memories ticked in a form; returns what to show, and how to undo it."""
    return outcome_of_verb("Unpinned", await perform_verb("unpin", id=form.memory_ids), "pin")


async def archive_memories(perform_verb: VerbPerformer, form: Form) -> FormOutcome:
    """Archive the memories ticked in a form; returns what to show, and how to undo it."""
    return outcome_of_verb("Archived", await perform_verb("forget", id=form.memory_ids), "restore")


async def restore_memories(perform_verb: VerbPerformer, form: Form) -> FormOutcome:
    """Restore the archived memories ticked in a form; returns what to show, and how to undo it."""
    return outcome_of_verb("Restored", await perform_verb("restore", id=form.memory_ids), "forget")


async def move_to_layer(perform_verb: VerbPerformer, form: Form) -> FormOutcome:
    """Move the memories ticked in a form to its layer ``to``: working, project or global.

    Returns what to show, and how to undo it: by moving each back.
    """
    former: dict[str, list[str]] = {}
    shown = await perform_verb("show", id=form.memory_ids)
    for memory in (shown["memory"], *(other["memory"] for other in shown["others"])):
        former.setdefault(memory["layer"], []).append(memory["id"])
    to = form.text("to")
    result = await perform_verb("promote", id=form.memory_ids, **({"to": to} if to else {}))
    moved = [item for item in result["items"] if item["action"] in ("promoted", "demoted")]
    ids = {item["id"] for item in moved}
    steps = [
        ("promote", {"id": ids_of_layer, "to": layer})
        for layer, some in former.items()
        if (ids_of_layer := [id for id in some if id in ids])
    ]
    layers = " and ".join(sorted({item["layer"] for item in moved}))
    count = f"{len(moved)} {'memory' if len(moved) == 1 else 'memories'}"
    errors = [item["error"] for item in result["items"] if item["error"]]
    line = f"Moved {count} to the {layers} layer." if moved else "Nothing was moved."
    return FormOutcome(" ".join([line, *errors[:3]]), tuple(steps))


async def revise_memory(perform_verb: VerbPerformer, form: Form) -> FormOutcome | FormResponsePage:
    """Edit the memory in a form, unless it was changed since the form was shown.

    Returns what to show and how to undo it or, if it was changed, a page with both versions. Raises
    InvalidInput for a form without version or text.
    """
    id, version = form.text("id"), form.text("version")
    if not version.isdecimal():
        raise InvalidInput(
            "The form does not say which version of the memory it edits.", "Load the page again."
        )
    before = (await perform_verb("show", id=[id]))["memory"]
    given = _changes(form, before)
    if not given:
        return FormOutcome("Nothing was changed.")
    try:
        revised = await perform_verb("revise", id=id, version=int(version), **given)
    except Conflict:
        now = (await perform_verb("show", id=[id]))["memory"]
        if now["version"] == int(version):
            raise
        return _conflict(form, now)
    former = {name: _former(before, name) for name in given}
    step: Step = ("revise", {"id": id, "version": revised["version"], **former})
    notes = " ".join(revised["notes"])
    return FormOutcome(
        f"Changed it; it is at version {revised['version']} now. {notes}".strip(), (step,)
    )


# Fields of the form, as the verb calls them, and those of a memory.
_FIELDS = {
    "text": "content",
    "title": "title",
    "kind": "kind",
    "weight": "weight",
    "status": "status",
    "tag": "tags",
    "path": "paths",
}
_LISTS = ("tag", "path")


def _changes(form: Form, before: dict[str, Any]) -> dict[str, Any]:
    """The arguments for what the form changes."""
    given = {}
    for name in _FIELDS:
        if not form.texts(f"{name}?"):  # the field was not in the form
            continue
        value: Any = form.text(name).strip()
        if name in _LISTS:
            value = [line.strip() for line in value.splitlines() if line.strip()] or [""]
        elif name == "weight":
            value = int(value) if value.isdecimal() else before["weight"]
        if value != _former(before, name):
            given[name] = value
    if given.get("text") == "":
        raise InvalidInput(
            "The memory's text is empty.", "Enter a text, or archive the memory instead."
        )
    return given


def _former(before: dict[str, Any], name: str) -> Any:
    value = before[_FIELDS[name]]
    return (value or [""]) if name in _LISTS else value


def _conflict(form: Form, now: dict[str, Any]) -> FormResponsePage:
    """Both texts, and a form that edits the version which is there now."""
    data = {
        "memory": now,
        "title": form.text("title"),
        "text": form.text("text"),
        "parts_": differences.diff_words(now["content"], form.text("text")),
        "next": form.text("next"),
    }
    return FormResponsePage("conflict.html", data)


async def confirm_memory(perform_verb: VerbPerformer, form: Form) -> FormOutcome:
    """Record that ticked memories hold, and cite the code as it is now; returns what to show."""
    result = await perform_verb("verify", id=form.memory_ids, accept=True)
    errors = [item["error"] for item in result["items"] if item["error"]]
    count = sum(1 for item in result["items"] if item["action"])
    line = f"{count} {'memory cites' if count == 1 else 'memories cite'} the code as it is now."
    return FormOutcome(" ".join([line, "The former citation stays in the history.", *errors[:3]]))


async def correct_memory(perform_verb: VerbPerformer, form: Form) -> FormOutcome:
    """Give the memory in a form its new ``text`` and the code as it is now.

    Returns what to show, and how to undo it.
    """
    before = (await perform_verb("show", id=form.memory_ids))["memory"]
    await perform_verb("verify", id=form.memory_ids, correct=form.text("text").strip())
    now = (await perform_verb("show", id=form.memory_ids))["memory"]
    step: Step = ("revise", {"id": now["id"], "text": before["content"], "version": now["version"]})
    return FormOutcome("Corrected it; it cites the code as it is now.", (step,))


ACTIONS: dict[str, Action] = {
    "pin": pin_memories,
    "unpin": unpin_memories,
    "archive": archive_memories,
    "restore": restore_memories,
    "promote": move_to_layer,
    "revise": revise_memory,
    "accept-code": confirm_memory,
    "correct": correct_memory,
}
