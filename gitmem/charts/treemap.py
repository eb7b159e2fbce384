"""The code map as a picture: files as areas by their lines, coloured by one fact. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from gitmem.model.frozen import dataclass
from gitmem.text.fence import one_line
from gitmem.text.quantity import quantity

# What colours the files.
COLOURS = ("remembered", "stale", "hot", "owner")
# Files with an area of their own; the others are one area in each folder.
MOST = 300
OWNERS = 7
_WIDTH = 60
_STEPS = (0, 1, 2, 4, 8, 16)
_NO_OWNER, _OTHERS = "no indexed commit", "others"


@dataclass(frozen=True, slots=True)
class FileFacts:
    """A file with its lines and what is known of it.

    ``memories`` cite it; of them ``stale`` cite code that changed or is gone, and ``unchecked``
    have no verdict yet. ``commits`` changed it lately; ``owner`` made most of its commits.
    """

    path: str
    lines: int
    memories: int = 0
    stale: int = 0
    unchecked: int = 0
    commits: int = 0
    owner: str = ""


@dataclass(frozen=True, slots=True)
class Colouring:
    """How a fact colours files: ``legend`` has the words of the shades of a ``palette``.

    ``shade`` gives the number of a file's shade, ``note`` the fact in words, ``sign`` the same as
    short as a small area needs it.
    """

    palette: str
    legend: tuple[str, ...]
    shade: Callable[[FileFacts], int]
    note: Callable[[FileFacts], str]
    sign: Callable[[FileFacts], str]


def colouring(files: Sequence[FileFacts], by: str) -> Colouring:
    """How ``by``, one of ``COLOURS``, colours the files."""
    if by == "owner":
        return _by_owner(files)
    if by == "stale":
        return Colouring("verdict", _VERDICTS, _verdict, _verdict_note, _verdict_sign)
    if by == "hot":
        return _by_count("commit", lambda file: file.commits)
    return _by_count("memory", lambda file: file.memories)


def _by_count(thing: str, count: Callable[[FileFacts], int]) -> Colouring:
    return Colouring(
        "steps",
        _steps(thing),
        lambda file: sum(count(file) >= least for least in _STEPS[1:]),
        lambda file: quantity(count(file), thing) if count(file) else "",
        lambda file: str(count(file) or ""),
    )


def _steps(thing: str) -> tuple[str, ...]:
    """``no memory``, ``1 memory``, ``2 to 3``, …, ``16 or more``."""
    words = [f"no {thing}", f"1 {thing}"]
    for low, above in zip(_STEPS[2:], (*_STEPS[3:], 0), strict=True):
        words.append(f"{low} to {above - 1}" if above else f"{low} or more")
    return tuple(words)


_VERDICTS = ("no memory", "all fresh", "not checked yet", "check first")


def _verdict(file: FileFacts) -> int:
    if file.stale:
        return 3
    if file.unchecked:
        return 2
    return 1 if file.memories else 0


def _verdict_note(file: FileFacts) -> str:
    if file.stale:
        return f"! check {quantity(file.stale, 'memory')} of {file.memories}"
    if file.unchecked:
        return f"? {quantity(file.unchecked, 'memory')} not checked"
    return f"{quantity(file.memories, 'memory')} fresh" if file.memories else ""


def _verdict_sign(file: FileFacts) -> str:
    return ("", f"✓ {file.memories}", f"? {file.unchecked}", f"! {file.stale}")[_verdict(file)]


def _by_owner(files: Sequence[FileFacts]) -> Colouring:
    lines: Counter[str] = Counter()
    for file in files:
        if file.owner:
            lines[file.owner] += file.lines
    ranked = sorted(lines, key=lambda name: (-lines[name], name))[:OWNERS]
    shades = {name: number for number, name in enumerate(ranked, 1)}
    some = len(ranked) < len(lines)
    names = [one_line(name, 40) for name in ranked] + ([_OTHERS] if some else [])
    return Colouring(
        "groups",
        (_NO_OWNER, *names),
        lambda file: shades.get(file.owner, len(ranked) + 1) if file.owner else 0,
        lambda file: file.owner,
        lambda _: "",
    )


def treemap(
    files: Sequence[FileFacts],
    by: str,
    *,
    folder: str = "",
    file_link: Callable[[str], str] = lambda _: "",
    folder_link: Callable[[str], str] = lambda _: "",
    most: int = MOST,
) -> dict[str, object]:
    """The picture: ``{"kind": "treemap", "by", "palette", "legend", "folder", "nodes"}``.

    A node has ``name``, ``lines``, ``href`` if there are links, and either ``nodes`` or ``shade``,
    ``note`` and ``sign``. The largest ``most`` files below ``folder`` have areas of their own; the
    others are counted in an area of the folder next above that has one.
    """
    colours = colouring(files, by)
    inside = [file for file in files if not folder or file.path.startswith(f"{folder}/")]
    inside.sort(key=lambda file: (-file.lines, file.path))
    root: dict[str, Any] = {}
    for file in inside[:most]:
        *folders, _ = _parts(file.path, folder)
        place = root
        for name in folders:
            place = place.setdefault(f"{name}/", {})
        place[file.path] = file
    for file in inside[most:]:
        place, _ = _deepest(root, _parts(file.path, folder)[:-1])
        place.setdefault("", []).append(file)
    return {
        "kind": "treemap",
        "by": by,
        "palette": colours.palette,
        "legend": list(colours.legend),
        "folder": folder,
        "nodes": _nodes(root, folder, colours, file_link, folder_link),
    }


def _parts(path: str, folder: str) -> list[str]:
    return path[len(folder) + 1 if folder else 0 :].split("/")


def _deepest(root: dict[str, Any], folders: Iterable[str]) -> tuple[dict[str, Any], int]:
    depth = 0
    for name in folders:
        if f"{name}/" not in root:
            break
        root = root[f"{name}/"]
        depth += 1
    return root, depth


def _nodes(
    place: Mapping[str, Any],
    folder: str,
    colours: Colouring,
    file_link: Callable[[str], str],
    folder_link: Callable[[str], str],
) -> list[dict[str, object]]:
    nodes: list[dict[str, object]] = []
    for key, value in place.items():
        if isinstance(value, FileFacts):
            note, sign = one_line(colours.note(value), _WIDTH), colours.sign(value)
            shown = {"shade": colours.shade(value), "note": note}
            shown |= {"sign": sign} if sign else {}
            name, lines, href = value.path.rpartition("/")[2], value.lines, file_link(value.path)
        elif key:
            # Folders with nothing but a folder in them are one: src/flask.
            name, inner = key[:-1], value
            while len(inner) == 1 and next(iter(inner)).endswith("/") and "" not in inner:
                ((only, inner),) = inner.items()
                name = f"{name}/{only[:-1]}"
            path = f"{folder}/{name}" if folder else name
            below = _nodes(inner, path, colours, file_link, folder_link)
            shown = {"nodes": below}
            lines, href = sum(int(str(node["lines"])) for node in below), folder_link(path)
        else:
            shown = {"shade": 0, "note": "", "rest": True}
            name, lines = quantity(len(value), "smaller file"), sum(file.lines for file in value)
            href = folder_link(folder) if folder else ""
        node = {"name": one_line(name, _WIDTH), "lines": max(lines, 1), **shown}
        nodes.append({**node, "href": href} if href else node)
    return nodes
