"""Patches given as text: read, applied, and refused where they do not fit."""

from __future__ import annotations

import difflib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitmem.git.lines import patch_apply
from gitmem.git.lines.patch import Hunk
from tests.support.repos import RepoBuilder

LINES = st.lists(st.sampled_from(["a\n", "b\n", "c\n", " \n", "--- x\n", "+++ y\n"]), max_size=12)


@given(LINES, LINES)
def test_a_patch_of_diff_leads_from_the_old_to_the_new(old: list[str], new: list[str]) -> None:
    text = "".join(difflib.unified_diff(old, new, "a/f.txt", "b/f.txt"))
    patches = list(patch_apply.parse_file_patches(text.encode()))
    if old == new:
        assert patches == []
        return
    (patch,) = patches
    assert (patch.old, patch.new) == ("f.txt", "f.txt")
    applied = patch_apply.apply_patch("".join(old).encode(), patch)
    assert applied is not None
    content, hunks = applied
    assert content.decode() == "".join(new)
    changed = [line for hunk in hunks for line in new[hunk.new[0] - 1 : hunk.new[1]]]
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=True)
    codes = [code for code in matcher.get_opcodes() if code[0] != "equal"]
    assert changed == [line for code in codes for line in new[code[3] : code[4]]]


@given(st.binary(), st.binary())
def test_any_bytes_are_read_and_applied_or_refused(text: bytes, data: bytes) -> None:
    heading = b"--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n"
    for patch in [
        *patch_apply.parse_file_patches(text),
        *patch_apply.parse_file_patches(heading + text),
    ]:
        patch_apply.apply_patch(data, patch)


def test_git_and_its_names_are_understood(repo: RepoBuilder) -> None:
    repo.commit("Files", {"old name.py": "a\nb\nc\nd\n", "gone.py": "x\n", 'q"t.py': "1\n"})
    repo.git("mv", "old name.py", "new name.py")
    repo.write({"new name.py": "a\nB\nc\nd\n", "added.py": "new\n", 'q"t.py': "2\n", "bin": "\0"})
    (repo.path / "gone.py").unlink()
    repo.git("add", "-A")
    text = repo.git("diff", "--cached", "-M").encode() + b"\n"
    found = {(patch.old, patch.new): patch for patch in patch_apply.parse_file_patches(text)}
    assert set(found) == {
        ("old name.py", "new name.py"),
        ("", "added.py"),
        ("gone.py", ""),
        ('q"t.py', 'q"t.py'),
        ("", "bin"),
    }
    applied = patch_apply.apply_patch(b"a\nb\nc\nd\n", found["old name.py", "new name.py"])
    assert applied == (b"a\nB\nc\nd\n", (Hunk((2, 2), (2, 2)),))
    assert patch_apply.apply_patch(b"", found["", "added.py"]) == (
        b"new\n",
        (Hunk((1, 0), (1, 1)),),
    )
    assert patch_apply.apply_patch(b"x\n", found["gone.py", ""]) == (b"", (Hunk((1, 1), (1, 0)),))
    assert found["", "bin"].binary


MOVED = b"--- a/f\n+++ b/f\n@@ -1,3 +1,3 @@\n x\n-y\n+Y\n z\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"x\ny\nz\n", b"x\nY\nz\n"),
        (b"0\n" * 30 + b"x\ny\nz\n", b"0\n" * 30 + b"x\nY\nz\n"),
        (b"x\r\ny\r\nz\r\n", b"x\r\nY\nz\r\n"),
        (b"x\ny\n", None),
        (b"", None),
    ],
)
def test_a_hunk_may_stand_elsewhere_but_has_to_fit(before: bytes, after: bytes | None) -> None:
    (patch,) = patch_apply.parse_file_patches(MOVED)
    applied = patch_apply.apply_patch(before, patch)
    assert (applied and applied[0]) == after
