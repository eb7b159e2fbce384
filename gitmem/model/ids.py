"""Making and normalising ids, which are ULIDs.

An id has 48 bits of milliseconds and 80 bits of randomness, in Crockford's base 32. Ids sort by
time as text, are unique without a coordinator, and any unambiguous prefix names one.
https://github.com/ulid/spec
"""

from __future__ import annotations

ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
LENGTH = 26
# Common typing errors: the spec reads I and L as 1, O as 0.
_LOOKALIKE = str.maketrans({"I": "1", "L": "1", "O": "0"})


def new_ulid(timestamp_ms: int, random_bytes: bytes) -> str:
    """Return a new id from a time in milliseconds since 1970 and ten random bytes."""
    if len(random_bytes) != 10:
        raise ValueError("a ULID takes ten bytes of entropy")
    clamped = min(max(timestamp_ms, 0), (1 << 48) - 1)
    number = (clamped << 80) | int.from_bytes(random_bytes, "big")
    return "".join(ALPHABET[(number >> shift) & 31] for shift in range(125, -1, -5))


def normalise_id_prefix(text: str) -> str | None:
    """Return an id, or the beginning of one, that a person typed, in its stored form.

    None if it cannot be one.
    """
    candidate = text.strip().upper().translate(_LOOKALIKE)
    if not candidate or len(candidate) > LENGTH:
        return None
    return candidate if all(letter in ALPHABET for letter in candidate) else None


def largest_id_with_prefix(prefix: str) -> str:
    """Return the largest text of an id's length that begins with ``prefix``, for a range query."""
    return prefix + "Z" * (LENGTH - len(prefix))
