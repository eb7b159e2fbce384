"""The summary of a pull request: what it says, and that nobody's text does anything in it."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from gitmem.errors import InvalidInput
from gitmem.model.frozen import replace
from gitmem.operations.registry import as_json_values
from gitmem.review import pull_request_markdown
from tests.action.test_hostile_names import HOSTILE as NAMES
from tests.review.conftest import edit
from tests.support.apps import Desk
from tests.support.repos import RepoBuilder

HOSTILE = (
    *NAMES,
    "``` \n# pwned\n```",
    "` pwned ` `` <b>pwned</b>",
    "</code></pre><script>pwned()</script>",
    "# pwned\n\n- [x] pwned",
    "![pwned](https://example.org/pwned.png)",
    "https://example.org/pwned and www.example.org",
    "GH-1 #1 owner/repo#1 0123456789abcdef0123456789abcdef01234567",
    "<!-- gitmem -->",
    "| pwned | pwned |\n|---|---|",
    "\x1b[31mpwned\x07\x00",
    "\r\n::set-output name=pwned::yes\r\n",
    "$`pwned`$ $$pwned$$",
    "pwned&lt;b&gt; &#64;everyone",
    "\\`pwned\\`",
)


@pytest.fixture
def pull(shop: RepoBuilder, desk: Desk) -> RepoBuilder:
    """A branch that goes against a convention, changes cited lines and states a decision."""
    desk.run("remember", text="Never call `eval()`.", kind="convention")
    desk.run("decide", title="Totals are plain sums", path=("shop/cart.py:4-5",))
    desk.run("remember", text="The till pays once", path=("shop/till.py:4-5",))
    shop.git("switch", "-qc", "feature")
    edit(shop, "shop/cart.py", "return sum(prices)", "return eval('sum')(prices)")
    shop.commit("Sum by name\n\nWe decided to call sum by its name instead of the builtin because "
                "shops want their own.")  # fmt: skip
    return shop


def test_it_says_what_speaks_against_it_and_what_it_decides(pull: RepoBuilder, desk: Desk) -> None:
    result = desk.run("pr")
    assert [each.rule for each in result.review.findings] == ["pattern/no-eval"]
    assert {each.title for each in result.review.memories} == {"Totals are plain sums"}
    assert "sum by its name" in result.decisions[0].why
    text = desk.text("pr")
    assert text.startswith("### gitmem: 1 finding, risk ")
    assert "- error `shop/cart.py:5`: " in text
    assert "- `decision` `Totals are plain sums` " in text
    assert "**Depends on what changes**\n\n- `shop/till.py`" in text
    assert "- `tests/test_cart.py`" in text
    assert result.failed == 0 and desk.run("pr", strict=True).failed == 1


def test_a_decision_without_a_reason_has_none(pull: RepoBuilder, desk: Desk) -> None:
    edit(pull, "shop/till.py", "return total", "return 1 + total")
    pull.commit("Round up\n\nDecision: the till rounds up")
    assert "- `the till rounds up` (`trailer in " in desk.text("pr")


def test_it_begins_where_the_branch_left_the_base(pull: RepoBuilder, desk: Desk) -> None:
    pull.git("switch", "-q", "main")
    pull.commit("Elsewhere", {"shop/till.py": "pay = 1\n"})
    pull.git("switch", "-q", "feature")
    for given in ("", "main", "main..feature", "main...HEAD"):
        assert desk.run("pr", revisions=given).review.files == 1


def test_what_no_longer_holds_in_its_files_is_named_and_the_rest_counted(
    pull: RepoBuilder, desk: Desk
) -> None:
    pull.git("switch", "-q", "main")
    desk.run("remember", text="Debug means shouting", path=("shop/cart.py:8-13",))
    edit(pull, "shop/cart.py", "def is_debug", "def shouts")
    edit(pull, "shop/till.py", "return total(prices)", "return 2 * total(prices)")
    pull.commit("Shout")
    pull.git("switch", "-qc", "later")
    edit(pull, "shop/cart.py", "import os", "import os\nimport sys")
    pull.commit("Import")
    result = desk.run("pr")
    assert [each.title for each in result.stale] == ["Debug means shouting"]
    assert result.stale_elsewhere == 1


def test_a_saved_result_is_summed_up_as_it_was(
    pull: RepoBuilder, desk: Desk, tmp_path: Path
) -> None:
    saved = tmp_path / "pr.json"
    found = desk.run("pr")
    saved.write_text(json.dumps(as_json_values(found)))
    shown = pull_request_markdown.pull_request_as_markdown(found)
    assert desk.text("pr", saved=str(saved)) == shown
    link = "https://github.com/o/r/actions/runs/1"
    assert f"({link})" in desk.text("pr", saved=str(saved), link=link)
    for bad in ("javascript:pwned()", f"{link})[x](http://y/", f"{link}?a=b\n# x"):
        assert desk.text("pr", saved=str(saved), link=bad) == shown
    with pytest.raises(InvalidInput):
        desk.run("pr", saved=str(saved), revisions="main")


def test_a_saved_result_of_another_form_is_refused(
    pull: RepoBuilder, desk: Desk, tmp_path: Path
) -> None:
    good = as_json_values(desk.run("pr"))
    saved = tmp_path / "pr.json"
    for content in (
        *("", "[]", "{}", "[" * 100_000, "\x00", '{"base": 1}', " " * (2 << 20)),
        json.dumps(good | {"review": None}),
        json.dumps(good | {"stale": [{"handle": "x"}]}),
        json.dumps(good | {"base": ["x"]}),
    ):
        saved.write_text(content)
        with pytest.raises(InvalidInput):
            desk.run("pr", saved=str(saved))
    with pytest.raises(InvalidInput):
        desk.run("pr", saved=str(tmp_path / "nowhere"))


class Tags(HTMLParser):
    """The tags of a page, and its text outside code."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.text = ""
        self.inside = 0

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags.add(tag)
        self.inside += tag == "code"

    def handle_endtag(self, tag: str) -> None:
        self.inside -= tag == "code"

    def handle_data(self, data: str) -> None:
        self.text += "" if self.inside else data


def filled(value: Any, text: str) -> Any:
    """A value of JSON with every text replaced."""
    if isinstance(value, str):
        return text
    if isinstance(value, list):
        return [filled(each, text) for each in value]
    if isinstance(value, dict):
        return {name: filled(each, text) for name, each in value.items()}
    return value


def read(markdown: str) -> Tags:
    renderer = pytest.importorskip("markdown_it").MarkdownIt("gfm-like", {"linkify": False})
    page = Tags()
    page.feed(renderer.enable("html_block").enable("html_inline").render(markdown))
    return page


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_texts_stay_inert_in_every_field(
    pull: RepoBuilder, desk: Desk, tmp_path: Path, text: str
) -> None:
    good = json.loads(json.dumps(as_json_values(desk.run("pr"))))
    saved = tmp_path / "pr.json"
    saved.write_text(json.dumps(filled(good, text)))
    shown = desk.text("pr", saved=str(saved), link=text)
    page = read(shown)
    assert page.tags <= {"h3", "p", "strong", "ul", "li", "code"}
    assert not re.search(r"pwned|@|https?:|www\.|GH-|\$\{\{|<", page.text)
    assert not [line for line in shown.split("\n") if re.match(r"\s*::", line) or "##[" in line]
    assert shown.replace("\n", "").isprintable()
    log = json.loads(desk_sarif(desk, str(saved)))
    texts = json.dumps(log)
    assert texts.isascii() and "\n" not in texts and "::set-output" not in texts.split('"')[0]
    for run in log["runs"]:
        for result in run["results"]:
            message = result["message"]["text"]
            assert message.isprintable() and not re.search(r"(?<!\\)[\[\]]", message)
            assert ":" not in result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]


def desk_sarif(desk: Desk, saved: str) -> str:
    from gitmem import operations

    draw = operations.load_operation("pr").drawings["sarif"]  # type: ignore[index]
    return draw(desk.run("pr", saved=saved), 0)


def test_hostile_names_in_a_real_repository_stay_inert(shop: RepoBuilder, desk: Desk) -> None:
    """Titles, branches, file names and memories of a stranger, from git to the page."""
    shop.git("switch", "-qc", "x/$(touch-pwned)@everyone<b>")
    for number, text in enumerate(HOSTILE):
        name = text.replace("/", "_").replace("\0", "")[:80]
        shop.write({f"{number}{name}.py": "def pwned():\n    return eval('1')\n"})
        shop.commit(f"{text}\n\nWe decided to use {text} instead of it because pwned.".replace(
            "\0", ""), {})  # fmt: skip
        desk.run("remember", text=f"Never call eval: {text}".replace("\0", ""), kind="convention")
    page = read(desk.text("pr"))
    assert page.tags <= {"h3", "p", "strong", "ul", "li", "code"}
    assert "pwned" not in page.text and "@" not in page.text


def test_a_long_summary_is_cut_and_says_so(pull: RepoBuilder, desk: Desk, tmp_path: Path) -> None:
    found = desk.run("pr")
    note = found.review.findings[0]
    long = replace(note, message="`" * 300)
    review = replace(found.review, findings=(long,) * 10, context=(long,) * 90)
    text = pull_request_markdown.pull_request_as_markdown(replace(found, review=review))
    assert len(text) < 65_536
    assert "- and 80 more" in text
