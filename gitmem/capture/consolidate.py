"""Pairs of memories that say the same: accepted, and taken back.

A first version: a pair is settled by hand until merging is there.
"""

from gitmem.app import App
from gitmem.errors import NotFound, Unavailable
from gitmem.model.suggestion import Suggestion
from gitmem.store.db.connection import Database


def accept(app: App, database: Database, suggestion: Suggestion) -> str:
    """Do what a pair suggests. Raises Unavailable."""
    del app, database
    raise Unavailable(
        f"A {suggestion.kind} cannot be merged yet.",
        "Revise one of the two and archive the other, then reject the suggestion.",
    )


def undo(app: App, database: Database, id: str) -> str:
    """Undo a merge. Raises NotFound."""
    del app, database
    raise NotFound(f"No merge has the id {id[:40]!r}.", "Run `gitmem inbox --resolved`.")
