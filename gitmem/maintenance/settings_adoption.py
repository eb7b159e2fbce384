"""Settings that nobody vouched for: shown to a person, and taken over as they were shown.

They lie beside the store, where gitmem kept settings once and where a clone or an archive may bring
some, or in a store that was made on another machine.
"""

import os
from contextlib import suppress

from gitmem.app import App
from gitmem.errors import GitmemError, InvalidInput, ReadOnly
from gitmem.maintenance import settings_file
from gitmem.model.frozen import dataclass
from gitmem.setting_table import BY_KEY, checked
from gitmem.store.file import settings_copy
from gitmem.text import toml, toml_flat
from gitmem.text.digest import blake2b


@dataclass(frozen=True, slots=True)
class Offer:
    """Settings as they were read once: the file, empty where the store carries them, and its bytes.

    ``word`` stands for the bytes, ``lines`` show all that they set.
    """

    path: str
    content: bytes
    word: str
    lines: tuple[str, ...]


def offered(app: App) -> Offer | None:
    """What may be taken over here; None for nothing. Raises InvalidInput for what does not parse.

    What the store carries counts where it was not sealed here, or no settings are in force.
    """
    path = app.unconfirmed_config_file
    if os.path.lexists(path):
        return _offer(path, toml_flat.content(path, own=True))
    text, own = settings_copy.read(app.store)
    if not text or (own and os.path.lexists(app.local_config_file)):
        return None
    return _offer("", text.encode("utf-8", "surrogatepass"))


def take(app: App, offer: Offer) -> tuple[str, tuple[str, ...]]:
    """Put settings in force just as they were offered; the file written, and the keys left out.

    Where some are in force they stay: only what they do not set is added. Raises InvalidInput,
    ReadOnly, Unavailable; then nothing was changed, or all but that the old file is still there.
    """
    path = settings_file.own_file(app)
    content, left = offer.content, tuple[str, ...]()
    if os.path.lexists(path):
        content, left = _joined(toml_flat.content(path, own=True), offer, path)
    settings_file.write(path, content)
    if offer.path:
        _remove(offer)
    app.settings.add_file(path, "store")  # a store may stand where they say
    with suppress(GitmemError):  # at the latest the next copy does it
        settings_file.note(app)
    return path, left


def _offer(path: str, content: bytes) -> Offer:
    shown = toml_flat.lines(content, path or "What the store carries")
    return Offer(path, content, blake2b(content, digest_size=16).hexdigest(), shown)


def _joined(present: bytes, offer: Offer, path: str) -> tuple[bytes, tuple[str, ...]]:
    """The present settings with those that they do not set, and the keys that were left out."""
    set_already = toml_flat.parsed(present, path)
    text, left = present.decode("utf-8"), []
    for key, raw in toml_flat.parsed(offer.content, offer.path).items():
        try:
            if key in set_already or key not in BY_KEY:
                raise InvalidInput(key)
            text = toml.with_key(text, key, checked(BY_KEY[key], raw, offer.path))
        except InvalidInput:
            left.append(key)
    content = text.encode("utf-8")
    toml_flat.parsed(content, path)  # a file in an unusual form is not made worse
    return content, tuple(left)


def _remove(offer: Offer) -> None:
    """Delete the old file, unless it is another one by now: then it is told of again."""
    with suppress(InvalidInput):
        if toml_flat.content(offer.path, own=True) != offer.content:
            return
        try:
            os.unlink(offer.path)
        except OSError as error:
            raise ReadOnly(
                f"{offer.path} was taken over and cannot be deleted: {error.strerror}.",
                "Delete it yourself.",
            ) from error
