"""`gitmem ask`: sentences with their sources, a plan, "I do not know" (CE-11, CE-12, CE-20)."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from gitmem.errors import InvalidInput
from gitmem.operations.find import ask as verb
from gitmem.operations.registry import as_json_values
from gitmem.setting_table import BY_KEY, parse_setting_value
from gitmem.text.redact import redact
from tests.support.apps import Desk
from tests.support.chat_server import Reply, completion, serving
from tests.support.repos import RepoBuilder
from tests.support.secrets import SECRET

FILES = {
    "src/cache/redis_pool.py": '''"""The pool of connections."""


class RedisPool:
    """Connections to Redis that workers share."""

    def acquire(self, timeout):
        """Take a connection; wait for one when all are in use."""
        return self.take(timeout)
''',
    "src/net/fetch.py": '''from net.retry import load_backoff


def fetch(url):
    """Fetch an address, and follow redirects up to ten times."""
    return load_backoff(url, 10)
''',
    "src/net/retry.py": '''def load_backoff(url, times):
    # Waits twice as long before each attempt.
    return wait(url, times)
''',
    "tests/test_retry.py": "from net.retry import load_backoff\n\n\ndef test_backoff():\n"
    '    assert load_backoff("a", 1)\n',
    "docs/guide.md": "# Guide\n\n## Redis\n\nRedis listens on port 6380. Restart it after a\n"
    "change of its configuration.\n\n## Deploying\n\nPush a tag to deploy the service.\n",
    "src/jobs.py": "class BaseJob:\n    pass\n\n\n"
    + "\n\n".join(f"class Job{n}(BaseJob):\n    pass\n" for n in range(4)),
    "tests/test_jobs.py": "from jobs import BaseJob\n\n\nclass AJob(BaseJob):\n    pass\n\n\n"
    "class BJob(BaseJob):\n    pass\n",
    "src/config.py": f'SIGNING = "{SECRET}"\n# The signing key of sessions stands above.\n',
    ".node-version": "22.14.0\n",
    "ci/build.yml": "jobs:\n  suite:\n    timeout-minutes: 35\n",
    "docs/uploads.md": "# Uploads\n\nBig parcels are split: call `carry(parcel)`.\n",
    "src/parcels.py": "\n\n".join(
        f"def carry_parcel_{n}(parcel):\n    # Carries a big parcel on.\n    return parcel\n"
        + "".join(f"\n\ndef plain_{n}_{k}(value):\n    return value + {k}\n" for k in range(9))
        for n in range(6)
    ),
    **{f"src/other/part_{n}.py": f"def part_{n}(value):\n    return value + {n}\n"
       for n in range(12)},
}  # fmt: skip


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    """A repository with code, notes and memories, indexed once; tests read it."""
    repo = RepoBuilder(tmp_path_factory.mktemp("ask") / "repo")
    repo.commit("Start the service", FILES)
    repo.commit("Raise the ceiling of uploads to 20 MB", {"src/limits.py": "UPLOADS = 20\n"})
    desk = Desk(repo.path, repo.home)
    desk.run("init", no_index=True, no_hooks=True)
    desk.run("decide", title="Sessions are signed with Ed25519", why="RSA keys were too long")
    desk.run("index")
    return desk


@pytest.fixture
def desk(model: Desk, tmp_path: Path) -> Desk:
    """A copy to write to."""
    shutil.copytree(model.place.parent, tmp_path / "copy", symlinks=True)
    made = Desk(tmp_path / "copy" / "repo", tmp_path / "copy" / "home")
    made.run("index")
    return made


def cited_text(desk: Desk, source: Any) -> str:
    if source.id:
        memory = desk.run("show", id=source.id).memory
        return f"{memory.title} {memory.content}"
    if source.commit:
        return str(source.title)
    first, _, last = source.lines.partition("-")
    lines = (desk.place / source.path).read_text().split("\n")
    return "\n".join(lines[int(first) - 1 : int(last or first)])


def words(text: str) -> str:
    found = re.findall(r"[^\W_]+", text)
    return f" {' '.join(found)} "


def first(found: Any) -> tuple[str, Any]:
    sentence = found.sentences[0]
    return sentence.text, found.sources[sentence.sources[0] - 1]


def test_a_question_is_answered_with_a_sentence_and_its_lines(model: Desk) -> None:
    found = model.run("ask", question="Which port does Redis listen on?")
    assert found.known and found.run
    text, source = first(found)
    assert text == "Redis listens on port 6380."
    assert (source.path, source.kind) == ("docs/guide.md", "note")
    assert f"Redis listens on port 6380. [{source.cite}]" in found.answer
    assert source.cite == f"docs/guide.md:{source.lines}"
    assert found.written_by == "extract"
    assert found.confidence.level in ("high", "medium", "low")


def test_each_kind_of_source_can_answer(model: Desk) -> None:
    for question, kind, expected in (
        ("How are redirects followed?", "code", "follow redirects up to ten times"),
        ("What did we decide on signing sessions?", "decision", "Ed25519"),
        ("When was the ceiling of uploads raised?", "commit", "20 MB"),
        ("Where is RedisPool defined?", "code", "RedisPool"),
    ):
        found = model.run("ask", question=question)
        text, source = first(found)
        assert (source.kind, expected in f"{text} {source.path} {source.title}") == (
            kind,
            True,
        ) or (expected in cited_text(model, source)), question
        assert source.kind == kind, question


def test_how_sure_it_is_is_reported_questions_as_were_judged(model: Desk) -> None:
    assert "of 100 such answers were right" in model.text("ask", question="Where is RedisPool?")
    counting = "How many redis connections are there?"
    found = model.run("ask", question=counting)
    assert (found.known, found.confidence.level, found.confidence.score) == (True, "guess", 0)
    assert "a guess from search" in model.text("ask", question=counting)


def test_a_number_is_reported_by_the_line_that_sets_it(model: Desk) -> None:
    for question, output, cite in (
        ("How many minutes does the suite run before the timeout?", "timeout-minutes: 35",
         "ci/build.yml:3"),
        ("Which version of node does it need?", "22.14.0", ".node-version:1"),
    ):  # fmt: skip
        found = model.run("ask", question=question)
        assert (found.known, *first(found)[:1]) == (True, output), question
        assert found.sources[0].cite == cite, question


def test_a_line_is_cited_once_and_not_again_with_those_around_it(desk: Desk) -> None:
    place = desk.place / "conf/limits.toml"
    place.parent.mkdir(exist_ok=True)
    place.write_text("upload_limit_mb = 20\nupload_retries = 3\n# Cut into parts.\nparts = 4\n")
    desk.run("index")
    found = desk.run("ask", question="How many MB is the upload limit?")
    assert found.sources[0].cite == "conf/limits.toml:1"
    assert [source.path for source in found.sources].count("conf/limits.toml") == 1


def test_who_asks_how_is_answered_by_documents_and_by_few_places_of_one_file(model: Desk) -> None:
    found = model.run("ask", question="How do I carry a big parcel?")
    paths = [source.path for source in found.sources]
    assert "docs/uploads.md" in paths[:2]
    assert paths.count("src/parcels.py") == 3


def test_a_commit_is_cited_with_its_day(model: Desk) -> None:
    answer = model.run("ask", question="When was the ceiling of uploads raised?")
    commit = answer.sources[0]
    assert (
        commit.commit
        and commit.at.startswith("20")
        and f"[{commit.cite}, {commit.at[:10]}]" in answer.answer
    )


def test_what_is_asked_of_the_past_is_reported_by_commits_before_code(model: Desk) -> None:
    answer = model.run("ask", question="When was the service of RedisPool started?")
    kinds = [source.kind for source in answer.sources]
    assert "commit" in kinds and "code" in kinds
    assert kinds == sorted(kinds, key=lambda kind: kind == "code"), kinds


def test_every_sentence_stands_in_what_it_cites(model: Desk) -> None:
    observed = 0
    for question in (
        *("redis", "who calls load_backoff", "what does fetch call", "deploy the service"),
        *("Sessions are signed", "ceiling of uploads", "RedisPool", "src/net/fetch.py"),
    ):
        found = model.run("ask", question=question)
        for sentence in found.sentences:
            (number,) = sentence.sources
            there = redact(cited_text(model, found.sources[number - 1])).text
            assert words(sentence.text) in words(there), (question, sentence.text)
            observed += 1
        assert [source.number for source in found.sources] == list(range(1, len(found.sources) + 1))
    assert observed > 10


def test_a_question_in_other_words_cites_the_lines_that_code_has_for_it(desk: Desk) -> None:
    steps = "\n".join(f"    take(step_{n})" for n in range(24))
    wire = f"def to_wire(message):\n    # Steps of it.\n{steps}\n    return deflate(message)\n"
    (desk.place / "src/net/wire.py").write_text(wire)
    (desk.place / "docs/wire.md").write_text("# Wire\n\nThe body is made smaller on its way.\n")
    desk.run("index")
    text = "where is the body made smaller"
    found = desk.run("ask", question=text)
    assert [sentence.text for sentence in found.sentences if "deflate" in sentence.text]
    # With little room a context shows the few lines that answer, not the first ones.
    output = desk.run("context", query="where is it squeezed", max_tokens=400).context
    assert "return deflate(message)" in output


def test_what_the_code_graph_knows_is_reported_in_its_words(model: Desk) -> None:
    for question, verb_name, query, lines in (
        ("Who calls load_backoff?", "graph", {"name": "load_backoff", "callers": True},
         ["return load_backoff(url, 10)", 'assert load_backoff("a", 1)']),
        ("What does fetch call?", "graph", {"name": "fetch", "callees": True},
         ["def load_backoff(url, times):"]),
        ("Which classes inherit from BaseJob?", "graph", {"name": "BaseJob", "subclasses": True},
         [f"class Job{number}(BaseJob):" for number in range(4)]),
        ("who imports src/net/retry.py", "graph", {"name": "src/net/retry.py", "importers": True},
         ["from net.retry import load_backoff"] * 2),
        ("what depends on load_backoff?", "impact", {"target": "load_backoff"}, []),
        ("are there circular imports?", "cycles", {}, []),
    ):  # fmt: skip
        found = model.run("ask", question=question)
        assert found.answer == model.text(verb_name, **query), question
        assert (found.known, found.written_by) == (True, f"gitmem {verb_name}"), question
        assert [sentence.text for sentence in found.sentences][: len(lines)] == lines, question
        assert [source.number for source in found.sources] == list(range(1, len(found.sources) + 1))
    # The graph knows that none of its names is defined here; who calls it is no answer.
    assert model.run("ask", question="What does load_backoff call?").answer.startswith(
        "load_backoff: 0 callees"
    )


def test_where_a_name_is_defined_is_reported_by_the_index_and_no_guess(model: Desk) -> None:
    result = model.run("ask", question="where is load_backoff defined?")
    assert [source.path for source in result.sources] == [
        "src/net/retry.py"
    ] and result.written_by == "gitmem search"
    assert result.confidence.level == "high"
    result = model.run("ask", question="where is load_backof defined?")
    assert not result.known and "No definition of load_backof is indexed." in result.answer
    # A word that is no name of code here may be anything.
    result = model.run("ask", question="where is the waiting")
    assert result.written_by != "gitmem search" and "No definition" not in result.answer


def test_the_tests_to_run_are_those_that_reach_it(model: Desk) -> None:
    for question in ("Which tests cover load_backoff?",
                     "which tests should I run if I change load_backoff?"):  # fmt: skip
        found = model.run("ask", question=question)
        assert [source.path for source in found.sources] == ["tests/test_retry.py"]
        assert "1 1.00 tests/test_retry.py" in re.sub(r"0\.\d\d", "1.00", found.answer)
        assert found.answer.startswith("load_backoff: tests\n") and "\nTests (1):\n" in found.answer
        assert "src/net/fetch.py" not in found.answer and "depend" not in found.answer


def test_where_calls_are_not_resolved_the_tests_are_those_that_name_it(tmp_path: Path) -> None:
    repo = RepoBuilder(tmp_path / "repo")
    code = "defmodule Till do\n  def pay(a) do\n    a\n  end\nend\n"
    test = 'defmodule TillTest do\n  test "pays" do\n    assert Till.pay(1) == 1\n  end\nend\n'
    repo.commit("Start", {"lib/till.ex": code, "test/till_test.exs": test})
    desk = Desk(repo.path, repo.home)
    desk.run("init", no_hooks=True)
    found = desk.run("ask", question="which tests cover Till?")
    assert [source.path for source in found.sources] == ["test/till_test.exs"]
    assert (found.written_by, found.confidence.score) == ("gitmem search", 0)


def test_a_name_that_stands_is_not_reported_as_removed(model: Desk) -> None:
    found = model.run("ask", question="when was load_backoff removed?")
    assert "It is defined there now" in found.answer and found.confidence.level == "medium"
    assert "stands there now" not in model.run("ask", question="history of load_backoff").answer


def test_what_the_verb_does_not_know_is_reported_in_its_words(model: Desk) -> None:
    for question, expected in (
        ("who calls load_frontoff?", "Nothing named 'load_frontoff' is indexed."),
        ("when was Gone.away added", "There is no file Gone.away here"),
        ("what changed since v99.0", "'v99.0' is not a date, tag or commit"),
    ):
        found = model.run("ask", question=question)
        assert (found.known, found.sentences) == (False, ()), question
        assert found.answer.startswith(expected), question
    none = model.run("ask", question="what did we decide on carrier pigeons?")
    assert "No decision about this is recorded." in (none.answer, *none.notes)
    # What is defined elsewhere: the lines that name it answer, and what is not known is told.
    outside = model.run("ask", question="who calls self.take?")
    assert outside.confidence.level == "medium"
    assert outside.known and outside.notes[0].startswith("Nothing named 'self.take' is indexed.")
    assert first(outside)[0] == "return self.take(timeout)"
    assert not model.run("ask", question="who calls other.take?").known
    half = model.run("ask", question="who calls load_frontoff and which port does Redis listen on?")
    assert half.known and any("load_frontoff" in note for note in half.notes)
    assert "Redis listens on port 6380." in half.answer


def test_the_past_of_a_name_is_reported_by_why(tmp_path: Path) -> None:
    repo = RepoBuilder(tmp_path / "repo")
    body = "".join(f"    step_{number}()\n" for number in range(6))
    old = repo.commit("Start", {"src/old.py": f"def prepare():\n{body}", "src/app.py": "A = 1\n"})
    named = repo.commit("Name it", {"src/old.py": f"def take_order():\n{body}"})
    repo.git("rm", "-q", "src/old.py")
    moved = repo.commit("Move it", {"src/orders.py": f"def take_order():\n{body}"})
    last = repo.commit("Return it", {"src/orders.py": f"def take_order():\n{body}    return 1\n"})
    desk = Desk(repo.path, repo.home)
    desk.run("init", no_index=True, no_hooks=True)
    desk.run("index")

    def commits(question: str) -> list[str]:
        found = desk.run("ask", question=question)
        assert found.known and found.written_by == "gitmem why", question
        return [source.commit for source in found.sources]

    # Not where its lines come from under another name, nor where they were moved.
    assert commits("when was take_order added?") == [named]
    assert commits("who changed take_order last") == [last]
    assert {last, named} <= set(commits("why was take_order changed?")) <= {old, named, moved, last}
    wrote = desk.run("ask", question="who wrote `take_order`?")
    lines = [int(count) for count in re.findall(r"wrote (\d+) of 8 lines", wrote.answer)]
    assert lines == sorted(lines, reverse=True) and sum(lines) == 8
    output = desk.run("why", target="take_order").commits
    assert [item.commit for item in output if "first version" in item.why] == [named]


def test_how_sure_suspects_and_decisions_are_was_not_measured_and_is_not_reported(
    desk: Desk,
) -> None:
    desk.run("decide", title="Use Redis for sessions", why="they are shared")
    for question, by in (
        ("what did we decide about Redis sessions?", "gitmem recall"),
        ("what broke src/net/fetch.py?", "gitmem why-broke"),
    ):
        result = desk.run("ask", question=question)
        assert (result.written_by, result.confidence.score) == (by, 0), question
        assert verb.view(result).endswith(f"(by {by})")


def test_a_dotted_name_is_never_cut(tmp_path: Path) -> None:
    repo = RepoBuilder(tmp_path / "repo")
    repo.commit("Start", {
        "src/shop/__init__.py": "from shop.cart import Cart\n",
        "src/shop/cart.py": "class Cart:\n    def add(self):\n        return self.fill()\n\n"
        "    def fill(self):\n        return 1\n\n\nclass Basket:\n    def add(self):\n"
        "        return 2\n",
        "tests/fixtures/shop.py": "def fixture():\n    return 1\n",
        "src/lend.py": "def lend(thing):\n    return thing.fill()\n",
        "src/shop/till.py": "from shop import Cart, cart\n\n\ndef pay():\n"
        "    return cart.Cart().add()\n",
        "docs/cart.md": "# Cart\n\nThe cart.\n",
    })  # fmt: skip
    desk = Desk(repo.path, repo.home)
    desk.run("init", no_index=True, no_hooks=True)
    desk.run("index")
    for question, output, cited in (
        ("who imports shop?", "src/shop/__init__.py: 1 importer", "src/shop/till.py"),
        ("who imports shop.cart?", "src/shop/cart.py: 2 importers", "src/shop/till.py"),
        ("what does shop.cart.Cart.add call?", "shop.cart.Cart.add: 1 callee", "src/shop/cart.py"),
        ("who calls shop.Cart.fill", "shop.Cart.fill: 1 caller, 1 by name alone",
         "src/shop/cart.py"),
        ("who calls src/shop/cart.py::Cart.fill",
         "src/shop/cart.py::Cart.fill: 1 caller, 1 by name alone", "src/shop/cart.py"),
        ("when was shop.cart last changed", "src/shop/cart.py: changed by 1 commit", ""),
    ):  # fmt: skip
        found = desk.run("ask", question=question)
        assert found.answer.startswith(output), question
        assert cited in [source.path for source in found.sources], question
    # What is called on something of unknown type lowers the word.
    sure = desk.run("ask", question="what does shop.cart.Cart.add call?").confidence.level
    unsure = desk.run("ask", question="who calls shop.Cart.fill?").confidence.level
    assert (sure, unsure) == ("high", "medium")
    for unknown in ("shop.Basket.fill", "shop.basket", "store.cart"):
        assert (
            f"Nothing named '{unknown}' is indexed"
            in desk.run("ask", question=f"who calls {unknown}?").answer
        )


def test_what_changed_between_two_tags_is_what_git_log_has(tmp_path: Path) -> None:
    repo = RepoBuilder(tmp_path / "repo")
    repo.commit("Start", {"src/a.py": "A = 1\n"})
    repo.branch("side")
    side = repo.commit("Beside", {"src/b.py": "B = 1\n"})
    repo.switch("main")
    repo.commit("Before the release", {"src/a.py": "A = 2\n"})
    repo.git("tag", "v1.0")
    merged = repo.merge("side")
    after = repo.commit("After it", {"src/a.py": "A = 3\n"})
    repo.git("tag", "v1.1")
    repo.commit("Later", {"src/a.py": "A = 4\n"})
    desk = Desk(repo.path, repo.home)
    desk.run("init", no_index=True, no_hooks=True)
    desk.run("index")
    found = desk.run("ask", question="what changed between v1.0 and v1.1?")
    assert found.answer == desk.text("changes", since="v1.0", until="v1.1")
    assert desk.run("ask", question="what is new in v1.1?").answer == found.answer
    since = desk.run("ask", question="what changed since the last release?")
    assert [source.title for source in since.sources] == ["Later"]
    # `side` is older than v1.0, and not in it.
    assert {source.commit for source in found.sources} - {merged} == {side, after}
    assert desk.run("changes", since="v1.0", until="v1.1").commits == 3


def test_what_is_not_here_is_not_known_and_the_nearest_is_reported(model: Desk) -> None:
    for question in (
        "How do I configure SAML single sign-on for Kerberos?",
        "Where are sixel pictures decoded?",
    ):
        found = model.run("ask", question=question)
        assert (found.known, found.run, found.sentences) == (False, True, ()), question
        assert found.answer.startswith("I do not know")
        assert (found.confidence.score, found.confidence.level) == (0, "guess")
        text = model.text("ask", question=question)
        assert text.startswith("I do not know") and "confidence" not in text
        if found.sources:
            assert f"The nearest:\n  {found.sources[0].cite}" in text


def test_an_empty_store_knows_nothing(tmp_path: Path) -> None:
    repo = RepoBuilder(tmp_path / "repo")
    repo.commit("Start", {})
    desk = Desk(repo.path, repo.home)
    desk.run("init", no_index=True, no_hooks=True)
    found = desk.run("ask", question="Which port does Redis listen on?")
    assert (found.known, found.sentences) == (False, ())


def test_the_plan_is_shown_and_nothing_is_run(model: Desk) -> None:
    question = "Who calls load_backoff?"
    assert model.text("ask", question=question, plan=True) == (
        "Plan (callers, 95% sure; at most 8 sources):\n"
        '  1. gitmem graph "load_backoff" --callers\n     the code graph knows\n'
        '  2. gitmem search "load_backoff" --mode callers\n     it asks who calls something\n'
        '  3. gitmem search "load_backoff" --mode symbol\n     it names something of the code\n'
        '  4. gitmem search "Who calls load_backoff?"\n'
        "     the whole question, in code, notes, commits and memories"
    )
    shown = model.run("ask", question=question, plan=True)
    assert (shown.run, shown.known, shown.sources, shown.answer) == (False, False, (), "")
    assert all(step.found is None and step.milliseconds is None for step in shown.plan.steps)
    ran = model.run("ask", question=question)
    assert [step.command for step in ran.plan.steps] == [step.command for step in shown.plan.steps]
    assert ran.plan.steps[0].found == 2 and ran.plan.steps[0].milliseconds is not None
    # The verb knew: nothing else was run.
    assert {(step.found, step.milliseconds) for step in ran.plan.steps[1:]} == {(None, None)}
    searched = model.run("ask", question="How are redirects followed?")
    assert all(step.milliseconds is not None for step in searched.plan.steps)


def test_the_plan_of_a_store_that_was_never_indexed_indexes_nothing(tmp_path: Path) -> None:
    repo = RepoBuilder(tmp_path / "repo")
    repo.commit("Start", FILES)
    desk = Desk(repo.path, repo.home)
    desk.run("init", no_index=True, no_hooks=True)
    before = desk.store.read_bytes()
    desk.run("ask", question="Who calls load_backoff?", plan=True)
    assert desk.store.read_bytes() == before
    found = desk.run("ask", question="Who calls load_backoff?")
    assert not found.known and found.notes[-1].startswith("The index is behind")
    desk.run("index")
    found = desk.run("ask", question="Who calls load_backoff?")
    assert found.known and not found.notes


def test_the_index_is_behind_only_where_status_says_so(desk: Desk) -> None:
    def noted(verb: str, **query: str) -> bool:
        return any("The index is behind" in note for note in desk.run(verb, **query).notes)

    # git writes its index file anew once a file has another time stamp.
    path = desk.place / "src/jobs.py"
    os.utime(path, (1_700_000_000, 1_700_000_000))
    RepoBuilder(desk.place, init=False).git("update-index", "--refresh")
    assert desk.run("status").index.state == "current"
    assert not noted("ask", question="Where is RedisPool defined?")
    assert not noted("context", query="Where is RedisPool defined?")
    path.write_text("class BaseJob:\n    priority = 1\n")
    RepoBuilder(desk.place, init=False).git("add", "-A")
    assert desk.run("status").index.state == "stale"
    assert noted("ask", question="Where is RedisPool defined?")
    assert noted("context", query="Where is RedisPool defined?")


def test_what_is_no_question_is_not_run(model: Desk) -> None:
    text = model.text("ask", question="Remember that Redis is on 6380")
    assert "gitmem remember" in text and "not run by ask" in text
    assert text.endswith("This is not a question, so nothing was run.")


def test_a_hundred_names_are_left_out_with_a_word(model: Desk) -> None:
    names = " ".join(f"load_part_{number}" for number in range(100))
    found = model.run("ask", question=names, plan=True)
    assert len(found.plan.steps) == 8 and found.plan.left_out
    assert f"{found.plan.left_out} steps are left out" in found.notes[0]


def test_bad_questions_are_reported_in_a_sentence(model: Desk) -> None:
    for question in ("", "  ", "x" * 200_001):
        with pytest.raises(InvalidInput):
            model.run("ask", question=question)


def test_an_edited_file_is_cited_as_it_is_now(desk: Desk) -> None:
    path = desk.place / "docs/guide.md"
    path.write_text("# New\n\nOne line more.\n\n" + path.read_text().replace("6380", "7000"))
    found = desk.run("ask", question="Which port does Redis listen on?")
    text, source = first(found)
    assert text == "Redis listens on port 7000."
    assert words(text) in words(cited_text(desk, source))
    # What calls it stands some lines further down by now, in a function that changed too.
    caller = desk.place / "src/net/fetch.py"
    caller.write_text("# A\n# B\n# C\n" + caller.read_text().replace("ten times", "9 times"))
    text, source = first(desk.run("ask", question="Who calls load_backoff and why?"))
    assert text == "return load_backoff(url, 10)"
    assert "load_backoff(url, 10)" in cited_text(desk, source)


def test_no_secret_is_answered(model: Desk) -> None:
    found = model.run("ask", question="Where is the signing key of sessions?")
    assert SECRET not in str(as_json_values(found))


def test_a_cited_memory_counts_as_handed_out(desk: Desk) -> None:
    def accessed() -> int:
        app = desk.app()
        try:
            return int(app.store.value("SELECT coalesce(sum(count), 0) FROM usage"))
        finally:
            app.close()

    before = accessed()
    desk.run("ask", question="What did we decide on signing sessions?")
    assert accessed() == before + 1
    for number in range(9):
        desk.run("remember", text=f"Sessions of server {number} are signed each night")
    before = accessed()
    found = desk.run("ask", question="Which server is signed each night?")
    cited = [source.id for source in found.sources if source.id]
    assert 0 < len(cited) < 10 and accessed() == before + len(cited)
    # By its id alone: unlike a commit it is not of one day.
    assert all(f"[{id}]" in found.answer for id in cited)


def test_a_memory_to_check_first_is_cited_with_its_doubt(desk: Desk) -> None:
    message = "Uploads of more than 20 MB are refused at the gate"
    desk.run("remember", text=message, path=("src/limits.py",))
    question = "Which uploads are refused at the gate?"
    assert "(changed" not in desk.text("ask", question=question)
    (desk.place / "src/limits.py").write_text("DOWNLOADS = 9\n")
    text = desk.text("ask", question=question)
    assert message in text
    assert re.search(r"^\(\S+: .*changed.*\)$", text, re.MULTILINE), text


def test_sources_are_grouped_and_neighbours_are_named(model: Desk) -> None:
    found = model.run("ask", question="Who calls load_backoff?")
    numbers = sorted(number for group in found.groups for number in group.sources)
    assert numbers == [source.number for source in found.sources]
    assert {"code", "test"} & {group.name for group in found.groups}
    assert not any("backoff" in name.lower() for name in found.related)
    assert len(found.related) <= 6


@contextmanager
def endpoint(model: Desk, reply: Reply) -> Iterator[tuple[Desk, Any]]:
    with serving(reply) as server:
        desk = Desk(model.place, model.home)
        desk.env = model.env | {
            "GITMEM_ASK_ENDPOINT": f"http://127.0.0.1:{server.port}/v1",
            "GITMEM_ASK_MODEL": "small",
        }
        yield desk, server


def test_a_model_words_the_answer_if_the_user_named_one(model: Desk) -> None:
    reply = Reply(completion("Redis is on port 6380 [1]."))
    with endpoint(model, reply) as (desk, server):
        found = desk.run("ask", question="Which port does Redis listen on?")
    assert (found.written_by, found.notes) == ("small", ())
    assert [sentence.text for sentence in found.sentences] == ["Redis is on port 6380"]
    assert found.answer == f"Redis is on port 6380 [{found.sources[0].cite}]"
    assert "by small)" in verb.view(found)
    assert "Redis listens on port 6380" in server.bodies[0]


def test_what_a_model_invents_is_not_shown(model: Desk) -> None:
    question = "Which port does Redis listen on?"
    drawn = model.run("ask", question=question)
    for output, why in (
        ("Redis is on port 6379 [1].", "not in the lines"),
        ("Redis is on port 6380.", "cites nothing"),
        ("Redis is on port 6380 [99].", "not given"),
        ("I DO NOT KNOW", "found no answer"),
    ):
        with endpoint(model, Reply(completion(output))) as (desk, _):
            found = desk.run("ask", question=question)
        assert (found.answer, found.written_by) == (drawn.answer, "extract")
        assert why in found.notes[0], output


def test_an_endpoint_that_hangs_or_fails_costs_a_note(model: Desk, monkeypatch: Any) -> None:
    monkeypatch.setattr("gitmem.assembly.model_endpoint.TIMEOUT", 0.3)
    for reply, why in ((Reply(b"", wait=20), "did not answer"), (Reply(b"", status=500), "500")):
        with endpoint(model, reply) as (desk, _):
            found = desk.run("ask", question="Which port does Redis listen on?")
        assert found.known and found.written_by == "extract"
        assert found.notes[0].startswith("The endpoint was not used") and why in found.notes[0]


def test_no_secret_is_sent(model: Desk) -> None:
    with endpoint(model, Reply(completion("no"))) as (desk, server):
        found = desk.run("ask", question=f"Where is the signing key {SECRET} of sessions?")
        assert found.known and len(server.bodies) == 1
    assert SECRET not in server.bodies[0]
    assert "signing key" in server.bodies[0]


def test_a_model_is_not_asked_where_there_is_no_answer(model: Desk) -> None:
    with endpoint(model, Reply(completion("Yes [1]."))) as (desk, server):
        found = desk.run("ask", question="Where are sixel pictures decoded?")
    assert not found.known and server.bodies == []


def test_an_address_that_cannot_be_asked_is_refused_when_it_is_set() -> None:
    setting = BY_KEY["ask.endpoint"]
    assert (
        parse_setting_value(setting, "http://127.0.0.1:8080/v1", "here")
        == "http://127.0.0.1:8080/v1"
    )
    for address in (
        *("127.0.0.1:8080", "ftp://127.0.0.1/v1", "http://", "http://me:pass@127.0.0.1/v1"),
        *("http://127.0.0.1:99999/v1", "http://127.0.0.1/v1?key=1", "http://127.0.0.1/a b"),
    ):
        with pytest.raises(InvalidInput, match=r"ask\.endpoint"):
            parse_setting_value(setting, address, "here")


def test_a_task_of_every_repository_is_answered_by_what_to_type(tmp_path: Path) -> None:
    files = {f"src/part_{n}.py": f"def run_tests_{n}(tests):\n    '''Run the tests.'''\n"
             "    for test in tests:\n        run(test)\n" for n in range(40)}  # fmt: skip
    files["CONTRIBUTING.md"] = (
        "# Contributing\n\nWrite small commits.\n\n## Tests\n\nBefore you send a change:\n\n"
        "```console\ntox -e py311\n```\n"
    )
    repo = RepoBuilder(tmp_path / "repo")
    repo.commit("Start", files)
    desk = Desk(repo.path, repo.home)
    desk.run("init", no_index=True, no_hooks=True)
    desk.run("index")
    found = desk.run("ask", question="how do I run the tests")
    assert found.known
    text, source = first(found)
    assert (source.path, text) == ("CONTRIBUTING.md", "tox -e py311")
    assert desk.run("search", query="how do I run the tests").hits[0].path == "CONTRIBUTING.md"
    # What only sounds like it stays a question to the code.
    assert desk.run("search", query="run_tests_7").hits[0].path == "src/part_7.py"


def test_two_questions_in_one_are_answered_one_after_the_other(model: Desk) -> None:
    halves = ("Which port does Redis listen on", "how are redirects followed")
    found = model.run("ask", question=f"{halves[0]} and {halves[1]}?")
    by_hand = [model.run("ask", question=half) for half in halves]
    messages = [sentence.text for sentence in found.sentences]
    assert messages == [sentence.text for part in by_hand for sentence in part.sentences]
    assert "Redis listens on port 6380." in messages
    assert any("follow redirects up to ten times" in item for item in messages)
    assert [item.number for item in found.sources] == list(range(1, len(found.sources) + 1))
    cites = [item.cite for item in found.sources]
    assert len(set(cites)) == len(cites)
    for sentence in found.sentences:
        source = found.sources[sentence.sources[0] - 1]
        assert words(sentence.text) in words(cited_text(model, source)) or source.title
    steps = [step.command for step in found.plan.steps]
    assert f'gitmem search "{halves[0]}"' in steps and f'gitmem search "{halves[1]}?"' in steps


def test_the_half_that_nothing_answers_is_named(model: Desk) -> None:
    other = "which GraphQL resolver paginates invoices"
    found = model.run("ask", question=f"Which port does Redis listen on and {other}")
    assert found.known and f"I do not know: {other}" in found.notes
    assert "Redis listens on port 6380." in [sentence.text for sentence in found.sentences]
    neither = model.run("ask", question=f"{other} and which Kubernetes operator rotates them all")
    assert not neither.known and not any("I do not know" in note for note in neither.notes)


def test_a_budget_bounds_what_is_cited_and_packed_places_are_more(model: Desk) -> None:
    """CE-11: the places in order, whole or only their sentences, until the budget is full."""
    question = "How big may an upload be, and which port does Redis listen on?"
    whole = model.run("ask", question=question)
    assert len(whole.sources) > 2 and whole.context_tokens > 40
    for budget in (1, 15, 40, 80):
        stitched, packed = (
            model.run("ask", question=question, budget=budget, mode=mode)
            for mode in ("stitch", "pack")
        )
        for found in (stitched, packed):
            assert found.context_tokens <= budget
            assert [source.number for source in found.sources] == [
                *range(1, len(found.sources) + 1)
            ]
            assert all(max(row.sources) <= len(found.sources) for row in found.sentences)
            assert found.sources and found.sources[0].cite == whole.sources[0].cite
            cut = len(found.sentences) < len(whole.sentences)
            assert cut == any("Left out to stay within" in note for note in found.notes)
        assert len(packed.sources) >= len(stitched.sources)
    assert len(packed.sources) > len(stitched.sources) or packed.context_tokens < 80
    short = model.run("ask", question=question, max_tokens=1)
    assert len(short.sentences) == 1 < len(whole.sentences)
    assert short.sources == whole.sources
    left = len(whole.sentences) - 1
    assert any(f"0 places and {left} sentence" in note for note in short.notes)
    assert not any("Left out" in note for note in whole.notes)


def test_only_files_that_were_asked_for_are_cited(model: Desk) -> None:
    """CE-11: by path and language, without commits, memories and verbs."""
    for question in ("Which port does Redis listen on?", "who calls load_backoff", "why Ed25519"):
        for options, ending in (({"path": "src/**"}, ".py"), ({"lang": ("python",)}, ".py"),
                                ({"path": "docs"}, ".md")):  # fmt: skip
            found = model.run("ask", question=question, **options)
            assert all(source.path.endswith(ending) for source in found.sources), found.sources
    assert model.run("ask", question="Which port does Redis listen on?", path="docs").known
    with pytest.raises(InvalidInput, match="Unknown language"):
        model.run("ask", question="Which port?", lang=("klingon",))


def test_what_is_imported_from_elsewhere_in_a_cited_file_is_no_relation(tmp_path: Path) -> None:
    """The file of ``glue`` is cited for it, and what else is imported from there is not."""
    repo = RepoBuilder(tmp_path / "repo")
    repo.commit("Start", {
        "src/parcel.py": "class Stamp:\n    pass\n\n\ndef glue(parcel):\n    return parcel\n",
        "src/app.py": "from src.parcel import Stamp\n\n\n"
        "class App:\n    def glue(self):\n        return Stamp()\n",
    })  # fmt: skip
    desk = Desk(repo.path, repo.home)
    desk.run("init", no_hooks=True)
    found = desk.run("ask", question="where is glue defined")
    assert {source.path for source in found.sources} == {"src/parcel.py", "src/app.py"}
    assert [row.name for row in found.relations] == [""]
    assert "\n(src/app.py imports src/parcel.py)\n" in verb.view(found)


def test_what_is_cited_tells_how_it_is_related(tmp_path: Path) -> None:
    """CE-12: imports, calls and bases between the cited lines, and memories about cited files."""
    repo = RepoBuilder(tmp_path / "repo")
    repo.commit("Start", {
        "src/parcel.py": "class Parcel:\n    # A parcel with its stamps glued on.\n    pass\n\n\n"
        "def glue_stamps(parcel):\n    # Glue the stamps on a parcel.\n    return parcel\n",
        "src/express.py": "from src.parcel import Parcel, glue_stamps\n\n\n"
        "class ExpressParcel(Parcel):\n    # An express parcel glues its stamps at once.\n\n"
        "    def post(self):\n        return glue_stamps(self)\n",
    })  # fmt: skip
    desk = Desk(repo.path, repo.home)
    desk.run("init", no_hooks=True)
    desk.run("remember", text="Stamps are glued on express parcels by hand.",
             path=("src/express.py",), kind="decision", title="Glue stamps by hand")  # fmt: skip
    found = desk.run("ask", question="How are stamps glued on an express parcel?")
    cites = {source.number: source.id or source.path for source in found.sources}
    related = {
        (cites[row.source], row.relation, cites[row.target], row.name) for row in found.relations
    }
    express, parcel = "src/express.py", "src/parcel.py"
    assert (express, "extends", parcel, "Parcel") in related
    assert (express, "calls", parcel, "glue_stamps") in related
    assert (express, "imports", parcel, "Parcel") in related
    assert any(relation == "is about" for _, relation, _, _ in related), related
    assert all(source != target for source, _, target, _ in related)
    text = verb.view(found)
    assert "extends Parcel: src/parcel.py" in text or "imports Parcel: src/parcel.py" in text
