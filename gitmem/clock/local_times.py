"""Converting the times of a result to a time zone, for its text; its JSON stays UTC.

Results hold times as ISO 8601 UTC, in fields recognised by their names; other texts are never
changed.
"""

from __future__ import annotations

from gitmem.clock import parse_iso, zones
from gitmem.model.frozen import replace

TYPE_CHECKING = False  # importing typing costs 10 ms; type checkers know this name by itself
if TYPE_CHECKING:
    import datetime as dt
    from typing import Any

_NAMES = frozenset({"at", "since", "until", "last", "last_access", "valid_from", "valid_until"})
_SHAPE = "dddd-dd-ddTdd:dd:ddZ"


def with_local_times(result: Any, zone: str) -> Any:
    """A result of a command with its times in a time zone, such as ``2026-11-21T09:03:42+01:00``.

    Days are local too. Raises InvalidInput where there is no such zone.
    """
    return _of(result, zones.load_time_zone(zone))


def is_time_field(field_name: str) -> bool:
    """Whether a field with this name contains a time."""
    return field_name in _NAMES or field_name.endswith("_at")


def _of(value: Any, zone: dt.tzinfo) -> Any:
    if isinstance(value, tuple):
        return tuple(_of(item, zone) for item in value)
    names = getattr(type(value), "__match_args__", ())
    changes = {}
    for name in names:
        before = getattr(value, name)
        after = _text(before, zone) if _holds_time(value, name) else _of(before, zone)
        if after is not before and after != before:
            changes[name] = after
    return replace(value, **changes) if changes else value


def _holds_time(value: Any, name: str) -> bool:
    # An entry of a list of edits has the name of its field beside it.
    if name in ("before", "after"):
        return is_time_field(getattr(value, "field", ""))
    return is_time_field(name)


def _text(value: Any, zone: dt.tzinfo) -> Any:
    if not isinstance(value, str) or not _is_iso(value):
        return value if isinstance(value, str) else _of(value, zone)
    return zones.to_local_datetime(parse_iso(value), zone).isoformat(timespec="seconds")


def _is_iso(text: str) -> bool:
    return len(text) == len(_SHAPE) and all(
        char.isdigit() if shape == "d" else char == shape
        for char, shape in zip(text, _SHAPE, strict=True)
    )
