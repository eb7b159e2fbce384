"""The token of a server: made once, kept as a hash, compared in constant time."""

from __future__ import annotations

import hashlib
import hmac
import os
from collections.abc import Callable

from gitmem.errors import InvalidInput, ReadOnly

_MARK = "sha256:"
# Bytes of randomness in a new token, and the fewest characters of one that a person chose.
_BYTES, _SHORTEST = 32, 16


def load_or_create_token(path: str, random_bytes: Callable[[int], bytes]) -> tuple[str, str]:
    """The SHA-256 hash of the token in a file, and the token itself if it was just made.

    Else the latter is "". A file that does not exist is made, readable by its owner alone, with the
    hash of a new token; one with a token in clear is read too. Raises InvalidInput for a token of
    less than 16 characters, ReadOnly for a file that cannot be read or written.
    """
    try:
        if not os.path.lexists(path):
            token = random_bytes(_BYTES).hex()
            _write(path, _MARK + _digest(token))
            return _digest(token), token
        with open(path, encoding="utf-8") as file:
            text = file.read(1000).strip()
    except (OSError, ValueError) as error:
        raise ReadOnly(
            f"The token file {path} cannot be read or made: {error}.", "Name another file."
        ) from error
    if text.startswith(_MARK):
        return text.removeprefix(_MARK), ""
    if len(text) < _SHORTEST:
        raise InvalidInput(
            f"The token in {path} has fewer than {_SHORTEST} characters.",
            "Delete the file: a server makes one with a new token.",
        )
    return _digest(text), ""


def _write(path: str, text: str) -> None:
    descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text + "\n")


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "surrogateescape")).hexdigest()


def header_has_token(token_hash: str, authorization_header: str) -> bool:
    """Whether an ``Authorization`` header has the token with the SHA-256 hash ``token_hash``."""
    scheme, _, token = authorization_header.partition(" ")
    given = _digest(token.strip())
    return scheme.lower() == "bearer" and hmac.compare_digest(given, token_hash)
