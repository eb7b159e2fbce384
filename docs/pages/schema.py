"""The schema of a store, read back from an empty one that was just made."""

from __future__ import annotations

import apsw

from docs.pages.markdown import code, fenced, table, wrapped
from gitmem.store.db import preflight, schema
from gitmem.store.file import migrate

_OPENING = """\
# The store's schema

One SQLite file, `.gitmem/memory.db`, in WAL mode where the file system allows it. Its tables are of
two kinds. **Canonical** tables hold what was said and must never be lost; they change only by
numbered steps, after a backup, in one transaction. **Derived** tables can be dropped and built
again from the canonical ones at any moment (`gitmem doctor --fix`).

Times are milliseconds since 1970 in UTC. Ids are ULIDs, which sort by time. `device` and `counter`
say which copy of the store wrote a row and in what order, without asking any clock. The user's own
store of global memories has the same schema.

The format is not an interface: read a store with `gitmem ... --json` or `gitmem export`."""
# What each table is for. A test holds this against the tables there are.
PURPOSE = {
    "meta": "the store's notes about itself: its random id, the write counter, cached answers",
    "projects": "the project of this store; in the user's store, every project set up",
    "project_aliases": "earlier keys of a project whose remote or name changed",
    "memories": "memories at their present version, decisions among them",
    "versions": "earlier versions of memories, each with the edit that replaced it",
    "links": "typed relations between memories",
    "tombstones": "ids that were purged, so that an import does not bring them back",
    "usage": "how often and when a memory was last handed out",
    "usage_days": "what each agent used on each day (days since 1970, UTC), for `stats --funnel`",
    "suggestions": "what waits for consent, and what was rejected, so that it does not return",
    "consolidations": "which memory was merged into which, and the versions before and after",
    "sync_records": "which versions of memories and links are shared, and what became of each",
    "sync_devices": "devices whose records were read, up to where, and whom a person believes",
    "jobs": "work done beside commands: state, attempts and lease",
    "review_acceptances": "findings of reviews that were set aside, by rule or by place",
    "sessions": "stretches of work by an agent or a person",
    "session_files": "files viewed in a session, the newest fifty",
    "conversations": "sessions as agents' hosts recorded them, if the user had them read",
    "exchanges": "what was said in them: a question, its answer, the tools called",
    "exchange_paths": "which files the tools of an exchange were given",
    "exchange_text": "the full-text index of exchanges (FTS5, contentless)",
    "conversation_summaries": "what a model wrote of conversations and their parts",
    "events": "lines of the timeline that have no other home, such as session notes",
    "anchors": "what in the code a memory stands on: place, blob and fingerprint when it was cited",
    "rewritten": "commits that took the place of others: amend, rebase, squash, cherry-pick",
    "verdicts": "whether an anchor still stands in a worktree, as last looked at",
    "elsewhere": "memories whose commit is not in the history of a worktree's HEAD",
    "elsewhere_of": "for which HEAD the table before was made",
    "presence": "when somebody last oriented in a worktree, and what they had seen",
    "memory_text": "the full-text index of memories (FTS5, contentless)",
    "memory_turns": "which memories are turns of a conversation, in their order",
    "memory_tags": "which memory has which tag",
    "memory_marks": "the hash under which a memory's vector is kept, and the part that has it",
    "blobs": "file contents by git's id and the way they were cut; why some were not",
    "paths": "which path of which worktree shows which blob",
    "chunks": "pieces of files, with their lines",
    "symbols": "what the files define: name, kind, signature, doc comment, lines",
    "refs": "which names a file mentions, how (call, type, ...), and in which lines",
    "imports": "what the files import",
    "code_uses": "what a file takes in, calls and binds, compressed: the code graph is made of it",
    "graph_trees": "the worktrees that have a code graph, and what their manifests were",
    "graph_files": "the files whose edges are made: of which content, and how others see them",
    "graph_nodes": "files, definitions and packages at the ends of edges",
    "graph_edges": "what uses what, in which line, how sure that is (percent) and why",
    "graph_evidence": "what edges rest on, in words",
    "chunk_text": "the full-text index of pieces (FTS5, contentless)",
    "commits": "messages and changed paths of indexed commits",
    "commit_text": "the full-text index of commits (FTS5, contentless)",
    "commit_message": "the full-text index of messages alone (FTS5, contentless)",
    "commit_issues": "which commits name which issue",
    "trees": "how far each worktree is indexed",
    "vector_parts": "which model and source a vector is of: its part begins its number",
    "vectors": "vectors by content hash, int8",
    "vector_bits": "their sign bits, apart, so that all can be looked at quickly",
}


def page() -> str:
    """The whole page."""
    objects = live()
    return "\n\n".join(
        [
            _OPENING,
            "## Header",
            table(("Field", "Value", "Meaning"), _header()),
            "## Canonical tables",
            _tables(objects, derived=False),
            "## Derived tables",
            _tables(objects, derived=True),
        ]
    )


def live() -> dict[str, list[str]]:
    """Each table of a new store with the SQL of the table and of its indexes."""
    connection = apsw.Connection(":memory:")
    migrate.build_schema(connection, now_ms=0, device_id="0" * 32)
    found: dict[str, list[str]] = {}
    shadows = {name + suffix for name in schema.FULL_TEXT for suffix in schema.SHADOWS}
    for name, sql in connection.execute(
        "SELECT tbl_name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid"
    ):
        if name not in shadows:
            found.setdefault(name, []).append(f"{sql};")
    connection.close()
    return found


def _header() -> list[tuple[str, str, str]]:
    identity = preflight.APPLICATION_ID
    letters = identity.to_bytes(4, "big").decode("ascii")
    return [
        ("application_id", code(f"{identity:#010x}"), f"`{letters}`: gitmem made the file"),
        ("user_version", code(migrate.HEADER_VERSION), "canonical version × 1000 + derived"),
        ("canonical version", code(schema.VERSION), f"steps: {', '.join(schema.STEPS)}"),
        ("derived version", code(schema.DERIVED_VERSION), "another number: built again"),
        ("fingerprint", code(schema.FINGERPRINT[:16] + "…"), "SHA-256 over all definitions; a "
         "store whose objects differ is not opened"),
    ]  # fmt: skip


def _tables(objects: dict[str, list[str]], *, derived: bool) -> str:
    """The statements of one half of the store, each table below a comment on what it holds."""
    return fenced(
        "\n\n".join(
            "\n".join(
                [f"-- {name}: {PURPOSE[name]}", *(_packed(text, derived=derived) for text in sql)]
            )
            for name, sql in objects.items()
            if (name in schema.DERIVED_TABLES) is derived
        ),
        "sql",
    )


def _packed(sql: str, *, derived: bool) -> str:
    """A statement in few lines, broken behind commas; a long canonical table as it is written."""
    opening, *columns = (" ".join(part.split()) for part in sql.split(",\n"))
    text = wrapped(opening + ", " * bool(columns), columns, "")
    text = text.replace("( ", "(").replace(" )", ")").replace(" ,", ",")
    return text if derived or ("-- " not in sql and text.count("\n") < 4) else sql
