"""A person's consent to send the content of a project to a web address, asked for once.

It is stored in the user's data folder, beside the key of the store, and holds for one address; for
another one the person is asked again. Copies do not include it, and it ends when a person removes
or changes the address in the settings.
"""

import os
from contextlib import suppress

from gitmem.app import App
from gitmem.capture.provenance import is_agent
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
    """The reason why nothing may be sent to an address; empty if it may.

    A person at a terminal is asked if there is no answer for this address yet.
    """
    if is_loopback(address):
        return ""
    if not _file(app):
        return f"Nothing was sent to the endpoint: {_NO_HOME} {_SET_HOME}"
    answer = _answer_in(_file(app), address)
    if answer == "" and app.ask is not None and not is_agent(app):
        shown = one_line(address, len(address))
        question = f"`gitmem ask` would send {_SENT}, to {shown}. Send them, now and later?"
        note(app, address, agreed=(agreed := app.ask(question, False)))
        answer = _YES if agreed else _NO
    if answer == _YES:
        return ""
    why = "you did not agree" if answer == _NO else "nobody has agreed yet"
    return f"Nothing was sent: {why} that {_SENT}, go to it. A person can: {command(address)}"


def command(address: str) -> str:
    """The command by which a person agrees to an address."""
    import shlex  # noqa: PLC0415 - seldom needed

    return f"gitmem config ask.endpoint --agree {shlex.quote(one_line(address, len(address)))}"


def note(app: App, address: str, *, agreed: bool) -> None:
    """Store a person's answer for an address.

    Raises Unavailable, ReadOnly and DiskFull.
    """
    path = _file(app)
    if not path:
        raise Unavailable(_NO_HOME.capitalize(), _SET_HOME)
    try:
        preflight.make_private(os.path.dirname(path))
        content = f"{_YES if agreed else _NO} {address}\n".encode("utf-8", "surrogateescape")
        atomic_write.replace(path, content, 0o600)
    except OSError as error:
        raise preflight.write_error(error, f"The file {path}") from error


def forget(app: App, *, but: str, everywhere: bool) -> None:
    """Delete the consent of this project, or of all projects (``everywhere``).

    Except for address ``but``. Raises ReadOnly.
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
                raise preflight.write_error(error, f"The file {path}") from error


def _answer_in(path: str, address: str) -> str:
    """The answer of a person for an address in a file; empty where there is none."""
    with suppress(OSError):
        content = read_own(path, _LARGEST).decode("utf-8", "surrogateescape")
        answer, _, named = content.removesuffix("\n").partition(" ")
        if named == address and answer in (_YES, _NO):
            return answer
    return ""


def _file(app: App) -> str:
    folder = registration.folder_of(app.keys.stores, app.store.store)
    return os.path.join(folder, _NAME) if folder else ""
