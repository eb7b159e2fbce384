"""The verbs of gitmem: one table of names and places.

Running one command imports one module. The command line, the MCP server and the reference pages all
read this table; an entry's module holds its request, its function and its view.
"""

from importlib import import_module

from gitmem.operations.registry import Operation

# What a person wants to do -> the operations that do it, in the order they are shown.
GROUPS: dict[str, tuple[tuple[str, str], ...]] = {
    "Start": (
        ("init", "init:INIT"),
        ("setup", "setup:SETUP"),
        ("deinit", "deinit:DEINIT"),
        ("orient", "orient:ORIENT"),
        ("status", "status:STATUS"),
    ),
    "Remember": (
        ("remember", "remember:REMEMBER"),
        ("decide", "decide:DECIDE"),
        ("revise", "revise:REVISE"),
        ("link", "link:LINK"),
        ("pin", "pin:PIN"),
        ("unpin", "pin:UNPIN"),
        ("promote", "promote:PROMOTE"),
        ("trust", "trust:TRUST"),
        ("route", "route:ROUTE"),
    ),
    "Find": (
        ("recall", "recall:RECALL"),
        ("search", "search:SEARCH"),
        ("list", "listing:LIST"),
        ("show", "show:SHOW"),
        ("related", "related:RELATED"),
        ("history", "history:HISTORY"),
        ("timeline", "timeline:TIMELINE"),
    ),
    "Check": (
        ("check", "check:CHECK"),
        ("verify", "verify:VERIFY"),
        ("affected", "affected:AFFECTED"),
    ),
    "Put away": (
        ("forget", "retire:FORGET"),
        ("restore", "retire:RESTORE"),
        ("purge", "purge:PURGE"),
        ("decay", "decay:DECAY"),
    ),
    "Sessions": (
        ("session start", "session_write:START"),
        ("session note", "session_write:NOTE"),
        ("session end", "session_write:END"),
        ("session list", "session_read:LIST"),
        ("session show", "session_read:SHOW"),
        ("session health", "session_health:HEALTH_OF"),
    ),
    "Look after": (
        ("index", "index:INDEX"),
        ("watch", "watch:WATCH"),
        ("model list", "model_read:LIST"),
        ("model status", "model_read:STATUS"),
        ("model use", "model_write:USE"),
        ("model pull", "model_write:PULL"),
        ("hooks install", "hooks:INSTALL"),
        ("hooks uninstall", "hooks:UNINSTALL"),
        ("hooks status", "hooks:STATUS"),
        ("doctor", "doctor:DOCTOR"),
        ("stats", "stats:STATS"),
        ("backup", "backup:BACKUP"),
        ("restore-backup", "backup:RESTORE"),
        ("export", "exchange:EXPORT"),
        ("import", "exchange:IMPORT"),
        ("config", "config:CONFIG"),
        ("time", "time:TIME"),
    ),
}
# Commands that gitmem runs itself; they are not shown.
HIDDEN: dict[str, str] = {"upkeep": "upkeep:UPKEEP", "drain": "drain:DRAIN"}

PLACES: dict[str, str] = {name: place for group in GROUPS.values() for name, place in group}


def load(name: str) -> Operation:
    """The operation with this name. Raises KeyError."""
    place = PLACES.get(name) or HIDDEN[name]
    module, _, attribute = place.partition(":")
    found = getattr(import_module(f"gitmem.operations.{module}"), attribute)
    assert isinstance(found, Operation)
    return found
