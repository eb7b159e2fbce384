"""Candidates from indexed files: one for each file, with all that is known of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from gitmem.app import App
from gitmem.retrieval import explicit_files, file_candidates, file_evidence
from gitmem.retrieval.question import FileScope, Question
from gitmem.search import fusion, query
from gitmem.search.question import parse_question
from tests.support.apps import NOW, Desk
from tests.support.repos import RepoBuilder

FILES = {
    "src/cart.py": "class Cart:\n    def add_item(self):\n        return 1\n",
    "src/cart_copy.py": "class Cart:\n    def add_item(self):\n        return 1\n",
    "src/big.py": "".join(f"def basket_{n}():\n    return {n}\n\n\n" for n in range(90)),
    "docs/cart.md": "# Cart\n\nThe cart holds items until they are paid.\n",
    "lib/quiet.py": "value = 1\n",
}
# A short section that repeats one word, and a long one that holds all of a question.
FILES["guides/till.md"] = (
    "# Till\n\n## At a glance\n\nCoupons, coupons, coupons.\n\n## Paying\n\n"
    + "Whoever pays sees what was taken off, whichever way they pay and wherever they are. " * 6
    + "\nA basket may have coupons.\n"
)
# All below "Refund an order of the shop" is about refunds; where one is made says it itself.
FILES["guides/shop.md"] = (
    "# Shop\n\n## Refund an order of the shop\n\n### Colours\n\nRed ones and green ones.\n\n"
    "## Money\n\n### A refund\n\nAn order of the shop: refund it with the button.\n"
)
# One word of a question again and again, and all of its words in one place.
FILES["src/voucher.py"] = "def voucher():\n    return voucher\n"
FILES["src/whole.py"] = (
    "def settle():\n    # A voucher for a basket is paid out to the customer.\n"
    + "    return 2\n" * 12
)
# Of five words of a question a section holds all, the next three, the last one.
FILES["guides/parcels.md"] = (
    "# Parcels\n\n## First\n\nWrap, ribbon, bow, twine, knot.\n\n"
    "## Second\n\nA ribbon or twine to wrap it.\n\n## Third\n\nA bow is red.\n"
)
ALL = FileScope(frozenset(("code", "notes")))


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    repo = RepoBuilder(tmp_path_factory.mktemp("gather") / "repo")
    repo.commit("All", FILES)
    for number in range(3):
        repo.commit(f"Mend quarterly rounding {number}", {"lib/quiet.py": f"value = {number}\n"})
    for number in range(6):
        repo.commit(f"Something else {number}")
    desk = Desk(repo.path, repo.home, GITMEM_MODEL="hashed")
    desk.run("init", no_hooks=True)
    opened = desk.app()
    yield opened
    opened.close()


def question(text: str, **more: object) -> Question:
    values = {"limit": 10, "lexical": True, "meaning": False, **more}
    return Question(
        parsed=parse_question(text),
        terms=query.parse_terms(text),
        similar=lambda _source, _keys, _within: {},
        **values,  # type: ignore[arg-type]
    )


def paths(app: App, text: str, scope: FileScope = ALL, **more: object) -> list[str]:
    return [
        item.path
        for _, item in file_candidates.find_file_candidates(app, question(text, **more), scope)
    ]


def test_each_file_comes_once_with_a_key_of_its_own(app: App) -> None:
    """Two paths that show the same content are two files."""
    found = file_candidates.find_file_candidates(app, question("Cart"), ALL)
    assert {"src/cart.py", "src/cart_copy.py"} <= {item.path for _, item in found}
    assert len({item.path for _, item in found}) == len(found)
    assert len({entry.key for entry, _ in found}) == len(found)


def test_the_lines_of_its_other_pieces_stand_beside_the_best(app: App) -> None:
    ((_, item),) = [
        file
        for file in file_candidates.find_file_candidates(app, question("basket"), ALL)
        if file[1].path == "src/big.py"
    ]
    assert 0 < len(item.also) <= file_candidates.MOST_ALSO
    assert f"{item.start_line}-{item.end_line}" not in item.also


def test_the_pieces_named_beside_the_best_answer_half_as_well_at_least(app: App) -> None:
    found = file_candidates.find_file_candidates(app, question("ribbon bow wrap twine knot"), ALL)
    (item,) = [item for _, item in found if item.path == "guides/parcels.md"]
    lines = FILES["guides/parcels.md"].split("\n")
    assert lines[item.start_line - 1] == "## First"
    assert [lines[int(entry.split("-")[0]) - 1] for entry in item.also] == ["## Second"]


def test_the_piece_that_holds_most_of_the_question_stands_for_its_file(app: App) -> None:
    """BM25 alone prefers the short section, which repeats one word."""
    found = file_candidates.find_file_candidates(app, question("coupons of a basket"), ALL)
    (item,) = [item for _, item in found if item.path == "guides/till.md"]
    assert "A basket may have coupons." in item.snippet


def test_what_a_piece_holds_counts_where_more_than_code_is_asked_for(
    app: App,
) -> None:
    """Then a file in one place of which all is said is before one named after a single word."""

    def lexical(text: str) -> tuple[float, float]:
        found = file_candidates.find_file_candidates(app, question(text), ALL)
        values = {item.path: entry.lexical for entry, item in found}
        assert max(values.values()) <= 1
        return values["src/whole.py"], values["src/voucher.py"]

    whole, named = lexical("why is a voucher for a basket paid to customers")
    assert whole > named > 0
    many = "pay a voucher for a basket to customers of one two three four five six seven"
    whole, named = lexical(many)
    assert whole > named > 0
    whole, named = lexical("pay a voucher for a basket to customers")
    assert named > whole > 0


def test_whoever_asks_for_a_place_finds_the_one_that_does_all_of_it(app: App) -> None:
    """What orders places proves no answer: that is judged as without it."""

    def read_as(text: str) -> dict[str, fusion.FusionCandidate]:
        found = file_candidates.find_file_candidates(app, question(text), ALL)
        return {item.path: entry for entry, item in found}

    requested = read_as("where is a voucher for a basket paid to customers")
    whole, named = requested["src/whole.py"], requested["src/voucher.py"]
    assert whole.lexical > named.lexical > 0
    assert whole.answer_lexical is not None and named.answer_lexical is not None
    assert named.answer_lexical > whole.answer_lexical
    plain = read_as("pay a voucher for a basket to customers")["src/whole.py"]
    assert (
        plain.answer_lexical is None and fusion.answer_score(plain, "keyword", 0.5) == plain.lexical
    )
    assert fusion.answer_score(whole, "keyword", 0.5) == whole.answer_lexical


def test_the_headings_above_a_section_do_not_choose_it(app: App) -> None:
    found = file_candidates.find_file_candidates(
        app, question("how do I refund an order of the shop"), ALL
    )
    (item,) = [item for _, item in found if item.path == "guides/shop.md"]
    lines = FILES["guides/shop.md"].split("\n")
    shown = [
        lines[item.start_line - 1],
        *(lines[int(entry.split("-")[0]) - 1] for entry in item.also),
    ]
    assert shown == ["## Refund an order of the shop", "### A refund"]


def test_a_file_is_found_by_what_past_commits_say_of_it(app: App) -> None:
    ((result, item),) = file_candidates.find_file_candidates(
        app, question("quarterly rounding"), ALL
    )
    assert item.path == "lib/quiet.py" and result.notes == ("changed by commits about it",)
    assert paths(app, "quarterly rounding", without=frozenset(["history"])) == []


def test_parts_that_are_left_out_are_not_there(app: App) -> None:
    found = file_candidates.find_file_candidates(
        app, question("cart items", without=frozenset(["stem"])), ALL
    )
    assert found and not any("stem" in dict(item.parts) for item, _ in found)


def test_the_scope_holds_for_every_way_to_find_a_file(app: App) -> None:
    scope = FileScope(frozenset(("code", "notes")), path="docs/")
    for text in ("Cart", "cart items", "src/cart.py", '"class Cart"', "quarterly rounding"):
        assert set(paths(app, text, scope)) <= {"docs/cart.md"}


def test_two_runs_give_the_same(app: App) -> None:
    first = file_candidates.find_file_candidates(app, question("cart items basket"), ALL)
    assert {item.path for _, item in first} > {"docs/cart.md", "src/big.py"}
    assert file_candidates.find_file_candidates(app, question("cart items basket"), ALL) == first


def test_phrases_are_counted_by_file(app: App) -> None:
    heads = file_evidence.match_files(app, question("cart holds items"), ALL).of_file
    known = {item.id: item for group in heads.values() for item in group}
    shares = explicit_files.quoted_phrase_share_by_path(
        app, parse_question('"cart holds" "never said so"'), known
    )
    assert shares == {"docs/cart.md": 0.5}
    assert (
        explicit_files.quoted_phrase_share_by_path(app, parse_question("cart holds"), known) == {}
    )


def test_paths_are_named_surely_where_few_have_them(app: App) -> None:
    assert explicit_files.files_named_in_question(
        app, parse_question("what is in src/cart.py")
    ) == {"src/cart.py": 1.0}
    assert (
        explicit_files.files_named_in_question(app, parse_question("what is in lib/cart.py")) == {}
    )


@pytest.mark.parametrize(
    "given", ["src/cart.py", "./src/cart.py", "src\\cart.py", "{}/src/cart.py"]
)
def test_a_path_is_one_of_the_repository_however_it_is_given(app: App, given: str) -> None:
    assert (
        file_candidates.path_relative_to_worktree(app, given.format(app.worktree)) == "src/cart.py"
    )


def test_the_moment_is_asked_for_only_where_it_counts(app: App) -> None:
    whole = file_candidates.make_search_context(
        app, "src/x.py", ["src/cart.py"], include_session=True
    )
    assert (whole.now, whole.near, set(whole.written)) == (NOW, "src/x.py", {"src/cart.py"})
    assert (
        Path(app.worktree, "src/cart.py").stat().st_mtime_ns // 1_000_000
        == (whole.written["src/cart.py"])
    )
    result = file_candidates.make_search_context(
        app, "src/x.py", ["src/cart.py"], include_session=False
    )
    assert (result.near, dict(result.written), set(result.viewed)) == ("src/x.py", {}, set())


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    repo = RepoBuilder(tmp_path_factory.mktemp("project") / "repo")
    files = {
        "src/paging.py": "def page(theme):\n    '''Set the paging theme.'''\n    return theme\n",
        "src/theme.py": "def theme_of(page):\n    '''The theme that paging has set.'''\n",
        "docs/paging.md": "# Paging\n\n## Themes\n\nSet the paging theme with `--theme`.\n",
        "tests/test_paging.py": "def test_the_paging_theme_is_set():\n    page('theme')\n",
        ".github/workflows/build.yml": "jobs:\n  check:\n    strategy:\n      python: ['3.12']\n",
        "src/ci.py": "# CI versions of python\npython_versions = ci = None\n",
    }
    repo.commit("Everything", files)
    made = Desk(repo.path, repo.home, GITMEM_MODEL="hashed")
    made.run("init", no_index=True, no_hooks=True)
    made.run("index")
    return made


def first(desk: Desk, query: str) -> str:
    return str(desk.run("search", query=query, sources=("code", "notes")).hits[0].path)


def test_what_a_question_asks_for_by_its_wording_comes_first(project: Desk) -> None:
    assert first(project, "where is the paging theme set") == "src/paging.py"
    assert first(project, "how do I set the paging theme") == "docs/paging.md"
    assert first(project, "which test sets the paging theme") == "tests/test_paging.py"
    hits = project.run("search", query="which python versions does CI build").hits
    assert ".github/workflows/build.yml" in [hit.path for hit in hits[:2]]


def test_of_a_task_the_best_document_is_among_the_first_three(project: Desk) -> None:
    hits = project.run("search", query="use paging and set two themes", limit=10).hits
    assert [hit.kind for hit in hits[:3]].count("note") == 1
    assert project.run("search", query="theme_of").hits[0].path == "src/theme.py"


def test_a_question_about_what_is_not_there_is_reported_to_have_no_clear_answer(
    project: Desk,
) -> None:
    assert project.run("search", query="how do I set the paging theme").relevance == "good"
    lacking = project.run("search", query="SAML login of users")
    assert lacking.relevance != "good"
    assert project.run("search", query="show theme page").relevance == "good"
    assert project.run("search", query="show Theme-Page").relevance != "good"
