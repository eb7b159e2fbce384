"""What only bears gitmem's name in a host's file, as a value, and what gitmem knows of itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gitmem.agents.hosts import registry
from gitmem.agents.hosts.host import PROJECT, USER
from gitmem.agents.wiring.templates import SKILL
from gitmem.model.frozen import dataclass
from gitmem.text.fence import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    from gitmem.agents.hosts.host_paths import Bases
    from gitmem.agents.wiring.manifest import Records

    # What takes impostors out of a file: by path, scope, content and whose parts are meant.
    Clean = Callable[[str, str, bytes, Collection[tuple[str, str]]], bytes | None]


@dataclass(frozen=True, slots=True)
class Known:
    """What gitmem knows of itself here.

    ``ways`` are those to start it, the one that setup writes down first; ``records`` what setup
    wrote, as far as that can be believed.
    """

    bases: Bases
    ways: tuple[tuple[str, ...], ...]
    records: Records


@dataclass(frozen=True, slots=True)
class Impostor:
    """One thing of gitmem's name that is not gitmem's.

    ``at`` are the keys that lead to it, none where it is the ``whole`` file; ``value`` is the hook
    in the list there, None for all that stands there. ``event`` is the one that it is fired for;
    ``asked`` a host that reads this file of another's too, where setup was asked for that host.
    """

    agent: str
    part: str
    scope: str
    path: str
    at: tuple[str, ...]
    reason: str
    value: dict[str, Any] | None = None
    whole: bool = False
    event: str = ""
    asked: str = ""

    @property
    def message(self) -> str:
        """What it is and how it differs."""
        where = f": {'.'.join(self.at)}" if self.at else ""
        return one_line(f"{self.path}{where} is not gitmem's: {self.reason}", 400)

    @property
    def hint(self) -> str:
        """Who mends it, and how."""
        return hint((self,))


def hint(found: Iterable[Impostor]) -> str:
    """Who mends them, and how."""
    impostors = list(found)
    names = " ".join(dict.fromkeys(each.asked or each.agent for each in impostors))
    # Where no scope is named, setup would write those to the project.
    users = any(
        each.scope == USER and (each.part, PROJECT) in registry.find(each.agent).places
        for each in impostors
    )
    skills = any(each.part.startswith(SKILL) for each in impostors)
    more = " --scope user" * users + " --skills" * skills
    return f"Look at it. `gitmem setup {names}{more} --replace` puts gitmem's own there."
