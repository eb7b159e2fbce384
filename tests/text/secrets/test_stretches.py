"""Long texts are read where a secret can stand: the same is found as when everything is read."""

from __future__ import annotations

import random
from collections.abc import Iterator
from re import _constants as code  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from gitmem.text import redact as redact_module
from gitmem.text.redact import redact
from gitmem.text.secrets import disguised_secrets, secret_matching, stretches
from gitmem.text.secrets.secret_checks import Rule, looks_random
from gitmem.text.secrets.secret_contexts import CONTEXTS
from gitmem.text.secrets.secret_rules import RULES
from tests.text.secret_samples import FORMATS
from tests.text.secret_table import samples

# As much source as makes a text long, and then some, so that what is planted has room around it.
SOURCE = (
    "    for index, entry in enumerate(self.entries_of_the_archive):\n"
    "        if entry.is_regular_file() and not entry.name.startswith(prefix):\n"
    "            yield self.read_compressed_entry(entry, chunk=1 << 16)  # 64 KiB\n"
) * 12
PIECES = [
    *("password=", "token: ", "'", '"', "`", " ", "\n", "\\", "+", "=", ":", "@", "://", "-", "_"),
    *(".", "%41", "\\x41", "\\u0041", "&#65;", "\u200b", "İ", "é", "x-", "$", "|", "(", ")", ", "),
    *(" -p", " -u", "mysql", "curl ", "okta", "mailgun", "2fa", "login ", "authorization", "%7C"),
]


def test_a_text_worth_it_begins_where_the_tests_think() -> None:
    assert len(SOURCE) > 2 * stretches.WORTH_IT
    assert redact(SOURCE).text == SOURCE


def test_each_sample_is_redacted_in_a_long_text_as_it_is_alone() -> None:
    for sample in list(samples("stretches"))[::7]:
        alone = redact(f"\n\n{sample.text}\n\n")
        assert redact(f"{SOURCE}\n\n{sample.text}\n\n{SOURCE}").text == (
            f"{SOURCE}{alone.text}{SOURCE}"
        ), sample


def secrets_in_pieces() -> st.SearchStrategy[str]:
    rng = random.Random(11)
    texts = [text for make in FORMATS.values() for text in (make(rng)[0],)]
    texts += [sample.text for sample in samples("pieces")][::5]
    return st.lists(st.sampled_from(texts + PIECES * 8) | st.text(max_size=5), max_size=8).map(
        "".join
    )


@given(secrets_in_pieces())
def test_every_rule_matches_in_a_long_text_what_it_matches_in_all_of_it(planted: str) -> None:
    text = f"{SOURCE}{planted}\n{SOURCE}"
    low = text.lower() if len(text.lower()) == len(text) else text
    found = secret_matching.find_rule_matches(text, low, ("formats", "contexts"))
    assert set(found) == set(everywhere(text, low))


def everywhere(text: str, low: str) -> Iterator[tuple[int, int, str]]:
    """What the rules say of a text that each of them reads from end to end."""
    for rule in (*RULES, *CONTEXTS):
        if any(trigger in low for trigger in rule.triggers):
            yield from matches(rule, text)


def matches(rule: Rule, text: str) -> Iterator[tuple[int, int, str]]:
    pattern = secret_matching.compile_secret_pattern(rule.pattern)
    accept = rule.accept or looks_random
    for match in pattern.finditer(text):
        if accept(match[pattern.groups and 1]):
            yield (*match.span(pattern.groups and 1), rule.kind)


@given(st.lists(st.sampled_from(PIECES) | st.sampled_from(list("abfru~<>\t"))).map("".join))
def test_disguises_are_found_from_their_beginnings(text: str) -> None:
    found = [match.span() for match in disguised_secrets.find_disguises(text)]
    assert found == [match.span() for match in disguised_secrets.DISGUISE.finditer(text)]


def test_a_token_holds_nothing_that_ends_a_stretch() -> None:
    word = set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")
    for rule in RULES:
        extra = set(consumed(parser.parse(rule.pattern))) - word - set(stretches.TOKEN_MARKS)
        assert not extra, rule


def test_every_context_holds_a_word_that_texts_are_asked_for() -> None:
    words = redact_module._context_words()
    for rule in CONTEXTS:
        bare = [trigger for trigger in rule.triggers if not any(word in trigger for word in words)]
        assert not bare or covers(parser.parse(rule.pattern), words), (rule.kind, bare)


def test_an_option_after_a_tab_or_a_broken_line_is_an_option() -> None:
    for between in (" ", "\t", "\\\n"):
        assert "Tr0ub4" not in redact(f"mysql{between}-pTr0ub4dor+3x").text, between


def covers(tree: Any, words: tuple[str, ...], run: str = "") -> bool:
    """Whether all that a parsed pattern matches holds one of the words, white space as a blank."""
    for what, given_ in tree:
        if what is code.LITERAL:
            run += chr(given_).lower()
        elif what is code.IN and given_ == [(code.CATEGORY, code.CATEGORY_SPACE)]:
            run += " "
        elif what is code.BRANCH:
            if all(covers(branch, words, run) for branch in given_[1]):
                return True
            run = ""
        else:
            if what is code.SUBPATTERN and covers(given_[3], words, run):
                return True
            repeats = (code.MAX_REPEAT, code.MIN_REPEAT, code.POSSESSIVE_REPEAT)
            if what in repeats and given_[0] and covers(given_[2], words, run):
                return True
            run = ""
        if any(word in run for word in words):
            return True
    return False


def consumed(tree: Any) -> Iterator[str]:
    """The characters that a parsed pattern takes, less those of a category."""
    for what, given_ in tree:
        if what is code.LITERAL:
            yield chr(given_)
        elif what is code.IN:
            yield from ranges(given_)
        elif what is code.SUBPATTERN:
            yield from consumed(given_[3])
        elif what in (code.MAX_REPEAT, code.MIN_REPEAT, code.POSSESSIVE_REPEAT):
            yield from consumed(given_[2])
        elif what is code.BRANCH:
            for branch in given_[1]:
                yield from consumed(branch)
        else:
            assert what in (code.ASSERT, code.ASSERT_NOT), what


def ranges(listed: Any) -> Iterator[str]:
    for what, given_ in listed:
        if what is code.LITERAL:
            yield chr(given_)
        elif what is code.RANGE:
            yield from map(chr, range(given_[0], given_[1] + 1))
        else:
            assert given_ in (code.CATEGORY_WORD, code.CATEGORY_DIGIT), given_
