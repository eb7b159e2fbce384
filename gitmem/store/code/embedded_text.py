"""The text of a chunk or commit that is embedded, and from which its hash is made."""

from __future__ import annotations


def chunk_text_to_embed(enclosing_context: str, defined_names: str, chunk_text: str) -> str:
    """The text of a chunk from which its vector is made: context, symbol and text, a line each.

    ``enclosing_context`` is what encloses the chunk (``class Config``), ``defined_names`` the names
    that it defines.
    """
    return "\n".join(part for part in (enclosing_context, defined_names, chunk_text) if part)


def commit_text_to_embed(subject: str, body: str) -> str:
    """The text from which a commit's vector is made: subject and body of its message."""
    return f"{subject}\n{body}".strip()
