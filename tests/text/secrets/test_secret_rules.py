"""Formats of providers, each drawn when a test runs, and what only resembles them."""

from __future__ import annotations

import random
import string

from gitmem.text.redact import Redaction, redact
from tests.text.secret_samples import ALNUM, HEX, draw
from tests.text.secret_table import LOWER, a_uuid

RNG = random.Random("rules")


def drawn(alphabet: str, size: int) -> str:
    return draw(RNG, alphabet, size - 4) + ("7fA2" if alphabet == ALNUM else "7f2a")


# What stands before the secret, the secret, what stands after it, and its kind.
FORMATS = (
    ("", "perm-" + drawn(ALNUM, 12) + "." + drawn(ALNUM, 10) + "." + drawn(ALNUM, 40), "", "token"),
    ("", "key_" + drawn(HEX, 64), "", "key"),
    ("", "prod:happy-animal-123|" + drawn(ALNUM, 60), "", "key"),
    ("", "K005" + drawn(ALNUM, 27), "", "key"),
    ("", "RWRTY0Iy" + drawn(ALNUM, 180) + "==", "", "key"),
    ("", "dG9rO" + drawn(ALNUM, 55), "=", "token"),
    ("", "hcaik_01" + drawn(LOWER, 56), "", "key"),
    ("", "packagist_uut_" + drawn(HEX, 64), "", "token"),
    ("https://conda.anaconda.org/t/", "ab-" + a_uuid(RNG), "/channel", "token"),
    ("", "SCW" + drawn(ALNUM, 17).upper(), "", "key"),
    ("https://api.telegram.org/bot", "155193956:AA" + drawn(ALNUM, 33), "/sendMessage", "token"),
    ("<RSAKeyValue><D>", drawn(ALNUM, 170) + "==", "</D></RSAKeyValue>", "private-key"),
    ('{"kty":"EC","crv":"P-256","d":"', drawn(ALNUM, 43), '"}', "private-key"),
    ("HMAC_KEY=", drawn(HEX, 64), "", "key"),
    ("secret_key_base: ", drawn(HEX, 128), "", "key"),
    ("CONSUL_HTTP_TOKEN=", a_uuid(RNG), "", "token"),
    ("[DEBUG] using key = ", drawn(HEX, 64), "", "key"),
    ("<id>", "{" + drawn(HEX, 40) + "}", "</id>", "secret"),
    ("<session>", "{AQAAABAAA " + drawn(ALNUM, 400) + "}", "</session>", "secret"),
    ("aeroworkflow KEY=", drawn(ALNUM, 22), "", "key"),
    ("", "vcp_" + drawn(ALNUM, 24), "", "token"),
    ("", "e2b_" + drawn(HEX, 40), "", "key"),
    ("", "acme_" + drawn(HEX, 32), "", "token"),
    ("", "dp.ct." + drawn(ALNUM, 40), "", "token"),
    ("", drawn(ALNUM, 36) + "." + drawn(ALNUM, 40) + "." + drawn(ALNUM, 60), "", "token"),
    ("", "tskey-k" + drawn(ALNUM, 12) + "CNTRL-" + drawn(ALNUM, 24), "", "key"),
    ("", "px-api-" + a_uuid(RNG), "", "key"),
    ("", "pk_123456_" + drawn(ALNUM, 32).upper(), "", "token"),
    ("key of the site ", drawn(HEX, 24) + ":" + drawn(HEX, 64), "", "key"),
    ("https://api.example.org/weather?appid=", drawn(HEX, 32), "&q=x", "key"),
    ("-Dsonar.login=", drawn(HEX, 40), "", "key"),
    ("Client('AC" + drawn(HEX, 32) + "', '", drawn(HEX, 32), "')", "key"),
    ("https://hc-ping.com/", a_uuid(RNG), "", "token"),
    ("http://blynk-cloud.com/", drawn(HEX, 32), "/get/D8", "token"),
    ("codecov -t ", a_uuid(RNG), "", "token"),
    ("wandb login ", drawn(HEX, 40), "", "token"),
    ("accounts: ['0x", drawn(HEX, 64), "']", "private-key"),
    ("https://f.azurewebsites.net/api/x?code=", drawn(ALNUM, 54) + "==", "", "key"),
    ("mnemonic = '", "army van defense carry jealous true garbage claim echo media make crunch",
     "'", "recovery-phrase"),
    ("mnemonic = '", "army van army carry van true garbage claim echo media make crunch",
     "'", "recovery-phrase"),
    ("SCRAM-SHA-256$4096:", drawn(ALNUM, 22) + "==$" + "=:".join([drawn(ALNUM, 43)] * 2),
     "=", "password-hash"),
    ("magnetic_token = ", a_uuid(RNG), "", "token"),
    ("bugsnag private-key ", a_uuid(RNG), "", "key"),
    ("blazemeter ", a_uuid(RNG), "", "key"),
    ("", "duffel" + "_live_" + drawn(ALNUM, 43), "", "token"),
    ("", "sup" + "_sk_" + drawn(string.ascii_letters, 32), "", "key"),
    ("", "tr" + "_prod_" + draw(RNG, string.ascii_letters, 20), "", "key"),
    ("", "dd" + "p_" + draw(RNG, string.ascii_letters, 36), "", "token"),
    ("", "p.eyJ" + "1Ijog" + drawn(ALNUM, 60) + "." + drawn(ALNUM, 43), "", "token"),
    ("your WEATHERBIT key is ", drawn(HEX, 32), "", "key"),
)  # fmt: skip


def test_the_whole_secret_goes_and_nothing_else() -> None:
    for before, secret, after, kind in FORMATS:
        redaction = redact(f"deploy with {before}{secret}{after} today")
        assert secret not in redaction.text, before + secret
        assert redaction.text.startswith(f"deploy with {before}"), redaction
        assert redaction.text.endswith("today")
        assert any(kind in found for found in redaction.found), (secret, redaction)


def test_what_resembles_a_format_stays() -> None:
    for text in (
        "dev:compose-up-1|prod:compose-down-2",
        "perm-check.is-on.for-everybody-who-can-log-in",
        "see /t/en-us/docs and /t/de-12/",
        "<id>{placeholder_of_the_id}</id> <username>{user_name_of_the_build}</username>",
        '{"kty": "EC", "d": "the private part, which is not shown here at all, ever"}',
        "page_token = " + a_uuid(RNG),
        "github " + drawn(HEX, 32),
        "weatherbit at " + a_uuid(RNG),
        "cache_" + drawn(HEX, 32),
        "release-" + drawn(HEX, 40),
        "main-" + drawn(HEX, 32) + ".js",
        "identified by `.ron` extension",
        "the seed phrase is a list of words that bring back what a wallet of yours once held",
        "some_module.sub_module.another_module_with_a_name.and_one_more_name_to_end_it",
        "primary key_base of the table, hmac key: none",
        "<p>" + "AAAA" * 12 + "</p>",
    ):
        assert redact(text) == Redaction(text), text


def test_a_token_of_digits_in_order_is_redacted_and_a_plain_placeholder_is_not() -> None:
    """The first looks like a token to whoever reads it; nobody takes the others for any."""
    digits, letters = string.digits, string.ascii_lowercase
    for before, token, kind in (
        ("gh" + "p_", digits + letters, "github-token"),
        ("gl" + "pat-", digits + letters[:10], "gitlab-token"),
        ("np" + "m_", "1234567890" + "abcdefgh" + letters[:18], "npm-token"),
        ("h" + "f_", digits + letters[:24], "huggingface-token"),
    ):
        assert redact(f"use {before}{token} now").text == f"use [redacted:{kind}] now"
    for harmless in (
        *("gh" + "p_" + "x" * 36, "gh" + "p_" + "EXAMPLE" + digits + letters[:19]),
        *("gh" + "p_<token>", "np" + "m_" + "your_token_" + digits, "gh" + "p_" + "0" * 36),
        f'alphabet = "{digits}{letters.upper()}{letters}"',
        f"key = {digits}abcdef{digits}abcdef",
    ):
        assert redact(harmless).text == harmless
