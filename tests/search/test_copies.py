"""Translations and near copies of a passage share one place."""

from __future__ import annotations

from gitmem.search import copies
from gitmem.search.copies import CopyCandidate, group_copies, path_without_human_language
from tests.support.tables import table

TEXT = "The pager shows a page at a time and waits for a key before it shows the next"


def prose(path: str, text: str) -> CopyCandidate:
    return CopyCandidate(path, text, True)


def code(path: str, text: str) -> CopyCandidate:
    return CopyCandidate(path, text, False)


@table(
    ("path", "plain"),
    [
        ("README.zh-CN.md", "README.md"),
        ("README_ja.md", "README.md"),
        ("docs/fr/guide.md", "docs/guide.md"),
        ("i18n/pt-br/docs/x.md", "i18n/docs/x.md"),
        ("docs/guide.md", "docs/guide.md"),
        ("docs/ideas.md", "docs/ideas.md"),
        ("it.md", "it.md"),
    ],
)
def test_a_path_is_known_without_the_language_it_names(path: str, plain: str) -> None:
    assert path_without_human_language(path) == plain


def test_of_translations_the_english_one_is_shown_and_says_how_many_there_are() -> None:
    some = [prose("README.zh.md", "a"), code("src/a.py", "b"), prose("README.md", "c")]
    some += [prose("README.fr.md", "d")]
    assert group_copies(some) == {2: "also: 2 translations", 1: ""}
    assert group_copies(some, is_english_question=False) == {0: "also: 2 translations", 1: ""}
    folders = [prose("docs/de/a.md", "a"), prose("docs/en/a.md", "b")]
    assert group_copies(folders) == {1: "also: 1 translation"}


def test_near_copies_stand_behind_the_first() -> None:
    some = [code("a/pager.py", TEXT), code("b/pager.py", TEXT + " one"), code("c/pager.py", "x")]
    assert group_copies(some) == {0: "also: 1 variant", 2: ""}
    assert group_copies([code("a.py", TEXT), code("b.py", TEXT)]) == {0: "also: 1 variant"}
    assert len(group_copies([code("a.py", TEXT), code("b.py", TEXT + " one")])) == 2


def test_what_is_no_file_and_the_language_of_code_stay_apart() -> None:
    assert len(group_copies([code("", TEXT), code("", TEXT)])) == 2
    assert len(group_copies([code("src/no/a.py", "x y"), code("src/it/a.py", "z")])) == 2


def test_the_share_of_copied_words() -> None:
    """CE-26: what MinHash estimates, counted."""
    text = "def send(order, till): total = till.add(order.items); return till.print(total)"
    own = copies.word_triples(text)
    assert copies.overlap_fraction(own, copies.word_triples(f"class Till:\n    {text}\n")) == 1
    assert 0.5 < copies.overlap_fraction(own, copies.word_triples(text.replace("total", "sum"))) < 1
    assert copies.overlap_fraction(own, copies.word_triples("x = 1 " * 9)) == 0
    assert (
        copies.overlap_fraction(copies.word_triples("a b c d"), copies.word_triples("a b c d")) == 0
    )  # too short
    assert copies.overlap_fraction(copies.word_triples(""), own) == 0
    pasted = f"{text}\n# and back"
    assert copies.copied_fraction(pasted, f"class Till:\n    {pasted}\n") == 1
    assert (
        copies.copied_fraction(pasted, "x = 1 " * 9)
        == copies.copied_fraction("add(order)", text)
        == 0
    )
