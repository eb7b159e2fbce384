"""A graph of named boxes and arrows as Mermaid or DOT. Pure.

Names come from repositories of strangers. Each of the two formats has one rule for all text in it:
on one line, without invisible characters, cut, and with everything that could end a text or mean
something to the format written as a number (Mermaid) or behind a backslash (DOT).
"""

from __future__ import annotations

import re

from gitmem.model.frozen import dataclass
from gitmem.text.fence import one_line

TYPE_CHECKING = False  # importing typing costs 3 ms; type checkers know this name by itself
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_MOST = 120  # characters of a text


@dataclass(frozen=True, slots=True)
class DiagramBox:
    """A box of a diagram: arrows name it by ``key``, ``text`` is what it shows."""

    key: str
    text: str


@dataclass(frozen=True, slots=True)
class DiagramArrow:
    """An arrow from the box with the key ``source`` to the box with the key ``target``.

    ``text`` stands beside it; a ``faint`` one is drawn dashed.
    """

    source: str
    target: str
    text: str = ""
    faint: bool = False


@dataclass(frozen=True, slots=True)
class Diagram:
    """Boxes and arrows; a key of an arrow for which there is no box gets one with that text."""

    boxes: tuple[DiagramBox, ...]
    arrows: tuple[DiagramArrow, ...]


def as_mermaid(diagram: Diagram) -> str:
    """Return the text of a Mermaid flowchart that draws the diagram."""
    numbers = _numbered(diagram)
    lines = ["flowchart LR"]
    lines += [f'  n{n}["{_mermaid_text(text)}"]' for n, text in numbers.values()]
    for arrow in diagram.arrows:
        line = "-.->" if arrow.faint else "-->"
        label = f'|"{_mermaid_text(arrow.text)}"|' if arrow.text else ""
        lines.append(f"  n{numbers[arrow.source][0]} {line}{label} n{numbers[arrow.target][0]}")
    return "\n".join(lines)


def as_dot(diagram: Diagram) -> str:
    """Return the text of a graphviz digraph that draws the diagram."""
    numbers = _numbered(diagram)
    lines = ["digraph gitmem {", "  rankdir=LR", "  node [shape=box]"]
    lines += [f'  n{n} [label="{_dot_text(text)}"]' for n, text in numbers.values()]
    for arrow in diagram.arrows:
        ends = f"n{numbers[arrow.source][0]} -> n{numbers[arrow.target][0]}"
        more = " style=dashed" if arrow.faint else ""
        lines.append(f'  {ends} [label="{_dot_text(arrow.text)}"{more}]')
    return "\n".join([*lines, "}"])


def diagram_renderers(
    make_diagram: Callable[[Any], Diagram],
) -> dict[str, Callable[[Any, int], str]]:
    """Return functions that draw a command's result as text, by format: "mermaid" and "dot".

    Each takes the result and a width, which is ignored; ``make_diagram`` makes a result's diagram.
    """
    return {
        "mermaid": lambda result, _: as_mermaid(make_diagram(result)),
        "dot": lambda result, _: as_dot(make_diagram(result)),
    }


def _numbered(diagram: Diagram) -> dict[str, tuple[int, str]]:
    """Key -> the number of its box, and its text."""
    texts = {box.key: box.text for box in diagram.boxes}
    for arrow in diagram.arrows:
        texts.setdefault(arrow.source, arrow.source)
        texts.setdefault(arrow.target, arrow.target)
    return {key: (n, text) for n, (key, text) in enumerate(texts.items())}


def _mermaid_text(text: str) -> str:
    # Letters and digits of any script mean nothing to Mermaid; all else is written as a number,
    # which it shows as the character and reads as nothing. ":fa-" would be an icon; an empty text
    # would be a mistake.
    return re.sub(r"[^\w ./:-]|:(?=fa-)", lambda match: f"#{ord(match[0])};", _line(text) or " ")


def _dot_text(text: str) -> str:
    # Graphviz also reads names of HTML entities in a text.
    return _line(text).replace("\\", "\\\\").replace('"', '\\"').replace("&", "&amp;")


def _line(text: str) -> str:
    return one_line(text, _MOST)
