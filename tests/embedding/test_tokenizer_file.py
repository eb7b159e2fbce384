"""Counting with a tokenizer that the user has."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitmem.embedding import tokenizer_file
from gitmem.errors import Unavailable


def made(path: Path) -> str:
    """A tokenizer that splits at blanks and frames each text, and would cut long ones."""
    import tokenizers

    words = {"[UNK]": 0, "redis": 1, "[CLS]": 2}
    own = tokenizers.Tokenizer(tokenizers.models.WordLevel(words, unk_token="[UNK]"))
    own.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    own.post_processor = tokenizers.processors.TemplateProcessing(
        single="[CLS] $A", special_tokens=[("[CLS]", 2)]
    )
    own.enable_truncation(5)
    own.enable_padding(length=4)
    own.save(str(path))
    return str(path)


def test_every_token_of_the_text_is_counted_and_no_other(tmp_path: Path) -> None:
    count = tokenizer_file.make_token_counter(made(tmp_path / "tokenizer.json"))
    for text, tokens in (("", 0), ("redis", 1), ("redis on 6380", 3), ("redis " * 50, 50)):
        assert count(text) == tokens, text


def test_what_is_no_tokenizer_is_reported(tmp_path: Path) -> None:
    other = tmp_path / "other.json"
    other.write_text("{}")
    for path, expected in (
        (str(tmp_path / "none.json"), "no tokenizer at"),
        (str(other), "is not a"),
    ):
        with pytest.raises(Unavailable, match=expected) as failed:
            tokenizer_file.make_token_counter(path)
        assert "context.tokenizer" in failed.value.hint
