"""What is mined from a repository's files and log."""

from __future__ import annotations

from pathlib import Path

from tests.training.pairs import code, from_log, from_tree, prose

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


def test_a_docstring_is_paired_with_its_code_without_it() -> None:
    (_, first), (_, second) = sorted(code(PYTHON, "store.py"), key=lambda one: one[1][0])
    assert first[0] == "Keeps the rows of one repository together."
    assert second[0] == "Read every row from the file at that path."
    assert "return open(path)" in second[1] and "every row" not in second[1]
    assert any(
        told.startswith("store.py\n") or "class Store" in told for _, told in [first, second]
    )


def test_comments_of_other_languages_are_paired_with_what_follows() -> None:
    assert next(pair for _, pair in code(RUST, "a.rs"))[0].startswith("Splits the buffer")
    [(_, (said, told))] = code(JAVA, "A.java")
    assert said == "Waits until the queue has room again."
    assert "lock.wait" in told


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


def test_a_tree_with_binary_links_and_large_files_is_read_through(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(PYTHON, "utf-8")
    (tmp_path / "b.py").write_bytes(b"\xff\xfe\x00# four words are here\nx = 1\n")
    (tmp_path / "c.py").symlink_to("c.py")
    (tmp_path / "d.py").write_bytes(b"# four words are here\nx = 1\n" * 20_000)
    (tmp_path / "e.png").write_bytes(b"\x89PNG")
    assert len(list(from_tree(tmp_path))) >= 2
