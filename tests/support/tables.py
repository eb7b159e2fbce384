"""Tables of cases that one test checks to the end, each failure with its row.

An item costs pytest a millisecond or two before it does anything, once in every worker: more than
most rows of a table take. ``pytest.mark.parametrize`` stays where a case wants a fresh fixture or
is heavy enough to run beside the others.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import pytest

Test = Callable[..., None]

WIDEST = 200  # characters of a row that has no name


def table(
    names: str | Sequence[str],
    rows: Iterable[Any] | Callable[[], Iterable[Any]],
    ids: Sequence[str] | Callable[[Any], str] | None = None,
) -> Callable[[Test], Test]:
    """Check every row in one test; written as ``pytest.mark.parametrize`` is.

    Rows that cost something come as a function, which is called when the test runs and not while
    tests are collected. The rows share the fixtures of the test. One that fails does not keep the
    others from being checked, and none can be skipped: that would hide them.
    """
    columns = _columns(names)
    ready = None if callable(rows) else _checked(columns, rows)

    def decorate(test: Test) -> Test:
        def check(**fixtures: Any) -> None:
            wrong: list[BaseException] = []
            checked = ready or _checked(columns, rows())
            for at, (row, values) in enumerate(checked):
                try:
                    test(**fixtures, **dict(zip(columns, values, strict=True)))
                except (Exception, pytest.fail.Exception, pytest.skip.Exception) as error:
                    error.add_note(f"in the row {_label(row, values, ids, at)}")
                    wrong.append(error)
            if wrong:
                raise BaseExceptionGroup(f"{len(wrong)} of {len(checked)} rows", wrong)

        return _in_place_of(test, check, columns)

    return decorate


def _checked(columns: Sequence[str], rows: Iterable[Any]) -> list[tuple[Any, Sequence[Any]]]:
    """Each row with its values, as many as there are columns."""
    checked = [(row, _values(row, len(columns))) for row in rows]
    assert checked, f"no rows for {columns}"
    for row, values in checked:
        assert len(values) == len(columns), f"{row}: {len(values)} values for {columns}"
    return checked


def _columns(names: str | Sequence[str]) -> list[str]:
    """The parameters that the rows fill."""
    return [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)


def _values(row: Any, width: int) -> Sequence[Any]:
    """A row's value for each column."""
    if isinstance(row, _PARAM):
        return row.values
    return (row,) if width == 1 else row


def _label(
    row: Any, values: Sequence[Any], ids: Sequence[str] | Callable[[Any], str] | None, at: int
) -> str:
    """What a failure calls a row."""
    if isinstance(row, _PARAM) and isinstance(row.id, str):
        return row.id
    if callable(ids):
        return "-".join(str(ids(value)) for value in values)
    if ids is not None:
        return ids[at]
    try:
        return repr(values[0] if len(values) == 1 else values)[:WIDEST]
    except ValueError:  # a number with more digits than Python cares to write
        return f"number {at + 1}"


def _in_place_of(test: Test, check: Test, columns: Sequence[str]) -> Test:
    """``check`` as pytest is to see it: the test's name and marks, without the columns."""
    wants = inspect.signature(test)
    missing = [name for name in columns if name not in wants.parameters]
    assert not missing, f"{test.__name__} does not take {missing}"
    fixtures = [item for name, item in wants.parameters.items() if name not in columns]
    check.__name__, check.__qualname__ = test.__name__, test.__qualname__
    check.__doc__, check.__module__ = test.__doc__, test.__module__
    # Not ``__dict__`` as a whole: the plugin of hypothesis would take this for a test of its own.
    vars(check)["pytestmark"] = list(vars(test).get("pytestmark", []))
    vars(check)["__wrapped__"] = test  # for the line where it stands
    vars(check)["__signature__"] = wants.replace(parameters=fixtures)
    return check


_PARAM = type(pytest.param())
