"""Whether the memories of a project may be sent to an address: a person is asked once.

What is agreed to lies in the user's data folder, beside the key of the store, and holds for one
address: one that a settings file or a variable names later is asked about anew. It is in no copy,
and it ends where a person takes the address out of the settings or sets another.
"""

import os
from contextlib import suppress

from gitmem.app import App
from gitmem.capture.provenance import by_agent
from gitmem.errors import Unavailable
from gitmem.files import atomic_write
from gitmem.files.plain_file import read_own
from gitmem.store.db import preflight
from gitmem.store.file import registration
from gitmem.text.fence import one_line
from gitmem.text.web_address import is_loopback

_NAME, _LARGEST = "endpoint", 1 << 16
_YES, _NO = "yes", "no"
_NO_HOME = "there is no home folder to note in what you agree to."
_SET_HOME = "Set HOME, or GITMEM_HOME to a folder of yours."
_SENT = "your question, and the passages of code, commits and memories that answer it"


def refusal(app: App, address: str) -> str:
    """Why nothing is sent to an address, as a sentence; empty where it may be.

    A person at a terminal is asked where nothing is noted of this address.
    """
    if is_loopback(address):
        return ""
    if not _file(app):
        return f"Nothing was sent to the endpoint: {_NO_HOME} {_SET_HOME}"
    answer = _answer(app, address)
    if answer == "" and app.ask is not None and not by_agent(app):
        shown = one_line(address, len(address))
        question = f"`gitmem ask` would send {_SENT}, to {shown}. Send them, now and later?"
        note(app, address, agreed=(agreed := app.ask(question, False)))
        answer = _YES if agreed else _NO
    if answer == _YES:
        return ""
    why = "you did not agree" if answer == _NO else "nobody has agreed yet"
    return f"Nothing was sent: {why} that {_SENT}, go to it. A person can: {command(address)}"


def command(address: str) -> str:
    """The command by which a person agrees."""
    import shlex  # noqa: PLC0415 - seldom needed

    return f"gitmem config ask.endpoint --agree {shlex.quote(one_line(address, len(address)))}"


def note(app: App, address: str, *, agreed: bool) -> None:
    """Note what a person answered about an address. Raises Unavailable, ReadOnly, DiskFull."""
    path = _file(app)
    if not path:
        raise Unavailable(_NO_HOME.capitalize(), _SET_HOME)
    try:
        preflight.make_private(os.path.dirname(path))
        content = f"{_YES if agreed else _NO} {address}\n".encode("utf-8", "surrogateescape")
        atomic_write.replace(path, content, 0o600)
    except OSError as error:
        raise preflight.refused(error, f"The file {path}") from error


def forget(app: App, *, but: str, everywhere: bool) -> None:
    """Take back what was agreed to here, or ``everywhere``, unless it was to the address ``but``.

    Raises ReadOnly.
    """
    folders = [os.path.dirname(_file(app))]
    if everywhere:
        with os.scandir(app.keys.stores) as entries:
            folders = [entry.path for entry in entries]
    for path in (os.path.join(folder, _NAME) for folder in folders if folder):
        if os.path.isfile(path) and not (but and _answer_in(path, but)):
            try:
                os.unlink(path)
            except OSError as error:
                raise preflight.refused(error, f"The file {path}") from error


def _answer(app: App, address: str) -> str:
    """What a person answered about the address in this project; empty where nobody did."""
    return _answer_in(_file(app), address)


def _answer_in(path: str, address: str) -> str:
    with suppress(OSError):
        content = read_own(path, _LARGEST).decode("utf-8", "surrogateescape")
        answer, _, named = content.removesuffix("\n").partition(" ")
        if named == address and answer in (_YES, _NO):
            return answer
    return ""


def _file(app: App) -> str:
    folder = registration.folder_of(app.keys.stores, app.store.store)
    return os.path.join(folder, _NAME) if folder else ""
