"""The text of a chunk or a commit that is embedded; its hash is made of the same."""

from __future__ import annotations


def of_chunk(context: str, symbol: str, text: str) -> str:
    """What stands for a chunk. Without its path: a rename costs no vector."""
    return "\n".join(part for part in (context, symbol, text) if part)


def of_commit(subject: str, body: str) -> str:
    """What stands for a commit."""
    return f"{subject}\n{body}".strip()
