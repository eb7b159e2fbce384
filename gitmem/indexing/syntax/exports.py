"""Whether a definition is meant for others: what the query marked, or what its name says.

Languages differ in what is the rule and what the exception: Rust and JavaScript mark what is
exported, C and Kotlin what is not, Go and Python tell it by the name.
"""

from __future__ import annotations


class Marks:
    """What the query of a file marked as exported or private."""

    __slots__ = ("exported", "names", "private")

    def __init__(self) -> None:
        self.exported: set[tuple[int, int]] = set()  # spans of nodes
        self.private: set[tuple[int, int]] = set()
        self.names: set[str] = set()

    def told(self, rule: str, name: str, span: tuple[int, int], inside: bool, shown: bool) -> bool:
        """Whether a definition of this name and span is; ``inside`` another, which is ``shown``.

        ``rule`` is that of its language (``Language.exports``).
        """
        if span in self.private:
            return False
        if span in self.exported or (name in self.names and not inside):
            return True
        if rule == "underscore":
            hidden = name.startswith("_") and not name.endswith("__")
            return not hidden and (inside or not self.names)
        if rule == "capital":
            return name[0].isupper()
        if rule == "listed":
            return inside or not self.names
        return rule == "open" or (inside and shown and rule == "inherited")
