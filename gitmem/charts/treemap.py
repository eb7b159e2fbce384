"""The code map as a picture: files as areas by their lines, coloured by one fact. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

from gitmem.model.frozen import dataclass
from gitmem.text.fence import one_line
from gitmem.text.quantity import quantity

# What colours the files.
COLOURS = ("remembered", "stale", "hot", "owner")
# Areas of a map.
MAX_AREAS = 300
OWNERS = 7
_WIDTH = 60
_STEPS = (0, 1, 2, 4, 8, 16)
_NO_OWNER, _OTHERS = "no indexed commit", "others"


@dataclass(frozen=True, slots=True)
class FileFacts:
    """A file or folder on the code map: its lines, and what gitmem knows of it.

    ``memories`` cite it; of them ``stale`` cite code that changed or is gone, and ``unchecked`` are
    not checked yet. ``commits`` changed it lately; ``owner`` made most of its commits.
    """

    path: str
    lines: int
    memories: int = 0
    stale: int = 0
    unchecked: int = 0
    commits: int = 0
    owner: str = ""


@dataclass(frozen=True, slots=True)
class TreemapColouring:
    """How files are coloured by one fact: ``legend`` has the words for the shades of a ``palette``.

    ``shade`` returns the index of a file's shade, ``note`` the fact in words, ``sign`` the same as
    short as a small area needs it.
    """

    palette: str
    legend: tuple[str, ...]
    shade: Callable[[FileFacts], int]
    note: Callable[[FileFacts], str]
    sign: Callable[[FileFacts], str]


def treemap_colouring(files: Sequence[FileFacts], coloured_fact: str) -> TreemapColouring:
    """The TreemapColouring by a fact: ``remembered``, ``stale``, ``hot`` (commits) or ``owner``."""
    if coloured_fact == "owner":
        return _by_owner(files)
    if coloured_fact == "stale":
        return TreemapColouring("verdict", _VERDICTS, _verdict, _verdict_note, _verdict_sign)
    if coloured_fact == "hot":
        return _by_count("commit", lambda file: file.commits)
    return _by_count("memory", lambda file: file.memories)


def _by_count(thing: str, count: Callable[[FileFacts], int]) -> TreemapColouring:
    return TreemapColouring(
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


def _by_owner(files: Sequence[FileFacts]) -> TreemapColouring:
    lines: Counter[str] = Counter()
    for file in files:
        if file.owner:
            lines[file.owner] += file.lines
    ranked = sorted(lines, key=lambda name: (-lines[name], name))[:OWNERS]
    shades = {name: number for number, name in enumerate(ranked, 1)}
    has_others = len(ranked) < len(lines)
    names = [one_line(name, 40) for name in ranked] + ([_OTHERS] if has_others else [])
    return TreemapColouring(
        "groups",
        (_NO_OWNER, *names),
        lambda file: shades.get(file.owner, len(ranked) + 1) if file.owner else 0,
        lambda file: file.owner,
        lambda _: "",
    )


class TreemapFolder:
    """A folder of the code map: its folders by name, its files, and the sum of their facts."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.folders: dict[str, TreemapFolder] = {}
        self.files: list[FileFacts] = []
        self.facts = FileFacts(path, 0)
        self.count = 0

    @cached_property
    def children_by_size(self) -> list[TreemapFolder | FileFacts]:
        """The folders and files directly in it, those with most lines first."""
        parts: list[TreemapFolder | FileFacts] = [*self.folders.values(), *self.files]
        return sorted(parts, key=lambda part: (-_facts(part).lines, _facts(part).path))


def _facts(part: TreemapFolder | FileFacts) -> FileFacts:
    return part.facts if isinstance(part, TreemapFolder) else part


def _tree(files: Iterable[FileFacts], folder: str) -> TreemapFolder:
    """The files below a folder as a tree; folders with nothing but a folder in them are left out.

    So ``src/flask`` is one step where nothing else is in ``src``.
    """
    root = TreemapFolder(folder)
    for file in files:
        place = root
        names = file.path[len(folder) + 1 if folder else 0 :].split("/")[:-1]
        for name in names:
            if name not in place.folders:
                path = f"{place.path}/{name}" if place.path else name
                place.folders[name] = TreemapFolder(path)
            place = place.folders[name]
        place.files.append(file)
    _sum_up(root)
    return root


def _sum_up(folder: TreemapFolder) -> None:
    for name, inner in list(folder.folders.items()):
        while len(inner.folders) == 1 and not inner.files:
            (inner,) = inner.folders.values()
        folder.folders[name] = inner
        _sum_up(inner)
    parts = [*folder.files, *(inner.facts for inner in folder.folders.values())]
    folder.count = len(folder.files) + sum(inner.count for inner in folder.folders.values())
    folder.facts = combine_facts(folder.path, parts)


def combine_facts(path: str, parts: Sequence[FileFacts]) -> FileFacts:
    """The sums of the facts of several files as those of ``path``; the owner has most lines."""
    owners: Counter[str] = Counter()
    for part in parts:
        owners[part.owner] += part.lines
    return FileFacts(
        path,
        sum(part.lines for part in parts),
        sum(part.memories for part in parts),
        sum(part.stale for part in parts),
        sum(part.unchecked for part in parts),
        sum(part.commits for part in parts),
        max(owners, key=lambda name: (owners[name], name), default=""),
    )


def _opened(root: TreemapFolder, most: int) -> dict[str, int]:
    """The folders that are drawn with what is in them: path -> how many of their parts.

    The largest are opened first, as long as no more than ``most`` areas result.
    """
    opened: dict[str, int] = {}
    room, closed = most, [root]
    while closed:
        folder = max(closed, key=lambda candidate: (candidate.facts.lines, candidate.path))
        closed.remove(folder)
        parts = folder.children_by_size
        if folder is root or len(parts) - 1 <= room:
            # A part that is left over would be drawn as an area of its own.
            opened[folder.path] = min(len(parts), max(room, 1)) if folder is root else len(parts)
            room -= opened[folder.path] - (folder is not root)
            shown = parts[: opened[folder.path]]
            closed += [part for part in shown if isinstance(part, TreemapFolder)]
    return opened


def treemap_chart(
    files: Sequence[FileFacts],
    coloured_fact: str,
    *,
    folder: str = "",
    file_link: Callable[[str], str] = lambda _: "",
    folder_link: Callable[[str], str] = lambda _: "",
    max_areas: int = MAX_AREAS,
) -> dict[str, object]:
    """The chart as a dict for JSON: ``{"kind": "treemap", "by", "palette", "legend", "nodes"}``.

    It has ``folder``, too: the folder that is shown, empty for the root. ``coloured_fact`` is one
    of ``COLOURS``; ``file_link`` and ``folder_link`` return the page for a path. A node has
    ``name``, ``lines``, ``href`` if there are links, and either ``nodes`` or ``shade``, ``note``
    and ``sign``. What there is no room for in about ``max_areas`` areas is put together.
    """
    colours = treemap_colouring(files, coloured_fact)
    root = _tree((f for f in files if not folder or f.path.startswith(f"{folder}/")), folder)
    draw = _Drawing(_opened(root, max_areas), colours, file_link, folder_link)
    return {
        "kind": "treemap",
        "by": coloured_fact,
        "palette": colours.palette,
        "legend": list(colours.legend),
        "folder": folder,
        "nodes": draw.folder_nodes(root),
    }


@dataclass(frozen=True, slots=True)
class _Drawing:
    opened: Mapping[str, int]
    colours: TreemapColouring
    file_link: Callable[[str], str]
    folder_link: Callable[[str], str]

    def folder_nodes(self, folder: TreemapFolder) -> list[dict[str, Any]]:
        """The dicts for the folders and files in a folder that is drawn with what is in it."""
        parts, shown = folder.children_by_size, self.opened[folder.path]
        nodes = [self._node(part, folder.path) for part in parts[:shown]]
        if rest := parts[shown:]:
            facts = combine_facts("", [_facts(part) for part in rest])
            nodes.append(self._area(quantity(len(rest), "smaller part"), facts, ""))
        return nodes

    def _node(self, part: TreemapFolder | FileFacts, above: str) -> dict[str, Any]:
        name = _facts(part).path[len(above) + 1 if above else 0 :]
        if isinstance(part, FileFacts):
            return self._area(name, part, self.file_link(part.path))
        href = self.folder_link(part.path)
        if part.path not in self.opened:
            return self._area(f"{name}/ ({quantity(part.count, 'file')})", part.facts, href)
        node = {"name": one_line(name, _WIDTH), "lines": part.facts.lines}
        return {**node, "nodes": self.folder_nodes(part), **({"href": href} if href else {})}

    def _area(self, name: str, facts: FileFacts, href: str) -> dict[str, Any]:
        sign = self.colours.sign(facts)
        return {
            "name": one_line(name, _WIDTH),
            "lines": max(facts.lines, 1),
            "shade": self.colours.shade(facts),
            "note": one_line(self.colours.note(facts), _WIDTH),
            **({"sign": sign} if sign else {}),
            **({"href": href} if href else {}),
        }
