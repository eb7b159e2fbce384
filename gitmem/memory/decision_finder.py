"""Finding decisions in commit messages and comments. Pure.

A trailer or a marker states a decision expressly. A choice is recognised by its wording ("switch
to", "instead of", "drop"); the confidence of a wording is the share of labelled commits with it
that did state a decision (``tests/bench/decisions.py``). Quotes of gitmem's output are ignored.
"""

from __future__ import annotations

import re

from gitmem.model.frozen import dataclass

LONGEST_TITLE, LONGEST_WHY = 160, 600
# Confidence of an express decision, and the least with which one is proposed.
STATED_CONFIDENCE, MIN_CONFIDENCE = 0.95, 0.75
# A longer line is generated or data: in source it is skipped, of a message its beginning is read.
_LONGEST_LINE, _LONGEST_IN_MESSAGE = 500, 2_000


@dataclass(frozen=True, slots=True)
class DecisionStatement:
    """A decision that a commit message or a comment states: its title and the reasons (``why``).

    ``evidence`` names the wording by which it was recognised, such as ``a switch``, ``confidence``
    is 0 to 1. ``stated``: the text expressly calls it a decision. ``supersedes`` names older
    decisions, as written. ``line`` is its line in a source file, from 1; 0 in a message.
    """

    title: str
    why: str
    evidence: str
    confidence: float
    stated: bool
    supersedes: tuple[str, ...] = ()
    line: int = 0


_TRAILER = r"(?i)^(decision|why|supersedes):[ \t]+(\S.*)$"
_REPLACES = "supersedes"
_MARKER = r"(?i)^(?:decision|adr|architecture)(?:\([^)]*\))?!?:\s+(\S.*)$"
_PREFIX = r"(?i)^(?:\W*(?:[\w./-]{1,30}(?:\([^)]{0,40}\))?!?:|\[[^\]]{1,30}\])\s+)+"
_TRAILING = r"\s*\(#\d+\)\s*$"
# A commit about these is not a choice of the project, whatever its wording.
_ASIDE = (
    r"(?i)^\W*(?:fix\w*|restor\w+|correct\w*|handl\w+|improv\w+|perf|bug\w*|hotfix|docs?|documentation|typos?|style|test\w*|release|bump\w*|merge\w*"
    r"|changelog|readme|version|v?\d+\.\d+)\b|\b(?:typos?|spelling|lint(?:ing)? errors?|changelog"
    r"|sponsors?|ecosystem|readme|badges?)\b"
)
_LITTER = (
    r"(?i)\b(?:unused|unneeded|unnecessary|redundant|useless|dead|debug\w*|stale|leftover|extra|duplicat\w*"
    r"|white ?space|trailing|blank|empty|comments?|commented|todos?|prints?|tests?|links?|badges?"
    r"|examples?|sponsors?|entry|entries|sections?|spaces?|broken|warnings?|headers?"
    r"|old|obsolete|outdated|console|logging|newlines?|lines?|typos?|words?|notes?|files?"
    r"|text|traces?|deps|temp\w*|variables?)\b"
    r"|[\w-]\.(?:py|rb|go|rs|php|[jt]sx?|json|md|rst|txt|ya?ml|toml|sh|html|css)\b"
)
# A choice about these is a detail of code or pages that nobody asks about later.
_DETAIL = (
    r"(?i)\b(?:docs?|documentation|docblocks?|examples?|tests?|specs?|deprecations"
    r"|integration_tests|hard[- ]?cod\w+|magic|literals?|numeric|loops?|instances of)\b"
    r"|\btest_\w|\w[-_.]tests?\b|\b[\w/-]+\.\w{1,4}\b.* to .*\b[\w/-]+\.\w{1,4}\b"
    r"|\b(?:should|must) (?:\w+ ){1,5}\S+, not\b|\bin [\w/.-]+\.(?:py|rb|go|rs|php|[jt]sx?)\b"
)
_REASON = (
    r"(?i)\b(?:because|instead|otherwise|in order to|to avoid|so that|rather than|as it|since"
    r"|more than|due to|easier|no longer|without this|prevents?|mitigates?|trade-?offs?)\b"
)
# Wordings of a subject that name a choice, the name of the evidence, and its confidence.
_CHOICES: tuple[tuple[str, str, float], ...] = (
    (r"\b(?:in favou?r of|instead of|rather than)\b", "one thing instead of another", 0.9),
    (
        r"^(?:switch(?:ed|es)?|migrat(?:e[ds]?|ing)|convert(?:ed|s)?|port(?:ed)?|mov(?:e[ds]?|ing)"
        r" (?:away )?from)\b.*\bto\b",
        "a switch",
        0.88,
    ),
    (r"^mov(?:e[ds]?|ing)\b.*\bfrom\b.*\bto\b", "a switch", 0.8),
    (r"^replac(?:e[ds]?|ing)\b.*\b(?:with|by)\b", "a replacement", 0.88),
    (r"\bimplement(?:ed|s)? (?:the )?[\w -]{2,40} pattern\b", "a pattern", 0.85),
    (r"^(?:adopt|standardi[sz]e on|deprecate|depend on|stop using)\b", "a choice", 0.85),
    (r"^pin\b.+\w.*\b(?:requirements|dependencies|versions?)\b", "a choice", 0.82),
    (r"^mark\b.*\bas (?:private|public|internal|deprecated|stable)\b", "an interface", 0.82),
    (r"(?:^only\b.*|\w), not\b", "one thing and not another", 0.82),
    (r"^enabl(?:e[ds]?|ing)\b.*\b(?:linters?|strict|rules?)\b", "a rule", 0.8),
)
_REMOVAL = r"^(?:drop(?:ped|ping|s)?|remov(?:e[ds]?|ing)|rm)\b"
# What others may have built on: a removal of anything else is tidying up, unless it has a reason.
_RELIED_ON = (
    r"(?i)\b(?:support|deprecat\w+|py(?:thon)? ?[\d.]+|versions?|end[- ]of[- ]life|eol|compatib\w*"
    r"|arguments?|param\w*|options?|flags?|commands?|apis?|hooks?|extensions?|dependenc\w+"
    r"|requirements?|plugins?|settings?|features?|syntax|middleware|integration)\b|--\w"
)
_TIDIED = (
    r"(?i)\b(?:cyclic|circular|internal|unreachable|impossible|code|labels?|hints?|some|more)\b"
)
_DROPPED = (
    r"(?i)^\s*[*+-]\s+(?:drop(?:ped|ping|s)?|removed?)\b.*\b(?:support|parameter|argument|helper"
    r"|option|method|class|package|api|client)s?\b"
)
_MANY_DROPPED = 2
_RULE = (
    r"^(?:use|make|replace|always|never|don't|do not|only|require|prefer|enforce|disallow|forbid)\b"
)
_DECIDED = (
    r"(?i)\b(?:(?:we|i|it was|was|been) (?:have )?decided|decided (?:to|on|against)"
    r"|opted (?:for|to)|chose (?:to|not)|in favou?r of)\b"
)
_REVERTED = r"(?i)\b(?:caus\w+|because|due to|since|broke|breaks|compatib\w+)\b"
_ENDED = (
    r"(?i)\b(?:drop|remov|end|ceas)\w* (?:(?!.*\badd).{1,40} support\b"
    r"|(?:\w+ )?support (?:for|of)\b)"
)
_MUST = r"\b[Ww]e (?:must (?:use|keep|not)|(?:still )?need to keep|have to keep|only support)\b"
_NOISE = (
    r"(?i)^(?:\s*[*+-]\s|\s*>|#|<|\||```|closes?\b|fix(?:es|ed)?\b|refs?\b|resolves\b|see\b"
    r"|this reverts commit|co-authored-by|signed-off-by|\S+-by:|https?://|decision:|why:|supersedes:)"
)
# What follows was written by a bot that reviewed the change.
_BOT = "<!-- This is an auto-generated comment"
_OWN = r"^(?:\s*[›‹]|\s*gitmem[: ]|.*(?:<<<|‹‹‹)gitmem:|.*gitmem:\w{8,}(?:>>>|›››))"
_STATING = ("DECISION", "ADR", "ARCHITECTURE")
_COMMENT = (
    r"^\s*(?:#+|//+|/\*+|\*+|--+|;+|<!--|%+)\s*(DECISION|ADR|ARCHITECTURE|WHY|NOTE|IMPORTANT)(?:\([^)\n]{0,60}\))?:"
    r"\s+(\S.*)$"
)
# A NOTE or IMPORTANT comment is a decision only if it says what to do, or that something is meant.
_ASIDES = ("NOTE", "IMPORTANT")
_MEANT = (
    r"(?i)\b(?:do not|don't|must|never|always|should not|shouldn't|avoid\w*|intentional(?:ly)?"
    r"|deliberate(?:ly)?|on purpose|as[- ]is|for (?:backwards? )?compat\w*|can't change"
    r"|not using|instead of|rather than|in favou?r of|is needed to|needed because)\b"
)
_GENERATED = r"(?i)\b(?:not be edited|do not edit|don't edit|generated)\b"
_CONTINUED = r"^\s*(?:#+|//+|\*+|--+|;+|%+)\s+(?![A-Z]+(?:\([^)]*\))?:)(\S.*)$"
_MOST_CONTINUED = 4

# Areas that a decision may be about, by the words that name them.
_AREAS = {
    "api": r"apis?|endpoints?|routes?|rest|graphql|rpc|http|interface|parameters?",
    "architecture": r"architecture|module|layer|pattern|monorepo|package|plugin|service",
    "ci": r"ci|cicd|pipelines?|workflows?|deploy|docker|kubernetes|travis|azure|release|builds?",
    "data": r"databases?|db|sql|sqlite|postgres|mysql|mongo|redis|orm|schema|migrations?|cache"
    r"|storage",
    "dependencies": r"dependency|dependencies|depend|library|crate|pin|upgrade|vendor|pip|npm|yarn"
    r"|pnpm|poetry|uv|setuptools|hatchling",
    "performance": r"performance|optimi[sz]e|fast|faster|slow|speed|latency",
    "security": r"security|auth|login|jwt|oauth|passwords?|tokens?|encrypt|secrets?|permissions?"
    r"|tls|csrf",
    "testing": r"test|tests|testing|coverage|fixtures?|jest|vitest|cypress|tox",
    "ui": r"ui|frontend|css|components?|theme|colou?r|react|vue|angular|svelte",
}


def find_decision_in_message(subject: str, body: str) -> DecisionStatement | None:
    """The DecisionStatement in a commit message (first line, then the rest), or None."""
    body = body.partition(_BOT)[0]
    lines = [line[:_LONGEST_IN_MESSAGE] for line in lines_without_gitmem_output(body)]
    subject = " ".join(lines_without_gitmem_output(subject))[:_LONGEST_IN_MESSAGE]
    return _trailer(lines) or _marked(subject, lines) or _choice(subject, lines)


def lines_without_gitmem_output(text: str) -> list[str]:
    """The lines of a text, without those that look like quoted output of gitmem."""
    return [line for line in text.splitlines() if not re.match(_OWN, line)]


def find_decisions_in_source(
    source_code: str, *, include_note_comments: bool = True
) -> list[DecisionStatement]:
    """A DecisionStatement for each comment such as ``# DECISION: ...`` in source code, in order.

    Comments marked DECISION, ADR, ARCHITECTURE or WHY count; with ``include_note_comments`` also
    those marked NOTE or IMPORTANT that say what must be so or is meant to be so.
    """
    lines = source_code.splitlines()
    statements = []
    end = 0  # of the comment before
    for number, line in enumerate(lines):
        match = re.match(_COMMENT, line) if ":" in line and len(line) <= _LONGEST_LINE else None
        if match is None or number < end:
            continue
        words = [_without_end(match[2])]
        end = number + 1
        for more in lines[end : end + _MOST_CONTINUED]:
            rest = re.match(_CONTINUED, more) if len(more) <= _LONGEST_LINE else None
            if rest is None:
                break
            words.append(_without_end(rest[1]))
            end += 1
        comment = " ".join(words)
        if match[1] in _ASIDES and not (include_note_comments and _is_meant(comment)):
            continue
        title, why = _cut_title(comment)
        stated = match[1] in _STATING
        sure = STATED_CONFIDENCE if stated else MIN_CONFIDENCE
        statements.append(
            DecisionStatement(title, why, f"{match[1]} comment", sure, stated, line=number + 1)
        )
    return [statement for statement in statements if len(statement.title) > len("so what?")]


def _is_meant(aside: str) -> bool:
    return bool(re.search(_MEANT, aside)) and not re.search(_GENERATED, aside)


def _without_end(text: str) -> str:
    return text.rstrip().removesuffix("*/").removesuffix("-->").rstrip()


def project_area_tags_in_text(text: str) -> tuple[str, ...]:
    """The areas of a project that a text names, as tags such as ``api``, ``data`` and ``ui``."""
    words = set(re.findall(r"[a-z]+", text.lower()))
    return tuple(
        name for name, sought in _AREAS.items() if any(re.fullmatch(sought, word) for word in words)
    )


def _trailer(lines: list[str]) -> DecisionStatement | None:
    trailers: dict[str, str] = {}
    last = ""
    replaced: list[str] = []
    for line in lines:
        match = re.match(_TRAILER, line)
        if match:
            last = match[1].lower()
            if last == _REPLACES:
                replaced.append(match[2].strip())
            else:
                trailers.setdefault(last, match[2].strip())
        elif last == _REPLACES and line[:1] in (" ", "\t") and line.strip():
            replaced[-1] += " " + line.strip()
        elif last and line[:1] in (" ", "\t") and line.strip():
            trailers[last] += " " + line.strip()
        else:
            last = ""
    if "decision" not in trailers:
        return None
    title, rest = _cut_title(trailers["decision"])
    why = trailers.get("why", "") or rest or _reasons(lines)
    return DecisionStatement(title, why, "trailer", STATED_CONFIDENCE, True, tuple(replaced))


def _marked(subject: str, lines: list[str]) -> DecisionStatement | None:
    match = re.match(_MARKER, subject)
    if match is None:
        return None
    title, rest = _cut_title(re.sub(_TRAILING, "", match[1]))
    return DecisionStatement(title, rest or _reasons(lines), "marked subject", 0.92, True)


def _choice(subject: str, lines: list[str]) -> DecisionStatement | None:
    plain = re.sub(_TRAILING, "", subject).strip()
    bare = re.sub(r"^[^\w`'\"]+", "", re.sub(_PREFIX, "", plain))
    if re.match(r"(?i)revert\b", bare):
        reason = _reasons(lines)
        sure = 0.85 if re.search(_REVERTED, reason) else 0.0
        return _made(bare, reason, "a revert with its reason", sure)
    if re.search(_ENDED, plain):
        return _made(bare, _reasons(lines), "support that ends", 0.9)
    if re.search(_MUST, f"{plain} {_reasons(lines)}"):
        return _made(bare, _reasons(lines), "a constraint", 0.8)
    statement = _worded(bare, lines)
    # Asked last: most subjects state nothing, and these two patterns take longest to compile.
    if statement and any(re.search(no, text) for no in (_ASIDE, _DETAIL) for text in (plain, bare)):
        return None
    return statement


def _worded(bare: str, lines: list[str]) -> DecisionStatement | None:
    """The choice that the wording of a subject or of its reasons names."""
    for pattern, evidence, confidence in _CHOICES:
        if re.search(pattern, bare, re.IGNORECASE):
            return _made(bare, _reasons(lines), evidence, confidence)
    reason = _reasons(lines)
    for part in re.split(r"(?<=[\w)])[.;] (?=[A-Z])", bare):
        if re.match(_REMOVAL, part, re.IGNORECASE) and _is_missed(part, reason):
            return _made(part.rstrip("."), reason, "a removal", 0.78)
    if re.match(_RULE, bare, re.IGNORECASE) and re.search(_REASON, reason):
        return _made(bare, reason, "a rule with its reason", 0.8)
    if len(dropped := [line for line in lines if re.match(_DROPPED, line)]) >= _MANY_DROPPED:
        removals = " ".join(" ".join(dropped).split())
        return _made(bare, _shortened(removals, LONGEST_WHY), "a list of removals", 0.78)
    if re.search(_DECIDED, reason):
        return _made(bare, reason, "a choice told in the message", 0.8)
    return None


def _is_missed(removal: str, reason: str) -> bool:
    """Whether somebody may ask later why this was removed."""
    if re.search(_LITTER, removal):
        return False
    relied_on = re.search(_RELIED_ON, removal) and not re.search(_TIDIED, removal)
    return bool(relied_on or reason)


def _made(title: str, why: str, evidence: str, confidence: float) -> DecisionStatement | None:
    if confidence < MIN_CONFIDENCE or len(title.split()) < 2:
        return None
    head, rest = _cut_title(title)
    return DecisionStatement(head, f"{rest} {why}".strip(), evidence, confidence, False)


def _reasons(lines: list[str]) -> str:
    """The prose of a message: without lists, quotes, references and trailers."""
    prose = [line.strip() for line in lines if line.strip() and not re.match(_NOISE, line)]
    return _shortened(" ".join(prose), LONGEST_WHY)


def _cut_title(text: str) -> tuple[str, str]:
    """A title and the rest of a text, cut after the first sentence or between words."""
    text = " ".join(text.split())
    first = re.match(r"(.{12,}?[.;])\s+(?=\S)", text)
    head = first[1].rstrip(".;") if first else text
    if len(head) <= LONGEST_TITLE:
        return head, text[first.end() :] if first else ""
    cut = text.rfind(" ", 0, LONGEST_TITLE)
    cut = cut if cut > 0 else LONGEST_TITLE
    return text[:cut] + "…", _shortened(text, LONGEST_WHY)


def _shortened(text: str, most: int) -> str:
    return text if len(text) <= most else text[: text.rfind(" ", 0, most)] + " …"
