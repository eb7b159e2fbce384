"""A person's answers on what may be sent to an address, each a file beside the key of a store.

Also on whether the content of a team file is accepted: then the address is a digest of it.
"""

from __future__ import annotations

import os
from contextlib import suppress

from gitmem.files.plain_file import read_user_owned_file
from gitmem.store.file import registration

YES, NO = "yes", "no"
_NAMES = {
    "ask.endpoint": "endpoint",
    "embedding.endpoint": "embedding-endpoint",
    "sync.team": "team",
    "transcripts.endpoint": "transcripts-endpoint",
}
_LARGEST = 1 << 16


def consent_answer_path(stores_folder: str, store_id: str, setting_name: str) -> str:
    """The path of the file with a person's answer on a setting; empty without a data folder.

    ``setting_name`` is such as ``ask.endpoint``, whose value is an address: may texts be sent
    there? ``stores_folder`` holds a folder for each of the user's stores.
    """
    folder = registration.store_data_folder(stores_folder, store_id)
    return os.path.join(folder, _NAMES[setting_name]) if folder else ""


def read_consent_answer(path: str, address_or_digest: str) -> str:
    """A person's stored answer, "yes" or "no"; empty if they gave none for this address.

    ``path`` is that of ``consent_answer_path``. For the setting ``sync.team`` the address is the
    digest of a file.
    """
    with suppress(OSError):
        content = read_user_owned_file(path, _LARGEST).decode("utf-8", "surrogateescape")
        answer, _, named = content.removesuffix("\n").partition(" ")
        if named == address_or_digest and answer in (YES, NO):
            return answer
    return ""
