"""Keys told by their provider's name, and what only looks like one."""

from __future__ import annotations

import random

from gitmem.text.redact import Redaction, redact
from tests.text.secret_samples import draw

LOWER = "abcdefghijklmnopqrstuvwxyz0123456789"
HEX = "0123456789abcdef"


def key(seed: int, alphabet: str = LOWER, size: int = 32) -> str:
    return draw(random.Random(seed), alphabet, size - 6) + "q7h2x9"


FORMS = (
    "mailgun = '{}'",
    "MAILGUN_PRIVATE={}",
    "weatherstack: {}",
    "weatherstackAccess {}",
    "amplitude_key: x\nvirustotal {}",
    "const pagerduty = \"{}\";",
    "| mapbox | {} |",
    "<id>{{algolia {}}}</id>",
    "export TWILIO_PROD ?= {}",
)  # fmt: skip


def test_a_key_after_the_name_of_its_provider_goes() -> None:
    for seed, form in enumerate(FORMS):
        secret = key(seed)
        assert secret not in redact(form.format(secret)).text, form


def test_hex_needs_an_operator() -> None:
    digest = draw(random.Random("hex"), HEX, 40)
    assert digest not in redact(f"mailgun = {digest}").text
    for text in (
        f"mailgun at {digest}",
        f"mailgun: commit {digest}",
        f"mailgun sha256={digest}",
        f"uses: mailgun/action@{digest}",
        f"mailgun image: {digest}",
    ):
        assert redact(text) == Redaction(text), text


def test_a_word_after_a_name_stays() -> None:
    for text in (
        "mailgun = configuration_for_staging_2",
        "mailgun_url = 'https://api.mailgun.net/v3/some-domain-2024-01'",
        "github.com/twilio/twilio-go v1.20.1 h1:" + draw(random.Random(5), LOWER, 44),
        "mailgun: 2024-01-01T00-00-00Z",
    ):
        assert redact(text) == Redaction(text), text


def test_a_name_that_holds_the_day_of_its_release_stays() -> None:
    forms = ("anthropic-beta: {}", 'openai model = "{}"', "cohere: {}")
    names = (
        *("fast-mode-2026-02-01", "claude-3-5-sonnet-20241022", "gpt-4o-mini-2024-07-18"),
        *("text_editor_20250728", "output-128k-2025-02-19", "o1-2024-12-17-preview"),
    )
    for text in [form.format(name) for form in forms for name in names]:
        assert redact(text) == Redaction(text), text
    # A day does not make a key a name, nor do digits that are none.
    for value in (f"{key(1)}-2026-02-01", f"2026-02-01-{key(2)}", f"fast-20269901-{key(3)}"):
        for form in forms:
            assert value not in redact(form.format(value)).text, (form, value)
    for seed, parts in enumerate(((8, 4, 4, 4, 12), (5, 5, 5, 5), (10, 8, 8))):
        rng = random.Random(seed)
        value = "-".join(draw(rng, LOWER, size - 2) + "4k" for size in parts)
        assert value not in redact(f"openai key = {value}").text, value
