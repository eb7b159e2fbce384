"""The language and the definition of each hit of `gitmem search --json`."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from gitmem import languages
from gitmem.errors import InvalidInput
from gitmem.retrieval.hit_view import DefinitionItem, HitItem
from gitmem.retrieval.symbols import symbol_kinds
from tests.support.apps import Desk
from tests.support.repos import RepoBuilder
from tests.support.secrets import SECRET

FILES = {
    "shop/cart.py": (
        "LIMIT = 20\n\n\n"
        "class Cart:\n"
        '    """What a customer wants."""\n\n'
        "    def add(self, item, count=1):\n"
        '        """Put an item into the cart."""\n'
        + "".join(f"        self.step_{n}(item, count)\n" for n in range(60))
        + "        return self.limited(item)\n\n\n"
        f"def pay(token='{SECRET}'):\n    return token\n"
    ),
    "shop/start.py": "import cart\n\ncart.configure('till')\n",
    "docs/cart.md": "# Cart\n\nThe till is configured at the start.\n",
}


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    repo = RepoBuilder(tmp_path_factory.mktemp("definitions") / "repo")
    repo.commit("All", FILES)
    made = Desk(repo.path, repo.home, GITMEM_MODEL="hashed")
    made.run("init", no_hooks=True)
    return made


def hits(desk: Desk, query: str, **values: Any) -> tuple[HitItem, ...]:
    found: tuple[HitItem, ...] = desk.run("search", query=query, **values).hits
    return found


def test_each_way_of_searching_tells_language_and_definition(desk: Desk) -> None:
    expected = DefinitionItem(
        "add", "method", "def add(self, item, count=1)", "Put an item into the cart.", 7, 69
    )
    for query, values in (
        ("add", {"mode": "symbol"}),
        ("limited(item)", {"mode": "text"}),
        ("step_55", {"mode": "callers"}),
        ("put an item into the cart", {"sources": ("code",)}),
    ):
        first = hits(desk, query, **values)[0]
        assert (first.language, first.definition) == ("python", expected), query


def test_code_outside_of_definitions_and_notes_have_none(desk: Desk) -> None:
    (code,) = hits(desk, "configure('till')", mode="text")
    assert (code.language, code.definition) == ("python", None)
    (note,) = hits(desk, "till is configured", sources=("notes",))
    assert (note.language, note.definition) == ("markdown", None)


def test_secrets_in_a_signature_are_masked(desk: Desk) -> None:
    (found,) = hits(desk, "pay", mode="symbol")
    assert found.definition and SECRET not in found.definition.signature


def test_a_file_that_was_edited_since_has_none(desk: Desk, tmp_path: Path) -> None:
    repo = RepoBuilder(tmp_path / "repo")
    repo.commit("All", FILES)
    other = Desk(repo.path, repo.home, GITMEM_MODEL="hashed")
    other.run("init", no_hooks=True)
    text = (repo.path / "shop/cart.py").read_text()
    (repo.path / "shop/cart.py").write_text("\n\n\n" + text)
    (found,) = hits(other, "limited(item)", mode="text")
    assert (found.start_line, found.definition) == (72, None)


def test_a_ranked_search_is_narrowed_to_kinds(desk: Desk) -> None:
    found = hits(desk, "cart limit item", kind=("const",))
    assert [hit.definition.name for hit in found if hit.definition] == ["LIMIT"]
    found = hits(desk, "put an item into the cart", kind=("method",), limit=1)
    assert [hit.definition.name for hit in found if hit.definition] == ["add"]


def test_a_kind_goes_with_definitions_only(desk: Desk) -> None:
    with pytest.raises(InvalidInput, match="--kind does not go with --mode callers"):
        hits(desk, "add", mode="callers", kind=("method",))


def test_every_kind_that_a_grammar_tells_may_be_asked_for() -> None:
    queries = Path(languages.__file__).parent.glob("*.scm")
    output = {
        kind
        for query in queries
        for kind in re.findall(r"@(?:definition|global)\.(\w+)", query.read_text())
    }
    assert output <= {*symbol_kinds.KINDS}
