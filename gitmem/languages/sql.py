"""SQL, statement by statement: one routine in a dialect would take the rest of the file with it."""

from __future__ import annotations

from gitmem.languages.record import Language

LANGUAGE = Language(
    name="sql",
    written="SQL",
    files="sql psql",
    wheel="tree_sitter_sql",
    # The place-holder for the schema of an extension of PostgreSQL (`@extschema@.name`), and a key
    # told before the last column of a table.
    blanked=(
        rb"(?im)@extschema(?::\w+)?@\."
        rb"|^[ \t]*(?:CONSTRAINT[ ]+\w+[ ]+)?(?:PRIMARY[ ]+KEY|UNIQUE)[ ]*\([^()\n]*\)[ ]*,"
        rb"[ \t]*\r?$"
    ),
    # No statement begins in a body between `$tag$`s, in a comment or in a text.
    statement=(
        rb"(?im)^ ?(?:CREATE|ALTER|DROP|INSERT|COMMENT|GRANT|REVOKE|DELIMITER|GO)\b",
        rb"""(?s)(?<!\w)\$([A-Za-z_]\w*|)\$.*?(?:\$\1\$|\Z)|/\*.*?(?:\*/|\Z)|--[^\n]*|'[^'\n]*'"""
        rb"""|"[^"\n]*\"""",
    ),
    always_apart=True,
    comment="--+",
    comments=("--",),
    exports="open",
)
