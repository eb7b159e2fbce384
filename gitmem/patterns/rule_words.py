"""A rule in words, for people: what is forbidden where, and what to use instead. Pure."""

from __future__ import annotations

from gitmem.patterns.rule import Rule
from gitmem.patterns.rule import facts as facts

_STYLED = {"class": "classes"}


def told(rule: Rule) -> str:
    """One sentence without a full stop."""
    return "".join([_forbidden(rule), _where(rule), _instead(rule)])


def _forbidden(rule: Rule) -> str:
    names = " or ".join(rule.names)
    return {
        "call": f"never call {names}",
        "name": f"never use {names}",
        "use": f"never use {names}",
        "type": f"never use the type {names}",
        "import": f"never import {names}",
        "await": "never await",
        "handler": "never catch an error and do nothing",
        "layer": f"{rule.origin} must not import {rule.target}",
        "naming": f"{_kinds(rule)} are named in {rule.style or rule.regex}",
        "text": f"never {rule.literal_in_words} that matches {rule.regex}",
        "companion": f"who calls {names} calls {' or '.join(rule.needs)} in the same {rule.scope}",
    }[rule.check]


def _kinds(rule: Rule) -> str:
    return " and ".join(_STYLED.get(kind, f"{kind}s") for kind in rule.of)


def _where(rule: Rule) -> str:
    parts = [f" with {rule.arguments}"] if rule.arguments else []
    parts += [f" inside of {' or '.join(rule.inside)}"] if rule.inside else []
    parts += [f" outside of {' and '.join(rule.outside)}"] if rule.outside else []
    parts += [f" in {', '.join(rule.languages)}"] if rule.languages else []
    parts += [f" below {', '.join(rule.paths)}"] if rule.paths else []
    parts += [f" but for {', '.join(rule.excepted)}"] if rule.excepted else []
    return "".join(parts)


def _instead(rule: Rule) -> str:
    return f"; use {rule.instead}" if rule.instead else ""
