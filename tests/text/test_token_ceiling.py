"""What a text costs at most: checked against counts that real tokenizers gave."""

from __future__ import annotations

import base64
import hashlib

from hypothesis import given
from hypothesis import strategies as st

from gitmem.text.token_ceiling import max_token_count
from gitmem.text.tokens import estimate_tokens

HASHES = "\n".join(hashlib.sha256(str(n).encode()).hexdigest() for n in range(20))
BASE64 = "\n".join(
    base64.b64encode(hashlib.sha512(str(n).encode()).digest()).decode() for n in range(20)
)
PROSE = "The index is made again whenever a commit changes what was indexed before. " * 10
CODE = "def load_config(path: str) -> Config:\n    return Config(json.loads(read(path)))\n" * 10
# Text -> tokens, the dearer of cl100k_base and o200k_base.
COUNTED = {
    HASHES: 757,
    BASE64: 1265,
    PROSE: 141,
    CODE: 180,
    "[1, 2, 3, 44, 555, 6666]" * 20: 361,
    "x = '\\u00e9\\u00e8' # \U0001f600\U0001f680" * 10: 170,
    "日本語のテキストを数える" * 20: 240,
    "Привет, как дела сегодня" * 20: 220,
    "THE_QUICK_BROWN_FOX = QWRTPSDFGH" * 10: 149,
    "zqxvbn wrtplk mnbvcx ghjklf" * 10: 150,
}


def test_no_text_costs_more_than_its_ceiling() -> None:
    for text, tokens in COUNTED.items():
        assert max_token_count(text) >= tokens, text[:40]


def test_ordinary_text_is_not_counted_at_twice_its_cost() -> None:
    for text in (PROSE, CODE):
        assert max_token_count(text) <= 1.65 * COUNTED[text], text[:40]


def test_a_hash_costs_more_than_the_estimate_of_words_says() -> None:
    assert max_token_count(BASE64) > 1.2 * estimate_tokens(BASE64)


def test_control_characters_and_a_blank_cost_something() -> None:
    for text, least in (("\x08", 1), ("\x00" * 20, 20), (" ", 1), ("\x7f\x1b" * 5, 10)):
        assert max_token_count(text) >= least, repr(text)


@given(st.text(max_size=300), st.text(max_size=300))
def test_lines_cost_about_as_much_together_as_apart(one: str, other: str) -> None:
    together = max_token_count(f"{one}\n{other}")
    assert together <= max_token_count(one) + max_token_count(other) + 2
    assert (max_token_count(one) == 0) is (one == "")
