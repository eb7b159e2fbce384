"""The secret redactor: what it finds, what it leaves alone, what it costs (CT-27, CE-17)."""

from __future__ import annotations

import base64
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitmem.errors import InvalidInput
from gitmem.text.redact import Redaction, redact, redact_value
from gitmem.text.secrets.secret_rules import RULES
from tests.support.tables import table
from tests.support.timing import assert_linear, seconds
from tests.text.secret_samples import ALNUM, FORMATS, PRIVATE, clean_lines, draw

EACH = 50


def misses(name: str) -> list[str]:
    rng = random.Random(f"redact {name}")
    made = [FORMATS[name](rng) for _ in range(EACH)]
    return [line for line, secret in made if secret in redact(line).text]


def test_generated_secrets_of_many_formats_are_found() -> None:
    missed = {name: found for name in FORMATS if (found := misses(name))}
    total = len(FORMATS) * EACH
    recall = 1 - sum(map(len, missed.values())) / total
    print(f"\nrecall {recall:.2%} of {total} secrets in {len(FORMATS)} formats")
    print({name: (len(lines), lines[0][:90]) for name, lines in missed.items()})
    assert len(FORMATS) >= 30
    assert recall >= 0.99, missed
    assert all(len(lines) <= EACH // 10 for lines in missed.values())


def test_harmless_look_alikes_are_left_alone() -> None:
    lines = clean_lines(random.Random("clean"), 4000)
    changed = {line: result.text for line in lines if (result := redact(line)).found}
    assert not changed


def test_the_kind_stays_visible_and_the_rest_unchanged() -> None:
    token = "gh" + "p_" + draw(random.Random(1), ALNUM, 36)
    result = redact(f"push with {token}, then\npassword = 'hunter2'!")
    assert (
        result.text == "push with [redacted:github-token], then\npassword = '[redacted:password]'!"
    )
    assert result.found == ("github-token", "password")


def test_a_url_keeps_its_user_and_host() -> None:
    assert (
        redact("see https://bob:s3cr3t9@host/x").text
        == "see https://bob:[redacted:url-password]@host/x"
    )


def test_a_secret_with_a_format_wins_over_its_label() -> None:
    token = "gh" + "p_" + draw(random.Random(2), ALNUM, 36)
    assert redact(f'password: "{token}"').found == ("github-token",)


def test_kinds_repeat_in_the_order_of_the_text() -> None:
    rng = random.Random(3)
    token = "np" + "m_" + draw(rng, ALNUM, 36)
    key = "AK" + "IA" + draw(rng, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 16)
    found = redact(f"{token} {key} {token}").found
    assert found == ("npm-token", "aws-access-key-id", "npm-token")


def test_secrets_glued_together_all_go() -> None:
    """Each is a word of its own only when the one before it is gone."""
    rng = random.Random(8)
    names = (*["gitlab-routable"] * 3, "github-classic")
    glued = "".join(FORMATS[name](rng)[1] for name in names)
    result = redact(glued)
    assert result.found == (*["gitlab-token"] * 3, "github-token")
    assert result.text == "".join(f"[redacted:{kind}]" for kind in result.found)


def test_of_overlapping_secrets_the_format_gives_the_kind() -> None:
    """Whichever begins first: what is listed first knows best."""
    rng = random.Random(9)
    token = "gh" + "p_" + draw(rng, ALNUM, 36)
    body = draw(rng, ALNUM, 64)
    block = f"-----BEGIN EC {PRIVATE}-----\nComment: password=k9#xZ2v\n{body}\n"
    for text, kind, left in (
        (f'password = "+{token}+"', "github-token", 'password = "[redacted:github-token]"'),
        (block, "private-key", "[redacted:private-key]\n"),
    ):
        result = redact(text)
        assert (result.text, result.found) == (left, (kind,))


def test_a_placeholder_is_no_label_for_what_follows() -> None:
    """Neither one of this run nor one that stood there before."""
    rng = random.Random(10)
    link, value = "https://ci.example.org/Run/a1b2c3d4e5f6", "8f3a9c2b7e1d"
    token, key = FORMATS["github-classic"](rng)[1], draw(rng, ALNUM, 64)
    for message in (link, value, f"'{value}'"):
        for kind in ("private-key", "token", "password", "google-oauth-secret"):
            for joint in (":", ": ", " = ", "="):
                text = f"[redacted:{kind}]{joint}{message}"
                assert redact(text) == Redaction(text)
        assert redact(f"{token}: {message}").text == f"[redacted:github-token]: {message}"
        block = f"-----BEGIN EC {PRIVATE}-----\n{key}\n-----END EC {PRIVATE}-----"
        assert redact(f"{block}: {message}").text == f"[redacted:private-key]: {message}"
    for label in ("env[api_key]", "api_key]", "secret_key"):
        assert redact(f"[redacted:token] {label} = '{value}'").found


def test_a_quoted_password_counts_from_six_characters_on() -> None:
    for value, hidden in (("k9#xZ", False), ("k9#xZ2", True), ("k9#xZ2v", True)):
        for text in (f'password = "{value}"', f"DB_PASSWORD={value}"):
            left = text.replace(value, "[redacted:password]") if hidden else text
            assert redact(text).text == left


@table("joint", ["\n", "\\n", "\n+", "\n> ", '",\n"', "\r\n"])
@table("ending", ["", "-----END EC " + PRIVATE + "-----"])
def test_a_key_block_goes_whole_even_when_it_is_cut(joint: str, ending: str) -> None:
    rng = random.Random(4)
    lines = [draw(rng, ALNUM, 64) for _ in range(5)] + [draw(rng, ALNUM, 9) + "=="]
    block = joint.join([f"-----BEGIN EC {PRIVATE}-----", *lines, *([ending] if ending else [])])
    result = redact(f"key:\n{block}\n\nThis prose stays.")
    assert not any(line in result.text for line in lines)
    assert result.text.startswith("key:\n[redacted:private-key]")
    assert result.text.endswith("\n\nThis prose stays.")
    assert result.found == ("private-key",)


def test_a_label_inside_an_escaped_json_string_counts() -> None:
    text = r'{"body": "{\"password\": \"hunter2x\"}"}'
    assert redact(text).text == text.replace("hunter2x", "[redacted:password]")


def test_a_word_that_decodes_to_a_colon_is_no_credential() -> None:
    for text in ("### pypdf - Basic Operations", "Basic Operations of the shop"):
        assert redact(text).text == text
    # No user, and a token for a password: that is one.
    token = base64.b64encode(b":tk-9f3Kq81xZ").decode()
    assert token not in redact(f"Authorization: Basic {token}").text


@table("odd", ["é", "漢", "a", "ab", "abc"])
def test_what_only_looks_encoded_is_left_alone(odd: str) -> None:
    body = "Z9" * 12
    for text in (
        f"eyJ{odd}{body}.{body}.{body}",
        f"Basic {body}{odd}",
        f"M{body[:23]}{odd}.abcdef.{body}{body}",
    ):
        assert redact(text).text == text


def test_a_very_long_bare_value_goes_whole() -> None:
    secret = draw(random.Random(7), ALNUM, 3000)
    assert redact(f"ACCESS_TOKEN={secret} x").text == "ACCESS_TOKEN=[redacted:token] x"
    assert redact(f'access_token="{secret}"').text == 'access_token="[redacted:token]"'


def test_a_public_key_and_a_certificate_stay() -> None:
    body = draw(random.Random(5), ALNUM, 64)
    for label in ("PUBLIC KEY", "CERTIFICATE", "PGP PUBLIC KEY BLOCK"):
        text = f"-----BEGIN {label}-----\n{body}\n-----END {label}-----"
        assert redact(text).text == text


def hostile_text() -> st.SearchStrategy[str]:
    rng = random.Random(6)
    secrets = [make(rng)[0] for make in FORMATS.values()]
    joints = [
        "",
        " ",
        "\n",
        "=",
        "password=",
        "'",
        '"',
        ":",
        "@",
        "://",
        "-",
        "_",
        "[redacted:x]",
        "İ",
    ]
    return st.lists(st.sampled_from(secrets + joints * 5), max_size=8).map("".join)


@given(hostile_text() | st.text(max_size=100))
def test_redacting_twice_changes_nothing_more(text: str) -> None:
    once = redact(text)
    again = redact(once.text)
    assert (again.text, again.found) == (once.text, ())


@given(hostile_text())
def test_the_number_of_placeholders_is_the_number_of_findings(text: str) -> None:
    result = redact(text)
    assert bool(result.found) == (result.text != text)
    for kind in result.found:
        assert f"[redacted:{kind}]" in result.text


@given(st.text("abcdefghijklmnopqrstuvwxyzäöüßİ漢字 .,\n", max_size=300))
def test_prose_without_digits_or_marks_is_never_changed(text: str) -> None:
    assert redact(text).text == text


UNITS = (
    *("a", "-", ".", "=", "://", "://a:", "://a:b@", "password", "password=", "password=a1b2c3 "),
    *("token: ", "secret secret ", "key-", "sk-", "sk-a", "SK", "ghp_", "eyJ", "eyJhbGci.", "a.b-"),
    *(
        "MNO",
        "M" * 24 + ".",
        "Basic ",
        "bearer a1",
        "basic aaaa",
        "-----BEGIN " + PRIVATE + "-----",
    ),
    *("-----BEGIN " + PRIVATE + "-----\nAAAABBBBCCCCDDDD ", "0123456789:AA", "1//0", "gl", "xoxb-"),
    *("_auth=", "secret_key=", "password='", "pass pass_", "the token is ", "public api key: "),
    *("--password ", "login a password ", "a@", "\\n", "'\"", "api_key='", "sig=", "?sig=aaaa"),
    *("AccountKey=", "dp.st.", "a1" * 20 + "@", "hooks.slack.com/services/", "12345:", "%", "Q~"),
)


@table("unit", UNITS)
def test_a_hostile_line_costs_time_in_proportion_to_its_length(unit: str) -> None:
    assert_linear(lambda size: redact(unit * (size // len(unit))), 100_000)


def test_clean_text_is_not_read_over_and_over() -> None:
    """Usually 80 times the time of splitting it into words: half of these lines hold a digest,
    before which a provider's name is looked for. Rates are measured by ``tests/bench``.
    """
    lines = clean_lines(random.Random("speed"), 1_500)
    redacting = seconds(lambda: [redact(line) for line in lines])
    # Many times: what takes a millisecond is measured on a busy machine by chance.
    splitting = seconds(lambda: [line.split() for _ in range(50) for line in lines]) / 50
    print(f"\n{len(lines) / redacting:,.0f} clean lines/s, {redacting / splitting:.0f} times")
    assert redacting < 300 * splitting


def test_a_value_is_walked_and_rebuilt() -> None:
    value = {
        "note": "the password is hunter2x",
        "count": 3,
        "list": [None, True, ("pwd: s3cr3t99",)],
        "headers": {"Authorization": "whatever", "X-Api-Key": "plain", "Accept": "text"},
    }
    result, found = redact_value(value)
    assert result == {
        "note": "the password is [redacted:password]",
        "count": 3,
        "list": [None, True, ("pwd: [redacted:password]",)],
        "headers": {
            "Authorization": "[redacted:secret]",
            "X-Api-Key": "[redacted:api-key]",
            "Accept": "text",
        },
    }
    assert found == ("password", "password", "secret", "api-key")
    assert value["note"] == "the password is hunter2x"


@table("key", ["password", "db_password", "API-Key", "clientSecret", "Set-Cookie", "token"])
def test_a_sensitive_key_hides_its_value_and_all_below(key: str) -> None:
    result, found = redact_value({key: ["one", {"deeper": "two"}]})
    assert "one" not in str(result)
    assert "two" not in str(result)
    assert len(found) == 2


@table(
    "key",
    [
        *("credentials", "credentials2", "db_creds", "passwords", "passphrases", "api_keys"),
        *("secrets", "client_secrets", "tokens", "pass", "auth", "pw"),
    ],
)
def test_the_plural_the_number_and_the_short_form_of_a_sensitive_key_count(key: str) -> None:
    for value in ("hunter2pass", ["hunter2pass"], {"prod": {"deep": "hunter2pass"}}):
        assert "hunter2pass" not in str(redact_value({key: value})[0])


@table("key", ["secrets", "tokens", "pass", "auth", "pw", "Tokens"])
def test_under_a_key_that_may_count_things_only_a_password_goes(key: str) -> None:
    for value in ("4096", "inherit", "yes", "basic", "2 of 3 passed", "", "oauth2", 12, None):
        assert redact_value({key: value}) == ({key: value}, ())


def test_a_number_under_the_key_of_a_password_goes() -> None:
    assert redact_value({"password": 918273, "port": 918273})[0] == {
        "password": "[redacted:password]",
        "port": 918273,
    }
    assert redact_value({"password": True, "token": 4096})[1] == ()


def test_a_password_that_ends_in_the_word_goes_and_a_name_stays() -> None:
    for text in ("password=hunter2pass", "Password: hunter2pass", '{"credentials": "hunter2pass"}'):
        assert "hunter2pass" not in redact(text).text
    for text in (
        *("password=user2pass", "password=sha256password", "password=oauth2token"),
        *("credentials: 'same-origin'", 'credentials: "aws-prod-2"', "credentials=creds2pass"),
    ):
        assert redact(text) == Redaction(text)


def test_a_weak_value_of_a_secret_goes_and_a_digest_stays() -> None:
    """CT-27."""
    for text in ("secret=hunter2pass", 'client_secret: "s3cr3tly"', "APP_SECRET='tr0ub4dor'"):
        assert redact(text).found and "[redacted:" in redact(text).text, text
    digest = "sha384-9qIZekWUyjCyDIf2YK1FRoKiPJq4PHt6tp/ulnuuyRBvazd0hG7pWbE99zvwSznI"
    for text in (
        *(f'"sri": "{digest}"', f'"x": "{digest}"', "secret=config.secret_name"),
        *("secret = self.secret2", "secret: oauth2", "secret=None", "secret = get_secret()"),
    ):
        assert redact(text) == Redaction(text)


def test_a_key_of_one_letter_goes_and_a_mask_stays() -> None:
    prefix = "gh" + "p_"
    assert redact(f"use {prefix + 'k' * 36}").found == ("github-token",)
    for letter in "xX0*.":
        assert redact(f"use {prefix + letter * 36}").found == ()


def test_a_stand_in_under_a_sensitive_key_stays() -> None:
    references = ("$TOKEN", "${TOKEN}", "<token>", "{{ token }}", "%DB_PASSWORD%")
    for value in ("", "***", "xxxx", "...", "[redacted:token]", *references):
        assert redact_value({"token": value}) == ({"token": value}, ())


@table("key", ["next_page_token", "tokens", "key", "secretary", "max_tokens", "author"])
def test_an_ordinary_key_does_not_hide_its_value(key: str) -> None:
    assert redact_value({key: "plain"}) == ({key: "plain"}, ())


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | hostile_text(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["a", "token", "password"]), inner, max_size=2)
    ),
    max_leaves=6,
)


@given(JSON)
def test_redacting_a_value_twice_changes_nothing_more(value: object) -> None:
    once, _ = redact_value(value)
    assert redact_value(once) == (once, ())


def test_a_bottomless_value_is_refused() -> None:
    value: list[object] = []
    value.append(value)
    with pytest.raises(InvalidInput, match="nested"):
        redact_value(value)


def test_every_rule_has_lower_case_triggers() -> None:
    for rule in RULES:
        assert rule.triggers
        assert all(trigger == trigger.lower() for trigger in rule.triggers)
