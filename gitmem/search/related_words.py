"""Words of code for the everyday words of a question: retry for "sent again". Pure."""

from __future__ import annotations

import re
from itertools import pairwise

from gitmem.text.stem import stem

MOST = 12
# Shorter words have one spelling.
_SHORTEST = 5
# Marks stems in the table.
_FORM = "*"
_WORD = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
# Each line: everyday words and pairs of words, a colon, the words of code.
_EVERYDAY = """
again, attempt, attempts: retry
sent again, try again, tried again, next attempt, started again, run again: retry resend
wait, waits, waited, pause, pauses: delay sleep timeout backoff
how long, too long, time limit, takes long: timeout delay duration deadline
gives up, give up, given up: timeout abort cancel
too often, so often: limit excessive throttle rate
too many, as many, how many: max limit count
too large, too big, how large, how big: max limit size
smaller, shrunk, squeezed: compress deflate gzip minify
packed, packs: compress archive
unpacked, unpacks, unpack: decompress extract gunzip
colour, colours, coloured, bold: color style ansi
screen: terminal display width
folder, folders: directory dir
ending, endings: extension suffix
cut off, taken out, taken off, taken away, thrown away, cleaned: strip remove trim
left out, skipped, passed over: skip exclude ignore omit
turned away, turned down, refused, refuses, forbidden: reject deny abort error
kept, keeps, remembered, remembers: store cache save
found out, worked out, decided, decides, figured out, calculated: compute determine resolve detect
guessed, guessing, guesses, recognised, notices, noticed: detect infer guess
made up, thought up, come from: generate create random
handed out, given out: acquire allocate assign
put into, written into, filled in: set append insert
turned into, translated: convert parse resolve
visitor, visitors, caller: client remote user
load balancer: proxy forwarded
hung up, hangs up, went away: disconnect close reset abort broken
crash, crashes, crashed: panic exception recover fatal
shutdown, shut down, goes down: close stop
unavailable: 503
logged in, log in, sign in, signed in: auth authenticate login session
run out, runs out, outdated, too old: expire stale
busy, busiest, most used: priority weight
ordered, reordered, in order: sort order priority
branch, branches: node child children
touched, modified: changed diff
compared to, compared with, difference: diff compare
separator: delimiter boundary
same name, twice: duplicate
announced, promised: plan expected
at once, same time, side by, simultaneously: parallel concurrent jobs
one another, one by: serial sequential
background: async daemon
by default, none was, nothing was, not given: default
connection is, connection back, back online: reachable online network
checked, checks, makes sure, made sure: validate verify assert
numbered, unnumbered: index
placeholder, placeholders: argument field
new line, new lines, line break: newline
stops, stopped: abort kill cancel terminate
web page, web site, website: http html
month, months: january
weekday, weekdays, day of: monday
upload, form: multipart
picture, pictures: image
letters, capital: case upper lower
preferred, prefers: accept default
wrong, mistake, mistakes: error invalid
low-level, underlying: transport socket
shortened, shortens, shorten: truncate clip
longer than, longest: max length limit
put together, joined: join concat merge
taken apart, split up: split parse tokenize
goes through, walked, walks: iterate traverse visit
looked up, looks up: lookup find
hidden, hides: hide private mask
shown, shows, displayed: render print show
told, tells, announces: report notify emit
told when, hear about, hear of: watch notify event callback hook
silence, silenced, mute, quiet, false positive, false alarm: disable ignore suppress allow
no longer: deprecated legacy
typo, mistyped, misspelt, misspelled: suggest distance
similar: suggest distance
command line: cli flag
environment: env
temporary: temp tmp
passed on, hands over, handed over: forward delegate propagate
called back: callback hook
piece by, bit by, pieces: chunk stream
other sites, another site, other origin: cors origin
moved to, sent elsewhere, moved elsewhere: redirect location
trusted, trusts: trust verify
whole number, whole numbers: integer int
empty: nil null blank
missing, mandatory, needed: required
counted, counts: count counter
time zone: timezone utc
picked, picks, chosen, chooses: select choose
cleaned up, tidied, leftovers: cleanup teardown
written out: dump serialize
turned on, switched on: enable
turned off, switched off: disable
copied, copies: clone copy
same as, identical: equal compare
nickname, other name, short name, short form: alias
typed in, keyboard: stdin interactive input
ctrl, interrupted: signal interrupt
stuck, hangs: block deadlock timeout
fingerprint: hash digest checksum
scrambled: encode encrypt
unique: uuid id
safe from, thread-safe, threads: lock mutex
asks, asked: prompt
oldest, lowest, at least: minimum min required requires supported
warning, warnings: lint warn deny
bot: dependabot renovate
leave alone, left alone: ignore exclude
how often, every day, every week: schedule interval cron
architecture, architectures, processor: arch amd64 arm64
memory: heap xmx
indentation, indented: indent indent_size
nothing is, not set: default
switches: enable flag
earlier, previously, typed before: previous history last
lists, listed: walk enumerate
piped: stdin
accent, accents: normalize diacritic unicode
beginning: boundary prefix start
another program, other programs: server listen
star, stars, asterisk: wildcard glob
nobody uses, unused, not used: idle evict
disk: file cache directory
password, passwords: auth credential authenticate
looking up, looks up: resolve lookup
measure, measured: elapsed duration metric
still good, good enough: fresh stale valid expire
blanked out, blacked out: redact mask
by itself: automatic auto
in advance, beforehand: prefetch preload eager
only once: once memo
bigger, larger: grow extend
shown first, comes first: order rank sort priority
points, marks: score
torn apart: split boundary
"""


# British and American endings.
_SPELT = (
    (re.compile(r"our(s|ed|ing|ite|able|al|less)?$"), r"or\1"),
    (re.compile(r"is(e|es|ed|er|ers|ing|ation|ations)$"), r"iz\1"),
    (re.compile(r"iz(e|es|ed|er|ers|ing|ation|ations)$"), r"is\1"),
    (re.compile(r"ys(e|es|ed|er|ing)$"), r"yz\1"),
    (re.compile(r"ll(ed|ing|er|ation)$"), r"l\1"),
    (re.compile(r"tre(s|d)?$"), r"ter\1"),
    (re.compile(r"ogue(s)?$"), r"og\1"),
    (re.compile(r"ence(s|d)?$"), r"ense\1"),
    (re.compile(r"^grey"), "gray"),
    (re.compile(r"^artefact"), "artifact"),
)


def _table() -> dict[str, tuple[str, ...]]:
    """Everyday word, pair or marked stem -> words of code."""
    table: dict[str, tuple[str, ...]] = {}
    for line in _EVERYDAY.strip().split("\n"):
        phrases, _, meant = line.partition(": ")
        for phrase in phrases.split(", "):
            keys = {phrase} if " " in phrase else {phrase, _FORM + stem(phrase)}
            for key in keys:
                table[key] = tuple(dict.fromkeys((*table.get(key, ()), *meant.split())))
    return table


_CODE_WORDS = _table()


def related_code_words(text: str) -> tuple[str, ...]:
    """At most twelve words that code may use for those of a question, none of them in it.

    Other spellings come first, then related words.
    """
    words = _WORD.findall(text.lower())
    pairs = [f"{first} {other}" for first, other in pairwise(words)]
    forms = [_CODE_WORDS.get(word) or _CODE_WORDS.get(_FORM + stem(word), ()) for word in words]
    found = dict.fromkeys(word for spoken in words for word in _spelt(spoken))
    for meant in (*(_CODE_WORDS.get(pair, ()) for pair in pairs), *forms):
        found.update(dict.fromkeys(meant))
    return tuple(word for word in found if word not in words)[:MOST]


def _spelt(word: str) -> tuple[str, ...]:

    if len(word) < _SHORTEST:
        return ()
    return tuple(pattern.sub(other, word) for pattern, other in _SPELT if pattern.search(word))
