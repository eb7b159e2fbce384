"""Comments without their markers."""

from __future__ import annotations

from gitmem.indexing.syntax.nesting import LENGTH, strip_comment_marks
from tests.support.tables import table


@table(
    ("grammar", "text"),
    [
        ("python", "# Says it.\n#   Twice."),
        ("python", "#: Says it.\n#: Twice."),
        ("rust", "/// Says it.\n/// Twice."),
        ("rust", "//! Says it.\n//! Twice."),
        ("java", "/**\n * Says it.\n * Twice.\n */"),
        ("c", "/* Says it.\n   Twice. */"),
        ("cpp", "/*! Says it.\n * Twice. */"),
        ("csharp", "/// <summary>\n/// Says it. Twice.\n/// </summary>"),
        ("haskell", "-- | Says it.\n-- Twice."),
        ("lua", "--- Says it.\n-- Twice."),
        ("sql", "-- Says it.\n-- Twice."),
        ("html", "<!-- Says it.\n Twice. -->"),
    ],
)
def test_markers_go_and_words_stay_on_one_line(grammar: str, text: str) -> None:
    assert strip_comment_marks(grammar, text) == "Says it. Twice."


def test_long_comments_are_cut() -> None:
    output = strip_comment_marks("go", "// " + "word " * 200)
    assert len(output) <= LENGTH
    assert output.endswith(("word…", "wor…", "wo…"))
