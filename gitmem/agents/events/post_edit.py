"""What an edit of a file calls for: the memories that stand on it, and the rules it falls under.

A rule that the edit goes against is said first, then what lost by it what it stands on. Nothing is
said of a file outside the repository, of one that git ignores, or of one that holds secrets by its
name, nor is it kept that they were touched.
"""

import os
import re
from collections.abc import Iterable, Sequence
from contextlib import suppress

from gitmem.agents.events import (
    event_log,
    messages,
    record,
    responses,
    session_claim,
    session_state,
)
from gitmem.agents.events.hook_event import Moment
from gitmem.agents.events.messages import Desk
from gitmem.app import App
from gitmem.errors import GitmemError
from gitmem.spool import git_events, lease
from gitmem.store.db import seals
from gitmem.store.session import hook_queries

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.agents.events.edit_conflict import Clash
    from gitmem.model.memory import Memory
    from gitmem.timeline.suggestions import Message

MOST = 3
RULES = ("convention", "workflow")
# Files of one edit that are looked at, and memories on them.
_MOST_FILES, _MOST_LOOKS = 20, 20
_OURS = (".git", ".gitmem")
# Letters of a word by which a rule can be told, words of an edit that are looked up (each costs
# 0.03 ms), and rules that are read for them.
_LEAST_LETTERS, _MOST_WORDS, _MOST_RULES = 4, 40, 20
_NAME = r"[^\W_]{4,}"
_INSIDE = r"(?<=[a-z])(?=[A-Z0-9])|(?<=[A-Z])(?=[A-Z][a-z])"  # where a part of a name begins
# A drain needs so long to start, and waits for longer than that for further edits.
_STARTING_MS = 250


def edit(app: App, moment: Moment) -> str:
    """What is worth being told after this edit. Raises GitmemError."""
    named = (_place(app, moment, file) for file in moment.files[:_MOST_FILES])
    # Those that are none of ours are left out.
    files = tuple(dict.fromkeys(path for path in named if path.split("/")[0] not in ("", *_OURS)))
    if not files:
        return ""
    record.note(app, moment, event_log.EDIT, files=files)
    record.hand_over(app, moment, at_once=_ask_for_index(app, moment, files))
    speaks = responses.injects(moment) or responses.waits(moment)
    at = messages.desk(app, moment) if speaks else None
    if at is None:
        return ""
    clashes = _clashes(at)
    if not (clashes or _on(at, files)):
        return ""
    # Asked of git only where there is something to say.
    open = spoken(app, files)
    ids = _on(at, open)
    found = hook_queries.of_ids(at.database, ids, messages.wanted(at)) if ids else []
    given = [*_against(at, clashes, open), *_messages(at, found[:_MOST_LOOKS])]
    return messages.said(at, given, MOST)


def _ask_for_index(app: App, moment: Moment, files: Sequence[str]) -> bool:
    """Note that these files are to be indexed anew; whether a drain has to be started for it.

    Best effort. Of many edits in a row the first starts it: it waits until they are over.
    """
    if not app.settings.background:
        return False
    folder, token = app.spool_folder, seals.token(app.store_key)
    tree = git_events.tree_name(app.layout.git_dir, linked=app.layout.linked)
    with suppress(OSError):
        if git_events.note_edits(folder, tree, files, token) and not lease.is_held(folder):
            whose = session_claim.claimant(app, moment)
            return session_state.claim(*whose, "edited", app.now, every=_STARTING_MS)
    return False


def _on(at: Desk, files: Sequence[str]) -> set[str]:
    """Ids of the memories that cite some files, and of the rules for the folders they are in."""
    found: set[str] = set()
    for path in files:
        found.update(hook_queries.around(at.database, path, RULES))
        found.update(hook_queries.at_path(at.database, at.app.worktree, path))
    return found


def _clashes(at: Desk) -> "Sequence[Clash]":
    """The rules that turn down what the edit adds. Nearly always no rule holds a word of it."""
    taken = set(_words(at.moment.takes))
    added = [word for word in _words(at.moment.adds) if word not in taken][:_MOST_WORDS]
    kinds = hook_queries.RULES
    numbers = hook_queries.speaking_of(at.database, added, kinds, _MOST_RULES) if added else []
    if not numbers:
        return ()
    from gitmem.agents.events import edit_conflict  # noqa: PLC0415 - few edits speak of a rule

    return edit_conflict.clashes(at, numbers)


def _words(text: str) -> list[str]:
    """The longer words of a text and the longer parts of its names, each once."""
    words: dict[str, None] = {}
    for name in dict.fromkeys(re.findall(_NAME, text)):
        words[name.lower()] = None
        if not (name.isalpha() and (name.islower() or name.istitle())):
            parts = re.sub(_INSIDE, " ", name).lower().split()
            words.update((part, None) for part in parts if len(part) >= _LEAST_LETTERS)
    return list(words)


def _against(at: Desk, clashes: "Sequence[Clash]", files: Sequence[str]) -> "Iterable[Message]":
    if not (clashes and files):
        return ()
    from gitmem.agents.events import edit_conflict  # noqa: PLC0415 - as above

    return edit_conflict.against(at, clashes, files)


def _messages(at: Desk, found: "Sequence[Memory]") -> "Iterable[Message]":
    """What has changed by the edit first, then rules, then the rest."""
    states = messages.fresh(at, found)
    for one in found:
        state = states.get(one.id)
        if state is not None and state.stale:
            yield messages.doubted(messages.message(at, "check", one), state)
        else:
            yield messages.message(at, "rule" if one.kind in RULES else "about", one)


# --- files --------------------------------------------------------------------------------------


def _place(app: App, moment: Moment, file: str) -> str:
    """The path of a file in the worktree; empty outside of it."""
    root = app.layout.worktree
    if not root or "\0" in file:
        return ""
    full = os.path.join(os.path.abspath(moment.cwd or app.start), file)
    # As it is named, and where that leads: the host may know the folder by another name.
    return _below(os.path.normpath(full), root) or _below(
        os.path.realpath(full), os.path.realpath(root)
    )


def _below(full: str, root: str) -> str:
    start = root.rstrip(os.sep) + os.sep
    return full[len(start) :].replace(os.sep, "/") if full.startswith(start) else ""


def spoken(app: App, files: Iterable[str]) -> list[str]:
    """Those of some files that may be spoken of: no secrets by their names, and not ignored."""
    from gitmem.indexing import file_filter  # noqa: PLC0415 - its patterns cost 3 ms

    open = [path for path in files if file_filter.refuse_name(path) != "secret"]
    hidden = _ignored(app, open)
    return [path for path in open if path not in hidden]


def _ignored(app: App, files: Sequence[str]) -> frozenset[str]:
    """Those of some files that git ignores; none where git does not say."""
    if not files or app.layout.plain:
        return frozenset()
    from gitmem.git import status  # noqa: PLC0415 - only where something is said

    with suppress(GitmemError):
        return status.ignored(app.worktree, files, timeout=1.0)
    return frozenset()
