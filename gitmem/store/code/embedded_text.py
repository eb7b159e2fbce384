"""The embedded text of a chunk or a commit, of which its hash is made as well."""

from __future__ import annotations


def of_chunk(context: str, symbol: str, text: str) -> str:
    """The embedded text of a chunk; without its path, so that a rename needs no new vector."""
    return "\n".join(part for part in (context, symbol, text) if part)


def of_commit(subject: str, body: str) -> str:
    """The embedded text of a commit."""
    return f"{subject}\n{body}".strip()
