"""The text of a chunk or commit that is embedded, and from which its hash is made."""

from __future__ import annotations


def chunk_text_to_embed(context: str, symbol: str, text: str) -> str:
    """The text of a chunk to embed; without its path, so that a rename needs no new vector."""
    return "\n".join(part for part in (context, symbol, text) if part)


def commit_text_to_embed(subject: str, body: str) -> str:
    """The text of which a commit's vector is made."""
    return f"{subject}\n{body}".strip()
