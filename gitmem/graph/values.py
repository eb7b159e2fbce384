"""The values of the code graph: a definition, an edge between two, a resolved import."""

from __future__ import annotations

from gitmem.model.frozen import dataclass

# How sure an edge has to be that others build on it.
SURE = 0.8
# An import of types alone, and one that waits until a function runs, are none while files load.
IMPORTS = ("import", "type-import", "late-import")


@dataclass(frozen=True, slots=True)
class Definition:
    """A definition in a file; lines count from 1, both ends included.

    ``container`` has the names of the definitions around it, joined by dots; ``exported``: other
    files can see it, by the rules of its language.
    """

    name: str
    kind: str
    container: str
    start: int
    end: int
    signature: str
    exported: bool = True

    @property
    def qualified_name(self) -> str:
        """The name of the definition, after the names of those around it: ``Config.load``."""
        return f"{self.container}.{self.name}" if self.container else self.name


@dataclass(frozen=True, slots=True)
class CodeEdge:
    """A use of a file or definition (the target) by another (the source): an import, a call, ....

    Both ends are a path and a qualified name, "" for the file itself; a path that ends with a slash
    is a package, all files of a folder. ``line`` is where the use is. ``confidence`` lies between 0
    and 1, ``evidence`` says what it rests on in a few words.
    """

    source_path: str
    source: str
    target_path: str
    target: str
    kind: str
    line: int
    confidence: float
    evidence: str
