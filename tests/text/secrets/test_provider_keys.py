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
