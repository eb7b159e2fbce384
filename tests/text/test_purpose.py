"""What functions are for, by their words (ML-36)."""

from __future__ import annotations

from gitmem.text import purpose
from tests.support.tables import table


@table(("name", "documentation", "expected"), [
    ("load_user", "", "fetching"),
    ("HTTPClient.getPage", "", "fetching"),
    ("validateEmail", "", "validation"),
    ("is_valid", "", "validation"),
    ("toJSON", "", "formatting"),
    ("open_session", "", "authentication"),
    ("user_token_expired", "", "authentication"),
    ("on_exception", "", "error"),
    ("create_logger", "", "logging"),
    ("saveCart", "", "storage"),
    ("start_of_week", "The timestamp of its Monday.", "date"),
    # The words of the documentation count less than those of the name.
    ("save", "Raises an error for an invalid date.", "storage"),
    ("island", "", purpose.OTHER),  # "is" is a word, not a beginning
    ("run", "", purpose.OTHER),
    ("test_error_is_raised", "", purpose.OTHER),
    ("", "", purpose.OTHER),
])  # fmt: skip
def test_the_words_of_a_name_say_what_it_is_for(
    name: str, documentation: str, expected: str
) -> None:
    assert purpose.function_purpose(name, documentation) == expected
