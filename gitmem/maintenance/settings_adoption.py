"""Adopting unconfirmed settings after a person has seen them.

They are beside the store, where earlier versions kept settings and a clone or an archive may bring
some, or in a store that was made on another machine.
"""

import os
from contextlib import suppress

from gitmem.app import App
from gitmem.errors import GitmemError, InvalidInput, ReadOnly
from gitmem.maintenance import settings_file
from gitmem.model.frozen import dataclass
from gitmem.setting_table import BY_KEY, validate_setting_value
from gitmem.store.file import settings_copy
from gitmem.text import toml, toml_flat
from gitmem.text.digest import blake2b


@dataclass(frozen=True, slots=True)
class AdoptableSettings:
    """Settings that came from elsewhere and that a person may adopt.

    ``path`` is their file (empty: they are in the store), ``word`` a digest of their content,
    ``lines`` show them.
    """

    path: str
    content: bytes
    word: str
    lines: tuple[str, ...]


def find_adoptable_settings(app: App) -> AdoptableSettings | None:
    """Return settings of unknown origin that a person may adopt for this project, or None.

    Those in the store are offered if they were not sealed (signed) on this machine, or if the
    project has no settings here. Raises InvalidInput if they cannot be parsed.
    """
    path = app.config_file_beside_store
    if os.path.lexists(path):
        return _offer(path, toml_flat.read_toml_bytes(path, require_private_file=True))
    text, own = settings_copy.read_settings_file_copy(app.store)
    if not text or (own and os.path.lexists(app.local_config_file)):
        return None
    return _offer("", text.encode("utf-8", "surrogatepass"))


def adopt_settings(app: App, adoptable: AdoptableSettings) -> tuple[str, tuple[str, ...]]:
    """Add the offered settings to the project's; return its settings file, and the keys left out.

    Settings that already apply stay. Raises InvalidInput, ReadOnly and Unavailable; then nothing
    was changed, or only the old file could not be deleted.
    """
    path = settings_file.project_settings_path(app)
    content, left = adoptable.content, tuple[str, ...]()
    if os.path.lexists(path):
        content, left = _add_missing(
            toml_flat.read_toml_bytes(path, require_private_file=True), adoptable, path
        )
    settings_file.write_settings_file(path, content)
    if adoptable.path:
        _remove(adoptable)
    app.settings.add_file(path, "store")  # they may name the path of the store
    with suppress(GitmemError):  # the next copy does it otherwise
        settings_file.copy_settings_into_store(app)
    return path, left


def _offer(path: str, content: bytes) -> AdoptableSettings:
    shown = toml_flat.toml_settings_as_lines(content, path or "What the store carries")
    return AdoptableSettings(path, content, blake2b(content, digest_size=16).hexdigest(), shown)


def _add_missing(
    present: bytes, offer: AdoptableSettings, path: str
) -> tuple[bytes, tuple[str, ...]]:
    """The present settings with the missing ones added, and the keys that were left out."""
    set_already = toml_flat.parse_toml_settings(present, path)
    text, left = present.decode("utf-8"), []
    for key, raw in toml_flat.parse_toml_settings(offer.content, offer.path).items():
        try:
            if key in set_already or key not in BY_KEY:
                raise InvalidInput(key)
            text = toml.set_toml_key(
                text, key, validate_setting_value(BY_KEY[key], raw, offer.path)
            )
        except InvalidInput:
            left.append(key)
    content = text.encode("utf-8")
    toml_flat.parse_toml_settings(
        content, path
    )  # raises rather than breaking a file of unusual form
    return content, tuple(left)


def _remove(offer: AdoptableSettings) -> None:
    """Delete the old file, unless its content changed since it was shown."""
    with suppress(InvalidInput):
        if toml_flat.read_toml_bytes(offer.path, require_private_file=True) != offer.content:
            return
        try:
            os.unlink(offer.path)
        except OSError as error:
            raise ReadOnly(
                f"{offer.path} was adopted, but cannot be deleted: {error.strerror}.",
                "Delete it yourself.",
            ) from error
