"""Whether a text to be remembered is worded like a decision; it only leads to a hint. Pure.

Wordings and confidence are those of commit messages. A text without any of ``_SIGNS`` needs no
regular expression.
"""

from __future__ import annotations

TYPE_CHECKING = False  # `decision_finder` is loaded only for what may be a decision
if TYPE_CHECKING:
    from gitmem.memory.decision_finder import DecisionStatement

_SIGNS = (
    *("decid", "instead of", "rather than", "in favor of", "in favour of", "opted", "chose"),
    *("switch", "migrat", "adopt", "standardi", "deprecat", "decision:", "we must", "only support"),
)
_TITLE = 50  # characters


def recognise_decision(text: str) -> DecisionStatement | None:
    """The DecisionStatement in a text that is to be remembered; None if it has no such wording."""
    low = text.lower()
    if not any(sign in low for sign in _SIGNS):
        return None
    from gitmem.memory import decision_finder  # noqa: PLC0415 - few texts need it

    first = next((line for line in text.splitlines() if line.strip()), "")
    return decision_finder.find_decision_in_message(first.strip(), text)


def decision_title(text: str, max_chars: int = _TITLE) -> str:
    """The beginning of a text as one line of at most ``max_chars`` characters, cut with "…"."""
    line = " ".join(text.split())
    if len(line) <= max_chars:
        return line
    end = line.rfind(" ", 0, max_chars)
    return line[: end if end > max_chars // 2 else max_chars - 1].rstrip(" ,;:") + "…"


def hint_to_record_decision(text: str) -> str:
    """A sentence that advises `gitmem decide`, for a text worded like a decision; else empty."""
    decision = recognise_decision(text)
    if decision is None:
        return ""
    return (
        f"It is worded like a decision ({decision.evidence}, {decision.confidence:.0%} sure): "
        f'`gitmem decide "{decision_title(decision.title)}"` keeps its reasons and its status.'
    )
