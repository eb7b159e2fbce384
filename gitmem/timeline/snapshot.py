"""The state of a session's work in a few lines, which a compaction would lose. Pure.

Only facts: from git, from what gitmem was told, and from commands; never a person's prompts.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gitmem.model.frozen import dataclass
from gitmem.text.fence import one_line
from gitmem.text.quantity import quantity
from gitmem.text.tokens import clip_to_tokens

MAX_TOKENS = 600  # tokens
WIDTH = 180
MOST_FILES, MOST_COMMITS, MOST_DECISIONS, MOST_NOTES = 12, 8, 6, 5
MOST_ERRORS, MOST_CHECKS = 2, 3


@dataclass(frozen=True, slots=True)
class SessionWorkState:
    """What is known of an agent's work in a session, so that it can go on; lists are newest first.

    ``commits`` are (id, first line), ``decisions`` (short id, title), ``dirty`` the uncommitted
    files, ``checks`` the commands that passed.
    """

    goal: str = ""
    branch: str = ""
    commit: str = ""
    files: Sequence[str] = ()
    dirty: Sequence[str] = ()
    commits: Sequence[tuple[str, str]] = ()
    decisions: Sequence[tuple[str, str]] = ()
    notes: Sequence[str] = ()
    errors: Sequence[str] = ()
    checks: Sequence[str] = ()


def work_state_as_lines(work: SessionWorkState) -> list[str]:
    """The state of a session's work as lines ``label: text``; empty if only the branch is known."""
    changed = set(work.dirty)
    files = [f"{file}*" if file in changed else file for file in work.files]
    beside = [path for path in work.dirty if path not in set(work.files)]
    rows = [
        _line("goal", [work.goal]),
        *(_line("decided", [f"[{handle}] {title}"]) for handle, title in work.decisions),
        *(_line("note", [note]) for note in work.notes[:MOST_NOTES]),
        _line("worked on (* not committed)", _cut_list(files, MOST_FILES)),
        _line("also not committed", _cut_list(beside, MOST_FILES)),
        *(_line("last error", [error]) for error in work.errors[:MOST_ERRORS]),
        _line("passed", work.checks[:MOST_CHECKS], "; "),
        *(_line("committed", [f"{sha[:10]} {subject}"]) for sha, subject in work.commits),
    ]
    present = [line for line in rows if line]
    if not present:
        return []
    place = f"{work.branch or 'detached HEAD'}{f' @ {work.commit[:10]}' if work.commit else ''}"
    return [_line("branch", [place]), *present]


def work_state_as_text(work: SessionWorkState, max_tokens: int = MAX_TOKENS) -> str:
    """The state of a session's work as text of at most ``max_tokens`` tokens, or empty."""
    return clip_to_tokens("\n".join(work_state_as_lines(work)), max_tokens)


def summarise_session_work(work: SessionWorkState) -> str:
    """What a session did, in a sentence or two; empty if nothing is known."""
    parts = []
    if work.decisions:
        parts.append("Decided: " + "; ".join(title for _, title in work.decisions[:3]))
    if work.commits:
        subjects = "; ".join(subject for _, subject in work.commits[:3])
        parts.append(f"Made {quantity(len(work.commits), 'commit')}: {subjects}")
    if work.files:
        parts.append("Worked on " + " ".join(_cut_list(work.files, 5)))
    if work.notes:
        parts.append("Noted: " + work.notes[0])
    if work.errors:
        parts.append("Last error: " + work.errors[0])
    left = [path for path in work.dirty if path in set(work.files)] if work.files else work.dirty
    if left:
        parts.append("Not committed: " + " ".join(_cut_list(left, 3)))
    return ". ".join(one_line(part, WIDTH) for part in parts)


def _cut_list(words: Sequence[str], most: int) -> list[str]:
    rest = [f"… {len(words) - most} more"] if len(words) > most else []
    return [*(one_line(word, 90) for word in words[:most]), *rest]


def _line(label: str, words: Iterable[str], joint: str = " ") -> str:
    text = joint.join(word for word in words if word)
    return f"{label}: {one_line(text, 2 * WIDTH)}" if text else ""
