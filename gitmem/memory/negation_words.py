"""The English words by which a sentence turns something down, and those that every plan has.

Lists, and no more: ``memory.conflict`` reads sentences by them.
"""

from __future__ import annotations


def _words(*lines: str) -> frozenset[str]:
    return frozenset(" ".join(lines).split())


# Nearly every plan has these; they tell nothing.
VAGUE = _words(
    "use using used add adding make making run put keep write call set get go switch move start",
    "new code thing way need needed want sure work change support longer only yet ready enough",
    "available able allowed possible necessary more again anymore matter know case found see",
    "called",
)
# What comes after one of these is turned down.
FIRM = _words("never no avoid avoiding forbid forbids ban bans reject rejects against")
# The same, where somebody is to do it.
LEAVING = _words(
    "drop dropping remove removing replace replacing stop abandon retire delete deprecate"
)
PAIRS = frozenset((
    ("instead", "of"),
    ("rather", "than"),
    ("away", "from"),
    ("turned", "down"),
    ("no", "longer"),
))  # fmt: skip
PREFERS = _words("prefer prefers preferred choose chose chosen pick picked favour favor")
# With one of these a clause says what is to be.
CHOOSES = _words(
    "use uses using prefer prefers choose chose chosen adopt adopted keep stick always must should",
    "need needs require requires depend depends want",
)
# What comes before one of these is turned down, or after it where nothing comes before.
AFTERWARDS = _words("forbidden banned deprecated rejected disallowed prohibited")
# After one of these a "not" only says that something is not so.
SAYS = _words(
    "is are was were does did has have had can could be been will would might may with",
)
# "do not" orders after one of these, where otherwise somebody is named who does not.
ORDERED = _words("we please ,")
NOT_SO = _words("only just necessarily sure yet")
# A list of what is turned down ends where one of these begins its next part.
BEGINS = _words("always use using do only keep prefer instead but go have let")
# A clause ends here.
ENDS = _words(
    "because since but which otherwise else unless except until although though whereas",
)
# What follows one of these is a reason: it wants nothing, and turns nothing down.
REASONS = _words("because since although though whereas")
REPLACED_BY = _words("with by")
