"""Finding the name of this machine's time zone."""

from __future__ import annotations

import os
from contextlib import suppress

TYPE_CHECKING = False  # importing typing costs 10 ms; type checkers know this name by itself
if TYPE_CHECKING:
    from typing import Protocol
else:
    Protocol = object

_DATABASE = "/usr/share/zoneinfo"


def local_zone_name(environment_tz: str | None, *, etc_folder: str = "/etc") -> str:
    """The name of the local time zone, such as ``Europe/Berlin``; ``UTC`` if none is set.

    Taken from the TZ variable (passed by the caller, who may read the environment), the link
    ``/etc/localtime`` or the file ``/etc/timezone``, in this order. Unknown names are skipped.
    """
    for candidate in (environment_tz or "", _linked_zone(etc_folder), _written_zone(etc_folder)):
        name = _zone_part(candidate)
        if name == "UTC" or (name and _exists(name)):
            return name
    return "UTC"


def validate_zone_name(name: str) -> str:
    """Return the name if such a time zone exists, or if it is empty.

    Raises InvalidInput for an unknown one.
    """
    if name:
        from gitmem.clock import zones  # noqa: PLC0415 - only where a zone is named

        zones.load_time_zone(name)
    return name


def is_zone_name(name: str) -> bool:
    """Whether a time zone with this name exists."""
    # The zone database first: importing `zoneinfo` costs 5 ms and is often not needed.
    if name == "UTC":
        return True
    if not set(name.split("/")) & {"", ".", ".."}:
        with suppress(OSError, ValueError), open(f"{_DATABASE}/{name}", "rb") as file:
            if file.read(4) == b"TZif":
                return True
    return _exists(name)


def _linked_zone(etc: str) -> str:
    try:
        return os.path.realpath(f"{etc}/localtime", strict=True)
    except OSError:
        return ""


def _written_zone(etc: str) -> str:
    try:
        with open(f"{etc}/timezone", encoding="utf-8", errors="replace") as file:
            return file.read(200).strip()
    except OSError:
        return ""


def _zone_part(text: str) -> str:
    """The zone's name in a TZ value or in a path of the zone database."""
    name = text.strip().removeprefix(":")
    if name.startswith("/"):
        _, separator, name = name.partition("zoneinfo/")
        if not separator:
            return ""
    name = name.removeprefix("posix/").removeprefix("right/")
    return "UTC" if name in {"Etc/UTC", "Etc/UCT", "UCT", "Zulu", "Etc/Zulu", "UTC0"} else name


def _exists(name: str) -> bool:
    from gitmem.clock.zones import find_time_zone  # noqa: PLC0415  # zoneinfo costs 5 ms

    return find_time_zone(name) is not None
