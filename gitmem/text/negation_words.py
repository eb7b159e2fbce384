"""The English words by which a sentence turns something down, and those that every plan has.

Lists, and no more: ``memory.conflict`` reads sentences by them.
"""

from __future__ import annotations

from gitmem.text.stop_words import word_set

# Nearly every plan has these; they tell nothing.
VAGUE = word_set(
    "use using used add adding make making run put keep write call set get go switch move start",
    "new code thing way need needed want sure work change support longer only yet ready enough",
    "available able allowed possible necessary more again anymore matter know case found see",
    "called",
)
# What comes after one of these is turned down.
FIRM = word_set("never no avoid avoiding forbid forbids ban bans reject rejects against")
# The same, where somebody is to do it.
LEAVING = word_set(
    "drop dropping remove removing replace replacing stop abandon retire delete deprecate"
)
PAIRS = frozenset((
    ("instead", "of"),
    ("rather", "than"),
    ("away", "from"),
    ("turned", "down"),
    ("no", "longer"),
))  # fmt: skip
PREFERS = word_set("prefer prefers preferred choose chose chosen pick picked favour favor")
# With one of these a clause says what is to be.
CHOOSES = word_set(
    "use uses using prefer prefers choose chose chosen adopt adopted keep stick always must should",
    "need needs require requires depend depends want",
)
# What comes before one of these is turned down, or after it where nothing comes before.
AFTERWARDS = word_set("forbidden banned deprecated rejected disallowed prohibited")
# After one of these a "not" only says that something is not so.
SAYS = word_set(
    "is are was were does did has have had can could be been will would might may with",
)
# "do not" orders after one of these, where otherwise somebody is named who does not.
ORDERED = word_set("we please ,")
NOT_SO = word_set("only just necessarily sure yet")
# A list of what is turned down ends where one of these begins its next part.
BEGINS = word_set("always use using do only keep prefer instead but go have let")
# A clause ends here.
ENDS = word_set(
    "because since but which otherwise else unless except until although though whereas",
)
# What follows one of these is a reason: it wants nothing, and turns nothing down.
REASONS = word_set("because since although though whereas")
REPLACED_BY = word_set("with by")

# They say that something is not so, or is not to be.
DENIALS = word_set("not no never none nor neither nobody nothing without cannot avoid forbid")
# Of each pair one undoes what the other does, or stands at the other end.
OPPOSITES = tuple(
    tuple(pair.split("/"))
    for pair in word_set(
        "enable/disable allow/deny allow/forbid allow/block allow/reject permit/forbid",
        "accept/reject accept/refuse accept/deny increase/decrease increase/reduce raise/lower",
        "raise/reduce grow/shrink add/remove add/delete add/drop create/delete create/destroy",
        "start/stop begin/end open/close show/hide attach/detach push/pull include/exclude",
        "keep/drop keep/remove keep/delete expand/collapse encrypt/decrypt encode/decode skip/run",
        "merge/split before/after first/last always/never minimum/maximum min/max top/bottom",
        "ascending/descending public/private internal/external local/remote online/offline",
        "strict/lenient eager/lazy optional/mandatory optional/required manual/automatic on/off",
        "in/out up/down with/without full/empty success/failure true/false read/write",
        "client/server left/right early/late upper/lower",
    )
)
