"""Whether what somebody wants to have remembered is worded like a decision (ML-23). Pure.

The wordings are those of commit messages, with the confidence that was measured there; here they
only give a hint. What cannot hold one of them is told without a regular expression.
"""

from __future__ import annotations

TYPE_CHECKING = False  # `decision_finder` is loaded only for what may be a decision
if TYPE_CHECKING:
    from gitmem.memory.decision_finder import Statement

_SIGNS = (
    *("decid", "instead of", "rather than", "in favor of", "in favour of", "opted", "chose"),
    *("switch", "migrat", "adopt", "standardi", "deprecat", "decision:", "we must", "only support"),
)
_TITLE = 50  # characters


def read(text: str) -> Statement | None:
    """The decision that a text states, in its first line or its sentences; None: it states none."""
    low = text.lower()
    if not any(sign in low for sign in _SIGNS):
        return None
    from gitmem.memory import decision_finder  # noqa: PLC0415 - see above

    first = next((line for line in text.splitlines() if line.strip()), "")
    return decision_finder.in_message(first.strip(), text)


def title(text: str, most: int = _TITLE) -> str:
    """The beginning of a text on one line, cut between words; ``most`` characters."""
    line = " ".join(text.split())
    if len(line) <= most:
        return line
    end = line.rfind(" ", 0, most)
    return line[: end if end > most // 2 else most - 1].rstrip(" ,;:") + "…"


def hint(text: str) -> str:
    """What to tell somebody who keeps a decision as something else; empty where it is none."""
    found = read(text)
    if found is None:
        return ""
    return (
        f"It is worded like a decision ({found.evidence}, {found.confidence:.0%} sure): "
        f'`gitmem decide "{title(found.title)}"` keeps its reasons and its status.'
    )
