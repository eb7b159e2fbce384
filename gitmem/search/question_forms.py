"""Questions of a known form, such as "who calls X", and the verb that answers them. Pure.

A form matches a whole question. Results of `search` do not depend on it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from gitmem.model.frozen import dataclass

# Longer texts were pasted.
LONGEST = 300
_KINDS = (
    "class|function|method|module|file|package|type|struct|trait|interface|enum|macro|constant|"
    "variable|command|fixture|code of|code in|definition of|lines?"
)
# A name of code or a path, as it is written in a sentence.
_N = (
    rf"(?P<the>the )?(?P<kind>(?:{_KINDS})s? )?(?P<quote>[`'\"])?(?P<name>[\w$@~][\w$@~./:#-]*)"
    rf"(?P<call>\(\))?[`'\"]?(?: (?:{_KINDS}))?"
)
_Q = r"(?:what|which \w+)"
_WHO = r"(?:who|what(?: code| else)?|which \w+)"
_THE = (
    r"(?:what (?:are|is|was|would be) |where are |who (?:are|is) |who's )?"
    r"(?:(?:all|every|each|the) )*"
)
_IS = "(?:is|are|was|were)"
_TOUCH = "(?:change|touch|modify|edit|remove|delete|rename|rewrite|move|refactor|break)"
_CHANGE = (
    "(?:(?:changing|touching|modifying|editing|removing|deleting|renaming|rewriting|moving|"
    "refactoring) |(?:a |any |the )?changes? (?:of|to|in) |(?:i|we|you|someone) (?:have )?"
    f"(?:{_TOUCH}|changed|touched) )"
)
_CHANGED = "(?:changed|touched|modified|edited|updated)"
_MADE = "(?:added|introduced|created|implemented)"
_LAST = "(?:last|most recently|the last time)"
_COMMIT = "(?:who|(?:which|what) (?:commits?|change|pr|pull request|release|version))"
_STRETCH = (
    r"(?:(?:since|after) (?P<since>.+?)|(?:between|from) (?P<after>.+?) (?:and|to|until|till) "
    r"(?P<until>.+?)|(?:in|during|over|within|of) the (?:last|past) "
    r"(?P<ago>\d+ (?:hours?|days?|weeks?|months?|years?)|week|month|year)|(?:in |during |of )?"
    r"(?:the )?(?P<stretch>(?:last|this) (?:week|month|year)|yesterday|today))"
)
_PLACE = r" (?:in|to|under|below) (?P<path>[\w.-]*/[\w./-]*|[\w-]+\.[a-z]\w{0,3})"
_PATH = f"(?:{_PLACE})?"
_ABOUT = "(?:on|about|for|regarding|concerning|with)"
_LEAD = re.compile(
    r"(?:(?:please|so|ok|okay|hey|hi|and|list|show(?: me)?|tell me|give me|find|"
    r"(?:can|could) you (?:tell|show|give|list)(?: me)?|i (?:want|need|would like) to know),? )+",
    re.IGNORECASE,
)
_TAIL = re.compile(
    r"(?: (?:in|of|across|anywhere in|within) (?:this|the|our) (?:repo(?:sitory)?|project|"
    r"code ?base|code|program)| here| now| please| directly| anywhere)+$",
    re.IGNORECASE,
)
# Spellings of code: two parts, capitals inside, digits, a path.
_SHAPED = re.compile(r"[_./:#$]|[a-z][A-Z]|[A-Z][a-z]|[A-Z]{2}|\d")
_WHY = {
    "graph": "the code graph knows",
    "impact": "the code graph and the history know what depends on it",
    "cycles": "the code graph knows which files import each other",
    "why": "the commits and decisions behind it tell",
    "changes": "the indexed commits of that time tell",
    "why-broke": "the newest changes are weighed",
    "recall": "what was decided is remembered",
    "search": "the index knows each definition by its name",
}


@dataclass(frozen=True, slots=True)
class QuestionPattern:
    """Wordings of one question, and the command (``verb``) that answers it.

    A wording is a pattern for the whole question, tried only if the question contains one of the
    ``cues``. ``given`` are fields of the command's request, ``field`` is the one for the name in
    the question, ``part`` the field of the result that answers.
    """

    kind: str
    cues: str
    wordings: tuple[str, ...]
    verb: str
    given: Mapping[str, object]
    field: str = "target"
    part: str = ""


def _graph(relation: str, cues: str, *wordings: str) -> QuestionPattern:
    return QuestionPattern(relation, cues, wordings, "graph", {relation: True}, "name")


def _impact(kind: str, cues: str, given: Mapping[str, object], *wordings: str) -> QuestionPattern:
    return QuestionPattern(kind, cues, wordings, "impact", given, part=kind)


def _past(kind: str, part: str, cues: str, *wordings: str) -> QuestionPattern:
    # Authors are counted over many commits.
    given = {"limit": 100} if part == "wrote" else {}
    return QuestionPattern(kind, cues, wordings, "why", given, part=part)


FORMS = (
    _graph("callers", "call invok usage",
           rf"{_WHO} (?:calls?|invokes?|(?:is|are) calling) {_N}",
           rf"where {_IS} {_N} (?:called|invoked)(?: from)?",
           rf"(?:from )?where (?:do|does) (?:we|you|it|they|the code) (?:call|invoke) {_N}"
           r"(?: from)?",
           rf"{_THE}(?:callers?|call sites?|calls?|usages?) (?:of|to|for) {_N}"),
    _graph("callees", "call invok",
           rf"(?:what(?: \w+)?|which \w+) (?:does|do) {_N} (?:call|invoke)",
           rf"(?:everything|what|{_THE}functions)(?: that)? {_N} (?:calls|invokes)",
           rf"{_Q} {_IS} (?:called|invoked) (?:by|in|from) {_N}", rf"{_THE}callees of {_N}"),
    _graph("subclasses", "extend inherit class deriv implement",
           rf"{_WHO} (?:extends?|inherits?(?: from)?|subclass(?:es)?|derives? from|implements?) "
           rf"{_N}",
           rf"{_THE}(?:sub-?classes|implementations) of {_N}"),
    _graph("bases", "extend inherit base class deriv implement",
           rf"{_Q} (?:does|do) {_N} (?:extend|inherit(?: from)?|derive from|implement)",
           rf"{_THE}(?:base classes|bases|super-?classes) of {_N}"),
    _graph("importers", "import",
           rf"{_WHO} (?:imports?|(?:is|are) importing) {_N}",
           rf"where {_IS} {_N} imported(?: from)?", rf"where do (?:we|you) import {_N}",
           rf"{_THE}importers of {_N}"),
    _graph("imports", "import depend",
           rf"(?:what(?: \w+)?|which \w+) (?:does|do) {_N} (?:import|depend on)",
           rf"{_Q} {_IS} imported (?:by|in|from) {_N}",
           rf"{_THE}(?:imports|dependencies) of {_N}"),
    _impact("tests", "test", {"limit": 1000},
            r"(?:which|what) tests? (?:should|must|do|can|could|would|will|have|need) .{0,30}?\brun"
            rf" (?:if|after|when|for|before|once|on) {_CHANGE}?{_N}",
            rf"(?:if|when|after) {_CHANGE}{_N},? (?:which|what) tests? .{{0,30}}?\brun",
            r"(?:which|what) tests? (?:covers?|exercises?|tests?|calls?|uses?|checks?|concerns?) "
            rf"{_N}",
            rf"{_THE}tests? (?:for|of|covering|that cover) {_N}",
            rf"(?:where |how )?{_IS} {_N} tested"),
    _impact("impact", "depend rel affect concern brok break happen work impact effect risk radius "
            "consequence safe danger us need", {},
            rf"{_WHO} (?:depends?|rel(?:y|ies)) on {_N}",
            rf"{_Q} (?:(?:would|will|could|might|may|can) )?(?:(?:be|is|are|gets?) )?(?:affected|"
            rf"concerned|broken|breaks?|happens?|stops? working) (?:by|if|when|after|on) "
            rf"{_CHANGE}{_N}",
            rf"{_THE}(?:impact|effects?|risk|blast radius|consequences) of {_CHANGE}?{_N}",
            rf"how (?:risky|safe|dangerous) is (?:it to )?(?:{_CHANGE}|{_TOUCH} ){_N}",
            rf"(?:can|could|may) (?:i|we) safely {_TOUCH} {_N}", rf"{_WHO} uses? {_N}",
            rf"{_IS} {_N} (?:still )?(?:used|in use|needed)", rf"where {_IS} {_N} used"),
    QuestionPattern("definition", "where defin declar implement",
         (rf"where {_IS} {_N}(?: (?:defined|declared|implemented|located)(?: (?:at|in))?)?",
          rf"where (?:do|does|did) (?:we|you|they|the code) (?:define|declare|implement) {_N}",
          rf"(?:which|what) (?:file|module|class|package) (?:defines|declares|implements) {_N}",
          rf"{_THE}(?:definitions?|declarations?) of {_N}"),
         "search", {"mode": "symbol", "limit": 100}, "query", part="defined"),
    QuestionPattern("cycles", "cycl circ each",
         (rf"(?:{_IS} there )?(?:any |the |all )*(?:import cycles?|(?:circular|cyclic) (?:imports?|"
          r"dependenc(?:y|ies)))(?: in (?P<path>[\w./-]+))?",
          r"(?:which|what|do any) (?:files|modules|packages) import each other"
          r"(?: in (?:a )?(?:circle|cycle)s?)?"), "cycles", {}),
    _past("added", "first", "when who which what",
          rf"when {_IS} {_N} (?:first )?(?:{_MADE}|written)",
          rf"when did (?:we|they|you|someone) (?:first )?(?:add|introduce|create|implement) {_N}",
          rf"when did {_N} (?:first )?(?:appear|come(?: in)?)", rf"since when {_IS} {_N} there",
          rf"since when (?:do|did) (?:we|you) have {_N}", rf"since when does {_N} exist",
          rf"{_COMMIT} (?:first )?(?:{_MADE}|brought) {_N}",
          rf"in (?:which|what) (?:commit|release|version) {_IS} {_N} {_MADE}"),
    _past("wrote", "wrote", "who author own maintain",
          rf"who (?:wrote|has written|authored)(?: (?:most|all) of| the code of)? {_N}",
          rf"{_THE}(?:main )?(?:authors?|owners?|maintainers?) of {_N}",
          rf"who (?:owns|maintains) {_N}", rf"whose code is {_N}"),
    _past("changed last", "last", "last latest newest recent",
          rf"when {_IS} {_N} (?:last|most recently) {_CHANGED}",
          rf"when {_IS} {_N} {_CHANGED} {_LAST}",
          rf"when did {_N} (?:last change|change {_LAST})",
          rf"{_COMMIT} (?:last|most recently) {_CHANGED} {_N}",
          rf"{_COMMIT} {_CHANGED} {_N} {_LAST}",
          rf"{_THE}(?:last|latest|newest|most recent) (?:change|commit|edit) (?:to|of|in|on) {_N}"),
    _past("removed", "removed", "remov delet drop took taken",
          rf"(?:when|why) {_IS} {_N} (?:removed|deleted|dropped|taken out)",
          rf"{_COMMIT} (?:removed|deleted|dropped|took out) {_N}"),
    QuestionPattern("changes", "chang new",
         (r"what(?:'s| is| has| was)? (?:been )?(?:changed|new) (?:in|with) (?:release |version )?"
          r"(?P<until>v?\d+(?:\.\w+)+)",), "changes", {}, part="release"),
    QuestionPattern("changes", "releas tagg come came",
         (rf"(?:when|(?:on )?(?:what|which) (?:day|date)) {_IS} (?:release |version )?"
          r"(?P<until>v?\d+(?:\.\w+)+) (?:released|tagged|published|made)",
          r"when did (?:release |version )?(?P<until>v?\d+(?:\.\w+)+) come out"),
         "changes", {}, part="release"),
    _past("history", "", "why histor story past commit how happen chang touch modif edit updat",
          rf"why (?:{_IS}|does|do|did|has|have) {_N} (?:been )?(?:so|here|there|needed|necessary|"
          r"like (?:this|that)|(?:written|done|made|designed|implemented) (?:like )?(?:this|that|"
          rf"so)(?: way)?|the way (?:it is|they are)|as (?:it is|they are)|{_CHANGED}|{_MADE}|"
          r"written|change|exist)",
          rf"{_THE}(?:history|story|past|commits) (?:of|behind|for) {_N}",
          rf"how (?:did|has) {_N} (?:changed?|evolved?|come about)"
          r"(?: over (?:the )?(?:time|years))?",
          rf"{_COMMIT} (?:ever )?{_CHANGED} {_N}", rf"what happened to {_N}",
          rf"when {_IS} {_N} {_CHANGED}(?: and why)?", rf"when did {_N} change(?: and why)?",
          rf"(?:when and why|why and when) (?:{_IS}|did|has) {_N} (?:been )?(?:{_CHANGED}|change)",
          rf"what (?:has )?changed in {_N}"),
    QuestionPattern("changes", "chang new differ happen done do work commit going",
         (rf"what(?:'s| is| has| was| were)? (?:been )?(?:changed|new|different|happened|done) "
          rf"{_STRETCH}{_PLACE}",
          rf"what(?:'s| is| has| was| were)? (?:been )?(?:changed|new|different|happened|done|"
          rf"going on){_PATH},? {_STRETCH}",
          rf"what did (?:we|they|you|i|people) (?:do|change|work on){_PATH},? {_STRETCH}",
          rf"(?:(?:which|what|what are|what were|summari[sz]e|sum up) )?(?:all )?(?:the )?"
          rf"(?:changes|commits|work)(?: (?:were|was|are|have been) (?:made|done|there))?"
          rf"{_PATH} {_STRETCH}"),
         "changes", {}),
    QuestionPattern("broke", "br caus fail crash",
         (r"(?:what|who|which (?:commit|change)) (?:broke|has broken|is breaking|caused|causes) "
          r"(?P<text>.+)",
          # Of what is no name of code the newest commits tell nothing.
          r"why (?:does|do|is|are|did) (?P<text>.*\w[_.:/]\w.*) (?:fail|failing|failed|broken|"
          r"crash|crashing)"),
         "why-broke", {}),
    QuestionPattern("decision", "deci agree",
         (rf"what (?:did|have|has|was|is|were|are) (?:(?:we|they|been) )*(?:decided?|agreed?) "
          rf"{_ABOUT} (?P<text>.+)",
          r"(?:what|which) decisions? (?:(?:did|do|have) we (?:make|made|take|taken|have) |"
          rf"{_IS} (?:made|taken|there) )?{_ABOUT} (?P<text>.+)"),
         "recall", {"kind": ("decision",)}),
)  # fmt: skip

# Stretches of time: since, until.
_STRETCHES = {
    "last week": ("last week", "this week"),
    "last month": ("last month", "this month"),
    "last year": ("last year", "this year"),
    "yesterday": ("yesterday", "today"),
}


@dataclass(frozen=True, slots=True)
class KnownQuestion:
    """A question of a known form ("who calls X"), and the command (``verb``) that answers it.

    ``values`` are the fields of the command's request, ``part`` is the field of its result that
    answers. ``named``: the question contains a name written as in code, which the command has to
    know.
    """

    kind: str
    verb: str
    why: str
    values: Mapping[str, object]
    part: str
    named: bool
    command: str

    @property
    def is_about_past(self) -> bool:
        """Whether the command that answers is about the past: why, changes or why-broke."""
        return self.verb in ("why", "changes", "why-broke")


def match_known_question(text: str) -> KnownQuestion | None:
    """A question of a known form, such as "who calls X", as a KnownQuestion; None for others."""
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
    """The wordings as one pattern; their groups are numbered, since names must be unique."""
    patterns = []
    for number, wording in enumerate(wordings):
        patterns.append(re.sub(r"\(\?P<(\w+)>", rf"(?P<\1__{number}>", wording))
    return re.compile("|".join(patterns), re.IGNORECASE)


def _groups(caught: re.Match[str]) -> dict[str, str]:
    return {name.partition("__")[0]: text for name, text in caught.groupdict().items() if text}


def _known(form: QuestionPattern, groups: dict[str, str]) -> KnownQuestion | None:
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
    named = named or any(_SHAPED.search(str(expression)) for expression in stretch.values())
    values |= stretch
    return KnownQuestion(
        form.kind, form.verb, _WHY[form.verb], values, form.part, named, _command(form, values)
    )


def _stretch(groups: dict[str, str]) -> dict[str, object]:

    if stretch := groups.get("stretch", "").lower():
        since, until = _STRETCHES.get(stretch, (stretch, ""))
    elif ago := groups.get("ago", ""):
        since, until = (ago if ago[0].isdigit() else f"1 {ago}"), ""
    else:
        since, until = groups.get("since", "") or groups.get("after", ""), groups.get("until", "")
    return {
        key: expression for key, expression in (("since", since), ("until", until)) if expression
    }


def _command(form: QuestionPattern, values: Mapping[str, object]) -> str:

    words = [f"gitmem {form.verb}"]
    for key, value in values.items():
        if value is True:
            words.append(f"--{key}")
        elif key in (form.field, "text", "query"):
            words.insert(1, f'"{value}"')
        elif key == "mode":
            words.append(f"--mode {value}")
        elif key not in form.given or isinstance(value, tuple):
            words.append(f'--{key} "{value[0] if isinstance(value, tuple) else value}"')
    return " ".join(words)
