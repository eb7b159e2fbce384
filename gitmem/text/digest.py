"""SHA-1, SHA-256 and BLAKE2b without ``hashlib``, which loads OpenSSL: 3 ms of every command.

For short texts only: over a megabyte OpenSSL is faster by more than it costs.
"""

from __future__ import annotations

__all__ = ["blake2b", "sha1", "sha256"]

TYPE_CHECKING = False  # importing typing costs 3 ms; type checkers know this name by itself
if TYPE_CHECKING:
    from hashlib import blake2b, sha1, sha256
else:
    from _blake2 import blake2b

    try:
        from _sha2 import sha256  # since Python 3.12
    except ImportError:
        try:
            from _sha256 import sha256
        except ImportError:
            from hashlib import sha256  # a Python built without its own

    try:
        from _sha1 import sha1
    except ImportError:
        from hashlib import sha1
