"""A finding of a review: a line of a diff, the rule that it breaks, and the evidence."""

from __future__ import annotations

from gitmem.model.frozen import dataclass

ERROR, WARNING, NOTE = "error", "warning", "note"
LEVELS = (ERROR, WARNING, NOTE)


@dataclass(frozen=True, slots=True)
class ReviewFinding:
    """Something wrong in a diff, or worth knowing of it.

    ``rule`` is a stable id such as ``import/missing``, ``decision/contradicted`` or ``secret/aws``;
    ``level`` is error, warning or note. ``line`` counts from 1 in the new file, 0 for the whole
    file. ``message`` is one sentence with the evidence. ``source`` is the tool that found it,
    ``cwe`` an id such as CWE-89, ``memory`` the id of a memory that it rests on.
    """

    rule: str
    level: str
    path: str
    line: int
    message: str
    source: str = "gitmem"
    cwe: str = ""
    memory: str = ""
