"""Answering an edit with the memories that cite the file, and the rules that apply to it.

Rules that the edit goes against come first, then memories that the edit made stale. A file outside
the repository, one that git ignores, or one whose name suggests secrets gets no message, and its
edit is not stored.
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
from gitmem.agents.events.hook_event import HookEvent
from gitmem.agents.events.messages import HookContext
from gitmem.app import App
from gitmem.errors import GitmemError
from gitmem.spool import git_events, lease
from gitmem.store.db import seals
from gitmem.store.session import hook_queries

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.agents.events.edit_conflict import EditConflict
    from gitmem.model.memory import Memory
    from gitmem.timeline.suggestions import MessageAboutMemory

MOST = 3
RULES = ("convention", "workflow")
# Files of one edit that are looked at, and memories on them.
_MOST_FILES, _MOST_LOOKS = 20, 20
_OURS = (".git", ".gitmem")
# Letters that a word needs to identify a rule, words of an edit that are looked up (0.03 ms each),
# and rules that are read for them.
_LEAST_LETTERS, _MOST_WORDS, _MOST_RULES = 4, 40, 20
_NAME = r"[^\W_]{4,}"
_INSIDE = r"(?<=[a-z])(?=[A-Z0-9])|(?<=[A-Z])(?=[A-Z][a-z])"  # where a part of a name begins
# A drain takes about this long to start, and then waits longer than this for further edits.
_STARTING_MS = 250


def answer_edit(app: App, hook_event: HookEvent) -> str:
    """The text for the model after an edit: rules and memories about the file; empty for none.

    Raises GitmemError.
    """
    named = (_path_in_worktree(app, hook_event, file) for file in hook_event.files[:_MOST_FILES])
    # Without those outside the repository and those below .git and .gitmem.
    files = tuple(dict.fromkeys(path for path in named if path.split("/")[0] not in ("", *_OURS)))
    if not files:
        return ""
    record.record_session_event(app, hook_event, event_log.EDIT, files=files)
    if hook_event.session:
        folder, key = session_claim.session_state_folder_and_key(app, hook_event)
        session_state.acquire_claim(folder, key, session_state.EDITED, app.now)
    record.start_event_log_drain(app, hook_event, force=_request_index(app, hook_event, files))
    speaks = responses.hook_text_reaches_model(hook_event) or responses.is_hook_text_deferred(
        hook_event
    )
    hook = messages.open_hook_context(app, hook_event) if speaks else None
    if hook is None:
        return ""
    clashes = _find_clashes(hook, files)
    if not (clashes or _ids_on(hook, files)):
        return ""
    # git is asked only when there is something to say.
    open = files_safe_to_mention(app, files)
    ids = _ids_on(hook, open)
    memories = (
        hook_queries.filter_memories(hook.database, ids, messages.visible_memory_filter(hook))
        if ids
        else []
    )
    candidates = [*_describe(hook, memories[:_MOST_LOOKS])]
    if clashes and open:
        from gitmem.agents.events import edit_conflict  # noqa: PLC0415 - few edits speak of a rule

        candidates = [*edit_conflict.describe_edit_conflicts(hook, clashes, open), *candidates]
    return messages.render_messages(hook, candidates, MOST)


def _request_index(app: App, hook_event: HookEvent, files: Sequence[str]) -> bool:
    """Note that these files have to be indexed again; whether a drain has to be started for it.

    Best effort. The first of many edits in a row starts the drain, which waits for the last.
    """
    if not app.settings.allows_background:
        return False
    folder, token = app.spool_folder, seals.derive_log_line_token(app.signing_key)
    tree = git_events.worktree_name_in_events(app.layout.git_dir, is_linked=app.layout.linked)
    with suppress(OSError):
        if git_events.record_edited_files(
            folder, tree, files, token
        ) and not lease.is_spool_lease_held(folder):
            whose = session_claim.session_state_folder_and_key(app, hook_event)
            return session_state.acquire_claim(*whose, "edited", app.now, interval_ms=_STARTING_MS)
    return False


def _ids_on(hook: HookContext, files: Sequence[str]) -> set[str]:
    """Ids of the memories that cite these files, and of the rules for their folders."""
    ids: set[str] = set()
    for path in files:
        ids.update(hook_queries.memories_at_parent_folders(hook.database, path, RULES))
        ids.update(hook_queries.memories_at_path(hook.database, hook.app.worktree, path))
    return ids


def _find_clashes(hook: HookContext, files: Sequence[str]) -> "Sequence[EditConflict]":
    """The rules that reject what the edit adds. Nearly always no rule shares a word with it."""
    taken = set(_words(hook.hook_event.removed_text))
    added = [word for word in _words(hook.hook_event.added_text) if word not in taken][:_MOST_WORDS]
    kinds = hook_queries.RULES
    numbers = (
        hook_queries.memories_mentioning(hook.database, added, kinds, _MOST_RULES) if added else []
    )
    if not numbers:
        return ()
    from gitmem.agents.events import edit_conflict  # noqa: PLC0415 - few edits speak of a rule

    return edit_conflict.find_edit_conflicts(hook, numbers, files)


def _words(text: str) -> list[str]:
    """The longer words of a text and the longer parts of its identifiers, each once."""
    words: dict[str, None] = {}
    for name in dict.fromkeys(re.findall(_NAME, text)):
        words[name.lower()] = None
        if not (name.isalpha() and (name.islower() or name.istitle())):
            parts = re.sub(_INSIDE, " ", name).lower().split()
            words.update((part, None) for part in parts if len(part) >= _LEAST_LETTERS)
    return list(words)


def _describe(hook: HookContext, memories: "Sequence[Memory]") -> "Iterable[MessageAboutMemory]":
    """A message for each memory: "check" if it is stale, else "rule" or "about"."""
    states = messages.freshness_by_memory_id(hook, memories)
    for memory in memories:
        state = states.get(memory.id)
        if state is not None and state.is_stale:
            yield messages.add_freshness_note(
                messages.memory_as_message(hook, "check", memory), state
            )
        else:
            yield messages.memory_as_message(
                hook, "rule" if memory.kind in RULES else "about", memory
            )


# --- files --------------------------------------------------------------------------------------


def _path_in_worktree(app: App, hook_event: HookEvent, file: str) -> str:
    """The path of a file relative to the worktree; empty if it lies outside."""
    root = app.layout.worktree
    if not root or "\0" in file:
        return ""
    full = os.path.join(os.path.abspath(hook_event.cwd or app.start), file)
    # As given, else with links resolved: the host may know the folder by another path.
    return _below(os.path.normpath(full), root) or _below(
        os.path.realpath(full), os.path.realpath(root)
    )


def _below(full: str, root: str) -> str:
    start = root.rstrip(os.sep) + os.sep
    return full[len(start) :].replace(os.sep, "/") if full.startswith(start) else ""


def files_safe_to_mention(app: App, files: Iterable[str]) -> list[str]:
    """Which of these paths messages may name: not ignored by git, and no secrets by their name."""
    from gitmem.indexing import file_filter  # noqa: PLC0415 - its patterns cost 3 ms

    open = [path for path in files if file_filter.name_refusal_reason(path) != "secret"]
    if open and not app.layout.plain:
        from gitmem.git import status  # noqa: PLC0415 - only where something is said

        with suppress(GitmemError):  # without git's answer none counts as ignored
            ignored = status.ignored_paths(app.worktree, open, timeout=1.0)
            return [path for path in open if path not in ignored]
    return open
