"""The tables of secret rules at work, and keys that only their provider's name gives away."""

from __future__ import annotations

import functools
import re

from gitmem.text.secret_checks import Rule, lettered, looks_random
from gitmem.text.secret_contexts import CONTEXTS
from gitmem.text.secret_rules import NOT_INSIDE_A_WORD, RULES

Span = tuple[int, int, str]
Table = list[tuple[str, list[tuple[str, int, Rule]]]]

# Providers whose keys are mere letters and digits: their name is in the label.
_PROVIDERS = (
    *("adafruit", "algolia", "airtable", "alibaba", "asana", "beamer", "bitbucket", "bittrex"),
    *(
        "cloudflare",
        "codecov",
        "codeclimate",
        "cc_test_reporter_id",
        "cohere",
        "coinbase",
        "confluent",
    ),
    *("contentful", "datadog", "discord", "drone", "dropbox", "etsy", "facebook", "fastly"),
    *("finicity", "finnhub", "flickr", "freshbooks", "gitter", "gocardless", "heroku", "hubspot"),
    *(
        "intercom",
        "jenkins",
        "jfrog",
        "artifactory",
        "kraken",
        "kucoin",
        "launchdarkly",
        "linkedin",
    ),
    *("linear", "looker", "mailchimp", "mailgun", "mapbox", "mattermost", "meraki", "messagebird"),
    *("netlify", "newrelic", "new_relic", "nytimes", "okta", "plaid", "postmark", "rapidapi"),
    *("sendbird", "sentry", "snyk", "sonar", "squarespace", "sumo", "travis", "twitch", "twitter"),
    *(
        "zendesk",
        "pagerduty",
        "pinecone",
        "mistral",
        "wandb",
        "ngrok",
        "paypal",
        "stripe",
        "twilio",
    ),
    *("azure", "ado_pat", "openai", "gemini", "elastic", "sauce", "browserstack", "opsgenie"),
)
_WITH_UUIDS = (
    "heroku",
    "hubspot",
    "jenkins",
    "kucoin",
    "postmark",
    "sendbird",
    "snyk",
    "squarespace",
)
_ASSIGNED = (
    r"(?:(?!sha|rev\b|commit|hash|digest|check|image|version|url|public|_id\b)[\w .-]){0,30}"
    r"[\"'`]?\]?\s{0,4}(?:=>|:=|[:=])\s{0,4}[\"'`]?([\w+/=-]{20,100}+)(?![\w.(/])"
)
_NAME = re.compile(r"[A-Za-z]+(?:[_-][A-Za-z]*\d{0,3})+")
_UUID = re.compile(r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}")


_MARKS = ("_", "-", ".", ":", "$", "/", " ")


def find_formats(text: str, low: str) -> list[Span]:
    """Spans of tokens with a format. ``low`` is ``text`` in lower case and just as long."""
    return _find(_formats(), text, low)


def find_in_context(text: str, low: str) -> list[Span]:
    """Spans of what stands in a header, an address, a command; ``low`` as above."""
    return _find(_contexts(), text, low)


def _find(table: Table, text: str, low: str) -> list[Span]:
    """What the rules name, in the order of the rules."""
    found: list[tuple[int, Span]] = []
    for mark, listed in table:
        if mark in low:
            for trigger, place, rule in listed:
                if trigger in low:
                    found += [(place, span) for span in _matches(rule, text)]
    return [span for _, span in sorted(set(found))] if found else []


@functools.cache
def _formats() -> Table:
    return _by_mark(RULES)


@functools.cache
def _contexts() -> Table:
    return _by_mark(CONTEXTS)


def _by_mark(rules: tuple[Rule, ...]) -> Table:
    """The triggers by a mark that each holds: a text without the mark is spared all of them."""
    groups: Table = [(mark, []) for mark in (*_MARKS, "")]
    for place, rule in enumerate(rules):
        for trigger in rule.triggers:
            next(listed for mark, listed in groups if mark in trigger).append(
                (trigger, place, rule)
            )
    return [(mark, listed) for mark, listed in groups if listed]


@functools.cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """The rule's pattern, with its literal beginning before the look-behind.

    The search for a literal is many times faster than trying a look-behind at every character.
    """
    behind = NOT_INSIDE_A_WORD
    if pattern.startswith(behind):
        rest = pattern[len(behind) :]
        literal = re.match(r"[\w-]*", rest)
        if literal and literal[0]:
            pattern = f"{literal[0]}{behind[:-1]}{literal[0]}){rest[literal.end() :]}"
    return re.compile(pattern)


def _matches(rule: Rule, text: str) -> list[Span]:
    pattern = _compiled(rule.pattern)
    group = 1 if pattern.groups else 0
    accept = rule.accept or looks_random
    return [
        (*match.span(group), rule.kind) for match in pattern.finditer(text) if accept(match[group])
    ]


def find_named(text: str, low: str) -> list[Span]:
    """Spans of keys that are told by their provider's name in the label."""
    spans: list[Span] = []
    if not _assigned_run().search(text):
        return spans
    for name in _PROVIDERS:
        if name in low:
            spans += _named(name, text, low)
    return spans


def _named(name: str, text: str, low: str) -> list[Span]:
    spans: list[Span] = []
    at = low.find(name)
    while at >= 0:
        match = _compiled("(?i)" + _ASSIGNED).match(text, at + len(name))
        if match and _is_key(match[1], name):
            spans.append((*match.span(1), "api-key"))
        at = low.find(name, at + len(name))
    return spans


@functools.cache
def _assigned_run() -> re.Pattern[str]:
    return re.compile(r"[:=>]\s{0,4}[\"'`]?[\w+/=-]{20}")


def _is_key(value: str, name: str) -> bool:
    if _UUID.fullmatch(value):
        return name in _WITH_UUIDS
    return lettered(value) and _NAME.fullmatch(value) is None
