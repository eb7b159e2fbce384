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
    """Runs checks one after the other until the time is up, each for half of what is left.

    ``notes`` are sentences on what was left out. ``clock`` counts seconds of CPU.
    """

    def __init__(self, seconds: float, clock: Callable[[], float] = process_time) -> None:
        self._clock = clock
        self._end = self._part = clock() + seconds
        self.notes: list[str] = []

    @property
    def is_over(self) -> bool:
        """Whether no time is left for the present check."""
        return self._clock() > self._part

    def run_if_time_left(self, check_name: str, check: Callable[[], _Answer]) -> _Answer | None:
        """What ``check()`` returns; None, and a note, if it failed or no time is left."""
        now = self._clock()
        self._part = now + (self._end - now) / 2
        if now > self._end:
            self.notes.append(f"Not checked, for lack of time: {check_name}.")
            return None
        return self.run_always(check_name, check)

    def run_always(self, check_name: str, check: Callable[[], _Answer]) -> _Answer | None:
        """The answer of a check, whatever the time; None, and a note, if it failed.

        An unexpected exception goes to the log, and the other checks go on.
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
        """The items for as long as there is time; a note names the check if some are left out."""
        remaining = list(items)
        for number, item in enumerate(remaining):
            if self.is_over:
                left = quantity(len(remaining) - number, "file")
                self.notes.append(f"For lack of time {left} were not searched for {check_name}.")
                return
            yield item


def merge_notes(notes: Iterable[str]) -> tuple[str, ...]:
    """Each note once; those of checks that failed for the same reason as one."""
    named: dict[str, list[str]] = {}
    for note in dict.fromkeys(notes):
        failed = note.startswith(_FAILED)
        name, _, why = note.removeprefix(_FAILED).partition(". ") if failed else ("", "", note)
        named.setdefault(why, []).append(name)
    return tuple(
        f"{_FAILED}{', '.join(names)}. {why}" if any(names) else why for why, names in named.items()
    )
