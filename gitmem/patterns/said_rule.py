"""Reading the rule in a sentence such as "use `logger` instead of `print`". Pure.

Only names of code make a rule: words in backticks, words that look like code (``os.system``,
``HashMap::new``), and others for which ``is_name_in_code`` says that the code uses them.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from gitmem.model.frozen import dataclass, replace
from gitmem.patterns.name_match import STYLES, is_code_name
from gitmem.patterns.rule import CodeRule

# Characters of a text, and of a sentence, that are read, since the forms below try every position.
LONGEST, LONGEST_SENTENCE = 4000, 600
_NAME = r"(?:`[^`\n]{1,80}`|[\w.$@:/!-]{1,80}(?:\(\))?)"
_LIST = rf"{_NAME}(?:(?:, ?| ?/ ?|,? or |,? and ){_NAME}){{0,5}}"
_USE = r"(?:use|using|call|calling|import|importing|prefer)"
_RATHER = r"(?:,? ?(?:instead of|rather than|in place of|over|and not|never|not))"
_NEVER = (
    r"(?:never|do not|don't|must not|mustn't|should not|shouldn't|may not|stop|avoid|no longer|"
    r"always avoid|no)"
)
_FORMS: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "layer",
        re.compile(
            rf"(?P<origin>`?[\w./-]+`?) (?:{_NEVER}|cannot|can't) (?:depend on|import(?: from)?|"
            r"know(?: of)?) (?P<bad>`?[\w./-]+`?)",
            re.I,
        ),
    ),
    (
        "import",
        re.compile(rf"{_NEVER} import(?:ing|s of)? (?:from )?(?P<bad>{_LIST})", re.I),
    ),
    ("instead", re.compile(rf"{_USE} (?P<good>{_NAME}){_RATHER} (?P<bad>{_LIST})", re.I)),
    ("instead", re.compile(rf"instead of (?P<bad>{_LIST}),? {_USE} (?P<good>{_NAME})", re.I)),
    ("instead", re.compile(rf"replace (?P<bad>{_LIST}) (?:with|by) (?P<good>{_NAME})", re.I)),
    ("instead", re.compile(rf"(?P<good>`[^`\n]{{1,80}}`){_RATHER} (?P<bad>{_LIST})", re.I)),
    (
        "never",
        re.compile(rf"\b{_NEVER} (?:(?:ever )?{_USE} )?(?:the )?(?P<bad>{_LIST})", re.I),
    ),
)
_KINDS = {
    "function": "function", "method": "function", "class": "class", "type": "class",
    "constant": "constant", "variable": "variable", "file": "file", "module": "file",
}  # fmt: skip
_NAMING = re.compile(
    rf"\b(?P<kind>{'|'.join(_KINDS)})(?:e?s)?(?: names?)?"
    r"(?: (?:and|,) (?P<second>\w+?)s?(?: names?)?)?"
    r" (?:are|is|must be|should be|have to be|use|in|follow|get)? ?"
    r"(?:named |written |always )?(?:in )?`?(?P<style>snake_?case|snake_case|camelCase|PascalCase|"
    r"UPPER_CASE|SCREAMING_SNAKE_CASE|kebab-case)`?",
    re.I,
)
_STYLES = {style.lower().replace("_", "").replace("-", ""): style for style in STYLES}
_STYLES["screamingsnakecase"] = "UPPER_CASE"
_SHAPED = re.compile(r"\w[.:]+\w|\(\)$|!$|^\.\w|\w_\w|[a-z][A-Z]")
_LANGUAGES = {
    "python": "python", "typescript": "typescript", "javascript": "javascript", "rust": "rust",
    "golang": "go", "java": "java", "ruby": "ruby", "php": "php", "kotlin": "kotlin",
    "swift": "swift", "scala": "scala", "c#": "csharp", "c++": "cpp",
}  # fmt: skip
# Style -> languages that use it for functions, if the sentence names none.
_FUNCTIONS_IN = {
    "snake_case": ("elixir", "lua", "php", "python", "ruby", "rust"),
    "camelCase": ("java", "javascript", "kotlin", "scala", "swift", "typescript"),
}
_IN = re.compile(r"\b(?:in|of|our|for|all) (?:our |the |all )?([\w+#]+)", re.I)
_INSTEAD = re.compile(r"\b(?:use|prefer) (?P<good>`[^`\n]{1,80}`)(?: instead)?", re.I)
_SOFT = re.compile(r"\b(?:prefer|avoid|should|try to)\b", re.I)


@dataclass(frozen=True, slots=True)
class StatedRule:
    """A rule that a text states, its sentence (``quote``), and whether its names are surely code.

    Names in backticks, names that look like code and folders are sure.
    """

    rule: CodeRule
    quote: str
    sure: bool


def find_stated_rule(
    text: str, is_name_in_code: Callable[[str], bool] = lambda _name: False
) -> StatedRule | None:
    """The StatedRule that a text states first; None if it states none that can be checked.

    ``is_name_in_code(name)`` says whether the code of the project calls or imports a name.
    """
    for sentence in re.split(r"(?<=[.;!?])\s+|\n+", text[:LONGEST]):
        bare = " ".join(sentence.split())
        if len(bare) > LONGEST_SENTENCE:
            continue
        stated = _read_naming(bare) or _read_prohibition(bare, is_name_in_code)
        if stated is not None:
            return stated
    return None


def _read_naming(sentence: str) -> StatedRule | None:
    match = _NAMING.search(sentence)
    if match is None:
        return None
    words = [match["kind"], match["second"] or ""]
    kinds = tuple(dict.fromkeys(_KINDS[word.lower()] for word in words if word.lower() in _KINDS))
    style = _STYLES[match["style"].lower().replace("_", "").replace("-", "")]
    rule = CodeRule("naming", of=kinds, style=style, **_common_fields(sentence))
    if "function" in kinds and not rule.languages:
        rule = replace(rule, languages=_FUNCTIONS_IN.get(style, ()))
    return StatedRule(rule, sentence, True)


def _read_prohibition(sentence: str, is_name_in_code: Callable[[str], bool]) -> StatedRule | None:
    for form, pattern in _FORMS:
        for match in pattern.finditer(sentence):
            stated = _make_rule(form, match, sentence, is_name_in_code)
            if stated is not None:
                return stated
    return None


def _make_rule(
    form: str, match: re.Match[str], sentence: str, is_name_in_code: Callable[[str], bool]
) -> StatedRule | None:
    if form == "layer":
        origin, target = match["origin"].strip("`/"), match["bad"].strip("`/.")
        if not ("/" in origin + target or "`" in match["origin"] + match["bad"]):
            return None
        return StatedRule(
            CodeRule("layer", origin=origin, target=target, **_common_fields(sentence)),
            sentence,
            True,
        )
    marked, names = _read_list(match["bad"], is_name_in_code)
    if not names:
        return None
    good = match.groupdict().get("good") or ""
    after = sentence[match.end("bad") :].lower()
    if form == "import":
        check = "import"
    elif after.startswith((" type", " as a type")) or "the type" in sentence:
        check = "type"
    else:
        check = "call" if all(name.endswith(("()", "!")) for name in names) else "use"
    if form != "instead" and (alternative := _INSTEAD.search(sentence)):
        good = alternative["good"]
    instead = good.strip("`.,")
    return StatedRule(
        CodeRule(check, names=names, instead=instead, **_common_fields(sentence)), sentence, marked
    )


def _read_list(text: str, is_name_in_code: Callable[[str], bool]) -> tuple[bool, tuple[str, ...]]:
    """Whether all names of a list are surely code, and the names."""
    names, sure = [], True
    for part in re.findall(_NAME, text):
        bare = part.strip("`").rstrip(".,:;") if not part.startswith("`") else part.strip("`")
        marked = part.startswith("`") or _SHAPED.search(bare) is not None
        if is_code_name(bare) and (marked or (len(bare) > 2 and is_name_in_code(bare))):
            names.append(bare)
            sure = sure and marked
    return sure, tuple(names)


def _common_fields(sentence: str) -> dict[str, Any]:
    words = [word.lower() for word in _IN.findall(sentence)] + [sentence.split(" ")[0].lower()]
    named = tuple(dict.fromkeys(_LANGUAGES[word] for word in words if word in _LANGUAGES))
    if "typescript" in named or "javascript" in named:
        named = tuple(dict.fromkeys([*named, "typescript"]))
    return {"languages": named, "severity": "warning" if _SOFT.search(sentence) else "error"}
