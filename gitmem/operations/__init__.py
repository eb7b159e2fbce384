"""The verbs of gitmem: one table of names and places.

Running one command imports one module. The command line, the MCP server and the reference pages all
read this table; an entry's module holds its request, its function and its view.
"""

from importlib import import_module

from gitmem.operations.registry import Operation

# What a person wants to do -> the operations that do it, in the order they are shown: name, place
# and the first sentence of the help, so that a list of commands imports none of them. A test holds
# the sentences against the docstrings.
GROUPS: dict[str, tuple[tuple[str, str, str], ...]] = {
    "Start": (
        ("init", "init:INIT", "Set gitmem up in this repository."),
        ("setup", "setup:SETUP", "Wire agents to gitmem: MCP server, session hooks, rules."),
        (
            "deinit",
            "deinit:DEINIT",
            "Take gitmem out of this repository: git hooks and what `gitmem setup` wrote.",
        ),
        ("orient", "orient:ORIENT", "Tell what a session needs to know first."),
        ("status", "status:STATUS", "Show project, branch, store and how much is remembered."),
    ),
    "Remember": (
        (
            "remember",
            "remember:REMEMBER",
            "Keep a fact, convention, fix or anything worth knowing.",
        ),
        ("decide", "decide:DECIDE", "Record a decision, why it was made, what it is about."),
        ("revise", "revise:REVISE", "Correct or extend a memory; its history is kept."),
        ("link", "link:LINK", "Tie two memories together: one SOLVES, CAUSES ... the other."),
        ("pin", "pin:PIN", "Keep memories on top; they never fade."),
        ("unpin", "pin:UNPIN", "Take the pin off memories."),
        ("promote", "promote:PROMOTE", "Move memories to another layer: session, project, global."),
        ("trust", "trust:TRUST", "Accept what others said, or stop believing it."),
        ("route", "route:ROUTE", "Say in which layer something would be kept, and why."),
    ),
    "Find": (
        ("recall", "recall:RECALL", "Find memories and decisions, by words and by meaning."),
        ("search", "search:SEARCH", "Search code, notes, commits and memories."),
        ("list", "listing:LIST", "List memories and decisions, newest first."),
        ("show", "show:SHOW", "Show one memory or decision whole, with its links."),
        ("related", "related:RELATED", "Show what a memory is tied to, and how."),
        ("history", "history:HISTORY", "Tell how a memory changed, version by version."),
        (
            "timeline",
            "timeline:TIMELINE",
            "Tell what happened: commits, sessions, notes, memories.",
        ),
    ),
    "Check": (
        ("check", "check:CHECK", "Show what was decided about a plan, and what speaks against it."),
        (
            "verify",
            "verify:VERIFY",
            "Show which memories still hold, and settle those that may not.",
        ),
        ("affected", "affected:AFFECTED", "Show which memories cite what a diff touches."),
    ),
    "Archive": (
        ("forget", "retire:FORGET", "Archive memories; `gitmem restore` brings them back."),
        ("restore", "retire:RESTORE", "Bring archived memories back."),
        ("purge", "purge:PURGE", "Remove memories for good."),
        ("decay", "decay:DECAY", "Archive what nobody used for long."),
    ),
    "Sessions": (
        ("session start", "session_write:START", "Start a session."),
        (
            "session note",
            "session_write:NOTE",
            "Write down what happens in the running session: a note, files viewed, a new goal.",
        ),
        (
            "session end",
            "session_write:END",
            "End the running session, with a sentence on what was done and what is left.",
        ),
        ("session list", "session_read:LIST", "List sessions, the last active first."),
        (
            "session show",
            "session_read:SHOW",
            "Show one session: goal, files, notes, what was remembered in it.",
        ),
        (
            "session health",
            "session_health:HEALTH_OF",
            "Show how full a session is, how far from its goal, and what of it to keep.",
        ),
    ),
    "Maintenance": (
        ("index", "index:INDEX", "Make files, notes and commits searchable."),
        ("watch", "watch:WATCH", "Keep the index up to date until Ctrl-C."),
        ("model list", "model_read:LIST", "List the embedding models that can be used."),
        ("model status", "model_read:STATUS", "Show the embedding model in use and its vectors."),
        ("model use", "model_write:USE", "Use another embedding model in this repository."),
        ("model pull", "model_write:PULL", "Download an embedding model."),
        (
            "hooks install",
            "hooks:INSTALL",
            "Let git tell gitmem of commits, merges, checkouts and rewrites.",
        ),
        (
            "hooks uninstall",
            "hooks:UNINSTALL",
            "Take the hooks out again; every byte is as it was before.",
        ),
        ("hooks status", "hooks:STATUS", "Show how each hook stands."),
        ("doctor", "doctor:DOCTOR", "Check store, index, hooks, files and settings; --fix mends."),
        ("stats", "stats:STATS", "Count what is kept, by state, kind, agent and tag."),
        ("backup", "backup:BACKUP", "Copy the store while it is in use."),
        ("restore-backup", "backup:RESTORE", "Go back to a backup."),
        ("export", "exchange:EXPORT", "Write memories and links as JSON Lines."),
        ("import", "exchange:IMPORT", "Take in memories that `gitmem export` wrote."),
        ("config", "config:CONFIG", "Show settings and where each came from, or set one."),
        ("time", "time:TIME", "Tell the time, or what a date expression means."),
    ),
}
# Commands that gitmem runs itself; they are not shown.
HIDDEN: dict[str, str] = {"upkeep": "upkeep:UPKEEP", "drain": "drain:DRAIN"}

# What `gitmem --help` shows; `gitmem --help --all` shows the rest.
EVERYDAY = (
    *("init", "setup", "orient", "status", "remember", "decide", "revise"),
    *("recall", "search", "list", "show", "check", "verify", "forget", "doctor"),
)

PLACES: dict[str, str] = {name: place for group in GROUPS.values() for name, place, _ in group}


def load(name: str) -> Operation:
    """The operation with this name. Raises KeyError."""
    place = PLACES.get(name) or HIDDEN[name]
    module, _, attribute = place.partition(":")
    found = getattr(import_module(f"gitmem.operations.{module}"), attribute)
    assert isinstance(found, Operation)
    return found
