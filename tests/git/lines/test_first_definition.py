"""Which commit brought a definition, where others wrote its head anew."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitmem.git.lines import first_definition
from tests.support.repos import RepoBuilder


@pytest.mark.parametrize(
    ("path", "heads"),
    [
        ("pay.ts", ["export function pay(a) {", "export const pay = (a) => {"]),
        ("Pay.cs", ["    public int pay(int a) {", "    public async Task<int> pay(int a) {"]),
        ("pay.rs", ["fn pay(a: u8) {", "pub const PAID: u8 = 1;\npub async fn pay(a: u8) {"]),
        ("pay.py", ["def pay(a):  # {", "async def pay(a, b):  # {"]),
    ],
)
def test_a_head_that_was_written_anew_is_the_same_definition(
    tmp_path: Path, path: str, heads: list[str]
) -> None:
    repo = RepoBuilder(tmp_path / "repo")
    around = "\n" * 3
    bodies = [f"{around}{head}\n        a += 1\n        a += 2\n    }}\n" for head in heads]
    pad = "\n"
    repo.commit("Use it", {path: f"value = 1 // pay(value){pad}"})
    repo.commit("Bring it", {path: f"other = 2{pad}{bodies[0]}"})
    repo.commit("Write its head anew", {path: f"other = 2{pad}{bodies[1]}"})
    line = heads[1].split("\n")[-1]
    commit, whole = first_definition.first_commit_of_definition(str(repo.path), path, line, "pay")
    assert whole
    assert repo.git("log", "-1", "--format=%s", commit) == "Bring it"


def test_a_call_or_an_import_that_went_is_no_head_of_a_definition(tmp_path: Path) -> None:
    repo = RepoBuilder(tmp_path / "repo")
    used = (
        "from lib import pay\n\nTOTAL = pay(1)\npay(2)\nprint(pay(3))\nreturn pay(4)\n"
        "# what pay(5) says\nthe way to pay well\n"
    )
    repo.commit("Take it from a library", {"pay.py": used})
    repo.commit("Write it here", {"pay.py": "def pay(a):\n    return a\n"})
    commit, _ = first_definition.first_commit_of_definition(
        str(repo.path), "pay.py", "def pay(a):", "pay"
    )
    assert repo.git("log", "-1", "--format=%s", commit) == "Write it here"


def test_a_definition_is_followed_from_javascript_to_typescript(tmp_path: Path) -> None:
    repo = RepoBuilder(tmp_path / "repo")
    repo.commit("Bring it", {"src/pay.js": "export function pay(a) {\n  return a\n}\n"})
    repo.git("rm", "-q", "src/pay.js")
    repo.commit("Write types", {"src/pay.ts": "export function pay<A>(a: A): A {\n  return a\n}\n"})
    commit, _ = first_definition.first_commit_of_definition(
        str(repo.path), "src/pay.ts", "export function pay<A>", "pay"
    )
    assert repo.git("log", "-1", "--format=%s", commit) == "Bring it"
