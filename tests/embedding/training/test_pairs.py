"""What is mined from a repository's files and log."""

from __future__ import annotations

from pathlib import PurePath

from tests.bench.training.pairs import code, from_file, from_log, prose, readable

PYTHON = '''
class Store:
    """Keeps the rows of one repository together.

    More words.
    """

    def read(self, path):
        """Read every row from the file at that path."""
        return open(path).read()
'''
RUST = """
/// Splits the buffer at the first newline found.
pub fn split_line(buffer: &[u8]) -> Option<usize> {
    buffer.iter().position(|b| *b == b'\\n')
}
"""
JAVA = """
/**
 * Waits until the queue has room again.
 * @param millis how long
 */
void await(long millis) {
    lock.wait(millis);
}
"""


def documented(text: str, name: str) -> list[tuple[str, tuple[str, str]]]:
    return [item for item in code(text, name) if item[0] == "code"]


def test_a_docstring_is_paired_with_its_code_without_it() -> None:
    (_, first), (_, second) = sorted(documented(PYTHON, "store.py"), key=lambda item: item[1][0])
    assert first[0] == "Keeps the rows of one repository together."
    assert second[0] == "Read every row from the file at that path."
    assert "return open(path)" in second[1] and "every row" not in second[1]
    assert any(
        output.startswith("store.py\n") or "class Store" in output for _, output in [first, second]
    )


def test_comments_of_other_languages_are_paired_with_what_follows() -> None:
    assert next(pair for _, pair in documented(RUST, "a.rs"))[0].startswith("Splits the buffer")
    [(_, (message, output))] = documented(JAVA, "A.java")
    assert message == "Waits until the queue has room again."
    assert "lock.wait" in output


def test_a_licence_header_is_no_documentation() -> None:
    assert not list(code("// Copyright by the authors of this\nint main() {\n", "a.c"))


def test_a_file_that_does_not_parse_is_passed_over() -> None:
    assert not list(code("def broken(:\n    '''Some words about it.'''\n", "a.py"))


def test_headings_and_first_sentences_are_paired_with_what_follows() -> None:
    found = dict(prose("# How to install\n\nUse pip for this. Then run the command twice.\n"))
    assert found["section"][0] == "How to install"
    assert found["sentence"] == ("Use pip for this.", "Then run the command twice.")


def test_a_commit_subject_is_paired_with_body_and_paths() -> None:
    log = (
        "\x1eFix the cache on restart (#12)\x1fIt was read too early.\n"
        "Co-authored-by: A <a@b>\x1f\n\nsrc/cache.py\n"
    )
    [(kind, (subject, rest))] = from_log(log)
    assert (kind, subject) == ("commit", "Fix the cache on restart")
    assert rest == "It was read too early.\nsrc/cache.py"


def test_a_name_is_paired_with_what_is_stated_of_it() -> None:
    found = [pair for kind, pair in from_file("a.rs", RUST) if kind == "name"]
    assert found == [("split line", "Splits the buffer at the first newline found.")]


def test_only_code_and_pages_of_the_repository_itself_are_read() -> None:
    saved = {"a.py": True, "docs/b.md": True, "c.png": False, "vendor/x/d.go": False}
    assert {name: readable(PurePath(name)) for name in saved} == saved
    assert not readable(PurePath("pip/_vendor/e.py"))
