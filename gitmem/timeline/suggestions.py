"""Which messages are worth their tokens: what slips into a session unasked. Pure.

The ordinary prompt gets nothing. It gets something where it names a place that a memory stands on
and that place has changed since, where a decision or a fix holds nearly all of its telling words,
and where it quotes an error that was mended before. Nobody is told the same twice in a session.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence

from gitmem.model.frozen import dataclass

MOST = 5  # messages in one answer
BUDGET = 300  # tokens of them, with the lines of their frame
WIDTH = 200  # characters of what is quoted
LONGEST = 20_000  # characters of a prompt that are read
# From how many telling words on a memory can answer a prompt, and how large a share they must be.
LEAST_MET, SHARE = 3, 2 / 3
# How many places may share a name so that it still names one.
FEW = 3
_FRAME = 40  # tokens of a frame's two lines

# The first is told first. ``against`` is a rule that may be gone against, ``check`` is stale,
# ``fix`` mended an error before, ``answer`` is a decision or fix that answers, ``rule`` a
# convention, ``about`` cites what was edited.
TYPES = ("against", "check", "fix", "rule", "answer", "about")
_LEAD = {
    "check": "check first",
    "fix": "seen before",
    "against": "may conflict with",
    "rule": "convention",
    "answer": "known",
    "about": "about this file",
}

# Patterns stay text until they are needed.
_TOKEN = r"[\w@+./\\:#-]{2,300}(?:\(\))?"
_TICKED = r"`([^`\n]{2,80})`"
_CODE = r"[a-z][A-Z]|[A-Za-z0-9]_[A-Za-z0-9]|[A-Z]{2}[a-z]|\d[A-Z]|\(\)$"
_FILE = r"[\w@+-][\w@+.-]*\.[A-Za-z][A-Za-z0-9]{0,5}"
_IDENTIFIER = r"[A-Za-z_][\w.]*"
_MANY = 60


@dataclass(frozen=True, slots=True)
class Named:
    """What a prompt names: paths (or ends of paths), and names of code, dotted as it says them."""

    paths: tuple[str, ...]
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Message:
    """One thing to say: a memory, why it is said, and where it stands in the order.

    ``type`` is one of ``TYPES``; ``label`` stands in brackets before the ``text``, ``note`` in
    round ones after it. The higher ``worth`` the earlier, among those of one type.
    """

    id: str
    type: str
    label: str
    text: str
    note: str = ""
    worth: tuple[float, ...] = ()

    @property
    def key(self) -> str:
        """By what it counts as told: a doubt or a clash is news also of what was shown."""
        if self.type == "against":
            return clash(self.id)
        return doubt(self.id) if self.type == "check" else self.id


def read(prompt: str) -> Named:
    """The places that a prompt names."""
    text = prompt[:LONGEST]
    ticked = [found.removesuffix("()") for found in re.findall(_TICKED, text)]
    words = re.findall(_TOKEN, text)
    names = [one for one in ticked if re.fullmatch(_IDENTIFIER, one)]
    paths = []
    for word in words:
        parts = word.rstrip(".,;:!?-").replace("\\", "/").removeprefix("./")
        path, _, symbol = parts.partition("::")
        bare = re.sub(r"(?<!^[A-Za-z])[:#].*", "", path)
        if "/" in bare.strip("/") or re.fullmatch(_FILE, bare):
            paths.append(bare)
            name = symbol
        else:
            name = parts.replace("::", ".")
        name = name.removesuffix("()")
        of_code = symbol or "." in name or re.search(_CODE, parts)
        if of_code and re.fullmatch(_IDENTIFIER, name):
            names.append(name)
    return Named(_each(paths), _each(names))


def doubt(id: str) -> str:
    """The key under which it counts as told that a memory has to be checked."""
    return id + "c"


def clash(id: str) -> str:
    """The key under which it counts as told that a memory may be gone against."""
    return id + "x"


def of_names(symbol: str, names: Collection[str]) -> bool:
    """Whether one of the names means a symbol: the whole of it, or its last parts."""
    parts = symbol.replace("::", ".").replace("#", ".").split(".")
    ends = {".".join(parts[at:]) for at in range(len(parts))}
    return not ends.isdisjoint(names)


def of_paths(path: str, paths: Iterable[str]) -> bool:
    """Whether one of the paths means this one: the same, an end of it, or it with more before."""
    return any(path == one or path.endswith("/" + one) or one.endswith("/" + path) for one in paths)


def unsure(paths: Iterable[str]) -> frozenset[str]:
    """Names of files that more than ``FEW`` of some paths have: by its name alone none is meant."""
    counts: dict[str, int] = {}
    for path in set(paths):
        name = path.rpartition("/")[2]
        counts[name] = counts.get(name, 0) + 1
    return frozenset(name for name, count in counts.items() if count > FEW)


def answers(met: int, telling: int) -> bool:
    """Whether a memory answers that holds ``met`` of a prompt's ``telling`` words."""
    return met >= LEAST_MET and met >= SHARE * telling


def choose(
    messages: Iterable[Message], told: Collection[str], *, most: int = MOST
) -> list[Message]:
    """The messages to say, at most ``most``, each memory once and none that was told before."""
    ranked = sorted(
        messages,
        key=lambda one: (TYPES.index(one.type), tuple(-number for number in one.worth), one.id),
    )
    chosen: dict[str, Message] = {}
    for message in ranked:
        if message.key not in told:
            chosen.setdefault(message.id, message)
    return list(chosen.values())[:most]


def lines(messages: Sequence[Message], budget: int = BUDGET) -> list[tuple[Message, str]]:
    """Each message as one neutral line, as many as the budget has room for."""
    # Imported here: nearly always there is no message.
    from gitmem.text.fence import one_line  # noqa: PLC0415
    from gitmem.text.tokens import estimate  # noqa: PLC0415

    room = budget - _FRAME
    said = []
    for message in messages:
        label = f"[{message.label}] " if message.label else ""
        note = f" ({one_line(message.note, 90)})" if message.note else ""
        line = f"- {_LEAD[message.type]}: {label}{one_line(message.text, WIDTH)}{note}"
        room -= estimate(line) + 1
        if room < 0:
            break
        said.append((message, line))
    return said


def _each(words: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(word for word in words if len(word) > 1))[:_MANY]
