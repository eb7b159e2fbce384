"""A person's consent to send the content of a project to a web address, asked for once.

It is stored in the user's data folder, beside the key of the store, and holds for one address in
one setting; for another one the person is asked again. Copies do not include it, and it ends when a
person removes or changes the address in the settings.
"""

import os

from gitmem.app import App
from gitmem.capture.provenance import is_agent
from gitmem.errors import Unavailable
from gitmem.files import atomic_write
from gitmem.store.db import preflight
from gitmem.store.file import consent
from gitmem.text.fence import one_line
from gitmem.text.web_address import is_loopback_url

_NO_HOME = "there is no home folder to note in what you agree to."
_SET_HOME = "Set HOME, or GITMEM_HOME to a folder of yours."
# Who sends to the address in a setting, and what.
_SENDS = {
    "ask.endpoint": (
        "`gitmem ask`",
        "your question, and the passages of code, commits and memories that answer it",
    ),
    "embedding.endpoint": (
        "gitmem",
        "each text of this project that is indexed (code, notes, commits), your memories, what "
        "was said in imported sessions, and each question",
    ),
    "transcripts.endpoint": (
        "`gitmem session summarize`",
        "what was said in the imported sessions of this project, secrets removed",
    ),
}


def why_sending_is_refused(app: App, setting_key: str, address: str) -> str:
    """Return a sentence on why nothing may be sent to the server ``address``; empty if it may.

    ``setting_key`` is the setting that holds the address. A person at a terminal is asked if the
    question is open.
    """
    if is_loopback_url(address):
        return ""
    path = _file(app, setting_key)
    if not path:
        return f"Nothing was sent to the endpoint: {_NO_HOME} {_SET_HOME}"
    who, what = _SENDS[setting_key]
    answer = consent.read_consent_answer(path, address)
    if answer == "" and app.ask is not None and not is_agent(app):
        shown = one_line(address, len(address))
        question = f"{who} would send {what}, to {shown}. Send them, now and later?"
        record_consent(app, setting_key, address, agreed=(agreed := app.ask(question, False)))
        answer = consent.YES if agreed else consent.NO
    if answer == consent.YES:
        return ""
    why = "you did not agree" if answer == consent.NO else "nobody has agreed yet"
    command = consent_command(setting_key, address)
    return f"Nothing was sent: {why} that {what}, go to it. A person can: {command}"


def consent_command(setting_key: str, address: str) -> str:
    """Return the shell command by which a person agrees that texts are sent to ``address``."""
    import shlex  # noqa: PLC0415 - seldom needed

    return f"gitmem config {setting_key} --agree {shlex.quote(one_line(address, len(address)))}"


def describe_transmission(setting_key: str, address: str) -> str:
    """Return a sentence that says which feature sends texts to ``address`` from now on."""
    return f"{_SENDS[setting_key][0]} sends to {address} in this project from now on."


def record_consent(app: App, setting_key: str, address: str, *, agreed: bool) -> None:
    """Store whether a person agreed (``agreed``) that texts are sent to the server ``address``.

    ``setting_key`` is the setting that holds the address. Raises Unavailable without a home folder,
    ReadOnly or DiskFull if the answer cannot be written.
    """
    path = _file(app, setting_key)
    if not path:
        raise Unavailable(_NO_HOME.capitalize(), _SET_HOME)
    try:
        preflight.make_private_folder(os.path.dirname(path))
        answer = consent.YES if agreed else consent.NO
        content = f"{answer} {address}\n".encode("utf-8", "surrogateescape")
        atomic_write.replace_file(path, content, 0o600)
    except OSError as error:
        raise preflight.write_failure_error(error, f"The file {path}") from error


def delete_consents(
    app: App, setting_key: str, *, excepted_address: str, all_projects: bool
) -> None:
    """Delete a person's answers on whether texts may be sent to the server in one setting.

    Answers on ``excepted_address`` stay. It is for this project, or with ``all_projects`` for all.
    Raises ReadOnly.
    """
    stores = [app.store.store]
    if all_projects:
        with os.scandir(app.keys.stores_folder) as entries:
            stores = [entry.name for entry in entries]
    for path in (
        consent.consent_answer_path(app.keys.stores_folder, store, setting_key) for store in stores
    ):
        if os.path.isfile(path) and not (
            excepted_address and consent.read_consent_answer(path, excepted_address)
        ):
            try:
                os.unlink(path)
            except OSError as error:
                raise preflight.write_failure_error(error, f"The file {path}") from error


def _file(app: App, key: str) -> str:
    return consent.consent_answer_path(app.keys.stores_folder, app.store.store, key)
