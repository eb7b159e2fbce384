"""Lists of English words that reject something, and of words that every plan has.

Lists, and no more: ``memory.conflict`` reads sentences by them.
"""

from __future__ import annotations

from gitmem.text.stop_words import parse_words

# Nearly every plan has these; they tell nothing.
VAGUE = parse_words(
    "use using used add adding make making run put keep write call set get go switch move start",
    "new code thing way need needed want sure work change support longer only yet ready enough",
    "available able allowed possible necessary more again anymore matter know case found see",
    "considered evaluated tried called show shows shown showing up appear appears end ends against",
)
# What comes after one of these is turned down.
FIRM = parse_words("never no nobody avoid avoiding forbid forbids ban bans reject rejects against")
# The same, where somebody is to do it.
LEAVING = parse_words(
    "drop dropping remove removing replace replacing stop abandon retire delete deprecate"
)
PAIRS = frozenset((
    ("instead", "of"),
    ("rather", "than"),
    ("away", "from"),
    ("turned", "down"),
    ("free", "of"),
    ("no", "longer"),
))  # fmt: skip
PREFERS = parse_words("prefer prefers preferred choose chose chosen pick picked favour favor")
# With one of these a clause says what is to be.
CHOOSES = parse_words(
    "use uses using prefer prefers choose chose chosen adopt adopted keep stick always must should",
    "need needs require requires depend depends want",
)
# What comes before one of these is turned down, or after it where nothing comes before.
AFTERWARDS = parse_words(
    "forbidden banned deprecated rejected disallowed prohibited dropped abandoned refused retired",
    "discarded gone",
)
# The same after one of these.
PASSIVE = parse_words("was were been is are be being got get")
LEFT = parse_words("removed replaced deleted stopped")
# Before an "against" that turns down; others link or test against something.
DECIDES = parse_words(
    "decide decided vote voted advise advised argue argued rule ruled choose chose"
)
# They keep something to itself, and they let in more.
EXCLUSIVE = parse_words("only solely exclusively nowhere alone")
WIDER = parse_words(
    "all every any everywhere anywhere everyone anybody too also both across another"
)
# With a "not" before one of these, what comes before both is turned down.
GRANTED = parse_words(
    "accepted allowed permitted supported tolerated welcome acceptable enough sufficient"
)
# Where a "not" follows one of these, what comes before is part of what is turned down.
BIDS = parse_words("must may should shall can could will")
# What was tried is turned down, unless nothing more is said of it than that.
TRIED = parse_words("tried")
# After one of these a "not" only says that something is not so.
SAYS = parse_words(
    "is are was were does did has have had can could be been will would might may with",
)
# "do not" orders after one of these, where otherwise somebody is named who does not.
ORDERED = parse_words("we please ,")
NOT_SO = parse_words("only just necessarily sure yet")
# A list of what is turned down ends where one of these begins its next part.
BEGINS = parse_words("always use using do only keep prefer instead but go have let")
# A clause ends here.
ENDS = parse_words(
    "because since but which otherwise else unless except until although though whereas",
)
# What follows one of these is a reason: it wants nothing, and turns nothing down.
REASONS = parse_words("because since although though whereas")
REPLACED_BY = parse_words("with by")

# They say that something is not so, or is not to be.
DENIALS = parse_words("not no never none nor neither nobody nothing without cannot avoid forbid")
# They tell what is to become of something, and nothing of what.
VERDICTS = DENIALS | FIRM | LEAVING | CHOOSES | VAGUE | parse_words("dont instead")
# What such a verb is about is to become something else, which stands after one of these.
CHANGING = parse_words("change changing switch switching migrate migrating rewrite convert turn")
INTO = parse_words("to into as")


def _pairs(*lines: str) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(pair.split("/")) for pair in parse_words(*lines))


# Of each pair one undoes what the other does.
UNDOING = _pairs(
    "enable/disable allow/deny allow/forbid allow/block allow/reject permit/forbid accept/reject",
    "accept/refuse accept/deny increase/decrease increase/reduce raise/lower raise/reduce",
    "grow/shrink show/hide include/exclude encrypt/decrypt expand/collapse optional/mandatory",
    "optional/required manual/automatic public/private ascending/descending keep/drop keep/delete",
    "keep/remove attach/detach always/never lenient/strict sync/async synchronous/asynchronous",
    "synchronously/asynchronously active/inactive activate/deactivate valid/invalid",
    "immutable/update immutable/edit immutable/overwrite fixed/vary fixed/differ fixed/depend",
    "fixed/random fixed/dynamic static/dynamic pinned/latest frozen/update stateless/stateful",
    "mutable/immutable visible/invisible secure/insecure complete/incomplete direct/indirect",
)
# A plan that begins so looks at something, or sees to it that it is kept.
OBSERVING = parse_words(
    "measure monitor document explain count plot investigate analyse analyze benchmark audit alert",
    "warn detect mask redact prevent reject refuse validate verify enforce assert",
)
# The same, and what stands at the other end.
OPPOSITES = UNDOING + _pairs(
    "add/remove add/delete add/drop create/delete create/destroy start/stop begin/end open/close",
    "push/pull encode/decode skip/run merge/split before/after first/last minimum/maximum min/max",
    "top/bottom internal/external local/remote online/offline eager/lazy on/off in/out up/down",
    "with/without full/empty success/failure true/false read/write client/server left/right",
    "early/late upper/lower",
)
