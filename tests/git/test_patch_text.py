"""The text of a diff, file by file, and how many lines each gained and lost."""

from __future__ import annotations

from gitmem.git.lines import patch

PATCH = b"""diff --git a/old name.py b/new name.py
similarity index 60%
rename from old name.py
rename to new name.py
--- a/old name.py\t
+++ b/new name.py\t
@@ -1,2 +1,2 @@ def total():
-diff --git a/forged b/forged
+--- a/forged
 same
\\ No newline at end of file
diff --git a/logo.png b/logo.png
Binary files a/logo.png and b/logo.png differ
diff --git a/gone.py b/gone.py
--- a/gone.py
+++ /dev/null
@@ -1 +0,0 @@
-x = 1
"""


def test_lines_stand_under_their_files_and_none_is_taken_for_a_heading() -> None:
    for size in (1, 7, 4096):  # however git's output is cut
        chunks = [PATCH[at : at + size] for at in range(0, len(PATCH), size)]
        found: dict[str, list[str]] = {}
        for path, line in patch.parse_hunk_lines(chunks):
            found.setdefault(path, []).append(line)
        assert found == {
            "new name.py": [
                "@@ -1,2 +1,2 @@ def total():",
                "-diff --git a/forged b/forged",
                "+--- a/forged",
                " same",
                "\\ No newline at end of file",
            ],
            "gone.py": ["@@ -1 +0,0 @@", "-x = 1"],
        }, size


def test_a_very_long_line_is_cut() -> None:
    head = b"diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n"
    chunks = [head, *[b"+" + b"x" * 70_000] * 3, b"\n+short\n"]
    lines = [line for _, line in patch.parse_hunk_lines(chunks)]
    assert [len(line) for line in lines] == [11, patch.LONGEST_LINE, 6]


def test_counts_of_plain_renamed_and_binary_files() -> None:
    out = b"\0".join((b"3\t1\tsrc/a.py", b"2\t0\t", b"old.py", b"new.py", b"-\t-\tlogo.png", b""))
    assert dict(patch.parse_numstat(out)) == {"src/a.py": (3, 1), "new.py": (2, 0)}
