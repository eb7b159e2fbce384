"""A rule: what the code of a project must not do, as a JSON object.

``check`` says what is looked at, the other keys what is wrong with it and where that counts:

- ``call``, ``name``, ``type``, ``import``: ``names`` that are forbidden (``arguments``, a regular
  expression, narrows a call);
- ``use``: any use of ``names``; the import in a file stands for the other uses in it;
- ``await``: every await; ``handler``: every error handler that does nothing;
- ``layer``: files below the folder ``from`` must not import anything below ``to``;
- ``naming``: definitions ``of`` these kinds follow ``style``, or match ``regex``;
- ``text``: no ``in`` (string, comment, number, or a type of node) matches ``regex``;
- ``companion``: a caller of one of ``names`` calls one of ``needs``, too, in the same ``scope``.

All checks have: ``languages``, ``paths``, ``except`` (globs), ``inside`` and ``outside``
(enclosing constructs), ``unless`` (names that excuse it when used within three lines), ``allowed``
(globs of names), ``instead`` (what to use) and ``severity``.
"""

from __future__ import annotations

import json
from typing import Any

from gitmem import languages
from gitmem.errors import InvalidInput
from gitmem.indexing.syntax import code_facts, grammars
from gitmem.indexing.syntax.fact_nodes import CONTEXT_NAMES
from gitmem.model.frozen import dataclass
from gitmem.patterns import name_match, safe_regex
from gitmem.patterns.name_match import STYLES
from gitmem.text import globs

# Check -> its required keys, and its optional ones.
CHECKS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "call": (("names",), ("arguments",)),
    "name": (("names",), ()),
    "use": (("names",), ()),
    "type": (("names",), ()),
    "import": (("names",), ()),
    "await": ((), ()),
    "handler": ((), ()),
    "layer": (("from", "to"), ()),
    "naming": (("of",), ("style", "regex")),
    "text": (("in", "regex"), ()),
    "companion": (("names", "needs"), ("scope",)),
}
EVERYWHERE = (
    "languages", "paths", "except", "inside", "outside", "unless", "allowed", "instead", "severity",
)  # fmt: skip
KINDS = ("function", "class", "constant", "variable", "file")
LITERALS = ("string", "comment", "number")
SCOPES = ("function", "file")
SEVERITIES = ("error", "warning")
_LISTS = ("names", "needs", "of", "languages", "paths", "except", "inside", "outside", "unless",
          "allowed")  # fmt: skip
LONGEST = 8000
_STYLED = {"class": "classes"}


@dataclass(frozen=True, slots=True)
class CodeRule:
    """A rule for the code of a project, parsed from JSON; fields that it does not have are empty.

    ``check`` is what is looked at, such as ``call``; ``names`` are forbidden there, or need one of
    ``needs`` beside them. ``languages``, ``paths`` and ``excepted`` (globs) say in which files,
    ``inside`` and ``outside`` in which constructs it holds. ``unless`` (names nearby) and
    ``allowed`` excuse a line; ``instead`` is what to use. Files in the folder ``origin`` must not
    import those in ``target``; definitions ``of`` some kinds follow ``style`` or ``regex``, and no
    ``literal`` matches ``regex``.
    """

    check: str
    names: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    arguments: str = ""
    regex: str = ""
    style: str = ""
    of: tuple[str, ...] = ()
    literal: str = ""
    origin: str = ""
    target: str = ""
    scope: str = "function"
    languages: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    excepted: tuple[str, ...] = ()
    inside: tuple[str, ...] = ()
    outside: tuple[str, ...] = ()
    unless: tuple[str, ...] = ()
    allowed: tuple[str, ...] = ()
    instead: str = ""
    severity: str = "error"

    @property
    def syntax_node_type(self) -> str:
        """The type of syntax node that a ``text`` rule is about; empty for most rules."""
        return "" if self.literal in LITERALS else self.literal

    @property
    def describe_literal_kind(self) -> str:
        """What a ``text`` rule is about, in words with an article, such as ``a string``."""
        words = self.literal.replace("_", " ")
        return f"{'an' if words[:1] in 'aeiou' else 'a'} {words}"

    def applies_to_file(self, path: str, language: str) -> bool:
        """Whether the rule applies to a file with this path and language."""
        if self.languages and language not in self.languages:
            return False
        if self.paths and not any(globs.path_matches_glob(path, glob) for glob in self.paths):
            return False
        return not any(globs.path_matches_glob(path, glob) for glob in self.excepted)


# Key of the JSON -> the field, where they differ.
_FIELDS = {"in": "literal", "from": "origin", "to": "target", "except": "excepted"}


def parse_rule_json(text: str) -> CodeRule:
    """The CodeRule in a JSON text. Raises InvalidInput, saying what is wrong."""
    if len(text) > LONGEST:
        raise InvalidInput(f"A rule has at most {LONGEST:,} characters.", "Split it.")
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidInput(
            f"The rule is not JSON: {error}.", 'Such as {"check": "call", "names": ["print"]}.'
        ) from error
    return rule_from_json(value)


def rule_from_json(data: object) -> CodeRule:
    """The CodeRule in a parsed JSON value. Raises InvalidInput, saying what is wrong."""
    if not isinstance(data, dict):
        raise InvalidInput(
            "A rule is a JSON object.", 'Such as {"check": "call", "names": ["print"]}.'
        )
    check = str(data.get("check"))
    if check not in CHECKS:
        raise InvalidInput(
            f"Rules have no check {check[:40]!r}.", f"Use one of: {', '.join(CHECKS)}."
        )
    needed, more = CHECKS[check]
    _refuse_keys(check, data, needed, more)
    fields: dict[str, Any] = {}
    for key, value in data.items():
        fields[str(_FIELDS.get(key, key))] = (
            _list(key, value) if key in _LISTS else _text(key, value)
        )
    rule = CodeRule(**fields)
    _refuse_values(rule)
    return rule


def rule_as_json(rule: CodeRule) -> dict[str, object]:
    """A rule as a dict that can be written as JSON, without empty keys."""
    back = {field: key for key, field in _FIELDS.items()}
    plain = CodeRule(rule.check)
    written: dict[str, object] = {"check": rule.check}
    for name in CodeRule.__slots__:
        value = getattr(rule, name)
        if name != "check" and value != getattr(plain, name):
            written[back.get(name, name)] = list(value) if isinstance(value, tuple) else value
    return written


def _refuse_keys(
    check: str, value: dict[str, Any], needed: tuple[str, ...], more: tuple[str, ...]
) -> None:
    for key in needed:
        if not value.get(key):
            raise InvalidInput(
                f"A rule that checks {check} needs {key!r}.", f"It has {', '.join(needed)}."
            )
    keys = ("check", *needed, *more, *EVERYWHERE)
    for key in value:
        if key not in keys:
            raise InvalidInput(
                f"A rule that checks {check} has no {str(key)[:40]!r}.",
                f"It may have {', '.join(keys[1:])}.",
            )
    if check == "naming" and bool(value.get("style")) == bool(value.get("regex")):
        raise InvalidInput(
            "A rule about names needs either 'style' or 'regex'.",
            f"Styles are {', '.join(STYLES)}.",
        )


def _list(key: str, value: object) -> tuple[str, ...]:
    given = [value] if isinstance(value, str) else value
    if not isinstance(given, list) or not all(isinstance(text, str) and text for text in given):
        raise InvalidInput(
            f"{key!r} of a rule must be a list of strings.", f'Such as "{key}": ["a"].'
        )
    if len(given) > name_match.MAX_NAMES:
        raise InvalidInput(
            f"{key!r} of a rule has at most {name_match.MAX_NAMES} entries.",
            "Make two rules of it.",
        )
    return tuple(dict.fromkeys(text.strip() for text in given))


def _text(key: str, value: object) -> str:
    if not isinstance(value, str) or len(value) > 1000 or "\0" in value:
        raise InvalidInput(
            f"{key!r} of a rule must be a string of at most 1,000 characters.",
            f'Such as "{key}": "a".',
        )
    return value.strip()


def _refuse_values(rule: CodeRule) -> None:
    for name in (*rule.names, *rule.needs, *rule.unless):
        if rule.check != "import" and not name_match.is_code_name(name):
            raise InvalidInput(
                f"{name[:60]!r} is not a name in code.",
                "Names look like print, console.log, .unwrap, println! or `new Date`.",
            )
    for text in (rule.regex, rule.arguments):
        if text:
            safe_regex.compile_safe_regex(text)
    for key, values, allowed in (
        ("style", [rule.style] if rule.style else [], tuple(STYLES)),
        ("of", rule.of, KINDS),
        ("scope", [rule.scope], SCOPES),
        ("severity", [rule.severity], SEVERITIES),
        ("inside", (*rule.inside, *rule.outside), tuple(sorted(CONTEXT_NAMES))),
    ):
        for value in values:
            if value not in allowed:
                raise InvalidInput(
                    f"`{key}` of a rule cannot be {str(value)[:40]!r}.",
                    f"Use one of: {', '.join(allowed)}.",
                )
    for glob in (*rule.paths, *rule.excepted):
        if globs.is_malformed_glob(glob):
            raise InvalidInput(f"The glob {glob[:60]!r} matches nothing.", "Close its brackets.")
    _refuse_languages(rule)


def _refuse_languages(rule: CodeRule) -> None:
    for language in rule.languages:
        if language not in languages.LANGUAGES:
            close = ", ".join(languages.similar_names(language)) or "python, go, rust"
            raise InvalidInput(f"There is no language {language[:40]!r}.", f"Did you mean {close}?")
        if not grammars.is_grammar_available(language):
            raise InvalidInput(
                f"gitmem cannot parse files of {language} in this installation.",
                "Leave that language out.",
            )
    if not rule.syntax_node_type:
        return
    if len(rule.languages) != 1:
        raise InvalidInput(
            f"A rule about the syntax node {rule.syntax_node_type[:40]!r} "
            "needs exactly one language.",
            f"Name one in `languages`, or give `in` what all have: {', '.join(LITERALS)}.",
        )
    if not code_facts.node_type_exists(rule.languages[0], rule.syntax_node_type):
        raise InvalidInput(
            f"The grammar of {rule.languages[0]} has no node {rule.syntax_node_type[:40]!r}.",
            f"Give `in` one of its nodes, or {', '.join(LITERALS)}, which every language has.",
        )


def rule_as_sentence(rule: CodeRule) -> str:
    """The rule as a sentence without a full stop: what is forbidden where."""
    instead = f"; use {rule.instead}" if rule.instead else ""
    return "".join([_describe_prohibition(rule), _describe_place(rule), instead])


def _describe_prohibition(rule: CodeRule) -> str:
    names = " or ".join(rule.names)
    kinds = " and ".join(_STYLED.get(kind, f"{kind}s") for kind in rule.of)
    return {
        "call": f"never call {names}",
        "name": f"never use {names}",
        "use": f"never use {names}",
        "type": f"never use the type {names}",
        "import": f"never import {names}",
        "await": "never await",
        "handler": "never catch an error and do nothing",
        "layer": f"{rule.origin} must not import {rule.target}",
        "naming": f"{kinds} are named in {rule.style or rule.regex}",
        "text": f"never {rule.describe_literal_kind} that matches {rule.regex}",
        "companion": f"who calls {names} calls {' or '.join(rule.needs)} in the same {rule.scope}",
    }[rule.check]


def _describe_place(rule: CodeRule) -> str:
    parts = [f" with {rule.arguments}"] if rule.arguments else []
    parts += [f" inside of {' or '.join(rule.inside)}"] if rule.inside else []
    parts += [f" outside of {' and '.join(rule.outside)}"] if rule.outside else []
    parts += [f" in {', '.join(rule.languages)}"] if rule.languages else []
    parts += [f" below {', '.join(rule.paths)}"] if rule.paths else []
    parts += [f" but for {', '.join(rule.excepted)}"] if rule.excepted else []
    return "".join(parts)
