"""The verbs of gitmem: a table of each verb's name, module and help line.

Running one command imports one module. The command line, the MCP server and the reference pages all
read this table; an entry's module holds its request, its function and its view.
"""

from importlib import import_module

from gitmem.operations.registry import Operation

# Operations by purpose, in the order of the help: name, place and first sentence of the docstring,
# so that a list of commands imports none of them. A test compares the sentences.
# fmt: off
GROUPS: dict[str, tuple[tuple[str, str, str], ...]] = {
    "Start": (
        ("init", "start.init:INIT", "Set up gitmem in this repository"),
        ("setup", "start.setup:SETUP",
         "Connect agents to gitmem: MCP server, session hooks, rules"),
        ("deinit", "start.deinit:DEINIT",
         "Remove gitmem from this repository: git hooks and what `gitmem setup` wrote"),
        ("orient", "start.orient:ORIENT", "Show what a session needs to know first"),
        ("summary", "start.summary:SUMMARY", "Summarise the project, a folder or a file"),
        ("status", "start.status:STATUS", "Show project, branch, store and memory counts"),
    ),
    "Remember": (
        ("remember", "remember.remember:REMEMBER",
         "Remember a fact, convention, fix or anything else worth knowing"),
        ("decide", "remember.decide:DECIDE",
         "Record a decision, why it was made and which files it is about"),
        ("revise", "remember.revise:REVISE", "Correct or extend a memory; its history is kept"),
        ("link", "remember.link:LINK", "Link two memories: one SOLVES, CAUSES ... the other"),
        ("event", "remember.event:EVENT",
         "Report an event; a known error is answered with its fix"),
        ("merge", "remember.merge:MERGE", "Merge memories that say the same into one"),
        ("pin", "remember.pin:PIN", "Pin memories: they stay on top and never fade"),
        ("unpin", "remember.pin:UNPIN", "Unpin memories"),
        ("feedback", "remember.feedback:FEEDBACK",
         "Mark memories as useful or as wrong"),
        ("promote", "remember.promote:PROMOTE",
         "Move memories to another layer: working, project or global"),
        ("trust", "remember.trust:TRUST", "Accept memories from others, or mark them as foreign"),
        ("inbox", "remember.inbox:INBOX",
         "Show suggestions that wait for your consent, and accept or reject them"),
        ("adr import", "remember.adr:IMPORT", "Import decision records (ADRs) as decisions"),
        ("adr export", "remember.adr:EXPORT",
         "Write decisions as decision records (ADRs), with an index"),
        ("import-docs", "remember.adr:IMPORT_DOCS",
         "Import CLAUDE.md, AGENTS.md, README and the like as memories"),
    ),
    "Skills": (
        ("skill create", "skills.skill_write:CREATE",
         "Save a procedure as a skill that can be invoked by name"),
        ("skill list", "skills.skill_read:LIST", "List skills, the last used first"),
        ("skill show", "skills.skill_read:SHOW",
         "Show a skill in full: instructions, parameters, and the files beside it"),
        ("skill invoke", "skills.skill_read:INVOKE",
         "Give the instructions of a skill, with its parameters filled in"),
        ("skill update", "skills.skill_write:UPDATE", "Change a skill; its history is kept"),
        ("skill remove", "skills.skill_write:REMOVE",
         "Archive a skill; `gitmem restore ID` brings it back"),
        ("skill export", "skills.skill_files:EXPORT",
         "Write skills as SKILL.md folders, which agents read"),
        ("skill import", "skills.skill_files:IMPORT",
         "Import SKILL.md folders of the repository"),
    ),
    "Find": (
        ("recall", "find.recall:RECALL", "Find memories and decisions by words and by meaning"),
        ("search", "find.search:SEARCH", "Search code, notes, commits and memories"),
        ("ask", "find.ask:ASK", "Answer a question in sentences with their sources"),
        ("context", "find.context:CONTEXT",
         "Assemble what is known about a question within a token budget"),
        ("file", "find.file:FILE", "Show what is known of a file, and its content"),
        ("predict", "find.predict:PREDICT", "Predict which files are needed next"),
        ("list", "find.list:LIST", "List memories and decisions, newest first"),
        ("show", "find.show:SHOW", "Show memories or decisions in full, with their links"),
        ("related", "find.related:RELATED",
         "Show what a memory, file, commit, issue or person is tied to, and how"),
        ("history", "find.history:HISTORY", "Show how a memory changed, version by version"),
        ("timeline", "find.timeline:TIMELINE",
         "Show what happened: commits, sessions, notes, memories"),
        ("why", "find.why:WHY",
         "Show why code is as it is: the commits, issues, decisions and memories behind it"),
        ("why-broke", "find.why_broke:WHY_BROKE",
         "Show which recent commits most likely broke something, and how it was fixed before"),
        ("changes", "find.changes:CHANGES",
         "Show what changed, by area, with the decisions and memories of that time"),
        ("churn", "find.churn:CHURN",
         "Show where the code changes most: hotspots, owners, what changes together"),
        ("report", "find.report:REPORT",
         "Report on the project: what happened, what needs a look, where it changes"),
        ("similar-bugs", "find.similar_bugs:SIMILAR_BUGS",
         "Show how similar bugs were fixed, and similar earlier questions and solutions"),
        ("diff", "find.diff:DIFF", "Show what a commit did: its goal, what it touched, its diff"),
        ("graph", "find.graph:GRAPH", "Show who calls, imports or inherits from a name of code"),
        ("deps", "find.deps:DEPS",
         "Show what a file imports, what imports it, and what it defines"),
        ("cycles", "find.cycles:CYCLES", "Show which files import each other in a circle"),
        ("impact", "find.impact:IMPACT", "Show what depends on a file, a name or a diff"),
    ),
    "Check": (
        ("check", "check.check:CHECK",
         "Show which decisions concern a plan, and which conflict with it"),
        ("verify", "check.verify:VERIFY",
         "Show which memories still hold, and resolve those that may not"),
        ("review", "check.review:REVIEW",
         "Review a diff: what was decided or learned that speaks against it"),
        ("pr", "check.pull_request:PULL_REQUEST",
         "Sum up a pull request in Markdown, for a job's summary or a comment"),
        ("verify-code", "check.verify_code:VERIFY_CODE",
         "Verify a piece of code before it is written: imports, security, dependencies"),
        ("affected", "check.affected:AFFECTED",
         "Show which memories cite code that a diff touches"),
        ("pattern list", "check.pattern_read:LIST", "List how this project writes code"),
        ("pattern show", "check.pattern_read:SHOW", "Show a pattern in full, with its examples"),
        ("pattern learn", "check.pattern_learn:LEARN", "Learn patterns, or state one"),
        ("pattern validate", "check.pattern_validate:VALIDATE", "Check code against patterns"),
    ),
    "Archive": (
        ("forget", "archive.archive:FORGET", "Archive memories; `gitmem restore` brings them back"),
        ("restore", "archive.archive:RESTORE", "Restore archived and superseded memories"),
        ("purge", "archive.purge:PURGE", "Delete memories permanently"),
        ("summarize", "archive.summarize:SUMMARIZE",
         "Summarise old memories; --undo brings them back as they were"),
        ("decay", "archive.decay:DECAY", "Archive memories that nobody has used for a long time"),
    ),
    "Sessions": (
        ("session start", "sessions.session_write:START", "Start a session"),
        ("session note", "sessions.session_write:NOTE",
         "Record what happens in the running session: a note, files viewed, a new goal, its end"),
        ("session end", "sessions.session_write:END",
         "End the running session with a summary of what was done and what is left"),
        ("session list", "sessions.session_read:LIST", "List sessions, most recently active first"),
        ("session show", "sessions.session_read:SHOW",
         "Show one session: goal, files, notes, memories recorded in it"),
        ("session search", "sessions.session_search:SEARCH",
         "Search what was said in past sessions, by words and by meaning"),
        ("session summarize", "sessions.session_summarize:SUMMARIZE_SESSIONS",
         "Have imported sessions summarised by the model at `transcripts.endpoint`"),
        ("session health", "sessions.session_health:HEALTH_OF",
         "Show how full a session is, how far it drifted from its goal, and what to keep"),
        ("session compact", "sessions.session_compact:COMPACT",
         "Give a session less context by itself; what is critical stays"),
        ("session import", "sessions.session_import:IMPORT_SESSIONS",
         "Read the sessions that agents' hosts wrote down, so that they can be searched"),
        ("feature set", "sessions.feature:SET",
         "Name the feature you are working on in this worktree, on this branch"),
        ("feature list", "sessions.feature:LIST",
         "List features, the current one first: files, questions, commits"),
        ("feature switch", "sessions.feature:SWITCH",
         "Go back to an earlier feature, or to the branch itself"),
    ),
    "Maintenance": (
        ("index", "maintenance.index:INDEX", "Index files, notes and commits for searching"),
        ("watch", "maintenance.watch:WATCH", "Keep the index up to date until Ctrl-C"),
        ("model list", "maintenance.model:LIST", "List the available embedding models"),
        ("model status", "maintenance.model:STATUS",
         "Show the embedding model in use and its vectors"),
        ("model use", "maintenance.model:USE",
         "Switch this repository to another embedding model"),
        ("model pull", "maintenance.model:PULL", "Download an embedding model"),
        ("model rerank", "maintenance.model:RERANK",
         "Have a cross-encoder read the best hits of a search"),
        ("model tune", "maintenance.model:TUNE",
         "Tune the built-in model to this repository; kept only if better"),
        ("hooks install", "maintenance.hooks:INSTALL",
         "Install git hooks for commits, merges, checkouts and rewrites"),
        ("hooks uninstall", "maintenance.hooks:UNINSTALL",
         "Uninstall the git hooks and restore files as they were"),
        ("hooks status", "maintenance.hooks:STATUS", "Show the state of each git hook"),
        ("doctor", "maintenance.doctor:DOCTOR",
         "Check store, index, hooks, files and settings; --fix repairs"),
        ("projects list", "maintenance.projects:LIST",
         "List the projects where gitmem is set up, or search them all"),
        ("projects add", "maintenance.projects_write:ADD",
         "Enter a project that has a store of yours in the list of projects"),
        ("projects remove", "maintenance.projects_write:REMOVE",
         "Remove a project from the list of projects; its store and files stay"),
        ("projects discover", "maintenance.projects:DISCOVER",
         "List repositories in the usual folders where gitmem is not set up"),
        ("projects show", "maintenance.projects:SHOW",
         "Show one project: its key and former keys, its folder, and what its store holds"),
        ("projects normalise", "maintenance.projects_write:NORMALISE",
         "Renew the keys of projects, and move memories from former keys to the present one"),
        ("stats", "maintenance.stats:STATS", "Count memories by state, kind, agent and tag"),
        ("backup", "maintenance.backup:BACKUP", "Back up the store while it is in use"),
        ("restore-backup", "maintenance.backup:RESTORE", "Restore the store from a backup"),
        ("recover", "maintenance.recover:RECOVER",
         "Make a new store from what can be read of a damaged one and its backups"),
        ("export", "maintenance.export_import:EXPORT", "Export memories and links as JSON Lines"),
        ("import", "maintenance.export_import:IMPORT", "Import memories from JSON Lines"),
        ("sync", "maintenance.sync:SYNC",
         "Share memories with your other clones and your team, by your own git remote"),
        ("config", "maintenance.config:CONFIG",
         "Show settings and where each comes from, or set one"),
        ("time", "maintenance.time:TIME", "Show the time, or what a date expression means"),
    ),
}
# fmt: on
# Commands that only gitmem itself runs; no help shows them.
HIDDEN: dict[str, str] = {
    "upkeep": "internal.upkeep:UPKEEP",
    "drain": "internal.drain:DRAIN",
    "review-work": "internal.review_hook:WORK",
    "review-hook": "internal.review_hook:HOOK",
}

# Removed verbs, and what replaces each.
GONE: dict[str, str] = {
    "entity show": "`gitmem related NAME` shows what a file, commit, issue or person is tied to.",
    "entity path": "`gitmem related A --to B` shows the shortest way from one to the other.",
    "entity lineage": "`gitmem related NAME --lineage` shows what it replaced and was called.",
    "entity timeline": "`gitmem timeline NAME` shows what happened to it.",
    "entity export": "`gitmem export` writes memories and their links; the rest is read from git.",
    "entity import": "`gitmem import` takes the memories and links that `gitmem export` wrote.",
    "deja-vu": "`gitmem similar-bugs` shows similar earlier questions, solutions and fixes.",
    "route": "`gitmem remember` says which layer it chose and why; `gitmem promote` changes it.",
    "entity": "`gitmem related NAME` shows what a file, commit, issue or person is tied to, "
    "`gitmem timeline NAME` what happened to it.",
}

# Commands of Contextify and Context Cache that have another name here, or none, and what to use.
NAMED_ELSEWHERE: dict[str, str] = {
    "store": "`gitmem remember` saves a memory; with - it reads standard input.",
    "get": "`gitmem show ID` shows a memory in full.",
    "delete": "`gitmem forget ID` archives a memory; `gitmem purge ID` deletes it.",
    "install": "`gitmem setup` connects agents.",
    "uninstall": "`gitmem setup --remove` disconnects agents; `gitmem deinit` leaves a repository.",
    **dict.fromkeys(
        ("start", "stop", "restart"),
        "Each agent starts `gitmem mcp` itself; `gitmem serve` runs until it is interrupted.",
    ),
    "update": "`gitmem revise ID` changes a memory; gitmem itself is updated by what installed it.",
    "logs": "docs/your-data.md says where the logs are; `gitmem stats --metrics` counts calls.",
    "version": "`gitmem --version` shows it.",
    "reset": "`gitmem index --full` builds the index anew; every memory stays.",
}

# What `gitmem --help` shows; `gitmem --help --all` shows the rest.
EVERYDAY = (
    *("init", "setup", "orient", "status", "remember", "decide", "recall", "search"),
    *("ask", "list", "show", "check", "verify", "forget", "doctor"),
)

# The verb that the name of a group alone stands for.
ALONE: dict[str, str] = {"projects": "projects list"}

PLACES: dict[str, str] = {name: place for group in GROUPS.values() for name, place, _ in group}


def load_operation(name: str) -> Operation:
    """Return the ``Operation`` of the command with this name, such as ``adr import``.

    Raises KeyError if there is none.
    """
    name = ALONE.get(name, name)
    place = PLACES.get(name) or HIDDEN[name]
    module, _, attribute = place.partition(":")
    operation = getattr(import_module(f"gitmem.operations.{module}"), attribute)
    assert isinstance(operation, Operation)
    return operation
