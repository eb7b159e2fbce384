"""Counting tokens with a tokenizer of the user's: a ``tokenizer.json`` of any model."""

from __future__ import annotations

import os
from collections.abc import Callable

from gitmem.errors import Unavailable


def make_token_counter(path: str) -> Callable[[str], int]:
    """A function that takes a text and returns the number of its tokens.

    ``path`` is a ``tokenizer.json`` file; tokens that frame a message do not count. Raises
    Unavailable where the library or the file is missing or cannot be read.
    """
    if not os.path.isfile(path):
        raise Unavailable(
            f"There is no tokenizer at {path}.",
            "Set context.tokenizer to a tokenizer.json, or leave it empty to estimate.",
        )
    try:
        from tokenizers import Tokenizer  # noqa: PLC0415 - only for who has a tokenizer

        loaded = Tokenizer.from_file(path)
    except ImportError as error:
        raise Unavailable(
            "The library tokenizers is not installed.", "Install it: pip install tokenizers"
        ) from error
    except Exception as error:  # the library raises nothing narrower
        raise Unavailable(
            f"{path} is not a tokenizer that can be read.",
            "Set context.tokenizer to a tokenizer.json, or leave it empty to estimate.",
        ) from error
    # What a file says of the longest text would make a long one look short.
    loaded.no_truncation()
    loaded.no_padding()

    def count(text: str) -> int:
        return len(loaded.encode(text, add_special_tokens=False).ids)

    return count
