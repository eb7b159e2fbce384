"""Copies under a passphrase: what lies outside the work tree is of no use without it.

The passphrase goes through scrypt, the content through AES-256-GCM, both of the library
``cryptography``, which is an extra. A file is the format's name, a salt, a nonce, and the sealed
bytes; the first three are authenticated with them.
"""

from __future__ import annotations

from collections.abc import Callable

from gitmem.errors import InvalidInput, StoreDamaged, Unavailable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

_FORMAT = b"gitmem-copy-1\n"
_SALT, _NONCE = 16, 12
_HEADER = len(_FORMAT) + _SALT + _NONCE
# 32 MB and about 0.1 s for each guess. Fixed by the format, so that no file can ask for more.
_COST, _BLOCK, _PARALLEL = 1 << 15, 8, 1


def seal(content: bytes, passphrase: bytes, entropy: Callable[[int], bytes]) -> bytes:
    """The content under a passphrase; ``entropy(n)`` gives n random bytes. Raises Unavailable."""
    salt, nonce = entropy(_SALT), entropy(_NONCE)
    header = _FORMAT + salt + nonce
    return header + _cipher(passphrase, salt).encrypt(nonce, content, header)


def unseal(sealed: bytes, passphrase: bytes, path: str) -> bytes:
    """The content again. ``path`` is where it was read, for the message.

    Raises InvalidInput where the passphrase is another one (or the file was changed, which cannot
    be told apart), StoreDamaged where it is no sealed copy, Unavailable without the library.
    """
    if not sealed.startswith(_FORMAT) or len(sealed) <= _HEADER:
        raise StoreDamaged(f"{path} is no encrypted copy, or is cut off.", "Choose another copy.")
    header = sealed[:_HEADER]
    salt, nonce = header[len(_FORMAT) : -_NONCE], header[-_NONCE:]
    cipher = _cipher(passphrase, salt)
    from cryptography.exceptions import InvalidTag  # noqa: PLC0415 - it was loaded by the cipher

    try:
        return cipher.decrypt(nonce, sealed[_HEADER:], header)
    except InvalidTag as error:
        raise InvalidInput(
            f"The passphrase does not open {path}, or the file was changed.",
            "Set GITMEM_COPY_PASSPHRASE or copy.key_file to what it was made with. "
            "Nothing was changed.",
        ) from error


def available() -> None:
    """Raise Unavailable where the library is not installed."""
    _cipher_class()


def _cipher(passphrase: bytes, salt: bytes) -> AESGCM:
    made = _cipher_class()
    from cryptography.hazmat.primitives.kdf.scrypt import Scrypt  # noqa: PLC0415 - an extra

    key = Scrypt(salt=salt, length=32, n=_COST, r=_BLOCK, p=_PARALLEL).derive(passphrase)
    return made(key)


def _cipher_class() -> type[AESGCM]:
    try:
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise Unavailable(
            "Encrypted copies need the library cryptography, which is not installed.",
            "Install it with `pip install '.[encryption]'` in your clone of gitmem, "
            "or set copy.mode to plain or off.",
        ) from error
    return AESGCM
