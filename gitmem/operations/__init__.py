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
        ("init", "start.init:INIT", "Set gitmem up in this repository."),
        ("setup", "start.setup:SETUP", "Wire agents to gitmem: MCP server, session hooks, rules."),
        (
            "deinit",
            "start.deinit:DEINIT",
            "Take gitmem out of this repository: git hooks and what `gitmem setup` wrote.",
        ),
        ("orient", "start.orient:ORIENT", "Tell what a session needs to know first."),
        (
            "status",
            "start.status:STATUS",
            "Show project, branch, store and how much is remembered.",
        ),
    ),
    "Remember": (
        (
            "remember",
            "remember.remember:REMEMBER",
            "Keep a fact, convention, fix or anything worth knowing.",
        ),
        (
            "decide",
            "remember.decide:DECIDE",
            "Record a decision, why it was made, what it is about.",
        ),
        ("revise", "remember.revise:REVISE", "Correct or extend a memory; its history is kept."),
        (
            "link",
            "remember.link:LINK",
            "Tie two memories together: one SOLVES, CAUSES ... the other.",
        ),
        ("pin", "remember.pin:PIN", "Keep memories on top; they never fade."),
        ("unpin", "remember.pin:UNPIN", "Take the pin off memories."),
        (
            "promote",
            "remember.promote:PROMOTE",
            "Move memories to another layer: session, project, global.",
        ),
        ("trust", "remember.trust:TRUST", "Accept what others said, or stop believing it."),
        ("route", "remember.route:ROUTE", "Say in which layer something would be kept, and why."),
    ),
    "Find": (
        ("recall", "find.recall:RECALL", "Find memories and decisions, by words and by meaning."),
        ("search", "find.search:SEARCH", "Search code, notes, commits and memories."),
        ("list", "find.list:LIST", "List memories and decisions, newest first."),
        ("show", "find.show:SHOW", "Show one memory or decision whole, with its links."),
        ("related", "find.related:RELATED", "Show what a memory is tied to, and how."),
        ("history", "find.history:HISTORY", "Tell how a memory changed, version by version."),
        (
            "timeline",
            "find.timeline:TIMELINE",
            "Tell what happened: commits, sessions, notes, memories.",
        ),
    ),
    "Check": (
        (
            "check",
            "check.check:CHECK",
            "Show what was decided about a plan, and what speaks against it.",
        ),
        (
            "verify",
            "check.verify:VERIFY",
            "Show which memories still hold, and settle those that may not.",
        ),
        ("affected", "check.affected:AFFECTED", "Show which memories cite what a diff touches."),
    ),
    "Archive": (
        (
            "forget",
            "archive.archive:FORGET",
            "Archive memories; `gitmem restore` brings them back.",
        ),
        ("restore", "archive.archive:RESTORE", "Bring archived memories back."),
        ("purge", "archive.purge:PURGE", "Remove memories for good."),
        ("decay", "archive.decay:DECAY", "Archive what nobody used for long."),
    ),
    "Sessions": (
        ("session start", "sessions.session_write:START", "Start a session."),
        (
            "session note",
            "sessions.session_write:NOTE",
            "Write down what happens in the running session: a note, files viewed, a new goal.",
        ),
        (
            "session end",
            "sessions.session_write:END",
            "End the running session, with a sentence on what was done and what is left.",
        ),
        ("session list", "sessions.session_read:LIST", "List sessions, the last active first."),
        (
            "session show",
            "sessions.session_read:SHOW",
            "Show one session: goal, files, notes, what was remembered in it.",
        ),
        (
            "session health",
            "sessions.session_health:HEALTH_OF",
            "Show how full a session is, how far from its goal, and what of it to keep.",
        ),
    ),
    "Maintenance": (
        ("index", "maintenance.index:INDEX", "Make files, notes and commits searchable."),
        ("watch", "maintenance.watch:WATCH", "Keep the index up to date until Ctrl-C."),
        (
            "model list",
            "maintenance.model_read:LIST",
            "List the embedding models that can be used.",
        ),
        (
            "model status",
            "maintenance.model_read:STATUS",
            "Show the embedding model in use and its vectors.",
        ),
        (
            "model use",
            "maintenance.model_write:USE",
            "Use another embedding model in this repository.",
        ),
        ("model pull", "maintenance.model_write:PULL", "Download an embedding model."),
        (
            "hooks install",
            "maintenance.hooks:INSTALL",
            "Let git tell gitmem of commits, merges, checkouts and rewrites.",
        ),
        (
            "hooks uninstall",
            "maintenance.hooks:UNINSTALL",
            "Take the hooks out again; every byte is as it was before.",
        ),
        ("hooks status", "maintenance.hooks:STATUS", "Show how each hook stands."),
        (
            "doctor",
            "maintenance.doctor:DOCTOR",
            "Check store, index, hooks, files and settings; --fix mends.",
        ),
        (
            "projects",
            "maintenance.projects:PROJECTS",
            "List the projects where gitmem is set up.",
        ),
        ("stats", "maintenance.stats:STATS", "Count what is kept, by state, kind, agent and tag."),
        ("backup", "maintenance.backup:BACKUP", "Copy the store while it is in use."),
        ("restore-backup", "maintenance.backup:RESTORE", "Go back to a backup."),
        ("export", "maintenance.export_import:EXPORT", "Write memories and links as JSON Lines."),
        (
            "import",
            "maintenance.export_import:IMPORT",
            "Take in memories that `gitmem export` wrote.",
        ),
        (
            "config",
            "maintenance.config:CONFIG",
            "Show settings and where each came from, or set one.",
        ),
        ("time", "maintenance.time:TIME", "Tell the time, or what a date expression means."),
    ),
}
# Commands that gitmem runs itself; they are not shown.
HIDDEN: dict[str, str] = {"upkeep": "internal.upkeep:UPKEEP", "drain": "internal.drain:DRAIN"}

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
