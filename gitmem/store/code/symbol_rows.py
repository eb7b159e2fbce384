"""Types of rows for definitions, mentions, imports and uses: plain tuples, to pass to processes."""

from __future__ import annotations

# In the order of the columns.
# (name, kind, signature, doc, container, start_line, end_line, exported)
DefinitionRow = tuple[str, str, str, str, str, int, int, bool]
# (name, kind, lines as "3,17,40")
MentionRow = tuple[str, str, str]
# (module, names separated by spaces, line)
ImportRow = tuple[str, str, int]
# (line, kind, three texts), see ``indexing.syntax.values``
UseRow = tuple[int, str, str, str, str]
