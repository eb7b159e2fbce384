"""What may stand where a resource's id or a prompt's argument is typed.

Best effort: outside a repository, or before there is a store, nothing is suggested.
"""

from __future__ import annotations

from contextlib import suppress

from mcp_types import Completion, CompletionArgument, PromptReference, ResourceTemplateReference

from gitmem.app import App
from gitmem.errors import GitmemError
from gitmem.mcp.tools.resources import MEMORY
from gitmem.model import ids
from gitmem.store.code import indexed_files
from gitmem.store.db.connection import Database
from gitmem.store.memory import short_ids
from gitmem.text.fence import inert_data

MOST = 20
Reference = PromptReference | ResourceTemplateReference
NOTHING = Completion(values=[], has_more=False)


def complete(app: App, reference: Reference, argument: CompletionArgument) -> Completion:
    """Values that begin as the argument does."""
    with suppress(GitmemError):
        if isinstance(reference, ResourceTemplateReference):
            if reference.uri.startswith(MEMORY) and argument.name == "id":
                return _told(_ids(app.store, argument.value))
        elif reference.name == "why-changed" and argument.name == "what" and argument.value:
            return _told(_paths(app, argument.value))
    return NOTHING


def _told(found: list[str]) -> Completion:
    return Completion(values=inert_data(found[:MOST]), has_more=len(found) > MOST)


def _ids(store: Database, value: str) -> list[str]:
    prefix = ids.normalise(value) if value else ""
    if value and not prefix:
        return []
    if prefix:
        return short_ids.matching(store, prefix, MOST + 1)
    # Ids are in the order of time: without a beginning the newest are the likeliest.
    return short_ids.newest(store, MOST + 1)


def _paths(app: App, value: str) -> list[str]:
    return indexed_files.beginning_with(app.store, app.worktree, value, MOST + 1)
