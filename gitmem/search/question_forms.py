"""Questions of a known form, and the verb that knows their answer: a table, pure.

A form is the whole of a question, so that a question that only holds such words is none. What
`search` finds does not depend on this.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from gitmem.model.frozen import dataclass

# What is longer was pasted.
LONGEST = 300
_KINDS = (
    "class|function|method|module|file|package|type|struct|trait|interface|enum|macro|constant|"
    "variable|command|fixture|code of|code in|definition of|line|lines"
)
_N = (
    rf"(?P<the>the )?(?P<kind>(?:{_KINDS})s? )?(?P<quote>[`'\"])?(?P<name>[\w$@~][\w$@~./:#-]*)"
    rf"(?P<call>\(\))?[`'\"]?(?: (?:{_KINDS}))?"
)
_TOUCH = "change|touch|modify|edit|remove|delete|rename|rewrite|move|refactor|break"
_TOUCHING = (
    "changing|touching|modifying|editing|removing|deleting|renaming|rewriting|moving|refactoring"
)
_CHANGE = rf"(?:(?:{_TOUCHING}) |(?:(?:a |any |the )?changes? (?:of|to|in) )|(?:i|we|you|someone) (?:{_TOUCH}) )"
_CHANGED = "changed|touched|modified|edited|updated"
_MADE = "added|introduced|created|implemented"
_SPAN = r"\d+ (?:hours?|days?|weeks?|months?|years?)"
_STRETCH = (
    rf"(?:since|after) (?P<since>.+?)|(?:between|from) (?P<after>.+?) (?:and|to|until|till) "
    rf"(?P<until>.+?)|(?:in|during|over|within|of) the (?:last|past) (?P<ago>{_SPAN}|week|month|year)|"
    r"(?:in |during |of )?(?:the )?(?P<stretch>(?:last|this) (?:week|month|year)|yesterday|today)"
)
_LEAD = re.compile(
    r"(?:(?:please|so|ok|okay|hey|hi|and|list|show|tell me|show me|give me|find|"
    r"(?:can|could) you (?:tell|show|give|list)(?: me)?|i (?:want|need|would like) to know),? )+",
    re.IGNORECASE,
)
_TAIL = re.compile(
    r"(?: (?:in|of|across|anywhere in|within) (?:this|the|our) (?:repo(?:sitory)?|project|"
    r"code ?base|code|program)| here| now| please| directly| anywhere)+$",
    re.IGNORECASE,
)
# What only code writes: a name of two parts, capitals inside, digits, a path.
_SHAPED = re.compile(r"[_./:#$]|[a-z][A-Z]|[A-Z][a-z]|[A-Z]{2}|\d")


@dataclass(frozen=True, slots=True)
class Form:
    """Wordings of one question, the verb that knows, and what it is asked.

    A wording is a pattern for the whole question, looked at where it holds one of the ``cues``:
    to compile them all costs 40 ms. ``given`` are fields of the verb's request, ``field`` the one
    that takes the name. ``part`` says which part of its answer is meant.
    """

    kind: str
    cues: str
    wordings: tuple[str, ...]
    verb: str
    why: str
    given: Mapping[str, object]
    field: str = "target"
    part: str = ""


def _graph(relation: str, cues: str, why: str, *wordings: str) -> Form:
    return Form(relation, cues, wordings, "graph", why, {relation: True}, "name")


def _past(kind: str, part: str, cues: str, why: str, *wordings: str) -> Form:
    return Form(kind, cues, wordings, "why", why, {}, "target", part)


FORMS = (
    _graph("callers", "call invok usage", "the code graph knows who calls something",
           rf"(?:who|what(?: code| else)?|which \w+) (?:calls?|invokes?|(?:is|are) calling) {_N}",
           rf"where (?:is|are) {_N} (?:called|invoked)(?: from)?",
           rf"(?:from )?where (?:do|does) (?:we|you|it|they|the code) (?:call|invoke) {_N}(?: from)?",
           rf"(?:what are |where are |who are )?(?:(?:all|every|each|the) )*(?:callers?|call sites?|"
           rf"calls?|usages?) (?:of|to|for) {_N}"),
    _graph("callees", "call invok", "the code graph knows what something calls",
           rf"(?:what(?: \w+)?|which \w+) (?:does|do) {_N} (?:call|invoke)",
           rf"(?:everything|what|(?:all )?(?:the )?functions)(?: that)? {_N} (?:calls|invokes)",
           rf"(?:what|which \w+) (?:is|are) (?:called|invoked) (?:by|in|from) {_N}",
           rf"(?:what are )?(?:all )?(?:the )?callees of {_N}"),
    _graph("subclasses", "extend inherit class deriv implement", "the code graph knows what inherits from something",
           rf"(?:what|who|which \w+) (?:extends?|inherits?(?: from)?|subclass(?:es)?|"
           rf"derives? from|implements?) {_N}",
           rf"(?:what are )?(?:all )?(?:the )?(?:sub-?classes|implementations) of {_N}"),
    _graph("bases", "extend inherit base class deriv implement", "the code graph knows what something inherits from",
           rf"(?:what|which \w+) (?:does|do) {_N} (?:extend|inherit(?: from)?|derive from|implement)",
           rf"(?:what are )?(?:all )?(?:the )?(?:base classes|bases|super-?classes) of {_N}"),
    _graph("importers", "import", "the code graph knows what imports something",
           rf"(?:who|what(?: else)?|which \w+) (?:imports?|(?:is|are) importing) {_N}",
           rf"where (?:is|are) {_N} imported(?: from)?", rf"where do (?:we|you) import {_N}",
           rf"(?:what are |who are )?(?:all )?(?:the )?importers of {_N}"),
    _graph("imports", "import depend", "the code graph knows what a file imports",
           rf"(?:what(?: \w+)?|which \w+) (?:does|do) {_N} (?:import|depend on)",
           rf"(?:what|which \w+) (?:is|are) imported (?:by|in|from) {_N}",
           rf"(?:what are )?(?:all )?(?:the )?(?:imports|dependencies) of {_N}"),
    Form("tests", "test", (
        rf"(?:which|what) tests? (?:should|must|do|can|could|would|will|have|need) .{{0,30}}?\brun "
        rf"(?:if|after|when|for|before|once|on) (?:(?:i|we|you) (?:have )?(?:{_TOUCH}|{_CHANGED}) |"
        rf"{_CHANGE})?{_N}",
        rf"(?:if|when|after) {_CHANGE}{_N},? (?:which|what) tests? .{{0,30}}?\brun",
        rf"(?:which|what) tests? (?:covers?|exercises?|tests?|calls?|uses?|checks?|concerns?) {_N}",
        rf"(?:what are |where are )?(?:all )?(?:the )?tests? (?:for|of|covering|that cover) {_N}",
        rf"(?:is|are|where (?:is|are)|how (?:is|are)) {_N} tested"),
        "impact", "the tests that reach something", {"limit": 1000}, part="tests"),
    Form("impact", "depend rel affect concern brok break happen work impact effect risk radius consequence safe danger us need", (
        rf"(?:what|who|which \w+) (?:depends?|rel(?:y|ies)) on {_N}",
        rf"(?:what|which \w+) (?:(?:would|will|could|might|may|can) )?(?:(?:be|is|are|gets?) )?"
        rf"(?:affected|concerned|broken|breaks?|happens?|stops? working) (?:by|if|when|after|on) "
        rf"{_CHANGE}{_N}",
        rf"(?:what (?:is|would be) )?(?:the )?(?:impact|effects?|risk|blast radius|consequences) of "
        rf"(?:{_CHANGE})?{_N}",
        rf"how (?:risky|safe|dangerous) is (?:it to )?(?:{_CHANGE}|(?:{_TOUCH}) ){_N}",
        rf"(?:can|could|may) (?:i|we) safely (?:{_TOUCH}) {_N}",
        rf"(?:who|what|which \w+) uses? {_N}", rf"(?:is|are) {_N} (?:still )?(?:used|in use|needed)",
        rf"where (?:is|are) {_N} used"),
        "impact", "what depends on something", {}),
    Form("cycles", "cycl circ each", (
        r"(?:(?:are|is) there )?(?:any |the |all )*(?:import cycles?|(?:circular|cyclic) (?:imports?|"
        r"dependenc(?:y|ies)))(?: in (?P<path>[\w./-]+))?",
        r"(?:which|what) (?:files|modules|packages) import each other(?: in (?:a )?(?:circles?|cycles?))?",
        r"do (?:any|some) (?:files|modules|packages) import each other"),
        "cycles", "which files import each other", {}),
    _past("added", "first", "when who which what", "the history of its lines tells",
          rf"when (?:was|were) {_N} (?:first )?(?:{_MADE}|written)",
          rf"when did (?:we|they|you|someone) (?:first )?(?:add|introduce|create|implement) {_N}",
          rf"when did {_N} (?:first )?(?:appear|come(?: in)?)", rf"since when (?:is|are) {_N} there",
          rf"since when (?:do|did) (?:we|you) have {_N}", rf"since when does {_N} exist",
          rf"(?:which|what) (?:commit|change|pr|pull request|release|version) (?:first )?"
          rf"(?:{_MADE}|brought) {_N}",
          rf"in (?:which|what) (?:commit|release|version) (?:was|were) {_N} (?:{_MADE})",
          rf"who (?:first )?(?:{_MADE}) {_N}"),
    _past("wrote", "wrote", "who author own maintain", "blame tells whose lines they are",
          rf"who (?:wrote|has written|authored)(?: (?:most|all) of| the code of)? {_N}",
          rf"(?:who is |who are |who's )?(?:the )?(?:main )?(?:authors?|owners?|maintainers?) of {_N}",
          rf"who (?:owns|maintains) {_N}", rf"whose code is {_N}"),
    _past("changed last", "last", "last latest newest recent", "the history of its lines tells",
          rf"when (?:was|were) {_N} (?:last|most recently|lately) (?:{_CHANGED})(?: last)?",
          rf"when (?:was|were) {_N} (?:{_CHANGED}) (?:last|most recently|the last time)",
          rf"when did {_N} (?:last change|change (?:last|the last time))",
          rf"who (?:last|most recently) (?:{_CHANGED}) {_N}",
          rf"(?:who|which commit|what commit) (?:last )?(?:{_CHANGED}) {_N} "
          rf"(?:last|most recently|the last time)",
          rf"(?:which|what) commit last (?:{_CHANGED}) {_N}",
          rf"(?:what (?:was|is) )?(?:the )?(?:last|latest|newest|most recent) (?:change|commit|edit) "
          rf"(?:to|of|in|on) {_N}"),
    _past("removed", "removed", "remov delet drop took taken", "the history of a file that is gone tells",
          rf"(?:when|why) (?:was|were) {_N} (?:removed|deleted|dropped|taken out)",
          rf"(?:who|which commit|what commit) (?:removed|deleted|dropped|took out) {_N}"),
    _past("history", "", "why histor story past commit how happen chang touch modif edit updat", "commits and decisions behind it tell",
          rf"why (?:is|are|was|were|does|do|did|has|have) {_N}(?: (?:been )?(?:so|here|there|needed|"
          rf"necessary|like (?:this|that)|(?:written|done|made|designed|implemented) (?:like )?"
          rf"(?:this|that|so)(?: way)?|the way (?:it is|they are)|as (?:it is|they are)|{_CHANGED}|"
          rf"{_MADE}|written|change|exist))",
          rf"(?:what is |what's )?(?:the )?(?:history|story|past|commits) (?:of|behind|for) {_N}",
          rf"how (?:did|has) {_N} (?:changed?|evolved?|come about)(?: over (?:the )?(?:time|years))?",
          rf"(?:who|which commits?|what commits?) (?:ever )?(?:{_CHANGED}) {_N}",
          rf"what happened to {_N}", rf"when (?:was|were) {_N} (?:{_CHANGED})",
          rf"when did {_N} change", rf"what (?:has )?changed in {_N}"),
    Form("changes", "chang new differ happen done do work commit going", (
        rf"what(?:'s| is| has| was| were)? (?:been )?(?:changed|new|different|happened|done|"
        rf"going on)(?: (?:in|to|under|below) (?P<path>[\w.-]*/[\w./-]*))?,? (?:{_STRETCH})",
        rf"what did (?:we|they|you|i|people) (?:do|change|work on),? (?:{_STRETCH})",
        rf"(?:(?:which|what|what are|what were|summari[sz]e|sum up) )?(?:all )?(?:the )?(?:changes|"
        rf"commits|work)(?: (?:were|was|are|have been) (?:made|done|there))?"
        rf"(?: (?:in|to|under|below) (?P<path>[\w.-]*/[\w./-]*))? (?:{_STRETCH})"),
        "changes", "the indexed commits of that time", {}),
    Form("broke", "br caus fail crash", (
        r"(?:what|who|which (?:commit|change)) (?:broke|has broken|is breaking) (?P<text>.+)",
        r"(?:what|which (?:commit|change)) (?:caused|causes) (?P<text>.+)",
        r"why (?:does|do|is|are|did) (?P<text>.+) (?:fail|failing|failed|broken|crash|crashing)"),
        "why-broke", "the newest changes are weighed", {}),
    Form("decision", "deci agree", (
        r"what (?:did|have|has|was|is|were|are) (?:(?:we|they|been) )*(?:decided?|agreed?) (?:on|about|"
        r"for|regarding|concerning|with) (?P<text>.+)",
        r"(?:what|which) decisions? (?:(?:did|do|have) we (?:make|made|take|taken|have) |"
        r"(?:was|were|are|is) (?:made|taken|there) )?(?:on|about|for|regarding|concerning) (?P<text>.+)"),
        "recall", "what was decided is remembered", {"kind": ("decision",)}),
)  # fmt: skip

# What somebody means by a stretch: from when, until when.
_STRETCHES = {
    "last week": ("last week", "this week"),
    "last month": ("last month", "this month"),
    "last year": ("last year", "this year"),
    "yesterday": ("yesterday", "today"),
}


@dataclass(frozen=True, slots=True)
class Known:
    """A question of a known form: the verb, the fields of its request, which part of its answer.

    ``named`` says that it names something as only code is named: then the verb has to know it.
    """

    kind: str
    verb: str
    why: str
    values: Mapping[str, object]
    part: str
    named: bool
    command: str


def read(text: str) -> Known | None:
    """The form of a question; None where it has none that is known."""
    if len(text) > LONGEST:
        return None
    plain = " ".join(text.split()).strip(" ?!.")
    lead = _LEAD.match(plain)
    plain = _TAIL.sub("", plain[lead.end() :] if lead else plain).strip(" ?!.")
    low = plain.lower()
    for form in FORMS:
        if not any(cue in low for cue in form.cues.split()):
            continue
        caught = _pattern(form.wordings).fullmatch(plain)
        if caught is not None and (found := _known(form, _groups(caught))) is not None:
            return found
    return None


@cache
def _pattern(wordings: tuple[str, ...]) -> re.Pattern[str]:
    """The wordings as one pattern; their groups get numbers, since each has a name."""
    told = []
    for number, wording in enumerate(wordings):
        told.append(re.sub(r"\(\?P<(\w+)>", rf"(?P<\1__{number}>", wording))
    return re.compile("|".join(told), re.IGNORECASE)


def _groups(caught: re.Match[str]) -> dict[str, str]:
    return {name.partition("__")[0]: text for name, text in caught.groupdict().items() if text}


def _known(form: Form, groups: dict[str, str]) -> Known | None:
    values = dict(form.given)
    named = False
    if name := groups.get("name", "").rstrip(".:,-"):
        named = any(part in groups for part in ("kind", "quote", "call"))
        named = named or _SHAPED.search(name) is not None
        if "the" in groups and not named:
            return None  # the retry, the parser: words and no name
        values[form.field] = name
    values |= {key: groups[key] for key in ("path", "text") if key in groups}
    if form.verb == "recall":
        values["query"] = values.pop("text")
    stretch = _stretch(groups)
    named = named or any(_SHAPED.search(str(told)) for told in stretch.values())
    values |= stretch
    return Known(form.kind, form.verb, form.why, values, form.part, named, _command(form, values))


def _stretch(groups: dict[str, str]) -> dict[str, object]:
    """From when and until when, as the verbs take them."""
    if stretch := groups.get("stretch", "").lower():
        since, until = _STRETCHES.get(stretch, (stretch, ""))
    elif ago := groups.get("ago", ""):
        since, until = (ago if ago[0].isdigit() else f"1 {ago}"), ""
    else:
        since, until = groups.get("since", "") or groups.get("after", ""), groups.get("until", "")
    return {key: told for key, told in (("since", since), ("until", until)) if told}


def _command(form: Form, values: Mapping[str, object]) -> str:
    """What a person would type."""
    words = [f"gitmem {form.verb}"]
    for key, told in values.items():
        if told is True:
            words.append(f"--{key}")
        elif key in (form.field, "text", "query"):
            words.insert(1, f'"{told}"')
        elif key not in form.given or isinstance(told, tuple):
            words.append(f'--{key} "{told[0] if isinstance(told, tuple) else told}"')
    return " ".join(words)
