"""Choosing the verbs that answer a question, and saying why. Pure.

A question of a known form goes to its verb (``question_forms``) first. The first matching rule
gives the kind of question, and every matching rule its steps. The whole question is always searched
for as well.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import chain

from gitmem.model.frozen import dataclass, replace
from gitmem.search import question_forms
from gitmem.search.question import ParsedQuestion
from gitmem.search.question_forms import KnownQuestion

# Sources to read: a word or two may mean much, a question something definite.
SHORT, QUESTION, OTHER = 15, 8, 10
_FEW_WORDS = 3
MOST_STEPS = 8
_LONGEST_SHOWN = 120
# Certainty of a known form.
_FORM = 0.95

_QUESTION = re.compile(
    r"\?\s*$|^\W*(?:what|where|when|why|who|whose|which|how|is|are|was|were|do|does|did|can|could|"
    r"should|has|have|will)\b",
    re.IGNORECASE,
)
_NAMED = r"[`'\"]?(?P<name>[A-Za-z_][\w.:/-]*)"
# A name with what it stands in: a.b.C, Cart::add, src/cart.py::Cart.add; not the name of a file.
_DOTTED = re.compile(
    r"(?<![\w.:/-])(?:(?:[\w.-]+/)*[\w.-]+::)?[A-Za-z_]\w*(?:(?:\.|::|#)[A-Za-z_]\w*)*(?![\w/-])"
)
_FILE = re.compile(
    r"\.(?:[ch](?:pp|c|s)?|go|rs|rb|pyi?|[cm]?[jt]sx?|java|kt|php|swift|scala|lua|exs?|hs|zig|sh|"
    r"md|rst|txt|toml|ya?ml|json|cfg|ini|lock|html|css|xml|sql)$"
)


@dataclass(frozen=True, slots=True)
class QuestionPlanRule:
    """A wording (a pattern), the kind of question that it shows, and the command that answers.

    ``mode`` is the mode of `gitmem search`. ``named``: each name of code in the question gets a
    step, and there must be at least one name. ``sure`` is the certainty (0 to 1). Without ``runs``
    the command is only suggested.
    """

    kind: str
    wording: str
    verb: str
    why: str
    mode: str = ""
    named: bool = False
    sure: float = 0.8
    runs: bool = True


RULES = (
    QuestionPlanRule("command", r"^\W*(?:please )?(?:remember|keep in mind|note|"
         r"(?:save|store)(?: an?| this| the)? (?:note|memory|fact)) ?(?:that|:)", "remember",
         "it says something and asks nothing", sure=0.9, runs=False),
    QuestionPlanRule("command",
         r"^\W*(?:please )?(?:re-?index|index|(?:update|recreate|rebuild) the index)\b"
         r"(?! of| is| in| stat)",
         "index", "it asks for the index to be made", sure=0.7, runs=False),
    QuestionPlanRule("command", r"^\W*(?:please )?(?:prune|clean up)\b.*\b(?:index|points)\b",
         "index prune", "it asks for the index to be cleaned", sure=0.7, runs=False),
    QuestionPlanRule("command", r"^\W*(?:please )?(?:prune|clean up|archive)\b.*\bmemor", "decay",
         "it asks for memories to be put away", sure=0.7, runs=False),
    QuestionPlanRule("command", r"^\W*(?:(?:show|list) (?:me )?(?:all |the )*memories)\W*$", "list",
         "it asks for what is kept", sure=0.9, runs=False),
    QuestionPlanRule("command",
         r"^\W*(?:(?:show|list) (?:me )?(?:all |the )*(?:projects|collections))\W*$",
         "projects", "it asks for the projects", sure=0.9, runs=False),
    QuestionPlanRule("command", r"^\W*(?:(?:show|what is) (?:me )?(?:the )?(?:index )?status"
         r"(?: of (?:gitmem|the index))?|index status|status of (?:gitmem|the index))\W*$",
         "status", "it asks how gitmem stands here", sure=0.9, runs=False),
    QuestionPlanRule("callers",
         r"\A(?s:(?!.*\b(?:does|do)\b.{1,60}\b(?:call|invoke)\W*$)(?!.*\b(?:called|invoked) by\b)"
         r".*?)(?:\b(?:who|what|which \w+)\b.{0,40} (?:calls|invokes) " + _NAMED + r"\W*$|"
         r"\b(?:who|what|where|which \w+)\b.{0,40}\b(?:calls?|invokes?|called|invoked)\b|"
         r"\b(?:callers?|call sites?|usages?) (?:of|for)\b|"
         r"\bwhere (?:is|are) \S+ (?:used|called)\b)",
         "search", "it asks who calls something", mode="callers", named=True, sure=0.9),
    QuestionPlanRule("importers",
         r"\b(?:who|what|which \w+|where)\b.{0,30}\bimport(?:s|ed)?\b(?: from)? ?"
         + _NAMED + r"|\bimporters of " + _NAMED.replace("name", "other"),
         "search", "it asks what imports something", mode="importers", named=True, sure=0.9),
    QuestionPlanRule("tests",
         r"\b(?:which|what|where|find|are there|is there)\b.{0,40}\btest(?:s|ed)?\b|"
         r"\btests? (?:for|of|covering)\b|\b(?:is|are) \S+ tested\b",
         "search", "it asks what tests something", mode="tests", named=True, sure=0.9),
    QuestionPlanRule("decision",
         r"\bdeci(?:de|ded|sion|sions)\b|\bwhy (?:do|did|are|is) (?:we|it|there|the)\b|"
         r"\b(?:conventions?|agreed?|agreement|policy|rule)\b|\bshould (?:we|i)\b",
         "recall", "it may have been decided or agreed", sure=0.7),
    QuestionPlanRule("memory", r"\bmemories (?:about|on|of|for)\b|\bdo (?:we|you) remember\b",
         "recall", "it asks for what is remembered", sure=0.8),
    QuestionPlanRule("history",
         r"\b(?:when|why) (?:was|were|did|has|have)\b|\bwho (?:added|wrote|changed|"
         r"removed|introduced|fixed)\b|\b(?:which|what) (?:commit|release|version)\b.{0,40}\b"
         r"(?:added|removed|changed|introduced|fixed|dropped)\b|\b(?:history of|commits?)\b",
         "search", "commits tell when and why something changed", mode="commits", sure=0.9),
    QuestionPlanRule("config",
         r"\b(?:setting|option|environment variable|config(?:uration)?(?: key)?|flag)\b",
         "search", "it names a setting", mode="config", named=True, sure=0.7),
    QuestionPlanRule("definition",
         r"", "search", "it names something of the code", mode="symbol", named=True,
         sure=0.8),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class QuestionPlanStep:
    """A gitmem command (``verb``) with its argument, why it is run, and how a person would type it.

    ``runs`` is false if the command changes something or answers no question. ``form``: the step
    belongs to a known form; if it answers, no other step is run. ``found`` counts the places it
    found, in ``milliseconds``; both are None before it ran.
    """

    verb: str
    argument: str
    mode: str
    why: str
    command: str
    runs: bool = True
    form: bool = False
    found: int | None = None
    milliseconds: float | None = None


@dataclass(frozen=True, slots=True)
class QuestionPlan:
    """How a question is answered: its kind, how ``sure`` (0 to 1) that is, and the steps.

    ``limit`` is the number of sources to read. ``left_out`` counts steps beyond eight; ``form`` is
    the known form of the question, if any.
    """

    kind: str
    sure: float
    limit: int
    steps: tuple[QuestionPlanStep, ...]
    left_out: int = 0
    form: KnownQuestion | None = None


def plan_question(question: ParsedQuestion) -> QuestionPlan:
    """How to answer a question, as a QuestionPlan: gitmem commands to run, with reasons."""
    kind, sure = _general(question)
    found: dict[str, QuestionPlanStep] = {}
    fitting = [rule for rule in RULES if _fits(rule, question)]
    for rule in fitting:
        for step in _steps(rule, question):
            found.setdefault(step.command, step)
    # The name of an error is a name of code too.
    if fitting and not (question.errors and fitting[0].kind == "definition"):
        kind, sure = fitting[0].kind, fitting[0].sure
    steps = [*found.values()]
    if kind == "command":
        return QuestionPlan(kind, sure, max_sources_of_question(question), tuple(steps[:1]))
    form = question_forms.match_known_question(question.text)
    if form is not None:
        kind, sure = form.kind, _FORM
        known = QuestionPlanStep(form.verb, "", form.kind, form.why, form.command, form=True)
        steps = [known, *(step for step in steps if step.command != form.command)]
    first = steps[: MOST_STEPS - 1]
    whole = QuestionPlanStep(
        "search", question.text, "", "the whole question, in code, notes, commits and memories",
        _command("search", question.text, ""),
    )  # fmt: skip
    return QuestionPlan(
        kind,
        sure,
        max_sources_of_question(question),
        (*first, whole),
        len(steps) - len(first),
        form,
    )


def max_sources_of_question(question: ParsedQuestion) -> int:
    """How many sources to read: 8 for a question, 15 for at most three words, else 10."""
    if _QUESTION.search(question.text):
        return QUESTION
    return SHORT if len(question.text.split()) <= _FEW_WORDS else OTHER


def _general(question: ParsedQuestion) -> tuple[str, float]:

    if question.errors:
        return "error", 0.8
    if question.paths:
        return "file", 0.7
    kinds = [want for want in question.requested_kinds if question.requested_kinds[want] >= 0.5]
    return (kinds[0], 0.6) if kinds else ("general", 0.5)


def _fits(rule: QuestionPlanRule, question: ParsedQuestion) -> bool:
    return re.search(rule.wording, question.text, re.IGNORECASE) is not None and (
        not rule.named or bool(_names(rule, question))
    )


def _steps(rule: QuestionPlanRule, question: ParsedQuestion) -> list[QuestionPlanStep]:
    arguments = _names(rule, question) if rule.named else (question.text,)
    return [
        QuestionPlanStep(
            rule.verb,
            argument,
            rule.mode,
            rule.why,
            _command(rule.verb, argument, rule.mode),
            rule.runs,
        )
        for argument in arguments
    ]


def _names(rule: QuestionPlanRule, question: ParsedQuestion) -> tuple[str, ...]:
    """The names of code in a question, else the one that the wording captures, or in backquotes."""
    dotted = _dotted(question.text)
    inside = {part for name in dotted for part in re.split(r"\W+", name)}
    if names := (*dotted, *(symbol for symbol in question.symbols if symbol not in inside)):
        return names
    caught = re.search(rule.wording, question.text, re.IGNORECASE)
    groups = caught.groupdict().values() if caught else ()
    if named := tuple(group.strip(".:") for group in groups if group):
        return named
    return tuple(dict.fromkeys(re.findall(r"`([A-Za-z_][\w.:]*)(?:\(\))?`", question.text)))


def _dotted(text: str) -> list[str]:
    """The qualified names of code in a text, each once."""
    found = (match[0] for match in _DOTTED.finditer(text))
    names = (name for name in found if re.search(r"[.:#]", name) and not _FILE.search(name))
    return list(dict.fromkeys(name for name in names if name.lower() not in ("e.g", "i.e")))


def _command(verb: str, argument: str, mode: str) -> str:
    shown = " ".join(argument.split())
    shown = shown if len(shown) <= _LONGEST_SHOWN else shown[: _LONGEST_SHOWN - 1] + "…"
    asking = ("search", "recall", "remember")
    words = f'gitmem {verb} "{shown}"' if verb in asking else f"gitmem {verb}"
    if mode == "commits":
        return f"{words} --in commits"
    return f"{words} --mode {mode}" if mode else words


def join_question_plans(plans: Sequence[QuestionPlan]) -> QuestionPlan:
    """The plans of several questions as one, with all steps.

    It has the kind of the first question, the lowest certainty and the most sources.
    """
    first, *more = plans
    if not more:
        return first
    return replace(
        first,
        sure=min(plan.sure for plan in plans),
        limit=max(plan.limit for plan in plans),
        steps=tuple(chain.from_iterable(plan.steps for plan in plans)),
        left_out=sum(plan.left_out for plan in plans),
    )
