"""The state of a piece of work in a few lines: what a compaction would lose. Pure.

Only what is known for certain: what git says, what was said to gitmem, what was run. Nothing of
what a person typed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gitmem.model.frozen import dataclass
from gitmem.text.fence import one_line
from gitmem.text.quantity import quantity
from gitmem.text.tokens import clip

BUDGET = 600  # tokens
WIDTH = 180
MOST_FILES, MOST_COMMITS, MOST_DECISIONS, MOST_NOTES = 12, 8, 6, 5
MOST_ERRORS, MOST_CHECKS = 2, 3


@dataclass(frozen=True, slots=True)
class Work:
    """What is known of a session. Lists have the newest first.

    ``commits`` are (id, subject), ``decisions`` (handle, title), ``dirty`` what is not committed.
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


def lines(work: Work) -> list[str]:
    """The state, the telling lines first; empty where nothing is known but where we are."""
    changed = set(work.dirty)
    files = [f"{file}*" if file in changed else file for file in work.files]
    beside = [one for one in work.dirty if one not in set(work.files)]
    told = [
        _line("goal", [work.goal]),
        *(_line("decided", [f"[{handle}] {title}"]) for handle, title in work.decisions),
        *(_line("note", [note]) for note in work.notes[:MOST_NOTES]),
        _line("worked on (* not committed)", _some(files, MOST_FILES)),
        _line("also not committed", _some(beside, MOST_FILES)),
        *(_line("last error", [error]) for error in work.errors[:MOST_ERRORS]),
        _line("passed", work.checks[:MOST_CHECKS], "; "),
        *(_line("committed", [f"{sha[:10]} {subject}"]) for sha, subject in work.commits),
    ]
    found = [line for line in told if line]
    if not found:
        return []
    place = f"{work.branch or 'detached HEAD'}{f' @ {work.commit[:10]}' if work.commit else ''}"
    return [_line("branch", [place]), *found]


def text(work: Work, budget: int = BUDGET) -> str:
    """The state as text that costs no more than ``budget`` tokens; empty where there is none."""
    return clip("\n".join(lines(work)), budget)


def summary(work: Work) -> str:
    """What a session did, in a sentence or two; empty where it did nothing. No more than known."""
    parts = []
    if work.decisions:
        parts.append("Decided: " + "; ".join(title for _, title in work.decisions[:3]))
    if work.commits:
        subjects = "; ".join(subject for _, subject in work.commits[:3])
        parts.append(f"Made {quantity(len(work.commits), 'commit')}: {subjects}")
    if work.files:
        parts.append("Worked on " + " ".join(_some(work.files, 5)))
    if work.notes:
        parts.append("Noted: " + work.notes[0])
    if work.errors:
        parts.append("Last error: " + work.errors[0])
    left = [one for one in work.dirty if one in set(work.files)] if work.files else work.dirty
    if left:
        parts.append("Not committed: " + " ".join(_some(left, 3)))
    return ". ".join(one_line(part, WIDTH) for part in parts)


def _some(words: Sequence[str], most: int) -> list[str]:
    rest = [f"… {len(words) - most} more"] if len(words) > most else []
    return [*(one_line(word, 90) for word in words[:most]), *rest]


def _line(label: str, words: Iterable[str], joint: str = " ") -> str:
    said = joint.join(word for word in words if word)
    return f"{label}: {one_line(said, 2 * WIDTH)}" if said else ""
