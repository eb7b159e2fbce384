"""Copying a store out of the work tree, encrypted if the user wants, and purging its copies.

An encrypted copy uses scrypt for the passphrase and AES-256-GCM for the content, both from the
library ``cryptography``, an extra. The file is the format's name, a salt, a nonce and the encrypted
bytes; the first three are authenticated with them.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Sequence
from contextlib import suppress

from gitmem.clock import DAY
from gitmem.errors import GitmemError, InvalidInput, NotFound, StoreDamaged, Unavailable
from gitmem.files import atomic_write
from gitmem.files.durable import sync_to_disk
from gitmem.files.free_name import unused_path
from gitmem.store.db import preflight
from gitmem.store.file import canonical_copy, copies_folder, registration
from gitmem.store.file.copies_folder import (
    ExternalStoreCopy,
    StoreToCopy,
    folder_of_copies,
    list_copies,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

COPIES_EACH = 2
ASIDE_MS = 30 * DAY
_FORMAT = b"gitmem-copy-1\n"
_SALT, _NONCE = 16, 12
_HEADER = len(_FORMAT) + _SALT + _NONCE
# 32 MB and about 0.1 s for each guess. Fixed by the format, so that no file can ask for more.
_COST, _BLOCK, _PARALLEL = 1 << 15, 8, 1


def make_external_copy(
    stores_folder: str,
    store_to_copy: StoreToCopy,
    *,
    now_ms: int,
    file_name_timestamp: str,
    passphrase: bytes = b"",
    random_bytes: Callable[[int], bytes] = os.urandom,
) -> ExternalStoreCopy:
    """Copy a store to the folder for its copies outside the work tree; returns the new copy.

    ``file_name_timestamp`` is ``now_ms`` as used in file names. With a passphrase the copy is
    encrypted, and its plain content never reaches a disk. All but the two newest copies are
    deleted; the last one, if it has more than twice as many memories, is kept for 30 days. Raises
    DiskFull, ReadOnly, StoreBusy, StoreDamaged, Unavailable.
    """
    folder = folder_of_copies(stores_folder, store_to_copy.store)
    preflight.check_store_copy_owner_and_format(store_to_copy.path)
    with copies_folder.lock_copies_folder(folder):
        temporary = _temporary(folder)
        try:
            count, size = _write(store_to_copy.path, temporary, passphrase, random_bytes)
            about = copies_folder.read_copies_metadata(folder)
            copies = list_copies(stores_folder, store_to_copy.store)
            last = next(reversed(_regular_copies(copies, store_to_copy.root)), None)
            _set_aside(folder, last, about, count, now_ms)
            place = hashlib.blake2b(os.fsencode(store_to_copy.root), digest_size=4).hexdigest()
            end = copies_folder.SEALED if passphrase else copies_folder.PLAIN
            path = unused_path(
                os.path.join(folder, f"{copies_folder.COPY}{file_name_timestamp}-{place}"), end
            )
            os.rename(temporary, path)
            sync_to_disk(folder)
        except OSError as error:
            raise preflight.write_failure_error(
                error, f"A copy of the store in {folder}"
            ) from error
        finally:
            with suppress(FileNotFoundError):
                os.unlink(temporary)
        made = {"memories": count, "at": now_ms}
        entry = {"root": store_to_copy.root, "origin": store_to_copy.path, **made}
        about["copies"] = copies_folder.copy_metadata_by_file_name(about) | {
            os.path.basename(path): entry
        }
        about |= {"project": store_to_copy.project, "name": store_to_copy.name, **made}
        copies_folder.write_copies_metadata(folder, about)
        _prune(list_copies(stores_folder, store_to_copy.store), store_to_copy.root, now_ms)
        copies_folder.write_copies_metadata(folder, about)
    return ExternalStoreCopy(
        path,
        store_to_copy.store,
        store_to_copy.root,
        store_to_copy.path,
        store_to_copy.project,
        store_to_copy.name,
        count,
        now_ms,
        size,
    )


def _regular_copies(copies: Sequence[ExternalStoreCopy], root: str) -> list[ExternalStoreCopy]:
    """The copies of the store in the folder ``root`` that were not set aside, in their order."""
    return [copy for copy in copies if copy.root == root and not copy.is_set_aside]


def purge_from_external_copies(
    stores_folder: str,
    store_id: str,
    memory_ids: list[str],
    *,
    now_ms: int,
    get_passphrase: Callable[[], bytes],
    random_bytes: Callable[[int], bytes] = os.urandom,
) -> tuple[list[str], list[str]]:
    """Delete memories from every copy of a store outside the work tree.

    Returns (paths of copies cleaned, paths of copies that could not be). ``get_passphrase`` is
    called for an encrypted copy. ``now_ms`` is in milliseconds. Raises StoreBusy.
    """
    cleaned: list[str] = []
    failed: list[str] = []
    folder = folder_of_copies(stores_folder, store_id)
    if not folder or not os.path.isdir(folder):
        return cleaned, failed
    with copies_folder.lock_copies_folder(folder):
        about = copies_folder.read_copies_metadata(folder)
        entries = copies_folder.copy_metadata_by_file_name(about)
        for copy in list_copies(stores_folder, store_id):
            try:
                count = _strike(
                    copy,
                    memory_ids,
                    now_ms,
                    get_passphrase() if copy.is_encrypted else b"",
                    random_bytes,
                )
            except (GitmemError, OSError):
                failed.append(copy.path)
                continue
            cleaned.append(copy.path)
            name = os.path.basename(copy.path)
            entries[name] = entries.get(name, {}) | {"memories": count}
        copies_folder.write_copies_metadata(folder, about | {"copies": entries})
    return cleaned, failed


def remove_store_data(stores_folder: str, store_id: str, root: str) -> bool:
    """Delete the data folder (key, settings, copies) of a removed store; False if there was none.

    Where another folder has a store with the same id, only the copies of ``root`` are deleted.
    Raises ForeignFile, ReadOnly.
    """
    folder = registration.store_data_folder(stores_folder, store_id)
    if not folder or not os.path.isdir(folder):
        return False
    copies = list_copies(stores_folder, store_id)
    if any(copy.is_copied_store_present for copy in copies if copy.root != root):
        for copy in copies:
            if copy.root == root:
                os.unlink(copy.path)
        return True
    preflight.remove_store_folder(folder)
    return True


def decrypt_copy(copy_path: str, passphrase: bytes) -> bytes:
    """The decrypted content of an encrypted copy: the bytes of a store file.

    Raises NotFound, InvalidInput for a wrong passphrase, StoreDamaged, Unavailable.
    """
    try:
        with open(copy_path, "rb") as file:
            sealed = file.read()
    except OSError as error:
        raise NotFound(
            f"The copy {copy_path} cannot be read: {error.strerror}.", "Run `gitmem backup --list`."
        ) from error
    return decrypt_copy_content(sealed, passphrase, copy_path)


def _write(
    source: str, target: str, passphrase: bytes, random_bytes: Callable[[int], bytes]
) -> tuple[int, int]:
    if passphrase:
        count, content = canonical_copy.serialize_canonical_copy(source)
        sealed = encrypt_copy_content(content, passphrase, random_bytes)
        atomic_write.replace_file(target, sealed, 0o600)
        return count, len(sealed)
    os.close(os.open(target, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    count_and_size = canonical_copy.write_canonical_copy(source, target)
    sync_to_disk(target)
    return count_and_size


def _strike(
    outside_copy: ExternalStoreCopy,
    ids: list[str],
    now_ms: int,
    passphrase: bytes,
    random_bytes: Callable[[int], bytes],
) -> int:
    """Purge memories from a copy; how many memories it holds then."""
    status = os.stat(outside_copy.path)
    temporary = _temporary(os.path.dirname(outside_copy.path))
    try:
        with open(outside_copy.path, "rb") as file:
            content = file.read()
        if outside_copy.is_encrypted:
            content = decrypt_copy_content(content, passphrase, outside_copy.path)
            copy = canonical_copy.open_serialized_copy(content)
            try:
                count = canonical_copy.purge_memories_from_open_copy(copy, ids, purged_ms=now_ms)
                content = copy.connection.serialize("main")
            finally:
                copy.close()
            content = encrypt_copy_content(content, passphrase, random_bytes)
            atomic_write.replace_file(temporary, content, 0o600)
        else:
            atomic_write.replace_file(temporary, content, 0o600)
            count = canonical_copy.purge_memories_from_copy(temporary, ids, purged_ms=now_ms)
            sync_to_disk(temporary)
        os.utime(temporary, ns=(status.st_atime_ns, status.st_mtime_ns))
        os.replace(temporary, outside_copy.path)
        return count
    finally:
        with suppress(FileNotFoundError):
            os.unlink(temporary)


def _temporary(folder: str) -> str:
    return os.path.join(folder, f"{copies_folder.TEMPORARY}{os.getpid()}.tmp")


def _set_aside(
    folder: str,
    outside_copy: ExternalStoreCopy | None,
    about: dict[str, object],
    count: int,
    now_ms: int,
) -> None:
    """Set the last copy aside where more than half of its memories are gone."""
    if outside_copy is None or outside_copy.memories <= 2 * count:
        return
    old = os.path.basename(outside_copy.path)
    end = copies_folder.SEALED if outside_copy.is_encrypted else copies_folder.PLAIN
    stem = old.removeprefix(copies_folder.COPY).removesuffix(end)
    target = unused_path(os.path.join(folder, copies_folder.BEFORE + stem), end)
    os.rename(outside_copy.path, target)
    entries = copies_folder.copy_metadata_by_file_name(about)
    entries[os.path.basename(target)] = entries.pop(old, {})
    about["copies"] = entries
    # The 30 days count from now, also without about.json.
    os.utime(target, ns=(now_ms * 1_000_000, now_ms * 1_000_000))


def _prune(copies: list[ExternalStoreCopy], root: str, now_ms: int) -> None:
    """Remove all but the newest two copies of a place, and after 30 days what was left over.

    Left over are copies set aside, and copies of places that are unknown or without a store.
    """
    copies_of_root = _regular_copies(copies, root)
    old = copies_of_root[: max(0, len(copies_of_root) - COPIES_EACH)]
    for copy in copies:
        is_left_over = copy.is_set_aside or (copy.root != root and not copy.is_copied_store_present)
        if is_left_over and now_ms - os.stat(copy.path).st_mtime_ns // 1_000_000 > ASIDE_MS:
            old.append(copy)
    for copy in old:
        os.unlink(copy.path)


def encrypt_copy_content(
    plain_content: bytes, passphrase: bytes, random_bytes: Callable[[int], bytes]
) -> bytes:
    """The bytes of an encrypted copy. Raises Unavailable without the library ``cryptography``."""
    salt, nonce = random_bytes(_SALT), random_bytes(_NONCE)
    header = _FORMAT + salt + nonce
    return header + _cipher(passphrase, salt).encrypt(nonce, plain_content, header)


def decrypt_copy_content(
    encrypted_content: bytes, passphrase: bytes, path_for_messages: str
) -> bytes:
    """The decrypted bytes of a copy's file; ``path_for_messages`` is its path, for errors.

    Raises InvalidInput where the passphrase is wrong or the file was changed (which cannot be told
    apart), StoreDamaged where it is no encrypted copy, Unavailable without the library.
    """
    if not encrypted_content.startswith(_FORMAT) or len(encrypted_content) <= _HEADER:
        raise StoreDamaged(
            f"{path_for_messages} is not an encrypted copy, or is cut off.", "Choose another copy."
        )
    header = encrypted_content[:_HEADER]
    salt, nonce = header[len(_FORMAT) : -_NONCE], header[-_NONCE:]
    cipher = _cipher(passphrase, salt)
    from cryptography.exceptions import InvalidTag  # noqa: PLC0415 - it was loaded by the cipher

    try:
        return cipher.decrypt(nonce, encrypted_content[_HEADER:], header)
    except InvalidTag as error:
        raise InvalidInput(
            f"The passphrase does not open {path_for_messages}, or the file was changed.",
            "Set GITMEM_COPY_PASSPHRASE or copy.key_file to what it was made with. "
            "Nothing was changed.",
        ) from error


def _cipher(passphrase: bytes, salt: bytes) -> AESGCM:
    try:
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM  # noqa: PLC0415 - an extra
        from cryptography.hazmat.primitives.kdf.scrypt import Scrypt  # noqa: PLC0415 - as above
    except ImportError as error:
        raise Unavailable(
            "Encrypted copies need the library cryptography, which is not installed.",
            "Install it with `pip install '.[encryption]'` in your clone of gitmem, "
            "or set copy.mode to plain or off.",
        ) from error
    key = Scrypt(salt=salt, length=32, n=_COST, r=_BLOCK, p=_PARALLEL).derive(passphrase)
    return AESGCM(key)
