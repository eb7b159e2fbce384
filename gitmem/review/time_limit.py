"""The time that a review may take, and what was left out for lack of it."""

from collections.abc import Callable, Iterable, Iterator
from time import process_time
from typing import TypeVar

from gitmem import crashlog
from gitmem.errors import GitmemError
from gitmem.text.quantity import quantity

_FAILED = "Not checked: "
_Answer = TypeVar("_Answer")
_Item = TypeVar("_Item")


class TimeLimit:
    """A budget of CPU seconds for checks run one after another; each may use half of the rest.

    ``notes`` are sentences on what was not checked. ``clock`` returns seconds.
    """

    def __init__(self, seconds: float, clock: Callable[[], float] = process_time) -> None:
        self._clock = clock
        self._end = self._part = clock() + seconds
        self.notes: list[str] = []

    @property
    def is_over(self) -> bool:
        """Whether the check that runs now has used up its time."""
        return self._clock() > self._part

    def run_if_time_left(self, check_name: str, check: Callable[[], _Answer]) -> _Answer | None:
        """Return what ``check()`` returns; None, with a note, if it fails or no time is left."""
        now = self._clock()
        self._part = now + (self._end - now) / 2
        if now > self._end:
            self.notes.append(f"Not checked, for lack of time: {check_name}.")
            return None
        return self.run_always(check_name, check)

    def run_always(self, check_name: str, check: Callable[[], _Answer]) -> _Answer | None:
        """Return what ``check()`` returns, even after the time is up; None and a note if it fails.

        ``check_name`` names it in the note. An unexpected exception goes to the log.
        """
        try:
            return check()
        except GitmemError as error:
            reason = error
        except Exception as error:
            reason = crashlog.record_crash(error, ["review"])
        self.notes.append(f"{_FAILED}{check_name}. {reason.as_sentences()}")
        return None

    def items_while_time_left(self, items: Iterable[_Item], check_name: str) -> Iterator[_Item]:
        """Yield the items until the time is over; then a note says what was not searched for.

        ``check_name`` completes that sentence, such as ``past fixes``.
        """
        remaining = list(items)
        for number, item in enumerate(remaining):
            if self.is_over:
                left = quantity(len(remaining) - number, "file")
                self.notes.append(f"For lack of time {left} were not searched for {check_name}.")
                return
            yield item


def merge_notes(notes: Iterable[str]) -> tuple[str, ...]:
    """Return each note once; notes on checks that failed for one reason become one."""
    named: dict[str, list[str]] = {}
    for note in dict.fromkeys(notes):
        failed = note.startswith(_FAILED)
        name, _, why = note.removeprefix(_FAILED).partition(". ") if failed else ("", "", note)
        named.setdefault(why, []).append(name)
    return tuple(
        f"{_FAILED}{', '.join(names)}. {why}" if any(names) else why for why, names in named.items()
    )
